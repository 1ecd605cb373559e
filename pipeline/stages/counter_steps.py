"""Values of a counter as steps between neighboring values, and their sums over time and calls."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.arrays import Flags, Numbers, sum_by

Floats = NDArray[np.float64]
Amounts = NDArray[Any]


class Steps(NamedTuple):
    """Steps of a counter, each from one value to the next.

    `time` has one element more than the others (ns). `amount` is the change in a step, or level
    times duration of an absolute counter, whose levels are less by `offset`; it is 0 where a step
    is not known. Integers are exact.
    """

    time: Numbers
    amount: Amounts
    is_known: Flags
    is_falling: Flags
    level: Amounts
    offset: float

    @property
    def duration(self) -> Numbers:
        return np.diff(self.time)


def make_steps(
    time: Numbers,
    value: Amounts,
    *,
    accumulation: str,
    occurrence: str,
    gaps: tuple[Numbers, Numbers],
) -> Steps:
    """Steps of a counter by its mode (OTF2); `gaps` are begins and ends of measurement gaps."""
    is_known = ~_overlap(time, *gaps)
    is_falling = np.zeros(len(is_known), np.bool_)
    offset, level = 0.0, value[:0]
    if accumulation == "accumulated":
        amount = np.diff(value)
        is_falling = amount < 0
        is_known &= ~is_falling
    elif accumulation == "relative":
        amount = value[:-1] if occurrence == "next" else value[1:]
    else:
        level = (value[1:] if occurrence == "last" else value[:-1]).astype(np.float64)
        offset = float(level[0]) if len(level) else 0.0
        amount = (level - offset) * np.diff(time)
    amount = np.where(is_known, amount, amount.dtype.type(0))
    return Steps(time, amount, is_known, is_falling, level, offset)


def _overlap(time: Numbers, gap_begin: Numbers, gap_end: Numbers) -> Flags:
    """Marks steps in which a gap lies; gaps are sorted by time."""
    if not len(gap_begin):
        return np.zeros(max(len(time) - 1, 0), np.bool_)
    last = np.searchsorted(gap_begin, time[1:], "left") - 1
    end = np.maximum.accumulate(gap_end)[np.maximum(last, 0)]
    overlaps: Flags = (last >= 0) & (end > time[:-1])
    return overlaps


class Sums:
    """Sums of steps from the first value until any time; whole steps are summed exactly."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._whole = np.concatenate([steps.amount[:0], [0], np.cumsum(steps.amount)]).astype(
            steps.amount.dtype
        )
        self._covered = np.concatenate([[0], np.cumsum(steps.duration * steps.is_known)])

    def until(self, time: Numbers) -> tuple[Amounts, Floats, Numbers]:
        """Sum of whole steps, of the begun step, and the known time (ns) until each time."""
        steps = self._steps
        at = np.searchsorted(steps.time, time, "right") - 1
        whole, covered = self._whole[np.maximum(at, 0)], self._covered[np.maximum(at, 0)]
        is_in = (at >= 0) & (at < len(steps.amount))
        if not len(steps.amount):
            return whole, np.zeros(len(time)), covered
        step = np.clip(at, 0, len(steps.amount) - 1)
        since = np.where(is_in, time - steps.time[step], 0)
        duration = steps.time[step + 1] - steps.time[step]
        begun = steps.amount[step] * (since / np.maximum(duration, 1))
        return whole, begun, covered + since * steps.is_known[step]


class FocusSums:
    """Sums of steps within periods, from the first period until any time."""

    def __init__(self, sums: Sums, begin: Numbers, end: Numbers) -> None:
        self._sums, self._begin, self._end = sums, begin, end
        self._at_begin = sums.until(begin)
        lengths = [
            after - before for before, after in zip(self._at_begin, sums.until(end), strict=True)
        ]
        self._before = [np.cumsum(each) - each for each in lengths]

    def until(self, time: Numbers) -> list[Any]:
        """Sum of whole steps, of begun steps, and the known time (ns) until each time."""
        if len(self._begin) == 1:
            return list(self._sums.until(time.clip(self._begin[0], self._end[0])))
        if not len(self._begin):
            return [np.zeros(len(time), each.dtype) for each in self._at_begin]
        row = np.searchsorted(self._begin, time, "right") - 1
        found = self._sums.until(np.minimum(time, self._end[row]))
        return [
            np.where(row >= 0, before[row] + value - begun[row], before.dtype.type(0))
            for value, begun, before in zip(found, self._at_begin, self._before, strict=True)
        ]


