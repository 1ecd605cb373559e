"""Tables of surfaces: indices with their quadruple, S, limits and serial fractions."""

import math
from typing import Any

import pytest

from tests.helpers.surface_cases import NS, Row, Tables, campaign, computed, only
from tracemill.base.errors import UsageError
from tracemill.schemas.surfaces import SIZE_RELATIVE

# --- Indices --------------------------------------------------------------------------------------

# Measure, constraint, model, reference point; where, value, note.
INDICES = [
    # T(1, 4) = 5 and T(4, 4) = 2.
    ("general speed-up", "fixed size", "measured", "p = 1, n = 4", 4, 4, 2.5, None),
    ("mean speed-up", "fixed size", "measured", "p = 1, n = 4", 4, 4, 0.625, None),
    ("sequential speed-up", "fixed size", "measured", "p = 1, n = 4", 4, 4, 2.5, None),
    ("efficiency", "fixed size", "linear", "p = 1, n = 4", 4, 4, 0.625, None),
    # T_par = 4 and T_seq = 1: 5 / (4/4 + 1), never more than 4/1 + 1.
    ("sequential speed-up", "fixed size", "Amdahl", "p = 1, n = 4", 4, 4, 2.5, "at most 5"),
    ("efficiency", "fixed size", "Amdahl", "fit over p at n = 4", 4, 4, 1.0, None),
    # T(2, 8) = 5 and T(2, 2) = 2: (8/5) / (2/2).
    ("general speed-up", "fixed processes", "measured", "p = 2, n = 2", 2, 8, 1.6, None),
    # T(4, 8) = 3 = T(1, 2): four times as much in the same time.
    ("general speed-up", "scaled size", "measured", "p = 1, n = 2", 4, 8, 4.0, None),
    ("mean speed-up", "scaled size", "measured", "p = 1, n = 2", 4, 8, 1.0, None),
    # Half of T(4, 4) = 2 is serial: 4/2 + 1/2.
    (
        "sequential speed-up", "scaled size", "Gustafson",
        "p = 1, serial part modelled for each run at n = 4", 4, 4, 2.5, "modelled",
    ),
    # T(4, 8) = 3: 8 per second, of these 8/4 for each process.
    ("general speed-up", "whole plane", "measured", "none", 4, 8, 8 / 3, None),
    ("efficiency", "whole plane", "size-relative", "none", 4, 8, 2 / 3, None),
    # (8/5) / (2/3), and half of it per process.
    ("general speed-up", "whole plane", "measured", "p = 1, n = 2", 2, 8, 2.4, None),
    ("mean speed-up", "whole plane", "measured", "p = 1, n = 2", 2, 8, 1.2, None),
    ("efficiency", "whole plane", "normal form", "fit of all 9 configurations", 2, 8, 1.0, None),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=lambda index: ", ".join(map(str, index[:3])))
def test_indices_carry_their_quadruple(surfaces: Tables, index: tuple[Any, ...]) -> None:
    measure, constraint, model, reference, processes, size, value, note = index
    row = only(
        surfaces["performance_indices"],
        measure=measure,
        constraint_kind=constraint,
        model=model,
        reference_point=reference,
        processes=processes,
        size=size,
    )
    assert row["value"] == pytest.approx(value)
    assert row["note"] == note


def test_a_block_has_one_reference_point(surfaces: Tables) -> None:
    rows = surfaces["performance_indices"]
    blocks = {
        (row["block"], row["constraint_kind"], row["reference_point"], row["reference_processes"],
         row["reference_size"])
        for row in rows
    }  # fmt: skip
    assert len(blocks) == len({row["block"] for row in rows})
    assert sorted(block[0] for block in blocks) == [*range(1, len(blocks) + 1)]


def test_the_reference_has_index_one(surfaces: Tables) -> None:
    rows = [
        row
        for row in surfaces["performance_indices"]
        if (row["processes"], row["size"]) == (row["reference_processes"], row["reference_size"])
    ]
    assert len(rows) > 20
    assert {row["value"] for row in rows} == {1.0}


