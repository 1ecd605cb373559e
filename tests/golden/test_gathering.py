"""Queries of a campaign over several runs: times, sizes, call sites and call paths."""

import pyarrow as pa

from tests.helpers.gathering import complete, program, query_runs, rows_of
from tests.helpers.micro_trace import Row, Tables
from tracemill.campaign.gathering import Gathered

# --- Times ---------------------------------------------------------------------------------------

#            0        20  25   30   40        60      80   85  100  110
# rank 0     [  Init  ]........[Send].................[ Finalize ]
# rank 1     [    Init    ]..........[ Recv  35..60]......[ Finalize   ]
PAIR = """
    0   0..20    MPI_Init
    0   30..40   MPI_Send
    0   80..100  MPI_Finalize
    1   0..25    MPI_Init
    1   35..60   MPI_Recv
    1   85..110  MPI_Finalize
"""
TIMES = "rank time_ns communication_ns begin_ns end_ns whole_ns"


def test_time_from_the_last_init_to_the_first_finalize_counts() -> None:
    assert rows_of("gathered_times", complete(PAIR), TIMES) == [
        (0, 80 - 25, 10, 25, 80, 100),
        (1, 80 - 25, 25, 25, 80, 110),
    ]


def test_local_calls_are_no_communication() -> None:
    """Rank 0 communicates in MPI_Send alone, for 5 of the 60 ns after MPI_Init."""
    tables = complete("""
        0    0..10   MPI_Init
        0    20..28  MPI_Comm_rank
        0    30..35  MPI_Send
        0    40..70  MPI_Get_count
    """)
    assert rows_of("gathered_times", tables, "time_ns communication_ns") == [(60, 5)]
    names = {path["path"]: 100 + path["call_path_id"] for path in tables["call_paths"]}
    called = {key for (key,) in rows_of("gathered_call_sites", tables, "call_path_key")}
    assert called == {names["main/MPI_Init"], names["main/MPI_Send"]}
    found = rows_of("gathered_call_paths", tables, "operation visit_count")
    assert sorted(name for name, _ in found if name) == ["MPI_Init", "MPI_Send"]


def test_the_whole_run_counts_with_setup() -> None:
    """The process goes on after MPI_Finalize."""
    tables = complete(PAIR + "0 120..130 write_results")
    assert rows_of("gathered_times", tables, TIMES, is_setup_included=True) == [
        (0, 130, 20 + 10 + 20, 0, 130, 130),
        (1, 110, 25 + 25 + 25, 0, 110, 110),
    ]


def test_a_run_takes_as_long_as_from_the_first_to_the_last_process() -> None:
    times = pa.Table.from_pylist(
        query_runs("gathered_times", {"run": complete(PAIR), "more": later(PAIR, 1000)})
    )
    empty = pa.table({})
    gathered = Gathered(times, *[empty] * 12)
    assert gathered.time_ns == {"run": 80 - 25, "more": 80 - 25}


def later(text: str, shift: int) -> Tables:
    """The same trace with clocks that show another time."""
    tables = complete(text)
    for row in tables["visits"]:
        row["enter_ns"] += shift
        row["leave_ns"] += shift
    for row in tables["locations"]:
        row["begin_ns"] += shift
        row["end_ns"] += shift
    return tables


def test_a_process_that_does_not_finalize_counts_to_its_last_record() -> None:
    tables = complete("0 0..20 MPI_Init\n0 50..70 MPI_Recv")
    assert rows_of("gathered_times", tables, TIMES) == [(0, 70 - 20, 20, 20, 70, 70)]


def test_without_mpi_everything_counts() -> None:
    tables = complete("0 10..20 solve\n1 5..40 solve")
    assert rows_of("gathered_times", tables, TIMES) == [
        (0, 20, 0, 0, 20, 20),
        (1, 40, 0, 0, 40, 40),
    ]


def test_threads_communicate_for_their_process() -> None:
    tables = complete("""
        0    0..10    MPI_Init_thread
        0    20..30   MPI_Send
        0    90..100  MPI_Finalize
        0.1  40..55   MPI_Recv
    """)
    assert rows_of("gathered_times", tables, TIMES) == [(0, 80, 10 + 15, 10, 90, 100)]


def test_accelerators_are_no_processes() -> None:
    tables = complete("0 10..20 solve\n1 5..40 kernel")
    tables["location_groups"][1]["kind"] = "accelerator"
    assert rows_of("gathered_times", tables, "rank time_ns") == [(0, 20)]


def test_runs_are_kept_apart() -> None:
    """Locations, regions and call paths of different runs have the same numbers."""
    short = complete("0 0..5 MPI_Init\n0 6..9 MPI_Bcast\n0 10..12 MPI_Finalize")
    found = query_runs("gathered_times", {"b": complete(PAIR), "a": short})
    columns = ("run_id", "rank", "time_ns", "communication_ns")
    assert [tuple(row[name] for name in columns) for row in found] == [
        ("a", 0, 10 - 5, 3), ("b", 0, 55, 10), ("b", 1, 55, 25),
    ]  # fmt: skip


