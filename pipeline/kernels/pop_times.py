"""Computation, MPI and waiting of activities, as far as they are in given periods."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, step

NONE = -1
KINDS = USEFUL, MPI, BARRIER = range(3)
Numbers = NDArray[np.int64]


class Periods(NamedTuple):
    """Disjoint periods by location, in order: those of location k begin at `first[k]`.

    `before` is the time in the location's earlier ones.
    """

    first: Numbers
    begin: Numbers
    end: Numbers
    before: Numbers


@step
def _spent(place: Any, time: Any, periods: Any) -> Any:
    """Time in the periods of a location until a moment."""
    low, high = periods.first[place], periods.first[place + 1]
    while low < high:
        middle = (low + high) // 2
        if periods.begin[middle] <= time:
            low = middle + 1
        else:
            high = middle
    if low == periods.first[place]:
        return 0
    row = low - 1
    return periods.before[row] + min(time, periods.end[row]) - periods.begin[row]


@kernel
def sum_inside(
    first: Any, begin: Any, ready: Any, end: Any, path: Any, is_in_barrier: Any, parts: Any,
    is_mpi: Any, periods: Any, sums: Any,
) -> None:  # fmt: skip
    """Add up times by kind and location; durations count if they are inside as a whole."""
    for place in range(len(first) - 1):
        for activity in range(first[place], first[place + 1]):
            until_ready = _spent(place, ready[activity], periods)
            wait = until_ready - _spent(place, begin[activity], periods)
            if is_in_barrier[activity]:
                sums[BARRIER, place] += wait
            if path[activity] != NONE and is_mpi[path[activity]]:
                sums[MPI, place] += wait
            inside = _spent(place, end[activity], periods) - until_ready
            if inside == end[activity] - ready[activity]:
                for row in range(parts.first[activity], parts.first[activity + 1]):
                    if parts.is_computation[row]:
                        sums[USEFUL, place] += parts.time[row]
                    if is_mpi[parts.path[row]]:
                        sums[MPI, place] += parts.time[row]
