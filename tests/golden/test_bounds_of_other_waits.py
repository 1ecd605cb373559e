"""How far waits for windows, files and threads may be off."""

import pytest

from tests.golden.running import run_query

PLACE = "metric location_id reason less_ns more_ns"
LOST, CUT, CLOCK = "incomplete_records", "missing_records", "clock_violation"
FENCE, EARLY_FENCE = "mpi_rma_wait_at_fence", "mpi_rma_early_fence"
SYNC_POST, COMM_POST = "mpi_rma_sync_late_post", "mpi_rma_comm_late_post"
EARLY_WAIT, LATE_COMPLETE = "mpi_rma_early_wait", "mpi_rma_late_complete"
SYNC_LOCK, COMM_LOCK = "mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"
PROGRESS = "mpi_rma_wait_for_progress"
FILE = "mpi_io_collective_wait"
CRITICAL = "omp_lock_contention_critical"
BARRIER = "omp_ibarrier_wait"


def bounds(tables):
    """Those of all call paths together; but not of time itself, which gaps leave."""
    sums = {}
    for *cell, less, more in run_query("severity_bounds", tables, PLACE):
        if cell[0] != "time":
            found = sums.setdefault(tuple(cell), [0, 0])
            found[:] = found[0] + less, found[1] + more
    return sorted((*cell, *found) for cell, found in sums.items())


def end_early(tables, number, end):
    """The records of a location end there."""
    counts = {"is_complete": False, "record_count": 5, "declared_count": 9}
    tables["locations"][number] |= counts | {"end_ns": end}
    return tables


# --- Windows ------------------------------------------------------------------------------------


FENCES = """
    0    0..50   MPI_Win_fence   fence
    1   10..50   MPI_Win_fence   fence
    0   60..90   MPI_Win_fence   fence
    1   70..95   MPI_Win_fence   fence
"""


def test_a_window_that_is_whole_has_no_bounds(trace):
    assert bounds(trace(FENCES)) == []


# Rank 0 waited 10 in each fence. Without the record in the first fence of rank 1 the others may be
# taken for one another, and nothing is found but that rank 0 comes to its first fence at 0, and
# rank 1 to its second one at 70, after the first was left: together they never were. All of 50 and
# 30, of 40 and 25 may be waiting, early fence or not.
def test_a_fence_without_record_leaves_the_whole_window_open(trace):
    tables = trace(
        FENCES.replace("1   10..50   MPI_Win_fence   fence", "1   10..50   MPI_Win_fence")
    )
    assert bounds(tables) == [
        (EARLY_FENCE, 0, LOST, 0, 80),
        (EARLY_FENCE, 1, LOST, 0, 65),
        (FENCE, 0, LOST, 0, 80),
        (FENCE, 1, LOST, 0, 65),
    ]


# Rank 1 ends at 65, before its second fence: the wait of 10 in the first one is sure. In the second
# one rank 0 is alone, for 30.
def test_what_comes_before_the_end_of_a_process_is_sure(trace):
    tables = trace("\n".join(FENCES.splitlines()[:-1]))
    assert bounds(end_early(tables, 1, 65)) == [
        (EARLY_FENCE, 0, CUT, 0, 30),
        (FENCE, 0, CUT, 0, 30),
    ]


# A put in which nothing is recorded, perhaps to nobody: rank 1 may have put into the memory of rank
# 0 while that was in its fence, which then was early for up to 30 of its wait; the fences are as
# long as they are. The put itself took 20.
def test_an_access_without_record_leaves_its_own_waits_open(trace):
    tables = trace("""
        0    0..50   MPI_Win_fence   fence
        1    5..25   MPI_Put
        1   30..50   MPI_Win_fence   fence
    """)
    assert bounds(tables) == [
        (COMM_POST, 1, LOST, 0, 20),
        (COMM_LOCK, 1, LOST, 0, 20),
        (EARLY_FENCE, 0, LOST, 0, 50),
        (EARLY_FENCE, 1, LOST, 0, 20),
        (PROGRESS, 1, LOST, 0, 20),
    ]


