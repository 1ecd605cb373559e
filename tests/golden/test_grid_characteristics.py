"""Other characteristics of runs over the grid, and how efficiency goes with them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.running import run_stage
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
        ("app", 2, 10, "communication share", 40 / 200),
        ("app", 2, 10, "load balance", pytest.approx(80 / 90)),
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


def correlations(rows: list[Row], values: dict[str, list[float]]) -> list[tuple[Any, ...]]:
    characteristics = [
        {name: row[name] for name in ("application", "processes", "size")}
        | {"characteristic": name, "value": value}
        for name, column in values.items()
        for row, value in zip(rows, column, strict=True)
    ]
    tables = {"efficiency_grid": rows, "grid_characteristics": characteristics}
    found = run_stage(GRID_CORRELATIONS_STAGE, tables)["grid_correlations"]
    return [tuple(row.values())[1:] for row in found]


def test_efficiency_is_correlated_where_it_is_given() -> None:
    """Ranks of efficiency are 3, 1, 2; of b 1, 3, 2: -1; of a 1.5, 1.5, 3: 0.

    Of the 6 orders of three ranks, 2 are as far from 0 as -1 (p = 2/6), all as far as 0 (p = 1).
    """
    rows = grid((1, 10, 0, 1.0), (2, 10, 1, 0.5), (4, 10, 2, 0.75), (8, 10, 3, None))
    found = correlations(rows, {"b": [0.0, 0.5, 0.25, 0.9], "a": [0.0, 0.0, 0.5, 0.9]})
    assert found == [("a", 3, 0, 1, None), ("b", 3, -1, pytest.approx(2 / 6), None)]


def test_missing_correlations_have_a_reason() -> None:
    rows = grid((1, 10, 0, 1.0), (2, 10, 1, 0.5), (4, 10, 2, 0.25))
    same = "one of both is always the same"
    assert correlations(rows, {"a": [0.1, 0.1, 0.1]}) == [("a", 3, None, None, same)]
    few = "fewer than 3 configurations have both"
    assert correlations(rows[:2], {"a": [0.1, 0.2]}) == [("a", 2, None, None, few)]
    assert correlations([], {}) == []
