"""Call sites of communication: what they cost in a run, and which scale worst."""

from typing import Any

import pytest

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_query, run_stage
from tracemill.schemas.call_sites import CONSTANT, NO_RUN, ONE_PROCESS_COUNT, TOO_FEW_RUNS
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE

SEND, WAIT, BARRIER = "main/solve/MPI_Send", "main/solve/MPI_Wait", "main/MPI_Barrier"
LAST_WAIT = "main/finish/MPI_Wait"

#           rank 0   rank 1   rank 2   rank 3      sum
# main          70       75       85       90      320
# Send          10       10        5        0       25
# Wait          10        5        0        0       15   in solve
# Wait           0        0        0       10       10   in finish
# Init          10       10       10        0       30   counts on request only
FOUR = MeasuredRun(
    processes=4,
    spent={
        "main": [70, 75, 85, 90],
        SEND: [10, 10, 5, 0],
        WAIT: [10, 5, 0, 0],
        LAST_WAIT: [0, 0, 0, 10],
        "main/MPI_Init": [10, 10, 10, 0],
    },
)


def rows(relation: str, tables: Tables, columns: str) -> list[tuple[Any, ...]]:
    return run_query(relation, tables, columns)


def rank(tables: Tables, **parameters: Any) -> list[Row]:
    return run_stage(CALL_SITE_RANKING_STAGE, tables, **parameters)["call_site_ranking"]


def of(ranking: list[Row], columns: str, *, size: float | None = None) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns.split()) for row in ranking if row["size"] == size]


# --- Views of a run ------------------------------------------------------------------------------


# Communication per process: 20, 15, 5, 10 = 50 of 400.
def test_the_first_view_is_the_time_of_processes_and_their_communication() -> None:
    tables = tables_of([FOUR])
    assert rows("communication_times", tables, "process_count application_ns communication_ns") == [
        (4, 400, 50)
    ]
    assert rows("communication_times", tables, "communication_share") == [(50 / 400,)]
    per_process = "shortest_communication_ns mean_communication_ns longest_communication_ns"
    # 50 / 4 = 12.5 is rounded up.
    assert rows("communication_times", tables, per_process) == [(5, 13, 20)]
    per_process = "shortest_application_ns mean_application_ns longest_application_ns"
    assert rows("communication_times", tables, per_process) == [(100, 100, 100)]


# Wait, both call sites together: 10, 5, 0, 10, mean 25 / 4 = 6.25.
def test_the_second_view_is_communication_by_operation() -> None:
    columns = "operation call_site_count caller_count call_count total_ns"
    assert rows("operation_times", tables_of([FOUR]), columns) == [
        ("MPI_Send", 1, 3, 3, 25),
        ("MPI_Wait", 2, 3, 3, 25),
    ]
    columns = "shortest_ns mean_ns longest_ns longest_to_mean communication_share application_share"
    assert rows("operation_times", tables_of([FOUR]), columns) == [
        (0, 6, 10, 10 / 6.25, 25 / 50, 25 / 400),
        (0, 6, 10, 10 / 6.25, 25 / 50, 25 / 400),
    ]


def test_the_third_view_is_communication_by_call_site() -> None:
    columns = "operation caller_count call_count total_ns shortest_ns mean_ns longest_ns"
    assert rows("call_site_times", tables_of([FOUR]), columns) == [
        ("MPI_Send", 3, 3, 25, 0, 6, 10),
        ("MPI_Wait", 2, 2, 15, 0, 4, 10),
        ("MPI_Wait", 1, 1, 10, 0, 3, 10),
    ]
    columns = "shortest_call_ns mean_call_ns longest_call_ns communication_share longest_to_mean"
    assert rows("call_site_times", tables_of([FOUR]), columns) == [
        (5, 8, 10, 25 / 50, 10 / 6.25),
        (5, 8, 10, 15 / 50, 10 / 3.75),
        (10, 10, 10, 10 / 50, 10 / 2.5),
    ]


