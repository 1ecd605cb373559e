"""The walk over the visits of a location, from the last to the first, that sums time by segment.

Segments lie between given times, the edges. Visits are stored in the order in which they were left,
so that backwards each comes after its caller. Open visits are kept on a stack, ordered by entering;
the time between two ends belongs to its top:

    main   [         |            ]        edges: e
    a         [     ]|                     segment 0: main 7, a 5; segment 1: main 8, b 3
    b                e [   ]
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, piece, step

_CURSOR, _DEPTH, _ROWS, _NEXT, _SEGMENT, _USED = range(6)
_FIRST_STACK = 256
_NO_VISITS = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64)
for _column in _NO_VISITS:
    _column.flags.writeable = False
Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


class SegmentTimes:
    """Sums the time of one location by segment and call path."""

    def __init__(self, edges: NDArray[np.int64], end: int, path_count: int) -> None:
        """`edges` ascend; segment 0 lies before the first of them. Nothing lies after `end`."""
        self._edges = edges
        self._state = np.zeros(6, np.int64)
        self._state[_CURSOR], self._state[_SEGMENT] = end, len(edges)
        self._open_path = np.zeros(_FIRST_STACK, np.int32)
        self._open_enter = np.zeros(_FIRST_STACK, np.int64)
        self._time = np.zeros(path_count, np.int64)
        self._used = np.zeros(path_count, np.int32)
        self._found: list[Rows] = []

    def walk(
        self, path: NDArray[np.int32], enter: NDArray[np.int64], leave: NDArray[np.int64]
    ) -> None:
        """Take visits that lie before those taken so far, in the order of leaving."""
        columns: list[NDArray[Any]] = [column.view() for column in (path, enter, leave)]
        for column in columns:
            column.flags.writeable = False  # one compiled version, for columns of files
        self._state[_NEXT] = len(path) - 1
        while self._state[_NEXT] >= 0:
            if self._state[_DEPTH] == len(self._open_path):
                self._open_path = np.concatenate([self._open_path, self._open_path])
                self._open_enter = np.concatenate([self._open_enter, self._open_enter])
            self._run(*columns, is_last=False)

    def finish(self) -> Rows:
        """Segment, call path and time (ns) without zeros, ordered by segment and call path."""
        self._run(*_NO_VISITS, is_last=True)
        segment, path, time = zip(*reversed(self._found), strict=True)
        return np.concatenate(segment), np.concatenate(path), np.concatenate(time)

    def _run(
        self,
        path: NDArray[np.int32],
        enter: NDArray[np.int64],
        leave: NDArray[np.int64],
        *,
        is_last: bool,
    ) -> None:
        # Each end of a visit and each edge closes at most one stretch of time.
        room = 2 * len(path) + int(self._state[_DEPTH] + self._state[_SEGMENT] + self._state[_USED])
        rows = (
            np.empty(room + 1, np.int64), np.empty(room + 1, np.int32), np.empty(room + 1, np.int64)
        )  # fmt: skip
        self._state[_ROWS] = 0
        _walk(
            path, enter, leave, self._edges, self._state, self._open_path, self._open_enter,
            self._time, self._used, *rows, is_last,
        )  # fmt: skip
        count = self._state[_ROWS]
        segment, paths, times = rows
        found = (segment[:count][::-1], paths[:count][::-1], times[:count][::-1])
        self._found.append((found[0].copy(), found[1].copy(), found[2].copy()))


@step
def _sort_down(values: Any, count: Any) -> None:
    """Sort the first values, the largest first (Shell's sort: mostly there are few)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for row in range(gap, count):
            value, place = values[row], row
            while place >= gap and values[place - gap] < value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap //= 3


@step
def _close_segment(state: Any, time: Any, used: Any, segments: Any, paths: Any, times: Any) -> None:
    """Write the rows of the current segment, the last call path first."""
    row = state[_ROWS]
    _sort_down(used, state[_USED])
    for place in range(state[_USED]):
        path = used[place]
        segments[row], paths[row], times[row] = state[_SEGMENT], path, time[path]
        time[path] = 0
        row += 1
    state[_ROWS], state[_USED] = row, 0


@piece
def _spend(
    path: Any, begin: Any, end: Any, edges: Any, state: Any, time: Any, used: Any,
    segments: Any, paths: Any, times: Any,
) -> None:  # fmt: skip
    """Divide a stretch of time in a call path among segments."""
    while begin < end:
        while state[_SEGMENT] > 0 and edges[state[_SEGMENT] - 1] >= end:
            _close_segment(state, time, used, segments, paths, times)
            state[_SEGMENT] -= 1
        part = begin if state[_SEGMENT] == 0 else max(begin, edges[state[_SEGMENT] - 1])
        if time[path] == 0:
            used[state[_USED]] = path
            state[_USED] += 1
        time[path] += end - part
        end = part


@piece
def _go_back(
    until: Any, edges: Any, state: Any, open_path: Any, open_enter: Any, time: Any, used: Any,
    segments: Any, paths: Any, times: Any,
) -> None:  # fmt: skip
    """Give the time since `until` to the open visits."""
    depth, cursor = state[_DEPTH], state[_CURSOR]
    while depth > 0 and open_enter[depth - 1] >= until:
        depth -= 1
        _spend(
            open_path[depth], open_enter[depth], cursor, edges, state, time, used,
            segments, paths, times,
        )  # fmt: skip
        cursor = min(cursor, open_enter[depth])
    if depth > 0:
        _spend(
            open_path[depth - 1], until, cursor, edges, state, time, used, segments, paths, times
        )
    state[_DEPTH], state[_CURSOR] = depth, min(cursor, until)


@kernel
def _walk(
    path: Any, enter: Any, leave: Any, edges: Any, state: Any, open_path: Any, open_enter: Any,
    time: Any, used: Any, segments: Any, paths: Any, times: Any, is_last: Any,
) -> None:  # fmt: skip
    """Take visits until all are taken or the stack is full; at last, end the location."""
    row = state[_NEXT]
    while row >= 0 and state[_DEPTH] < len(open_enter):
        until = min(leave[row], state[_CURSOR])
        _go_back(until, edges, state, open_path, open_enter, time, used, segments, paths, times)
        place = state[_DEPTH]
        while place > 0 and open_enter[place - 1] > enter[row]:
            open_enter[place] = open_enter[place - 1]
            open_path[place] = open_path[place - 1]
            place -= 1
        open_enter[place], open_path[place] = enter[row], path[row]
        state[_DEPTH] += 1
        row -= 1
    state[_NEXT] = row
    if is_last:
        first = state[_CURSOR] if state[_DEPTH] == 0 else open_enter[0]
        _go_back(first, edges, state, open_path, open_enter, time, used, segments, paths, times)
        _close_segment(state, time, used, segments, paths, times)
