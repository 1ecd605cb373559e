"""Grids of processes, their evenness, and the search for the best one (Klinov 2008)."""

from fractions import Fraction
from math import prod

import pytest

from tracemill.forecast.grids import (
    Grid,
    extent_evenness,
    grid_evenness,
    grids_within,
    largest_array,
)  # fmt: skip
from tracemill.forecast.search import Evaluation, Mode, Search, search_grids
from tracemill.programs.placed import Array

TIMES = {1: 100, 2: 60, 3: 45, 4: 40, 6: 39, 12: 99}
"""Times on so many processes; on 5 and 7 to 11, an extent of 12 leaves one without a part."""


def array(*extent: int, distribution: tuple[int | None, ...]) -> Array:
    return Array("A", extent, 8, distribution, ((1, 1),) * len(extent))


@pytest.mark.parametrize(
    ("processes", "ratio"),
    # blocks of 1429, the last 1426; 625; 556, 548; 91, 81; 91, none left; 90, 10
    [(7, 0.998), (16, 1), (18, 0.986), (110, 0.890), (111, 0), (112, 0.111)],
)
def test_evenness_of_10000_elements(processes: int, ratio: float) -> None:
    assert round(float(extent_evenness(10_000, processes)), 3) == ratio


@pytest.mark.parametrize(
    ("most", "one", "two"), [(8, (8, 8), (20, 20)), (64, (64, 64), (280, 280)),
                             (256, (256, 160), (1466, 1260))],
)  # fmt: skip
def test_published_numbers_of_grids(most: int, one: Grid, two: Grid) -> None:
    """All grids of 1 and 2 dimensions, and those without an empty process."""
    for dimensions, expected in ((1, one), (2, two)):
        grids = grids_within(dimensions, most)
        square = array(10_000, 10_000, distribution=((0, None), (0, 1))[dimensions - 1])
        used = [grid for grid in grids if grid_evenness(square, grid) > 0]
        assert (len(grids), len(used)) == expected


def test_grids_of_an_exact_number_of_processes() -> None:
    assert grids_within(2, 6, exactly=True) == [(1, 6), (2, 3), (3, 2), (6, 1)]
    assert len(grids_within(3, 8, exactly=True)) == 10  # 2**3: 5 choose 2
    assert grids_within(1, 7, exactly=True) == [(7,)]


def test_evenness_of_a_grid_is_the_least_of_the_extents_that_are_divided() -> None:
    # 10 over 3: 4, 4, 2; 12 over 5: 3, 3, 3, 3, none; 7 is whole
    placed = array(10, 7, 12, distribution=(1, None, 0))
    assert grid_evenness(placed, (4, 3)) == Fraction(1, 2)
    assert grid_evenness(placed, (5, 3)) == 0
    assert grid_evenness(array(7, distribution=(None,)), (4, 3)) == 1
    assert grid_evenness(None, (4,)) == 1


def test_the_largest_array_is_the_first_of_equals() -> None:
    arrays = [array(*extent, distribution=(None, None)) for extent in ((3, 3), (2, 6), (6, 2))]
    assert largest_array(arrays) is arrays[1]
    assert largest_array([]) is None


def searched(
    *, min_efficiency: float = 0, has_bound: bool = False, mode: Mode = "search"
) -> Search:
    placed = array(12, distribution=(0,))
    return search_grids(
        grids_within(1, 12),
        evenness=lambda grid: grid_evenness(placed, grid),
        evaluate=lambda grid: Evaluation(TIMES[grid[0]], 100 / (TIMES[grid[0]] * grid[0])),
        bound=(lambda grid: Evaluation(130 / grid[0])) if has_bound else None,
        min_efficiency=min_efficiency,
        mode=mode,
    )


def fates(search: Search) -> dict[int, tuple[str, int]]:
    return {each.grid[0]: (each.fate, each.step) for each in search.candidates}


def test_a_search_starts_in_the_middle_and_drops_what_is_beside_the_neighbors_of_the_best() -> None:
    """Left 1 2 3 4 6 12: 4; left 1 2 3 6 12: 3, drops 1 and 2; left 6 12: 12; then 6."""
    search = searched()
    assert [each.grid for each in search.evaluated] == [(4,), (3,), (12,), (6,)]
    assert search.best is not None
    assert search.best.grid == (6,)
    dropped = {1: ("class", 2), 2: ("class", 2)}
    empty = dict.fromkeys((5, 7, 8, 9, 10, 11), ("empty process", 0))
    evaluated = {
        count: ("evaluated", step) for step, count in enumerate((4, 3, 12, 6), start=1)
    }  # fmt: skip
    assert fates(search) == empty | dropped | evaluated


