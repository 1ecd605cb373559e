"""Classes of overhead: every nanosecond of every location belongs to exactly one."""

import pytest

from tests.helpers.micro_trace import Row, Tables, read_call_tree, read_trace
from tests.helpers.running import run_query, run_stage, with_overheads
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.overhead_totals import OVERHEAD_TOTALS_STAGE

KINDS = {
    "MPI_Send": ("mpi", "point2point"),
    "MPI_Recv": ("mpi", "point2point"),
    "MPI_Barrier": ("mpi", "barrier"),
    "parallel": ("openmp", "parallel"),
    "unheard_of": ("unknown", "unknown"),
}


def classified(tables: Tables, **rules: str) -> Tables:
    """The tables with paradigms and roles by the regions' names, and with classes."""
    for row in tables["regions"]:
        row["paradigm"], row["role"] = KINDS.get(row["name"], ("compiler", "function"))
    return with_overheads(tables, **rules)


def by_name(rows: list[tuple[int, int, int]]) -> list[tuple[int, str, int]]:
    return [(place, TAXONOMY[overhead].part, time) for place, overhead, time in rows]


# --- Locations ----------------------------------------------------------------------------------


#           0    10   20   30   40   50   60
# rank 0    [         [Send]
# rank 1    [         [Recv     ]    [Barr]
def message_trace() -> Tables:
    tables = read_trace("""
        0   20..30   MPI_Send      send 1
        1   20..40   MPI_Recv      recv 0
        1   50..60   MPI_Barrier   collective barrier
    """)
    for row, end in zip(tables["locations"], (30, 60), strict=True):
        row |= {"begin_ns": 0, "end_ns": end}
    return tables | {"runs": [{"begin_ns": 0, "end_ns": 60}]}


SPENT = "location_id overhead_id time_ns"


def test_every_location_is_accounted_for_over_the_whole_run():
    tables = classified(message_trace())
    assert by_name(run_query("location_overheads", tables, SPENT)) == [
        (0, "user code", 20),
        (0, "point-to-point", 10),
        (0, "outside visits", 30),
        (1, "user code", 60 - 20 - 10),
        (1, "point-to-point", 20),
        (1, "barrier", 10),
    ]
    assert run_query("overheads_fill_the_run", tables) == []


def test_shares_are_of_the_run_and_of_all_locations():
    tables = classified(message_trace())
    ratios = run_query("location_overheads", tables, "location_id time_ratio")
    assert ratios[:2] == [(0, 20 / 60), (0, 10 / 60)]
    columns = "overhead_id time_ns time_ratio mean_ns longest_ns"
    # Means over two locations: user code (20 + 30) / 2, barrier (0 + 10) / 2.
    assert run_query("overheads", tables, columns) == [
        (overhead_id("user code"), 50, 50 / 120, 25, 30),
        (overhead_id("point-to-point"), 30, 30 / 120, 15, 20),
        (overhead_id("barrier"), 10, 10 / 120, 5, 10),
        (overhead_id("outside visits"), 30, 30 / 120, 15, 30),
    ]


def test_regions_that_no_rule_names_are_unidentified():
    tables = message_trace()
    tables["regions"][1]["name"] = "unheard_of"  # MPI_Barrier until here
    found = by_name(run_query("location_overheads", classified(tables), SPENT))
    assert found[-1] == (1, "no rule", 10)


def test_a_trace_without_visits_is_all_outside():
    tables = {"runs": [{"end_ns": 5}], "locations": [{"location_id": 0}], "regions": []}
    assert by_name(run_query("location_overheads", classified(tables), SPENT)) == [
        (0, "outside visits", 5)
    ]


def test_a_run_without_time_has_no_overheads():
    tables = {"runs": [{"end_ns": 0}], "locations": [{"location_id": 0}], "regions": []}
    assert run_query("location_overheads", classified(tables)) == []
    assert run_query("overheads", classified(tables)) == []


# --- Threads ------------------------------------------------------------------------------------


