"""How unevenly computation is spread over locations, and how long they are idle."""

import pytest

from tests.helpers.micro_trace import Row, Tables, read_call_tree
from tests.helpers.running import run_query, run_stage, with_overheads
from tracemill.stages.imbalance import IMBALANCE_STAGE

KINDS = {
    "MPI_Send": ("mpi", "point2point"),
    "parallel": ("openmp", "parallel"),
    "task": ("openmp", "task"),
}
DEVIATIONS = "mean_ns longest_ns overload_ns underload_ns non_participation_ns"


def program(outline: str, times: dict[tuple[int, int], int], *locations: Row) -> Tables:
    """A call tree, and the time of visits by call path and location.

    Locations are processes of one thread each if they are not given.
    """
    tables = read_call_tree(outline)
    for row in tables["regions"]:
        row["paradigm"], row["role"] = KINDS.get(row["name"], ("compiler", "function"))
    tables["visits"] = [
        {"call_path_id": path, "location_id": place, "exclusive_ns": time, "leave_ns": time}
        for (path, place), time in times.items()
    ]
    count = 1 + max(place for _, place in times)
    tables["locations"] = [
        {"location_id": number, "location_group_id": number, "kind": "cpu_thread"} | given
        for number, given in enumerate(locations or [{}] * count)
    ]
    return with_overheads(tables)


def imbalance(tables: Tables, columns: str) -> list[tuple[object, ...]]:
    rows = run_stage(IMBALANCE_STAGE, tables)["computational_imbalance"]
    return [tuple(row[name] for name in columns.split()) for row in rows]


def by_location(tables: Tables) -> list[tuple[object, ...]]:
    rows = run_stage(IMBALANCE_STAGE, tables)["location_imbalance"]
    return [tuple(row.values()) for row in rows]


# work takes 10, 20, 30 and 40 on four processes: the mean is 25, 5 + 15 lie above, 15 + 5 below.
def test_deviations_are_from_the_mean_of_all_processes():
    times = {(0, place): 10 * (place + 1) for place in range(4)}
    tables = program("work", times)
    assert imbalance(
        tables, f"location_count visitor_count location_id exclusive_ns {DEVIATIONS}"
    ) == [(4, 4, None, 100, 25, 40, 20, 20, 0)]
    assert imbalance(tables, "longest_to_mean scope") == [(40 / 25, "processes")]


def test_absent_processes_are_below_the_mean():
    # Processes 0 and 1 work for 30 and 50, two others not at all: the mean is 20.
    tables = program("main\n  work", {(1, 0): 30, (1, 1): 50, (0, 2): 0, (0, 3): 0})
    assert imbalance(tables, f"visitor_count location_id {DEVIATIONS}") == [
        (2, None, 20, 50, 10 + 30, 20 + 20, 20 + 20)
    ]


def test_a_single_participant_is_named():
    # The mean is 10: the only one has 30 too much, all others miss 10.
    tables = program("main\n  work", {(0, 0): 0, (0, 1): 0, (1, 2): 40, (0, 3): 0})
    assert imbalance(tables, f"visitor_count location_id {DEVIATIONS}") == [
        (1, 2, 10, 40, 30, 30, 30)
    ]


def test_only_computation_counts():
    times = {(0, 0): 10, (1, 0): 100, (0, 1): 10, (1, 1): 0}
    tables = program("main\n  MPI_Send", times)
    assert imbalance(tables, f"call_path_id {DEVIATIONS}") == [(0, 10, 10, 0, 0, 0)]


def test_the_mean_is_rounded_and_the_rest_exact():
    # 1 + 2 + 2 over three is 1.67, rounded 2: nothing lies above it, 1 below.
    tables = program("work", {(0, 0): 1, (0, 1): 2, (0, 2): 2})
    assert imbalance(tables, DEVIATIONS) == [(2, 2, 0, 1, 0)]
    assert imbalance(tables, "longest_to_mean") == [(2 * 3 / 5,)]


def test_call_paths_without_time_are_left_out():
    assert imbalance(program("main\n  work", {(0, 0): 0, (1, 0): 0}), "call_path_id") == []


