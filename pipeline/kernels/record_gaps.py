"""Gaps between neighboring enter and leave records of a location, with at most metrics between.

Their first percentile limits the time to record an event. For it, a heap keeps the shortest
hundredth of the gaps, the longest of them on top; nearly all gaps are longer than that one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as rec
from tracemill.kernels.clock import ticks_to_ns
from tracemill.kernels.compiled import kernel, piece

_COUNT, _SIZE, _LAST, _IS_OPEN = range(4)
_KINDS = 256
PARTS = 100
"""One of so many gaps is at most as long as the first percentile."""


class RecordGaps:
    """The gaps of a location with at most `record_count` records; `counts` are those by kind."""

    def __init__(self, record_count: int) -> None:
        self._shortest = np.empty(record_count // PARTS + 1, np.int64)
        self._state = np.zeros(4, np.int64)
        self.counts = np.zeros(_KINDS, np.int64)

    def add(
        self, times: NDArray[np.uint64], kinds: NDArray[np.uint8], clock: NDArray[np.int64]
    ) -> None:
        """Take the next records."""
        _add(times, kinds, clock, self._shortest, self._state, self.counts)

    @property
    def count(self) -> int:
        return int(self._state[_COUNT])

    @property
    def percentile_ns(self) -> int | None:
        """The first percentile (nearest rank); None without gaps."""
        if not self.count:
            return None
        rank = -(-self.count // PARTS)
        return int(np.partition(self._shortest[: self._state[_SIZE]], rank - 1)[rank - 1])


@piece
def _lift(heap: Any, place: Any, gap: Any) -> None:
    """Put a gap into the free place at the end of the heap."""
    while place > 0 and heap[(place - 1) // 2] < gap:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = gap


@piece
def _sink(heap: Any, gap: Any) -> None:
    """Replace the gap on top of the full heap."""
    place, child = 0, 1
    while child < len(heap):
        if child + 1 < len(heap) and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= gap:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = gap


@kernel
def _add(times: Any, kinds: Any, clock: Any, heap: Any, state: Any, counts: Any) -> None:
    count, size, last, is_open = state[_COUNT], state[_SIZE], state[_LAST], state[_IS_OPEN]
    ticks_per_ns = np.float64(clock[1]) / 1e9
    longest = np.int64(-1) if size < len(heap) else np.int64((heap[0] + 1) * ticks_per_ns) + 1
    for row in range(len(kinds)):
        kind, time = kinds[row], np.int64(times[row])
        counts[kind] += 1
        if kind == rec.METRIC or kind == rec.ATTRIBUTE:
            continue
        if kind > rec.LEAVE and kind != rec.CONTEXT_ENTER and kind != rec.CONTEXT_LEAVE:
            is_open = np.int64(0)
            continue
        if is_open and time >= last:
            count += 1
            if longest < 0 or time - last <= longest:
                gap = ticks_to_ns(time, clock) - ticks_to_ns(last, clock)
                if gap < 0:  # a time that does not fit into nanoseconds
                    count -= 1
                elif size < len(heap):
                    _lift(heap, size, gap)
                    size += 1
                elif gap < heap[0]:
                    _sink(heap, gap)
                if size == len(heap):
                    longest = np.int64((heap[0] + 1) * ticks_per_ns) + 1
        last, is_open = time, np.int64(1)
    state[_COUNT], state[_SIZE], state[_LAST], state[_IS_OPEN] = count, size, last, is_open