def test_a_call_site_that_all_visit_has_a_shortest_time() -> None:
    tables = tables_of([MeasuredRun(processes=2, spent={"main": [5, 5], BARRIER: [3, 4]})])
    assert rows("call_site_times", tables, "shortest_ns longest_to_mean") == [(3, 4 / 3.5)]


def test_init_and_finalize_count_if_the_campaign_includes_setup() -> None:
    tables = tables_of([FOUR], is_setup_included=True)
    assert rows("communication_times", tables, "communication_ns") == [(80,)]
    assert ("MPI_Init", 30 / 80) in rows("call_site_times", tables, "operation communication_share")


def test_without_call_sites_the_communication_of_processes_counts() -> None:
    tables = tables_of([FOUR]) | {"call_site_tasks": []}
    # With MPI_Init, which only call sites distinguish.
    assert rows("communication_times", tables, "communication_ns") == [(80,)]
    assert rows("call_site_times", tables, "total_ns") == []


def test_calls_without_duration_have_no_imbalance_and_no_share() -> None:
    tables = tables_of([FOUR])
    for row in tables["call_site_tasks"]:
        row["total_ns"] = 0
    columns = "longest_to_mean communication_share application_share"
    assert rows("call_site_times", tables, columns) == [(None, None, 0)] * 3
    assert rank(tables) == []


# --- Ranking -------------------------------------------------------------------------------------


def run_of(processes: int, *, size: float = 1, **spent: int) -> MeasuredRun:
    """A run in which rank 0 alone spends time in SEND, WAIT and BARRIER."""
    names = {"send": SEND, "wait": WAIT, "barrier": BARRIER}
    others = [0] * (processes - 1)
    times = {"main": [100] * processes}
    times |= {names[name]: [time, *others] for name, time in spent.items()}
    return MeasuredRun(processes=processes, spent=times, size=size)


#        send  wait  barrier   shares
# p = 2    60    40        0   0.6   0.4   0
# p = 4   100    90       10   0.5   0.45  0.05
# p = 8     9    10        1   0.45  0.5   0.05
RUNS = [
    run_of(2, send=60, wait=40),
    run_of(4, send=100, wait=90, barrier=10),
    run_of(8, send=9, wait=10, barrier=1),
]


# Ranks of barrier are 1, 2.5, 2.5: covariance 1.5 of √2 and √1.5.
def test_call_sites_are_listed_by_the_correlation_of_their_share() -> None:
    ranking = rank(tables_of(RUNS))
    assert of(ranking, "rank call_path spearman") == [
        (1, WAIT, 1),
        (2, BARRIER, pytest.approx(1.5 / (2 * 1.5) ** 0.5)),
        (3, SEND, -1),
    ]
    # Of 3! orders two have |ρ| = 1; of the three of barrier two have |ρ| = 0.87 and one 0.
    assert of(ranking, "p_value p_value_method") == [
        (pytest.approx(2 / 6), "all permutations"),
        (pytest.approx(4 / 6), "all permutations"),
        (pytest.approx(2 / 6), "all permutations"),
    ]
    assert (
        of(ranking, "run_count smallest_processes largest_processes reason")
        == [(3, 2, 8, None)] * 3
    )


def test_shares_are_those_of_the_largest_run_and_the_mean() -> None:
    ranking = rank(tables_of(RUNS))
    assert of(ranking, "largest_share mean_share") == [
        (pytest.approx(10 / 20), pytest.approx((0.4 + 0.45 + 0.5) / 3)),
        (pytest.approx(1 / 20), pytest.approx((0 + 0.05 + 0.05) / 3)),
        (pytest.approx(9 / 20), pytest.approx((0.6 + 0.5 + 0.45) / 3)),
    ]
    # One of eight processes has all the time.
    assert of(ranking, "largest_imbalance") == [(8,)] * 3


def test_the_largest_run_has_most_processes_then_the_largest_size() -> None:
    runs = [
        run_of(8, size=100, send=1, wait=9),
        run_of(8, size=200, send=6, wait=4),
        run_of(8, size=200, send=8, wait=2),
        run_of(4, size=400, send=5, wait=5),
        run_of(2, size=400, send=5, wait=5),
    ]
    assert sorted(of(rank(tables_of(runs)), "call_path largest_share")) == [
        (SEND, pytest.approx((0.6 + 0.8) / 2)),
        (WAIT, pytest.approx((0.4 + 0.2) / 2)),
    ]


