"""What a campaign's report says of measured runs, of failed ones, and of what was not run."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from pipeline.reports.campaign_sections.efficiency import describe_definitions, describe_speed_up
from pipeline.reports.campaign_sections.indices import describe_computation
from pipeline.reports.campaign_sections.summary import describe_failures, describe_size
from pipeline.reports.campaign_sections.surface import describe_limits, describe_losing
from pipeline.reports.pictures.grids import Grid, draw_surface
from tests.golden.running import run_query

Row = dict[str, Any]

# --- Which runs ----------------------------------------------------------------------------------

OVERVIEW = (
    "run_count measured_count application_count applications size_count size_names min_processes "
    "max_processes min_size max_size failed_min_processes failed_max_processes failed_min_size "
    "failed_max_size configuration_count computation_sizes"
)


def overview(runs: list[tuple[int, float, str]], expression: str = "n") -> Row:
    """The overview of runs of sB: processes, size and state of each."""
    tables: dict[str, list[Row]] = {
        "campaign_settings": [
            {"application": "sB", "size_name": "n", "computation_size_expression": expression}
        ],
        "campaign_runs": [
            {"campaign_run_id": at, "application": "sB", "processes": p, "size": n, "state": state}
            for at, (p, n, state) in enumerate(runs)
        ],
    }
    (row,) = run_query("campaign_overview", tables, OVERVIEW)
    return dict(zip(OVERVIEW.split(), row, strict=True))


def test_ranges_are_of_measured_runs_and_failed_ones_are_told_apart() -> None:
    runs = [(1, 200.0, "measured"), (1, 200.0, "measured"), (8, 400.0, "measured")]
    row = overview([*runs, (16, 400.0, "failed"), (32, 800.0, "out of memory")])
    assert row["configuration_count"] == 2
    assert describe_size(row) == "3 runs of sB with 1 to 8 processes, n = 200 to 400."
    assert describe_failures(row) == (
        "2 runs failed, with 16 to 32 processes and n = 400 to 800; see Runs."
    )
    assert describe_failures(overview(runs)) == ""


def test_where_all_runs_failed_the_ranges_are_theirs() -> None:
    row = overview([(4, 100.0, "failed"), (8, 100.0, "failed")])
    assert describe_size(row) == "0 runs of sB with 4 to 8 processes."


# --- What numbers mean ---------------------------------------------------------------------------


def test_a_size_that_stands_for_the_amount_of_computation_is_told() -> None:
    assumed = describe_computation(overview([(1, 100.0, "measured")]))
    assert assumed.startswith("The size n itself is taken as the amount of computation: ")
    assert '--computation-size, such as "n**3"' in assumed
    stated = describe_computation(overview([(1, 100.0, "measured")], "2*n**3"))
    assert stated.startswith("The amount of computation is 2*n**3: ")
    assert "--computation-size" not in stated


@pytest.mark.parametrize(
    ("definition", "formula"),
    [
        ("speed-up over the smallest run", "speed-up / p = (T0 × p0) / (T × p)"),
        ("attainable performance", "amount of computation / (T × p × what a process attains"),
        ("as given", "as it was given"),
    ],
)
def test_efficiency_is_told_as_a_formula_and_of_which_repetition(
    definition: str, formula: str
) -> None:
    meaning, repetition = describe_definitions([definition, definition])
    assert formula in meaning
    assert "best repetition" in repetition
    assert "median" in repetition


# --- Speed-up and limits -------------------------------------------------------------------------


def speed_ups(*rows: tuple[int, float, float]) -> str:
    names = ("processes", "size", "speed_up")
    return describe_speed_up([dict(zip(names, row, strict=True)) for row in rows])


def test_a_speed_up_that_does_not_depend_on_size_has_none() -> None:
    one = "The highest speed-up is 5 with 8 processes at size 20."
    assert speed_ups((2, 10.0, 2.0), (8, 10.0, 4.0), (8, 20.0, 5.0)) == one
    same = ((8, 10.0, 5.0), (8, 20.0, 5.0000001), (8, 30.0, 4.9999999))
    start = "The highest speed-up is 5 with 8 processes at "
    assert speed_ups(*same) == f"{start}all 3 sizes, from 10 to 30."
    assert speed_ups(*same, (8, 40.0, 4.0)) == f"{start}3 of 4 sizes, from 10 to 30."
    assert speed_ups() == "No run was measured."


def limits(*crossings: tuple[float, float, bool]) -> list[str]:
    """Sentences on sizes, the processes up to which each keeps 80 %, and where not measured."""
    common: Row = {
        "application": "x", "constraint_kind": "fixed size", "quantity": "efficiency", "bound": 0.8
    }  # fmt: skip
    names = ("start_size", "crossing_processes", "is_extrapolated")
    return list(describe_limits([common | dict(zip(names, c, strict=True)) for c in crossings]))


def test_sizes_that_keep_their_efficiency_alike_are_told_in_one_sentence() -> None:
    start = "x keeps an efficiency of 80% up to"
    same = [(10.0 * n, 24.0 + n / 1000, False) for n in range(1, 51)]
    assert limits(*same) == [f"{start} 24 processes at sizes 10 to 500."]
    assert limits((100.0, 4.2, False), (200.0, 7.0, False), (400.0, 11.5, True)) == [
        f"{start} 4 processes at size 100, 7 processes at size 200 and 11 processes at size 400 "
        "(not measured)."
    ]
    # Each size another number: only the fewest and the most are told.
    many = [(10.0 * n, float(n), False) for n in range(1, 11)]
    assert limits(*many) == [
        f"{start} 1 process at size 10 and 10 processes at size 100; other sizes lie between."
    ]
    assert limits() == []


def test_configurations_that_nobody_measured_do_not_count_as_measured() -> None:
    rows = [{"scalability": s, "is_measured": m} for s, m in ((-1, True), (1, True), (-2, False))]
    assert describe_losing(rows) == (
        "by the model it falls at 1 of 2 measured configurations and 1 of 1 not measured"
    )
    assert describe_losing(rows[:2]) == "by the model it falls at 1 of 2 measured configurations"


# --- Holes ---------------------------------------------------------------------------------------


def surface_labels(values: list[list[float]]) -> list[str]:
    grid = Grid(processes=(1, 2, 4), sizes=(1.0, 2.0), values=np.array(values), label="E")
    root = ElementTree.fromstring(draw_surface(grid, "surface", grid))
    return ["".join(each.itertext()).strip() for each in root.iter() if "text" in each.tag]


def test_a_surface_has_a_hole_where_there_is_no_value() -> None:
    """The axis of efficiencies of 0.8 to 1 does not reach down to 0, nor to half of that."""
    missing = surface_labels([[1.0, 0.9, 0.8], [1.0, float("nan"), 0.85]])
    heights = {float(label) for label in missing if "." in label}
    assert heights
    assert min(heights) > 0.5
    assert 0.0 in {
        float(label)
        for label in surface_labels([[1.0, 0.9, 0.8], [1.0, 0.0, 0.85]])
        if "." in label
    }
