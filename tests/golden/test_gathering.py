"""What a campaign asks of runs: times, call paths, call sites and metrics, of several at once."""

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from pipeline.campaign.gathering import Gathered
from pipeline.sql import Value, all_queries, load_query
from schemas import BY_NAME
from tests.golden.micro_trace import Row, Tables, read_call_tree, read_trace
from tests.golden.running import run_query
from tests.hand_made import make_table
from tests.oracle.profiles import with_profile

Found = list[dict[str, Any]]


def ask(relation: str, runs: Mapping[str, Tables], **parameters: Value) -> Found:
    """Rows of a query over several runs, by their names."""
    query = load_query(relation)
    filled = {run_id: with_profile(tables) for run_id, tables in runs.items()}
    with duckdb.connect() as connection:
        for name in query.inputs:
            parts = [told_apart(name, tables, run_id) for run_id, tables in filled.items()]
            connection.register("given", pa.concat_tables(parts))
            connection.execute(f"CREATE TABLE {name} AS FROM given")
        return (
            connection.sql(query.text, params=query.bind(parameters)).to_arrow_table().to_pylist()
        )


def told_apart(name: str, tables: Tables, run_id: str) -> pa.Table:
    """A table of a run as a campaign sees it: given, computed by its query, or empty."""
    rows: Any = tables.get(name, ())
    if name not in tables and name in {query.relation for query in all_queries()}:
        columns = BY_NAME[name].column_names
        rows = [dict(zip(columns, row, strict=True)) for row in run_query(name, tables)]
    made = make_table(BY_NAME[name], rows)
    if "run_id" in made.column_names:
        made = made.drop_columns("run_id")
    return made.append_column("run_id", pa.array([run_id] * made.num_rows, pa.string()))


def rows_of(
    relation: str, tables: Tables, columns: str, **parameters: Value
) -> list[tuple[Any, ...]]:
    """The named columns of the rows that one run gives."""
    found = ask(relation, {"run": tables}, **parameters)
    return [tuple(row[name] for name in columns.split()) for row in found]


def complete(tables: Tables) -> Tables:
    """A micro trace with what its text does not say: paradigms, keys, and when locations began.

    Call path n has the key 100 + n; a location is there as long as its visits.
    """
    for region in tables["regions"]:
        is_mpi = region["name"].startswith("MPI_")
        region.setdefault("paradigm", "mpi" if is_mpi else "compiler")
    tables["call_path_keys"] = [
        {"call_path_id": path["call_path_id"], "call_path_key": 100 + path["call_path_id"]}
        for path in tables["call_paths"]
    ]
    for place in tables["locations"]:
        own = [v for v in tables["visits"] if v["location_id"] == place["location_id"]]
        place.setdefault("kind", "cpu_thread")
        place.setdefault("begin_ns", min((v["enter_ns"] for v in own), default=0))
        place.setdefault("end_ns", max((v["leave_ns"] for v in own), default=0))
    return tables


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


def test_what_counts_lies_between_init_and_finalize() -> None:
    assert rows_of("gathered_times", complete(read_trace(PAIR)), TIMES) == [
        (0, 80 - 20, 10, 20, 80, 100),
        (1, 85 - 25, 25, 25, 85, 110),
    ]


def test_the_whole_run_can_count() -> None:
    tables = complete(read_trace(PAIR))
    assert rows_of("gathered_times", tables, TIMES, is_whole_run=True) == [
        (0, 100, 10, 0, 100, 100),
        (1, 110, 25, 0, 110, 110),
    ]


def test_setup_counts_as_communication_and_as_time_if_wanted() -> None:
    """Here the whole run lasts longer: main goes on after MPI_Finalize."""
    tables = complete(read_trace(PAIR + "0 120..130 write_results"))
    assert rows_of("gathered_times", tables, TIMES, is_setup_included=True) == [
        (0, 100, 20 + 10 + 20, 0, 100, 130),
        (1, 110, 25 + 25 + 25, 0, 110, 110),
    ]


def test_a_run_takes_as_long_as_from_the_first_to_the_last_process() -> None:
    times = pa.Table.from_pylist(
        ask("gathered_times", {"run": complete(read_trace(PAIR)), "more": later(PAIR, 1000)})
    )
    empty = pa.table({})
    gathered = Gathered(times=times, call_paths=empty, call_sites=empty, metrics=empty)
    assert gathered.time_ns == {"run": 85 - 20, "more": 85 - 20}


