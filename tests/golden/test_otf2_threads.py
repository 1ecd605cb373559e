"""Threads: teams hang below the call path that forked them, created threads below THREADS."""

from tests.helpers.otf2_archive import Trace

TIMES = "enter_ns leave_ns exclusive_ns"
OPENMP, PTHREAD = 3, 7
TEAM, INNER = 5, 6


def team_trace(*threads: str) -> Trace:
    """One process whose threads make up the team 5."""
    trace = Trace()
    trace.region("main")
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.region("barrier", role="implicit_barrier", paradigm="openmp")
    for events in threads:
        trace.location(events, process=0)
    trace.team(TEAM, [location.ref for location in trace.locations])
    return trace


MASTER = f"""
     0  enter main
    10  ThreadFork {OPENMP} 2
    11  ThreadTeamBegin {TEAM}
    12  enter parallel
    50  leave parallel
    51  ThreadTeamEnd {TEAM}
    60  ThreadJoin {OPENMP}
   100  leave main
"""
WORKER = f"""
    15  ThreadTeamBegin {TEAM}
    20  enter parallel
    40  leave parallel
    45  ThreadTeamEnd {TEAM}
"""


#           0    10f     20        40    50   60j        100
# master    [main  [parallel              ]              ]
# worker                 [parallel  ]
#
# On each thread the region also gets the time from the fork (10) to entering and from leaving to
# the join (60): 50 in all, which the master's main loses.
# The fork, the team and its members are kept.
def test_a_parallel_region_lasts_from_fork_to_join_on_every_thread(read):
    tables = read(team_trace(MASTER, WORKER))
    assert tables.visits(f"location_id path {TIMES}") == [
        (0, "main", 0, 100, 100 - 50),
        (0, "main/parallel", 12, 50, 50),
        (1, "main/parallel", 20, 40, 50),
    ]
    assert tables.findings() == {}
    columns = "thread_team_id location_id communicator_id call_path_id fork_ns join_ns"
    assert tables.rows("thread_teams", columns) == [(0, 0, 0, 0, 10, 60)]
    columns = "thread_team_id location_id begin_ns end_ns"
    assert tables.rows("thread_team_members", columns) == [(0, 0, 11, 51), (0, 1, 15, 45)]
    columns = "location_id time_ns kind communicator_id number"
    assert tables.rows("thread_events", columns) == [
        (0, 10, "fork", None, 2),
        (0, 11, "team_begin", 0, None),
        (0, 51, "team_end", 0, None),
        (0, 60, "join", None, None),
        (1, 15, "team_begin", 0, None),
        (1, 45, "team_end", 0, None),
    ]


def test_the_forker_may_come_after_its_workers_in_the_trace(read):
    """Locations are read in definition order; the worker's place in the tree comes later."""
    tables = read(team_trace(WORKER, MASTER))
    assert tables.visits("location_id path exclusive_ns") == [
        (0, "main/parallel", 50),
        (1, "main", 50),
        (1, "main/parallel", 50),
    ]


# The same team is forked from two places; the worker's regions follow the fork of their time.
def test_each_fork_has_call_paths_of_its_own(read):
    master, worker = "0 enter main\n", ""
    for start, caller in ((10, "a"), (30, "b")):
        master += f"""
            {start} enter {caller}
            {start + 1} ThreadFork {OPENMP} 2
            {start + 1} ThreadTeamBegin {TEAM}
            {start + 2} enter parallel
            {start + 6} leave parallel
            {start + 6} ThreadTeamEnd {TEAM}
            {start + 7} ThreadJoin {OPENMP}
            {start + 8} leave {caller}
        """
        worker += f"""
            {start + 1} ThreadTeamBegin {TEAM}
            {start + 3} enter parallel
            {start + 4} enter work
            {start + 5} leave work
            {start + 5} leave parallel
            {start + 6} ThreadTeamEnd {TEAM}
        """
    tables = read(team_trace(master + "50 leave main", worker))
    assert tables.visits(f"path {TIMES}", location=1) == [
        ("main/a/parallel", 13, 15, 5),  # from 11 to 17 without work
        ("main/a/parallel/work", 14, 15, 1),
        ("main/b/parallel", 33, 35, 5),
        ("main/b/parallel/work", 34, 35, 1),
    ]
    columns = "thread_team_id location_id begin_ns"
    assert tables.rows("thread_team_members", columns) == [
        (0, 0, 11), (1, 0, 31), (0, 1, 11), (1, 1, 31),
    ]  # fmt: skip


def test_a_worker_between_teams_has_no_forking_call_path(read):
    """A runtime may keep its threads busy waiting: they are between two teams, not in one."""
    tables = read(team_trace(MASTER, WORKER + "70 enter idle\n 80 leave idle\n"))
    assert tables.visits("path", location=1) == [("main/parallel",), ("idle",)]