def test_the_speed_up_of_gustafson_takes_the_median_of_measured_shares() -> None:
    """T(4, 4) = 2 s, of which 1, 0.5 and 0.4 s are serial: 4 * 3/4 + 1/4."""
    tables = campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    runs = tables["campaign_runs"]
    for run in runs:
        run["serial_ns"] = NS if run["processes"] > 1 else None
    (again,) = [run for run in runs if (run["processes"], run["size"]) == (4, 4)]
    for number, serial in enumerate((0.5, 0.4)):
        runs.append(again | {"campaign_run_id": 100 + number, "repetition": 2 + number,
                             "serial_ns": int(serial * NS)})  # fmt: skip
    made = computed(tables)
    label = "p = 1, serial part measured for each run at n = 4"
    rows = [r for r in made["performance_indices"] if r["reference_point"] == label]
    # T(2, 4) = 3 s, 1 s of it serial: 2 * 2/3 + 1/3.
    assert [(row["processes"], row["note"]) for row in rows] == [(1, None), (2, None), (4, None)]
    assert [row["value"] for row in rows] == pytest.approx([1, 5 / 3, 3.25])
    assert only(made["serial_fractions"], processes=4, size=4)["measured_share"] == 0.25


def test_the_size_that_falls_to_a_process_may_be_declared() -> None:
    tables = campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    rows = computed(tables, size_per_process="n/sqrt(p) - 1")["performance_indices"]
    found = [row for row in rows if row["model"] == "size-relative"]
    row = only(found, processes=4, size=8)
    assert row["value"] == pytest.approx((8 / 2 - 1) / 3)
    nothing = only(found, processes=4, size=2)
    assert (nothing["value"], nothing["note"]) == (None, "the size per process is not positive")


def test_size_relative_efficiency_over_that_of_the_reference_is_the_mean_speed_up(
    surfaces: Tables,
) -> None:
    rows = [
        row for row in surfaces["performance_indices"] if row["constraint_kind"] == "whole plane"
    ]
    relative = {
        (r["processes"], r["size"]): r["value"] for r in rows if r["model"] == SIZE_RELATIVE
    }
    speed_ups = [row for row in rows if row["measure"] == "mean speed-up"]
    assert speed_ups
    for row in speed_ups:
        reference = relative[row["reference_processes"], row["reference_size"]]
        found = relative[row["processes"], row["size"]] / reference
        assert found == pytest.approx(row["value"])


def test_points_hold_rates() -> None:
    """T(4, 8) = 3 s for 8^2 units; the pair (2, 4) was not run and is fitted to take 3 s."""
    tables = campaign(
        lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8), computation_size="n**2",
        amount=lambda p, n: n**2,
    )  # fmt: skip
    del tables["campaign_runs"][4]
    points = computed(tables)["surface_points"]
    row = only(points, model="Amdahl", processes=4, size=8.0)
    assert (row["measured_rate"], row["fitted_rate"]) == pytest.approx((64 / 3, 64 / 3))
    row = only(points, model="Amdahl", processes=2, size=4.0)
    assert row["measured_rate"] is None
    assert row["fitted_rate"] == pytest.approx(16 / 3)


def test_without_a_run_on_one_process_there_is_no_sequential_speed_up() -> None:
    rows = computed(campaign(lambda p, n: n / p + 1, (2, 4), (2, 4, 8)))["performance_indices"]
    found = [row for row in rows if row["measure"] == "sequential speed-up"]
    found = [row for row in found if row["model"] == "measured"]
    assert len(found) == 6
    assert {row["value"] for row in found} == {None}
    assert {row["note"] for row in found} == {"no run with 1 process of this size"}


def test_faster_than_linear_is_noted() -> None:
    """T(1) = 8 and T(4) = 1: an efficiency of 2, a serial fraction of (1/8 - 1/4) / (3/4)."""
    tables = computed(campaign(lambda p, n: {1: 8, 2: 3, 4: 1}[int(p)], (1, 2, 4), (10,)))
    row = only(tables["performance_indices"], measure="efficiency", model="linear", processes=4)
    assert (row["value"], row["note"]) == (2, "above 1: faster than linear")
    row = only(tables["serial_fractions"], processes=4)
    assert row["value"] == pytest.approx(-1 / 6)
    assert row["is_in_range"] is False


