"""Other characteristics of runs over the grid, and how efficiency goes with them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.running import query_rows, run_stage
from tracemill.reports.campaign_sections.characteristics import describe_correlations, read_maps
from tracemill.reports.pictures.grids import draw_heat_maps
from tracemill.stages.campaign.grid_correlations import GRID_CORRELATIONS_STAGE

Row = dict[str, Any]


def grid(*rows: tuple[int, float, int | None, float | None]) -> list[Row]:
    """Processes, size, best run and efficiency."""
    return [
        {
            "application": "app",
            "processes": p,
            "size": d,
            "campaign_run_id": run,
            "efficiency": e,
            "reason": "it failed" if e is None else None,
        }
        for p, d, run, e in rows
    ]


def test_characteristics_come_from_the_best_run(run_query: Callable[..., Any]) -> None:
    """Run 3 communicates for 10 of 100 and 30 of 100: the rest is 90 and 70, 80 in the mean."""
    tasks = [
        {"campaign_run_id": run, "rank": rank, "time_ns": 100, "communication_ns": share}
        for run, rank, share in ((2, 0, 50), (2, 1, 50), (3, 0, 10), (3, 1, 30))
    ]
    tables = {"efficiency_grid": grid((2, 10, 3, 0.5), (4, 10, None, None)), "run_tasks": tasks}
    assert run_query("grid_characteristics", tables) == [
        ("app", 2, 10, "times", "communication share", "ratio", 40 / 200),
        ("app", 2, 10, "times", "load balance", "ratio", pytest.approx(80 / 90)),
    ]


def test_processes_that_only_communicate_have_no_load(run_query: Callable[..., Any]) -> None:
    tasks = [{"campaign_run_id": 0, "rank": 0, "time_ns": 9, "communication_ns": 9}]
    tables = {"efficiency_grid": grid((1, 10, 0, 1.0)), "run_tasks": tasks}
    columns = "characteristic value"
    assert run_query("grid_characteristics", tables, columns) == [("communication share", 1)]
    tasks[0] |= {"time_ns": 0, "communication_ns": 0}
    assert run_query("grid_characteristics", tables, columns) == []


def test_metrics_are_shares_and_0_if_a_run_lacks_them(run_query: Callable[..., Any]) -> None:
    """Run 0 waits for 20 of 100; run 1 does not wait; run 2 has no metrics; 3 has nothing."""
    tables = {
        "efficiency_grid": grid((1, 10, 0, 1.0), (2, 10, 1, 0.5), (4, 10, 2, 0.5)),
        "run_totals": [{"campaign_run_id": run, "location_ns": 100} for run in (0, 1, 3)],
        "metric_times": [
            {"campaign_run_id": 0, "metric": "waiting", "value_ns": 20, "share": 0.2},
            {"campaign_run_id": 0, "metric": "time", "value_ns": 100, "share": 1.0},
            {"campaign_run_id": 1, "metric": "path", "value_ns": 5, "share": None},
            {"campaign_run_id": 3, "metric": "other", "value_ns": 100, "share": 1.0},
        ],
    }
    assert run_query("grid_characteristics", tables, "processes characteristic value") == [
        (1, "path", 0),
        (1, "waiting", 0.2),
        (2, "waiting", 0),
    ]


# 300 instructions in 600 cycles in one call path, 900 in 300 in another, both for 2 s in all;
# and a power of 100 W for 1 s, 200 W for 3 s.
def test_counters_are_ratios_of_sums_or_rates(run_query: Callable[..., Any]) -> None:
    def counter(path: int, name: str, amount: float, over: float | None, seconds: float) -> Row:
        unit = {"IPC": "instructions/cycle", "power": "W"}.get(name, "#")
        return {
            "campaign_run_id": 0, "call_path_key": path, "counter": name, "unit": unit,
            "is_derived": name == "IPC", "numerator": amount, "denominator": over,
            "covered_ns": int(seconds * 1e9),
        }  # fmt: skip

    tables = {
        "efficiency_grid": grid((2, 10, 0, 0.5)),
        "run_counters": [
            counter(1, "IPC", 300, 600, 0.5), counter(2, "IPC", 900, 300, 1.5),
            counter(1, "INS", 300, None, 0.5), counter(2, "INS", 900, None, 1.5),
            counter(1, "power", 100e9, 1e9, 1), counter(2, "power", 600e9, 3e9, 3),
            counter(3, "unknown", 0, 0, 0),
        ],
    }  # fmt: skip
    found = run_query("grid_characteristics", tables, "kind characteristic unit value")
    assert found == [
        ("counter", "IPC", "instructions/cycle", 1200 / 900),
        ("counter", "power", "W", 700 / 4),
        ("counter rate", "INS", "#/s", 1200 / 2),
    ]


def test_monitoring_data_are_the_mean_over_repetitions(run_query: Callable[..., Any]) -> None:
    """Run 3 is best. 2 is a repetition without a value, 4 and 5 have one; 6 has other threads."""
    same: Row = {"application": "app", "processes": 2, "size": 10, "state": "measured"}
    tables = {
        "efficiency_grid": grid((2, 10, 3, 0.5)),
        "campaign_runs": [
            same | {"campaign_run_id": run, "threads": 1 + (run == 6)} for run in range(2, 7)
        ],
        "run_monitoring": [
            {"campaign_run_id": run, "characteristic": "power", "value": value, "unit": "W"}
            for run, value in ((3, 30.0), (4, 40.0), (5, 65.0), (6, 500.0))
        ],
    }
    found = run_query("grid_characteristics", tables, "kind characteristic unit value")
    assert found == [("monitoring", "power", "W", (30 + 40 + 65) / 3)]


def test_perturbation_of_the_best_run_counts_where_it_is_known(
    run_query: Callable[..., Any],
) -> None:
    tables = {
        "efficiency_grid": grid((1, 10, 1, 1.0), (2, 10, 3, 0.5)),
        "campaign_runs": [
            {"campaign_run_id": run, "perturbed_ratio": share}
            for run, share in ((1, 0.25), (2, 0.5), (3, None))
        ],
    }
    found = run_query("grid_characteristics", tables, "processes kind characteristic unit value")
    assert found == [(1, "perturbation", "share of the measurement", "ratio", 0.25)]


def correlations(rows: list[Row], values: dict[str, list[float]]) -> list[tuple[Any, ...]]:
    characteristics = [
        {name: row[name] for name in ("application", "processes", "size")}
        | {"kind": "counter", "characteristic": name, "unit": "W", "value": value}
        for name, column in values.items()
        for row, value in zip(rows, column, strict=True)
    ]
    tables = {"efficiency_grid": rows, "grid_characteristics": characteristics}
    found = run_stage(GRID_CORRELATIONS_STAGE, tables)["grid_correlations"]
    for row in found:
        assert (row["application"], row["kind"], row["unit"]) == ("app", "counter", "W")
    names = ["characteristic", "configuration_count", "spearman", "p_value", "q_value", "reason"]
    return [tuple(row[name] for name in names) for row in found]


def test_efficiency_is_correlated_where_it_is_given() -> None:
    """Ranks of efficiency are 4, 1, 2, 3; of b 1, 4, 3, 2: -1; of a 1, 3, 2, 4.

    a: squared differences 9, 4, 0, 1: 1 - 6 * 14 / 60 = -0.4. Of the 24 orders of four ranks, 2
    are as far from 0 as 1, and 18 as far as 0.4: all but the 6 with 0 or 0.2. The q-value of b is
    p * 2 / 1, as the smaller of two, that of a is p * 2 / 2.
    """
    rows = grid(
        (1, 10, 0, 1.0), (2, 10, 1, 0.5), (4, 10, 2, 0.6), (6, 10, 3, 0.75), (8, 10, 4, None)
    )
    found = correlations(rows, {"b": [0.0, 0.5, 0.4, 0.25, 0.9], "a": [0.0, 0.6, 0.5, 0.8, 0.9]})
    assert found == [
        ("a", 4, pytest.approx(-0.4), pytest.approx(18 / 24), pytest.approx(18 / 24), None),
        ("b", 4, pytest.approx(-1), pytest.approx(2 / 24), pytest.approx(4 / 24), None),
    ]


def test_missing_correlations_have_a_reason() -> None:
    rows = grid((1, 10, 0, 1.0), (2, 10, 1, 0.5), (4, 10, 2, 0.25), (8, 10, 3, 0.125))
    same = "one of both is always the same"
    assert correlations(rows, {"a": [0.1] * 4}) == [("a", 4, None, None, None, same)]
    few = "fewer than 4 configurations have both"
    assert correlations(rows[:3], {"a": [0.1, 0.2, 0.3]}) == [("a", 3, None, None, None, few)]
    assert correlations([], {}) == []


def test_the_section_names_the_surest_characteristic_or_why_there_is_none() -> None:
    rows = grid(*[(1 << n, 10.0, n, 1 / (n + 1)) for n in range(6)])
    values = {"a": [5.0, 4.0, 3.0, 2.0, 1.0, 0.0], "b": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]}
    tables: dict[str, list[Row]] = {"efficiency_grid": rows}
    tables["grid_characteristics"] = [
        {name: row[name] for name in ("application", "processes", "size")}
        | {"kind": "counter", "characteristic": name, "unit": "W", "value": value}
        for name, column in values.items()
        for row, value in zip(rows, column, strict=True)
    ]
    tables |= run_stage(GRID_CORRELATIONS_STAGE, tables)
    shown = query_rows("correlated_characteristics", tables, row_limit=9)
    # All 720 orders of six ranks: 2 are as far from 0 as 1.
    assert list(describe_correlations(shown)) == [
        "app: efficiency is higher where a is higher (rank correlation 1.00 over 6 configurations)."
    ]
    (first, *_) = maps = query_rows("correlated_grids", tables)
    assert (len(maps), first["characteristic"], first["place"]) == (6, "a", 1)
    efficiency, other = read_maps(maps)
    assert other.values.tolist() == [[5, 4, 3, 2, 1, 0]]
    assert (efficiency.processes, other.label) == ((1, 2, 4, 8, 16, 32), "a [W]")
    assert "a [W]" in draw_heat_maps(efficiency, other, "maps", {})
    assert list(describe_correlations(shown[1:])) == [
        "app: efficiency correlates with no characteristic beyond chance."
    ]
    none = [row | {"spearman": None, "q_value": None, "reason": "too few"} for row in shown]
    assert list(describe_correlations(none)) == ["app: efficiency cannot be correlated: too few."]
