"""Which call paths compute while other locations do not, and how long the others lose time.

The stretches of each location, in which one visit is innermost, are found from the last to the
first. Then all locations are merged, also from the last to the first, at the moments when one of
them begins or stops to compute. What a stretch is charged is the growth of running sums between its
end and its begin:

    rank 0   [ main ][ solve ][ main ]     one run of stretches that compute
    rank 1   [ main      ][  Barrier ]     a run that computes, and one that loses time
    sums                 ^
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, piece, step

_CURSOR, _DEPTH, _ROWS, _NEXT, _BEGIN, _STATE = range(6)
_NO_STATE = -(1 << 31)
_FIRST_STACK = 256
_MOMENTS = 8192
"""So many moments are merged before stretches are charged: their sums fit into the cache."""
_NOTHING = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64)
for _column in _NOTHING:
    _column.flags.writeable = False


class LocationStretches:
    """Finds the stretches of one location after the other, within a range of time (ns)."""

    def __init__(self, *, begin: int, end: int) -> None:
        self._range = (begin, end)
        self._state = np.zeros(6, np.int64)
        self._open_state = np.zeros(_FIRST_STACK, np.int32)
        self._open_enter = np.zeros(_FIRST_STACK, np.int64)

    def begin(self, base: int) -> None:
        """Begin a location, whose state outside of visits is `base`."""
        self._state[:] = 0
        self._state[_CURSOR] = self._range[1]
        self._state[_BEGIN] = self._range[0]
        self._state[_STATE] = _NO_STATE
        self._open_state[0], self._open_enter[0] = base, -(1 << 62)
        self._state[_DEPTH] = 1

    def walk(
        self, state: NDArray[np.int32], enter: NDArray[np.int64], leave: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Take visits that end before those taken so far, in the order of their ends.

        Returns the begins and states of stretches, the last one first.
        """
        room = 2 * len(state) + int(self._state[_DEPTH]) + 1
        found = np.empty(room, np.int64), np.empty(room, np.int32)
        self._state[_ROWS], self._state[_NEXT] = 0, len(state) - 1
        while self._state[_NEXT] >= 0:
            if self._state[_DEPTH] == len(self._open_state):
                self._open_state = np.concatenate([self._open_state, self._open_state])
                self._open_enter = np.concatenate([self._open_enter, self._open_enter])
            self._run((state, enter, leave), found, is_last=False)
        return self._cut(found)

    def finish(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The stretches before the visits taken last."""
        room = int(self._state[_DEPTH]) + 1
        found = np.empty(room, np.int64), np.empty(room, np.int32)
        self._state[_ROWS], self._state[_NEXT] = 0, -1
        self._run(_NOTHING, found, is_last=True)
        return self._cut(found)

    def _cut(
        self, found: tuple[NDArray[np.int64], NDArray[np.int32]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        count = int(self._state[_ROWS])
        return found[0][:count], found[1][:count]

    def _run(
        self, columns: Sequence[NDArray[Any]], found: tuple[Any, Any], *, is_last: bool
    ) -> None:
        views = [column.view() for column in columns]
        for column in views:
            column.flags.writeable = False  # one compiled version
        _walk(*views, self._state, self._open_state, self._open_enter, *found, is_last)


@piece
def _write(begin: Any, own: Any, state: Any, out_begin: Any, out_state: Any) -> None:
    """Write the stretch from `begin` to the cursor; it joins a later one of the same state."""
    until = max(begin, state[_BEGIN])
    if until < state[_CURSOR]:
        row = state[_ROWS]
        if own == state[_STATE] and row > 0:
            out_begin[row - 1] = until
        else:
            out_begin[row], out_state[row] = until, own
            state[_ROWS] = row + 1
        state[_STATE] = own
        state[_CURSOR] = until


@kernel
def _walk(
    states: Any, enter: Any, leave: Any, state: Any, open_state: Any, open_enter: Any,
    out_begin: Any, out_state: Any, is_last: Any,
) -> None:  # fmt: skip
    """Take visits until all are taken or the stack is full; `is_last` ends the location."""
    row = state[_NEXT]
    while (row >= 0 and state[_DEPTH] < len(open_enter)) or is_last:
        until = state[_BEGIN] if row < 0 else leave[row]
        depth = state[_DEPTH]
        while depth > 1 and open_enter[depth - 1] >= until:
            depth -= 1
            _write(open_enter[depth], open_state[depth], state, out_begin, out_state)
        _write(until, open_state[depth - 1], state, out_begin, out_state)
        state[_DEPTH] = depth
        if row < 0:
            break
        place = depth
        while place > 1 and open_enter[place - 1] > enter[row]:
            open_enter[place], open_state[place] = open_enter[place - 1], open_state[place - 1]
            place -= 1
        open_enter[place], open_state[place] = enter[row], states[row]
        state[_DEPTH] = depth + 1
        row -= 1
    state[_NEXT] = row


@piece
def _sift(heap: Any, count: Any, place: Any, now: Any) -> None:
    """Restore the order of a heap of locations, the latest begin of a stretch on top.

    `now` has these begins in the order of the heap.
    """
    moved, begin = heap[place], now[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and now[child + 1] > now[child]:
            child += 1
        if now[child] <= begin:
            break
        heap[place], now[place] = heap[child], now[child]
        place = child
    heap[place], now[place] = moved, begin


class _Stretches(NamedTuple):
    """Begins and states of the stretches of all locations, the last one of a location first.

    States are call paths that compute, or -1 - class. `ends` are the rows after each location's.
    """

    begin: NDArray[np.int64]
    state: NDArray[np.int32]
    ends: NDArray[np.int64]


class _Runs(NamedTuple):
    """The current run of each location: stretches that all compute, or are of one class.

    `heap` orders the locations that are left by the begins of their runs, which `begin` has in the
    same order. `ends` are the rows after the runs. Kind 0 computes, others are 1 + class; `counts`
    are the locations of each kind.
    """

    heap: NDArray[np.int64]
    begin: NDArray[np.int64]
    ends: NDArray[np.int64]
    kind: NDArray[np.int64]
    counts: NDArray[np.int64]


class _Sums(NamedTuple):
    """Time that is lost to each computing location between the first moment and each one.

    Columns are the classes while one location computes, and again while several do. The time grows
    by `rate` until the next, earlier moment.
    """

    moment: NDArray[np.int64]
    lost: NDArray[np.float64]
    rate: NDArray[np.float64]


@piece
def _kind_of(state: Any) -> Any:
    return 0 if state >= 0 else -state


@piece
def _begin_run(location: Any, stretches: Any, runs: Any) -> Any:
    """Go on to the next run of a location. Returns its begin."""
    row = runs.ends[location]
    kind = _kind_of(stretches.state[row])
    row += 1
    while row < stretches.ends[location] and _kind_of(stretches.state[row]) == kind:
        row += 1
    runs.ends[location], runs.kind[location] = row, kind
    runs.counts[kind] += 1
    return stretches.begin[row - 1]


@piece
def _add_moment(now: Any, last: Any, counts: Any, sums: Any) -> None:
    """Sum up the time between the last moment and an earlier one, which is added."""
    computing, classes = counts[0], len(counts) - 1
    rate, length = sums.rate[last], sums.moment[last] - now
    for number in range(classes):
        lost = counts[number + 1]
        rate[number] = lost if computing == 1 else 0
        rate[number + classes] = lost / computing if computing > 1 else 0
    sums.moment[last + 1] = now
    for column in range(2 * classes):
        sums.lost[last + 1, column] = sums.lost[last, column] + rate[column] * length


@step
def _merge(left: Any, stretches: Any, runs: Any, sums: Any) -> Any:
    """Merge the runs of the `left` locations until there is no room for further moments.

    Returns the number of locations that are left, and the row of the last moment.
    """
    heap, begin, last = runs.heap, runs.begin, 0
    while left > 0:
        if begin[0] < sums.moment[last]:
            if last == len(sums.moment) - 1:
                break
            _add_moment(begin[0], last, runs.counts, sums)
            last += 1
        location = heap[0]
        runs.counts[runs.kind[location]] -= 1
        if runs.ends[location] == stretches.ends[location]:
            left -= 1
            heap[0], begin[0] = heap[left], begin[left]
        else:
            begin[0] = _begin_run(location, stretches, runs)
        if left > 0:
            _sift(heap, left, 0, begin)
    return left, last


@piece
def _find_moment(time: Any, moment: Any, row: Any, last: Any) -> Any:
    """The last row, from `row` on and before `last`, of a moment that is not before the time."""
    step = 1
    while row + step < last and moment[row + step] >= time:
        row += step
        step *= 2
    while step > 1:
        step //= 2
        if row + step < last and moment[row + step] >= time:
            row += step
    return row


@step
def _charge_location(row: Any, stretches: Any, sums: Any, last: Any, charged: Any) -> Any:
    """Charge the stretches of a location, from `row` on, with what is lost until the last moment.

    Returns the row of the stretch that contains the last moment.
    """
    moment, lost, rate = sums.moment, sums.lost, sums.rate
    at, end, width = 0, moment[0], charged.shape[1]
    while True:
        begin, state = max(stretches.begin[row], moment[last]), stretches.state[row]
        found = _find_moment(begin, moment, at, last)
        if state >= 0 and found == at:
            for column in range(width):
                charged[state, column] += rate[at, column] * (end - begin)
        elif state >= 0:
            before, since = moment[found] - begin, moment[at] - end
            for column in range(width):
                growth = rate[found, column] * before - rate[at, column] * since
                charged[state, column] += lost[found, column] - lost[at, column] + growth
        if stretches.begin[row] <= moment[last]:
            return row
        at, end, row = found, begin, row + 1


@kernel
def _charge(stretches: Any, following: Any, runs: Any, sums: Any, charged: Any) -> None:
    """Merge and charge in turn. `following` are the first stretches; the first moment is given."""
    left = len(runs.heap)
    for location in range(left):
        runs.begin[location] = _begin_run(location, stretches, runs)
    for place in range(left // 2 - 1, -1, -1):
        _sift(runs.heap, left, place, runs.begin)
    while left > 0:
        left, last = _merge(left, stretches, runs, sums)
        for location in range(len(following)):
            row = following[location]
            following[location] = _charge_location(row, stretches, sums, last, charged)
        sums.moment[0] = sums.moment[last]


def charge_losses(
    begin: NDArray[np.int64],
    states: NDArray[np.int32],
    edges: NDArray[np.int64],
    *,
    end: int,
    path_count: int,
    class_count: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Time that other locations lose while a call path computes alone, and with others (whole ns).

    One row per call path, one column per class of the losing location. The stretches of a location
    lie between two `edges`, the last one first; each location covers the whole range until `end`.
    """
    places, width = len(edges) - 1, 2 * class_count
    firsts, ends = edges[:-1].copy(), edges[1:].copy()
    runs = _Runs(
        np.arange(places), np.zeros(places, np.int64), firsts.copy(), np.zeros(places, np.int64),
        np.zeros(class_count + 1, np.int64),
    )  # fmt: skip
    sums = _Sums(
        np.empty(_MOMENTS, np.int64), np.empty((_MOMENTS, width)), np.empty((_MOMENTS, width))
    )
    sums.moment[0], sums.lost[0] = end, 0
    charged = np.zeros((path_count, width))
    _charge(_Stretches(begin, states, ends), firsts, runs, sums, charged)
    np.rint(charged, charged)
    return charged[:, :class_count], charged[:, class_count:]
