"""Threads of teams that have nothing to do, and the time that teams need to come together."""

import pytest

from tests.helpers.micro_trace import visit_row as visit
from tests.helpers.running import run_query

MAIN, FIRST, WORK, SECOND, INNER, OUTSIDE = range(6)
PARENTS = (None, MAIN, FIRST, MAIN, SECOND, MAIN)
LAST = (5, 2, 2, 4, 4, 5)
CELL = "metric call_path_id location_id value"


def member(team, place, begin, end):
    return {"thread_team_id": team, "location_id": place, "begin_ns": begin, "end_ns": end}


def team_row(number, fork, join, master=0):
    row = {"thread_team_id": number, "location_id": master, "communicator_id": number}
    return row | {"fork_ns": fork, "join_ns": join}


#             0  8 10    20   30    38 40    50      60 62 65      85 88  92     100
# master     [main [first [work]      ]  [outside]   fork[second    ]join          ]
# worker 1         [first   from 12 to 37]                [second  ]
# worker 2         [first   from 11 to 38]
@pytest.fixture
def teams():
    """Two forks: at 8, of three threads, joined at 41; at 62, of two threads, joined at 88."""
    call_paths = [
        {"call_path_id": number, "region_id": number, "parent_call_path_id": parent}
        | {"last_call_path_id": LAST[number], "kind": "program"}
        for number, parent in enumerate(PARENTS)
    ]
    roles = ("function", "parallel", "function", "parallel", "parallel", "function")
    return {
        "locations": [
            {"location_id": place, "thread": place, "location_group_id": 0} for place in range(3)
        ],
        "regions": [{"region_id": number, "role": role} for number, role in enumerate(roles)],
        "call_paths": call_paths,
        "visits": [
            visit(0, 0, MAIN, (0, 100), 100 - 33 - 10 - 26),
            visit(1, 0, FIRST, (10, 40), 33 - 10, 0),
            visit(2, 0, WORK, (20, 30), 10, 1),
            visit(3, 0, OUTSIDE, (50, 60), 10, 0),
            visit(4, 0, SECOND, (65, 85), 26, 0),
            visit(5, 1, FIRST, (12, 37), 33),
            visit(6, 1, SECOND, (66, 84), 26),
            visit(7, 2, FIRST, (11, 38), 33),
        ],
        "thread_teams": [team_row(0, 8, 41), team_row(1, 62, 88)],
        "thread_team_members": [
            *(member(0, place, 9, 40) for place in range(3)),
            *(member(1, place, 63, 87) for place in range(2)),
        ],
    }


def cells(teams, metric):
    found = run_query("team_severities", teams, CELL)
    return {(path, place): value for name, path, place, value in found if name == metric}


def test_management_is_from_fork_to_entering_and_from_leaving_to_the_join(teams):
    assert cells(teams, "omp_management") == {
        (FIRST, 0): (10 - 8) + (41 - 40),
        (FIRST, 1): (12 - 8) + (41 - 37),
        (FIRST, 2): (11 - 8) + (41 - 38),
        (SECOND, 0): (65 - 62) + (88 - 85),
        (SECOND, 1): (66 - 62) + (88 - 84),
    }
    # The time from the fork is a part of it.
    assert cells(teams, "omp_fork") == {
        (FIRST, 0): 10 - 8,
        (FIRST, 1): 12 - 8,
        (FIRST, 2): 11 - 8,
        (SECOND, 0): 65 - 62,
        (SECOND, 1): 66 - 62,
    }


def test_a_region_that_is_never_left_has_no_time_until_the_join(teams):
    (worker,) = (v for v in teams["visits"] if (v["location_id"], v["enter_ns"]) == (2, 11))
    worker["is_closed"] = False
    assert cells(teams, "omp_management")[FIRST, 2] == 11 - 8


def test_workers_are_idle_while_the_master_is_outside_parallel_regions(teams):
    idle = cells(teams, "omp_idle_threads")
    assert {cell: time for cell, time in idle.items() if cell[0] in (MAIN, OUTSIDE)} == {
        (MAIN, 1): 31,
        (MAIN, 2): 31,
        (OUTSIDE, 1): 10,
        (OUTSIDE, 2): 10,
    }


def test_threads_outside_the_team_are_idle_inside_too(teams):
    assert cells(teams, "omp_limited_parallelism") == {(SECOND, 2): 88 - 62}
    assert cells(teams, "omp_idle_threads")[SECOND, 2] == 88 - 62


def test_idle_threads_have_the_time_in_which_they_visit_nothing(teams):
    idle = cells(teams, "omp_idle_threads")
    visited = {place: sum(v["exclusive_ns"] for v in teams["visits"] if v["location_id"] == place)
               for place in (1, 2)}  # fmt: skip
    for place in (1, 2):
        assert sum(time for cell, time in idle.items() if cell[1] == place) == 100 - visited[place]


def test_time_below_the_parallel_region_counts_at_its_call_path(teams):
    teams["visits"].insert(5, visit(4, 0, INNER, (70, 75), 5, 4) | {"region_id": WORK})
    for number, row in enumerate(teams["visits"]):
        row["visit_id"] = number
    teams["visits"][4]["exclusive_ns"] = 26 - 5
    assert cells(teams, "omp_limited_parallelism") == {(SECOND, 2): 26 - 5, (INNER, 2): 5}


def test_threads_of_an_inner_team_are_not_idle(teams):
    # Thread 1 forks at 70 a team of its own with thread 2.
    teams["thread_teams"].append(team_row(2, 70, 80, master=1))
    teams["thread_team_members"] += [member(2, 1, 71, 79), member(2, 2, 71, 79)]
    teams["visits"][-1:] = [
        visit(7, 1, INNER, (71, 79), 10, 6),
        visit(8, 2, FIRST, (11, 38), 33),
        visit(9, 2, INNER, (72, 78), 10),
    ]
    assert cells(teams, "omp_limited_parallelism") == {}


def test_a_parallel_region_without_a_team_is_ignored(teams):
    teams["visits"].insert(5, visit(5, 0, SECOND, (90, 95), 5, 0))
    for number, row in enumerate(teams["visits"]):
        row["visit_id"] = number
    assert cells(teams, "omp_limited_parallelism") == {(SECOND, 2): 88 - 62}


def test_other_processes_and_threads_without_teams_are_not_idle(teams):
    teams["locations"] += [
        {"location_id": 3, "thread": 0, "location_group_id": 1},
        {"location_id": 4, "thread": 3, "location_group_id": 0},
    ]
    assert {place for _, place in cells(teams, "omp_idle_threads")} == {1, 2}


def test_tasks_of_the_master_are_left_out(teams):
    teams["call_paths"][OUTSIDE] |= {"kind": "task"}
    assert (OUTSIDE, 1) not in cells(teams, "omp_idle_threads")
