"""Cells between configurations, and the marks of regions."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.helpers.running import run_stage
from tracemill.base.errors import UsageError
from tracemill.stages.campaign.efficiency_grid import EFFICIENCY_GRID_STAGE
from tracemill.stages.campaign.scalability import SCALABILITY_STAGE

NINE = (
    "min_processes min_size max_processes max_size mark_procs mark_data mark_all max_efficiency "
    "min_efficiency"
)
ORDER = ("application", "processes", "size")
Row = dict[str, Any]


def near(*values: Any) -> list[Any]:
    return [value if value is None else pytest.approx(value, abs=1e-12) for value in values]


def configurations(points: Mapping[tuple[int, float], float | None], **others: Any) -> list[Row]:
    """Rows of the grid; None is a configuration without a run."""
    return [
        {
            "application": "app",
            "processes": p,
            "size": d,
            "efficiency": e,
            "state": "missing" if e is None else "measured",
            "reason": "there is no run" if e is None else None,
        }
        | others
        for (p, d), e in points.items()
    ]


def scalability(rows: list[Row], **options: Any) -> dict[str, list[Row]]:
    return run_stage(SCALABILITY_STAGE, {"efficiency_grid": rows}, **options)


def chosen(rows: list[Row], columns: str) -> list[list[Any]]:
    return [[row[name] for name in columns.split()] for row in rows]


#  d = 40   1.0   1.0   1.0
#  d = 20   1.0    .    0.6
#  d = 10   1.0   0.8   0.4
#   p =      1     2     4
WITH_A_GAP = {
    (1, 10): 1.0, (2, 10): 0.8, (4, 10): 0.4,
    (1, 20): 1.0, (2, 20): None, (4, 20): 0.6,
    (1, 40): 1.0, (2, 40): 1.0, (4, 40): 1.0,
}  # fmt: skip


def test_cells_reach_over_missing_configurations():
    """At (1, 10) two cells have two squares; that from 1 to 2 has fewer steps of processes.

    That at (1, 20), from 1 to 4, would overlap it.
    """
    cells = scalability(configurations(WITH_A_GAP))["grid_cells"]
    box = "lower_processes upper_processes lower_size upper_size skipped_processes skipped_sizes"
    assert chosen(cells, box) == [[1, 2, 10, 40, 0, 1], [2, 4, 10, 40, 0, 1]]
    corners = "efficiency_11 efficiency_12 efficiency_21 efficiency_22"
    assert chosen(cells, corners) == [[1.0, 0.8, 1.0, 1.0], [0.8, 0.4, 1.0, 1.0]]
    # (-0.2 + 0) / 2 and (0 + 0.2) / 2; (-0.4 + 0) / 2 and (0.2 + 0.6) / 2.
    assert chosen(cells, "growth_processes growth_size growth_both") == [
        near(-0.1, 0.1, 0),
        near(-0.2, 0.4, 0.1),
    ]
    # Of the 3 processes between 1 and 4, a third and two thirds; all 30 between the sizes.
    assert chosen(cells, "mark_procs mark_data mark_all") == [
        near(-0.1 / 3, 0.1, 0),
        near(-0.4 / 3, 0.4, 0.2 / 3),
    ]
    # Only growth with both has two signs: none, then positive.
    assert chosen(cells, "part_by_processes part_by_size part_by_both") == [[1, 1, 1], [1, 1, 2]]


def test_marks_of_the_whole_region_are_means_over_its_cells():
    whole = scalability(configurations(WITH_A_GAP))["scalability_marks"][:1]
    assert chosen(whole, "region split_by part growth reason") == [
        ["whole", "nothing", None, None, None]
    ]
    procs, data, both = -0.5 / 3, 0.5, 0.2 / 3
    assert chosen(whole, NINE) == [near(1, 10, 4, 40, procs / 2, data / 2, both / 2, 1.0, 0.4)]
    assert chosen(whole, "mark_procs_sum mark_data_sum mark_all_sum") == [near(procs, data, both)]
    # From 1 to 4 processes: -0.6 at 10 and 0 at 40. From 10 to 40: 0 at 1, 0.2 at 2, 0.6 at 4,
    # so (0 + 0.2) / 2 over a third and (0.2 + 0.6) / 2 over two thirds.
    assert chosen(whole, "growth_processes growth_size growth_both") == [near(-0.3, 0.3, 0)]
    counts = "configuration_count missing_count cell_count covered_share"
    assert chosen(whole, counts) == [near(8, 1, 2, 1)]


def test_a_part_is_a_region_of_its_own():
    regions = scalability(configurations(WITH_A_GAP))["scalability_marks"]
    assert chosen(regions, "region growth cell_count configuration_count missing_count") == [
        ["whole", None, 2, 8, 1],
        ["growth with processes 1", "negative", 2, 6, None],
        ["growth with size 1", "positive", 2, 6, None],
        ["growth with both 1", "none", 1, 4, None],
        ["growth with both 2", "positive", 1, 4, None],
    ]
    assert chosen(regions[-1:], NINE) == [near(2, 10, 4, 40, -0.2, 0.4, 0.1, 1.0, 0.4)]
    assert regions[1]["mark_procs"] == regions[0]["mark_procs"]


def test_a_change_of_sign_parts_the_region():
    """Efficiency rises up to 2 processes and falls behind: the marks are 0, those of parts not."""
    rows = configurations(
        {(p, d): e for p, e in ((1, 0.5), (2, 0.75), (3, 0.5)) for d in (10, 20, 30)}
    )
    regions = scalability(rows)["scalability_marks"]
    assert chosen(regions, "region mark_procs growth min_processes max_processes cell_count") == [
        ["whole", 0, None, 1, 3, 4],
        ["growth with processes 1", 0.25, "positive", 1, 2, 2],
        ["growth with processes 2", -0.25, "negative", 2, 3, 2],
        ["growth with size 1", 0, "none", 1, 3, 4],
        ["growth with both 1", 0.25, "positive", 1, 2, 2],
        ["growth with both 2", -0.25, "negative", 2, 3, 2],
    ]


def test_small_growth_can_count_as_none():
    rows = configurations({(1, 10): 0.5, (2, 10): 0.49, (1, 20): 0.5, (2, 20): 0.49})
    parts = scalability(rows)["scalability_marks"][1:]
    assert chosen(parts, "growth") == [["negative"], ["none"], ["negative"]]
    parts = scalability(rows, grid_least_growth=0.02)["scalability_marks"][1:]
    assert chosen(parts, "growth") == [["none"], ["none"], ["none"]]


def test_rounding_makes_no_parts():
    """Ideal on 1 and 2 processes, but for 1e-7 up and down at every second size.

    Growth of 3e-7 of an efficiency is still none, growth of 3e-6 is not.
    """
    noise = {(p, d): 0.5 + (-1) ** d * 1e-7 for p in (1, 2) for d in range(8)}
    regions = scalability(configurations(noise))["scalability_marks"]
    assert chosen(regions, "growth cell_count") == [[None, 7], *[["none", 7]] * 3]
    steps = {(p, d): 0.5 * (1 + d * 3e-7) for p in (1, 2) for d in (0, 1)}
    assert scalability(configurations(steps))["scalability_marks"][2]["growth"] == "none"
    steps = {(p, d): 0.5 * (1 + d * 3e-6) for p in (1, 2) for d in (0, 1)}
    assert scalability(configurations(steps))["scalability_marks"][2]["growth"] == "positive"


def test_cells_that_touch_at_a_corner_are_different_parts():
    """Growth with both is half of that along the diagonal: positive, negative like a chessboard."""
    rows = configurations({
        (1, 1): 0.25, (1, 2): 0.5, (1, 3): 0.5,
        (2, 1): 0.5, (2, 2): 0.5, (2, 3): 0.25,
        (3, 1): 0.5, (3, 2): 0.25, (3, 3): 0.75,
    })  # fmt: skip
    cells = scalability(rows)["grid_cells"]
    columns = "lower_processes lower_size growth_both part_by_both"
    assert chosen(cells, columns) == [
        [1, 1, 0.125, 1],
        [1, 2, -0.125, 2],
        [2, 1, -0.125, 3],
        [2, 2, 0.125, 4],
    ]


# --- Grids without cells -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "ranges", "reason"),
    [
        ({(4, 10): 0.5, (4, 20): 1.0}, (4, 10, 4, 20, 1.0, 0.5),
         "two numbers of processes are needed, and all runs have 4"),
        ({(2, 10): 1.0, (4, 10): 0.5}, (2, 10, 4, 10, 1.0, 0.5),
         "two sizes are needed, and all runs have 10"),
        ({(1, 10): 1.0, (2, 20): 0.5, (4, 40): 0.25}, (1, 10, 4, 40, 1.0, 0.25),
         "no two numbers of processes have efficiencies at the same two sizes"),
        ({(1, 10): None, (2, 20): None}, (None,) * 6, "no configuration has an efficiency"),
    ],
)  # fmt: skip
def test_without_cells_there_are_ranges_but_no_marks(
    points: Mapping[tuple[int, float], float | None], ranges: tuple[Any, ...], reason: str
):
    found = scalability(configurations(points))
    assert found["grid_cells"] == []
    (whole,) = found["scalability_marks"]
    assert whole["reason"] == reason
    marks = (None, None, None)
    assert chosen([whole], NINE) == [[*ranges[:4], *marks, *ranges[4:]]]
    assert chosen([whole], "cell_count covered_share growth_both mark_all_sum") == [
        [0, 0, None, None]
    ]


def test_cells_may_cover_a_part_of_the_region():
    """(4, 40) stands alone: the cell covers 1 of 3 processes and 10 of 30, and is marked alone."""
    points = {(1, 10): 1.0, (2, 10): 1.0, (1, 20): 1.0, (2, 20): 0.5, (4, 40): 0.25}
    whole = scalability(configurations(points))["scalability_marks"][:1]
    columns = "covered_share cell_count mark_procs mark_data mark_all min_efficiency max_processes"
    # Growth is (0 - 0.5) / 2 with each. The lowest efficiency is that of all configurations.
    assert chosen(whole, columns) == [near(1 / 9, 1, -0.25, -0.25, -0.25, 0.25, 2)]


#  d = 400   1.0   1.0   1.0    .
#  d = 200   1.0   0.9    .    0.6
#  d = 100   1.0   0.8   0.7   0.5
#    p =      1     2     4     8
WITH_A_CORNER_MISSING = {
    (1, 100): 1.0, (2, 100): 0.8, (4, 100): 0.7, (8, 100): 0.5,
    (1, 200): 1.0, (2, 200): 0.9, (4, 200): None, (8, 200): 0.6,
    (1, 400): 1.0, (2, 400): 1.0, (4, 400): 1.0, (8, 400): None,
}  # fmt: skip


def test_growth_covers_cells_only():
    """Cells 1-2 × 100-200, 1-2 × 200-400 and 2-4 × 100-400: no cell reaches 8 processes.

    2-8 × 100-200 has two squares as 2-4 × 100-400 has, which it would overlap, and more steps of
    processes.
    """
    found = scalability(configurations(WITH_A_CORNER_MISSING))
    box = "lower_processes upper_processes lower_size upper_size"
    assert chosen(found["grid_cells"], box) == [
        [1, 2, 100, 200],
        [1, 2, 200, 400],
        [2, 4, 100, 400],
    ]
    # With processes: (-0.2 - 0.1) / 2, (-0.1 + 0) / 2 and (-0.1 + 0) / 2. With size:
    # (0 + 0.1) / 2, (0 + 0.1) / 2 and (0.2 + 0.3) / 2.
    assert chosen(found["grid_cells"], "growth_processes growth_size") == [
        near(-0.15, 0.05),
        near(-0.05, 0.05),
        near(-0.05, 0.25),
    ]
    # Parts of processes, 1 to 4: 1/3, 1/3, 2/3; of sizes, 100 to 400: 1/3, 2/3, 3/3.
    assert chosen(found["grid_cells"], "mark_procs mark_data") == [
        near(-0.05, 0.05 / 3),
        near(-0.05 / 3, 0.1 / 3),
        near(-0.1 / 3, 0.25),
    ]
    whole = found["scalability_marks"][:1]
    ranges = "min_processes max_processes min_size max_size max_efficiency min_efficiency"
    assert chosen(whole, ranges) == [[1, 4, 100, 400, 1.0, 0.5]]
    # -0.15 / 3 - 0.05 × 2/3 - 0.05 with processes; (0.05 + 0.05) / 3 + 0.25 × 2/3 with size.
    # Cells are 3 of 7 of the area.
    columns = "growth_processes growth_size mark_procs mark_data covered_share"
    assert chosen(whole, columns) == [near(-0.4 / 3, 0.2, -0.1 / 3, 0.1, 3 / 7)]


def test_growth_from_end_to_end_skips_gaps_between_cells():
    """Cells 1-2 × 10-20 and 4-5 × 30-40: they cover 2 of 4 processes and 20 of 30 in size."""
    points = {(1, 10): 1.0, (2, 10): 0.9, (4, 30): 0.6, (5, 30): 0.5}
    points |= {(1, 20): 1.0, (2, 20): 0.9, (4, 40): 0.8, (5, 40): 0.7}
    whole = scalability(configurations(points))["scalability_marks"][:1]
    # Over 10-20 it falls by 0.1 with processes, over 30-40 too: in the mean by 0.1. With size it
    # stays over 1-2, and grows by 0.2 over 4-5: by 0.1. Each cell covers 1 of 4 and 10 of 30.
    columns = "growth_processes growth_size covered_share max_processes max_size"
    assert chosen(whole, columns) == [near(-0.1, 0.1, 1 / 6, 5, 40)]


def test_without_rows_there_are_no_regions():
    assert scalability([]) == {"grid_cells": [], "scalability_marks": []}


# --- Choices -------------------------------------------------------------------------------------


def test_runs_out_of_memory_count_as_zero_only_on_request():
    rows = configurations({(1, 10): 1.0, (2, 10): 0.5, (1, 20): 1.0})
    short = {"efficiency": None, "state": "out of memory", "reason": "12 GB of 8"}
    failed = {"efficiency": None, "state": "failed", "reason": "node crashed"}
    rows += [
        rows[0] | {"processes": 2, "size": 20} | short,
        rows[0] | {"processes": 4, "size": 10} | failed,
    ]
    columns = "mark_all min_efficiency max_processes configuration_count are_memory_failures_zero"
    (whole, *_) = chosen(scalability(rows)["scalability_marks"], columns)
    assert whole == [None, 0.5, 2, 3, False]
    found = scalability(rows, grid_memory_failures_are_zero=True)["scalability_marks"]
    # Growth with processes is (-0.5 - 1) / 2, with size (0 - 0.5) / 2.
    assert chosen(found, columns)[0] == [(-0.75 - 0.25) / 2, 0, 2, 4, True]


def test_size_can_be_the_amount_of_computation():
    """Sizes 1, 2 and 3 are 1, 8 and 27 operations."""
    points = {(p, d): d / 4 / p for p in (1, 2) for d in (1, 2, 3)}
    rows = configurations(points)
    for row in rows:
        row["computation_size"] = row["size"] ** 3
    (whole, *_) = chosen(scalability(rows)["scalability_marks"], f"{NINE} size_axis")
    # With size, 0.25 at 1 process and 0.125 at 2, twice, each over half of the range.
    assert whole[1::2][:2] == [1, 3]
    assert whole[5] == pytest.approx(0.1875 / 2)
    found = scalability(rows, grid_size_axis="computation size")
    (whole, *_) = chosen(found["scalability_marks"], f"{NINE} size_axis")
    assert whole[1::2][:2] == [1, 27]
    # Over 7 of 26, then 19 of 26: the mean is the same. Growth with processes and size together:
    # -(1 + 2) / 16 and -(2 + 3) / 16 with processes, 0.1875 with size.
    assert whole[5] == pytest.approx(0.1875 / 2)
    first, second = (-3 / 16 + 3 / 16) / 2, (-5 / 16 + 3 / 16) / 2
    assert whole[6] == pytest.approx((first * 7 / 26 + second * 19 / 26) / 2)
    assert whole[9] == "computation size"
    assert chosen(found["grid_cells"], "lower_size upper_size size_axis") == [
        [1, 8, "computation size"],
        [8, 27, "computation size"],
    ]


def test_sizes_with_the_same_amount_of_computation_are_one():
    points = {(p, d): 1.0 / p for p in (1, 2) for d in (-2, 2, 3)}
    points[2, -2] = 0.75
    rows = configurations(points)
    for row in rows:
        row["computation_size"] = row["size"] ** 2
    (cell,) = scalability(rows, grid_size_axis="computation size")["grid_cells"]
    assert cell["efficiency_12"] == 0.75


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid_size_axis": "n"}, "grid_size_axis is 'n': .* size, computation size"),
        ({"grid_least_growth": -0.1}, "grid_least_growth is -0.1: it must be at least 0"),
    ],
)
def test_an_impossible_option_is_an_error(options: Row, message: str):
    with pytest.raises(UsageError, match=message):
        scalability([], **options)


# --- From runs to marks --------------------------------------------------------------------------


def runs_to_marks(runs: list[Row], definitions: Mapping[str, str]) -> list[Row]:
    settings = [
        {"application": name, "efficiency_definition": definition, "attainable_per_second": 10.0}
        for name, definition in definitions.items()
    ]
    numbered = [
        {"campaign_run_id": at, "threads": 1, "computation_size": 100.0} | row
        for at, row in enumerate(runs)
    ]
    tables = {"campaign_settings": settings, "campaign_runs": numbered}
    rows = run_stage(EFFICIENCY_GRID_STAGE, tables)["efficiency_grid"]
    return [row for row in scalability(rows)["scalability_marks"] if row["region"] == "whole"]


def square(application: str, times: tuple[int, int, int, int]) -> list[Row]:
    """Runs on 2 and 4 processes of sizes 10 and 20, in seconds."""
    places = ((2, 10.0), (4, 10.0), (2, 20.0), (4, 20.0))
    return [
        {"application": application, "processes": p, "size": d, "time_ns": time * 10**9}
        for (p, d), time in zip(places, times, strict=True)
    ]


def test_a_run_that_was_made_twice_counts_once():
    speed_up = {"app": "speed-up over the smallest run"}
    once = square("app", (8, 5, 8, 4))
    assert runs_to_marks(once + once, speed_up) == runs_to_marks(once, speed_up)
    slower = square("app", (9, 6, 9, 5))
    assert runs_to_marks(slower + once, speed_up) == runs_to_marks(once, speed_up)


def test_every_program_has_its_own_definition_of_efficiency():
    """Efficiencies on 2 and 4 processes of size 10, then of size 20.

    Of a, 8 / seconds, halved on 4 processes: 1 and 0.8, 1 and 1.
    Of b, 100 / (seconds × processes × 10): 1 and 0.5, 1 and 0.25.
    """
    runs = square("a", (8, 5, 8, 4)) + square("b", (5, 5, 5, 10))
    definitions = {"a": "speed-up over the smallest run", "b": "attainable performance"}
    found = runs_to_marks(runs, definitions)
    columns = "application efficiency_definition min_reference_processes max_reference_processes"
    assert chosen(found, columns) == [
        ["a", "speed-up over the smallest run", 2, 2],
        ["b", "attainable performance", None, None],
    ]
    assert chosen(found, NINE) == [
        near(2, 10, 4, 20, -0.1, 0.1, 0, 1.0, 0.8),
        near(2, 10, 4, 20, -0.625, -0.125, -0.375, 1.0, 0.25),
    ]


def test_the_order_of_rows_does_not_matter():
    runs = square("a", (8, 5, 8, 4)) + square("a", (9, 5, 9, 3)) + square("b", (5, 5, 5, 10))
    runs = [row | {"campaign_run_id": at} for at, row in enumerate(runs)]
    definitions = dict.fromkeys("ab", "attainable performance")
    assert runs_to_marks(runs[::-1], definitions) == runs_to_marks(runs, definitions)
    rows = configurations(WITH_A_GAP)
    assert scalability(rows[::-1]) == scalability(rows)
