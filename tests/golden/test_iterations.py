"""Iterations of the main loop: how they are found, and what each costs."""

from typing import Any

import pytest

from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import query_rows, query_tables, run_query

#         0    10   12      20         30         40         50      60
# rank 0  [Init][work][setup ][work][Ba][work ][B][work ][Ba]         [Finalize
# rank 1  [In][work  ][setup ][work ][B][wo][Bar.][work  ][B]         [Finalize
LOOP = """
    0   0..10   MPI_Init
    0   10..12  work
    0   12..20  setup
    0   20..26  work
    0   26..30  MPI_Barrier  collective barrier
    0   30..38  work
    0   38..40  MPI_Barrier  collective barrier
    0   40..46  work
    0   46..50  MPI_Barrier  collective barrier
    0   60..70  MPI_Finalize
    1   0..8    MPI_Init
    1   8..12   work
    1   12..20  setup
    1   20..28  work
    1   28..30  MPI_Barrier  collective barrier
    1   30..34  work
    1   34..40  MPI_Barrier  collective barrier
    1   40..48  work
    1   48..50  MPI_Barrier  collective barrier
    1   60..70  MPI_Finalize
"""
LOOP_COLUMNS = "iteration_count dropped_before_count dropped_after_count before_ns after_ns"


def tables_of(text: str) -> Tables:
    """A trace with its run, in which calls of MPI are of their kind."""
    tables = read_trace(text)
    ends = [row["leave_ns"] for row in tables["visits"]]
    begin = min(row["enter_ns"] for row in tables["visits"])
    run = {"run_id": "x", "begin_ns": begin, "end_ns": max(ends)}
    run["location_count"] = len(tables["locations"])
    for row in tables["regions"]:
        is_mpi = row["name"].startswith("MPI_")
        row |= {"paradigm": "mpi", "role": "barrier"} if is_mpi else {}
        row |= {} if is_mpi else {"paradigm": "compiler", "role": "function"}
    for row in tables["locations"]:
        row |= {"begin_ns": begin, "end_ns": max(ends), "kind": "cpu_thread"}
    return {**tables, "runs": [run]}


def loop_of(text: str, **parameters: str) -> list[tuple[Any, ...]]:
    """The name of the head and the columns of the loop."""
    tables = tables_of(text)
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    found = run_query("iteration_loop", tables, f"region_id is_run {LOOP_COLUMNS}", **parameters)
    return [(names[region], *rest) for region, *rest in found]


def reasons_of(text: str) -> dict[tuple[str, bool], tuple[str | None, int, int]]:
    """The reason and the counts of visits by name of the head, and whether it is of runs."""
    tables = tables_of(text)
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    return {
        (names[row["region_id"]], row["is_run"]): (
            row["reason"], row["least_count"], row["most_count"],
        )
        for row in query_rows("iteration_candidates", tables)
    }  # fmt: skip


def steps(process: int, *calls: str, length: int = 10) -> str:
    """Calls of a process one after the other, each of the same length."""
    return "".join(
        f"{process} {length * at}..{length * (at + 1)} {call}\n" for at, call in enumerate(calls)
    )


def both(*calls: str) -> str:
    return steps(0, *calls) + steps(1, *calls)


def test_the_loop_begins_after_the_warm_up() -> None:
    """The first work is followed by setup: of three regions one is shared, 1/3 < 0.5.

    Before: 20 - 10 on both; after: 60 - 50. All: 100 = 2 (60 - 10) = 6 * 10 + 20 + 20.
    """
    assert loop_of(LOOP) == [("work", False, 3, 1, 0, 20, 20)]


def test_similarity_and_coverage_decide() -> None:
    """MPI_Barrier begins 26..38, 38..46 and 46..50, the last one without work: (1 + 1 + 1/2) / 3.

    It covers 24 + 22 of 100 ns; work covers 30 + 30.
    """
    tables = tables_of(LOOP)
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    rows = query_rows("iteration_candidates", tables)
    found = {
        names[row["region_id"]]: (row["similarity_ratio"], row["coverage_ratio"], row["reason"])
        for row in rows
    }
    assert found == {"work": (1.0, 0.6, None), "MPI_Barrier": (pytest.approx(2.5 / 3), 0.46, None)}


def test_an_iteration_holds_what_happens_in_it() -> None:
    """Messages at 29 and 30 belong to iterations 0 and 1; that at 50 to none.

    Rank 1 waits from 31 to 35 for rank 0, which has the path until then.
    """
    given = {
        "critical_path_segments": [
            {"ordinal": 0, "location_id": 0, "begin_ns": 0, "end_ns": 35},
            {"ordinal": 1, "location_id": 1, "begin_ns": 31, "end_ns": 70, "wait_ns": 4},
        ],
        "messages": [
            {"message_id": at, "sender_location_id": 0, "send_ns": time, "bytes": size}
            for at, (time, size) in enumerate([(19, 1), (29, 3), (30, 5), (50, 7)])
        ],
    }
    columns = (
        "iteration location_group_id begin_ns end_ns time_ns computing_ns wait_ns path_ns "
        "bytes_sent"
    )
    assert run_query("iterations", tables_of(LOOP) | given, columns) == [
        (0, 0, 20, 30, 10, 6, 28 - 26, 10, 3),
        (0, 1, 20, 30, 10, 8, 0, 0, 0),
        (1, 0, 30, 40, 10, 8, 0, 5, 5),
        (1, 1, 30, 40, 10, 4, 38 - 34, 5, 0),
        (2, 0, 40, 50, 10, 6, 48 - 46, 0, 0),
        (2, 1, 40, 50, 10, 8, 0, 10, 0),
    ]
    ratios = run_query("iterations", tables_of(LOOP), "iteration imbalance_ratio")
    assert sorted(set(ratios)) == [(0, 8 / 7), (1, 8 / 6), (2, 8 / 7)]


