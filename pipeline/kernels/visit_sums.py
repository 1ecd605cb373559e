"""Sums of visits: the level of detail `calls` writes one row for many visits of user functions.

Rows of visits are in the order of leaving. Some are kept as they are: calls of libraries, and all
visits that are open when a call begins, or at a record, or at an edge between bins of time. The
visits between two rows that are kept have one caller and no records. All of them with the same call
path become one row, and all rows are placed one after the other, at the end of the same time:

    main   [                                  ]        main   [                                  ]
    solve    [      ]  [    ][    ]  [MPI_Send]   ->   solve     [                  ][MPI_Send]
    work      [ ][ ]    [  ]                           work               [         ]

Inside of main without calls, each call path has the same time as before. Visits whose call path
differs from their caller's in kind keep their rows, too; so at each moment a location is in code of
the same kind as before.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import walk_state as ws
from tracemill.kernels.columns import empty
from tracemill.kernels.compiled import kernel, piece, step
from tracemill.kernels.walk_state import VisitRows

Numbers = NDArray[np.int64]
_FIRST, _CUT, _EDGE, _PART, _SLOTS = range(5)
"""Slots of the state: first row without sums, first visit that may be summed, next edge, and the
number of the part of rows that are summed together."""
_NONE = -1
_BITS = 32


class Summing(NamedTuple):
    """What can be summed: by call path its parent, kind, and whether visits are summed at all.

    `edges` are the times (ns) that no sum reaches across, ascending.
    """

    parent: NDArray[np.int32]
    kind: NDArray[np.int32]
    is_summed: NDArray[np.bool_]
    edges: Numbers


class _Sums(NamedTuple):
    """The call paths of a part: sums, and the places of their rows.

    `entry` is the sum of a call path's caller, or none; `beyond` the end of the next callee, in ns
    and in visits.
    """

    node: NDArray[np.int32]
    region: NDArray[np.int32]
    entry: NDArray[np.int32]
    depth: NDArray[np.int32]
    size: NDArray[np.int32]
    visits: NDArray[np.int32]
    inclusive: Numbers
    exclusive: Numbers
    beyond_ns: Numbers
    beyond: Numbers
    visit: Numbers


class VisitSums:
    """Sums the rows of visits of one location after the other, in place."""

    def __init__(self, summing: Summing) -> None:
        self._summing = summing
        self._slot = np.zeros(len(summing.parent), np.int64)
        self._state = np.zeros(_SLOTS, np.int64)
        self._sums = empty(_Sums, 0)
        self._counts = np.empty(0, np.int32)

    def begin(self, first: int) -> None:
        """Begin a location, whose rows begin at `first`."""
        self._state[[_FIRST, _CUT, _EDGE]] = first, 0, 0

    def hand_over(self, count: int) -> NDArray[np.int32]:
        """The numbers of visits of the first rows; the next rows begin at 0."""
        self._state[_FIRST] = 0
        return self._counts[:count].copy()

    def make_room(self, room: int) -> None:
        """Make room for the sums of so many rows."""
        if room > len(self._counts):
            added = np.empty(room - len(self._counts), np.int32)
            self._counts, self._sums = np.append(self._counts, added), empty(_Sums, room)

    def sum_up(
        self, rows: VisitRows, state: Numbers, cuts: NDArray[np.int64], *, is_last: bool
    ) -> None:
        """Sum up the rows since the last call; `state` is that of the walk.

        The last row is left until the location ends: records that follow may belong to it.
        """
        count = int(state[ws.VISIT_ROWS])
        last = count if is_last else count - 1
        if last > self._state[_FIRST]:
            end = _sum_rows(
                rows, self._counts, last, count, cuts, state[ws.CUTS], self._summing,
                self._slot, self._sums, self._state,
            )  # fmt: skip
            state[ws.VISIT_ROWS] = end + count - last
            self._state[_FIRST] = end
        else:
            self._counts[self._state[_FIRST] : count] = 1
        state[ws.CUTS] = 0
        self._state[_CUT] = state[ws.NEXT_VISIT]


@piece
def _copy(rows: Any, counts: Any, source: Any, target: Any) -> None:
    if source != target:
        rows.location[target], rows.visit[target] = rows.location[source], rows.visit[source]
        rows.parent[target], rows.node[target] = rows.parent[source], rows.node[source]
        rows.region[target], rows.enter[target] = rows.region[source], rows.enter[source]
        rows.leave[target], rows.exclusive[target] = rows.leave[source], rows.exclusive[source]
        rows.is_closed[target], counts[target] = rows.is_closed[source], counts[source]


@step
def _place_part(
    rows: Any, counts: Any, sums: Any, count: Any, parent: Any, first: Any, end_ns: Any, last: Any
) -> Any:
    """Write the rows of a part before row `last`; returns the first of them.

    Sums are in an order in which callers come first. Callees are placed from the end of the caller
    to its begin. Visits are numbered in the order of entering, rows are in the order of leaving.
    """
    for entry in range(count - 1, -1, -1):
        if sums.entry[entry] != _NONE:
            sums.size[sums.entry[entry]] += sums.size[entry]
    location, beyond = rows.location[last - 1], first + count
    for entry in range(count):
        above = np.int64(sums.entry[entry])
        if above == _NONE:
            leave, visit = end_ns, beyond - sums.size[entry]
            end_ns, beyond, depth = leave - sums.inclusive[entry], visit, np.int32(0)
        else:
            leave, visit = sums.beyond_ns[above], sums.beyond[above] - sums.size[entry]
            sums.beyond_ns[above], sums.beyond[above] = leave - sums.inclusive[entry], visit
            depth = np.int32(sums.depth[above] + 1)
        sums.beyond_ns[entry], sums.beyond[entry] = leave, visit + sums.size[entry]
        sums.depth[entry], sums.visit[entry] = depth, visit
        row = last - count + (visit - first) + sums.size[entry] - 1 - depth
        rows.location[row], rows.visit[row] = location, visit
        rows.parent[row] = parent if above == _NONE else sums.visit[above]
        rows.node[row], rows.region[row] = sums.node[entry], sums.region[entry]
        rows.enter[row], rows.leave[row] = leave - sums.inclusive[entry], leave
        rows.exclusive[row], rows.is_closed[row] = sums.exclusive[entry], True
        counts[row] = sums.visits[entry]
    return last - count


@step
def _sum_part(
    rows: Any, first: Any, last: Any, summing: Any, slot: Any, sums: Any, state: Any
) -> Any:
    """Sum up the last visits with the same caller in some rows, and all below them.

    Writes their rows before row `last`. Returns the row behind the others, and the first written.
    """
    state[_PART] += 1
    part, count = state[_PART] << _BITS, 0
    parent, end_ns = rows.parent[last - 1], rows.leave[last - 1]
    root, row = rows.visit[last - 1] + 1, last - 1
    while row >= first:
        is_root = rows.visit[row] < root  # visits below the root have larger numbers
        if is_root:
            if rows.parent[row] != parent:
                break
            root = rows.visit[row]
        node = rows.node[row]
        entry = slot[node] - part
        if entry < 0:
            entry = np.int64(count)
            slot[node] = part + entry
            sums.node[entry], sums.region[entry] = node, rows.region[row]
            above = np.int64(_NONE) if is_root else slot[summing.parent[node]] - part
            sums.entry[entry], sums.size[entry], sums.visits[entry] = above, 1, 0
            sums.inclusive[entry] = sums.exclusive[entry] = 0
            count += 1
        sums.visits[entry] += 1
        sums.inclusive[entry] += rows.leave[row] - rows.enter[row]
        sums.exclusive[entry] += rows.exclusive[row]
        row -= 1
    return row + 1, count, parent, root, end_ns


@step
def _sum_run(
    rows: Any, counts: Any, first: Any, last: Any, out: Any, summing: Any, slot: Any, sums: Any,
    state: Any,
) -> Any:  # fmt: skip
    """Sum up consecutive rows, none of which is kept, and write them from row `out` on."""
    if last - first == 1:
        counts[first] = 1
        _copy(rows, counts, first, out)
        return out + 1
    end = begin = last
    while end > first:
        end_of_part = end
        end, count, parent, root, end_ns = _sum_part(rows, first, end, summing, slot, sums, state)
        if count < end_of_part - end:
            begin = _place_part(rows, counts, sums, count, parent, root, end_ns, begin)
            continue
        for row in range(end_of_part - 1, end - 1, -1):  # every visit has a call path of its own
            begin -= 1
            counts[row] = 1
            _copy(rows, counts, row, begin)
    for row in range(begin, last):
        _copy(rows, counts, row, out + row - begin)
    return out + last - begin


@piece
def _can_be_summed(rows: Any, row: Any, cut: Any, edge: Any, summing: Any) -> Any:
    node = rows.node[row]
    caller = summing.parent[node]
    return (
        rows.visit[row] >= cut
        and summing.is_summed[node]
        and rows.is_closed[row]
        and rows.parent[row] >= 0
        and caller >= 0
        and summing.kind[caller] == summing.kind[node]
        and (edge == 0 or rows.enter[row] >= summing.edges[edge - 1])
    )


@kernel
def _sum_rows(
    rows: Any, counts: Any, last: Any, beyond: Any, cuts: Any, cut_count: Any, summing: Any,
    slot: Any, sums: Any, state: Any,
) -> Any:  # fmt: skip
    """Sum up the rows from the first one without sums to `last`, and move the rest behind them.

    Returns the end of the rows that are summed up.
    """
    out = begin = state[_FIRST]
    cut, edge, next_cut, edges = state[_CUT], state[_EDGE], 0, summing.edges
    for row in range(begin, last):
        is_apart = False
        while next_cut < cut_count and cuts[next_cut, 0] <= row:
            cut = max(cut, cuts[next_cut, 1])
            next_cut += 1
            is_apart = True
        while edge < len(edges) and edges[edge] < rows.leave[row]:
            edge += 1
            is_apart = True
        if is_apart and begin < row:
            out = _sum_run(rows, counts, begin, row, out, summing, slot, sums, state)
            begin = row
        if _can_be_summed(rows, row, cut, edge, summing):
            continue
        if begin < row:
            out = _sum_run(rows, counts, begin, row, out, summing, slot, sums, state)
        cut = max(cut, rows.visit[row] + 1)
        counts[row] = 1
        _copy(rows, counts, row, out)
        out += 1
        begin = row + 1
    if begin < last:
        out = _sum_run(rows, counts, begin, last, out, summing, slot, sums, state)
    for row in range(last, beyond):
        counts[row] = 1
        _copy(rows, counts, row, out + row - last)
    state[_EDGE] = edge
    return out