def later(text: str, shift: int) -> Tables:
    """The same trace with clocks that show another time."""
    tables = complete(read_trace(text))
    for row in tables["visits"]:
        row["enter_ns"] += shift
        row["leave_ns"] += shift
    for row in tables["locations"]:
        row["begin_ns"] += shift
        row["end_ns"] += shift
    return tables


def test_a_process_that_does_not_finalize_counts_to_its_last_record() -> None:
    tables = complete(read_trace("0 0..20 MPI_Init\n0 50..70 MPI_Recv"))
    assert rows_of("gathered_times", tables, TIMES) == [(0, 70 - 20, 20, 20, 70, 70)]


def test_without_mpi_everything_counts() -> None:
    tables = complete(read_trace("0 10..20 solve\n1 5..40 solve"))
    assert rows_of("gathered_times", tables, TIMES) == [
        (0, 20, 0, 0, 20, 20),
        (1, 40, 0, 0, 40, 40),
    ]


def test_threads_communicate_for_their_process() -> None:
    tables = complete(
        read_trace(
            """
            0    0..10    MPI_Init_thread
            0    20..30   MPI_Send
            0    90..100  MPI_Finalize
            0.1  40..55   MPI_Recv
            """
        )
    )
    assert rows_of("gathered_times", tables, TIMES) == [(0, 80, 10 + 15, 10, 90, 100)]


def test_accelerators_are_no_processes() -> None:
    tables = complete(read_trace("0 10..20 solve\n1 5..40 kernel"))
    tables["location_groups"][1]["kind"] = "accelerator"
    assert rows_of("gathered_times", tables, "rank time_ns") == [(0, 20)]


def test_runs_are_kept_apart() -> None:
    """Locations, regions and call paths of different runs have the same numbers."""
    short = complete(read_trace("0 0..5 MPI_Init\n0 6..9 MPI_Bcast\n0 10..12 MPI_Finalize"))
    found = ask("gathered_times", {"b": complete(read_trace(PAIR)), "a": short})
    columns = ("run_id", "rank", "time_ns", "communication_ns")
    assert [tuple(row[name] for name in columns) for row in found] == [
        ("a", 0, 10 - 5, 3), ("b", 0, 60, 10), ("b", 1, 60, 25),
    ]  # fmt: skip


# --- Sizes ---------------------------------------------------------------------------------------


def test_sizes_are_those_of_the_largest_process() -> None:
    tables = complete(read_trace("0 0..10 work\n1 0..10 work\n1.1 2..8 work\n1.2 2..8 work"))
    tables["runs"] = [{"run_id": "x", "process_count": 2, "begin_ns": -5, "end_ns": 25}]
    found = rows_of("gathered_runs", tables, "processes threads whole_time_ns")
    assert found == [(2, 3, 25 + 5)]


def test_sizes_of_runs_are_kept_apart() -> None:
    wide = complete(read_trace("0 0..10 work\n0.1 0..10 work\n0.2 0..10 work"))
    deep = complete(read_trace("0 0..10 work\n1 0..10 work"))
    wide["runs"] = [{"run_id": "x", "process_count": 1, "end_ns": 10}]
    deep["runs"] = [{"run_id": "y", "process_count": 2, "end_ns": 20}]
    assert ask("gathered_runs", {"wide": wide, "deep": deep}) == [
        {"run_id": "deep", "processes": 2, "threads": 1, "whole_time_ns": 20},
        {"run_id": "wide", "processes": 1, "threads": 3, "whole_time_ns": 10},
    ]


def test_a_trace_without_locations_has_a_size() -> None:
    tables: Tables = {"runs": [{"run_id": "x", "begin_ns": 0, "end_ns": 0}], "locations": []}
    assert rows_of("gathered_runs", tables, "processes threads whole_time_ns") == [(1, 1, 0)]


# --- Call sites ----------------------------------------------------------------------------------

SITES = "call_path_key rank call_count total_ns shortest_ns longest_ns"


