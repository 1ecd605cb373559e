"""Repetitions that are found in sequences, against trying all of them."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tracemill.forecast.from_traces.iterations import Run, find_runs


def try_all(values: Sequence[int]) -> set[Run]:
    """All repetitions of three times or more that cannot be extended, of primitive sequences."""
    found = set()
    for period in range(1, len(values) // 3 + 1):
        start = 0
        while start + period < len(values):
            end = start
            while end + period < len(values) and values[end] == values[end + period]:
                end += 1
            total = end - start + period
            sequence = tuple(values[start : start + period])
            if total >= 3 * period and is_primitive(sequence):
                found.add(Run(start, period, total // period))
            start = end + 1
    return found


def is_primitive(sequence: tuple[int, ...]) -> bool:
    size = len(sequence)
    parts = [each for each in range(1, size) if size % each == 0]
    return not any(sequence == sequence[:each] * (size // each) for each in parts)


@st.composite
def sequences(draw: st.DrawFn) -> list[int]:
    """Sequences with repetitions, also nested ones."""
    values: list[int] = []
    for _ in range(draw(st.integers(1, 5))):
        body = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
        inner = body * draw(st.integers(1, 5)) + draw(st.lists(st.integers(0, 3), max_size=2))
        values += inner * draw(st.integers(1, 4))
    return values


@given(sequences())
def test_all_repetitions_are_found(values: list[int]) -> None:
    assert set(find_runs(values)) == try_all(values)


def test_a_hundred_thousand_elements_take_no_time() -> None:
    body = [0, 1, 1, 1, 2, *([3, 4] * 31)]
    values = [9, *(body * 1500), 8]
    longest = max(find_runs(values), key=lambda run: run.length)
    assert longest == Run(1, len(body), 1500)