def test_serial_fractions_follow_the_formula(surfaces: Tables) -> None:
    """T = n/p + 1: a share of 1/(n + 1) of the sequential run is serial."""
    rows = surfaces["serial_fractions"]
    assert len(rows) == 6
    assert [row["value"] for row in rows] == pytest.approx([1 / (row["size"] + 1) for row in rows])
    assert {(row["reference_processes"], row["is_in_range"]) for row in rows} == {(1, True)}


def test_sizes_per_process_are_compared_by_the_amount_of_computation() -> None:
    """With n per process s = n p: 8 on 1 process is as much as 2 on 4."""
    tables = campaign(
        lambda p, n: n + 1,
        (1, 2, 4),
        (2, 4, 8),
        computation_size="n * p",
        amount=lambda p, n: n * p,
    )
    rows = computed(tables)["performance_indices"]
    row = only(
        rows, measure="sequential speed-up", constraint_kind="fixed size", model="measured",
        reference_point="p = 1, n = 8", processes=4,
    )  # fmt: skip
    assert (row["size"], row["value"]) == (2, 3)  # 9 s / 3 s


# --- S and limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["normal form", "Amdahl", "without overlap"])
def test_scalability_functions_follow_the_formula(surfaces: Tables, model: str) -> None:
    """R = n/(n + p): S is -n/(n + p)^2 over p, p/(n + p)^2 over n; in proportion R stays."""
    rows = [row for row in surfaces["scalability_functions"] if row["model"] == model]
    assert len(rows) == 27
    for row in rows:
        p, n = row["processes"], row["size"]
        s = {"fixed size": -n, "fixed processes": p, "scaled size": 0}[row["constraint_kind"]]
        assert row["mean_speed_up"] == pytest.approx(n / (n + p), rel=1e-5)
        if model != "Amdahl" or row["constraint_kind"] == "fixed size":
            assert row["value"] == pytest.approx(s / (n + p) ** 2, rel=1e-4, abs=1e-5)
        assert row["is_measured"]


def limits(tables: Tables, **wanted: Any) -> list[Row]:
    rows = tables["scalability_limits"]
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


@pytest.mark.parametrize(
    ("bound", "size", "processes", "is_extrapolated"),
    [
        # E = (n + 1)/(n + p) >= bound up to p = (n + 1)/bound - n.
        (0.8, 2, 1, False),
        (0.8, 4, 2, False),
        (0.8, 8, 3, False),
        (0.5, 2, 4, False),
        (0.5, 4, 6, True),
        (0.5, 8, 10, True),
    ],
)
def test_the_most_processes_that_keep_efficiency(
    surfaces: Tables, bound: float, size: float, processes: int, is_extrapolated: bool
) -> None:
    row = only(
        limits(surfaces, model="normal form", constraint_kind="fixed size", quantity="efficiency"),
        bound=bound,
        start_size=size,
    )
    assert (row["processes"], row["size"]) == (processes, size)
    assert (row["is_falling"], row["is_extrapolated"], row["note"]) == (True, is_extrapolated, None)


def test_limits_that_are_never_crossed_have_a_reason(surfaces: Tables) -> None:
    scaled = limits(surfaces, model="normal form", constraint_kind="scaled size", start_size=2)
    assert [(row["quantity"], row["bound"], row["note"]) for row in scaled] == [
        ("S", 0, "it is zero from 1 to 64 processes"),
        ("change of general speed-up", 0, "it is positive from 1 to 64 processes"),
        ("efficiency", 0.8, "it is at least 0.8 from 1 to 64 processes"),
        ("efficiency", 0.5, "it is at least 0.5 from 1 to 64 processes"),
    ]
    fixed = limits(surfaces, model="normal form", constraint_kind="fixed size", quantity="S")
    assert {row["note"] for row in fixed} == {"it is negative from 1 to 64 processes"}
    assert {row["processes"] for row in scaled + fixed} == {None}


def test_the_shortest_time_is_at_the_maximum_of_the_general_speed_up() -> None:
    """n/p + p/10 is least at p = sqrt(10 n)."""
    tables = computed(campaign(lambda p, n: n / p + p / 10, (2, 4, 8, 16), (10, 20, 40)))
    rows = limits(
        tables, model="normal form", constraint_kind="fixed size",
        quantity="change of general speed-up",
    )  # fmt: skip
    assert [row["processes"] for row in rows] == pytest.approx([10, math.sqrt(200), 20], rel=1e-6)
    assert [row["is_extrapolated"] for row in rows] == [False, False, True]
    assert all(row["is_falling"] for row in rows)