# The process runs from 0 to 70, the run lasts until 80. The parallel region has the time from
# the fork at 5 to the join at 60 on both threads; main loses it.
#
#            0    5    10   12            48   50        60        70        80
# master     [main     [parallel               ]                    ]
# worker                    [parallel      ]
def thread_trace() -> Tables:
    tables = read_call_tree("""
        main
          parallel
    """)

    def visit(number: int, location: int, path: int, times: range, exclusive: int) -> Row:
        row = {"visit_id": number, "location_id": location, "call_path_id": path, "region_id": path}
        row |= {"enter_ns": times.start, "leave_ns": times.stop, "exclusive_ns": exclusive}
        return row | {"parent_visit_id": 0 if path > location else None, "is_closed": True}

    return tables | {
        "runs": [{"begin_ns": 0, "end_ns": 80}],
        "locations": [
            {"location_id": 0, "thread": 0, "begin_ns": 0, "end_ns": 70},
            {"location_id": 1, "thread": 1, "begin_ns": 11, "end_ns": 49},
        ],
        "visits": [
            visit(0, 0, 0, range(70), 70 - 55),
            visit(1, 0, 1, range(10, 50), 5 + 40 + 10),
            visit(2, 1, 1, range(12, 48), 7 + 36 + 12),
        ],
        "thread_teams": [{"thread_team_id": 0, "communicator_id": 0, "fork_ns": 5, "join_ns": 60}],
        "thread_team_members": [
            {"thread_team_id": 0, "location_id": 0, "begin_ns": 6, "end_ns": 51},
            {"thread_team_id": 0, "location_id": 1, "begin_ns": 11, "end_ns": 49},
        ],
    }


def test_workers_are_idle_outside_regions_while_their_process_runs():
    assert by_name(run_query("location_overheads", classified(thread_trace()), SPENT)) == [
        (0, "user code", 15 + 40),
        (0, "fork/join", 5 + 10),
        (0, "outside visits", 10),
        (1, "user code", 36),
        (1, "fork/join", 7 + 12),
        (1, "idle threads", 5 + 10),
        (1, "outside visits", 10),
    ]


# Without names of teams, the fork before a visit counts.
@pytest.mark.parametrize("has_names", [True, False])
def test_visits_of_parallel_regions_have_a_fork_and_a_join(has_names):
    tables = thread_trace()
    if not has_names:
        tables["thread_team_members"] = []
        tables["thread_teams"][0]["communicator_id"] = None
    columns = "visit_id is_start fork_ns enter_ns leave_ns join_ns"
    assert run_query("parallel_visits", classified(tables), columns) == [
        (1, False, 5, 10, 50, 60),
        (2, True, 5, 12, 48, 60),
    ]


def test_clocks_that_disagree_do_not_make_forks_last():
    tables = thread_trace()
    tables["thread_teams"][0] |= {"fork_ns": 11, "join_ns": 49}
    columns = "visit_id fork_ns enter_ns leave_ns join_ns"
    assert run_query("parallel_visits", classified(tables), columns) == [
        (1, 10, 10, 50, 50),
        (2, 11, 12, 48, 49),
    ]


def test_only_the_first_region_after_the_begin_of_a_team_belongs_to_it():
    tables = thread_trace()
    tables["visits"].append(
        tables["visits"][2] | {"visit_id": 3, "enter_ns": 48, "leave_ns": 49, "exclusive_ns": 1}
    )
    assert run_query("parallel_visits", classified(tables), "visit_id") == [(1,), (2,)]


# --- Call paths and regions ---------------------------------------------------------------------

CALLS = """
    main
      solve
        MPI_Recv
        solve
          MPI_Recv
      MPI_Barrier
"""


def visited(*times: int, location: int = 0) -> list[Row]:
    """One visit per call path, with these exclusive times."""
    return [
        {"call_path_id": path, "location_id": location, "exclusive_ns": time, "leave_ns": time}
        for path, time in enumerate(times)
    ]


def sum_overheads(tables: Tables) -> Tables:
    return run_stage(OVERHEAD_TOTALS_STAGE, classified(tables))


def rows_of(tables: Tables, name: str) -> list[tuple[int, str, int, int]]:
    rows = tables["call_path_overheads" if name == "call_path_id" else "region_overheads"]
    return [
        (row[name], TAXONOMY[row["overhead_id"]].part, row["exclusive_ns"], row["inclusive_ns"])
        for row in sorted(rows, key=lambda row: (row[name], row["overhead_id"]))
    ]


