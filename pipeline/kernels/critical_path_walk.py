"""The walk along the critical path, from its end to its start."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel

NONE = -1


def walk_back(predecessors: NDArray[np.int64]) -> NDArray[np.int64]:
    """The points of the path in the order of time; it ends at the last point.

    `predecessors` is the predecessor of each point, or NONE. If clocks or messages contradict each
    other, predecessors may form a cycle; the path visits no point twice.
    """
    path = np.empty(len(predecessors), np.int64)
    is_passed = np.zeros(len(predecessors), np.bool_)
    length = _follow(predecessors, is_passed, path)
    return path[:length][::-1]


@kernel
def _follow(predecessors: Any, is_passed: Any, path: Any) -> Any:
    """Write the points into `path`, the last one first; returns their number."""
    length = 0
    point = len(predecessors) - 1
    while point >= 0 and not is_passed[point]:
        is_passed[point] = True
        path[length] = point
        length += 1
        point = predecessors[point]
    return length
