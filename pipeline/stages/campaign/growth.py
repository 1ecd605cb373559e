"""Growth of metrics and call paths with processes: exponents, shares and rank correlations."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas import Table
from tracemill.schemas.growth import CALL_PATH_GROWTH, METRIC_GROWTH, QUANTITIES, WHOLES
from tracemill.sql.metric_texts import shipped_metrics
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.campaign.compared import (
    Columns,
    correlation_columns,
    join_blocks,
    population_columns,
)
from tracemill.stages.campaign.populations import Population, populations_with
from tracemill.stages.campaign.series import Series, make_series
from tracemill.stages.models.growth import fit_growth
from tracemill.stages.models.ranks import Floats
from tracemill.stages.stage import PythonStage

_CALL_PATH_COLUMNS = dict(
    zip(
        QUANTITIES,
        (
            ("exclusive_ns", "location_ns"),
            ("wait_ns", "location_ns"),
            ("critical_path_ns", "critical_path_ns"),
        ),
        strict=True,
    )
)


def measure_metric_growth(
    campaign_runs: Relation, run_totals: Relation, metric_times: Relation, *, min_processes: int = 2
) -> pa.Table:
    """Growth of every metric, per application over all runs and over the runs of each size.

    Runs where a metric is 0 count with share 0, but not in the exponent.
    """
    metric, whole, run, *values = read_columns(
        metric_times.filter("share IS NOT NULL"),
        "metric",
        "share_of::VARCHAR",
        "campaign_run_id::BIGINT",
        "value_ns",
        "share",
    )
    names, number = np.unique(metric.astype(str), return_inverse=True)
    wholes = np.full(len(names), WHOLES[0], object)
    wholes[number] = whole
    series = make_series(number, run, *values)
    titles = {metric.name: metric.title for metric in shipped_metrics().values()}
    parts = [METRIC_GROWTH.empty()]
    for population in _populations(campaign_runs, run_totals, min_processes):
        items, columns = _measure(METRIC_GROWTH, population, series)
        named = names[items].tolist()
        columns |= {"metric": named, "share_of": wholes[items]}
        columns["title"] = pa.array([titles.get(name) for name in named], pa.string())
        parts.append(METRIC_GROWTH.conform(pa.table(columns)))
    return pa.concat_tables(parts)


def measure_call_path_growth(
    campaign_runs: Relation,
    run_totals: Relation,
    counted_call_paths: Relation,
    *,
    min_processes: int = 2,
) -> pa.Table:
    """The same for the time, the waiting and the part of the critical path of every call path."""
    quantities = {
        quantity: _read_call_paths(counted_call_paths, run_totals, *columns)
        for quantity, columns in _CALL_PATH_COLUMNS.items()
    }
    parts = [CALL_PATH_GROWTH.empty()]
    for population in _populations(campaign_runs, run_totals, min_processes):
        for quantity, series in quantities.items():
            items, columns = _measure(CALL_PATH_GROWTH, population, series)
            columns |= {"call_path_key": items, "quantity": pa.repeat(quantity, len(items))}
            parts.append(CALL_PATH_GROWTH.conform(pa.table(columns)))
    return pa.concat_tables(parts)


def _populations(
    campaign_runs: Relation, run_totals: Relation, min_processes: int
) -> Iterator[Population]:
    known = run_totals.filter("location_ns > 0")
    return populations_with(known, campaign_runs, min_processes=min_processes)


def _read_call_paths(
    counted_call_paths: Relation, run_totals: Relation, value: str, whole: str
) -> Series:
    """Values above 0 and their shares, by call path and run."""
    spent = counted_call_paths.filter(f"{value} > 0").select(
        f"campaign_run_id, call_path_key, {value} AS spent_ns"
    )
    totals = run_totals.filter(f"{whole} > 0").select(f"campaign_run_id, {whole} AS total_ns")
    key, run, *values = read_columns(
        spent.join(totals, "campaign_run_id"),
        "call_path_key",
        "campaign_run_id::BIGINT",
        "spent_ns",
        "spent_ns / total_ns",
    )
    return make_series(key, run, *values)


def _measure(
    table: Table, population: Population, series: Series
) -> tuple[NDArray[np.int64], Columns]:
    """The items that a population has, and all columns but their names."""
    part = series.of_runs(population.run_ids)
    columns = population_columns(table, population, len(part.items))
    columns["fitted_count"] = np.zeros(len(part.items), np.int32)
    if population.runs and len(part.items):
        blocks = part.blocks(len(population.runs))
        measures = [_measure_block(population, *values) for values in blocks]
        columns |= join_blocks(measures) | _sizes(population, len(part.items))
    return part.items, columns


def _sizes(population: Population, count: int) -> Columns:
    """Of which size the runs are that the smallest and the largest share are of."""
    sizes = np.array([run.size for run in population.runs])
    return {
        "smallest_run_size": np.full(count, sizes[population.are_smallest()][0]),
        "largest_run_size": np.full(count, sizes[population.are_largest()][0]),
    }


def _measure_block(population: Population, values: Floats, share: Floats) -> Columns:
    """The columns of some items, from matrices of items by runs."""
    growth = fit_growth(population.processes, population.size_groups, values)
    return correlation_columns(population, share) | {
        "fitted_count": growth.value_count.astype(np.int32),
        "growth_exponent": pa.array(growth.exponent, mask=~growth.is_defined),
        "growth_error": pa.array(growth.error, mask=~growth.has_error),
        "mean_share": share.mean(axis=1),
        "smallest_share": share[:, population.are_smallest()].mean(axis=1),
        "largest_share": share[:, population.are_largest()].mean(axis=1),
    }


METRIC_GROWTH_STAGE = PythonStage(
    name="metric_growth", outputs=(METRIC_GROWTH,), compute=measure_metric_growth
)
CALL_PATH_GROWTH_STAGE = PythonStage(
    name="call_path_growth", outputs=(CALL_PATH_GROWTH,), compute=measure_call_path_growth
)