def test_q_values_are_over_all_call_sites() -> None:
    # p-values 1/3, 1/3, 2/3 of three: 1/3 * 3/2 = 1/2 for the first two, 2/3 for the last.
    ranking = rank(tables_of(RUNS))
    assert of(ranking, "q_value") == [
        (pytest.approx(1 / 2),), (pytest.approx(2 / 3),), (pytest.approx(1 / 2),)
    ]  # fmt: skip
    # Times 1 + 1/2 + 1/3 = 11/6, at most 1.
    assert of(ranking, "q_value_any_dependence") == [
        (pytest.approx(11 / 12),), (1,), (pytest.approx(11 / 12),)
    ]  # fmt: skip


def test_call_sites_below_the_guard_are_marked_and_have_no_interval() -> None:
    ranking = rank(tables_of(RUNS), ranking_share_guard=0.06)
    assert of(ranking, "call_path is_above_guard") == [
        (WAIT, True), (BARRIER, False), (SEND, True)
    ]  # fmt: skip
    intervals = [row["spearman_low"] is not None for row in ranking]
    assert intervals == [True, False, True]


def test_runs_of_one_process_count_only_on_request() -> None:
    runs = [run_of(1, send=1), *RUNS]
    assert of(rank(tables_of(runs)), "run_count") == [(3,)] * 3
    assert of(rank(tables_of(runs), min_processes=1), "run_count") == [(4,)] * 3
    assert of(rank(tables_of(runs), min_processes=4), "run_count reason") == [(2, TOO_FEW_RUNS)] * 3


def test_sizes_are_compared_separately_if_each_has_three_process_counts() -> None:
    runs = [
        *(run_of(p, size=100, send=10, wait=p) for p in (2, 4, 8)),
        *(run_of(p, size=200, send=p, wait=10) for p in (2, 4)),
    ]
    ranking = rank(tables_of(runs))
    assert [row["size"] for row in ranking] == [None, None, 100, 100]
    assert of(ranking, "call_path spearman run_count", size=100) == [(WAIT, 1, 3), (SEND, -1, 3)]


def test_applications_are_ranked_apart() -> None:
    others = [
        MeasuredRun(run.processes, {SEND: run.spent[WAIT], WAIT: run.spent[SEND]}, application="b")
        for run in RUNS
    ]
    found = {
        (row["application"], row["call_path"]): row["spearman"]
        for row in rank(tables_of(RUNS + others))
    }
    assert (found["program", WAIT], found["b", WAIT]) == (1, -1)


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        ([run_of(1, send=3)] * 3, NO_RUN),
        ([run_of(2, send=3, wait=1), run_of(4, send=1, wait=1)], TOO_FEW_RUNS),
        ([run_of(4, send=3, wait=n) for n in (1, 2, 3)], ONE_PROCESS_COUNT),
        ([run_of(p, send=3, wait=1) for p in (2, 4, 8)], CONSTANT),
    ],
)
def test_missing_coefficients_have_a_reason(runs: list[MeasuredRun], reason: str) -> None:
    ranking = rank(tables_of(runs))
    assert ranking
    for row in ranking:
        assert row["reason"] == reason
        assert row["spearman"] is row["p_value"] is row["q_value"] is row["p_value_method"] is None
        assert (row["mean_share"] is None) == (reason == NO_RUN)


def test_failed_runs_and_runs_without_communication_do_not_count() -> None:
    quiet = MeasuredRun(processes=16, spent={"main": [100] * 16})
    failed = MeasuredRun(processes=32, spent={}, state="out of memory")
    assert (
        of(rank(tables_of([*RUNS, quiet, failed])), "run_count largest_processes") == [(3, 8)] * 3
    )


def test_no_runs_make_an_empty_ranking() -> None:
    assert rank(tables_of([])) == []
