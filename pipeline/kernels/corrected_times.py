"""Corrected times of records, interpolated between the knots of their location."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as rec
from tracemill.kernels import walk_state as ws
from tracemill.kernels.clock import ticks_to_ns
from tracemill.kernels.clock_replay import Knots
from tracemill.kernels.compiled import kernel, step
from tracemill.kernels.walk_state import Code

IN_NANOSECONDS = np.array([0, 1_000_000_000], np.int64)
"""The clock of corrected times."""


@step
def _place(knots: Any, knot: Any, time: Any, sequence: Any) -> Any:
    """The last knot at or before a record, or -1; the search begins at a knot near it."""
    last = len(knots.old) - 1
    while knot < last and (
        knots.old[knot + 1] < time
        or (knots.old[knot + 1] == time and knots.sequence[knot + 1] <= sequence)
    ):
        knot += 1
    while knot >= 0 and (
        knots.old[knot] > time or (knots.old[knot] == time and knots.sequence[knot] > sequence)
    ):
        knot -= 1
    return knot


@step
def _corrected(knots: Any, knot: Any, time: Any) -> Any:
    """The new time of a record after a knot (ns).

    Before the first knot and after the last one, records move with it.
    """
    near = max(knot, 0)
    if knot < 0 or knot == len(knots.old) - 1:
        return time + knots.new[near] - knots.old[near]
    width = knots.old[knot + 1] - knots.old[knot]
    if width == 0:
        return knots.new[knot]
    rate = np.float64(knots.new[knot + 1] - knots.new[knot]) / np.float64(width)
    since = np.int64(np.floor(np.float64(time - knots.old[knot]) * rate + 0.5))
    return knots.new[knot] + since


@kernel
def _correct(
    knots: Any, clock: Any, state: Any, times: Any, kinds: Any, refs: Any, side: Any, knot: Any,
    new: Any,
) -> Any:  # fmt: skip
    """Fill in the new times of records; returns the last knot, and how many records moved.

    Times outside the possible ones stay. So does the order of records.
    """
    sequence, moved = state[ws.SEQUENCE] - 1, 0
    for row in range(len(times)):
        time = ticks_to_ns(times[row], clock)
        new[row] = time
        if kinds[row] != rec.ATTRIBUTE:
            sequence += 1
        if state[ws.EARLIEST] <= time <= state[ws.LATEST]:
            knot = _place(knots, knot, time, sequence)
            new[row] = _corrected(knots, knot, time)
            moved += new[row] != time
        if kinds[row] == rec.BUFFER_FLUSH:
            stop = ticks_to_ns(side[refs[row], 0], clock)
            after = _place(knots, knot, stop, sequence)
            side[refs[row], 0] = np.uint64(_corrected(knots, after, stop))
    return knot, moved


class CorrectedTimes:
    """The new times of the records of one location, chunk by chunk."""

    def __init__(self, knots: Knots, code: Code) -> None:
        self._knots, self._clock, self._knot = knots, code.clock, -1
        self.code = code._replace(clock=IN_NANOSECONDS)
        self.moved_count = 0

    def correct(
        self,
        state: NDArray[np.int64],
        times: NDArray[np.uint64],
        kinds: NDArray[np.uint8],
        refs: NDArray[np.uint32],
        side: NDArray[np.uint64],
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Times in ns, and arguments with corrected times, of the next records."""
        if (kinds == rec.BUFFER_FLUSH).any():
            side = side.copy()
        new = np.empty(len(times), np.int64)
        self._knot, moved = _correct(
            self._knots, self._clock, state, times, kinds, refs, side, self._knot, new
        )
        self.moved_count += moved
        return new.view(np.uint64), side
