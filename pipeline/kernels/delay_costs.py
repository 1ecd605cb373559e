"""The walk that charges waiting to its causes: call paths that took longer on the awaited side.

For a wait of w ns on location v, caused by location u, both sides are compared since their last
common synchronization. The delay d(c) is the extra time that u spent in call path c, D their sum,
and W the time that u itself waited. Of the wait, d(c) / (D + W) is charged to c on u directly; W
shares the rest among the waits of u, whose causes are charged for it in turn.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.columns import each
from tracemill.kernels.compiled import kernel, step
from tracemill.kernels.delay_intervals import IDLE, KINDS, NONE, Intervals, Places, Points, position

_UNIT = float(1 << 40)  # of shares that waits inherit: integers add up in any order
_ITEM, _ROWS = range(2)

Numbers = NDArray[np.int64]


class Times(NamedTuple):
    """Time without waiting by segment and call path.

    Segment s of location l, which begins at its point s - 1 (the first at the begin), has the rows
    from `first_row[s + l]` on. `path_*` are the same rows by location and call path: those of the
    k-th path of a location, `path_ids[k]`, begin at `path_first[k]`; `path_segment` is the segment,
    `path_sum` the time in it and in all before. `first_path` counts paths by location.
    """

    first_point: Numbers
    first_row: Numbers
    row_path: Places
    row_time: Numbers
    first_path: Numbers
    path_ids: Places
    path_first: Numbers
    path_segment: Places
    path_sum: Numbers
    wait_sum: Numbers


class Inherited(NamedTuple):
    """Shares of later waits, by kind, that the waits of an interval inherit.

    `way` is the column of each kind: kinds that no wait has take no memory. `change` is what going
    back over a point adds; `share` is the sum at `at`, by location.
    """

    way: Numbers
    change: Numbers
    share: Numbers
    at: Numbers


class Scratch(NamedTuple):
    """Time by call path of the two sides, and the paths with any."""

    time: Numbers
    used: Numbers
    used_count: Numbers
    is_used: NDArray[np.bool_]


class Costs(NamedTuple):
    """Charges: kind of the wait, point that waited, charged call path, and ns by way."""

    kind: NDArray[np.int8]
    point: Places
    path: Places
    direct: NDArray[np.float64]
    passed_on: NDArray[np.float64]


class Shares(NamedTuple):
    """Of every wait: its interval on the other side, how much of a wait there it explains."""

    begin: Places
    end: Places
    scale: NDArray[np.float64]
    indirect: NDArray[np.float64]


@step
def _add(side: Any, path: Any, time: Any, scratch: Any) -> None:
    if not scratch.is_used[side, path]:
        scratch.is_used[side, path] = True
        scratch.used[side, scratch.used_count[side]] = path
        scratch.used_count[side] += 1
    scratch.time[side, path] += time


@step
def _sum_rows(side: Any, begin: Any, end: Any, times: Any, scratch: Any) -> None:
    for row in range(times.first_row[begin], times.first_row[end]):
        _add(side, times.row_path[row], times.row_time[row], scratch)


@step
def _sum_paths(side: Any, location: Any, begin: Any, end: Any, times: Any, scratch: Any) -> None:
    for place in range(times.first_path[location], times.first_path[location + 1]):
        first, last = times.path_first[place], times.path_first[place + 1]
        low = position(times.path_segment, begin, first, last)
        high = position(times.path_segment, end, low, last)
        if high > low:
            before = times.path_sum[low - 1] if low > first else 0
            time = times.path_sum[high - 1] - before
            if time != 0:
                _add(side, times.path_ids[place], time, scratch)


@step
def _sum_interval(side: Any, since: Any, until: Any, points: Any, times: Any, scratch: Any) -> None:
    """Time by call path without waiting from one point, or the begin, to another.

    The first call counts only with its completion. Values are at least zero.
    """
    for place in range(scratch.used_count[side]):
        path = scratch.used[side, place]
        scratch.time[side, path], scratch.is_used[side, path] = 0, False
    scratch.used_count[side] = 0
    location = points.location[until]
    begin = (times.first_point[location] if since == NONE else since + 1) + location
    end = until + location + 1
    paths = times.first_path[location + 1] - times.first_path[location]
    if times.first_row[end] - times.first_row[begin] <= 16 * paths:
        _sum_rows(side, begin, end, times, scratch)
    else:
        _sum_paths(side, location, begin, end, times, scratch)
    if since != NONE:
        path = points.path[since]
        _add(side, path, points.wait[since], scratch)
        time = max(scratch.time[side, path], 0)
        scratch.time[side, path] = time + points.correction[since]
    for place in range(scratch.used_count[side]):
        path = scratch.used[side, place]
        scratch.time[side, path] = max(scratch.time[side, path], 0)


@step
def _delays(scratch: Any) -> Any:
    """Turn the times of side 0 into what they exceed those of side 1 by; their sum."""
    total = 0
    for place in range(scratch.used_count[0]):
        path = scratch.used[0, place]
        delay = max(scratch.time[0, path] - scratch.time[1, path], 0)
        scratch.time[0, path] = delay
        total += delay
    return total


@step
def _inherited(point: Any, location: Any, inherited: Any) -> None:
    """Go back to a point: `share` holds the shares of the intervals that contain it."""
    at = inherited.at[location]
    while at > point:
        at -= 1
        for way in range(inherited.change.shape[1]):
            inherited.share[location, way] += inherited.change[at, way]
    inherited.at[location] = at


@step
def _pass_on(
    way: Any, share: Any, since: Any, until: Any, location: Any, inherited: Any, first: Any
) -> None:
    """Let the waits between two points inherit a share."""
    amount = round(share * _UNIT)
    begin = first if since == NONE else since + 1
    if amount == 0 or begin >= until:
        return
    at = inherited.at[location]
    if until - 1 >= at:  # the walk is already inside: only where clocks contradict each other
        if begin > at:
            return
        inherited.share[location, way] += amount
    else:
        inherited.change[until - 1, way] += amount
    if begin > first:
        inherited.change[begin - 1, way] -= amount


@step
def _charge(
    point: Any, way: Any, factor: Any, whole: Any, own: Any, scratch: Any, costs: Any, row: Any
) -> Any:
    """Write the charges of a wait: directly, and for the shares `own` of later waits, by way."""
    for place in range(scratch.used_count[0]):
        path = scratch.used[0, place]
        delay = scratch.time[0, path]
        if delay > 0:
            for other in range(len(own)):
                direct = factor * delay if other == way else 0.0
                passed_on = own[other] / whole * delay
                if direct > 0 or passed_on > 0:
                    costs.kind[row], costs.point[row], costs.path[row] = other, point, path
                    costs.direct[row], costs.passed_on[row] = direct, passed_on
                    row += 1
    return row


@step
def _take_idle(
    point: Any, points: Any, times: Any, inherited: Any, scratch: Any, own: Any, costs: Any,
    row: Any,
) -> Any:  # fmt: skip
    """Charge the time before a fork for the threads that are idle meanwhile."""
    location, since, threads = points.location[point], points.since[point], points.threads[point]
    _sum_interval(0, since, point, points, times, scratch)
    own[:] = 0
    way = inherited.way[IDLE]
    _pass_on(way, threads, since, point, location, inherited, times.first_point[location])
    return _charge(point, way, float(threads), 1.0, own, scratch, costs, row)


@step
def _take_wait(
    point: Any, points: Any, intervals: Any, times: Any, inherited: Any, scratch: Any, own: Any,
    costs: Any, row: Any, shares: Any,
) -> Any:  # fmt: skip
    cause, kind = points.cause[point], inherited.way[points.kind[point]]
    location, other = points.location[point], points.location[cause]
    theirs = intervals.theirs[point]
    _sum_interval(0, theirs, cause, points, times, scratch)
    _sum_interval(1, intervals.mine[point], point, points, times, scratch)
    first = times.first_point[other]
    begin = first if theirs == NONE else theirs + 1
    waited = times.wait_sum[cause] - times.wait_sum[begin] if begin < cause else 0
    whole = float(_delays(scratch) + waited)
    _inherited(point, location, inherited)
    for way in range(len(own)):
        own[way] = inherited.share[location, way] / _UNIT * points.wait[point]
    if whole <= 0:
        return row
    factor = points.wait[point] / whole
    shares.indirect[point] = min(factor, 1.0) * waited
    if points.is_message[point]:
        factor = min(factor, 1.0)
        shares.begin[point], shares.end[point], shares.scale[point] = begin, cause, factor
    for way in range(len(own)):
        share = own[way] / whole
        if way == kind:
            share += factor
        _pass_on(way, share, intervals.heirs[point], cause, other, inherited, first)
    return _charge(point, kind, factor, whole, own, scratch, costs, row)


@kernel
def _take_all(
    items: Any, state: Any, points: Any, intervals: Any, times: Any, inherited: Any, scratch: Any,
    own: Any, costs: Any, shares: Any,
) -> None:  # fmt: skip
    """Take waits, the latest first, until all are taken or costs have no room for another."""
    item, row = state[_ITEM], 0
    room = len(costs.kind) - len(own) * len(scratch.time[0])
    while item < len(items) and row <= room:
        point = items[item]
        if points.kind[point] == IDLE:
            row = _take_idle(point, points, times, inherited, scratch, own, costs, row)
        else:
            row = _take_wait(
                point, points, intervals, times, inherited, scratch, own, costs, row, shares
            )
        item += 1
    state[_ITEM], state[_ROWS] = item, row


@kernel
def _paint(order: Any, shares: Any, points: Any, following: Any, propagating: Any) -> None:
    """Give every wait the largest scale of the intervals that it lies in.

    Intervals come by falling scale; `following` leads to the next point that has none yet.
    """
    for interval in order:
        point = shares.begin[interval]
        while True:
            root = point
            while following[root] != root:
                root = following[root]
            while following[point] != root:
                following[point], point = root, following[point]
            if root >= shares.end[interval]:
                break
            propagating[root] = shares.scale[interval] * points.wait[root]
            following[root] = root + 1
            point = root + 1


class DelayCosts(NamedTuple):
    """Charges by kind, point that waited, and call path; per point, its parts of the wait."""

    costs: Costs
    indirect: NDArray[np.float64]
    propagating: NDArray[np.float64]


def charge_waits(
    items: Numbers, points: Points, intervals: Intervals, times: Times, path_count: int
) -> DelayCosts:
    """The charges of all waits of `items`, which are points, the one that ended last first."""
    count, locations = len(points.kind), len(times.first_point) - 1
    kinds = np.flatnonzero(np.bincount(points.kind[items], minlength=KINDS))
    way = np.zeros(KINDS, np.int64)
    way[kinds] = np.arange(len(kinds))
    inherited = Inherited(
        way, np.zeros((count + 1, len(kinds)), np.int64),
        np.zeros((locations, len(kinds)), np.int64), times.first_point[1:].copy(),
    )  # fmt: skip
    two_sides = (2, path_count)
    scratch = Scratch(
        np.zeros(two_sides, np.int64), np.zeros(two_sides, np.int64), np.zeros(2, np.int64),
        np.zeros(two_sides, np.bool_),
    )  # fmt: skip
    room = len(kinds) * path_count + (1 << 18)
    costs = Costs(
        np.empty(room, np.int8), np.empty(room, np.int32), np.empty(room, np.int32),
        np.empty(room), np.empty(room),
    )  # fmt: skip
    shares = Shares(
        np.zeros(count, np.int32), np.zeros(count, np.int32), np.zeros(count), np.zeros(count)
    )
    state, own, found = np.zeros(2, np.int64), np.zeros(len(kinds)), []
    while state[_ITEM] < len(items):
        _take_all(items, state, points, intervals, times, inherited, scratch, own, costs, shares)
        found.append(_first_rows(costs, int(state[_ROWS])))
    del inherited  # frees the most, before charges are joined
    propagating = np.zeros(count + 1)
    scaled = np.flatnonzero(shares.scale > 0)
    order = scaled[np.argsort(-shares.scale[scaled], kind="stable")]
    _paint(order, shares, points, np.arange(count + 1), propagating)
    parts = [list(each) for each in (_first_rows(costs, 0), *found)]
    found.clear()
    columns: list[Any] = [np.concatenate([part.pop(0) for part in parts]) for _ in costs]
    columns[0] = kinds.astype(np.int8)[columns[0]]
    return DelayCosts(Costs(*columns), shares.indirect, propagating[:count])


def _first_rows(costs: Costs, count: int) -> Costs:
    return each(costs, lambda column: column[:count].copy())
