"""The walk over the visits of a location, from the last to the first, that fills its time bins.

Visits are stored in the order of their ends, so backwards each follows its caller. Open visits are
on a stack, sorted by begin; the time between two ends belongs to the top:

    main   [                      ]        stored: a, b, main
    a         [     ]                      walked: main, b, a
    b                  [   ]               stretches: main, b, main, a, main

Only visits of suspended tasks do not nest; they go below visits that began later.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.columns import each, empty
from tracemill.kernels.compiled import kernel, piece, step
from tracemill.schemas.timeline import MOST_BINS, MOST_CELLS

PARTS = 8
"""Each bin of a level has this many bins in the next finer level."""
_SUMMED = 256
"""Visits of a bin that sums of visits do not reach across."""
_CURSOR, _DEPTH, _ROWS, _NEXT, _BIN_BEGIN = range(5)
_NO_BIN = -1
_FIRST_STACK = 256
_NOTHING = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64)
for _column in _NOTHING:
    _column.flags.writeable = False


def choose_bins(location_count: int, visit_count: int) -> tuple[int, int]:
    """The number of levels, and the largest number of bins of the finest.

    A finer level needs as many visits as bins, and not too many bins.
    """
    most = [
        count for count in MOST_BINS[1:] if location_count * count <= min(MOST_CELLS, visit_count)
    ]
    coarsest = max(min(MOST_BINS[0], MOST_CELLS // max(location_count, 1)), 1)
    return len(most) + 1, max([coarsest, *most])


def choose_grid(
    begin: int, end: int, location_count: int, visit_count: int, *, is_summed: bool
) -> tuple[int, int]:
    """The number of levels, and the width of the finest bins (ns).

    If visits are summed, finer bins than the first level need many visits each.
    """
    level_count, finest = choose_bins(location_count, visit_count)
    width = max(-(-(end - begin) // finest), 1)
    while is_summed and level_count > 1 and location_count * finest * _SUMMED > visit_count:
        level_count, width, finest = level_count - 1, width * PARTS, finest // PARTS
    return level_count, width


class BinRows(NamedTuple):
    """Rows of the bins of a location: level, bin, region with most time, and that time."""

    level: NDArray[np.int8]
    bin: NDArray[np.int32]
    region: NDArray[np.int32]
    time: NDArray[np.int64]


class _Grid(NamedTuple):
    """Begin and end of the run and width of the finest bins (ns); the last bin may be narrower."""

    begin: int
    end: int
    width: int


class _Spent(NamedTuple):
    """The current bin of each level, and the time in it by region (ns).

    `used` lists the `used_count` regions with time in the bin.
    """

    bin: NDArray[np.int64]
    time: NDArray[np.int64]
    used: NDArray[np.int32]
    used_count: NDArray[np.int64]


class LocationBins:
    """Fills the bins of one location after the other."""

    def __init__(
        self, *, begin: int, end: int, width: int, level_count: int, region_count: int
    ) -> None:
        """`width` is that of the finest bins; each coarser level is `PARTS` times as wide."""
        self._grid = _Grid(begin, end, width)
        of_regions = (level_count, region_count)
        self._spent = _Spent(
            np.full(level_count, _NO_BIN, np.int64),
            np.zeros(of_regions, np.int64),
            np.zeros(of_regions, np.int32),
            np.zeros(level_count, np.int64),
        )
        self._state = np.zeros(5, np.int64)
        self._open_region = np.zeros(_FIRST_STACK, np.int32)
        self._open_enter = np.zeros(_FIRST_STACK, np.int64)
        self._rows = empty(BinRows, _count_bins(self._grid, level_count))
        self._begin()

    def walk(
        self, region: NDArray[np.int32], enter: NDArray[np.int64], leave: NDArray[np.int64]
    ) -> None:
        """Take visits that end before those taken so far, in the order of their ends."""
        columns = [column.view() for column in (region, enter, leave)]
        for column in columns:
            column.flags.writeable = False  # one compiled version, for columns of files
        self._state[_NEXT] = len(region) - 1
        while self._state[_NEXT] >= 0:
            if self._state[_DEPTH] == len(self._open_region):
                self._open_region = np.concatenate([self._open_region, self._open_region])
                self._open_enter = np.concatenate([self._open_enter, self._open_enter])
            self._run(*columns, is_last=False)

    def finish(self) -> BinRows:
        """The rows of the location by level, then by bin. Afterwards the next location begins."""
        self._state[_NEXT] = -1
        self._run(*_NOTHING, is_last=True)
        count = self._state[_ROWS]
        self._begin()
        order = np.argsort(self._rows.level[:count][::-1], kind="stable")
        return each(self._rows, lambda column: column[:count][::-1][order])

    def _run(self, *columns: NDArray[Any], is_last: bool) -> None:
        _walk(
            *columns, self._grid, self._state, self._open_region, self._open_enter,
            self._spent, self._rows, is_last,
        )  # fmt: skip

    def _begin(self) -> None:
        self._state[:] = 0
        self._state[_CURSOR] = self._grid.end


def _count_bins(grid: _Grid, level_count: int) -> int:
    count = -(-(grid.end - grid.begin) // grid.width)
    return sum(-(-count // PARTS**level) for level in range(level_count))


@step
def _emit(level: Any, state: Any, spent: Any, rows: Any) -> None:
    """Write the row of the current bin of a level, and add its times to the level above."""
    time, used = spent.time, spent.used
    best, row = used[level, 0], state[_ROWS]
    for place in range(spent.used_count[level]):
        region = used[level, place]
        if time[level, region] > time[level, best] or (
            time[level, region] == time[level, best] and region < best
        ):
            best = region
    rows.level[row], rows.bin[row] = level, spent.bin[level]
    rows.region[row], rows.time[row] = best, time[level, best]
    state[_ROWS] = row + 1
    for place in range(spent.used_count[level]):
        region = used[level, place]
        if level > 0:
            _add(level - 1, region, time[level, region], spent)
        time[level, region] = 0
    spent.used_count[level] = 0


@piece
def _add(level: Any, region: Any, time: Any, spent: Any) -> None:
    if spent.time[level, region] == 0:
        spent.used[level, spent.used_count[level]] = region
        spent.used_count[level] += 1
    spent.time[level, region] += time


@step
def _move_to(bin: Any, grid: Any, state: Any, spent: Any, rows: Any) -> None:
    """Go back to an earlier bin of the finest level."""
    state[_BIN_BEGIN] = grid.begin + bin * grid.width
    level = len(spent.bin) - 1
    while level >= 0 and spent.bin[level] != bin:
        if spent.used_count[level] > 0:
            _emit(level, state, spent, rows)
        spent.bin[level] = bin
        bin //= PARTS  # no bin stays no bin
        level -= 1


@piece
def _spend(
    region: Any, begin: Any, end: Any, grid: Any, state: Any, spent: Any, rows: Any
) -> None:  # fmt: skip
    """Distribute an interval in a region over bins."""
    begin, end = max(begin, grid.begin), min(end, grid.end)
    finest = len(spent.bin) - 1
    while begin < end:
        if end <= state[_BIN_BEGIN] or spent.bin[finest] == _NO_BIN:
            _move_to((end - 1 - grid.begin) // grid.width, grid, state, spent, rows)
        part = max(begin, state[_BIN_BEGIN])
        _add(finest, region, end - part, spent)
        end = part


@piece
def _go_back(
    until: Any, grid: Any, state: Any, open_region: Any, open_enter: Any, spent: Any, rows: Any
) -> None:
    depth, cursor = state[_DEPTH], state[_CURSOR]
    while depth > 0 and open_enter[depth - 1] >= until:
        depth -= 1
        _spend(open_region[depth], open_enter[depth], cursor, grid, state, spent, rows)
        cursor = min(cursor, open_enter[depth])
    if depth > 0:
        _spend(open_region[depth - 1], until, cursor, grid, state, spent, rows)
    state[_DEPTH], state[_CURSOR] = depth, min(cursor, until)


@kernel
def _walk(
    region: Any, enter: Any, leave: Any, grid: Any, state: Any, open_region: Any,
    open_enter: Any, spent: Any, rows: Any, is_last: Any,
) -> None:  # fmt: skip
    """Take visits until all are taken or the stack is full; `is_last` ends the location.

    One kernel does both, because loading a kernel takes longer than its work for a small run.
    """
    row = state[_NEXT]
    while row >= 0 and state[_DEPTH] < len(open_enter):
        until = min(leave[row], state[_CURSOR])
        _go_back(until, grid, state, open_region, open_enter, spent, rows)
        place = state[_DEPTH]
        while place > 0 and open_enter[place - 1] > enter[row]:
            open_enter[place] = open_enter[place - 1]
            open_region[place] = open_region[place - 1]
            place -= 1
        open_enter[place], open_region[place] = enter[row], region[row]
        state[_DEPTH] += 1
        row -= 1
    state[_NEXT] = row
    if is_last:
        _go_back(grid.begin, grid, state, open_region, open_enter, spent, rows)
        _move_to(_NO_BIN, grid, state, spent, rows)