# Two processes of two threads. Outside the parallel region only first threads count, inside all.
#
# path 0  main             30 and 10 on the first threads: mean 20
#      1  └── parallel     8 on each thread
#      2      └── work     10, 20, 30, 40: mean 25
THREADS = ({"location_group_id": 0}, {"location_group_id": 0, "thread": 1},
           {"location_group_id": 1}, {"location_group_id": 1, "thread": 1})  # fmt: skip


def test_workers_take_part_in_parallel_regions_only():
    times = {(0, 0): 30, (0, 2): 10}
    times |= {(1, place): 8 for place in range(4)}
    times |= {(2, place): 10 * (place + 1) for place in range(4)}
    tables = program("main\n  parallel\n    work", times, *THREADS)
    assert imbalance(tables, f"call_path_id scope location_count {DEVIATIONS}") == [
        (0, "processes", 2, 20, 30, 10, 10, 0),
        (1, "threads", 4, 8, 8, 0, 0, 0),
        (2, "threads", 4, 25, 40, 20, 20, 0),
    ]
    # computation, overload, single participant, underload, non-participation, singularity
    assert by_location(tables) == [
        (0, 30 + 8 + 10, 10, 0, 15, 0, 0),
        (1, 8 + 20, 0, 0, 5, 0, 0),
        (2, 10 + 8 + 30, 5, 0, 10, 0, 0),
        (3, 8 + 40, 15, 0, 0, 0, 0),
    ]


def test_a_worker_that_takes_part_outside_parallel_regions_counts_too():
    tables = program("main\n  work", {(1, 0): 40, (1, 1): 20, (0, 2): 0, (0, 3): 0}, *THREADS)
    # The two first threads and the worker: a mean of 20; the second process misses it.
    assert imbalance(tables, f"location_count visitor_count {DEVIATIONS}") == [
        (3, 2, 20, 40, 20, 20, 20)
    ]
    assert [row[4:6] for row in by_location(tables)] == [(0, 0), (0, 0), (20, 20), (0, 0)]


def test_time_between_a_parallel_region_and_its_fork_is_no_computation():
    tables = program("parallel", {(0, 0): 30, (0, 1): 26}, *THREADS[:2])
    tables["fork_join_times"] = [
        {"call_path_id": 0, "location_id": 0, "fork_join_ns": 10},
        {"call_path_id": 0, "location_id": 1, "fork_join_ns": 16},
    ]
    assert imbalance(tables, f"exclusive_ns {DEVIATIONS}") == [(20 + 10, 15, 20, 5, 5, 0)]


def test_parallel_regions_of_another_class_by_own_rules_are_left_out():
    tables = program("parallel\n  work", {(0, 0): 30, (1, 0): 5}, {})
    tables["fork_join_times"] = [{"call_path_id": 0, "location_id": 0, "fork_join_ns": 10}]
    rules = "paradigm,role,name,class,subclass\n*,*,parallel,control of parallelism,scheduling\n"
    tables = with_overheads(tables, overhead_classes=rules + "*,*,*,computation,user code\n")
    assert imbalance(tables, "call_path_id exclusive_ns") == [(1, 5)]
    assert by_location(tables) == [(0, 5, 0, 0, 0, 0, 0)]


def test_tasks_and_created_threads_have_scopes_of_their_own():
    times = {(0, 0): 3, (2, 0): 8, (2, 3): 8, (4, 1): 9}
    outline = "main\nTASKS\n  task\nTHREADS\n  body"
    tables = program(outline, times, *THREADS)
    # Any thread may run a task, but only created ones run what was created.
    assert imbalance(tables, f"call_path_id scope location_count {DEVIATIONS}") == [
        (0, "processes", 2, 2, 3, 1, 2, 2),
        (2, "threads", 4, 4, 8, 8, 8, 8),
        (4, "created threads", 2, 5, 9, 4, 5, 5),
    ]


def test_streams_of_accelerators_are_compared_with_each_other():
    streams = ({}, {"kind": "gpu", "thread": 1}, {"kind": "gpu", "thread": 2})
    tables = program("main\n  kernel", {(0, 0): 5, (1, 1): 30, (1, 2): 10}, *streams)
    assert imbalance(tables, f"call_path_id scope location_count {DEVIATIONS}") == [
        (0, "processes", 1, 5, 5, 0, 0, 0),
        (1, "streams", 2, 20, 30, 10, 10, 0),
    ]


