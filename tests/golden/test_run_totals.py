"""Totals of shares: all call paths, or all processes if only call sites are given."""

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query, run_stage
from tracemill.reports.campaign_sections.growth import describe_totals
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE

WORK, WAIT, SEND = "main/work", "main/MPI_Wait", "main/MPI_Send"


def profiled(*runs: tuple[list[int], list[int], int]) -> Tables:
    """Runs with times of MPI_Wait, of MPI_Send, and of each process."""
    tables = tables_of(
        MeasuredRun(processes=len(waits), spent={WAIT: waits, SEND: sends})
        for waits, sends, _ in runs
    )
    for task in tables["run_tasks"]:
        task["time_ns"] = runs[int(task["campaign_run_id"])][2]
    return tables


# 2 processes of 100 ns wait for 10 + 30 ns and send for 5 + 5 ns.
def test_call_sites_alone_are_shares_of_the_time_of_all_processes() -> None:
    tables = profiled(([10, 30], [5, 5], 100))
    assert run_query("run_totals", tables, "location_ns wait_ns") == [(200, 0)]
    run = {"campaign_run_id": 0, "application": "program", "processes": 2, "size": 1}
    tables["representative_runs"] = [run]
    assert run_query("call_path_times", tables, "call_path_key largest_share_ratio") == [
        (1000, 40 / 200),
        (1001, 10 / 200),
    ]


def test_rounded_times_of_call_sites_are_no_more_than_all_time() -> None:
    tables = profiled(([100, 98], [1, 2], 100))  # 201 of 200 ns
    assert run_query("run_totals", tables, "location_ns") == [(201,)]


def test_with_any_other_call_path_the_total_is_that_of_call_paths() -> None:
    tables = tables_of([MeasuredRun(2, {WORK: [60, 50], WAIT: [10, 30]})])
    for task in tables["run_tasks"]:
        task["time_ns"] = 1_000
    assert run_query("run_totals", tables, "location_ns") == [(150,)]


def test_runs_without_a_total_have_no_shares_and_are_reported() -> None:
    tables = profiled(([1, 1], [1, 1], 0), ([2, 4, 2], [1, 1, 1], 10), ([4] * 4, [1] * 4, 10))
    assert run_query("run_totals", tables, "location_ns") == [(None,), (30,), (40,)]
    (growth,) = run_stage(CALL_PATH_GROWTH_STAGE, tables).values()
    assert {(row["smallest_processes"], row["run_count"]) for row in growth} == {(3, 2)}
    waits = next(row for row in growth if row["call_path_key"] == 1000)
    assert (waits["smallest_share"], waits["largest_share"]) == (8 / 30, 16 / 40)
    assert run_query("runs_without_total", tables | {"run_totals": [
        {"campaign_run_id": 0, "location_ns": None}, {"campaign_run_id": 1, "location_ns": 30},
    ]}, "processes", row_limit=9) == [(2,)]  # fmt: skip
    assert describe_totals(1).startswith("1 run left out")
    assert describe_totals(0) == ""