def test_a_grid_whose_bound_exceeds_the_best_time_is_not_evaluated_but_judged() -> None:
    """3 is passed over: 130 / 3 = 43.3 > 40; in its class it drops 1 and 2 all the same."""
    search = searched(has_bound=True)
    assert [each.grid for each in search.evaluated] == [(4,), (12,), (6,)]
    assert search.best is not None
    assert search.best.grid == (6,)
    assert fates(search)[3] == ("bound", 2)
    assert fates(search)[1] == fates(search)[2] == ("class", 2)
    # Of the dropped 1 and 2, 2 has the least bound, 65, which is above the best time, 39.
    assert search.possible_loss == 0


def test_the_best_grid_must_be_efficient_enough() -> None:
    """100 / (39 · 6) = 0.43 is too little, 100 / (40 · 4) = 0.625 is not."""
    for has_bound in (False, True):
        best = searched(min_efficiency=0.5, has_bound=has_bound).best
        assert best is not None
        assert best.grid == (4,)


def test_no_grid_may_be_efficient_enough() -> None:
    search = searched(min_efficiency=1.1)
    assert search.best is None
    # 4 (0.625), none is efficient: below it 1, 2, 3: 2 (0.833), then 1 (1.0)
    assert [each.grid for each in search.evaluated] == [(4,), (2,), (1,)]
    assert search.best_efficiency == 1


def test_few_grids_are_all_evaluated_by_default() -> None:
    for mode in ("auto", "exhaustive"):
        search = searched(mode=mode, has_bound=True)
        assert search.is_exhaustive
        assert [each.grid[0] for each in search.evaluated] == [1, 2, 3, 4, 6, 12]
        assert search.possible_loss == 0


def test_more_than_200_grids_are_searched_by_default() -> None:
    flat = {
        count: search_grids(
            grids_within(1, count), evenness=lambda _: Fraction(1),
            evaluate=lambda grid: Evaluation(1 / grid[0]),
        ) for count in (200, 201)
    }  # fmt: skip
    assert flat[200].is_exhaustive
    assert not flat[201].is_exhaustive


def test_equal_times_prefer_fewer_processes_then_smaller_coordinates() -> None:
    """All take 7 on 4 processes or more: 1x4 is the first of them."""
    search = search_grids(
        grids_within(2, 8), evenness=lambda _: Fraction(1),
        evaluate=lambda grid: Evaluation(7 if prod(grid) >= 4 else 9), mode="exhaustive",
    )  # fmt: skip
    assert search.best is not None
    assert search.best.grid == (1, 4)


def test_nets_are_searched_from_the_most_even_one() -> None:
    """10 over 1, 2, 5, 10: even; 4: 3 3 3 1; 3: 4 4 2; 6 to 9 and the rest leave one empty.

    The net of 20 has 1, 2, 5, 10: first 5 (time 5); class neighbors: none. 3 and 4 lie in nets of
    10 and 7. Left 1 2 10: 2 (time 8); best 5, so 1 goes; left 10: 10 (time 9), best 5: 3 and 4 stay
    between 2 and 5. Then 3 (time 6), best 5; then 4 (time 4).
    """
    times = {1: 10, 2: 8, 3: 6, 4: 4, 5: 5, 10: 9}
    placed = array(10, distribution=(0,))
    search = search_grids(
        grids_within(1, 10), evenness=lambda grid: grid_evenness(placed, grid),
        evaluate=lambda grid: Evaluation(times[grid[0]]), mode="search",
    )  # fmt: skip
    assert [each.grid[0] for each in search.evaluated] == [5, 2, 10, 3, 4]


def test_the_possible_loss_is_that_of_the_least_bound_among_dropped_grids() -> None:
    """Bounds of 10 everywhere: of the best time, 39, at most 29 / 39 can be lost."""
    placed = array(12, distribution=(0,))
    search = search_grids(
        grids_within(1, 12), evenness=lambda grid: grid_evenness(placed, grid),
        evaluate=lambda grid: Evaluation(TIMES[grid[0]]), bound=lambda _: Evaluation(10.0),
        mode="search",
    )  # fmt: skip
    assert search.count("class") == 2
    assert search.possible_loss == 1 - 10 / 39
