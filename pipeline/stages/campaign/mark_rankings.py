"""Programs in the order of their marks, and how far these orders agree."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.rankings import CRITERIA, MARK_RANKING_CORRELATIONS, MARK_RANKINGS, ORDERS
from tracemill.schemas.scalability import WHOLE
from tracemill.stages.arrays import Relation
from tracemill.stages.campaign.published_marks import PublishedMarks, read_published_marks
from tracemill.stages.models.efficiency_grid.rankings import (
    FEWEST_PAIRS,
    compare_orders,
    rank_ascending,
)
from tracemill.stages.stage import PythonStage

Row = dict[str, Any]

MEASURED = "this campaign"
_VALUES = ("mark_procs", "mark_data", "mark_all", "min_efficiency", "max_efficiency")


def rank_programs(
    scalability_marks: Relation,
    *,
    published_marks: str = "",
    grid_rank_across_references: bool = False,
) -> tuple[pa.Table, pa.Table]:
    """Rank programs by their marks over the whole region, and correlate the orders.

    Compared programs define efficiency alike and, unless `grid_rank_across_references`, refer to
    the same numbers of processes. `published_marks` is the text of a table of further programs; see
    `read_published_marks`. Raises CampaignError for an error in it.
    """
    programs = [
        *_measured(scalability_marks, grid_rank_across_references),
        *map(_published, read_published_marks(published_marks)),
    ]
    comparisons: dict[str, list[Row]] = defaultdict(list)
    for program in sorted(programs, key=lambda row: (row["source"], row["application"])):
        comparisons[program["comparison"]].append(program)
    ranked, correlated = [], []
    for name in sorted(comparisons):
        ranked += _ranked(comparisons[name])
        correlated += _correlated(name, comparisons[name])
    return _table(MARK_RANKINGS, ranked), _table(MARK_RANKING_CORRELATIONS, correlated)


def _measured(scalability_marks: Relation, is_across: bool) -> list[Row]:
    regions = scalability_marks.filter(f"region = '{WHOLE}'")
    rows: list[Row] = regions.to_arrow_table().to_pylist()
    for row in rows:
        row |= {"source": MEASURED, "comparison": _comparison(row, is_across)}
    return rows


def _comparison(row: Row, is_across: bool) -> str:
    """The definition and reference of a program's efficiencies, in words."""
    definition, fewest, most = (
        row["efficiency_definition"],
        row["min_reference_processes"],
        row["max_reference_processes"],
    )
    if fewest is None or is_across:
        return str(definition)
    if fewest != most:
        return f"{definition}, on {fewest} to {most} processes"
    return f"{definition}, on {fewest} process{'es' if fewest > 1 else ''}"


def _published(marks: PublishedMarks) -> Row:
    return {
        "comparison": marks.efficiency_definition,
        "application": marks.program,
        "source": marks.source,
        "cell_count": None,
        "reason": None,
        **{name: getattr(marks, name) for name in _VALUES},
    }


def _values(programs: list[Row], name: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[name] is None else row[name] for row in programs], np.float64)


def _ranked(programs: list[Row]) -> list[Row]:
    rows = []
    for criterion, name in zip(CRITERIA, _VALUES, strict=False):
        ranks = rank_ascending(_values(programs, name))
        for position in np.argsort(ranks, kind="stable"):  # those without a mark come last
            row, rank = programs[position], float(ranks[position])
            known = {"rank": None if np.isnan(rank) else rank, "mark": row[name]}
            rows.append(row | known | {"criterion": criterion})
    return rows


def _correlated(comparison: str, programs: list[Row]) -> list[Row]:
    rows = []
    for (one, first), (other, second) in combinations(zip(ORDERS, _VALUES, strict=True), 2):
        found = compare_orders(_values(programs, first), _values(programs, second))
        rows.append(
            {
                "comparison": comparison,
                "criterion": one,
                "other_criterion": other,
                "program_count": found.pair_count,
                "spearman": found.rho,
                "reason": _why_no_correlation(found.pair_count) if found.rho is None else None,
            }
        )
    return rows


def _why_no_correlation(count: int) -> str:
    if count < FEWEST_PAIRS:
        return f"fewer than {FEWEST_PAIRS} programs have both values"
    return "one of the values is the same for all programs"


def _table(table: Any, rows: list[Row]) -> pa.Table:
    names = table.column_names
    return table.conform(pa.table({name: [row[name] for row in rows] for name in names}))


MARK_RANKINGS_STAGE = PythonStage(
    name="mark_rankings", outputs=(MARK_RANKINGS, MARK_RANKING_CORRELATIONS), compute=rank_programs
)
