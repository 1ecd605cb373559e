"""Phases of a run: stretches between large changes of what its threads do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.activities import ACTIVITIES, PHASES, ratio_name
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.phase_boundaries import Boundary, bin_edges, find_boundaries
from tracemill.stages.stage import PythonStage

LEVELS = (0.5, 0.25, 0.1, 0.05)
"""Stored thresholds: each level divides the phases of the one before."""
OF_CALLS = tuple(name for name in ACTIVITIES if name != "blocked")
"""Curves by default. Waiting counts in the activity of the call."""
BLOCKED = "blocked"
_ALIKE = 0.15
"""Phases of a kind differ by at most this share of the time of its first one."""
_PART_ROWS = 1 << 17
_SCHEMA = pa.schema([pa.field(column.name, column.type) for column in PHASES.columns])


@dataclass(frozen=True, kw_only=True)
class Phasing:
    """The way to find phases: number of bins, bins to smooth over, and curves with weights."""

    bin_count: int = 200
    width: int = 5
    thresholds: tuple[float, ...] = LEVELS
    curves: tuple[str, ...] = OF_CALLS
    weights: tuple[float, ...] = (1.0,) * len(OF_CALLS)


def find_phases(
    activities: Relation,
    main_part: Relation,
    visits: Relation,
    call_paths: Relation,
    task_fragments: Relation,
    critical_path_segments: Relation,
) -> pa.Table:
    """The phases of the main part at all stored levels."""
    tables = (activities, main_part, visits, call_paths, task_fragments, critical_path_segments)
    return phases_by(Phasing(), *tables)


def phases_by(
    phasing: Phasing,
    activities: Relation,
    main_part: Relation,
    visits: Relation,
    call_paths: Relation,
    task_fragments: Relation,
    critical_path_segments: Relation,
) -> pa.Table:
    """The phases of the main part, one level per threshold, largest threshold first.

    A main part with fewer nanoseconds than bins has no phases.
    """
    parts = main_part.fetchall()
    if not parts or parts[0][1] - parts[0][0] < phasing.bin_count:
        return PHASES.empty()
    begin_ns, end_ns = parts[0]
    edges = bin_edges(begin_ns, end_ns, phasing.bin_count)
    spent = _times_of_activities(activities, edges, "activity")
    thread_count = max(int(spent[:, -1].sum()) // int(edges[-1] - edges[0]), 1)
    found = _find(phasing, activities, spent, edges, thread_count)
    places = np.array([0, *(each.bin for each in found), phasing.bin_count])
    regions = _times_of_regions(visits, call_paths, task_fragments, edges[places])
    path = _times_of_path(critical_path_segments, edges)
    levels = [
        _Level(level, threshold, _chosen(found, threshold), phasing.bin_count)
        for level, threshold in enumerate(phasing.thresholds)
    ]
    return _as_table(levels, edges, places, spent, regions, path)


def _find(
    phasing: Phasing, activities: Relation, spent: Numbers, edges: Numbers, thread_count: int
) -> list[Boundary]:
    """The boundaries of the lowest threshold."""
    of_calls = _times_of_activities(activities, edges, "call_activity")
    widths = np.diff(edges) * thread_count
    curves = [
        np.diff((spent if name == BLOCKED else of_calls)[ACTIVITIES.index(name)]) / widths
        for name in phasing.curves
    ]
    found = find_boundaries(curves, phasing.weights, width=phasing.width)
    return _chosen(found, min(phasing.thresholds))


def _chosen(found: Sequence[Boundary], threshold: float) -> list[Boundary]:
    return [each for each in found if each.strength >= threshold]


def times_until(
    key: Numbers, begin: Numbers, end: Numbers, edges: Numbers, key_count: int
) -> Numbers:
    """Time of each key from the first edge to every edge, as keys by edges."""
    count = np.zeros((key_count, len(edges)), np.int64)
    moment = np.zeros_like(count)
    for times, sign in ((begin, 1), (end, -1)):
        since = np.clip(times, edges[0], edges[-1]) - edges[0]
        at = np.minimum(np.searchsorted(edges - edges[0], since, "left"), len(edges) - 1)
        np.add.at(count, (key, at), sign)
        np.add.at(moment, (key, at), sign * since)
    opened, sums = count.cumsum(axis=1), moment.cumsum(axis=1)
    return opened * (edges - edges[0]) - sums


def _times_of_activities(activities: Relation, edges: Numbers, column: str) -> Numbers:
    """Time of all threads in each activity until every edge."""
    names = ", ".join(f"'{name}'" for name in ACTIVITIES)
    number = f"list_position([{names}], {column}::VARCHAR) - 1"
    return _sum_parts(
        activities.select(f"({number})::BIGINT AS key, -1::BIGINT AS loser, begin_ns, end_ns"),
        edges,
        len(ACTIVITIES),
    )


def _times_of_regions(
    visits: Relation, call_paths: Relation, task_fragments: Relation, edges: Numbers
) -> Numbers:
    """Exclusive time of all threads in each region until every edge.

    A visit takes its time from the region of its caller, a task from that in which it runs.
    """
    paths = call_paths.select(
        "call_path_id, region_id::BIGINT AS key, coalesce(caller_region_id, -1)::BIGINT AS loser"
    ).set_alias("paths")
    called = visits.set_alias("visits").join(paths, "call_path_id")
    pieces = called.select(
        "key, if(parent_visit_id IS NULL, -1, loser) AS loser, enter_ns, leave_ns"
    )
    run = task_fragments.set_alias("fragments").join(paths, "call_path_id")
    pieces = pieces.union(run.select("-1::BIGINT AS key, loser, begin_ns, end_ns"))
    (count,) = call_paths.aggregate("coalesce(max(region_id) + 1, 0)").fetchall()[0]
    return _sum_parts(pieces, edges, count)


def _sum_parts(pieces: Relation, edges: Numbers, key_count: int) -> Numbers:
    """The sum over all pieces of (key, losing key, begin, end); key -1 is none."""
    total = np.zeros((key_count + 1, len(edges)), np.int64)
    for part in pieces.to_arrow_reader(_PART_ROWS):
        key, loser, begin, end = (column.to_numpy() for column in part.columns)
        total += times_until(key, begin, end, edges, key_count + 1)
        total -= times_until(loser, begin, end, edges, key_count + 1)
    return total[:-1]


def _times_of_path(critical_path_segments: Relation, edges: Numbers) -> Numbers:
    """Length of the critical path until every edge."""
    begin, end = read_columns(critical_path_segments, "begin_ns", "end_ns")
    return times_until(np.zeros(len(begin), np.int64), begin, end, edges, 1)[0]


@dataclass(frozen=True)
class _Level:
    """The boundaries of a threshold."""

    level: int
    threshold: float
    boundaries: Sequence[Boundary]
    bin_count: int

    @property
    def begins(self) -> list[int]:
        return [0, *(each.bin for each in self.boundaries)]

    @property
    def ends(self) -> list[int]:
        return [*self.begins[1:], self.bin_count]

    @property
    def strengths(self) -> list[float | None]:
        return [None, *(each.strength for each in self.boundaries)]


def find_kinds(times: Sequence[NDArray[np.int64]]) -> list[int]:
    """The kind of each phase, from its time by region; kinds are numbered as they first occur."""
    firsts: list[NDArray[np.int64]] = []
    kinds = []
    for time in times:
        alike = [
            kind
            for kind, first in enumerate(firsts)
            if np.abs(time - first).sum() / 2 <= _ALIKE * first.sum()
        ]
        if not alike:
            alike = [len(firsts)]
            firsts.append(time)
        kinds.append(alike[0])
    return kinds


def _as_table(
    levels: Sequence[_Level],
    edges: Numbers,
    places: Numbers,
    spent: Numbers,
    regions: Numbers,
    path: Numbers,
) -> pa.Table:
    """Rows by level, then by time. Regions have times at `places`, all else at every edge."""
    parts: list[pa.Table] = []
    above: list[int] = []
    for each in levels:
        begins, ends = np.array(each.begins), np.array(each.ends)
        count = len(begins)
        time = spent[:, ends] - spent[:, begins]
        of_regions = regions[:, np.searchsorted(places, ends)]
        of_regions = of_regions - regions[:, np.searchsorted(places, begins)]
        parents = np.searchsorted(above, begins, "right") - 1 if above else [None] * count
        ratios = {
            ratio_name(name): time[number] / time.sum(axis=0)
            for number, name in enumerate(ACTIVITIES)
        }
        columns = {
            "level": np.full(count, each.level),
            "phase": np.arange(count),
            "parent_phase": parents,
            "threshold": np.full(count, each.threshold),
            "strength": each.strengths,
            "begin_ns": edges[begins],
            "end_ns": edges[ends],
            "kind": find_kinds(list(of_regions.T)),
            **ratios,
            "wait_ns": time[ACTIVITIES.index(BLOCKED)],
            "path_ns": path[ends] - path[begins],
        }
        parts.append(
            pa.table(
                [
                    pa.array(list(rows), field.type)
                    for rows, field in zip(columns.values(), _SCHEMA, strict=True)
                ],
                schema=_SCHEMA,
            )
        )
        above = each.begins
    return pa.concat_tables(parts)


PHASES_STAGE = PythonStage(name="phases", outputs=(PHASES,), compute=find_phases)
