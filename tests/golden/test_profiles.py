"""Where the time went: call tree, flat profile and region graph."""

import pytest

from tests.helpers.micro_trace import Row, Tables, read_call_tree
from tests.oracle.profiles import with_profile


def visit(path: int, exclusive: int, *, location: int = 0, **more: int) -> Row:
    """One visit; without a given parent it is called from the root of its location."""
    row = {"call_path_id": path, "location_id": location, "exclusive_ns": exclusive}
    return row | {"leave_ns": exclusive} | more


def called(path: int, exclusive: int, **more: int) -> Row:
    """One visit that was called from another one of its location."""
    return visit(path, exclusive, parent_visit_id=0, **more)


def call_tree(tables: Tables, columns: str) -> list[tuple[object, ...]]:
    """The call tree of the slow version that the reader is compared with."""
    rows = sorted(
        with_profile(tables)["call_tree"], key=lambda row: (row["call_path_id"], row["location_id"])
    )
    return [tuple(row[column] for column in columns.split()) for row in rows]


@pytest.fixture
def program() -> Tables:
    """A program of four call paths; solve is visited twice on location 0.

    path 0  main           10
         1  ├── solve      20 + 5
         2  │   └── recv   30
         3  └── write      40
    """
    tree = read_call_tree("""
        main
          solve
            recv
          write
    """)
    visits = [visit(0, 10), called(1, 20), called(1, 5), called(2, 30), called(3, 40)]
    return tree | {"visits": visits}


def test_inclusive_time_covers_the_subtree(program):
    columns = "call_path_id visit_count inclusive_ns exclusive_ns"
    assert call_tree(program, columns) == [
        (0, 1, 10 + 20 + 5 + 30 + 40, 10),
        (1, 2, 20 + 5 + 30, 25),
        (2, 1, 30, 30),
        (3, 1, 40, 40),
    ]


def test_each_location_has_a_tree_of_its_own(program):
    program["visits"] += [visit(0, 1, location=1), called(3, 2, location=1)]
    columns = "call_path_id location_id visit_count inclusive_ns exclusive_ns"
    assert [row for row in call_tree(program, columns) if row[1] == 1] == [
        (0, 1, 1, 3, 1),
        (3, 1, 1, 2, 2),
    ]


# Location 1 is a worker: it enters the parallel region below a call path that it does not visit.
#
# path 0  main             10 on location 0
#      1  ├── prepare       5 on location 0
#      2  └── solve        20 on location 0
#      3      └── parallel 30 on location 0, 25 on location 1
#      4          └── work               40 on location 1
def test_a_worker_has_time_below_call_paths_it_does_not_visit():
    tree = read_call_tree("""
        main
          prepare
          solve
            parallel
              work
    """)
    tree["visits"] = [visit(0, 10), called(1, 5), called(2, 20), called(3, 30)]
    tree["visits"] += [visit(3, 25, location=1), called(4, 40, location=1)]
    columns = "call_path_id location_id visit_count inclusive_ns exclusive_ns"
    assert call_tree(tree, columns) == [
        (0, 0, 1, 10 + 5 + 20 + 30, 10),
        (0, 1, 0, 25 + 40, 0),
        (1, 0, 1, 5, 5),
        (2, 0, 1, 20 + 30, 20),
        (2, 1, 0, 25 + 40, 0),
        (3, 0, 1, 30, 30),
        (3, 1, 1, 25 + 40, 25),
        (4, 1, 1, 40, 40),
    ]


# A task ran in two stretches (7 and 3) inside the barrier, and below TASKS as itself:
#
# path 0  main             10
#      1  └── barrier       5
#      2      └── [task]       stub: 7 + 3, started once
#      3  TASKS
#      4  └── task          4
#      5      └── work      6
@pytest.fixture
def tasking() -> Tables:
    tree = read_call_tree("""
        main
          barrier
            [task]
        TASKS
          task
            work
    """)
    tree["visits"] = [visit(0, 10), called(1, 5), visit(4, 4), called(5, 6)]
    tree["task_fragments"] = [
        {"sequence": 0, "call_path_id": 2, "begin_ns": 10, "end_ns": 17, "is_first": True},
        {"sequence": 1, "call_path_id": 2, "begin_ns": 20, "end_ns": 23, "is_first": False},
    ]
    return tree


def test_a_stub_repeats_the_task_below_its_scheduling_point(tasking):
    columns = "call_path_id visit_count inclusive_ns exclusive_ns"
    assert call_tree(tasking, columns) == [
        (0, 1, 10 + 5 + 10, 10),
        (1, 1, 5 + 10, 5),
        (2, 1, 10, 10),
        (3, 0, 4 + 6, 0),
        (4, 1, 4 + 6, 4),
        (5, 1, 6, 6),
    ]


