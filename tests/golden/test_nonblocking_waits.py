"""Waiting for non-blocking collectives, in the calls that complete them."""

import pytest

from tests.helpers.running import WAIT

# Rank 1 starts at 40. Rank 0 computes until 20 and waits only from then on.
#
#            0    10   20   30   40   50   60
# rank 0     [start]   [wait ............]
# rank 1                         [start] [w]
LATE_START = """
    0    0..5    MPI_Iallreduce   nonblocking_collective_request #1 @1
    0   20..60   MPI_Wait         nonblocking_collective allreduce sent 8 received 8 #1 @59
    1   40..45   MPI_Iallreduce   nonblocking_collective_request #1 @41
    1   50..60   MPI_Wait         nonblocking_collective allreduce sent 8 received 8 #1 @59
"""


def test_a_nonblocking_collective_is_waited_for_in_the_completing_call(waits, trace):
    # Visits of rank 0: main 0, start 1, wait 2; of rank 1: main 3, start 4, wait 5.
    columns = f"{WAIT} visit_id cause_visit_id collective_id is_extended confidence"
    assert waits(trace(LATE_START), columns=columns) == [
        ("mpi_wait_nxn", 0, 20, 20, 1, 2, 4, 0, True, 100)
    ]


def test_a_test_does_not_wait(waits, trace):
    assert waits(trace(LATE_START.replace("MPI_Wait ", "MPI_Test "))) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("barrier", "barrier", [("mpi_barrier_wait", 0, 20, 20, 1)]),
        ("bcast root 1 received 8", "bcast root 1 sent 8", [("mpi_latebroadcast", 0, 20, 20, 1)]),
        ("bcast root 0 sent 8", "bcast root 0 received 8", []),
        ("gather root 0 received 8", "gather root 0 sent 8", [("mpi_earlyreduce", 0, 20, 20, 1)]),
        ("scan sent 8 received 8", "scan sent 8 received 8", []),
        ("alltoallv sent 8 received 8", "alltoallv sent 8 received 8",
         [("mpi_wait_nxn", 0, 20, 20, 1)]),
        ("allgatherv sent 8", "allgatherv sent 8 received 8", [("mpi_wait_nxn", 0, 20, 20, 1)]),
    ],
)  # fmt: skip
def test_nonblocking_forms_follow_the_rules_of_the_blocking_ones(waits, first, second, expected):
    found = waits(f"""
        0    0..5    MPI_Icall   nonblocking_collective_request #1
        0   20..60   MPI_Wait    nonblocking_collective {first} #1
        1   40..45   MPI_Icall   nonblocking_collective_request #1
        1   50..60   MPI_Wait    nonblocking_collective {second} #1
    """)
    assert found == expected


# The call that starts the collective marks an exchange with neighbors.
def test_a_nonblocking_collective_among_neighbors(waits, trace):
    tables = trace("""
        0    0..5    MPI_Ineighbor_allgather   nonblocking_collective_request #1
        0   20..60   MPI_Wait   nonblocking_collective allgather sent 8 received 8 #1
        1   40..45   MPI_Ineighbor_allgather   nonblocking_collective_request #1
        1   50..60   MPI_Wait   nonblocking_collective allgather sent 8 received 8 #1
    """)
    assert waits(tables, columns=f"{WAIT} confidence") == [("mpi_wait_nxn", 0, 20, 20, 1, 75)]


# MPI_Start does not name neighbors; the call that prepared the exchange does.
@pytest.mark.parametrize(
    ("prepared", "is_neighborhood"),
    [
        ("MPI_Neighbor_alltoall_init", True),
        ("MPI_Neighbor_allgather_init", False),
        ("MPI_Alltoall_init", False),
    ],
)
@pytest.mark.parametrize("call", ["MPI_Start", "MPI_Startall"])
def test_a_persistent_collective_is_waited_for_where_it_is_completed(
    waits, trace, run_query, prepared, is_neighborhood, call
):
    tables = trace(f"""
        0    0..2     {prepared}
        0    2..5     {call}     nonblocking_collective_request #1
        0   20..60    MPI_Wait   nonblocking_collective alltoall sent 8 received 8 #1
        1    0..2     {prepared}
        1   40..45    {call}     nonblocking_collective_request #1
        1   50..60    MPI_Wait   nonblocking_collective alltoall sent 8 received 8 #1
    """)
    assert run_query("collectives", tables, "is_neighborhood") == [(is_neighborhood,)]
    assert waits(tables) == [("mpi_wait_nxn", 0, 20, 20, 1)]


