"""Time of all locations by overhead class, and of CPU threads by region, between any edges."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.schemas.overheads import ACTIVITIES, TAXONOMY, overhead_id
from tracemill.stages.arrays import Numbers, Relation, place, read_columns, walk_back

if TYPE_CHECKING:
    from tracemill.kernels.interval_times import IntervalTimes
    from tracemill.store.walking import StoredRows

Rows = NDArray[np.int32]
_CLASSES = len(TAXONOMY)
_OUTSIDE, _IDLE = overhead_id("outside visits"), overhead_id("idle threads")
ACTIVITY_OF = np.array([ACTIVITIES.index(each.activity) for each in TAXONOMY])
"""The place of each class's activity."""
_MOST_CELLS = 1 << 22
"""Regions times intervals whose times are kept apart."""


class Layout:
    """Rows of times: regions of CPU threads, then classes.

    Classes have rows for what CPU threads do outside the regions, for CPU threads that are not
    there, and for other locations. The last row takes what nobody gains or loses.
    """

    def __init__(self, visited: Numbers, classes: Numbers) -> None:
        """`visited` regions have rows; `classes` are those of all regions."""
        self.region_count = len(visited)
        self.threads = self.region_count
        self.absent = self.threads + _CLASSES
        self.others = self.absent + 1
        self.nothing = self.others + _CLASSES
        self.class_of = np.concatenate(
            [classes[visited], np.arange(_CLASSES), [_OUTSIDE], np.arange(_CLASSES), [-1]]
        )
        self.of_class = {
            is_thread: np.append(first + np.arange(_CLASSES), self.nothing).astype(np.int32)
            for is_thread, first in ((True, self.threads), (False, self.others))
        }
        """Rows of classes; -1 is none."""
        self.of_region = {
            is_thread: np.append(rows[classes], rows[-1])
            for is_thread, rows in self.of_class.items()
        }
        """Rows of regions; -1 is none."""
        self.of_region[True][visited] = np.arange(len(visited))