def test_stubs_are_left_out_of_the_flat_profile(run_query, tasking):
    # Regions: main 0, barrier 1, task 2, TASKS 3 (never visited), work 4.
    columns = "region_id visit_count inclusive_ns exclusive_ns"
    assert run_query("flat_profile", tasking, columns) == [
        (0, 1, 25, 10),
        (1, 1, 15, 5),
        (2, 1, 10, 4),
        (4, 1, 6, 6),
    ]


def test_a_task_is_an_entry_of_the_region_graph(run_query, tasking):
    assert run_query("region_graph_nodes", tasking, "region_id is_entry") == [
        (0, True),
        (1, False),
        (2, True),
        (4, False),
    ]
    # The barrier scheduled the task, which counts as an entry: it adds nothing to the barrier.
    columns = "caller_region_id callee_region_id kind visit_count inclusive_ns total_ns forked_ns"
    assert run_query("region_graph_edges", tasking, columns) == [
        (0, 1, "call", 1, 15, 5, 0),
        (1, 2, "task", 1, 10, 0, 0),
        (2, 4, "call", 1, 6, 6, 0),
    ]


def test_tasks_have_totals_of_their_own(run_query, tasking):
    # main: 10 + 5; the task in between counts as task: 4 + 6.
    assert run_query("region_graph_nodes", tasking, "region_id total_ns forked_ns") == [
        (0, 15, 0),
        (1, 5, 0),
        (2, 10, 0),
        (4, 6, 0),
    ]


def test_a_flat_profile_sums_over_call_paths(run_query):
    tree = read_call_tree("""
        main
          solve
            work
          work
    """)
    tree["visits"] = [visit(0, 1), called(1, 2), called(2, 30), called(2, 50), called(3, 20)]
    columns = "region_id visit_count inclusive_ns exclusive_ns shortest_ns longest_ns"
    assert run_query("flat_profile", tree, columns) == [
        (0, 1, 103, 1, 1, 1),
        (1, 1, 82, 2, 2, 2),
        (2, 3, 100, 100, 20, 50),
    ]


# Fibonacci calls itself; only the outermost visits count as inclusive.
#
# path 0  main              1
#      1  ├── fib           2
#      2  │   ├── fib       4
#      3  │   │   └── fib   8
#      4  │   └── other    16
#      5  └── other        32
#      6      └── fib      64
@pytest.fixture
def recursion() -> Tables:
    tree = read_call_tree("""
        main
          fib
            fib
              fib
            other
          other
            fib
    """)
    tree["visits"] = [visit(0, 1)] + [called(path, 2**path) for path in range(1, 7)]
    return tree


def test_only_outermost_visits_of_a_recursion_are_inclusive(run_query, recursion):
    # fib: paths 1 (2 + 4 + 8 + 16) and 6 (64), for 2 and 3 lie below 1; other: 4 and 5 (32 + 64).
    assert run_query("flat_profile", recursion, "region_id visit_count inclusive_ns") == [
        (0, 1, 127),
        (1, 4, 30 + 64),
        (2, 2, 16 + 96),
    ]


def test_a_recursion_is_an_edge_from_a_region_to_itself(run_query, recursion):
    columns = "caller_region_id callee_region_id visit_count inclusive_ns exclusive_ns total_ns"
    # fib → fib: paths 2 (4 + 8) and 3, which lies below 2.
    assert run_query("region_graph_edges", recursion, columns) == [
        (0, 1, 1, 30, 2, 30),
        (0, 2, 1, 96, 32, 96),
        (1, 1, 2, 12, 4 + 8, 12),
        (1, 2, 1, 16, 16, 16),
        (2, 1, 1, 64, 64, 64),
    ]


# The worker does not visit the outer loop; what it spends in the inner one counts.
#
# path 0  loop            10 on location 0
#      1  └── parallel    20 on both
#      2      └── loop    30 on both
def test_a_visit_is_outermost_if_its_location_is_not_already_inside(run_query):
    tree = read_call_tree("""
        loop
          parallel
            loop
    """)
    tree["visits"] = [visit(0, 10), called(1, 20), called(2, 30)]
    tree["visits"] += [visit(1, 20, location=1), called(2, 30, location=1)]
    columns = "region_id location_id inclusive_ns exclusive_ns"
    assert run_query("flat_profile", tree, columns) == [
        (0, 0, 60, 40),
        (0, 1, 30, 30),
        (1, 0, 50, 20),
        (1, 1, 50, 20),
    ]