def test_a_process_that_is_early_begins_with_the_main_part() -> None:
    """Rank 1 enters its first iteration at 4, before rank 0 leaves MPI_Init at 10."""
    text = """
        0  0..10   MPI_Init
        1  0..4    MPI_Init
    """
    for process in (0, 1):
        for at in range(3):
            begin = 4 if process and not at else 10 + 10 * at
            text += f"{process} {begin}..{16 + 10 * at} work\n"
            text += f"{process} {16 + 10 * at}..{20 + 10 * at} MPI_Barrier\n"
    assert loop_of(text) == [("work", False, 3, 0, 0, 0, 0)]
    spans = run_query("iterations", tables_of(text), "iteration begin_ns time_ns")
    assert spans == [(0, 10, 10)] * 2 + [(1, 20, 10)] * 2 + [(2, 30, 10)] * 2


def test_one_visit_more_on_a_process_is_no_head() -> None:
    calls = ["work", "MPI_Barrier"] * 4
    more = steps(0, *calls) + steps(1, "work", *calls)
    assert reasons_of(more)["work", False] == ("counts differ", 4, 5)
    # It begins at 10 on rank 0, where it ends 10 ns before the run, and at 20 on rank 1.
    assert loop_of(more) == [("MPI_Barrier", False, 4, 0, 0, 10 + 20, 10)]


def test_runs_of_visits_begin_an_iteration_together() -> None:
    """Of all visits of work, every second one is followed by MPI_Barrier: unlike."""
    found = reasons_of(both(*["work", "work", "MPI_Barrier"] * 4))
    assert found["work", False] == ("unlike", 8, 8)
    assert found["work", True] == (None, 4, 4)
    assert loop_of(both(*["work", "work", "MPI_Barrier"] * 4)) == [("work", True, 4, 0, 0, 0, 0)]


def test_unlike_branches_that_alternate_are_one_iteration() -> None:
    calls = ["step", "red", "MPI_Barrier", "step", "black", "MPI_Bcast"] * 4
    assert reasons_of(both(*calls))["step", False] == ("unlike", 8, 8)
    assert loop_of(both(*calls)) == [("red", False, 4, 0, 0, 20, 0)]


def test_two_recurrences_are_no_loop() -> None:
    text = both(*["work", "MPI_Barrier"] * 2)
    assert loop_of(text) == []
    assert reasons_of(text)["work", False] == ("twice only", 2, 2)


def test_iterations_have_to_communicate() -> None:
    text = both(*["work", "step"] * 4)
    assert loop_of(text) == []
    assert reasons_of(text)["work", False] == ("no communication", 4, 4)
    alone = steps(0, *["work", "step"] * 4)
    assert loop_of(alone) == [("work", False, 4, 0, 0, 0, 0)]


def test_a_loop_covers_enough_of_the_main_part() -> None:
    """It lasts 60 ns of 210 ns, less than 0.3 of them: 63."""
    text = both(*["work", "MPI_Barrier"] * 3, "other")
    long = "".join(f"{process} 70..210 rest\n" for process in (0, 1))
    assert loop_of(text + long) == []
    assert reasons_of(text + long)["work", False] == ("short", 3, 3)


def test_one_long_iteration_among_short_ones_is_uneven() -> None:
    """The median is 20 ns, the mean (4 * 20 + 520) / 5 = 120 ns: 20 < 24."""
    text = ""
    for process in (0, 1):
        for at in range(5):
            end = 10 * (2 * at + 1) + 500 * (at > 3)
            text += f"{process} {20 * at}..{end} work\n{process} {end}..{end + 10} MPI_Barrier\n"
    assert reasons_of(text)["work", False] == ("uneven", 5, 5)


def test_a_named_head_replaces_the_search() -> None:
    """All four visits of work count, from 10 on; rank 1 enters its first one before."""
    assert loop_of(LOOP, iteration_head="work") == [("work", False, 4, 0, 0, 0, 20)]
    assert loop_of(LOOP, iteration_head="main/MPI_Barrier") == [
        ("MPI_Barrier", False, 3, 0, 0, 16 + 18, 20)
    ]
    assert loop_of(LOOP, iteration_head="setup") == [("setup", False, 1, 0, 0, 4, 2 * 40)]
    assert loop_of(LOOP, iteration_head="nothing") == []


def test_a_named_head_has_equal_counts() -> None:
    calls = ["work", "MPI_Barrier"] * 4
    tables = tables_of(steps(0, *calls) + steps(1, "work", *calls))
    found = query_tables(
        {"iteration_loop": "", "iteration_candidates": ""}, tables, iteration_head="work"
    )
    assert found["iteration_loop"] == []
    (refused,) = found["iteration_candidates"]
    assert (refused["least_count"], refused["most_count"], refused["reason"]) == (
        4, 5, "counts differ",
    )  # fmt: skip


def test_without_recurring_calls_there_are_no_candidates() -> None:
    assert query_rows("iteration_candidates", tables_of("0 0..10 solve\n1 0..10 solve")) == []
    assert query_rows("iterations", tables_of("0 0..10 solve\n1 0..10 solve")) == []
