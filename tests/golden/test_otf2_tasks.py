"""Tasks run below TASKS/<task>; a stub repeats them below the place that scheduled them."""

from collections.abc import Callable

import pytest

from tests.helpers.otf2_archive import Trace
from tests.helpers.otf2_reading import ReadTrace

TIMES = "enter_ns leave_ns exclusive_ns"
FRAGMENTS = "scheduling_visit_id number begin_ns end_ns is_first"
TEAM = 5


@pytest.fixture
def read_tasks(read) -> Callable[..., ReadTrace]:
    """Read a trace of one process with these threads, which are a team."""

    def read_threads(*threads: str) -> ReadTrace:
        trace = Trace()
        trace.region("main")
        trace.region("barrier", role="barrier", paradigm="openmp")
        trace.region("taskwait", role="task_wait", paradigm="openmp")
        trace.region("task", role="task", paradigm="openmp")
        for events in threads:
            trace.location(events, process=0)
        trace.team(TEAM, [location.ref for location in trace.locations])
        return read(trace)

    return read_threads


#          0    10   20   30   40   50   60        100
# main     [    [barrier              ]              ]
# task               [  work   ]
#
# The barrier's own time is 10 to 20 and 40 to 60.
def test_a_task_takes_its_time_from_the_place_that_runs_it(read_tasks):
    tables = read_tasks(f"""
          0  enter main
         10  enter barrier
         15  ThreadTaskCreate {TEAM} 0 1
         20  ThreadTaskSwitch {TEAM} 0 1
         20  enter task
         25  enter work
         35  leave work
         40  leave task
         40  ThreadTaskComplete {TEAM} 0 1
         50  ThreadTaskSwitch {TEAM} 0 0
         60  leave barrier
        100  leave main
    """)
    assert tables.visits(f"visit_id parent_visit_id path {TIMES}") == [
        (0, None, "main", 0, 100, 50),
        (1, 0, "main/barrier", 10, 60, 10 + 20),
        (2, None, "TASKS/task", 20, 40, 10),
        (3, 2, "TASKS/task/work", 25, 35, 10),
    ]
    assert tables.rows("call_paths", "call_path_id path kind") == [
        (0, "main", "program"),
        (1, "main/barrier", "program"),
        (2, "main/barrier/task", "task_stub"),
        (3, "TASKS", "task"),
        (4, "TASKS/task", "task"),
        (5, "TASKS/task/work", "task"),
    ]
    assert tables.rows("task_fragments", f"location_id call_path_id thread {FRAGMENTS}") == [
        (0, 2, 0, 1, 1, 20, 40, True)
    ]
    assert tables.rows("thread_events", "time_ns kind communicator_id thread number") == [
        (15, "task_create", 0, 0, 1),
        (20, "task_switch", 0, 0, 1),
        (40, "task_complete", 0, 0, 1),
        (50, "task_switch", 0, 0, 0),
    ]
    assert tables.findings() == {}


