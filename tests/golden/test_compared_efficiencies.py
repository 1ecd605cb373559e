"""Efficiencies of both sides of a comparison: one interval, which all runs have."""

import pytest

from tracemill.comparison.efficiencies import Efficiencies

INNER, WHOLE, FOCUS = "init to finalize", "whole", "focus"
TITLES = {"parallel_efficiency": "Parallel efficiency", "load_balance": "Load balance"}
RATIOS = {
    "mpi": {INNER: {"parallel_efficiency": 0.9}, WHOLE: {"parallel_efficiency": 0.5}},
    "threads": {WHOLE: {"parallel_efficiency": 0.75, "load_balance": 0.8}},
    "part": {FOCUS: {"parallel_efficiency": 0.25}},
}


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        (["mpi"], ["mpi"], [(0.9, 0.9)]),
        # A run without MPI_Init has only the whole run.
        (["mpi"], ["threads"], [(0.5, 0.75), (None, 0.8)]),
        (["mpi", "threads"], ["mpi"], [(0.625, 0.5), (0.8, None)]),
        # Nothing in common: the best of each.
        (["mpi"], ["part"], [(0.9, 0.25)]),
        # A run without computation has no efficiencies.
        (["mpi"], ["idle"], [(0.9, None)]),
        (["idle"], ["idle"], []),
    ],
)
def test_all_runs_have_efficiencies_of_the_same_interval(
    base: list[str], other: list[str], expected: list[tuple[float | None, float | None]]
) -> None:
    found = Efficiencies(RATIOS, TITLES).change(base, other)
    assert [(each.base_ratio, each.other_ratio) for each in found] == expected
