"""The intervals over which both sides of a wait are compared: since they last met."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, piece, step

KINDS = 8
"""Kinds of waits that costs are kept apart for; the last is idle threads."""
IDLE = KINDS - 1
NONE = -1

Numbers = NDArray[np.int64]
Places = NDArray[np.int32]


class Points(NamedTuple):
    """Synchronization points by location, then in order of time.

    `kind`: index of the kind of wait. `cause`: point that was waited for, or NONE. `correction`:
    the time of the call after the wait, less all its time. `since`: the point where the interval of
    a wait on threads starts, or NONE. `threads`: idle threads before a fork.
    """

    location: Places
    path: Places
    kind: NDArray[np.int8]
    wait: Numbers
    cause: Places
    correction: Numbers
    since: Places
    threads: Places
    is_team: NDArray[np.bool_]
    is_message: NDArray[np.bool_]


class Meetings(NamedTuple):
    """The points that name another location.

    `pair` is (location * others + other) * points + point. Others are the locations, then the
    groups, all of whose members a point names. `groups` lists
    the groups of each location from `first_group` on; `member` = group * locations + location.
    """

    pair: Numbers
    first_group: Numbers
    groups: Numbers
    member: Numbers
    location_count: int
    other_count: int


class Intervals(NamedTuple):
    """Of every wait the points where the intervals begin, or NONE.

    `mine`: on the location that waited. `theirs`: on the one that was waited for. `heirs`: waits
    after this point inherit costs; the same as `theirs`, but for comparisons with Scalasca.
    """

    mine: Places
    theirs: Places
    heirs: Places


@piece
def position(values: Any, value: Any, begin: Any, end: Any) -> Any:
    """The first position from `begin` with at least that value."""
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@step
def _last_pair(location: Any, other: Any, before: Any, count: Any, meetings: Any) -> Any:
    key = (location * meetings.other_count + other) * count
    row = position(meetings.pair, key + before, 0, len(meetings.pair)) - 1
    if row >= 0 and meetings.pair[row] >= key:
        return meetings.pair[row] - key
    return NONE


@step
def _last_meeting(location: Any, other: Any, before: Any, count: Any, meetings: Any) -> Any:
    """The last point of a location before another that names the other location, or NONE."""
    last = _last_pair(location, other, before, count, meetings)
    for place in range(meetings.first_group[location], meetings.first_group[location + 1]):
        group = meetings.groups[place]
        member = group * meetings.location_count + other
        row = position(meetings.member, member, 0, len(meetings.member))
        if row < len(meetings.member) and meetings.member[row] == member:
            named = meetings.location_count + group
            last = max(last, _last_pair(location, named, before, count, meetings))
    return last


@kernel
def _find_intervals(items: Any, points: Any, meetings: Any, mine: Any, theirs: Any) -> None:
    """Go back from both sides of every wait to the last point that names the other side."""
    count = len(points.kind)
    for point in items:
        cause = points.cause[point]
        if points.kind[point] == IDLE or points.is_team[point]:
            mine[point] = points.since[point]
            theirs[point] = points.since[max(cause, 0)]
        else:
            location, other = points.location[point], points.location[cause]
            mine[point] = _last_meeting(location, other, point, count, meetings)
            theirs[point] = _last_meeting(other, location, cause, count, meetings)


def find_intervals(
    items: Numbers, points: Points, meetings: Meetings, *, is_like_scalasca: bool
) -> Intervals:
    """The intervals of all waits of `items`, which are points."""
    mine, theirs = np.full((2, len(points.kind)), NONE, np.int32)
    _find_intervals(items, points, meetings, mine, theirs)
    heirs = _late_heirs(items, points, theirs) if is_like_scalasca else theirs
    return Intervals(mine, theirs, heirs)


def _late_heirs(items: Numbers, points: Points, theirs: Places) -> Places:
    """Let waits inherit from collectives as late as in Scalasca.

    It goes forward through the interval of the location that was waited for, from the earliest
    begin. Where the interval of another waiter begins, it adds the share of the one before.
    """
    heirs = theirs.copy()
    is_collective = (points.cause[items] >= 0) & ~(points.is_message | points.is_team)[items]
    chosen = items[is_collective]
    chosen = chosen[np.lexsort((theirs[chosen], points.cause[chosen]))]
    cause, begin = points.cause[chosen], theirs[chosen]
    starts_cause = np.diff(cause, prepend=-1) != 0
    starts_begin = starts_cause | (np.diff(begin, prepend=NONE) != 0)
    group = np.cumsum(starts_begin) - 1
    first = np.flatnonzero(starts_begin)
    is_last = np.append(cause[first][1:] != cause[first][:-1], True)
    following = np.where(is_last, cause[first], np.append(begin[first][1:], 0)) - 1
    is_earliest = starts_cause[first]
    heirs[chosen] = np.where(is_earliest[group], begin, following[group])
    return heirs
