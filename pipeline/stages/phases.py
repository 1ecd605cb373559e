"""Phases of a run: stretches between large changes of what its threads do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.overheads import ACTIVITIES
from tracemill.schemas.phases import PHASES, ratio_name
from tracemill.stages.arrays import Numbers, Relation, place, read_columns
from tracemill.stages.class_times import ACTIVITY_OF, ClassTimes
from tracemill.stages.focus_times import FocusTimes
from tracemill.stages.phase_boundaries import Boundary, Curve, find_boundaries

LEVELS = (0.5, 0.25, 0.1, 0.05)
"""Stored thresholds: each level divides the phases of the one before."""
OF_CALLS = tuple(name for name in ACTIVITIES if name != "blocked")
"""Curves by default. Waiting counts in the activity of the call."""
BYTES_SENT = "bytes_sent"
"""A curve on request."""
_BLOCKED = ACTIVITIES.index("blocked")
_ALIKE = 0.15
"""Phases of a kind differ by at most this share of the time of its first one."""


def bin_edges(begin_ns: int, end_ns: int, bin_count: int) -> Numbers:
    """Edges of equal bins in whole nanoseconds."""
    length = end_ns - begin_ns
    return np.array([begin_ns + length * at // bin_count for at in range(bin_count + 1)], np.int64)


@dataclass(frozen=True)
class Phasing:
    """The way to find phases: bins to smooth over, thresholds, and curves with their weights."""

    width: int
    thresholds: tuple[float, ...]
    curves: tuple[str, ...]
    weights: tuple[float, ...]

    @classmethod
    def read(cls, width: int, thresholds: str, curves: str, weights: str) -> "Phasing":
        """The same from lists, separated by commas; without names, the default curves."""
        names = tuple(curves.split(",")) if curves else OF_CALLS
        factors = tuple(map(float, weights.split(","))) if weights else (1.0,) * len(names)
        return cls(width, tuple(map(float, thresholds.split(","))), names, factors)


class Further(NamedTuple):
    """Tables besides the times of classes: waiting, the critical path, and requested curves."""

    wait_states: Relation
    call_paths: Relation
    region_classes: Relation
    locations: Relation
    critical_path_segments: Relation
    further_curves: Relation


def find_phases(phasing: Phasing, spent: ClassTimes, edges: Numbers, further: Further) -> pa.Table:
    """The phases between the first and the last edge, one level per threshold."""
    # Negative only where times of damaged traces contradict each other.
    of_calls = np.maximum(spent.by_activity(edges), 0)
    blocked = _times_of(*_find_blocked(further, edges), edges, len(ACTIVITIES))
    times = np.maximum(of_calls - blocked, 0)
    times[_BLOCKED] = (of_calls - times).sum(axis=0)
    curves = _read_curves(further.further_curves, len(edges) - 1)
    widths = np.diff(edges) * max(spent.thread_count, 1)
    for number, name in enumerate(ACTIVITIES):
        curves[name] = (times if number == _BLOCKED else of_calls)[number] / widths
    found = find_boundaries(
        [curves.get(name, np.zeros(len(widths))) for name in phasing.curves],
        phasing.weights,
        width=phasing.width,
    )
    begin, end = read_columns(further.critical_path_segments, "begin_ns + wait_ns", "end_ns")
    path = _times_of(np.zeros(len(begin), np.int64), begin, end, edges, 1)[0]
    levels = [
        _Level(level, threshold, [each for each in found if each.strength >= threshold])
        for level, threshold in enumerate(phasing.thresholds)
    ]
    return _as_table(levels, edges, _Sums(times, path, spent))


def _find_blocked(further: Further, edges: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Activity of the call, begin and end of stretches in which CPU threads are blocked.

    Waits of calls of one activity may overlap; their common time counts once:

        Recv       [      wait    ]
        Recv            [  wait       ]        blocked from the begin of the first to the end of the
        Barrier                          [ ]   second; the barrier is another activity

    Completion of a call is no waiting.
    """
    path, region = read_columns(further.call_paths, "call_path_id::BIGINT", "region_id::BIGINT")
    overhead = place(
        *read_columns(further.region_classes, "region_id::BIGINT", "overhead_id::BIGINT")
    )
    threads = further.locations.filter("kind IN ('cpu_thread', 'unknown')").select("location_id")
    (thread,) = read_columns(threads, "location_id::BIGINT")
    location, call_path, begin, end = read_columns(
        further.wait_states.filter("NOT is_completion"),
        "location_id::BIGINT",
        "call_path_id::BIGINT",
        "start_ns",
        "start_ns + wait_ns",
    )
    activity = ACTIVITY_OF[overhead[place(path, region)[call_path]]]
    is_of_thread = np.isin(location, thread)
    key = (location * len(ACTIVITIES) + activity)[is_of_thread]
    blocked = FocusTimes.of(
        key, begin[is_of_thread], end[is_of_thread], first=int(edges[0]), last=int(edges[-1])
    )
    return blocked.location % len(ACTIVITIES), blocked.begin, blocked.end


