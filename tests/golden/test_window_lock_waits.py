"""Waiting for the lock of a window, and for the progress of a target."""

import pytest

from tests.helpers.running import WAIT

SYNC_LOCK, COMM_LOCK = "mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"
PROGRESS = "mpi_rma_wait_for_progress"


# --- Locks --------------------------------------------------------------------------------------


# Rank 1 has the lock until 50; rank 2 requests it at 10.
#
#            0    10   20   30   40   50   60   70
# rank 1     [lock]              [unlock ]
# rank 2          [ lock .................]      [unlock]
def locked(lock="10..52", put="55..56", unlock="60..65", kinds=("exclusive", "exclusive")):
    first, second = kinds
    return f"""
        0    0..80      MPI_Recv         recv 1
        1    0..5       MPI_Win_lock     lock_{first} 0
        1   40..50      MPI_Win_unlock   unlock 0
        2   {lock}      MPI_Win_lock     lock_{second} 0
        2   {put}       MPI_Accumulate   atomic 0
        2   {unlock}    MPI_Win_unlock   unlock 0
    """


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ({}, [(SYNC_LOCK, 2, 10, 40, 1, 100)]),
        ({"lock": "10..11", "put": "20..56"}, [(COMM_LOCK, 2, 20, 30, 1, 100)]),
        ({"lock": "10..11", "put": "20..21", "unlock": "30..65"},
         [(SYNC_LOCK, 2, 30, 20, 1, 100)]),
        # Left while rank 1 was still in its unlock: the lock must have been free by then.
        ({"lock": "10..45"}, [(SYNC_LOCK, 2, 10, 35, 1, 75)]),
        # No wait between the calls: both end before rank 1 begins to unlock.
        ({"lock": "10..11", "put": "12..13"}, []),
        ({"lock": "50..52"}, []),
    ],
)  # fmt: skip
def test_a_lock_is_waited_for_until_its_owner_releases_it(waits, trace, calls, expected):
    assert waits(trace(locked(**calls)), columns=f"{WAIT} confidence") == expected


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("exclusive", "exclusive"), [(SYNC_LOCK, 2, 10, 40, 1)]),
        (("exclusive", "shared"), [(SYNC_LOCK, 2, 10, 40, 1)]),
        (("shared", "exclusive"), [(SYNC_LOCK, 2, 10, 40, 1)]),
        (("shared", "shared"), []),
    ],
)
def test_shared_locks_do_not_compete_with_each_other(waits, kinds, expected):
    assert waits(locked(kinds=kinds)) == expected


# Two shared owners release at 30 and 40; an exclusive request waits for the later one. The next
# owner shares again, and waits for the exclusive owner.
def test_an_exclusive_lock_waits_for_all_shared_owners(waits):
    assert waits("""
        0    0..2     MPI_Win_lock     lock_shared 0
        0   29..30    MPI_Win_unlock   unlock 0
        1    0..2     MPI_Win_lock     lock_shared 0
        1   39..40    MPI_Win_unlock   unlock 0
        2    5..41    MPI_Win_lock     lock_exclusive 0
        2   49..50    MPI_Win_unlock   unlock 0
        3    6..51    MPI_Win_lock     lock_shared 0
        3   59..60    MPI_Win_unlock   unlock 0
        4   20..55    MPI_Win_lock     lock_shared 0
        4   69..70    MPI_Win_unlock   unlock 0
    """) == [(SYNC_LOCK, 2, 5, 35, 1), (SYNC_LOCK, 3, 6, 44, 2), (SYNC_LOCK, 4, 20, 30, 2)]


def test_locks_of_other_targets_and_windows_do_not_compete(waits, trace):
    tables = trace(
        """
        0    0..2     MPI_Win_lock     lock_exclusive 0
        0   29..30    MPI_Win_unlock   unlock 0
        1    1..31    MPI_Win_lock     lock_exclusive 1
        1   39..40    MPI_Win_unlock   unlock 1
        2    1..31    MPI_Win_lock     lock_exclusive 0 win 1
        2   39..40    MPI_Win_unlock   unlock 0 win 1
        """,
        comm1=[0, 1, 2],
    )
    assert waits(tables) == []


# The lock of all ranks is shared: it waits for exclusive owners of any rank, and they wait for it.
def test_the_lock_of_all_ranks_is_shared(waits):
    assert waits("""
        0    0..2     MPI_Win_lock         lock_exclusive 1
        0   29..30    MPI_Win_unlock       unlock 1
        1    0..2     MPI_Win_lock         lock_exclusive 2
        1   19..20    MPI_Win_unlock       unlock 2
        2    5..31    MPI_Win_lock_all     lock_shared
        2   40..41    MPI_Put              put 1
        2   49..50    MPI_Win_unlock_all   unlock
        3    6..51    MPI_Win_lock         lock_exclusive 2
        3   59..60    MPI_Win_unlock       unlock 2
    """) == [(SYNC_LOCK, 2, 5, 25, 0), (SYNC_LOCK, 3, 6, 44, 2)]