def test_the_region_graph_sums_over_locations(run_query, program):
    program["visits"] += [visit(0, 1, location=1), called(3, 2, location=1)]
    assert run_query("region_graph_nodes", program) == [
        (0, 2, 2, 105 + 3, 11, 105 + 3, 0, True),
        (1, 2, 1, 55, 25, 55, 0, False),
        (2, 1, 1, 30, 30, 30, 0, False),
        (3, 2, 2, 42, 42, 42, 0, False),
    ]
    assert run_query("region_graph_edges", program) == [
        (0, 1, "call", 2, 55, 25, 55, 0),
        (0, 3, "call", 2, 42, 42, 42, 0),
        (1, 2, "call", 1, 30, 30, 30, 0),
    ]


def test_a_worker_is_called_from_the_forking_region(run_query):
    tree = read_call_tree("""
        main
          parallel
    """)
    tree["visits"] = [visit(0, 10), called(1, 20), visit(1, 5, location=1)]
    assert run_query("region_graph_nodes", tree) == [
        (0, 1, 1, 10 + 20, 10, 10 + 20 + 5, 5, True),
        (1, 2, 2, 20 + 5, 20 + 5, 20 + 5, 0, False),
    ]
    # An edge that occurs as call and as fork has two rows.
    assert run_query("region_graph_edges", tree) == [
        (0, 1, "call", 1, 20, 20, 20, 0),
        (0, 1, "fork", 1, 5, 5, 5, 5),
    ]


# Location 1 works for solve, which it does not visit:
#
# path 0  main             10 on location 0
#      1  └── solve        20 on location 0
#      2      └── parallel 30 on location 0, 25 on location 1
#      3          └── work               40 on location 1
def test_forked_work_belongs_to_all_regions_around_the_fork(run_query):
    tree = read_call_tree("""
        main
          solve
            parallel
              work
    """)
    tree["visits"] = [visit(0, 10), called(1, 20), called(2, 30)]
    tree["visits"] += [visit(2, 25, location=1), called(3, 40, location=1)]
    columns = "region_id location_count inclusive_ns total_ns forked_ns"
    assert run_query("region_graph_nodes", tree, columns) == [
        (0, 1, 60, 60 + 65, 65),
        (1, 1, 50, 50 + 65, 65),
        (2, 2, 30 + 65, 30 + 65, 0),
        (3, 1, 40, 40, 0),
    ]
    columns = "caller_region_id callee_region_id kind total_ns forked_ns"
    assert run_query("region_graph_edges", tree, columns) == [
        (0, 1, "call", 50 + 65, 65),
        (1, 2, "call", 30, 0),
        (1, 2, "fork", 65, 65),
        (2, 3, "call", 40, 0),
    ]


def test_a_created_thread_is_an_entry_with_an_edge_from_its_creator(run_query):
    tree = read_call_tree("""
        main
          pthread_create
        THREADS
          body
    """)
    tree["visits"] = [visit(0, 10), called(1, 2), visit(3, 7, location=1)]
    tree["thread_events"] = [
        {"sequence": 0, "kind": "create", "visit_id": 1, "call_path_id": 1, "number": 1}
        | {"communicator_id": 0},
        {"sequence": 1, "kind": "begin", "location_id": 1, "number": 1, "communicator_id": 0},
    ]
    assert run_query("region_graph_edges", tree) == [
        (0, 1, "call", 1, 2, 2, 2, 0),
        (1, 3, "create", 1, 7, 7, 0, 0),
    ]
    assert run_query("region_graph_nodes", tree, "region_id total_ns is_entry") == [
        (0, 12, True),
        (1, 2, False),
        (3, 7, True),
    ]


# A thousand levels: the time below each is found without walking up or down.
def test_a_deep_recursion_sums_up(run_query):
    depth = 1000
    paths = [
        {"call_path_id": n, "parent_call_path_id": n - 1 if n else None, "region_id": 0}
        | {"last_call_path_id": depth - 1, "depth": n}
        for n in range(depth)
    ]
    tables = {"call_paths": paths, "visits": [visit(0, 1)]}
    tables["visits"] += [called(path, 1) for path in range(1, depth)]
    found = call_tree(tables, "inclusive_ns")
    assert found == [(depth - path,) for path in range(depth)]
    assert run_query("flat_profile", tables, "visit_count inclusive_ns") == [(depth, depth)]


@pytest.mark.parametrize("relation", ["flat_profile", "region_graph_nodes", "region_graph_edges"])
def test_without_visits_there_is_no_profile(run_query, relation):
    assert run_query(relation, {}) == []