def test_s_changes_its_sign_along_the_size() -> None:
    """T = 1 + n^2/100 on any number of processes: n/T is greatest at n = 10."""
    tables = computed(campaign(lambda p, n: 1 + n**2 / 100, (1, 2, 4), (4, 8, 16, 32)))
    rows = limits(tables, model="normal form", constraint_kind="fixed processes")
    assert [(row["start_processes"], row["processes"]) for row in rows] == [(1, 1), (2, 2), (4, 4)]
    assert [row["size"] for row in rows] == pytest.approx([10, 10, 10], rel=1e-6)
    assert {(row["is_falling"], row["is_extrapolated"]) for row in rows} == {(True, False)}


def test_scaled_sizes_may_grow_by_another_function() -> None:
    """With s growing like p^2, T = n/p + 1 has R = n/(n + p), n = n0 p^2: S = n0/(n0 p + 1)^2."""
    tables = campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    rows = computed(tables, scaled_size="p**2")["scalability_functions"]
    row = only(rows, model="normal form", constraint_kind="scaled size", processes=2, size=8.0)
    assert row["value"] == pytest.approx(2 / (2 * 2 + 1) ** 2)  # through n0 = 8/4


# --- Undetermined results -------------------------------------------------------------------------


def test_one_number_of_processes_gives_functions_of_the_size() -> None:
    tables = computed(campaign(lambda p, n: 0.01 * n**2, (4,), (10, 20, 40, 80)))
    assert only(tables["surface_fits"], is_chosen=True)["formula"] == "0.01*n^2"
    assert {row["constraint_kind"] for row in tables["scalability_functions"]} == {
        "fixed processes"
    }
    notes = {row["constraint_kind"]: row["note"] for row in limits(tables, model="normal form")}
    assert notes["fixed size"] == "all runs have the same number of processes"
    assert tables["serial_fractions"] == []


def test_one_size_gives_functions_of_the_processes() -> None:
    tables = computed(campaign(lambda p, n: 8 / p, (1, 2, 4, 8), (1,), computation_size="1"))
    assert only(tables["surface_fits"], is_chosen=True)["formula"] == "8/p"
    assert {row["constraint_kind"] for row in tables["scalability_functions"]} == {"fixed size"}
    notes = {row["constraint_kind"]: row["note"] for row in limits(tables, model="normal form")}
    assert notes["scaled size"] == notes["fixed processes"] == "all runs have the same size"


def test_an_application_without_measurements_has_reasons() -> None:
    tables = campaign(lambda p, n: n / p, (1, 2), (4,))
    for row in tables["campaign_runs"]:
        row |= {"state": "failed", "time_ns": None, "reason": "it crashed"}
    made = computed(tables)
    assert {row["reason"] for row in made["surface_fits"]} == {"no measured run has a time above 0"}
    assert {row["verdict"] for row in made["surface_fits"]} == {None}
    assert all(not made[name] for name in made if name != "surface_fits")


def test_an_amount_that_does_not_grow_with_the_size_has_no_s() -> None:
    tables = computed(campaign(lambda p, n: n / p, (1, 2, 4), (2, 4, 8), computation_size="1/n"))
    assert tables["scalability_functions"] == []
    notes = {row["note"] for row in limits(tables, model="joint")}
    assert notes == {"the amount of computation, 1/n, does not grow with the size"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"efficiency_bounds": "0.8; 0.5"}, "write them like 0.8, 0.5"),
        ({"efficiency_bounds": "1.5"}, "between 0 and 1"),
        ({"scaled_size": "n"}, "write an expression of p"),
        ({"scaled_size": "1 - p"}, "must be positive"),
    ],
)
def test_unusable_parameters_are_refused(parameters: dict[str, str], message: str) -> None:
    tables = campaign(lambda p, n: n / p, (1, 2), (4,))
    with pytest.raises(UsageError, match=message):
        computed(tables, **parameters)