# --- Serial time ---------------------------------------------------------------------------------


def test_while_one_of_three_threads_computes_two_lose_time() -> None:
    """Alone for (60 + 20) / 2; what is lost while two compute does not count."""
    tables = complete("0 0..100 work\n1 0..100 work\n1.1 0..100 work")
    tables["parallelism_losses"] = [
        {"call_path_id": 0, "overhead_id": 1, "alone_ns": 60, "with_others_ns": 7},
        {"call_path_id": 1, "overhead_id": 1, "alone_ns": 20},
    ]
    assert rows_of("gathered_serial_times", tables, "serial_ns") == [(40,)]
    tables["parallelism_losses"] = []
    assert rows_of("gathered_serial_times", tables, "serial_ns") == [(0,)]


def test_a_single_thread_has_no_serial_time() -> None:
    tables = complete("0 0..100 work") | {"parallelism_losses": []}
    assert rows_of("gathered_serial_times", tables, "serial_ns") == []


# --- Sizes ---------------------------------------------------------------------------------------


def test_sizes_come_from_the_largest_process() -> None:
    tables = complete("0 0..10 work\n1 0..10 work\n1.1 2..8 work\n1.2 2..8 work")
    tables["runs"] = [{"run_id": "x", "process_count": 2, "begin_ns": -5, "end_ns": 25}]
    found = rows_of("gathered_runs", tables, "processes threads whole_time_ns")
    assert found == [(2, 3, 25 + 5)]


def test_sizes_of_runs_are_kept_apart() -> None:
    wide = complete("0 0..10 work\n0.1 0..10 work\n0.2 0..10 work")
    deep = complete("0 0..10 work\n1 0..10 work")
    wide["runs"] = [{"run_id": "x", "process_count": 1, "end_ns": 10}]
    deep["runs"] = [{"run_id": "y", "process_count": 2, "end_ns": 20}]
    assert query_runs("gathered_runs", {"wide": wide, "deep": deep}) == [
        {"run_id": "deep", "processes": 2, "threads": 1, "whole_time_ns": 20, "run_time_ns": 20},
        {"run_id": "wide", "processes": 1, "threads": 3, "whole_time_ns": 10, "run_time_ns": 10},
    ]


def test_a_trace_without_locations_has_a_size() -> None:
    tables: Tables = {"runs": [{"run_id": "x", "begin_ns": 0, "end_ns": 0}], "locations": []}
    assert rows_of("gathered_runs", tables, "processes threads whole_time_ns") == [(1, 1, 0)]


# --- Call sites ----------------------------------------------------------------------------------

SITES = "call_path_key rank call_count total_ns shortest_ns longest_ns"


def test_calls_are_summed_per_call_site_and_process() -> None:
    # Rank 0 sends for 5 and 20, its second thread for 8; rank 1 only receives, for 40.
    tables = complete("""
        0    10..15  MPI_Send
        0    30..50  MPI_Send
        0.1  22..30  MPI_Send
        1    10..50  MPI_Recv
        0    60..90  solve
    """)
    names = {path["path"]: 100 + path["call_path_id"] for path in tables["call_paths"]}
    assert rows_of("gathered_call_sites", tables, SITES) == [
        (names["main/MPI_Recv"], 1, 1, 40, 40, 40),
        (names["main/MPI_Send"], 0, 3, 5 + 20 + 8, 5, 20),
    ]


def test_a_process_counts_only_at_call_sites_that_it_visits() -> None:
    """A thread of a library may send below a broadcast that its process never entered."""
    times = {(1, 0): 30, (2, 0): 10, (2, 1): 4}
    tables = program("main\n  MPI_Bcast\n    MPI_Send", times, [0, 1])
    assert rows_of("gathered_call_sites", tables, "call_path_key rank call_count total_ns") == [
        (101, 0, 1, 30), (102, 0, 1, 10), (102, 1, 1, 4),
    ]  # fmt: skip


# --- Call paths ----------------------------------------------------------------------------------

PROGRAM = """
    main
      solve
        MPI_Allreduce
      write
"""
MAIN, SOLVE, ALLREDUCE, WRITE = range(4)


def three_processes() -> Tables:
    """Process 2 does not write."""
    times = {(MAIN, place): 5 for place in range(3)}
    times |= {(SOLVE, 0): 10, (SOLVE, 1): 20, (SOLVE, 2): 30}
    times |= {(ALLREDUCE, 0): 25, (ALLREDUCE, 1): 15, (ALLREDUCE, 2): 5}
    times |= {(WRITE, 0): 8, (WRITE, 1): 2}
    return program(PROGRAM, times, [0, 1, 2])