# Rank 0 waits from 10 until rank 1 posts at 30. Rank 2 has no epoch for the start: it may have come
# earlier, later or never. All calls on the window are open, those of rank 1 too.
def test_an_epoch_without_partner_leaves_the_window_open(trace):
    tables = trace("""
        0   10..40   MPI_Win_start      start group 12
        0   50..60   MPI_Win_complete   complete group 12
        1   30..35   MPI_Win_post       post group 0
        1   40..62   MPI_Win_wait       wait group 0
    """)
    assert run_query("late_post", tables, "visit_id wait_ns") == [(1, 20)]
    # Rank 1 waits from 40 until rank 0 completes at 50: 10 less, or up to its 22.
    assert bounds(tables) == [
        (EARLY_WAIT, 1, LOST, 10, 12),
        (LATE_COMPLETE, 1, LOST, 10, 12),
        (SYNC_POST, 0, LOST, 20, 20),
        (PROGRESS, 0, LOST, 0, 10),
    ]


# Rank 1 holds the lock from 0 to 40, rank 0 waits from 10 on for 30. Of rank 2 only the request is
# recorded: who was served when, nobody knows. Both locks took 40 and 5, both unlocks 10 and 10.
def test_a_lock_that_is_never_given_back_leaves_the_window_open(trace):
    tables = trace("""
        0   10..50   MPI_Win_lock     lock_exclusive 0
        0   60..70   MPI_Win_unlock   unlock 0
        1    0..5    MPI_Win_lock     lock_exclusive 0
        1   30..40   MPI_Win_unlock   unlock 0
        2   20..21   MPI_Win_lock     lock_exclusive 0
    """)
    assert bounds(tables) == [
        (SYNC_LOCK, 0, LOST, 30, 20),
        (SYNC_LOCK, 1, LOST, 0, 15),
        (SYNC_LOCK, 2, LOST, 0, 1),
        (PROGRESS, 0, LOST, 0, 10),
        (PROGRESS, 1, LOST, 0, 10),
    ]


# The same without rank 2, and rank 1 ends at 55 after its unlock: it may have locked once more,
# later on. Rank 0, which gives back at 70, may have waited for that in its unlock of 10, or in its
# lock of 40 for something else than found.
def test_a_process_that_ends_may_have_locked_again(trace):
    tables = trace("""
        0   10..50   MPI_Win_lock     lock_exclusive 0
        0   60..70   MPI_Win_unlock   unlock 0
        1    0..5    MPI_Win_lock     lock_exclusive 0
        1   30..40   MPI_Win_unlock   unlock 0
    """)
    assert bounds(end_early(tables, 1, 55)) == [
        (SYNC_LOCK, 0, CUT, 30, 20),
        (PROGRESS, 0, CUT, 0, 10),
    ]


# A message of 20 arrives at 15: clocks contradict each other, and rank 1 is at least 5 behind. The
# barrier of 30..40 and 31..41 says: by at most 10, for it began before rank 0 left. Rank 1 waits in
# the fence for rank 0, found from 50 to 70: on one clock it began between 55 and 60, so that
# it waited for at most 15. Rank 0 waits for nobody: rank 1 began at 60 at the latest.
def test_waits_in_fences_differ_by_what_clocks_allow(trace):
    tables = trace("""
        0   20..25   MPI_Send        send 1
        0   30..41   MPI_Barrier     collective barrier
        0   70..90   MPI_Win_fence   fence
        1   10..15   MPI_Recv        recv 0
        1   31..40   MPI_Barrier     collective barrier
        1   50..85   MPI_Win_fence   fence
    """)
    assert run_query("clock_offsets", tables) == [(0, True, 0, 0), (1, True, 5, 10)]
    found = [row for row in bounds(tables) if row[0] == FENCE]
    assert found == [(FENCE, 1, CLOCK, 20, 0)]