# Worker 1 forks a team of its own inside the region `solve`, in which locations 1 and 2 work.
#
#             0    10f                                   90j   100
# location 0  [main [parallel                             ]     ]
# location 1        [parallel [solve 30f             60j]  ]
#                                   [inner       50]
# location 2                          [inner   48]
def test_a_worker_may_fork_a_team_of_its_own(read):
    trace = Trace()
    trace.region("main")
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.region("inner", role="parallel", paradigm="openmp")
    trace.location(
        f"""
          0  enter main
         10  ThreadFork {OPENMP} 2
         10  ThreadTeamBegin {TEAM}
         10  enter parallel
         90  leave parallel
         90  ThreadTeamEnd {TEAM}
         90  ThreadJoin {OPENMP}
        100  leave main
        """,
        process=0,
    )
    trace.location(
        f"""
         10  ThreadTeamBegin {TEAM}
         12  enter parallel
         20  enter solve
         30  ThreadFork {OPENMP} 2
         31  ThreadTeamBegin {INNER}
         32  enter inner
         50  leave inner
         55  ThreadTeamEnd {INNER}
         60  ThreadJoin {OPENMP}
         70  leave solve
         80  leave parallel
         85  ThreadTeamEnd {TEAM}
        """,
        process=0,
    )
    trace.location(
        f"""
         33  ThreadTeamBegin {INNER}
         34  enter inner
         40  enter work
         45  leave work
         48  leave inner
         49  ThreadTeamEnd {INNER}
        """,
        process=0,
    )
    outer, middle, deepest = (location.ref for location in trace.locations)
    trace.team(TEAM, [outer, middle])
    trace.team(INNER, [middle, deepest])
    tables = read(trace)
    inside = "main/parallel/solve/inner"
    assert tables.visits(f"location_id path {TIMES}") == [
        (0, "main", 0, 100, 20),
        (0, "main/parallel", 10, 90, 80),
        (1, "main/parallel", 12, 80, 80 - 50),  # 10 to 90 without solve
        (1, "main/parallel/solve", 20, 70, 50 - 30),  # without 30 to 60
        (1, inside, 32, 50, 30),
        (2, inside, 34, 48, 30 - 5),  # 30 to 60 without work
        (2, f"{inside}/work", 40, 45, 5),
    ]
    assert [row[0] for row in tables.rows("call_paths", "path")] == [
        "main", "main/parallel", "main/parallel/solve", inside, f"{inside}/work",
    ]  # fmt: skip
    columns = "thread_team_id location_id communicator_id call_path_id"
    assert tables.rows("thread_teams", columns) == [(0, 0, 0, 0), (1, 1, 1, 2)]


def test_a_fork_without_join_ends_with_the_forkers_last_record(read):
    master = f"""
         0  enter main
        10  ThreadFork {OPENMP} 2
        10  ThreadTeamBegin {TEAM}
        10  enter parallel
        50  leave parallel
        70  leave main
    """
    worker = f"10 ThreadTeamBegin {TEAM}\n 20 enter parallel\n 40 leave parallel"
    tables = read(team_trace(master, worker))
    assert tables.rows("thread_teams", "fork_ns join_ns") == [(10, 70)]
    assert tables.rows("thread_team_members", "location_id begin_ns end_ns") == [
        (0, 10, 70),
        (1, 10, 40),
    ]


def test_a_team_without_a_fork_has_no_parent_call_path(read):
    tables = read(team_trace("0 enter main\n 9 leave main", WORKER))
    assert tables.visits(f"path {TIMES}", location=1) == [("parallel", 20, 40, 20)]
    assert tables.records("thread_teams") == []
    assert tables.records("thread_team_members") == []
    assert tables.findings() == {("team_without_fork", 1): 1}


def test_a_team_that_is_begun_again_and_not_ended_has_one_row(read):
    """As after records were repeated by damage; all of them are kept as events."""
    worker = WORKER + f"46 ThreadTeamBegin {TEAM}\n 47 enter parallel\n 48 leave parallel"
    tables = read(team_trace(MASTER, worker))
    assert tables.rows("thread_team_members", "location_id begin_ns end_ns") == [
        (0, 11, 51),
        (1, 15, 45),
    ]
    kinds = tables.rows("thread_events", "kind", "location_id = 1")
    assert kinds == [("team_begin",), ("team_end",), ("team_begin",)]
    # The time since the fork counts once: 10 ticks from it to 20, 20 in the region and 20 until
    # the join; then 1 in the region again.
    assert tables.visits(TIMES, location=1) == [(20, 40, 10 + 20 + 20), (47, 48, 1)]


def test_a_region_that_is_never_left_has_no_time_until_the_join(read):
    """The worker may have died: its work after its last record is unknown."""
    worker = "\n".join(WORKER.splitlines()[:3])
    tables = read(team_trace(MASTER, worker + "\n 30 enter barrier"))
    assert tables.visits(f"path {TIMES} is_closed", location=1) == [
        ("main/parallel", 20, 30, 10 + 10, False),  # from the fork (10) to entering the barrier
        ("main/parallel/barrier", 30, 30, 0, False),
    ]


