"""Waiting for others of a window: in fences, and in epochs of some of them."""

import pytest

from tests.helpers.running import WAIT, run_query

FENCE, EARLY_FENCE = "mpi_rma_wait_at_fence", "mpi_rma_early_fence"
SYNC_POST, COMM_POST = "mpi_rma_sync_late_post", "mpi_rma_comm_late_post"
EARLY_WAIT, LATE_COMPLETE = "mpi_rma_early_wait", "mpi_rma_late_complete"


def counts(tables):
    """Synchronized pairs and the unneeded ones of each location."""
    found = run_query("rma_synchronization_counts", tables, "metric location_id value")
    every, unneeded = "mpi_rma_pairsync_count", "mpi_rma_pairsync_unneeded_count"
    named = {(metric, place): value for metric, place, value in found}
    places = sorted({place for _, place in named})
    return [(place, named.get((every, place), 0), named.get((unneeded, place), 0))
            for place in places]  # fmt: skip


# --- Making and freeing windows, fences ---------------------------------------------------------


#            0    10   20   30   40   50
# rank 0     [ fence ....................]
# rank 1          [ fence ...............]
# rank 2                    [ fence .....]
@pytest.mark.parametrize(
    ("word", "metric"),
    [("fence", FENCE), ("create", "mpi_rma_wait_at_create"), ("free", "mpi_rma_wait_at_free")],
)
def test_all_processes_of_a_window_wait_for_the_last_one(waits, trace, word, metric):
    tables = trace(f"""
        0    0..50   MPI_Win_call   {word}
        1   10..50   MPI_Win_call   {word}
        2   30..50   MPI_Win_call   {word}
    """)
    # Visits: main 0, call 1 of rank 0; main 2, 3; main 4, 5.
    columns = f"{WAIT} visit_id cause_visit_id is_synchronization is_extended confidence"
    assert waits(tables, columns=columns) == [
        (metric, 0, 0, 30, 2, 1, 5, True, True, 100),
        (metric, 1, 10, 20, 2, 3, 5, True, True, 100),
    ]


# The begin records, at 5 and 32, give the arrival of the processes.
def test_a_fence_begins_with_its_record(waits):
    assert waits("""
        0    0..50   MPI_Win_fence   fence begin 5
        1   30..50   MPI_Win_fence   fence begin 32
    """) == [(FENCE, 0, 5, 27, 1)]


# Rank 0 has left before rank 1 comes: the fence did not synchronize, so nothing counts as waiting.
def test_a_fence_that_is_left_before_others_come_does_not_wait(waits):
    found = waits("""
        0    0..20   MPI_Win_fence   fence
        1   10..50   MPI_Win_fence   fence
        2   30..50   MPI_Win_fence   fence
    """)
    assert found == []


def test_a_window_concerns_its_own_processes_alone(waits, trace):
    tables = trace(
        """
        0    0..50   MPI_Win_fence   fence win 1
        1    5..50   MPI_Win_fence   fence win 0
        2   30..50   MPI_Win_fence   fence win 1
        """,
        comm1=[2, 0],
    )
    assert waits(tables) == [(FENCE, 0, 0, 30, 2)]


# Rank 1 lacks its second fence: the first one still counts, but the window is uncertain.
def test_fences_with_missing_members_do_not_wait(waits, trace):
    tables = trace("""
        0    0..50   MPI_Win_fence   fence
        1   10..50   MPI_Win_fence   fence
        0   60..90   MPI_Win_fence   fence
    """)
    assert waits(tables, columns=f"{WAIT} confidence") == [(FENCE, 0, 0, 10, 1, 75)]


# Rank 0 is in the fence from 0. Rank 1 puts into its memory until 20, rank 2 until 25, and comes
# last at 40: until 25 the fence was early. Own puts, and those to others, do not count.
#
#            0    10   20   30   40   50
# rank 0     [ fence ....................]
# rank 1        [put ]   [ fence ........]
# rank 2          [ put  ]        [ fence]
def test_a_fence_is_early_while_its_memory_is_accessed(waits, trace):
    tables = trace("""
        0    0..50   MPI_Win_fence   fence
        1   -9..-6   MPI_Put         put 1
        1    8..20   MPI_Put         put 0
        1   22..50   MPI_Win_fence   fence
        2   10..25   MPI_Accumulate  atomic 0
        2   26..32   MPI_Get         get 1
        2   40..50   MPI_Win_fence   fence
    """)
    assert waits(tables, columns=f"{WAIT} cause_visit_id") == [
        (EARLY_FENCE, 0, 0, 25, 2, 7),
        (EARLY_FENCE, 1, 22, 10, 2, 8),
        (FENCE, 0, 25, 15, 2, 9),
        (FENCE, 1, 32, 8, 2, 9),
    ]