def test_calls_are_summed_per_call_site_and_process() -> None:
    # Rank 0 sends for 5 and 20, its second thread for 8; rank 1 only receives, for 40.
    tables = complete(
        read_trace(
            """
            0    10..15  MPI_Send
            0    30..50  MPI_Send
            0.1  22..30  MPI_Send
            1    10..50  MPI_Recv
            0    60..90  solve
            """
        )
    )
    names = {path["path"]: 100 + path["call_path_id"] for path in tables["call_paths"]}
    assert rows_of("gathered_call_sites", tables, SITES) == [
        (names["main/MPI_Recv"], 1, 1, 40, 40, 40),
        (names["main/MPI_Send"], 0, 3, 5 + 20 + 8, 5, 20),
    ]


def test_who_only_calls_from_within_a_call_does_not_call_there() -> None:
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


def program(outline: str, times: dict[tuple[int, int], int], processes: list[int]) -> Tables:
    """A call tree with one visit per call path and location; `processes` are those of locations."""
    tables = read_call_tree(outline)
    tables["visits"] = [
        {"call_path_id": path, "location_id": place, "exclusive_ns": time, "leave_ns": time}
        for (path, place), time in times.items()
    ]
    tables["locations"] = [
        {"location_id": number, "location_group_id": group}
        for number, group in enumerate(processes)
    ]
    tables["location_groups"] = [
        {"location_group_id": group, "rank": group, "kind": "process"} for group in set(processes)
    ]
    tables["runs"] = [{"run_id": "x"}]
    for row in tables["visits"]:
        row["enter_ns"] = 0
    return complete(tables)


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
        # Where it is called from, as nobody knows where MPI's own source is.
        (102, 101, "main/solve/MPI_Allreduce", "MPI_Allreduce", 2, "solve.c:12", "MPI_Allreduce",
         False),
        (103, 100, "main/write", "write", 1, "main.c:3", None, False),
    ]  # fmt: skip


def test_setup_is_marked() -> None:
    found = rows_of("gathered_call_paths", complete(read_trace(PAIR)), "region is_setup")
    assert [name for name, is_setup in found if is_setup] == ["MPI_Finalize", "MPI_Init"]


def test_waiting_and_the_critical_path_are_added() -> None:
    tables = three_processes()
    tables["wait_states"] = [
        wait(0, 20), wait(1, 10), wait(1, 3, is_completion=True),
    ]  # fmt: skip
    tables["critical_path_profile"] = [
        {"call_path_id": SOLVE, "location_id": 2, "path_ns": 30},
        {"call_path_id": ALLREDUCE, "location_id": 2, "path_ns": 4},
        {"call_path_id": ALLREDUCE, "location_id": 1, "path_ns": 1},
    ]
    assert rows_of("gathered_call_paths", tables, "call_path_key wait_ns critical_path_ns") == [
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
    """Their stubs, which tell where they were scheduled, would count the same time again."""
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
        ("TASKS", 0, 9, 0),  # nobody visits what stands above all tasks
        ("TASKS/task", 9, 9, 1),
    ]


def test_runs_of_different_sizes_do_not_mix() -> None:
    """Call path 1 is not visited by one of three processes here, and by the only one there."""
    some = program(
        "main\n  work", {(0, 0): 1, (0, 1): 1, (0, 2): 1, (1, 0): 7, (1, 1): 9}, [0, 1, 2]
    )
    alone = program("main\n  work", {(0, 0): 2, (1, 0): 50}, [0])
    found = ask("gathered_call_paths", {"alone": alone, "some": some})
    columns = ("run_id", "call_path_key", "exclusive_ns", "shortest_ns", "longest_ns")
    assert [tuple(row[name] for name in columns) for row in found] == [
        ("alone", 100, 2, 2, 2), ("alone", 101, 50, 50, 50),
        ("some", 100, 3, 1, 1), ("some", 101, 16, 0, 9),
    ]  # fmt: skip


# --- Metrics -------------------------------------------------------------------------------------

