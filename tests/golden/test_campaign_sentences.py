"""Sentences of a campaign's report on measured, failed and missing runs."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.helpers.running import query_rows, run_query
from tracemill.reports.campaign_sections.efficiency import (
    describe_definitions,
    describe_speed_up,
    describe_zeros,
    read_grid,
    read_marks,
)
from tracemill.reports.campaign_sections.indices import describe_blocks, describe_computation
from tracemill.reports.campaign_sections.summary import (
    describe_failures,
    describe_size,
    describe_times,
)
from tracemill.reports.campaign_sections.surface import describe_limits, describe_losing
from tracemill.reports.pictures.grids import Grid, draw_heat_map, draw_surface
from tracemill.reports.scaling import describe_scalings

Row = dict[str, Any]

# --- Which runs ----------------------------------------------------------------------------------


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
    (row,) = query_rows("campaign_overview", tables)
    return row


def test_ranges_cover_measured_runs_and_failed_runs_are_counted_separately() -> None:
    runs = [(1, 200.0, "measured"), (1, 200.0, "measured"), (8, 400.0, "measured")]
    row = overview([*runs, (16, 400.0, "failed"), (32, 800.0, "out of memory")])
    assert row["configuration_count"] == 2
    assert describe_size(row) == "3 runs of sB with 1 to 8 processes, n = 200 to 400."
    assert describe_failures(row) == (
        "2 runs failed, with 16 to 32 processes and n = 400 to 800; see Runs."
    )
    assert describe_failures(overview(runs)) == ""


def test_if_all_runs_failed_the_ranges_cover_failed_runs() -> None:
    row = overview([(4, 100.0, "failed"), (8, 100.0, "failed")])
    assert describe_size(row) == "0 runs of sB with 4 to 8 processes."


def test_one_process_is_no_plural() -> None:
    row = overview([(1, 100, "measured"), (1, 100, "failed")])
    assert describe_size(row) == "1 run of sB with 1 process."
    assert describe_failures(row).startswith("1 run failed, with 1 process and ")


# --- Meaning of numbers --------------------------------------------------------------------------


def test_the_overview_names_a_size_that_is_the_amount_of_computation() -> None:
    assumed = describe_computation(overview([(1, 100.0, "measured")]))
    assert assumed.startswith("The amount of computation is the size n itself. ")
    assert '--computation-size, for example "n**3"' in assumed
    stated = describe_computation(overview([(1, 100.0, "measured")], "2*n**3"))
    assert stated.startswith("The amount of computation is 2*n**3. ")
    assert "--computation-size" not in stated


@pytest.mark.parametrize(
    ("definition", "formula"),
    [
        ("speed-up over the smallest run", "speed-up / p = (T0 × p0) / (T × p)"),
        ("attainable performance", "amount of computation / (T × p × attainable performance of a"),
        ("as given", "as given with the measurements"),
    ],
)
def test_the_overview_gives_the_formula_of_efficiency_and_its_repetition(
    definition: str, formula: str
) -> None:
    meaning, repetition = describe_definitions([definition, definition])
    assert formula in meaning
    assert "marks and speed-up use the best run" in repetition
    assert "Indices and serial fractions use the shortest run of the launch with" in repetition


# --- Speed-up and limits -------------------------------------------------------------------------


def speed_ups(*rows: tuple[int, float, float], reference: int = 1) -> str:
    names = ("processes", "size", "speed_up")
    found = [dict(zip(names, row, strict=True)) for row in rows]
    return describe_speed_up([row | {"reference_processes": reference} for row in found])


def test_the_highest_speed_up_names_the_sizes_that_reach_it() -> None:
    over = " (measured, fixed size), relative to the best run of the same size on 1 process."
    one = f"The highest speed-up is 5 with 8 processes at size 20{over}"
    assert speed_ups((2, 10.0, 2.0), (8, 10.0, 4.0), (8, 20.0, 5.0)) == one
    same = ((8, 10.0, 5.0), (8, 20.0, 5.0000001), (8, 30.0, 4.9999999))
    start = "The highest speed-up is 5 with 8 processes at "
    assert speed_ups(*same) == f"{start}all 3 sizes, from 10 to 30{over}"
    assert speed_ups(*same, (8, 40.0, 4.0)) == f"{start}3 of 4 sizes, from 10 to 30{over}"
    assert speed_ups() == "No run was measured."
    two = speed_ups((8, 10.0, 5.0), reference=2)
    assert two.endswith("best run of the same size on 2 processes, whose speed-up is set to 2.")


def limits(
    *crossings: tuple[float, float, bool], scaling: str = "both", **others: Any
) -> list[str]:
    """Sentences on sizes, the processes up to which each keeps a bound, and where not measured."""
    common: Row = {
        "application": "x", "constraint_kind": "fixed size", "quantity": "efficiency",
        "bound": 0.8, "start_processes": 1, "model": "joint",
    } | others  # fmt: skip
    names = ("start_size", "crossing_processes", "is_extrapolated")
    rows = [common | dict(zip(names, crossing, strict=True)) for crossing in crossings]
    return list(describe_limits(rows, {"x": scaling}))


MODEL = "the model predicts an efficiency of at least"


def test_sizes_with_the_same_limit_share_one_sentence() -> None:
    start, end = f"x: at a fixed size, {MODEL} 80% up to", "against 1 process."
    same = [(10.0 * n, 24.0 + n / 1000, False) for n in range(1, 51)]
    assert limits(*same) == [f"{start} 24 processes at sizes 10 to 500, {end}"]
    assert limits((100.0, 4.2, False), (200.0, 7.0, False), (400.0, 11.5, True)) == [
        f"{start} 4 processes at size 100, 7 processes at size 200 and 11 processes at size 400 "
        f"(not measured), {end}"
    ]
    # Each size has another limit: the sentence names the lowest and the highest.
    many = [(10.0 * n, float(n), False) for n in range(1, 11)]
    assert limits(*many) == [
        f"{start} 1 process at size 10 and 10 processes at size 100 (other sizes are in between), "
        f"{end}"
    ]
    (another_bound,) = limits((10.0, 6.0, False), bound=0.7)
    assert another_bound == (
        f"x: at a fixed size, {MODEL} 70% up to 6 processes at size 10, against 1 process."
    )
    assert limits() == []


def test_the_declared_scaling_chooses_the_sentence_on_efficiency() -> None:
    fixed, scaled = {"constraint_kind": "fixed size"}, {"constraint_kind": "scaled size"}
    values = {
        (scaling, end): bool(limits((10.0, 6.0, False), scaling=scaling, **kind))
        for scaling in ("fixed size", "scaled size", "both")
        for end, kind in (("fixed", fixed), ("scaled", scaled))
    }
    assert values == {
        ("fixed size", "fixed"): True, ("fixed size", "scaled"): False,
        ("scaled size", "fixed"): False, ("scaled size", "scaled"): True,
        ("both", "fixed"): True, ("both", "scaled"): True,
    }  # fmt: skip
    (sentence,) = limits((10.0, 6.0, False), start_processes=2, **scaled)
    assert sentence.startswith(f"x: if the size grows with processes, {MODEL} 80% up to 6 ")
    assert sentence.endswith(", against 2 processes.")


def test_the_declared_scaling_is_named() -> None:
    rows = [{"application": a, "scaling": s} for a, s in (("x", "fixed size"), ("y", "both"))]
    assert describe_scalings(rows[:1]).startswith("Scaling: fixed size. ")
    assert describe_scalings(rows).endswith(
        "Scaling for y: fixed size, and size growing with processes."
    )


def test_configurations_without_runs_do_not_count_as_measured() -> None:
    rows = [{"scalability": s, "is_measured": m} for s, m in ((-1, True), (1, True), (-2, False))]
    assert describe_losing(rows) == (
        "according to the model, it falls at 1 of 2 measured configurations and 1 of 1 not measured"
    )
    assert (
        describe_losing(rows[:2])
        == "according to the model, it falls at 1 of 2 measured configurations"
    )


# --- Holes ---------------------------------------------------------------------------------------


def surface_labels(values: list[list[float]]) -> list[str]:
    grid = Grid(processes=(1, 2, 4), sizes=(1.0, 2.0), values=np.array(values), label="E")
    root = ElementTree.fromstring(draw_surface(grid, "surface", grid))
    return ["".join(each.itertext()).strip() for each in root.iter() if "text" in each.tag]


def test_a_missing_value_is_a_hole_in_the_surface() -> None:
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


# --- The grid of efficiencies --------------------------------------------------------------------

BY_SIZE: Row = {"size_axis": "size", "are_memory_failures_zero": False}
BY_AMOUNT: Row = {"size_axis": "computation size", "are_memory_failures_zero": True}


def configuration(processes: int, size: float, efficiency: float | None, state: str) -> Row:
    """A row of the grid, the amount of computation being the square of the size."""
    found: Row = {"processes": processes, "size": size, "computation_size": size * size}
    return found | {"efficiency_ratio": efficiency, "state": state}


def test_runs_out_of_memory_are_drawn_as_0_and_failed_runs_as_a_hole() -> None:
    rows = [
        configuration(1, 10, 1.0, "measured"),
        configuration(2, 10, None, "out of memory"),
        configuration(1, 20, None, "failed"),
    ]
    drawn = read_grid(rows, BY_SIZE).values
    np.testing.assert_array_equal(drawn, [[1.0, 0.0], [np.nan, np.nan]])
    start = " 1 configuration that ran out of memory is drawn as 0; marks "
    assert describe_zeros(rows, BY_SIZE) == f"{start}leave them out."
    assert describe_zeros(rows, BY_AMOUNT) == f"{start}also count them as 0."
    assert describe_zeros(rows[::2], BY_AMOUNT) == ""


def test_cells_over_amounts_of_computation_carry_their_marks() -> None:
    """Sizes 10 and 20 are amounts of 100 and 400, where no size is."""
    rows = [configuration(p, n, 1 / p, "measured") for p in (1, 2) for n in (10, 20)]
    assert read_grid(rows, BY_SIZE).sizes == (10, 20)
    grid = read_grid(rows, BY_AMOUNT)
    assert (grid.sizes, grid.size_label) == ((100, 400), "amount of computation")
    cell = {"lower_processes": 1, "upper_processes": 2, "lower_size": 100, "upper_size": 400}
    marks = read_marks([cell | {"mark_procs": -0.5, "mark_data": 0.0004}])
    assert [mark.text for mark in marks] == ["-50.0 +0.04"]
    root = ElementTree.fromstring(draw_heat_map(grid, "map", marks))
    assert any("-50.0 +0.04" in "".join(each.itertext()) for each in root.iter())


# --- Indices -------------------------------------------------------------------------------------


def test_indices_of_amdahl_are_listed_though_another_model_is_chosen() -> None:
    common: Row = {"application": "sB", "processes": 2, "size": 10.0}
    tables = {
        "performance_indices": [
            common | {"block": at, "measure": "efficiency", "model": model}
            for at, model in enumerate(("linear", "Amdahl", "joint", "smooth"), 1)
        ],
        "surface_fits": [
            {"application": "sB", "model": model, "is_chosen": model == "smooth"}
            for model in ("Amdahl", "joint", "smooth")
        ],
    }
    found = run_query("indices", tables, "model", row_limit=10)
    assert found == [("linear",), ("Amdahl",), ("smooth",)]


def test_blocks_of_indices_are_counted() -> None:
    """Two programs with blocks 1 and 2, of two indices each."""
    rows = [
        {"application": name, "block": block, "processes": processes}
        for name in ("sA", "sB")
        for block in (1, 2)
        for processes in (1, 2)
    ]
    (counted,) = query_rows("index_blocks", {"performance_indices": rows})
    assert counted == {"block_count": 4}
    assert describe_blocks(counted).startswith("Speed-ups and efficiencies are in 4 blocks; ")
    assert describe_blocks({"block_count": 1}) == ""


@pytest.mark.parametrize(
    ("longest", "said"), [(178, "178 ms"), (556, "178 ms to 556 ms"), (178.4, "178 ms")]
)
def test_run_times_are_a_range_only_if_they_differ(longest: float, said: str) -> None:
    overview = {"shortest_ns": 178e6, "longest_ns": longest * 1e6, "timed_parts": "whole runs"}
    assert describe_times(overview) == f"Runs take {said} (whole runs)."
