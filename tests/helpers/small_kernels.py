"""Kernels that compile quickly, and one that does not compile."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, step


class Pair(NamedTuple):
    left: NDArray[np.int64]
    right: NDArray[np.int32]


@step
def _half(value: Any) -> Any:
    return value / 2


@kernel
def describe(pair: Any, weight: Any, is_turned: Any, factor: Any) -> Any:
    """A sum, half of it, whether it is turned, and the place and value of the last row."""
    total = np.int64(0)
    for row in range(len(pair.left)):
        total += pair.left[row] * pair.right[row] + weight
    last = len(pair.left) - 1
    return total, _half(total * factor), not is_turned, (last, pair.left[last])


@kernel
def double(values: Any) -> None:
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            values[row, column] *= 2


@kernel
def count_up(first: Any) -> Any:
    """Ten numbers."""
    return (
        first, first + 1, first + 2, first + 3, first + 4,
        (first + 5, first + 6, first + 7, first + 8, first + 9),
    )  # fmt: skip


@kernel
def fail(values: Any) -> Any:
    return values.no_such_thing


@kernel
def divide(dividend: Any, divisor: Any) -> Any:
    return dividend // divisor
