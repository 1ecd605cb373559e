"""Columns of tables that compare runs: which runs, and correlations with their reasons."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas import Table
from tracemill.schemas.call_sites import CONSTANT, METHODS
from tracemill.stages.campaign.populations import Population
from tracemill.stages.models.rank_correlation import is_exact, spearman
from tracemill.stages.models.ranks import Floats

Columns = dict[str, Any]


def population_columns(table: Table, population: Population, count: int) -> Columns:
    """So many rows of a population, in which nothing is compared yet: the rest is null."""
    nulls = {
        column.name: pa.nulls(count, column.type) for column in table.columns if column.is_nullable
    }
    processes = population.processes.tolist()
    return nulls | {
        "application": _repeated(population.application, pa.string(), count),
        "size": _repeated(population.size, pa.float64(), count),
        "run_count": np.full(count, len(population.runs), np.int32),
        "smallest_processes": _repeated(min(processes, default=None), pa.int32(), count),
        "largest_processes": _repeated(max(processes, default=None), pa.int32(), count),
        "reason": _repeated(population.reason, pa.string(), count),
    }


def correlation_columns(population: Population, share: Floats) -> Columns:
    """Coefficients of shares, items by runs, with processes; the reason where there is none."""
    rho, p_value, is_defined = spearman(population.processes, share)
    is_defined &= population.reason is None
    method = METHODS[0] if is_exact(len(population.runs)) else METHODS[1]
    return {
        "spearman": pa.array(rho, mask=~is_defined),
        "p_value": pa.array(p_value, mask=~is_defined),
        "p_value_method": pc.if_else(is_defined, method, pa.scalar(None, pa.string())),
        "reason": pc.if_else(
            is_defined, pa.scalar(None, pa.string()), population.reason or CONSTANT
        ),
    }


def join_blocks(blocks: Iterable[Columns]) -> Columns:
    """The columns of some items after those of others."""
    table = pa.concat_tables(pa.table(block) for block in blocks)
    return dict(zip(table.column_names, table.columns, strict=True))


def _repeated(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)
