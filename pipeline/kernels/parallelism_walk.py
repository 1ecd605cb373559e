"""Which call paths compute while other locations do not, and how long the others lose time.

The stretches of each location, in which one visit is innermost, are found from the last to the
first. Then all locations are merged, also from the last stretch to the first: what an open stretch
is charged is the growth of running sums since its end.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, piece

_CURSOR, _DEPTH, _ROWS, _NEXT, _BEGIN, _STATE = range(6)
_NO_STATE = -(1 << 31)
_FIRST_STACK = 256
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


@kernel
def _charge(
    begin: Any, states: Any, following: Any, ends: Any, last_ns: Any, heap: Any, now: Any,
    current: Any, losing: Any, alone: Any, shared: Any, seen_alone: Any, seen_shared: Any,
    out_alone: Any, out_shared: Any,
) -> None:  # fmt: skip
    """Merge the stretches of all locations from the last to the first.

    States are call paths that compute, or -1 - class. `losing` counts the locations of each class,
    `alone` and `shared` are running sums of the time that they lose to each computing location.
    """
    count, computing = len(heap), 0
    for location in range(count):
        row = following[location]
        current[location], now[location] = states[row], begin[row]
        if current[location] >= 0:
            computing += 1
        else:
            losing[-1 - current[location]] += 1
    for place in range(count // 2 - 1, -1, -1):
        _sift(heap, count, place, now)
    time = last_ns
    while count > 0:
        location = heap[0]
        length = time - now[0]
        if length > 0:
            time = now[0]
            if computing == 1:
                for number in range(len(losing)):
                    alone[number] += losing[number] * length
            elif computing > 1:
                for number in range(len(losing)):
                    shared[number] += losing[number] * length / computing
        state = current[location]
        if state >= 0:
            for number in range(len(losing)):
                out_alone[state, number] += alone[number] - seen_alone[location, number]
                out_shared[state, number] += shared[number] - seen_shared[location, number]
            computing -= 1
        else:
            losing[-1 - state] -= 1
        following[location] += 1
        if following[location] == ends[location]:
            count -= 1
            heap[0], now[0] = heap[count], now[count]
        else:
            row = following[location]
            current[location], now[0] = states[row], begin[row]
            if current[location] >= 0:
                computing += 1
                for number in range(len(losing)):
                    seen_alone[location, number] = alone[number]
                    seen_shared[location, number] = shared[number]
            else:
                losing[-1 - current[location]] += 1
        if count > 0:
            _sift(heap, count, 0, now)


def charge_losses(
    begin: NDArray[np.int64],
    states: NDArray[np.int32],
    edges: NDArray[np.int64],
    *,
    end: int,
    path_count: int,
    class_count: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Time that other locations lose while a call path computes alone, and with others (ns).

    One row per call path, one column per class of the losing location. The stretches of a location
    lie between two `edges`, the last one first; each location covers the whole range until `end`.
    """
    places, classes = len(edges) - 1, class_count
    shape, sums = (path_count, classes), (places, classes)
    out_alone, out_shared = np.zeros(shape, np.int64), np.zeros(shape)
    _charge(
        begin, states, edges[:-1].copy(), edges[1:].copy(), end,
        np.arange(places), np.zeros(places, np.int64), np.zeros(places, np.int64),
        np.zeros(classes, np.int64), np.zeros(classes, np.int64), np.zeros(classes),
        np.zeros(sums, np.int64), np.zeros(sums), out_alone, out_shared,
    )  # fmt: skip
    return out_alone, out_shared