# A clock of another core: the worker begins the second team one tick before it is forked.
def test_a_worker_that_seems_to_start_before_the_fork_breaks_nothing(read):
    master, worker = "0 enter main\n", ""
    for start, early in ((10, 0), (30, 1)):
        master += f"""
            {start} ThreadFork {OPENMP} 2
            {start} ThreadTeamBegin {TEAM}
            {start} enter parallel
            {start + 6} leave parallel
            {start + 6} ThreadTeamEnd {TEAM}
            {start + 7} ThreadJoin {OPENMP}
        """
        worker += f"""
            {start - early} ThreadTeamBegin {TEAM}
            {start + 3} enter parallel
            {start + 5} leave parallel
            {start + 6} ThreadTeamEnd {TEAM}
        """
    tables = read(team_trace(master + "50 leave main", worker))
    assert tables.visits("path", location=1) == [("main/parallel",)] * 2
    assert tables.rows(
        "thread_team_members", "thread_team_id begin_ns end_ns", "location_id = 1"
    ) == [(0, 10, 16), (1, 29, 36)]


# Records of OTF2 before Score-P 1.4: no teams, no team begin on the workers.
#
#           0    10f        20        40    50   60j    100
# master    [main [parallel                   ]           ]
# worker                    [parallel  ]
def test_old_records_of_forks_name_no_team(read):
    trace = Trace()
    trace.region("main")
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.location(
        """
          0  enter main
         10  OmpFork 2
         12  enter parallel
         50  leave parallel
         60  OmpJoin
        100  leave main
        """,
        process=0,
    )
    trace.location("20 enter parallel\n 40 leave parallel", process=0)
    tables = read(trace)
    assert tables.visits(f"location_id path {TIMES}") == [
        (0, "main", 0, 100, 50),
        (0, "main/parallel", 12, 50, 50),
        (1, "main/parallel", 20, 40, 50),
    ]
    columns = "location_id communicator_id call_path_id fork_ns join_ns"
    assert tables.rows("thread_teams", columns) == [(0, None, 0, 10, 60)]
    assert tables.rows("thread_events", "time_ns kind number") == [
        (10, "fork", 2),
        (60, "join", None),
    ]


# --- Created threads ----------------------------------------------------------------------------


def test_created_threads_hang_below_threads(read):
    trace = Trace()
    trace.region("pthread_create", role="thread_create", paradigm="pthread")
    trace.location(
        f"""
         0  enter main
         5  enter pthread_create
         6  ThreadCreate {TEAM} 1
         7  leave pthread_create
        40  ThreadWait {TEAM} 1
        50  leave main
        """,
        process=0,
    )
    trace.location(
        f"""
        10  ThreadBegin {TEAM} 1
        10  enter work
        20  enter step
        25  leave step
        30  leave work
        30  ThreadEnd {TEAM} 1
        """,
        process=0,
    )
    trace.group(9, "comm_group", [location.ref for location in trace.locations], flags=1,
                paradigm="pthread")  # fmt: skip
    trace.define("Comm", TEAM, "threads", 9, 0xFFFFFFFF, 0)
    tables = read(trace)
    assert tables.visits(f"path {TIMES}", location=1) == [
        ("THREADS/work", 10, 30, 15),
        ("THREADS/work/step", 20, 25, 5),
    ]
    assert tables.rows("call_paths", "path kind") == [
        ("main", "program"),
        ("main/pthread_create", "program"),
        ("THREADS", "thread"),
        ("THREADS/work", "thread"),
        ("THREADS/work/step", "thread"),
    ]
    assert tables.rows("regions", "name role", "name = 'THREADS'") == [("THREADS", "artificial")]
    columns = "location_id time_ns kind communicator_id number"
    assert tables.rows("thread_events", columns) == [
        (0, 6, "create", 0, 1),
        (0, 40, "wait", 0, 1),
        (1, 10, "begin", 0, 1),
        (1, 30, "end", 0, 1),
    ]


# --- Locks --------------------------------------------------------------------------------------


def test_locks_have_the_call_that_acquires_them(read):
    """A library call has a known end; a construct, which may hold any call, has none."""
    trace = Trace()
    trace.region("pthread_mutex_lock", paradigm="pthread")
    trace.region("omp_set_lock", paradigm="openmp")
    trace.location(
        f"""
         0  enter main
         1  enter pthread_mutex_lock
         4  ThreadAcquireLock {PTHREAD} 77 1
         5  leave pthread_mutex_lock
         6  ThreadReleaseLock {PTHREAD} 77 1
        10  enter omp_set_lock
        12  OmpAcquireLock 8 3
        13  leave omp_set_lock
        14  OmpReleaseLock 8 3
        20  leave main
        """
    )
    columns = "time_ns kind paradigm lock_id acquisition_order enter_ns leave_ns visit_id"
    assert read(trace).rows("lock_operations", columns) == [
        (4, "acquire", "pthread", 77, 1, 1, 5, 1),
        (6, "release", "pthread", 77, 1, 6, 6, 0),
        (12, "acquire", "openmp", 8, 3, 10, 12, 2),
        (14, "release", "openmp", 8, 3, 14, 14, 0),
    ]