def _choose_regions(
    call_paths: Relation, call_tree: Relation, region: Numbers, edge_count: int
) -> Numbers:
    """The regions whose times are kept: all, or of very many those with most exclusive time."""
    visited = np.flatnonzero(np.bincount(region))
    if len(visited) * edge_count <= _MOST_CELLS:
        return visited
    joined = call_tree.set_alias("call_tree").join(call_paths.set_alias("paths"), "call_path_id")
    times = joined.aggregate("region_id::BIGINT AS region, sum(exclusive_ns) AS time", "region_id")
    longest = times.order("time DESC, region").limit(_MOST_CELLS // edge_count)
    return read_columns(longest, "region")[0]


@dataclass(frozen=True)
class ClassTimes:
    """Time (ns) by interval between edges and by row."""

    edges: Numbers
    layout: Layout
    thread_count: int
    _times: Numbers

    def by_class(self, edges: Numbers) -> Numbers:
        """Time of all locations by class and interval between some of the edges."""
        return self._grouped(self.layout.class_of, _CLASSES, edges)

    def by_activity(self, edges: Numbers) -> Numbers:
        """Time of CPU threads by activity and interval; waiting counts for the call."""
        activity = np.where(self.layout.class_of < 0, -1, ACTIVITY_OF[self.layout.class_of])
        activity[self.layout.absent] = ACTIVITIES.index("idle")
        activity[self.layout.others :] = -1
        return self._grouped(activity, len(ACTIVITIES), edges)

    def by_region(self, edges: Numbers) -> Numbers:
        """Exclusive time of CPU threads by region and interval.

        A task takes its time from the region in which it runs.
        """
        return self._between(self._times[:, : self.layout.region_count], edges).T

    def _grouped(self, group: Numbers, count: int, edges: Numbers) -> Numbers:
        sums = [self._times[:, group == number].sum(axis=1) for number in range(count)]
        return self._between(np.stack(sums, axis=1), edges).T

    def _between(self, times: Numbers, edges: Numbers) -> Numbers:
        until = np.concatenate([np.zeros((1, times.shape[1]), np.int64), times.cumsum(axis=0)])
        return np.diff(until[np.searchsorted(self.edges, edges)], axis=0)


class Inputs(NamedTuple):
    """The tables that times are summed up from."""

    visits: "StoredRows"
    call_paths: Relation
    call_tree: Relation
    region_classes: Relation
    class_changes: Relation
    location_bases: Relation
    locations: Relation
    task_fragments: Relation


def sum_up(edges: Numbers, inputs: Inputs) -> ClassTimes:
    """Sum up the times between edges in one pass over all visits.

    Memory is bounded by the number of edges times that of regions.
    """
    from tracemill.kernels.interval_times import IntervalTimes

    path, region, caller = read_columns(
        inputs.call_paths,
        "call_path_id::BIGINT",
        "region_id::BIGINT",
        "coalesce(caller_region_id, -1)::BIGINT",
    )
    classes = place(
        *read_columns(inputs.region_classes, "region_id::BIGINT", "overhead_id::BIGINT")
    )
    kept = _choose_regions(inputs.call_paths, inputs.call_tree, region, len(edges))
    layout, bases = Layout(kept, classes), _Bases(inputs)
    times = IntervalTimes(edges, layout.nothing + 1)
    callers = np.stack([place(path, region), place(path, caller)], axis=1)
    _add_visits(times, layout, bases, callers, inputs.visits)
    _add_changes(times, layout, bases, inputs.class_changes)
    _add_tasks(times, layout, callers, inputs.task_fragments)
    return ClassTimes(edges, layout, bases.thread_count, times.times())


class _Bases:
    """The class of each location outside of visits, and which locations are CPU threads."""

    def __init__(self, inputs: Inputs) -> None:
        location, base = read_columns(
            inputs.location_bases, "location_id::BIGINT", "overhead_id::BIGINT"
        )
        self.overhead = place(location, base)
        threads = inputs.locations.filter("kind IN ('cpu_thread', 'unknown')")
        (chosen,) = read_columns(threads, "location_id::BIGINT")
        self.is_thread = np.zeros(len(self.overhead), np.bool_)
        self.is_thread[chosen[np.isin(chosen, location)]] = True
        self.thread_count = int(self.is_thread.sum())


def _add_visits(
    times: "IntervalTimes", layout: Layout, bases: _Bases, callers: Numbers, visits: "StoredRows"
) -> None:
    rows: dict[bool, Rows] = {}
    columns = ("parent_visit_id", "call_path_id", "enter_ns", "leave_ns")
    for location, (parent, path, enter, leave) in walk_back(visits, *columns):
        is_thread = bool(bases.is_thread[location])
        if is_thread not in rows:
            rows[is_thread] = layout.of_region[is_thread][callers]
        times.add(path, rows[is_thread], enter, leave)
        # Visits without a calling visit on the location take no time from a caller.
        roots = np.flatnonzero(np.isnan(parent))
        if len(roots):
            outside = layout.of_class[is_thread][bases.overhead[location]]
            changes = np.stack(
                [rows[is_thread][path[roots], 1], np.full(len(roots), outside)], axis=1
            )
            times.add(np.arange(len(roots), dtype=np.int32), changes, enter[roots], leave[roots])


def _add_changes(
    times: "IntervalTimes", layout: Layout, bases: _Bases, class_changes: Relation
) -> None:
    """Add what visits do not show: time outside of them, forks and joins, and paused visits."""
    location, gained, lost, begin, end, count = read_columns(
        class_changes,
        "location_id::BIGINT",
        "overhead_id::BIGINT",
        "coalesce(caller_overhead_id, -1)::BIGINT",
        "begin_ns",
        "end_ns",
        "change_count::BIGINT",
    )
    is_thread = bases.is_thread[location]
    classes = np.stack([gained, lost], axis=1)
    rows = np.where(
        is_thread[:, np.newaxis], layout.of_class[True][classes], layout.of_class[False][classes]
    )
    is_absent = is_thread & (lost < 0) & (gained == _OUTSIDE) & (bases.overhead[location] == _IDLE)
    rows[is_absent, 0] = layout.absent
    change = np.repeat(np.arange(len(count), dtype=np.int32), count)
    times.add(change, rows, begin[change], end[change])


def _add_tasks(
    times: "IntervalTimes", layout: Layout, callers: Numbers, task_fragments: Relation
) -> None:
    """Take the time of tasks from the regions in which they run, but not from their classes."""
    path, begin, end = read_columns(task_fragments, "call_path_id::BIGINT", "begin_ns", "end_ns")
    lost = layout.of_region[True][callers[:, 1]]
    rows = np.stack([layout.of_class[True][layout.class_of[lost]], lost], axis=1)
    times.add(path.astype(np.int32), rows, begin, end)
