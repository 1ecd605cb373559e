"""Ticks to nanoseconds, against exact fractions."""

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tracemill.kernels.clock import ns_of_rest, second_of, ticks_to_ns
from tracemill.kernels.compiled import kernel

NANOSECONDS = 1_000_000_000
LAST = (1 << 63) - 1
MOST_SECONDS = 8_999_999_999


@kernel
def convert(ticks: int, clock: np.ndarray) -> int:
    """The conversion as the kernels call it."""
    return ticks_to_ns(ticks, clock)


@kernel
def convert_after(before: int, ticks: int, clock: np.ndarray) -> int:
    """The conversion of a time that follows another, mostly within the same second."""
    begin, count, begin_ns = second_of(before, clock)
    rest = np.int64(ticks) - begin
    if rest < 0 or rest >= count:
        return ticks_to_ns(ticks, clock)
    return begin_ns + ns_of_rest(rest, clock[1], 1.0 / np.float64(clock[1]))


@st.composite
def clocks(draw: st.DrawFn) -> tuple[int, int, int]:
    """A resolution, an offset, and a tick that is no more than 285 years away from it."""
    known = (1, 3, 1_000, 1_000_000, NANOSECONDS, 2_100_000_000, 9_000_000_000, 9_300_000_000)
    resolution = draw(
        st.sampled_from([*known, 10**12, 10**15])
        | st.integers(1, 10**10)
        | st.integers(9_000_000_000, 9_400_000_000)
        | st.integers(1, 10**15)
    )
    reach = min(LAST, MOST_SECONDS * resolution)
    since = draw(st.integers(-reach, reach) | st.integers(-1_000, 1_000))
    # Both the tick and the offset are unsigned 64-bit numbers.
    offset = draw(st.integers(max(0, -since), min(LAST, 2 * LAST + 1 - since)))
    return resolution, offset, offset + since


@settings(deadline=None)  # compiling counts, too
@given(clocks())
def test_nanoseconds_are_exact(clock: tuple[int, int, int]) -> None:
    resolution, offset, ticks = clock
    exact = Fraction((ticks - offset) * NANOSECONDS, resolution)
    columns = np.array([offset, resolution], np.uint64).view(np.int64)
    assert convert(np.uint64(ticks), columns) == floor(exact + Fraction(1, 2))


@settings(deadline=None)
@given(clocks(), st.integers(0, 10**10))
def test_times_within_a_second_are_exact(clock: tuple[int, int, int], later: int) -> None:
    resolution, offset, before = clock
    ticks = min(before + later % (resolution + 1), offset + min(LAST, MOST_SECONDS * resolution))
    columns = np.array([offset, resolution], np.uint64).view(np.int64)
    exact = Fraction((ticks - offset) * NANOSECONDS, resolution)
    found = convert_after(np.uint64(before), np.uint64(ticks), columns)
    assert found == floor(exact + Fraction(1, 2))
