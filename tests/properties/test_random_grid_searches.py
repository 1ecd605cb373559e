"""Searches over random times: as a slow search does, and within the loss that they report."""

from math import prod
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.grid_search import slow_search
from tracemill.forecast.grids import Grid, grid_evenness, grids_within
from tracemill.forecast.search import Evaluation, Search, search_grids
from tracemill.programs.placed import Array


class Case:
    """A random array, times of grids, and bounds below them.

    Times fall with the processes and rise with noise, so that classes are not always convex.
    """

    def __init__(self, dimensions: int, most: int, seed: int) -> None:
        random = Random(seed)
        extent = tuple(random.randint(1, 40) for _ in range(dimensions))
        self.array = Array(
            "A", extent, 8, tuple(range(dimensions)), ((1, 1),) * dimensions
        )  # fmt: skip
        self.grids = grids_within(dimensions, most)
        noise = random.choice((0, 10, 300))
        self.bounds = {grid: 1000 / prod(grid) for grid in self.grids}
        self.times = {
            grid: self.bounds[grid] + random.choice((1, 8)) * sum(grid) + random.randint(0, noise)
            for grid in self.grids
        }

    def evaluate(self, grid: Grid) -> Evaluation:
        return Evaluation(self.times[grid], 1000 / (self.times[grid] * prod(grid)))

    def bound(self, grid: Grid) -> Evaluation:
        return Evaluation(self.bounds[grid], 1000 / (self.bounds[grid] * prod(grid)))

    def search(self, min_efficiency: float = 0.0, *, is_exhaustive: bool = False) -> Search:
        return search_grids(
            self.grids,
            evenness=lambda grid: grid_evenness(self.array, grid),
            evaluate=self.evaluate,
            bound=self.bound,
            min_efficiency=min_efficiency,
            mode="exhaustive" if is_exhaustive else "search",
        )


CASES = st.builds(Case, st.integers(1, 3), st.integers(1, 40), st.integers(0, 10**6))


@settings(max_examples=150, deadline=None)
@given(CASES, st.sampled_from((0.0, 0.3, 0.6, 1.0)))
def test_searches_are_those_of_a_slow_search(case: Case, min_efficiency: float) -> None:
    search = case.search(min_efficiency)
    evenness = {grid: grid_evenness(case.array, grid) for grid in case.grids}
    expected = slow_search(evenness, case.evaluate, case.bound, min_efficiency)
    assert {each.grid: each.fate for each in search.candidates} == expected


@settings(max_examples=150, deadline=None)
@given(CASES)
def test_no_grid_is_better_by_more_than_the_possible_loss(case: Case) -> None:
    search, full = case.search(), case.search(is_exhaustive=True)
    assert search.best is not None
    assert full.best is not None
    assert search.best.time_ns is not None
    assert full.best.time_ns is not None
    assert full.best.time_ns >= (1 - search.possible_loss) * search.best.time_ns * (1 - 1e-12)
    assert search.count("evaluated") <= full.count("evaluated")
    assert full.possible_loss == 0
