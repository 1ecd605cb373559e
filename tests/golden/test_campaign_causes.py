"""Causes of waiting over the runs of a campaign: costs, ranks, and who waits for them."""

from typing import Any

import pytest

from tests.helpers.gathering import program, rows_of
from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import query_rows, run_query, run_stage
from tracemill.reports.campaign_sections.causes import describe_causes, describe_losses
from tracemill.stages.campaign.call_site_ranking import CAUSE_RANKING_STAGE

SERIAL, WORK = "main/serial", "main/work"
BCAST, SCATTER, REDUCE = "main/MPI_Bcast", "main/MPI_Scatter", "main/MPI_Allreduce"
KEYS = {name: 1000 + number for number, name in enumerate((SERIAL, WORK, BCAST, SCATTER, REDUCE))}
WAITS = {BCAST: "mpi_latebroadcast", SCATTER: "mpi_latebroadcast", REDUCE: "mpi_wait_nxn"}

Cause = tuple[str, str, int, int, int]


def campaign_of(*runs: tuple[int, list[Cause], dict[str, int]]) -> Tables:
    """Runs with processes, causes (kind, call path, rank, direct, passed on), and waiting."""
    tables = tables_of(MeasuredRun(p, {name: [1] * p for name in KEYS}) for p, _, _ in runs)
    for number, row in enumerate(tables["campaign_runs"]):
        row |= {"time_ns": 100, "run_id": f"run{number}"}
    tables["run_causes"] = [
        {"campaign_run_id": number, "kind": kind, "call_path_key": KEYS[name], "rank": rank,
         "direct_ns": direct, "passed_on_ns": passed_on}
        for number, (_, causes, _) in enumerate(runs)
        for kind, name, rank, direct, passed_on in causes
    ]  # fmt: skip
    tables["run_metrics"] = [
        {"campaign_run_id": number, "metric": WAITS[name], "call_path_key": KEYS[name],
         "value_ns": value}
        for number, (_, _, waits) in enumerate(runs)
        for name, value in waits.items()
    ]  # fmt: skip
    return tables


# Late Broadcast 100 ns, of it serial 90; Wait at N x N 60 ns, of it serial 20 and work 40.
FOUR: list[Cause] = [
    ("12n", SERIAL, 0, 90, 0),
    ("12n", WORK, 3, 10, 0),
    ("n2n", SERIAL, 0, 0, 20),
    ("n2n", WORK, 2, 20, 0),
    ("n2n", WORK, 3, 20, 0),
]
FOUR_WAITS = {BCAST: 60, SCATTER: 40, REDUCE: 60}