# Task 1 waits for task 2, which the same thread runs meanwhile. When task 2 has ended, the thread
# is back in the taskwait of task 1, whose second stretch therefore begins at 40.
#
#           0    10   20   30   40   50   60   70   80   90
# barrier   [                                              ]
# task 1         [    [taskwait           ]    ]
# task 2                    [    ]
def test_a_task_that_waits_for_another_is_suspended(read_tasks):
    tables = read_tasks(f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  enter taskwait
        30  ThreadTaskSwitch {TEAM} 0 2
        30  enter task
        40  leave task
        40  ThreadTaskComplete {TEAM} 0 2
        50  ThreadTaskSwitch {TEAM} 0 1
        60  leave taskwait
        70  leave task
        70  ThreadTaskComplete {TEAM} 0 1
        80  ThreadTaskSwitch {TEAM} 0 0
        90  leave barrier
    """)
    assert tables.visits(f"path {TIMES}") == [
        ("barrier", 0, 90, 10 + 20),
        ("TASKS/task", 10, 70, 10 + 10),
        ("TASKS/task/taskwait", 20, 60, 10 + 20),
        ("TASKS/task", 30, 40, 10),
    ]
    assert tables.rows("call_paths", "call_path_id path kind") == [
        (0, "barrier", "program"),
        (1, "barrier/task", "task_stub"),
        (2, "TASKS", "task"),
        (3, "TASKS/task", "task"),
        (4, "TASKS/task/taskwait", "task"),
        (5, "TASKS/task/taskwait/task", "task_stub"),
    ]
    assert sorted(tables.rows("task_fragments", f"call_path_id {FRAGMENTS}")) == [
        (1, 0, 1, 10, 30, True),
        (1, 0, 1, 40, 70, False),
        (5, 2, 2, 30, 40, True),
    ]
    assert tables.findings() == {}


# The task pauses in the barrier and resumes in the taskwait.
#
#            0    10   20   30   40   50   60   70   80
# barrier    [               ]
# taskwait                        [                   ]
# task            [    |              |    ]
def test_a_task_may_resume_at_another_place(read_tasks):
    tables = read_tasks(f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  ThreadTaskSwitch {TEAM} 0 0
        30  leave barrier
        40  enter taskwait
        50  ThreadTaskSwitch {TEAM} 0 1
        60  leave task
        60  ThreadTaskComplete {TEAM} 0 1
        70  ThreadTaskSwitch {TEAM} 0 0
        80  leave taskwait
    """)
    assert tables.visits(f"path {TIMES}") == [
        ("barrier", 0, 30, 20),
        ("TASKS/task", 10, 60, 20),
        ("taskwait", 40, 80, 30),
    ]
    assert [row[0] for row in tables.rows("call_paths", "path")] == [
        "barrier", "barrier/task", "taskwait", "taskwait/task", "TASKS", "TASKS/task",
    ]  # fmt: skip
    assert tables.rows("task_fragments", f"call_path_id {FRAGMENTS}") == [
        (1, 0, 1, 10, 20, True),
        (3, 2, 1, 50, 60, False),
    ]


# Some runtimes do not record that a thread resumes its previous task.
#
#           0    10   20   30   40   50   60   70   80
# main      [ [barrier                         ]     ]
# task 1         [    [taskwait      ]    ]
# task 2                    [    ]
def test_after_a_task_the_thread_resumes_its_previous_task(read_tasks):
    tables = read_tasks(f"""
         0  enter main
         5  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  enter taskwait
        30  ThreadTaskSwitch {TEAM} 0 2
        30  enter task
        40  leave task
        50  leave taskwait
        60  leave task
        70  leave barrier
        80  leave main
    """)
    assert tables.visits(f"path {TIMES}") == [
        ("main", 0, 80, 5 + 10),
        ("main/barrier", 5, 70, 5 + 10),
        ("TASKS/task", 10, 60, 10 + 10),
        ("TASKS/task/taskwait", 20, 50, 10 + 10),
        ("TASKS/task", 30, 40, 10),
    ]
    assert tables.rows("task_fragments", FRAGMENTS) == [
        (1, 1, 10, 30, True),
        (3, 2, 30, 40, True),
        (1, 1, 40, 60, False),
    ]
    assert tables.findings() == {}


