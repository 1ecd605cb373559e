"""Waiting where a program starts and ends: MPI_Init and MPI_Finalize."""

import pytest

from tests.helpers.running import WAIT


# Rank 1 leaves first, at 30, after all have entered. Waiting for the last to enter does not show.
@pytest.mark.parametrize("call", ["MPI_Init", "MPI_Init_thread", "mpi_init_"])
def test_init_is_over_when_the_first_process_leaves_it(waits, trace, call):
    tables = trace(f"""
        0    0..33   {call}
        1   10..30   {call}
        2   20..45   {call}
    """)
    columns = f"{WAIT} collective_id is_extended confidence"
    assert waits(tables, columns=columns) == [
        ("mpi_init_completion", 0, 30, 3, 1, None, False, 100),
        ("mpi_init_completion", 2, 30, 15, 1, None, False, 100),
    ]


# Rank 0 leaves at 10, when rank 1 has not come: for it, completion begins at its own coming.
def test_init_completion_begins_when_the_last_process_has_come(waits):
    assert waits("""
        0    0..10   MPI_Init
        1   25..40   MPI_Init
    """) == [("mpi_init_completion", 1, 25, 15, 0)]


def test_all_wait_in_finalize_for_the_last_process(waits, trace):
    tables = trace("""
        0    0..40   MPI_Finalize
        1   10..20   MPI_Finalize
        2   30..50   MPI_Finalize
        3   30..50   MPI_Finalize
    """)
    # Rank 1 left at 20, before the last one came. Of ranks 2 and 3 the lower one is the last.
    assert waits(tables, columns=f"{WAIT} confidence") == [
        ("mpi_finalize_wait", 0, 0, 30, 2, 100),
        ("mpi_finalize_wait", 1, 10, 10, 2, 50),
    ]


def test_if_a_process_does_not_finalize_the_others_do_not_wait(waits):
    found = waits("""
        0    0..40   MPI_Finalize
        1   10..40   MPI_Finalize
        2   30..50   MPI_Barrier
    """)
    assert found == []


# Threads beside the one that calls do not take part.
def test_processes_finalize_not_threads(waits):
    assert waits("""
        0     0..40   MPI_Finalize
        0.1   0..5    work
        1    10..40   MPI_Finalize
    """) == [("mpi_finalize_wait", 0, 0, 10, 2)]


def test_a_single_process_does_not_wait(waits):
    found = waits("""
        0    0..10   MPI_Init
        0   20..30   MPI_Finalize
    """)
    assert found == []