# Data put before the previous fence does not matter for this one.
def test_accesses_of_another_epoch_do_not_make_a_fence_early(waits):
    assert waits("""
        0    0..50   MPI_Win_fence   fence
        0   60..90   MPI_Win_fence   fence
        1    1..5    MPI_Put         put 0
        1   10..50   MPI_Win_fence   fence
        1   80..90   MPI_Win_fence   fence
    """) == [(EARLY_FENCE, 0, 0, 5, 1), (FENCE, 0, 5, 5, 1), (FENCE, 0, 60, 20, 1)]


def test_calls_without_a_record_and_shared_memory_of_others_do_not_wait(waits):
    assert waits("0 0..50 MPI_Win_fence\n1 30..50 MPI_Win_fence") == []
    assert waits("0 0..50 shmem_barrier fence\n1 30..50 shmem_barrier fence") == []


# --- Post, start, complete, wait ----------------------------------------------------------------


# Ranks 1 and 2 are the targets of rank 0; rank 2 posts last, at 20.
#
#            0    10   20   30   40   50   60
# rank 0     [ start ......] [put] [compl.]
# rank 1       [post] [ wait ...............]
# rank 2               [post]        [wait ..]
def epochs(start="0..25", put="30..35", complete="40..50"):
    return f"""
        0   {start}      MPI_Win_start      start group 12
        0   {put}        MPI_Put            put 1
        0   {complete}   MPI_Win_complete   complete group 12
        1    5..7        MPI_Win_post       post group 0
        1    9..60       MPI_Win_wait       wait group 0
        2   20..22       MPI_Win_post       post group 0
        2   45..60       MPI_Win_wait       wait group 0
    """


# Rank 1 waits from 9 until rank 0 completes, at 40, and nothing is put there after 35.
IN_WAIT = [(EARLY_WAIT, 1, 9, 26, 0), (LATE_COMPLETE, 1, 35, 5, 0)]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        # Blocked in MPI_Win_start: until 20.
        ({}, [*IN_WAIT, (SYNC_POST, 0, 0, 20, 2)]),
        # In MPI_Put until its own target posts, at 5; the later one is not waited for.
        ({"start": "0..1", "put": "2..35"}, [(COMM_POST, 0, 2, 3, 1), *IN_WAIT]),
        # In MPI_Win_complete: until 20. The targets hardly wait then; nothing is put after 8.
        ({"start": "0..1", "put": "6..8", "complete": "10..50"},
         [(LATE_COMPLETE, 1, 9, 1, 0), (SYNC_POST, 0, 10, 10, 2)]),
        # Nowhere: MPI_Win_start is left, and everything after it comes later.
        ({"start": "0..19"}, IN_WAIT),
    ],
)  # fmt: skip
def test_a_late_post_blocks_the_call_in_which_it_lies(waits, trace, calls, expected):
    assert sorted(waits(trace(epochs(**calls)))) == sorted(expected)


def test_waits_of_an_epoch_have_all_columns_and_pairs_are_counted_where_it_ends(waits, trace):
    tables = trace(epochs())
    # Visits: main 0, start 1, put 2, complete 3; main 4, post 5, wait 6; main 7, post 8, wait 9.
    columns = f"{WAIT} visit_id cause_visit_id is_synchronization is_extended confidence"
    assert waits(tables, columns=columns) == [
        (EARLY_WAIT, 1, 9, 26, 0, 6, 2, True, True, 100),
        (LATE_COMPLETE, 1, 35, 5, 0, 6, 3, True, True, 100),
        (SYNC_POST, 0, 0, 20, 2, 1, 8, True, True, 100),
    ]
    # Of the targets 1 and 2 only 1 was accessed.
    assert counts(tables) == [(0, 2, 1)]


