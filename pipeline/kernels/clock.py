"""Ticks of the trace's clock as nanoseconds."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import step

_MOST_SECONDS = 9_000_000_000
_MOST_TICKS = 9_000_000_000
"""Limit of the resolution: products with a billion must fit into 64 bits."""


@step
def _divide(dividend: Any, divisor: Any, reciprocal: Any) -> Any:
    """Integer quotient rounded down, without the slow integer division."""
    quotient = np.int64(np.float64(dividend) * reciprocal)
    rest = dividend - quotient * divisor
    while rest < 0:
        quotient -= 1
        rest += divisor
    while rest >= divisor:
        quotient += 1
        rest -= divisor
    return quotient


@step
def ns_of_rest(rest: Any, resolution: Any, reciprocal: Any) -> Any:
    """Nanoseconds of a rest of less than a second; the resolution is at most _MOST_TICKS."""
    return _divide(rest * 1_000_000_000 + resolution // 2, resolution, reciprocal)


@step
def second_of(ticks: Any, clock: Any) -> Any:
    """The second around a time: its first tick, number of ticks, and begin in ns.

    Most times are in the same second as the one before, and need only `ns_of_rest`. The number of
    ticks is 0 if times need `ticks_to_ns`.
    """
    offset, resolution = clock[0], clock[1]
    seconds = (np.int64(ticks) - offset) // resolution
    if resolution > _MOST_TICKS or abs(seconds) >= _MOST_SECONDS:
        return np.int64(0), np.int64(0), np.int64(0)
    return offset + seconds * resolution, resolution, seconds * 1_000_000_000


@step
def ticks_to_ns(ticks: Any, clock: Any) -> Any:
    """Nanoseconds since the zero of the trace, rounded to nearest, for every resolution.

    Times more than 285 years away are impossible, and become 285 years.
    """
    offset, resolution = clock[0], clock[1]
    since = np.int64(ticks) - offset
    if resolution == 1_000_000_000:
        return since
    reciprocal = 1.0 / np.float64(resolution)
    seconds = _divide(since, resolution, reciprocal)
    if abs(seconds) >= _MOST_SECONDS:
        return _MOST_SECONDS * 1_000_000_000 * (1 if seconds > 0 else -1)
    rest = since - seconds * resolution
    if resolution <= _MOST_TICKS:
        return seconds * 1_000_000_000 + ns_of_rest(rest, resolution, reciprocal)
    nanoseconds = np.int64(0)
    for _ in range(3):
        rest *= 1000
        nanoseconds = nanoseconds * 1000 + rest // resolution
        rest %= resolution
    if 2 * rest >= resolution:
        nanoseconds += 1
    return seconds * 1_000_000_000 + nanoseconds
