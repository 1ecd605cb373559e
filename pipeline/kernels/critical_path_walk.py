"""The walk along the critical path: following predecessors from the end to the start."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel

NONE = -1


def walk_back(predecessors: NDArray[np.int64]) -> NDArray[np.int64]:
    """The points of the path in the order of the program, from its first to the last of all.

    `predecessors` holds, for every point, the one to go on with backwards, or NONE. Where clocks or
    messages contradict each other, predecessors may form a circle: no point is passed twice.
    """
    path = np.empty(len(predecessors), np.int64)
    is_passed = np.zeros(len(predecessors), np.bool_)
    length = _walk(predecessors, is_passed, path)
    return path[:length][::-1]


def _follow(predecessors: Any, is_passed: Any, path: Any) -> Any:
    """Write the points passed into `path`, the last one first; returns how many there are."""
    length = 0
    point = len(predecessors) - 1
    while point >= 0 and not is_passed[point]:
        is_passed[point] = True
        path[length] = point
        length += 1
        point = predecessors[point]
    return length


_walk = kernel(_follow)
