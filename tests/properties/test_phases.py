"""Phases of random curves, against a slow search, and laws about thresholds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracemill.kernels.interval_times import IntervalTimes
from tracemill.stages.phase_boundaries import Boundary, find_boundaries

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
def test_the_strongest_change_has_strength_one(curves: list[np.ndarray], width: int) -> None:
    found = find_boundaries(curves, [1.0] * len(curves), width=width)
    assert max((each.strength for each in found), default=1.0) == 1.0


STRETCHES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-5, 30), st.integers(0, 20)),
    max_size=8,
)


@given(STRETCHES, st.sets(st.integers(0, 25), min_size=2))
def test_time_between_edges_is_that_of_every_nanosecond(
    stretches: list[tuple[int, int, int, int]], edges: set[int]
) -> None:
    gain, lose, begin, length = np.array(stretches, np.int64).reshape(-1, 4).T
    ordered = np.array(sorted(edges))
    times = IntervalTimes(ordered, 3)
    rows = np.stack([gain, lose], axis=1).astype(np.int32)
    times.add(np.arange(len(gain), dtype=np.int32), rows, begin, begin + length)
    expected = np.zeros((len(ordered) - 1, 3), np.int64)
    for gaining, losing, start, size in stretches:
        for moment in range(max(start, ordered[0]), min(start + size, ordered[-1])):
            at = np.searchsorted(ordered, moment, "right") - 1
            expected[at, gaining] += 1
            expected[at, losing] -= 1
    assert (times.times() == expected).all()