# MPI_Win_wait ends at 40, before the access epoch ends that it waits for.
def test_an_exposure_that_ends_too_early_shows_that_clocks_disagree(trace):
    tables = trace("""
        0   10..15   MPI_Win_start      start group 1
        0   50..60   MPI_Win_complete   complete group 1
        1    5..6    MPI_Win_post       post group 0
        1   30..40   MPI_Win_wait       wait group 0
    """)
    assert [row[:2] for row in run_query("clock_offsets", tables)] == [(0, True), (1, True)]
    assert (EARLY_WAIT, 1, CLOCK, 10, 0) in bounds(tables)


# --- Files --------------------------------------------------------------------------------------


SHARED = [{"io_handle_id": 0, "name": "shared", "communicator_id": 0}]
OPEN = """
    0    10..50   MPI_File_open    create_handle on 0
    1    25..50   MPI_File_open    create_handle on 0
    0    60..80   MPI_File_close   destroy_handle on 0
    1    65..90   MPI_File_close   destroy_handle on 0
"""


def files(trace, text):
    return trace(text) | {"io_handles": SHARED}


def test_accesses_that_are_whole_have_no_bounds(trace):
    assert bounds(files(trace, OPEN)) == []


# Rank 1 opens without a record: its close is numbered as an open. What rank 0 waited, found 0, may
# be its 40 and 20; rank 1 was inside for 25 and 25.
def test_a_file_call_without_record_leaves_the_handle_open(trace):
    tables = files(
        trace,
        OPEN.replace(
            "1    25..50   MPI_File_open    create_handle on 0", "1    25..50   MPI_File_open"
        ),
    )
    assert bounds(tables) == [(FILE, 0, LOST, 0, 60), (FILE, 1, LOST, 0, 50)]


# Rank 1 ends at 60: the open is sure, the close of rank 0 took 20.
def test_so_it_is_after_the_end_of_a_process(trace):
    tables = files(trace, "\n".join(OPEN.splitlines()[:-1]))
    assert bounds(end_early(tables, 1, 60)) == [(FILE, 0, CUT, 0, 20)]


# As with fences: rank 1 is 5 to 10 behind, and waits for 20, on one clock for 10 to 15.
def test_waits_for_files_differ_by_what_clocks_allow(trace):
    tables = files(
        trace,
        """
        0   20..25   MPI_Send        send 1
        0   30..41   MPI_Barrier     collective barrier
        0   70..90   MPI_File_open   create_handle on 0
        1   10..15   MPI_Recv        recv 0
        1   31..40   MPI_Barrier     collective barrier
        1   50..85   MPI_File_open   create_handle on 0
    """,
    )
    found = [row for row in bounds(tables) if row[0] == FILE]
    assert found == [(FILE, 1, CLOCK, 10, 0)]


# --- Threads ------------------------------------------------------------------------------------


def locks(*records):
    """Threads 0 to 2 of a process in a critical section: (thread, enter, kind, time, order)."""
    visits = {(place, enter): number for number, (place, enter, *_) in enumerate(records)}
    calls = {key: {"visit_id": number, "enter_ns": key[1]} for key, number in visits.items()}
    last = {}
    for place, enter, _, time, _ in records:
        last[place, enter] = max(time, last.get((place, enter), 0))
    return {
        "locations": [
            {"location_id": place, "thread": place, "kind": "cpu_thread", "is_complete": True}
            for place in range(3)
        ],
        "regions": [{"region_id": 0, "name": "critical", "paradigm": "openmp", "role": "critical"}],
        "call_paths": [{"call_path_id": 0, "region_id": 0}],
        "visits": [
            {"location_id": key[0], "leave_ns": last[key] + 1, "call_path_id": 0} | calls[key]
            for key in sorted(visits)
        ],
        "lock_operations": [
            {"location_id": place, "sequence": number, "kind": kind, "time_ns": time}
            | {"acquisition_order": order, "lock_id": 7, "paradigm": "openmp"}
            | {"leave_ns": last[place, enter] + 1, "call_path_id": 0}
            | calls[place, enter]
            for number, (place, enter, kind, time, order) in enumerate(records)
            if kind != "silent"
        ],
    }