def test_an_operation_on_the_own_memory_needs_the_lock_too(waits, trace):
    tables = trace("""
        0   10..11   MPI_Win_lock     lock_exclusive 0
        0   20..52   MPI_Put          put 0
        0   60..61   MPI_Win_unlock   unlock 0
        1    0..5    MPI_Win_lock     lock_exclusive 0
        1   40..50   MPI_Win_unlock   unlock 0
    """)
    assert waits(tables, COMM_LOCK) == [(0, 20, 30, 1)]


# The trace lacks the unlocking of rank 1: so no wait for it is certain.
def test_a_lock_that_is_never_released_causes_no_wait(waits):
    found = waits("""
        1    0..2     MPI_Win_lock     lock_exclusive 0
        2    5..31    MPI_Win_lock     lock_exclusive 0
        2   39..40    MPI_Win_unlock   unlock 0
        2   41..42    MPI_Win_unlock   unlock 0
    """)
    assert found == []


# --- Progress -----------------------------------------------------------------------------------


# Rank 1 computes and enters MPI at 40, which ends the flush of rank 0.
#
#            0    10   20   30   40   50   60
# rank 0     [put] [ flush ..........]
# rank 1                         [ recv .....]
def flushed(flush="10..45", others=("40..60",), holds="complete_remote #7"):
    received = "\n".join(f"1   {times}   MPI_Recv   recv 0" for times in others)
    return f"""
        0    0..5       MPI_Put         put 1 #7
        0   {flush}     MPI_Win_flush   {holds}
        1   -5..-3      MPI_Barrier
        {received}
    """


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ({}, [(PROGRESS, 0, 10, 30, 1, 50)]),
        # The target is in MPI when the call is entered.
        ({"others": ("8..12", "40..60")}, []),
        ({"others": ("10..60",)}, []),
        # It enters twice before the call ends: the first time did not help.
        ({"others": ("30..31", "40..60")}, []),
        # Or only after its end.
        ({"others": ("45..60",)}, []),
        # The call lasts for long after the target has entered MPI: data is moved.
        ({"flush": "10..71"}, []),
        ({"flush": "10..70"}, [(PROGRESS, 0, 10, 30, 1, 50)]),
        # The call completes nothing.
        ({"holds": ""}, []),
        ({"holds": "complete_remote #8"}, []),
    ],
)
def test_a_call_waits_for_the_progress_of_its_target(waits, trace, calls, expected):
    found = waits(trace(flushed(**calls)), PROGRESS, f"{WAIT} confidence")
    assert found == [row[1:] for row in expected]


def test_an_operation_waits_for_progress_too(waits, trace):
    tables = trace("""
        0   10..45   MPI_Get      get 1
        1   -5..-3   MPI_Init
        1   40..60   MPI_Iprobe
    """)
    # Visits: main 0, get 1; main 2, MPI_Init 3, MPI_Iprobe 4.
    columns = f"{WAIT} visit_id cause_visit_id is_synchronization is_extended confidence"
    assert waits(tables, columns=columns) == [(PROGRESS, 0, 10, 30, 1, 1, 4, False, True, 50)]


# The second thread of rank 1 is in MPI all the time.
def test_any_thread_of_the_target_makes_progress(waits):
    found = waits("""
        0   10..45   MPI_Get      get 1
        1   -5..-3   MPI_Init
        1   40..60   MPI_Iprobe
        1.1  5..50   MPI_Recv
    """)
    assert found == []


# The unlock completes what was put to ranks 1 and 2; rank 2 comes last.
def test_a_call_waits_for_the_last_of_several_targets(waits):
    assert waits("""
        0    0..1    MPI_Put              put 1 #1
        0    2..3    MPI_Put              put 2 #2
        0   10..45   MPI_Win_unlock_all   complete_remote #1; complete_remote #2; unlock
        1   30..60   MPI_Barrier
        2   40..60   MPI_Barrier
    """) == [(PROGRESS, 0, 10, 30, 2)]


# Rank 0, the target, enters MPI at 49, while rank 2 waits for the lock in its unlock until rank 1
# has left its own at 50. If that was at 26, nothing but progress explains the call.
@pytest.mark.parametrize(
    ("first_unlock", "expected"),
    [("49..50", (SYNC_LOCK, 2, 30, 20, 1)), ("25..26", (PROGRESS, 2, 30, 19, 0))],
)
def test_time_that_a_lock_explains_is_not_counted_again(waits, trace, first_unlock, expected):
    calls = locked(lock="10..11", put="20..21", unlock="30..51")
    calls = calls.replace("0..80", "49..80").replace("40..50", first_unlock)
    assert waits(trace(calls)) == [expected]