class PathSums:
    """Sums of a counter by call path: amounts (exact and shares of steps) and known time (ns)."""

    def __init__(self, size: int, dtype: Any) -> None:
        self.size = size
        self._whole = np.zeros(size, dtype)
        self._part = np.zeros(size)
        self.covered = np.zeros(size, np.int64)
        self.negative = np.zeros(size, np.int64)
        self.is_known = np.zeros(size, np.bool_)

    @property
    def amount(self) -> Floats:
        return self._whole + self._part

    def add_steps(self, steps: Steps, path: Numbers, share: Floats) -> None:
        """Add the share of each step to the call path in which it lies, -1 for none."""
        is_used = (path >= 0) & steps.is_known & (share > 0)
        is_whole = is_used & (share == 1)
        np.add.at(self._whole, path[is_whole], steps.amount[is_whole])
        partial = is_used & ~is_whole
        np.add.at(self._part, path[partial], steps.amount[partial] * share[partial])
        covered = np.rint(steps.duration[is_used] * share[is_used]).astype(np.int64)
        np.add.at(self.covered, path[is_used], covered)
        self.is_known[path[is_used]] = True

    def add_intervals(
        self, sums: "FocusSums", path: Numbers, caller: Numbers, begin: Numbers, end: Numbers
    ) -> None:
        """Add intervals to their call paths, and subtract them from those of their callers."""
        first, last = sums.until(begin), sums.until(end)
        whole, part, covered = (after - before for before, after in zip(first, last, strict=True))
        for target, sign in ((path, 1), (caller, -1)):
            at = np.flatnonzero(target >= 0)
            np.add.at(self._whole, target[at], sign * whole[at])
            self._part += sign * np.bincount(target[at], part[at], minlength=self.size)
            self.covered += sign * sum_by(target[at], covered[at], self.size)
        self.is_known = self.covered > 0

    def count_falling(self, steps: Steps, path: Numbers, is_counted: Flags) -> None:
        """Count the falling ones of some steps by call path."""
        fallen = np.flatnonzero(steps.is_falling & (path >= 0) & is_counted)
        self.negative += np.bincount(path[fallen], minlength=self.size)

    def with_callees(self, after: Numbers) -> tuple[Floats, Numbers, Flags]:
        """Amount, known time and whether anything is known, with all call paths below.

        These are the ones before `after`.
        """
        running = [
            np.concatenate([values[:0], [0], np.cumsum(values)])
            for values in (self._whole, self._part, self.covered, self.is_known.astype(np.int64))
        ]
        here = np.arange(self.size)
        whole, part, covered, known = (sums[after] - sums[here] for sums in running)
        return whole + part, covered.astype(np.int64), known > 0


def find_extremes(
    steps: Steps, visit: Numbers, caller: Numbers, path: Numbers, begin: Numbers, end: Numbers
) -> tuple[Numbers, Floats, Floats]:
    """Call path, least and greatest level of the stretches of visits without callees.

    `visit` and `caller` are numbers of visits, `caller` is negative without one; visits are
    clipped already. Stretches without known levels have infinite ones.
    """
    own = np.concatenate([visit, caller[caller >= 0]])
    starts = np.concatenate([begin, end[caller >= 0]])
    ends = np.concatenate([end, begin[caller >= 0]])
    is_own = np.isin(own, visit)
    own, starts, ends = own[is_own], starts[is_own], ends[is_own]
    by_start, by_end = np.lexsort((starts, own)), np.lexsort((ends, own))
    number, first, last = own[by_start], starts[by_start], ends[by_end]
    is_used = (first < last) & (first < steps.time[-1]) & (last > steps.time[0])
    number, first, last = number[is_used], first[is_used], last[is_used]
    order = np.argsort(visit)
    paths = path[order][np.searchsorted(visit[order], number)]
    low = np.maximum(np.searchsorted(steps.time, first, "right") - 1, 0)
    high = np.minimum(np.searchsorted(steps.time, last, "left"), len(steps.amount))
    is_level = steps.is_known & (steps.duration > 0)
    return (
        paths,
        _reduce(np.minimum, np.where(is_level, steps.level, np.inf), low, high, np.inf),
        _reduce(np.maximum, np.where(is_level, steps.level, -np.inf), low, high, -np.inf),
    )


def _reduce(function: np.ufunc, level: Floats, low: Numbers, high: Numbers, none: float) -> Floats:
    """The least or greatest level of each range of steps; no range is empty."""
    edges = np.stack([low, high], axis=1).ravel()
    found: Floats = function.reduceat(np.append(level, none), edges)[::2]
    return found