# The Waitall of rank 0 completes a barrier for which it waits 10, and a broadcast for which it
# waits 30: it waits once.
def test_a_call_that_completes_several_collectives_waits_once(waits, trace):
    tables = trace("""
        0    0..1    MPI_Ibarrier   nonblocking_collective_request #1
        0    2..3    MPI_Ibcast     nonblocking_collective_request #2
        0   10..60   MPI_Waitall    nonblocking_collective barrier #1;
                                    nonblocking_collective bcast root 1 received 8 #2
        1   20..21   MPI_Ibarrier   nonblocking_collective_request #1
        1   40..41   MPI_Ibcast     nonblocking_collective_request #2
        1   50..60   MPI_Waitall    nonblocking_collective barrier #1;
                                    nonblocking_collective bcast root 1 sent 8 #2
    """)
    assert waits(tables, columns=f"{WAIT} collective_id") == [
        ("mpi_latebroadcast", 0, 10, 30, 1, 1)
    ]


# Both are waited for from 10 to 20; the first of them stands for the call.
def test_the_first_of_equal_collectives_represents_the_call(waits, trace):
    tables = trace("""
        0    0..1    MPI_Ibarrier   nonblocking_collective_request #1
        0    2..3    MPI_Ibarrier   nonblocking_collective_request #2
        0   10..60   MPI_Waitall    nonblocking_collective barrier #2;
                                    nonblocking_collective barrier #1
        1   20..40   MPI_Startall   nonblocking_collective_request #1 @21;
                                    nonblocking_collective_request #2 @22
        1   50..60   MPI_Waitall    nonblocking_collective barrier #1;
                                    nonblocking_collective barrier #2
    """)
    assert waits(tables, columns=f"{WAIT} collective_id") == [("mpi_barrier_wait", 0, 10, 10, 1, 0)]


# The Waitall waits for a message from 10 to 25 and for a barrier from 10 to 40: 30 in all, 15 of
# them for the message.
@pytest.mark.parametrize(
    ("send", "expected"),
    [
        (25, [("mpi_barrier_wait", 0, 25, 15, 1), ("mpi_latesender", 0, 10, 15, 1)]),
        (45, [("mpi_latesender", 0, 10, 35, 1)]),
        (5, [("mpi_barrier_wait", 0, 10, 30, 1)]),
    ],
)
def test_time_that_a_message_explains_is_not_counted_again(waits, send, expected):
    found = waits(f"""
        0    0..1    MPI_Ibarrier   nonblocking_collective_request #1
        0    2..3    MPI_Irecv      irecv_request #2
        0   10..60   MPI_Waitall    irecv 1 #2; nonblocking_collective barrier #1
        1   {send}..{send + 1}      MPI_Send    send 0
        1   40..41   MPI_Ibarrier   nonblocking_collective_request #1
        1   50..60   MPI_Wait       nonblocking_collective barrier #1
    """)
    assert found == expected


# Each of ranks 0 to 2 enters MPI_Wait at 1500 µs and waits for rank 3, which enters
# MPI_Iallreduce at 2000 µs.
def test_an_exact_trace_waits_500_microseconds_for_its_iallreduce(analysis_of):
    columns = f"property, {WAIT.replace(' ', ', ')}, is_extended"
    with analysis_of("z01_otf2v3_nbc_rma").run.connect() as connection:
        waits = connection.sql(f"SELECT {columns} FROM wait_states")
        found = waits.filter("property = 'mpi_wait_nxn'").order("location_id").fetchall()
    assert found == [("mpi_wait_nxn", rank, 1_500_000, 500_000, 3, True) for rank in range(3)]
