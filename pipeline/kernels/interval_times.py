"""Time between edges, which stretches of time add to one row and take from another.

A visit adds its time to the row of its region, and takes it from the row of its caller's region. So
the rows have exclusive times, and visits may come in any order:

    edges  0         10        20        30        40
    solve       [                            ]           +5  +10  +10   +8
    Recv            [       ]                            +2   +7
    solve without Recv                                   +3   +3  +10   +8
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel

Numbers = NDArray[np.int64]


class IntervalTimes:
    """Sums up stretches; they are cut off at the first and at the last edge."""

    def __init__(self, edges: Numbers, row_count: int) -> None:
        """At least two edges, ascending (ns)."""
        self.edges = edges
        # Stretches begun minus stretches ended, which hold from the next interval on, and the time
        # in the intervals of begins and ends.
        self._opened = np.zeros((len(edges) - 1, row_count), np.int64)
        self._partial = np.zeros_like(self._opened)

    def add(
        self, key: NDArray[np.int32], rows: NDArray[np.int32], begin: Numbers, end: Numbers
    ) -> None:
        """Add stretches; `rows` are the gaining and the losing row of each key."""
        columns = [column.view() for column in (key, rows, begin, end, self.edges)]
        for column in columns:
            column.flags.writeable = False  # one compiled version, for columns of files
        _add(*columns, self._opened, self._partial)

    def times(self) -> Numbers:
        """Time (ns) by interval and row."""
        opened = np.zeros_like(self._opened)
        opened[1:] = self._opened[:-1].cumsum(axis=0)
        return opened * np.diff(self.edges)[:, np.newaxis] + self._partial


@kernel
def _add(key: Any, rows: Any, begin: Any, end: Any, edges: Any, opened: Any, partial: Any) -> None:
    """Neighboring stretches end in neighboring intervals, so these are found step by step."""
    last = 0
    for row in range(len(key)):
        gain, lose = rows[key[row], 0], rows[key[row], 1]
        start, stop = max(begin[row], edges[0]), min(end[row], edges[len(edges) - 1])
        if gain == lose or start >= stop:
            continue
        while edges[last] >= stop:
            last -= 1
        while edges[last + 1] < stop:
            last += 1
        first = last
        while edges[first] > start:
            first -= 1
        time = stop - max(start, edges[last])
        partial[last, gain] += time
        partial[last, lose] -= time
        if first < last:
            time = edges[first + 1] - start
            partial[first, gain] += time
            partial[first, lose] -= time
            opened[first, gain] += 1
            opened[first, lose] -= 1
            opened[last - 1, gain] -= 1
            opened[last - 1, lose] += 1
