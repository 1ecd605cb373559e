"""Which call paths lose time in a cell of the scalability grid."""

import pytest

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_query

WORK, WAIT = "main/work", "main/MPI_Wait"
LOSSES = "call_path loss_processes loss_size"

#              time of work   time of MPI_Wait   all
# (2, 10)               80                 20    100
# (4, 10)               80                 60    140
# (2, 20)              160                 40    200
# (4, 20)              170                130    300
CORNERS = [
    MeasuredRun(2, {WORK: [40, 40], WAIT: [10, 10]}, size=10, path={WORK: 40, WAIT: 10}),
    MeasuredRun(4, {WORK: [20] * 4, WAIT: [15] * 4}, size=10, path={WORK: 20, WAIT: 15}),
    MeasuredRun(2, {WORK: [80, 80], WAIT: [20, 20]}, size=20, path={WORK: 80, WAIT: 20}),
    MeasuredRun(4, {WORK: [45, 45, 40, 40], WAIT: [40, 40, 30, 20]}, size=20, waits={WAIT: 100}),
]


def grid(runs: list[MeasuredRun], *, axis: str = "size") -> Tables:
    """Four runs as the corners of one cell; the amount of computation is the size squared."""
    points: list[Row] = [
        {
            "application": "program",
            "processes": run.processes,
            "size": run.size,
            "computation_size": run.size**2,
            "efficiency": 0.5,
            "campaign_run_id": number,
        }
        for number, run in enumerate(runs)
    ]
    cell = {
        "application": "program",
        "lower_processes": 2,
        "upper_processes": 4,
        "lower_size": 10 if axis == "size" else 100,
        "upper_size": 20 if axis == "size" else 400,
        "size_axis": axis,
    }
    return tables_of(runs) | {"efficiency_grid": points, "grid_cells": [cell]}


# More processes: work (0/100 + 10/200) / 2, wait (40/100 + 90/200) / 2. Four times the work costs
# a quarter per unit: work (160/4 - 80)/100 and (170/4 - 80)/140, wait (40/4 - 20)/100 and
# (130/4 - 60)/140.
@pytest.mark.parametrize("axis", ["size", "computation size"])
def test_losses_of_a_cell_are_shared_out_to_call_paths(axis: str) -> None:
    found = run_query("cell_call_sites", grid(CORNERS, axis=axis), LOSSES)
    assert found == [
        (WORK, pytest.approx(0.025), pytest.approx((-40 / 100 - 37.5 / 140) / 2)),
        (WAIT, pytest.approx(0.425), pytest.approx((-10 / 100 - 27.5 / 140) / 2)),
    ]
    growth = (140 / 100 - 1 + 300 / 200 - 1) / 2
    assert sum(row[1] for row in found) == pytest.approx(growth)


def test_losses_of_a_cell_name_their_waiting_and_critical_path() -> None:
    columns = "call_path wait_loss_processes wait_loss_size wait_ratio critical_path_share"
    # Only (4, 20) has waiting: 100 of 250 ns in MPI_Wait.
    assert run_query("cell_call_sites", grid(CORNERS), columns) == [
        (WORK, 0, 0, 0, 140 / 185),
        (WAIT, 100 / 200 / 2, pytest.approx(100 / 4 / 140 / 2), 100 / 250, 45 / 185),
    ]


def test_shares_of_call_paths_grow_over_a_cell() -> None:
    columns = "call_path share_growth_processes share_growth_size"
    # Shares of MPI_Wait: 0.2, 60/140, 0.2 and 130/300.
    grown = (60 / 140 - 0.2 + 130 / 300 - 0.2) / 2, (0 + 130 / 300 - 60 / 140) / 2
    assert run_query("cell_call_sites", grid(CORNERS), columns) == [
        (WORK, pytest.approx(-grown[0]), pytest.approx(-grown[1])),
        (WAIT, pytest.approx(grown[0]), pytest.approx(grown[1])),
    ]


def test_the_best_run_of_equal_amounts_of_computation_is_the_corner() -> None:
    """As in the grid: a size of 21 that is as much work as 20 is done worse, or better."""
    worse, better = grid(CORNERS, axis="computation size"), grid(CORNERS, axis="computation size")
    expected = run_query("cell_call_sites", worse, LOSSES)
    twin = MeasuredRun(4, {WORK: [900] * 4, WAIT: [900] * 4}, size=21)
    for tables, efficiency in ((worse, 0.4), (better, 0.6)):
        twice = grid([*CORNERS, twin], axis="computation size")
        tables |= {name: twice[name] for name in twice if name != "efficiency_grid"}
        point = tables["efficiency_grid"][3] | {
            "size": 21, "campaign_run_id": 4, "efficiency": efficiency
        }  # fmt: skip
        tables["efficiency_grid"].append(point)
    assert run_query("cell_call_sites", worse, LOSSES) == expected
    # Work with processes: (80 - 80) / 100 and (3600 - 160) / 200.
    assert run_query("cell_call_sites", better, LOSSES)[0][1] == pytest.approx(3440 / 200 / 2)
    for tables, sizes in ((worse, [10, 10, 20, 20]), (better, [10, 10, 20, 21])):
        keys = {row["call_path"]: row["call_path_key"] for row in tables["campaign_call_paths"]}
        tables["run_metrics"] = [
            {"campaign_run_id": run, "call_path_key": keys[WAIT], "metric": "mpi_latesender",
             "value_ns": 1}
            for run in range(5)
        ]  # fmt: skip
        found = run_query("cell_wait_states", tables, "size", row_limit=20)
        assert sorted(size for (size,) in found) == sizes


def test_small_losses_are_left_out() -> None:
    found = run_query("cell_call_sites", grid(CORNERS), "call_path", min_cell_loss=0.03)
    assert found == [(WAIT,)]


def test_a_call_path_may_be_missing_at_a_corner() -> None:
    quiet = MeasuredRun(2, {WORK: [40, 60]}, size=10)
    # MPI_Wait grows from 0 of 100 to 60, and from 40 of 200 to 130.
    found = run_query("cell_call_sites", grid([quiet, *CORNERS[1:]]), LOSSES)
    assert found[-1][:2] == (WAIT, pytest.approx((60 / 100 + 90 / 200) / 2))


def test_a_cell_with_a_corner_without_call_paths_is_left_out() -> None:
    tables = grid(CORNERS)
    tables["efficiency_grid"][3]["campaign_run_id"] = None
    assert run_query("cell_call_sites", tables, LOSSES) == []


def test_call_paths_that_lose_name_their_wait_states() -> None:
    tables = grid(CORNERS)
    waits = {"mpi_latesender": 100, "mpi_latesender_wo": 30, "time": 130}  # 30 are part of the 100
    key = next(r["call_path_key"] for r in tables["campaign_call_paths"] if r["call_path"] == WAIT)
    tables["run_metrics"] = [
        {"campaign_run_id": run, "call_path_key": key, "metric": metric, "value_ns": value}
        for run, own in ((2, {"mpi_latesender": 8}), (3, waits))
        for metric, value in own.items()
    ]
    columns = "call_path processes size finding wait_ns wait_ratio"
    # MPI_Wait takes 40 at (2, 20) and 130 at (4, 20).
    assert run_query("cell_wait_states", tables, columns, row_limit=20) == [
        (WAIT, 2, 20, "Late Sender", 8, 8 / 40),
        (WAIT, 4, 20, "Late Sender", 100, 100 / 130),
    ]
