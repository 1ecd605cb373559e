"""Teams of threads: waits at their barriers, and the critical path through them."""

from tests.golden.test_critical_path import find_paths
from tests.helpers.hand_made_team import BARRIER, EXPLICIT, MAIN, PARALLEL
from tests.helpers.micro_trace import visit_row as visit
from tests.helpers.running import run_query


def test_a_thread_waits_for_the_last_one_at_the_barrier(team):
    columns = "property location_id visit_id start_ns wait_ns cause_location_id cause_visit_id"
    assert run_query("team_barrier_waits", team, columns) == [
        ("omp_ibarrier_wait", 0, 2, 40, 50 - 40, 1, 4)
    ]


def test_tasks_that_run_inside_a_barrier_are_no_waiting(team):
    team["visits"][2]["exclusive_ns"] = 18 - 7
    assert run_query("team_barrier_waits", team, "location_id wait_ns") == [(0, 10 - 7)]


def test_threads_that_arrive_together_do_not_wait(team):
    team["visits"][4]["enter_ns"] = 40
    assert run_query("team_barrier_waits", team) == []


#            10        20        30        40
# master     [barrier  ]         [implicit  ]
# worker               [barrier ][  ]     [implicit]
def test_barriers_of_a_team_are_numbered_in_their_order(team):
    team["visits"][2:] = [
        visit(2, 0, EXPLICIT, (15, 21), 6, 1),
        visit(3, 0, BARRIER, (30, 41), 11, 1),
        visit(4, 1, PARALLEL, (12, 60), 30),
        visit(5, 1, EXPLICIT, (20, 21), 1, 4),
        visit(6, 1, BARRIER, (40, 41), 1, 4),
    ]
    columns = "property visit_id wait_ns cause_visit_id"
    assert run_query("team_barrier_waits", team, columns) == [
        ("omp_ebarrier_wait", 2, 20 - 15, 5),
        ("omp_ibarrier_wait", 3, 40 - 30, 6),
    ]


def test_a_barrier_after_an_inner_team_belongs_to_the_outer_one(team):
    inner = {"call_path_id": 4, "region_id": PARALLEL, "parent_call_path_id": 1}
    team["call_paths"][1]["last_call_path_id"] = team["call_paths"][0]["last_call_path_id"] = 4
    team["call_paths"].append(inner | {"last_call_path_id": 4})
    team["visits"][2:4] = [
        visit(2, 0, 4, (20, 30), 10, 1) | {"region_id": PARALLEL},
        visit(3, 0, BARRIER, (40, 58), 18, 1),
        visit(4, 1, PARALLEL, (12, 60), 45),
    ]
    team["visits"][-1] = visit(5, 1, BARRIER, (50, 59), 9, 4)
    team["thread_teams"].append(
        {"thread_team_id": 1, "location_id": 0, "communicator_id": 1, "fork_ns": 20, "join_ns": 30}
    )
    team["thread_team_members"].append(
        {"thread_team_id": 1, "location_id": 0, "begin_ns": 20, "end_ns": 30}
    )
    columns = "thread_team_id location_id wait_ns"
    assert run_query("team_barriers", team, columns) == [(0, 0, 10), (0, 1, 0)]


def test_the_path_goes_from_the_barrier_to_the_last_thread_and_back_to_the_fork(team):
    segments, profile = find_paths(
        {
            "critical_path_segments": "location_id begin_ns end_ns kind wait_ns completion_ns",
            "critical_path_profile": "call_path_id location_id path_ns",
        },
        team,
    )
    assert segments == [
        (0, 0, 8, None, 0, 0),
        (1, 8, 50, "fork", 0, 0),
        (0, 40, 100, "team_barrier", 10, 8),
    ]
    assert profile == [
        (MAIN, 0, 8 + 38),
        (PARALLEL, 0, 62 - 58),
        (PARALLEL, 1, 50 - 8),
        (BARRIER, 0, 58 - 50),
    ]


def test_time_of_a_worker_after_the_last_barrier_is_no_work(team):
    (work,) = find_paths({"critical_path_work": "call_path_id location_id work_ns"}, team)
    assert work == [(MAIN, 0, 46), (PARALLEL, 0, 36), (PARALLEL, 1, 50 - 8), (BARRIER, 0, 18 - 10)]


def test_a_team_without_barriers_meets_last_at_its_fork(team):
    team["visits"] = [visit for visit in team["visits"] if visit["call_path_id"] != BARRIER]
    columns = "call_path_id location_id ending_ns"
    assert run_query("team_endings", team, columns) == [(PARALLEL, 1, 62 - 8)]