def _read_curves(further_curves: Relation, bin_count: int) -> dict[str, Curve]:
    """The requested curves as shares of their greatest value."""
    curves: dict[str, Curve] = {}
    for name, bin, value in further_curves.fetchall():
        curves.setdefault(name, np.zeros(bin_count))[bin] = value
    return {name: curve / (np.abs(curve).max() or 1.0) for name, curve in curves.items()}


def _times_of(
    key: Numbers, begin: Numbers, end: Numbers, edges: Numbers, key_count: int
) -> Numbers:
    """Time of stretches by key and interval between edges."""
    from tracemill.kernels.interval_times import IntervalTimes

    times = IntervalTimes(edges, key_count + 1)
    rows = np.stack([np.arange(key_count), np.full(key_count, key_count)], axis=1)
    times.add(key.astype(np.int32), rows.astype(np.int32), begin, end)
    return times.times()[:, :-1].T


class _Level(NamedTuple):
    """The boundaries of a threshold."""

    level: int
    threshold: float
    boundaries: Sequence[Boundary]

    @property
    def begins(self) -> list[int]:
        return [0, *(each.bin for each in self.boundaries)]

    @property
    def strengths(self) -> list[float | None]:
        return [None, *(each.strength for each in self.boundaries)]


class _Sums(NamedTuple):
    """Times by activity and bin, of the path by bin, and of classes and regions."""

    times: Numbers
    path: Numbers
    spent: ClassTimes


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


def _as_table(levels: Sequence[_Level], edges: Numbers, sums: _Sums) -> pa.Table:
    """Rows by level, then by time."""
    schema = pa.schema([pa.field(column.name, column.type) for column in PHASES.columns])
    parts: list[pa.Table] = []
    above: list[int] = []
    for each in levels:
        begins = np.array(each.begins)
        ends = np.append(begins[1:], len(edges) - 1)
        count = len(begins)
        time = np.add.reduceat(sums.times, begins, axis=1)
        places = edges[np.append(begins, len(edges) - 1)]
        total = np.maximum(time.sum(axis=0), 1)
        columns = {
            "level": np.full(count, each.level),
            "phase": np.arange(count),
            "parent_phase": np.searchsorted(above, begins, "right") - 1
            if above
            else [None] * count,
            "threshold": np.full(count, each.threshold),
            "strength": each.strengths,
            "begin_ns": edges[begins],
            "end_ns": edges[ends],
            "kind": find_kinds(list(sums.spent.by_region(places).T)),
            **{ratio_name(name): time[number] / total for number, name in enumerate(ACTIVITIES)},
            "wait_ns": time[_BLOCKED],
            "path_ns": np.add.reduceat(sums.path, begins),
        }
        rows = [
            pa.array(list(values), field.type)
            for values, field in zip(columns.values(), schema, strict=True)
        ]
        parts.append(pa.table(rows, schema=schema))
        above = each.begins
    return pa.concat_tables(parts)