def test_costs_of_call_paths() -> None:
    columns = "call_path_key visit_count inclusive_ns exclusive_ns process_count shortest_ns"
    columns += " longest_ns"
    assert rows_of("gathered_call_paths", three_processes(), columns) == [
        (100, 3, 3 * 5 + 60 + 45 + 10, 15, 3, 5, 5),
        (101, 3, 60 + 45, 10 + 20 + 30, 3, 10, 30),
        (102, 3, 45, 25 + 15 + 5, 3, 5, 25),
        (103, 2, 10, 8 + 2, 2, 0, 8),
    ]


def test_call_paths_are_described() -> None:
    tables = three_processes()
    tables["regions"][MAIN] |= {"file": "main.c", "begin_line": 3}
    tables["regions"][SOLVE] |= {"file": "solve.c", "begin_line": 12}
    columns = "call_path_key parent_call_path_key call_path region depth place operation is_setup"
    assert rows_of("gathered_call_paths", tables, columns) == [
        (100, None, "main", "main", 0, "main.c:3", None, False),
        (101, 100, "main/solve", "solve", 1, "solve.c:12", None, False),
        # The caller's position: MPI functions have none of their own.
        (102, 101, "main/solve/MPI_Allreduce", "MPI_Allreduce", 2, "solve.c:12", "MPI_Allreduce",
         False),
        (103, 100, "main/write", "write", 1, "main.c:3", None, False),
    ]  # fmt: skip


def test_setup_is_marked() -> None:
    found = rows_of("gathered_call_paths", complete(PAIR), "region is_setup")
    assert [name for name, is_setup in found if is_setup] == ["MPI_Finalize", "MPI_Init"]


def test_waiting_and_the_critical_path_are_added() -> None:
    tables = three_processes()
    tables["wait_states"] = [
        wait(0, 20), wait(1, 10), wait(1, 3, is_completion=True),
    ]  # fmt: skip
    tables["critical_path_profile"] = [
        {"call_path_id": SOLVE, "location_id": 2, "path_ns": 30, "main_path_ns": 25},
        {"call_path_id": ALLREDUCE, "location_id": 2, "path_ns": 4, "main_path_ns": 2},
        {"call_path_id": ALLREDUCE, "location_id": 1, "path_ns": 1, "main_path_ns": 1},
    ]
    columns = "call_path_key wait_ns critical_path_ns"
    assert rows_of("gathered_call_paths", tables, columns) == [
        (100, 0, 0), (101, 0, 25), (102, 20 + 10, 2 + 1), (103, 0, 0),
    ]  # fmt: skip
    assert rows_of("gathered_call_paths", tables, columns, is_setup_included=True) == [
        (100, 0, 0), (101, 0, 30), (102, 20 + 10, 4 + 1), (103, 0, 0),
    ]  # fmt: skip


def wait(location: int, time: int, **more: object) -> Row:
    row = {"property": "mpi_wait_nxn", "location_id": location, "visit_id": time}
    return row | {"call_path_id": ALLREDUCE, "wait_ns": time, "is_completion": False} | more


def test_threads_count_for_their_process() -> None:
    # Process 0 works 10 + 12 on two threads, process 1 works 30 on one.
    times = {(0, 0): 1, (0, 2): 1, (1, 0): 10, (1, 1): 12, (1, 2): 30}
    tables = program("main\n  work", times, [0, 0, 1])
    columns = "call_path_key visit_count exclusive_ns process_count shortest_ns longest_ns"
    assert rows_of("gathered_call_paths", tables, columns) == [
        (100, 2, 2, 2, 1, 1),
        (101, 3, 52, 2, 10 + 12, 30),
    ]


def test_tasks_count_where_they_run() -> None:
    """Stubs show where tasks were scheduled; counting them would count the same time twice."""
    outline = """
        main
          taskwait
            [task]
        TASKS
          task
    """
    times = {(0, 0): 4, (1, 0): 2, (2, 0): 9, (4, 0): 9}
    columns = "call_path exclusive_ns inclusive_ns process_count"
    assert rows_of("gathered_call_paths", program(outline, times, [0]), columns) == [
        ("main", 4, 4 + 2 + 9, 1),
        ("main/taskwait", 2, 2 + 9, 1),
        ("TASKS", 0, 9, 0),  # never visited itself
        ("TASKS/task", 9, 9, 1),
    ]


def test_runs_of_different_sizes_do_not_mix() -> None:
    """Call path 1 is not visited by one of three processes here, and by the only one there."""
    some = program(
        "main\n  work", {(0, 0): 1, (0, 1): 1, (0, 2): 1, (1, 0): 7, (1, 1): 9}, [0, 1, 2]
    )
    alone = program("main\n  work", {(0, 0): 2, (1, 0): 50}, [0])
    found = query_runs("gathered_call_paths", {"alone": alone, "some": some})
    columns = ("run_id", "call_path_key", "exclusive_ns", "shortest_ns", "longest_ns")
    assert [tuple(row[name] for name in columns) for row in found] == [
        ("alone", 100, 2, 2, 2), ("alone", 101, 50, 50, 50),
        ("some", 100, 3, 1, 1), ("some", 101, 16, 0, 9),
    ]  # fmt: skip