CLASSES = ("user code", "point-to-point", "scheduling", "fork/join", "outside visits")
METRICS = [
    {"metric": "time"},
    {"metric": "mpi_latesender"},
    {"metric": "bytes_sent", "unit": "bytes"},
    {"metric": "overhead_data_movement"},
    {"metric": "overhead_thread_management"},
    {"metric": "class_of_user_code"},
    {"metric": "class_of_messages", "parent_metric": "overhead_data_movement"},
    {"metric": "class_of_scheduling", "parent_metric": "overhead_thread_management"},
    {"metric": "class_of_forks", "parent_metric": "overhead_thread_management"},
    {"metric": "class_of_the_rest"},
]


def classified(times: dict[tuple[int, int], int]) -> Tables:
    """main calls MPI_Send and a parallel region, on as many processes as there are locations."""
    count = 1 + max(place for _, place in times)
    tables = program("main\n  MPI_Send\n  parallel", times, list(range(count)))
    own = [row for row in METRICS if str(row["metric"]).startswith("class")]
    tables["metrics"] = METRICS
    tables["location_overheads"] = []
    tables["overhead_classes"] = [
        {"overhead_id": number, "overhead_subclass": name, "metric": metric["metric"]}
        for number, (name, metric) in enumerate(zip(CLASSES, own, strict=True))
    ]
    tables["region_classes"] = [
        {"region_id": region, "overhead_id": region} for region in range(len(tables["regions"]))
    ]
    return tables


def metrics_of(tables: Tables) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for metric, key, value in rows_of("gathered_metrics", tables, "metric call_path_key value_ns"):
        found.setdefault(metric, {})[key] = value
    return found


def test_every_metric_is_summed_over_locations() -> None:
    tables = classified({(0, 0): 30, (0, 1): 10, (1, 0): 12, (1, 1): 5})
    tables["severities"] = [
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 0, "value": 8},
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 1, "value": 2},
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 1, "value": 1,
         "is_beyond_reference": True},
        {"metric": "bytes_sent", "call_path_id": 1, "location_id": 0, "value": 4096},
    ]  # fmt: skip
    assert metrics_of(tables) == {
        "time": {100: 40, 101: 17},
        "class_of_user_code": {100: 40},
        "class_of_messages": {101: 17},
        "overhead_data_movement": {101: 17},
        "mpi_latesender": {101: 8 + 2 + 1},
    }


def test_time_around_parallel_regions_is_moved_to_its_class() -> None:
    tables = classified({(2, 0): 20, (2, 1): 26})
    tables["fork_join_times"] = [
        {"call_path_id": 2, "location_id": 0, "fork_join_ns": 4},
        {"call_path_id": 2, "location_id": 1, "fork_join_ns": 1},
    ]
    assert metrics_of(tables) == {
        "time": {102: 46},
        "class_of_scheduling": {102: 46 - 5},
        "class_of_forks": {102: 5},
        "overhead_thread_management": {102: 46},
    }


def test_time_in_no_call_path_has_a_key_of_its_own() -> None:
    tables = classified({(0, 0): 30})
    tables["location_overheads"] = [
        {"location_id": 0, "overhead_id": CLASSES.index("outside visits"), "time_ns": 7},
        {"location_id": 1, "overhead_id": CLASSES.index("outside visits"), "time_ns": 2},
        # What visits took is told by call path already.
        {"location_id": 0, "overhead_id": CLASSES.index("user code"), "time_ns": 30},
    ]
    assert metrics_of(tables)["class_of_the_rest"] == {0: 9}
    assert metrics_of(tables)["class_of_user_code"] == {100: 30}


def test_what_adds_up_to_nothing_is_left_out() -> None:
    tables = classified({(0, 0): 0})
    tables["location_overheads"] = [
        {"location_id": 0, "overhead_id": CLASSES.index("outside visits"), "time_ns": 3},
        {"location_id": 1, "overhead_id": CLASSES.index("outside visits"), "time_ns": -3},
    ]
    assert metrics_of(tables) == {}


@pytest.mark.parametrize("relation", ["gathered_metrics", "gathered_call_sites"])
def test_keys_of_one_run_do_not_reach_another(relation: str) -> None:
    first, second = (classified({(0, 0): 30, (1, 0): time}) for time in (12, 5))
    for row in second["call_path_keys"]:
        row["call_path_key"] += 100
    together = ask(relation, {"first": first, "second": second})
    assert together == ask(relation, {"first": first}) + ask(relation, {"second": second})