def named(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows whose first value is the key of a call path, with its name instead."""
    names = {key: name for name, key in KEYS.items()}
    return [(names[key], *others) for key, *others in found]


def test_a_cause_has_a_share_of_all_waiting_of_its_run() -> None:
    columns = "call_path_key caused_ns direct_ns passed_on_ns longest_ns waiting_share"
    assert named(run_query("cause_times", campaign_of((4, FOUR, FOUR_WAITS)), columns)) == [
        (SERIAL, 110, 90, 20, 110, 110 / 160),
        (WORK, 50, 50, 0, 30, 50 / 160),
    ]


def test_idle_threads_are_no_waiting() -> None:
    idle: list[Cause] = [("ompidle", SERIAL, 0, 500, 0), ("n2n", WORK, 1, 6, 0)]
    tables = campaign_of((2, idle, {REDUCE: 8}))
    found = named(run_query("cause_times", tables, "call_path_key caused_ns waiting_share"))
    assert found == [(WORK, 6, 6 / 8)]


def test_rounded_costs_are_not_more_than_all_waiting() -> None:
    tables = campaign_of((2, [("n2n", WORK, 1, 9, 0)], {REDUCE: 8}))
    assert run_query("cause_times", tables, "waiting_share") == [(1,)]


def test_a_configuration_has_the_median_of_its_repetitions() -> None:
    """One repetition has no cost in `work`; of a fourth run the causes are unknown."""
    serial = [[("12n", SERIAL, 0, cost, 0)] for cost in (50, 80, 70)]
    tables = campaign_of(
        (4, [*serial[0], ("n2n", WORK, 1, 30, 0)], {BCAST: 50, REDUCE: 50}),
        (4, [*serial[1], ("n2n", WORK, 2, 10, 0)], {BCAST: 80, REDUCE: 20}),
        (4, serial[2], {BCAST: 100}),
        (4, [], {BCAST: 900}),
    )
    columns = "call_path_key rank caused_ns direct_ns waiting_share run_count"
    assert named(run_query("configuration_causes", tables, columns)) == [
        (SERIAL, 0, 70, 70, 0.7, 3),
        # Of 40 ns, rank 1 has 30: three quarters.
        (WORK, 1, 10, 10, 0.1, 3),
    ]


@pytest.mark.parametrize(("most", "rank"), [(66, None), (67, 1)])
def test_a_rank_with_two_thirds_of_the_cost_is_named(most: int, rank: int | None) -> None:
    causes = [("n2n", WORK, 0, 100 - most, 0), ("n2n", WORK, 1, most, 0)]
    tables = campaign_of((2, causes, {REDUCE: 100}))
    assert run_query("configuration_causes", tables, "rank") == [(rank,)]


# MPI_Bcast: at least 60 - 10 = 50 of 60 ns is for serial; MPI_Scatter: 40 - 10 = 30 of 40.
# MPI_Allreduce waits 40 of 60 ns for work, which is two thirds; which rank is to blame is open.
def test_what_other_causes_cannot_explain_is_certain() -> None:
    columns = "call_path_key cause_call_path_key cause_rank certain_share"
    tables = campaign_of((4, FOUR, FOUR_WAITS))
    assert named(run_query("waiting_causes", tables, columns)) == [
        (BCAST, KEYS[SERIAL], 0, pytest.approx(50 / 60)),
        (SCATTER, KEYS[SERIAL], 0, pytest.approx(30 / 40)),
        (REDUCE, KEYS[WORK], None, pytest.approx(40 / 60)),
    ]


def test_a_cause_that_may_lie_elsewhere_is_not_named() -> None:
    """Of 24 ns in MPI_Scatter, all 10 of `work` may be there: 14 of 24 are too few."""
    tables = campaign_of((4, FOUR, {BCAST: 76, SCATTER: 24}))
    assert named(run_query("waiting_causes", tables, "call_path_key")) == [(BCAST,)]


def test_communication_itself_is_no_cause_to_mend() -> None:
    tables = campaign_of((2, [("n2n", BCAST, 0, 50, 0)], {REDUCE: 50}))
    assert run_query("waiting_causes", tables, "call_path_key") == []


# Shares of serial are 0.2, 0.5 and 0.8; those of work are the rest.
def growing() -> Tables:
    shares = {2: 20, 4: 50, 8: 80}
    tables = campaign_of(
        *((p, [("12n", SERIAL, 0, p * share, 0), ("n2n", WORK, p - 1, p * (100 - share), 0)],
           {BCAST: p * share, REDUCE: p * (100 - share)}) for p, share in shares.items()),
        (16, [], {BCAST: 7}),
    )  # fmt: skip
    tables["campaign_settings"][0]["size_name"] = "n"
    return tables


def test_causes_are_ranked_as_call_sites_are() -> None:
    """The run with unknown causes is left out."""
    ranking = run_stage(CAUSE_RANKING_STAGE, growing_tables())["cause_ranking"]
    columns = ("rank", "call_path", "operation", "spearman", "largest_share", "run_count")
    assert [tuple(row[name] for name in columns) for row in ranking] == [
        (1, SERIAL, "serial", 1, 0.8, 3),
        (2, WORK, "work", -1, pytest.approx(0.2), 3),
    ]


def growing_tables() -> Tables:
    tables = growing()
    columns = "campaign_run_id call_path_key caused_ns longest_ns waiting_share"
    found = run_query("cause_times", tables, columns)
    return tables | {"cause_times": [dict(zip(columns.split(), row, strict=True)) for row in found]}


def sentences_of(tables: Tables) -> list[str]:
    causes, waiting = (
        query_rows(name, tables, row_limit=9) for name in ("growing_causes", "waiting_for_causes")
    )
    return list(describe_causes(causes, waiting))


def test_sentences_name_large_causes_and_their_growth() -> None:
    # serial: 2 * 20 and 8 * 80 ns; work: 2 * 80 and 8 * 20 ns. The first covers 80%.
    assert sentences_of(growing()) == [
        f'program: "{SERIAL}" on rank 0 causes 80.0% of all waiting with 8 processes: 640 ns, up '
        "from 40.0 ns with 2.",
        f'The waiting in "{BCAST}" is for "{SERIAL}" on rank 0.',
    ]


def test_setup_and_calls_are_not_named_but_those_who_communicate() -> None:
    """All communication together is one cause."""
    rows: list[Row] = [
        {"application": "x", "call_path": name, "source": None, "cause_rank": None,
         "fewest_ns": 2 * most, "most_ns": most, "smallest_share_ratio": 0.5, "size_count": 1,
         "largest_share_ratio": most / 8, "smallest_processes": 2, "largest_processes": 4,
         "is_setup": is_setup, "is_communication": True, "caller_call_path": caller}
        for name, caller, most, is_setup in (
            ("main/MPI_Init", "main", 2, True), (REDUCE, "main", 4, False),
            (BCAST, "main/x", 2, False),
        )
    ]  # fmt: skip
    assert list(describe_causes(rows, [])) == [
        'x: communication itself, most in calls from "main", causes 75.0% of all waiting with 4 '
        "processes: 6.00 ns, down from 12.0 ns with 2."
    ]


def test_campaigns_without_known_causes_have_none() -> None:
    tables = campaign_of((2, [], {REDUCE: 10}), (4, [], {REDUCE: 20}))
    assert sentences_of(tables) == []
    assert run_query("waiting_causes", tables, "call_path_key") == []


def test_costs_are_gathered_by_kind_and_process() -> None:
    """Two threads of rank 1; one run was analyzed by a version without delays."""
    tables = program("main\n  work", {(0, 0): 5, (1, 0): 5, (1, 1): 5, (1, 2): 5}, [0, 1, 1])
    metrics = [
        ("delay_n2n", 1, 0, 7),
        ("delay_n2n_longterm", 1, 1, 4),
        ("delay_n2n_longterm", 1, 2, 2),
        ("delay_12n", 1, 2, 3),
        ("mpi_wait_nxn", 1, 0, 9),
    ]
    names = ("metric", "call_path_id", "location_id", "value")
    tables["severities"] = [dict(zip(names, row, strict=True)) for row in metrics]
    columns = "kind call_path_key rank direct_ns passed_on_ns"
    assert rows_of("gathered_causes", tables, columns) == [
        ("12n", 101, 1, 3, 0),
        ("n2n", 101, 0, 7, 0),
        ("n2n", 101, 1, 0, 6),
    ]
    tables["severities"] = tables["severities"][-1:]
    assert rows_of("gathered_causes", tables, columns) == []


# --- Lost parallelism ----------------------------------------------------------------------------


def test_losses_are_gathered_by_call_path_with_their_only_process() -> None:
    """`work` is visited by two processes; losses in code that all run are not moved."""
    tables = program("main\n  serial\n  work", {(0, 0): 9, (1, 0): 5, (2, 0): 2, (2, 1): 2}, [0, 1])
    losses = [(1, 4, 1, 30, 6, 7), (1, 5, 1, 10, 0, 7), (2, 4, 2, 0, 8, 8), (0, 4, 2, 5, 5, None)]
    names = (
        "call_path_id", "overhead_id", "participant_count", "alone_ns", "with_others_ns",
        "moved_to_overhead_id",
    )  # fmt: skip
    tables["parallelism_losses"] = [dict(zip(names, row, strict=True)) for row in losses]
    columns = "call_path_key rank participant_count alone_ns with_others_ns"
    assert rows_of("gathered_losses", tables, columns) == [(101, 0, 1, 40, 6), (102, None, 2, 0, 8)]


def losing(*runs: tuple[int, dict[str, tuple[int | None, int]]]) -> Tables:
    """Runs with processes, and the rank of each call path that the others lose time for."""
    tables = campaign_of(*((p, [], {}) for p, _ in runs))
    tables["run_losses"] = [
        {"campaign_run_id": number, "call_path_key": KEYS[name], "rank": rank, "alone_ns": lost,
         "with_others_ns": 1, "participant_count": 1}
        for number, (_, losses) in enumerate(runs)
        for name, (rank, lost) in losses.items()
    ]  # fmt: skip
    return tables


def test_a_configuration_has_the_median_of_its_losses() -> None:
    """One repetition loses nothing in `work`, and another process runs it in the third."""
    tables = losing(
        (4, {SERIAL: (0, 50), WORK: (3, 30)}),
        (4, {SERIAL: (0, 80)}),
        (4, {SERIAL: (0, 70), WORK: (2, 10)}),
    )
    columns = "call_path_key rank lost_ns alone_ns lost_share run_count"
    # Each of five call paths takes 1 ns on each of four processes.
    assert named(run_query("configuration_losses", tables, columns)) == [
        (SERIAL, 0, 71, 70, 71 / 20, 3),
        (WORK, None, 11, 10, 11 / 20, 3),
    ]


def test_a_sentence_names_the_largest_loss_with_the_most_processes() -> None:
    tables = losing((2, {WORK: (1, 900)}), (8, {SERIAL: (0, 700), WORK: (7, 100)}))
    rows = query_rows("losses_by_configuration", tables, row_limit=9)
    assert list(describe_losses(rows)) == [
        f'program: while "{SERIAL}" ran on rank 0 alone, the others lost 701 ns with 8 processes.'
    ]