# Rank 0 starts an epoch with rank 1 alone, then one with both; that of rank 2 is its first.
def test_epochs_of_a_pair_match_in_order(waits, trace):
    tables = trace("""
        0    0..2    MPI_Win_start      start group 1
        0    3..4    MPI_Win_complete   complete group 1
        0   10..40   MPI_Win_start      start group 12
        0   50..51   MPI_Win_complete   complete group 12
        1    0..1    MPI_Win_post       post group 0
        1    5..6    MPI_Win_wait       wait group 0
        1   20..21   MPI_Win_post       post group 0
        1   60..61   MPI_Win_wait       wait group 0
        2   30..31   MPI_Win_post       post group 0
        2   45..55   MPI_Win_wait       wait group 0
    """)
    assert waits(tables) == [(LATE_COMPLETE, 2, 45, 5, 0), (SYNC_POST, 0, 10, 20, 2)]
    assert counts(tables) == [(0, 3, 3)]


def test_testing_the_end_of_an_epoch_does_not_wait(waits, trace):
    tables = trace("""
        0   10..11   MPI_Win_start      start group 1
        0   50..51   MPI_Win_complete   complete group 1
        1    0..1    MPI_Win_post       post group 0
        1   20..30   MPI_Win_test       tested_in_vain group 0
        1   40..60   MPI_Win_test       tested group 0
    """)
    assert waits(tables) == []
    assert counts(tables) == [(0, 1, 1)]


# The trace of rank 1 lacks MPI_Win_wait, and rank 2 never opened its window.
def test_epochs_without_an_end_or_a_partner_are_not_counted(waits, trace):
    tables = trace("""
        0    0..25   MPI_Win_start      start group 12
        0   50..51   MPI_Win_complete   complete group 12
        0   60..61   MPI_Win_start      start group 12
        1   20..22   MPI_Win_post       post group 0
        2    0..90   MPI_Win_wait       wait group 0
    """)
    assert waits(tables) == [(SYNC_POST, 0, 0, 20, 1)]
    assert counts(tables) == [(0, 1, 1)]


# By the clocks rank 0 completes after rank 1 has left MPI_Win_wait.
def test_a_wait_ends_with_its_call(waits, trace):
    tables = trace("""
        0   10..11   MPI_Win_start      start group 1
        0   50..51   MPI_Win_complete   complete group 1
        1    0..1    MPI_Win_post       post group 0
        1   20..45   MPI_Win_wait       wait group 0
    """)
    columns = f"{WAIT} confidence"
    assert waits(tables, columns=columns) == [(LATE_COMPLETE, 1, 20, 25, 0, 50)]


# Of three fences among three processes the first ends no epoch. In the epoch that the second one
# ends, rank 0 accesses both others, rank 1 only itself and rank 2 one, twice.
def test_pairs_are_counted_at_fences_that_end_an_epoch(trace):
    tables = trace("""
        0    0..9    MPI_Win_fence   fence
        1    0..9    MPI_Win_fence   fence
        2    0..9    MPI_Win_fence   fence
        0   10..11   MPI_Put         put 1
        0   12..13   MPI_Put         put 2
        1   10..11   MPI_Put         put 1
        2   10..11   MPI_Get         get 0
        2   12..13   MPI_Get         get 0
        0   20..29   MPI_Win_fence   fence
        1   20..29   MPI_Win_fence   fence
        2   20..29   MPI_Win_fence   fence
        0   30..39   MPI_Win_fence   fence
        1   30..39   MPI_Win_fence   fence
        2   30..39   MPI_Win_fence   fence
    """)
    assert counts(tables) == [(0, 4, 2), (1, 4, 4), (2, 4, 3)]


# --- A real trace -------------------------------------------------------------------------------


# Rank 0 enters the fence at 4001 µs, the others at 3001 µs.
def test_an_exact_trace_waits_1000_microseconds_in_its_fence(analysis_of):
    columns = f"property, {WAIT.replace(' ', ', ')}, is_extended"
    with analysis_of("z01_otf2v3_nbc_rma").run.connect() as connection:
        waits = connection.sql(f"SELECT {columns} FROM wait_states")
        found = waits.filter("property LIKE 'mpi_rma%'").order("location_id").fetchall()
    assert found == [(FENCE, rank, 3_001_000, 1_000_000, 0, True) for rank in (1, 2, 3)]
