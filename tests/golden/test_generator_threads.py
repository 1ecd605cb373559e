"""Teams of threads in generated programs: barriers, locks and the critical path, by hand."""

from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.generated import MACHINE, QUIET, Made
from tests.helpers.truth_reading import true_segments

PARALLEL, BARRIER = "!$omp parallel", "!$omp implicit barrier"


def test_threads_fork_and_wait_in_barriers(tmp_path: Path) -> None:
    phase = {"kind": "threads", "barriers": 1, "thread_imbalance": 1.0}
    made = Made(tmp_path, phase, threads=3)
    assert made.read.findings() == {}
    teams = made.read.rows("thread_teams", "location_id")
    assert teams == [(0,), (3,)]
    barriers = made.waits("omp_ebarrier_wait")
    assert [(place, cause) for place, _, _, cause in barriers] == [(0, 2), (1, 2), (3, 5), (4, 5)]


# Both threads enter the region a nanosecond after the fork; thread 1 has twice as much to do.
#
# thread 0   [fork][parallel [1000 ns][implicit barrier ........]] [join][Finalize]
# thread 1         [parallel [2000 ns .................][barrier]]
def test_the_critical_path_goes_through_the_slowest_thread(tmp_path: Path) -> None:
    phase = {"kind": "threads", "cell_ns": 20, "thread_imbalance": 1.0}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, init_left),) = made.visits("MPI_Init", 0)
    fork = init_left
    parallel = f"main/step/threads/{PARALLEL}"
    assert made.read.visits("path enter_ns leave_ns", location=1) == [
        (parallel, fork + 1, fork + 2003),
        (f"{parallel}/compute_threads", fork + 1, fork + 2001),
        (f"{parallel}/{BARRIER}", fork + 2001, fork + 2002),
    ]
    assert made.waits("omp_ibarrier_wait") == [(0, fork + 1001, 1000, 1)]
    joined = fork + 2005  # the records of the team's end and of joining come 1 ns after each other
    assert [tuple(row.values()) for row in true_segments(made.folder)] == [
        (0, 0, fork, 0),
        (1, fork, fork + 2001, 0),
        (0, fork + 1001, joined + 1, 1000),
    ]
    assert made.path() == {
        ("MPI_Init", 0): init_left,
        ("compute_threads", 1): 2000,
        (PARALLEL, 1): 1,  # from the fork on
        (BARRIER, 0): 1,
        (PARALLEL, 0): 3,  # up to the join
        ("threads", 0): 1,
    }


# Both threads request the lock a nanosecond after the fork; each gets it a nanosecond after it is
# free, has it for 1000 ns, and releases it a nanosecond later. It requests it again after 2 ns.
#
# from fork   1          1003 1005         2005 2007         3007          4009
# thread 0    [critical  ]    [critical ....:         ]
# thread 1    [critical ..:               ]    [critical ....:          ]
def test_threads_get_a_lock_in_the_order_of_their_requests(tmp_path: Path) -> None:
    phase = {"kind": "threads", "cell_ns": 0, "locked": 2, "locked_ns": 1000}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, fork),) = made.visits("MPI_Init", 0)
    assert made.waits("omp_lock_contention_critical") == [
        (0, fork + 1005, 2005 - 1005, 1),
        (1, fork + 1, 1003 - 1, 0),
        (1, fork + 2007, 3007 - 2007, 0),
    ]
    assert made.visits("!$omp critical", 1) == [(fork + 1, fork + 2006), (fork + 2007, fork + 4010)]
    inside = "!$omp critical/!$omp critical sblock"
    assert made.visits(inside, 1) == [(fork + 1004, fork + 2004), (fork + 3008, fork + 4008)]
    columns = "location_id kind paradigm lock_id acquisition_order time_ns"
    records = made.read.rows("lock_operations", columns)
    assert [(*row[:5], row[5] - fork) for row in records] == [
        (0, "acquire", "openmp", 0, 1, 2),
        (0, "release", "openmp", 0, 1, 1003),
        (0, "acquire", "openmp", 0, 3, 2006),
        (0, "release", "openmp", 0, 3, 3007),
        (1, "acquire", "openmp", 0, 2, 1004),
        (1, "release", "openmp", 0, 2, 2005),
        (1, "acquire", "openmp", 0, 4, 3008),
        (1, "release", "openmp", 0, 4, 4009),
    ]


@pytest.mark.parametrize(
    ("lock", "calls", "kind"),
    [
        ("api", ("omp_set_lock", "omp_unset_lock"), "omp_lock_contention_api"),
        (
            "mutex",
            ("pthread_mutex_lock", "pthread_mutex_unlock"),
            "pthread_lock_contention_mutex_lock",
        ),
    ],
)
def test_other_locks_are_taken_in_one_call_and_given_back_in_another(
    lock: str, calls: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    phase = {"kind": "threads", "cell_ns": 0, "locked": 1, "locked_ns": 1000, "lock": lock}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, fork),) = made.visits("MPI_Init", 0)
    # Taking it lasts a nanosecond longer, for the call ends after its record.
    assert made.waits(kind) == [(1, fork + 1, 1004 - 1, 0)]
    assert [made.visits(call, 0) for call in calls] == [
        [(fork + 1, fork + 3)],
        [(fork + 1003, fork + 1005)],
    ]
    assert made.visits("locked", 1) == [(fork + 1006, fork + 2006)]


def test_a_team_may_have_fewer_threads_than_the_process(tmp_path: Path) -> None:
    phases = ({"kind": "threads"}, {"kind": "threads", "name": "few", "team": 2})
    made = Made(tmp_path, *phases, threads=3)
    teams = made.read.rows("thread_team_members", "thread_team_id location_id")
    sizes = Counter(team for team, _ in teams)
    assert sorted(sizes.values()) == [2, 2, 3, 3]