def test_tasks_of_the_same_number_from_two_threads_are_two(read_tasks):
    tables = read_tasks(
        f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  ThreadTaskSwitch {TEAM} 1 1
        20  enter task
        25  enter work
        30  ThreadTaskSwitch {TEAM} 0 1
        40  leave task
        40  ThreadTaskSwitch {TEAM} 1 1
        50  leave work
        60  leave task
        60  ThreadTaskSwitch {TEAM} 0 0
        70  leave barrier
        """
    )
    assert tables.visits(f"path {TIMES}") == [
        ("barrier", 0, 70, 20),
        ("TASKS/task", 10, 40, 20),
        ("TASKS/task", 20, 60, 5 + 10),
        ("TASKS/task/work", 25, 50, 5 + 10),
    ]


def test_a_task_that_never_ends_ends_with_the_trace(read_tasks):
    tables = read_tasks(f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  ThreadTaskSwitch {TEAM} 0 0
        30  leave barrier
    """)
    assert tables.visits(f"path {TIMES} is_closed") == [
        ("barrier", 0, 30, 20, True),
        ("TASKS/task", 10, 30, 10, False),
    ]
    assert tables.rows("task_fragments", FRAGMENTS) == [(0, 1, 10, 20, True)]
    assert tables.findings() == {("unclosed_visit", 0): 1}


# An untied task begins on thread 0, and resumes and ends on thread 1, which has never seen its
# regions entered: its leaves are counted, and its time from 40 to 60 belongs to no region.
def test_an_untied_task_that_moves_to_another_thread_breaks_nothing(read_tasks):
    tables = read_tasks(
        f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        20  enter work
        30  ThreadTaskSwitch {TEAM} 0 0
        90  leave barrier
        """,
        f"""
         0  enter barrier
        40  ThreadTaskSwitch {TEAM} 0 1
        50  leave work
        60  leave task
        60  ThreadTaskComplete {TEAM} 0 1
        60  ThreadTaskSwitch {TEAM} 1 0
        90  leave barrier
        """,
    )
    assert tables.visits(f"location_id path {TIMES} is_closed") == [
        (0, "barrier", 0, 90, 70, True),
        (0, "TASKS/task", 10, 90, 10, False),
        (0, "TASKS/task/work", 20, 90, 10, False),
        (1, "barrier", 0, 90, 70, True),
    ]
    assert tables.findings() == {("unclosed_visit", 0): 2, ("mismatched_leave", 1): 2}
    assert tables.rows("task_fragments", f"location_id {FRAGMENTS}") == [(0, 0, 1, 10, 30, True)]


def test_a_task_without_regions_has_no_call_path_to_show(read_tasks):
    tables = read_tasks(f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        20  ThreadTaskSwitch {TEAM} 0 0
        30  leave barrier
    """)
    assert tables.visits(f"path {TIMES}") == [("barrier", 0, 30, 20)]
    assert tables.records("task_fragments") == []


def test_a_task_may_be_resumed_and_suspended_at_the_same_time(read_tasks):
    switches = f"10 ThreadTaskSwitch {TEAM} 0 0\n 10 ThreadTaskSwitch {TEAM} 0 1\n"
    tables = read_tasks(f"""
         0  enter barrier
        10  ThreadTaskSwitch {TEAM} 0 1
        10  enter task
        {switches * 3}
        20  leave task
        20  ThreadTaskSwitch {TEAM} 0 0
        30  leave barrier
    """)
    assert tables.visits(f"path {TIMES}") == [("barrier", 0, 30, 20), ("TASKS/task", 10, 20, 10)]
    lengths = "sum(end_ns - begin_ns), count(*) FILTER (is_first)"
    assert tables.sql(f"SELECT {lengths} FROM task_fragments", "task_fragments") == [(10, 1)]


def test_old_task_records_have_one_number(read_tasks):
    tables = read_tasks("""
         0  enter barrier
         1  OmpTaskCreate 9
        10  OmpTaskSwitch 9
        10  enter task
        20  leave task
        20  OmpTaskComplete 9
        20  OmpTaskSwitch 0
        30  leave barrier
    """)
    assert tables.visits(f"path {TIMES}") == [("barrier", 0, 30, 20), ("TASKS/task", 10, 20, 10)]
    assert tables.rows("thread_events", "kind communicator_id thread number") == [
        ("task_create", None, None, 9),
        ("task_switch", None, None, 9),
        ("task_complete", None, None, 9),
        ("task_switch", None, None, 0),
    ]