def test_locations_sum_to_call_paths():
    times = {(0, 0): 5, (1, 0): 7, (0, 1): 1, (2, 1): 11, (0, 2): 4, (1, 2): 9, (0, 3): 2}
    tables = program("main\n  work\n  other", times)
    tables |= run_stage(IMBALANCE_STAGE, tables)
    assert run_query("imbalance_is_shared_out", tables) == []
    # Singularity: only location 1 visits other, 11 over four are 3; all others miss that.
    assert [row[3] for row in by_location(tables)] == [0, 11 - 3, 0, 0]
    assert [row[6] for row in by_location(tables)] == [3, 0, 3, 3]


def test_a_trace_without_computation_has_no_imbalance():
    found = run_stage(IMBALANCE_STAGE, with_overheads({}))
    assert found == {"computational_imbalance": [], "location_imbalance": []}


# --- Idle time ----------------------------------------------------------------------------------


# The run lasts from 0 to 100, process 0 from 10 to 90, process 1 until the end.
#
#              0   10   20             60             90   100
# 0 master         [               waits 15           ]
# 0 worker              [parallel      ]
# 1 master     [                                            ]   waits 5 + 1
@pytest.fixture
def idle() -> Tables:
    visits = [
        {"visit_id": 0, "location_id": 0, "call_path_id": 0, "enter_ns": 10, "leave_ns": 90},
        {"visit_id": 1, "location_id": 1, "call_path_id": 1, "enter_ns": 20, "leave_ns": 60},
        {"visit_id": 2, "location_id": 2, "call_path_id": 0, "enter_ns": 0, "leave_ns": 100},
    ]
    for visit in visits:
        visit["exclusive_ns"] = visit["leave_ns"] - visit["enter_ns"]
    locations = [
        {"location_id": 0, "location_group_id": 0, "begin_ns": 10, "end_ns": 90},
        {"location_id": 1, "location_group_id": 0, "begin_ns": 20, "end_ns": 60, "thread": 1},
        {"location_id": 2, "location_group_id": 1, "begin_ns": 0, "end_ns": 100},
    ]
    waits = [("mpi_latesender", 0, 15), ("mpi_wait_nxn", 2, 5), ("mpi_latereceiver", 2, 1)]
    completions = [("mpi_barrier_completion", 0, 40)]
    return with_overheads(
        read_call_tree("main\n  parallel")
        | {
            "runs": [{"begin_ns": 0, "end_ns": 100}],
            "locations": locations,
            "visits": visits,
            "thread_team_members": [{"location_id": place} for place in (0, 1)],
            "wait_states": [
                {"property": name, "location_id": place, "wait_ns": time, "visit_id": number}
                | {"is_completion": (name, place, time) in completions}
                for number, (name, place, time) in enumerate(waits + completions)
            ],
        }
    )


def test_idle_is_waiting_without_work_or_absent(idle):
    columns = "location_id location_group_id wait_ns idle_thread_ns absent_ns idle_ns idle_ratio"
    assert run_query("idle_times", idle, columns) == [
        (0, 0, 15, 0, 20, 35, 0.35),
        (1, 0, 0, 80 - 40, 20, 60, 0.6),
        (2, 1, 5 + 1, 0, 0, 6, 0.06),
    ]


def test_idle_times_of_a_process_are_sums_over_its_locations(idle):
    columns = "location_group_id location_count wait_ns idle_thread_ns absent_ns idle_ns idle_ratio"
    assert run_query("process_idle_times", idle, columns) == [
        (0, 2, 15, 40, 40, 95, 95 / 200),
        (1, 1, 6, 0, 0, 6, 0.06),
    ]


def test_a_location_without_records_is_absent():
    tables = {"runs": [{"end_ns": 7}], "locations": [{"location_id": 0}]}
    assert run_query("idle_times", with_overheads(tables), "absent_ns idle_ratio") == [(7, 1.0)]
