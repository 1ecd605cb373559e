"""Phases of random curves, against a slow search, and laws about thresholds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracemill.stages.phase_boundaries import Boundary, find_boundaries
from tracemill.stages.phases import times_until

BITS = st.integers(0, 8).map(lambda eighths: eighths / 8)
WIDTHS = st.sampled_from([1, 3, 5])
CURVES = st.integers(12, 40).flatmap(
    lambda size: st.lists(
        st.lists(BITS, min_size=size, max_size=size).map(np.array), min_size=1, max_size=3
    )
)


def slow_strengths(curve: list[float], width: int) -> list[float]:
    """Strength of every bin, from the definition."""
    size, half = len(curve), width // 2
    smoothed = []
    for at in range(size):
        near = [curve[other] for other in range(size) if abs(other - at) <= half]
        smoothed.append(sum(near) / len(near))
    steps = [0.0] + [smoothed[at] - smoothed[at - 1] for at in range(1, size)]
    steps = [0.0 if abs(step) < 1e-12 else step for step in steps]
    heights = []
    for at, step in enumerate(steps):
        low = high = at
        while low > 1 and steps[low - 1] * step >= 0:
            low -= 1
        while high + 1 < size and steps[high + 1] * step >= 0:
            high += 1
        heights.append(abs(smoothed[high] - smoothed[max(low - 1, 0)]) if step else 0.0)
    products = [height * abs(step) for height, step in zip(heights, steps, strict=True)]
    total = sum(products)
    span = max(smoothed) - min(smoothed)
    return [product / total * span if total else 0.0 for product in products]


def slow_boundaries(curves: list[list[float]], width: int) -> list[Boundary]:
    sums = [sum(each) for each in zip(*(slow_strengths(c, width) for c in curves), strict=True)]
    if not any(sums):
        return []
    relative = [round(each / max(sums), 12) for each in sums]
    greatest = [
        at
        for at, each in enumerate(relative)
        if each > 0 and each >= max(relative[max(at - width, 0) : at + width + 1])
    ]
    found = []
    while greatest:
        equal = [at for at in greatest if at <= greatest[0] + width]
        middle = equal[len(equal) // 2]
        found.append(Boundary(middle, relative[middle]))
        greatest = greatest[len(equal) :]
    return found


@given(CURVES, WIDTHS)
def test_boundaries_are_those_of_a_slow_search(curves: list[np.ndarray], width: int) -> None:
    found = find_boundaries(curves, [1.0] * len(curves), width=width)
    expected = slow_boundaries([curve.tolist() for curve in curves], width)
    assert [at for at, _ in found] == [at for at, _ in expected]
    assert np.allclose([each.strength for each in found], [each.strength for each in expected])


@given(CURVES, WIDTHS)
def test_a_higher_threshold_only_removes_boundaries(curves: list[np.ndarray], width: int) -> None:
    found = find_boundaries(curves, [1.0] * len(curves), width=width)
    before = {each.bin for each in found}
    for threshold in np.arange(1, 101) / 100:
        bins = {each.bin for each in found if each.strength >= threshold}
        assert bins <= before
        before = bins
    assert bool(before) == bool(found)  # the strongest change has strength 1


STRETCHES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-5, 30), st.integers(0, 20)), max_size=8
)


@given(STRETCHES, st.sets(st.integers(0, 25), min_size=2))
def test_time_until_an_edge_is_that_of_every_nanosecond(
    stretches: list[tuple[int, int, int]], edges: set[int]
) -> None:
    key, begin, length = np.array(stretches, np.int64).reshape(-1, 3).T
    ordered = np.array(sorted(edges))
    found = times_until(key, begin, begin + length, ordered, 3)
    for at, edge in enumerate(ordered):
        for number in range(3):
            assert found[number, at] == sum(
                start <= moment < start + size
                for each, start, size in stretches
                if each == number
                for moment in range(ordered[0], edge)
            )
