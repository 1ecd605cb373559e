"""Which call paths a page explores, and sums of their values, against walks up the tree."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracemill.reports.explored_cells import Cells, largest_cells, sum_of
from tracemill.reports.explored_tree import ExploredTree


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[int, int], dict[int, int]]:
    """Callers, -1 without one, and inclusive times of call paths that are numbered depth-first."""
    callers: dict[int, int] = {}
    open_paths: list[int] = []
    number = 0
    for _ in range(draw(st.integers(1, 12))):
        number += draw(st.integers(1, 2))  # a focus has some of the numbers only
        del open_paths[draw(st.integers(0, len(open_paths))) :]
        callers[number] = open_paths[-1] if open_paths else -1
        open_paths.append(number)
    times = dict.fromkeys(callers, 0)
    for path in reversed(callers):
        times[path] += draw(st.integers(0, 3))
        if callers[path] >= 0:
            times[callers[path]] += times[path]
    return callers, times


@given(trees(), st.integers(1, 12), st.randoms())
def test_values_count_for_the_closest_shown_caller(
    tree: tuple[dict[int, int], dict[int, int]], most: int, chance: Random
) -> None:
    callers, times = tree
    order = list(callers)
    chance.shuffle(order)
    found = ExploredTree(
        paths={
            "call_path_id": np.array(order),
            "parent_call_path_id": np.array([callers[path] for path in order]),
        },
        times={
            "call_path_id": np.array(list(times)),
            "inclusive_ns": np.array(list(times.values())),
        },
        most=most,
    )
    shown = sorted(sorted(times, key=lambda path: (-times[path], path))[:most])
    assert found.shown.tolist() == shown
    for path in callers:
        above = path
        while above >= 0 and above not in shown:
            above = callers[above]
        assert found.places[path] == (shown.index(above) if above >= 0 else len(shown))
    assert found.places[-1] == len(shown)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(-3, 3))), st.sampled_from([41, 10_000]))
def test_sums_are_those_of_equal_keys(rows: list[tuple[int, int]], key_count: int) -> None:
    keys, values = np.array(rows, np.int64).reshape(-1, 2).T
    expected = {key: int(values[keys == key].sum()) for key in sorted(set(keys.tolist()))}
    found = sum_of(keys, values, key_count)
    kept = [(key, value) for key, value in expected.items() if value]
    assert list(zip(found.keys.tolist(), found.values.tolist(), strict=True)) == kept


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), max_size=4), st.integers(1, 9))
def test_the_largest_of_each_unit_are_left(drawn: list[list[int]], most: int) -> None:
    names = [f"m{at}" for at in range(len(drawn))]
    units = {name: "ns" if at % 2 else "bytes" for at, name in enumerate(names)}
    given_cells = [Cells(np.arange(len(each)), np.array(each)) for each in drawn]
    cells = dict(zip(names, given_cells, strict=True))
    left, is_cut = largest_cells(cells, units, most)
    whole = [max(sum(each) for each in drawn[at % 2 :: 2]) for at in range(len(drawn))]
    ranked = sorted(
        (-value / whole[at], at, place)
        for at, each in enumerate(drawn)
        for place, value in enumerate(each)
    )
    expected = sorted((names[at], place) for _, at, place in ranked[:most])
    assert is_cut == (len(ranked) > most)
    assert [(name, place) for name in left for place in left[name].keys.tolist()] == expected