# While a task is suspended its visits stand still. There is no critical path that would need it.
def test_traces_with_tasks_that_are_suspended_have_no_endings(team):
    team["task_fragments"] = [
        {"location_id": 1, "call_path_id": EXPLICIT, "begin_ns": 51, "end_ns": 53, "is_first": True}
    ]
    assert run_query("team_endings", team) == []


#            40        43      46     48     51      58
# master     [barrier  [task 4      ][ . ][task 5][    ]       waits until 50 but for both tasks
def with_tasks(team):
    """Two tasks of the master inside its barrier."""
    team["regions"].append({"region_id": 4, "name": "task", "paradigm": "openmp", "role": "task"})
    team["call_paths"] += [
        {"call_path_id": 4, "region_id": 4, "parent_call_path_id": BARRIER, "kind": "task_stub"},
        {"call_path_id": 5, "region_id": MAIN, "kind": "task", "last_call_path_id": 6},
        {"call_path_id": 6, "region_id": 4, "parent_call_path_id": 5, "kind": "task"},
    ]
    team["call_paths"][0]["last_call_path_id"] = 4
    team["call_paths"][1]["last_call_path_id"] = team["call_paths"][2]["last_call_path_id"] = 4
    for row in team["visits"][3:]:
        row["visit_id"] += 2
    team["visits"][-1]["parent_visit_id"] = 5
    team["visits"][2]["exclusive_ns"] = 18 - 3 - 3
    team["visits"][3:3] = [
        visit(3, 0, 6, (43, 46), 3) | {"region_id": 4},
        visit(4, 0, 6, (48, 51), 3) | {"region_id": 4},
    ]
    team["task_fragments"] = [
        {"location_id": 0, "sequence": begin, "scheduling_visit_id": 2, "call_path_id": 4}
        | {"begin_ns": begin, "end_ns": begin + 3, "is_first": True, "number": begin}
        for begin in (43, 48)
    ]
    return team


def test_time_before_a_task_belongs_to_tasks(team):
    columns = "visit_id root_call_path_id scheduling_visit_id since_ns enter_ns leave_ns"
    assert run_query("task_calls", with_tasks(team), columns) == [
        (3, 5, 2, 40, 43, 46),
        (4, 5, 2, 46, 48, 51),
    ]


def test_the_path_continues_after_the_last_task_in_the_barrier(team):
    segments, profile = find_paths(
        {
            "critical_path_segments": "location_id begin_ns end_ns wait_ns",
            "critical_path_profile": "call_path_id location_id path_ns",
        },
        with_tasks(team),
    )
    # The master waits 50 - 40 less 3 + 3 in tasks; of the barrier 58 - 51 are left, less 4.
    assert segments == [(0, 0, 8, 0), (1, 8, 50, 0), (0, 51, 100, 4)]
    assert profile == [
        (MAIN, 0, 8 + 38),
        (PARALLEL, 0, 62 - 58),
        (PARALLEL, 1, 50 - 8),
        (BARRIER, 0, 58 - 51 - 4),
    ]


def test_the_work_of_tasks_is_counted_where_they_run(team):
    (work,) = find_paths(
        {"critical_path_work": "call_path_id location_id work_ns"}, with_tasks(team)
    )
    assert work == [
        (MAIN, 0, 46),
        (PARALLEL, 0, 36),
        (PARALLEL, 1, 50 - 8),
        (BARRIER, 0, 18 - 6 - (3 + 2) - 4),
        (5, 0, 3 + 2),
        (6, 0, 3 + 3),
    ]


def test_a_barrier_outside_the_region_of_the_team_is_not_its_own(team):
    # The same call path once more, later and without a team.
    alone = [visit(5, 1, PARALLEL, (70, 90), 15), visit(6, 1, BARRIER, (80, 85), 5, 5)]
    team["visits"] += alone
    assert run_query("team_barriers", team, "visit_id ordinal is_parting") == [
        (2, 0, False),
        (4, 0, True),
    ]


def test_teams_without_names_have_workers_too(team):
    team["thread_teams"][0]["communicator_id"] = None
    team["thread_team_members"] = []
    (work,) = find_paths({"critical_path_work": "call_path_id location_id work_ns"}, team)
    assert (PARALLEL, 1, 50 - 8) in work


def test_with_contradicting_clocks_a_wait_ends_with_its_call_and_is_uncertain(team):
    team["visits"][4] |= {"enter_ns": 59, "leave_ns": 60, "exclusive_ns": 1}
    found = run_query("team_barrier_waits", team, "location_id wait_ns confidence")
    assert found == [(0, 58 - 40, 50)]
