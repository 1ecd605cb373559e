"""Running an activity graph again: in order, with other durations, forward and backward.

Activities are numbered by location, then in order; an activity begins where the one before it ends.
Meetings, which belong to no location and take no time, have the numbers after all activities.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, step

NONE = -1
_LAST = np.iinfo(np.int64).max
_FIRST = np.iinfo(np.int64).min
Numbers = NDArray[np.int64]


class Graph(NamedTuple):
    """Activities and meetings with their dependencies.

    `first` is the first activity of each location, and the number of activities at the end. The
    causes of activity a are `cause[first_cause[a]:first_cause[a + 1]]`. `location` of a meeting is
    none. `order` has every activity after those that it depends on.
    """

    begin: int
    first: Numbers
    location: NDArray[np.int32]
    first_cause: Numbers
    cause: Numbers
    order: Numbers


class Replay(NamedTuple):
    """Times of a replay by activity; `ready` is the end of all waiting.

    `decisive` is the cause that ended last, or none; of several the one of the lowest location.
    """

    ready: Numbers
    end: Numbers
    decisive: Numbers


class Parts(NamedTuple):
    """Parts of durations: those of activity a are `first[a]:first[a + 1]`."""

    first: Numbers
    path: NDArray[np.int32]
    is_computation: NDArray[np.bool_]
    time: Numbers


class Lanes(NamedTuple):
    """The changes that take a part away, or none, by its call path and by its location.

    The second index says whether the part is computation.
    """

    lane_count: int
    of_path: NDArray[np.int16]
    of_location: NDArray[np.int16]


class CircularGraphError(Exception):
    """Activities wait for each other."""


def order_graph(
    begin: int, first: Numbers, location: NDArray[np.int32], first_cause: Numbers, cause: Numbers
) -> Graph:
    """The graph in an order in which it can be run; raises CircularGraphError."""
    count, locations = len(location), len(first) - 1
    order, progress = np.empty(count, np.int64), first_cause[:-1].copy()
    waiting = np.full(count, NONE, np.int32)
    place = np.empty((3, max(locations, 1)), np.int64)
    is_done = np.zeros(count, np.bool_)
    done = _order(first, first_cause, cause, progress, waiting, place, is_done, order)
    if done < count or not is_done.all():
        raise CircularGraphError
    return Graph(begin, first, location, first_cause, cause, order[:done])


def replay(graph: Graph, duration: Numbers, fixed: Numbers | None = None) -> Replay:
    """Run the graph with these durations. Activities with a `fixed` end other than -1 have it."""
    count = len(graph.location)
    ready, end, decisive = (np.full(count, graph.begin, np.int64) for _ in range(3))
    via = np.zeros(count, np.int32)
    _replay(
        graph.begin, graph.first, graph.location, graph.first_cause, graph.cause, graph.order,
        duration, np.zeros(0, np.int64) if fixed is None else fixed, ready, end, decisive, via,
    )  # fmt: skip
    return Replay(ready, end, decisive)


def find_slack(graph: Graph, times: Replay, duration: Numbers) -> tuple[Numbers, Numbers]:
    """Total and free slack of every activity."""
    activities = graph.first[-1]
    run_end = int(times.end[:activities].max(initial=graph.begin))
    latest, following = (np.full(len(graph.location), run_end, np.int64) for _ in range(2))
    _go_back(
        graph.first, graph.location, graph.first_cause, graph.cause, graph.order, duration,
        times.ready, latest, following,
    )  # fmt: skip
    return latest - times.end, following - times.end


def follow_back(graph: Graph, times: Replay, start: int) -> Numbers:
    """The activities that determine the end of one, from the first of the run to that one."""
    path = np.empty(graph.first[-1], np.int64)
    length = _follow(
        graph.first, graph.location, times.ready, times.end, times.decisive, start, path
    )
    return path[:length][::-1]


def last_activity(graph: Graph, times: Replay) -> int:
    """The activity that ends last; of several, the one of the lowest location."""
    lasts = graph.first[1:] - 1
    return int(lasts[np.argmax(times.end[lasts])])


def run_without(graph: Graph, duration: Numbers, parts: Parts, lanes: Lanes) -> Numbers:
    """End of the run for many changes at once: each takes away the time of parts in its lane."""
    slot, slot_count = _slots(graph)
    ends = np.full((len(graph.first), lanes.lane_count), graph.begin, np.int64)
    slots = np.full((slot_count, lanes.lane_count), graph.begin, np.int64)
    _run_lanes(
        graph.location, graph.first_cause, graph.cause, graph.order, duration, slot, parts,
        lanes.of_path, lanes.of_location, ends, slots,
    )  # fmt: skip
    return ends[:-1].max(axis=0, initial=graph.begin)


def _slots(graph: Graph) -> tuple[NDArray[np.int32], int]:
    """A place for the end of every cause until it was used last."""
    count = len(graph.location)
    last_use, slot = np.full(count, NONE, np.int64), np.full(count, NONE, np.int32)
    free = np.empty(count, np.int32)
    used = _place_slots(graph.first_cause, graph.cause, graph.order, last_use, slot, free)
    return slot, used


@step
def _next_undone(first_cause: Any, cause: Any, progress: Any, is_done: Any, activity: Any) -> Any:
    """The first cause of an activity that is not done, or none."""
    while progress[activity] < first_cause[activity + 1]:
        candidate = cause[progress[activity]]
        if not is_done[candidate]:
            return candidate
        progress[activity] += 1
    return NONE


@kernel
def _order(
    first: Any, first_cause: Any, cause: Any, progress: Any, waiting: Any, place: Any,
    is_done: Any, order: Any,
) -> Any:  # fmt: skip
    """Go along every location until it has to wait; go on there when what it waits for is done.

    `waiting` is the first location that waits for an activity; `place` has for each location its
    next activity, the next location that waits for the same one, and those that can go on.
    """
    locations, done = len(first) - 1, 0
    activities = first[locations]
    for location in range(locations):
        place[0, location] = first[location]
        place[2, location] = locations - 1 - location
    depth = locations
    while depth > 0:
        depth -= 1
        location = place[2, depth]
        activity = place[0, location]
        while activity < first[location + 1]:
            undone = _next_undone(first_cause, cause, progress, is_done, activity)
            while undone >= activities:
                inner = _next_undone(first_cause, cause, progress, is_done, undone)
                if inner == NONE:
                    is_done[undone] = True
                    order[done] = undone
                    done += 1
                    inner = _next_undone(first_cause, cause, progress, is_done, activity)
                undone = inner
            if undone != NONE:
                place[1, location] = waiting[undone]
                waiting[undone] = location
                break
            is_done[activity] = True
            order[done] = activity
            done += 1
            woken = waiting[activity]
            while woken != NONE:
                place[2, depth] = woken
                depth += 1
                woken = place[1, woken]
            activity += 1
        place[0, location] = activity
    # Meetings that nobody waits for.
    for meeting in range(activities, len(is_done)):
        if _next_undone(first_cause, cause, progress, is_done, meeting) == NONE:
            if not is_done[meeting]:
                order[done] = meeting
                done += 1
            is_done[meeting] = True
    return done


@kernel
def _replay(
    begin: Any, first: Any, location: Any, first_cause: Any, cause: Any, order: Any, duration: Any,
    fixed: Any, ready: Any, end: Any, decisive: Any, via: Any,
) -> None:  # fmt: skip
    """Fill ready, end and decisive; `via` is the location that a meeting waited for."""
    for at in range(len(order)):
        activity = order[at]
        place = location[activity]
        latest, best, best_location = _FIRST, NONE, NONE
        for row in range(first_cause[activity], first_cause[activity + 1]):
            candidate = cause[row]
            time = end[candidate]
            if time >= latest:
                origin = location[candidate]
                if origin == NONE:
                    origin = via[candidate]
                if time > latest or origin < best_location:
                    latest, best, best_location = time, candidate, origin
        decisive[activity] = best
        if place == NONE:
            ready[activity] = latest
            end[activity] = latest
            via[activity] = best_location
            continue
        before = begin if activity == first[place] else end[activity - 1]
        ready[activity] = max(before, latest)
        end[activity] = ready[activity] + duration[activity]
        if len(fixed) > 0 and fixed[activity] != NONE:
            end[activity] = fixed[activity]


@kernel
def _go_back(
    first: Any, location: Any, first_cause: Any, cause: Any, order: Any, duration: Any, ready: Any,
    latest: Any, following: Any,
) -> None:  # fmt: skip
    """Latest end of every activity, and the first time that a follower is ready."""
    for at in range(len(order) - 1, -1, -1):
        activity = order[at]
        place = location[activity]
        start, time = latest[activity], following[activity]
        if place != NONE:
            start -= duration[activity]
            time = ready[activity]
            if activity > first[place]:
                latest[activity - 1] = min(latest[activity - 1], start)
                following[activity - 1] = min(following[activity - 1], time)
        for row in range(first_cause[activity], first_cause[activity + 1]):
            earlier = cause[row]
            latest[earlier] = min(latest[earlier], start)
            following[earlier] = min(following[earlier], time)


@kernel
def _follow(
    first: Any, location: Any, ready: Any, end: Any, decisive: Any, start: Any, path: Any
) -> Any:
    """Write the activities of the path, the last one first; returns their number."""
    activity, length = start, 0
    while activity != NONE:
        path[length] = activity
        length += 1
        is_first = activity == first[location[activity]]
        if decisive[activity] != NONE and (is_first or ready[activity] > end[activity - 1]):
            activity = decisive[activity]
            while location[activity] == NONE:
                activity = decisive[activity]
        elif is_first:
            activity = NONE
        else:
            activity -= 1
    return length


@kernel
def _place_slots(
    first_cause: Any, cause: Any, order: Any, last_use: Any, slot: Any, free: Any
) -> Any:
    """Give each cause a place from its end until its last use; returns the number of places."""
    for at in range(len(order)):
        activity = order[at]
        for row in range(first_cause[activity], first_cause[activity + 1]):
            last_use[cause[row]] = at
    used, free_count = 0, 0
    for at in range(len(order)):
        activity = order[at]
        for row in range(first_cause[activity], first_cause[activity + 1]):
            earlier = cause[row]
            if last_use[earlier] == at:
                last_use[earlier] = NONE
                free[free_count] = slot[earlier]
                free_count += 1
        if last_use[activity] != NONE:
            if free_count > 0:
                free_count -= 1
                slot[activity] = free[free_count]
            else:
                slot[activity] = used
                used += 1
    return used


@kernel
def _run_lanes(
    location: Any, first_cause: Any, cause: Any, order: Any, duration: Any, slot: Any, parts: Any,
    of_path: Any, of_location: Any, ends: Any, slots: Any,
) -> None:  # fmt: skip
    """Run all changes side by side.

    `ends` has the current end of each location and change; its last row is for meetings.
    """
    count = ends.shape[1]
    for at in range(len(order)):
        activity = order[at]
        place = location[activity]
        if place == NONE:
            place = len(ends) - 1
            for lane in range(count):
                ends[place, lane] = _FIRST
        for row in range(first_cause[activity], first_cause[activity + 1]):
            earlier = slot[cause[row]]
            for lane in range(count):
                ends[place, lane] = max(ends[place, lane], slots[earlier, lane])
        if location[activity] != NONE:
            for lane in range(count):
                ends[place, lane] += duration[activity]
            for row in range(parts.first[activity], parts.first[activity + 1]):
                path, kind = parts.path[row], int(parts.is_computation[row])
                for column in range(of_path.shape[2]):
                    if of_path[path, kind, column] != NONE:
                        ends[place, of_path[path, kind, column]] -= parts.time[row]
                if of_location[place, kind] != NONE:
                    ends[place, of_location[place, kind]] -= parts.time[row]
        if slot[activity] != NONE:
            for lane in range(count):
                slots[slot[activity], lane] = ends[place, lane]


def follow_on(graph: Graph, latest: Numbers, duration: Numbers, start: int) -> Numbers:
    """The activities after one on the longest path onward.

    Of several followers, the one on the same location comes first, then the lowest number.
    """
    order = np.argsort(graph.cause, kind="stable")
    first = np.searchsorted(graph.cause[order], np.arange(len(latest) + 1)).astype(np.int64)
    owner = np.repeat(np.arange(len(latest)), np.diff(graph.first_cause))[order]
    path = np.empty(graph.first[-1], np.int64)
    length = _follow_on(graph.first, graph.location, first, owner, latest, duration, start, path)
    return path[:length]


@kernel
def _follow_on(
    first: Any, location: Any, first_owner: Any, owner: Any, latest: Any, duration: Any,
    start: Any, path: Any,
) -> Any:  # fmt: skip
    """Write the activities that follow; returns their number."""
    current, place, length = start, location[start], 0
    while current != NONE:
        best, begin, is_here = NONE, _LAST, False
        if location[current] != NONE and current + 1 < first[place + 1]:
            best, is_here = current + 1, True
            begin = latest[best] - duration[best]
        for row in range(first_owner[current], first_owner[current + 1]):
            candidate = owner[row]
            time = latest[candidate] - duration[candidate]
            same = location[candidate] == place
            if time < begin or (time == begin and same and not is_here):
                best, begin, is_here = candidate, time, same
        current = best
        if current != NONE and location[current] != NONE:
            place = location[current]
            path[length] = current
            length += 1
    return length
