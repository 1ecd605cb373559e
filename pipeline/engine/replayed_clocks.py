"""The times of a run's records after a replay, as changes of the clocks of its locations.

A replay has new times for the ends of activities. Between them, records in a duration keep their
place, call path by call path with its factor. Records in a wait keep their distance from its begin,
so that the wait gets longer or shorter at its end.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.engine.asking import Answer
from tracemill.kernels.clock_replay import Clocks, Knots
from tracemill.stages.activity_ends import NO_MOMENT, read_ends
from tracemill.stages.activity_rows import Activities
from tracemill.stages.arrays import Flags, Numbers, read_columns, walk_back
from tracemill.stages.forks import Forks, read_forks, with_forks
from tracemill.stages.segments import walk_segments
from tracemill.store.runs import Run
from tracemill.store.walking import StoredRows

NONE = -1
_AT_ONCE, _NEVER = -1, np.iinfo(np.int64).max
_LEAST_DIFFERENCE = 1e-9
# Records of calls: a call is left after the last of them.
_AFTER_LAST_RECORD = """
SELECT visit_id, max(sequence) + 1 AS sequence
FROM (
    SELECT visit_id, sequence FROM mpi_operations
    UNION ALL
    SELECT visit_id, sequence FROM rma_operations
    UNION ALL
    SELECT visit_id, sequence FROM thread_events
    UNION ALL
    SELECT visit_id, sequence FROM lock_operations
)
WHERE visit_id IN (SELECT visit_id FROM wanted_visits)
GROUP BY visit_id
ORDER BY visit_id
"""
_RECORDS = ("mpi_operations", "rma_operations", "thread_events", "lock_operations")


class NewTimes(NamedTuple):
    """Times of a replay by activity (ns): the end of its wait, and its last record.

    `factor` is the change of each row of durations.
    """

    ready: Numbers
    last: Numbers
    factor: NDArray[np.float64]


class _Points(NamedTuple):
    """Moments of activities with their new times; see Knots."""

    activity: Numbers
    old: Numbers
    sequence: Numbers
    new: Numbers


def place_moments(answer: Answer, found: Activities) -> Numbers:
    """The moment that every activity ends with, or NO_MOMENT."""
    table = answer.connection.table
    ends = read_ends(table("replay_calls"), table("replay_records"), found.location_ids)
    moments = np.full(len(found.end), NO_MOMENT)
    moments[: len(ends.boundary)] = ends.boundary
    return moments


def find_clocks(
    run: Run, answer: Answer, found: Activities, moments: Numbers, new: NewTimes, path_count: int
) -> Clocks:
    """The changes of the clocks of all locations whose times change."""
    points = [
        *_points_at_ends(answer, found, moments, new),
        _points_in_durations(run, answer, found, new, path_count),
    ]
    activity, old, sequence, times = (
        np.concatenate(column) for column in zip(*points, strict=True)
    )
    location = found.graph.location[activity]
    order = np.lexsort((activity, sequence, old, location))
    edges = np.searchsorted(location[order], np.arange(1, len(found.location_ids)))
    knots = {
        each: Knots(old[rows], sequence[rows], np.maximum.accumulate(times[rows]))
        for each, rows in zip(found.location_ids.tolist(), np.split(order, edges), strict=True)
    }
    knots |= dict(_before_forks(answer, knots))
    knots |= dict(_after_kernels(run, knots))
    clocks = {
        each: (_without_repeated(own),) for each, own in knots.items() if (own.old != own.new).any()
    }
    return clocks | dict(_clocks_of_metric_locations(run, clocks))


def _before_forks(answer: Answer, knots: Mapping[int, Knots]) -> Iterator[tuple[int, Knots]]:
    """The knots of workers, which have left a team when they are forked again.

    In a replay, nobody waits until a worker has left the barrier at the end of a team.
    """
    worker, master, fork = read_columns(
        answer.connection.table("parallel_visits")
        .filter("location_id <> master_location_id").order("location_id, fork_ns"),
        "location_id::BIGINT", "master_location_id::BIGINT", "fork_ns",
    )  # fmt: skip
    limit = np.empty(len(fork), np.int64)
    for each in np.unique(master).tolist():
        limit[master == each] = _new_times_of(knots[each], fork[master == each])
    for each in np.unique(worker).tolist():
        own, old, last = knots[each], fork[worker == each], limit[worker == each]
        place = np.searchsorted(old, own.old)
        capped = np.minimum(own.new, np.append(last, _NEVER)[place])
        is_late = _new_times_of(own, old) > last
        if is_late.any() or (capped < own.new).any():
            added = Knots(old[is_late], np.full(is_late.sum(), _AT_ONCE), last[is_late])
            both = Knots(*map(np.concatenate, zip(own._replace(new=capped), added, strict=True)))
            order = np.lexsort((both.sequence, both.old))
            yield each, Knots(*(column[order] for column in both))


def _after_kernels(run: Run, knots: Mapping[int, Knots]) -> Iterator[tuple[int, Knots]]:
    """The knots of streams of accelerators, which end when the first thread of their process does.

    In a replay, records after the last kernel of a stream take no time.
    """
    names = ["location_id", "rank", "thread", "kind", "end_ns"]
    rows = run.read("locations", names).to_pylist()
    first = {
        row["rank"]: row["location_id"]
        for row in rows
        if row["thread"] == 0 and row["kind"] in ("cpu_thread", "unknown")
    }
    for row in rows:
        own, master = knots.get(row["location_id"]), knots.get(first.get(row["rank"], NONE))
        if row["kind"] == "gpu" and own and master and own.old[-1] < row["end_ns"]:
            end = np.array([row["end_ns"]])
            new = np.maximum(_new_times_of(master, end), own.new[-1])
            added = Knots(end, np.array([_AT_ONCE]), new)
            yield row["location_id"], Knots(*map(np.concatenate, zip(own, added, strict=True)))


def _new_times_of(knots: Knots, times: Numbers) -> Numbers:
    """The first new time of moments."""
    place = np.minimum(np.searchsorted(knots.old, times), len(knots.old) - 1)
    before = np.maximum(place - 1, 0)
    width = np.maximum(knots.old[place] - knots.old[before], 1)
    rate = (knots.new[place] - knots.new[before]) / width
    since = np.floor((times - knots.old[before]) * rate + 0.5).astype(np.int64)
    return np.where(knots.old[place] == times, knots.new[place], knots.new[before] + since)


def _without_repeated(knots: Knots) -> Knots:
    """The knots without repeated ones."""
    is_repeated = (np.diff(knots.old, prepend=NO_MOMENT) == 0) & (
        np.diff(knots.new, prepend=NO_MOMENT) == 0
    )
    return Knots(*(np.ascontiguousarray(column[~is_repeated]) for column in knots))


def _clocks_of_metric_locations(
    run: Run, clocks: Clocks
) -> Iterator[tuple[int, tuple[Knots, ...]]]:
    """Clocks of locations that only have metrics: those of the first thread of their process."""
    names = ["location_id", "location_group_id", "kind"]
    found = run.read("locations", names).sort_by("location_id")
    rows = list(zip(*(found[name].to_pylist() for name in names), strict=True))
    first = {group: location for location, group, kind in reversed(rows) if kind != "metric"}
    for location, group, kind in rows:
        if kind == "metric" and first.get(group) in clocks:
            yield location, clocks[first[group]]


def _points_at_ends(
    answer: Answer, found: Activities, moments: Numbers, new: NewTimes
) -> Iterator[_Points]:
    """The begin of the run, and of all activities the end, and two moments of the wait."""
    count, first = int(found.graph.first[-1]), found.graph.first[:-1]
    begin, ready, end = (column[:count] for column in (found.begin, found.ready, found.end))
    number, last = np.arange(count), new.last[:count]
    before = np.concatenate([[found.graph.begin], last[:-1]])
    before[first] = found.graph.begin
    yield _Points(first, begin[first], np.full(len(first), _AT_ONCE), before[first])
    kept = np.minimum(ready - begin - 1, new.ready[:count] - before)
    partly = np.flatnonzero(kept > 0)
    yield _Points(
        partly, (begin + kept)[partly], np.full(len(partly), _AT_ONCE), (before + kept)[partly]
    )
    # Without a recorded wait, the new one begins after all records of its begin.
    waits = np.flatnonzero((ready < end) & ((ready > begin) | (new.ready[:count] > before)))
    yield _Points(
        waits, ready[waits], np.where(ready > begin, _AT_ONCE, _NEVER)[waits], new.ready[waits]
    )
    sequence = np.full(count, _AT_ONCE)
    ties = np.flatnonzero((begin == end) & (last > before))
    sequence[ties] = _sequences(answer, moments[ties])
    is_known = (begin < end) | (last > before)
    yield _Points(number[is_known], end[is_known], sequence[is_known], last[is_known])


def _sequences(answer: Answer, moments: Numbers) -> Numbers:
    """Positions of records that end activities of no recorded time; late if unknown."""
    found = np.full(len(moments), _NEVER)
    if not len(moments):
        return found
    is_record = (moments < 0) & (moments > NO_MOMENT)
    found[is_record] = (-1 - moments[is_record]) & 0xFFFFFFFF
    visits = np.where((moments >= 0) & (moments % 2 == 1), moments // 2, NONE)
    for name in _RECORDS:
        answer.provide(name)
    answer.connection.register("wanted_visits", pa.table({"visit_id": visits}))
    visit, sequence = read_columns(
        answer.connection.sql(_AFTER_LAST_RECORD), "visit_id", "sequence"
    )
    place = np.minimum(np.searchsorted(visit, visits), max(len(visit) - 1, 0))
    if len(visit):
        is_call = visit[place] == visits
        found[is_call] = sequence[place[is_call]]
    return found


def _points_in_durations(
    run: Run, answer: Answer, found: Activities, new: NewTimes, path_count: int
) -> _Points:
    """Enters and leaves inside durations whose call paths have different factors."""
    uneven = np.flatnonzero(_is_uneven(found, new.factor))
    if not len(uneven):
        return _Points(*np.zeros((4, 0), np.int64))
    run.require_visits("a change of parts of the time between two calls needs")
    forks, visits = (
        read_forks(answer.connection.table("parallel_visits")),
        StoredRows(run.files("visits")),
    )
    edges, first = _edges_of(found, uneven, forks, visits)
    owner, start = _owners(found, uneven, edges, first)
    number, path, time = walk_segments(edges, first, found.location_ids, visits, forks, path_count)
    base = first[:-1] + np.arange(len(first) - 1)
    location = np.searchsorted(base, number, side="right") - 1
    # A segment has the number of the edge at its end; none ends after the last edge.
    edge, is_last = number - location, number - base[location] == np.diff(first)[location]
    edge, path, time = (column[~is_last] for column in (edge, path, time))
    weight = _weigh(found, new.factor, owner, edges, edge, path, time, path_count)
    inside = np.flatnonzero((owner != NONE) & (edges < found.end[owner]))
    total = np.cumsum(weight)
    since = np.floor(total[inside] - total[start[inside]] + 0.5).astype(np.int64)
    activity = owner[inside]
    times = np.minimum(new.ready[activity] + since, new.last[activity])
    return _Points(activity, edges[inside], np.full(len(inside), _AT_ONCE), times)


def _is_uneven(found: Activities, factor: NDArray[np.float64]) -> Flags:
    """Activities whose rows have different factors."""
    uneven = np.zeros(len(found.end), np.bool_)
    has_rows = np.flatnonzero(np.diff(found.first_row) > 0)
    if len(has_rows):
        starts = found.first_row[has_rows]
        least, most = np.minimum.reduceat(factor, starts), np.maximum.reduceat(factor, starts)
        uneven[has_rows] = most - least > _LEAST_DIFFERENCE
    return uneven


def _edges_of(
    found: Activities, uneven: Numbers, forks: Forks, visits: StoredRows
) -> tuple[Numbers, Numbers]:
    """Times of enters and leaves in the durations of activities, with the first of each location.

    The begin and end of the durations are among them.
    """
    count = len(found.location_ids)
    times: list[list[Numbers]] = [[np.zeros(0, np.int64)] for _ in range(count)]
    own = [uneven[found.graph.location[uneven] == number] for number in range(count)]
    for location, (visit, enter, leave) in walk_back(visits, "visit_id", "enter_ns", "leave_ns"):
        number = int(np.searchsorted(found.location_ids, location))
        if number < count and found.location_ids[number] == location and len(own[number]):
            ready, end = found.ready[own[number]], found.end[own[number]]
            moments = np.concatenate(with_forks(visit, enter, leave, forks))
            place = np.maximum(np.searchsorted(ready, moments, side="right") - 1, 0)
            times[number].append(moments[(ready[place] < moments) & (moments < end[place])])
    for number in range(count):
        times[number] += [found.ready[own[number]], found.end[own[number]]]
    edges = [np.unique(np.concatenate(each)) for each in times]
    return np.concatenate(edges), np.cumsum([0, *map(len, edges)])


def _owners(
    found: Activities, uneven: Numbers, edges: Numbers, first: Numbers
) -> tuple[Numbers, Numbers]:
    """The activity in whose duration the time before each edge lies, or none; and its first edge.

    The first edge is the one at which the duration begins.
    """
    owner, start = np.full((2, len(edges)), NONE)
    for number in range(len(first) - 1):
        own = uneven[found.graph.location[uneven] == number]
        if len(own):
            part = slice(first[number], first[number + 1])
            place = np.searchsorted(found.ready[own], edges[part]) - 1
            is_inside = (place >= 0) & (edges[part] <= found.end[own[place]])
            begin = first[number] + np.searchsorted(edges[part], found.ready[own[place]])
            owner[part], start[part] = np.where(is_inside, (own[place], begin), NONE)
    return owner, start


def _weigh(
    found: Activities, factor: NDArray[np.float64], owner: Numbers, edges: Numbers,
    edge: Numbers, path: Numbers, time: Numbers, path_count: int,
) -> NDArray[np.float64]:  # fmt: skip
    """New time before each edge in the duration of its owner."""
    keys = found.row_activity * (path_count + 1) + found.row_path

    def factor_of(at: Numbers, paths: Numbers | int) -> NDArray[np.float64]:
        wanted = owner[at] * (path_count + 1) + paths
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        chosen: NDArray[np.float64] = np.where(keys[place] == wanted, factor[place], 1.0)
        return chosen

    is_owned = owner[edge] != NONE
    edge, path, time = edge[is_owned], path[is_owned], time[is_owned]
    outside = np.diff(edges, prepend=edges[:1]) - np.bincount(edge, time, len(edges))
    owned = np.flatnonzero(owner != NONE)
    weight: NDArray[Any] = np.bincount(
        np.concatenate([edge, owned]),
        np.concatenate(
            [time * factor_of(edge, path), outside[owned] * factor_of(owned, path_count)]
        ),
        len(edges),
    )
    return weight