#            0    10   20   30   40
# thread 0   [1111]
# thread 1     [....2222]
# thread 2      [.........3333]
RECORDS = (
    (0, 0, "acquire", 1, 1), (0, 0, "release", 10, 1),
    (1, 5, "acquire", 11, 2), (1, 5, "release", 20, 2),
    (2, 6, "acquire", 21, 3), (2, 6, "release", 30, 3),
)  # fmt: skip


def test_locks_that_are_whole_have_no_bounds():
    assert bounds(locks(*RECORDS)) == []


# Without the release of thread 1, thread 2 is found not to wait: it may have from 6 to 21.
def test_a_lock_that_was_given_back_without_a_record_may_have_been_waited_for():
    assert bounds(locks(*RECORDS[:3], *RECORDS[4:])) == [(CRITICAL, 2, LOST, 0, 15)]


# Thread 0 has a nested lock twice, until 10 and 40; thread 1 asks at 20 and has it at 43. Without
# the outer release nothing of its wait of 20 is found, without the inner one all: which of them is
# missing nobody knows, so that it may be anything up to 23.
@pytest.mark.parametrize(
    ("lost", "expected"),
    [(None, []), (3, [(CRITICAL, 1, LOST, 0, 23)]), (2, [(CRITICAL, 1, LOST, 20, 3)])],
)
def test_a_nested_lock_is_free_when_it_was_given_back_as_often_as_taken(lost, expected):
    records = (
        (0, 0, "acquire", 1, 1), (0, 0, "acquire", 3, 1),
        (0, 0, "release", 10, 1), (0, 0, "release", 40, 1),
        (1, 20, "acquire", 43, 2), (1, 20, "release", 51, 2),
    )  # fmt: skip
    left = [record for number, record in enumerate(records) if number != lost]
    assert bounds(locks(*left)) == expected


# Thread 1 takes and gives back without records, in a visit of 5 to 21; thread 2 may have waited for
# it, until it took the lock at 21.
def test_a_call_without_records_may_have_waited_all_the_time():
    silent = (1, 5, "silent", 20, 0)
    assert bounds(locks(*RECORDS[:2], silent, *RECORDS[4:])) == [
        (CRITICAL, 1, LOST, 0, 16),
        (CRITICAL, 2, LOST, 0, 15),
    ]


# A thread of three ends at 25: who left the barrier before is sure, the other may have waited for
# all of its 20 for what the thread did not reach any more.
@pytest.mark.parametrize(("end", "expected"), [(25, [(BARRIER, 0, CUT, 0, 20)]), (45, [])])
def test_barriers_of_a_team_wait_for_threads_that_end_early(end, expected):
    tables = {
        "locations": [
            {"location_id": place, "thread": place, "kind": "cpu_thread", "end_ns": 50}
            | {"is_complete": place != 1, "record_count": 5, "declared_count": 5 + 4 * place}
            for place in range(2)
        ],
        "regions": [
            {"region_id": 0, "name": "b", "paradigm": "openmp", "role": "implicit_barrier"}
        ],
        "call_paths": [{"call_path_id": 0, "region_id": 0}],
        "visits": [
            {"visit_id": number, "location_id": 0, "call_path_id": 0}
            | {"enter_ns": enter, "leave_ns": leave}
            for number, (enter, leave) in enumerate([(5, 15), (20, 40)])
        ],
    }
    tables["locations"][1]["end_ns"] = end
    assert bounds(tables) == expected