# path 0  main                 1 + 1
#      1  ├── solve           2 + 2
#      2  │   ├── MPI_Recv    4 on location 0 alone
#      3  │   └── solve       8
#      4  │       └── MPI_Recv   16
#      5  └── MPI_Barrier     32
def test_inclusive_time_of_a_class_covers_the_subtree():
    tables = read_call_tree(CALLS)
    tables["visits"] = visited(1, 2, 4, 8, 16, 32) + visited(1, 2, location=1)
    found = sum_overheads(tables)
    assert rows_of(found, "call_path_id") == [
        (0, "user code", 2, 2 + 4 + 8),
        (0, "point-to-point", 0, 4 + 16),
        (0, "barrier", 0, 32),
        (1, "user code", 4, 4 + 8),
        (1, "point-to-point", 0, 4 + 16),
        (2, "point-to-point", 4, 4),
        (3, "user code", 8, 8),
        (3, "point-to-point", 0, 16),
        (4, "point-to-point", 16, 16),
        (5, "barrier", 32, 32),
    ]


def test_regions_sum_over_their_outermost_call_paths():
    tables = read_call_tree(CALLS)
    tables["visits"] = visited(1, 2, 4, 8, 16, 32)
    # Regions in order of appearance: main, solve (1 and 3, which lies below it), MPI_Recv (2 and
    # 4, neither below the other), MPI_Barrier.
    assert rows_of(sum_overheads(tables), "region_id") == [
        (0, "user code", 1, 1 + 2 + 8),
        (0, "point-to-point", 0, 4 + 16),
        (0, "barrier", 0, 32),
        (1, "user code", 2 + 8, 2 + 8),
        (1, "point-to-point", 0, 4 + 16),
        (2, "point-to-point", 4 + 16, 4 + 16),
        (3, "barrier", 32, 32),
    ]


def test_the_time_of_workers_counts_for_the_forking_call_path():
    assert rows_of(sum_overheads(thread_trace()), "call_path_id") == [
        (0, "user code", 15, 15 + 40 + 36),
        (0, "fork/join", 0, 15 + 19),
        (1, "user code", 40 + 36, 40 + 36),
        (1, "fork/join", 15 + 19, 15 + 19),
    ]


# Location 1 works for main, which it does not visit: its time there is forked.
def test_time_on_locations_outside_of_a_region_is_forked():
    tables = read_call_tree("""
        main
          parallel
            MPI_Recv
    """)
    tables["visits"] = visited(1, 2, 4)
    tables["visits"] += [{**row, "location_id": 1} for row in visited(0, 8, 16)[1:]]
    rows = sorted(
        sum_overheads(tables)["region_overheads"],
        key=lambda row: (row["region_id"], row["overhead_id"]),
    )
    names = ("region_id", "inclusive_ns", "forked_ns")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (0, 1 + 2 + 8, 8),
        (0, 4 + 16, 16),
        (1, 2 + 8, 0),
        (1, 4 + 16, 0),
        (2, 4 + 16, 0),
    ]


# The task runs inside the barrier: its time is below TASKS, and the stub does not repeat it here.
def test_tasks_count_below_tasks_only():
    tables = read_call_tree("""
        main
          MPI_Barrier
            [task]
        TASKS
          task
            MPI_Recv
    """)
    times = visited(1, 2, 0, 0, 4, 8)
    tables["visits"] = [row for row in times if row["call_path_id"] not in (2, 3)]
    tables["task_fragments"] = [{"call_path_id": 2, "begin_ns": 0, "end_ns": 12, "is_first": True}]
    assert rows_of(sum_overheads(tables), "call_path_id") == [
        (0, "user code", 1, 1),
        (0, "barrier", 0, 2),
        (1, "barrier", 2, 2),
        (3, "user code", 0, 4),
        (3, "point-to-point", 0, 8),
        (4, "user code", 4, 4),
        (4, "point-to-point", 0, 8),
        (5, "point-to-point", 8, 8),
    ]


def test_without_visits_there_are_no_totals():
    found = sum_overheads({"regions": []})
    assert found == {"call_path_overheads": [], "region_overheads": []}
