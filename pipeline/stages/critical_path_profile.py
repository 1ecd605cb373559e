"""Time on the critical path per call path and location.

The path may be on a location several times, and with clocks that contradict each other even twice
at once. Its begins and ends cut the time of the location into stretches; a walk over the visits
sums each stretch by call path. The share within the main part is summed in the same way over what
is left of the segments there, without their waiting, which is at their begin.

A parallel region lasts from the fork to the join. A task interrupts the construct that scheduled it
from the record before its begin: until the begin, the time belongs to the root of tasks. Source:
Scalasca, "critical-path analysis": critical-path profile.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.critical_path import CRITICAL_PATH_PROFILE
from tracemill.stages.arrays import Numbers, Relation, group_by, read_columns
from tracemill.stages.forks import Forks, read_forks
from tracemill.stages.segments import each_location
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows


Rows = tuple[Numbers, Numbers, Numbers]
"""Call path, number of the location, and time on the path: of the run, and of its main part."""


class Stretches(NamedTuple):
    """Times at which the path comes or goes, by location; those of location k begin at `first[k]`.

    `weight` is how often the path is there afterwards, `spent` its time there until then: a row for
    the run, and one for the main part.
    """

    locations: Numbers
    first: Numbers
    edge: Numbers
    weight: Numbers
    spent: Numbers

    def time(self, place: Numbers, begin: Numbers, end: Numbers) -> Numbers:
        """Time of the path on locations, given by number, between two times."""
        return self._until(place, end) - self._until(place, begin)

    def _until(self, place: Numbers, moment: Numbers) -> Numbers:
        span = self.edge.max() - self.edge.min() + 2
        inside = np.clip(moment - self.edge.min() + 1, 0, span - 1)
        of_edge = np.repeat(np.arange(len(self.locations)), np.diff(self.first))
        key = of_edge * span + self.edge - self.edge.min() + 1
        last = np.searchsorted(key, place * span + inside, "right") - 1
        time = self.spent[:, last] + self.weight[:, last] * (moment - self.edge[last])
        return np.where(last >= self.first[place], time, 0)


def profile_critical_path(
    critical_path_segments: Relation,
    parallel_visits: Relation,
    task_calls: Relation,
    call_paths: Relation,
    main_part: Relation,
    visits: "StoredRows",
) -> pa.Table:
    """Time of the path by call path and location, in the run and in its main part."""
    ((path_count,),) = call_paths.aggregate("coalesce(max(call_path_id) + 1, 0)").fetchall()
    limits = "coalesce(max(begin_ns), 0), coalesce(max(end_ns), 0)"
    ((begin, end),) = main_part.aggregate(limits).fetchall()
    location, since, until, wait, caller = read_columns(
        critical_path_segments, "location_id::BIGINT", "begin_ns", "end_ns", "wait_ns",
        "coalesce(call_path_id, -1)::BIGINT",
    )  # fmt: skip
    if not len(location):
        return CRITICAL_PATH_PROFILE.empty()
    locations, place = np.unique(location, return_inverse=True)
    active = np.maximum(since + wait, begin), np.minimum(until, end)
    stretches = _cut(locations, place, (since, until), active)
    has_waited = wait > 0
    rows = [
        *_walk(stretches, visits, read_forks(parallel_visits), path_count),
        (caller[has_waited], place[has_waited], np.stack([-wait, wait * 0])[:, has_waited]),
        *_before_tasks(stretches, task_calls),
    ]
    return _sum(rows, locations)


def _cut(
    locations: Numbers,
    place: Numbers,
    whole: tuple[Numbers, Numbers],
    main: tuple[Numbers, Numbers],
) -> Stretches:
    """Cut the time of every location where a segment, or its part in the main part, ends."""
    is_left = main[0] < main[1]
    parts = [*whole, *(side[is_left] for side in main)]
    places = np.concatenate([place, place, place[is_left], place[is_left]])
    change = np.zeros((2, len(places)), np.int64)
    change[0, : len(place)], change[0, len(place) : 2 * len(place)] = 1, -1
    change[1, 2 * len(place) :] = np.repeat([1, -1], is_left.sum())
    order = np.lexsort((np.concatenate(parts), places))
    places, moments = places[order], np.concatenate(parts)[order]
    is_new = (np.diff(places, prepend=-1) != 0) | (np.diff(moments, prepend=0) != 0)
    starts = np.flatnonzero(is_new)
    # Changes of a location add up to 0, so that each begins at 0.
    weight = np.cumsum(np.add.reduceat(change[:, order], starts, axis=1), axis=1)
    edge, place_of = moments[starts], places[starts]
    first = np.searchsorted(place_of, np.arange(len(locations) + 1))
    spent = np.cumsum(weight[:, :-1] * np.diff(edge), axis=1)
    spent = np.concatenate([np.zeros((2, 1), np.int64), spent], axis=1)
    spent -= spent[:, first[place_of]]
    return Stretches(locations, first, edge, weight, spent)


def _walk(
    stretches: Stretches, visits: "StoredRows", forks: Forks, path_count: int
) -> Iterator[Rows]:
    """Time of visits, without those that they call, where the path is."""
    for number, (segment, path, time) in each_location(
        stretches.edge, stretches.first, stretches.locations, visits, forks, path_count
    ):
        own = slice(*stretches.first[number : number + 2])
        # The path is not on a location before its first edge.
        weight = np.insert(stretches.weight[:, own], 0, 0, axis=1)
        weight = weight[:, segment - (stretches.first[number] + number)]
        rows = np.flatnonzero(weight[0] | weight[1])
        yield path[rows], np.full(len(rows), number), time[rows] * weight[:, rows]


def _before_tasks(stretches: Stretches, task_calls: Relation) -> list[Rows]:
    """Move the time just before a task from the scheduling call path to the root of tasks."""
    location, scheduling, root, since, enter = read_columns(
        task_calls, "location_id::BIGINT", "scheduling_call_path_id::BIGINT",
        "root_call_path_id::BIGINT", "since_ns", "enter_ns",
    )  # fmt: skip
    is_there = np.isin(location, stretches.locations)
    place = np.searchsorted(stretches.locations, location[is_there])
    time = stretches.time(place, since[is_there], enter[is_there])
    return [(root[is_there], place, time), (scheduling[is_there], place, -time)]


def _sum(rows: list[Rows], locations: Numbers) -> pa.Table:
    path, place, time = (np.concatenate(column, axis=-1) for column in zip(*rows, strict=True))
    order, starts = group_by(path, place)
    time = np.add.reduceat(time[:, order], starts, axis=1) if len(starts) else time
    kept = np.flatnonzero(time[0])
    cells = order[starts[kept]]
    return pa.table(
        {
            "call_path_id": path[cells].astype(np.int32),
            "location_id": locations[place[cells]].astype(np.int32),
            "path_ns": time[0, kept],
            "main_path_ns": time[1, kept],
        }
    )


CRITICAL_PATH_PROFILE_STAGE = PythonStage(
    name="critical_path_profile",
    outputs=(CRITICAL_PATH_PROFILE,),
    compute=profile_critical_path,
    walked=("visits",),
    is_bounded=True,
    needed_rows=(("critical_path_segments",),),
)
