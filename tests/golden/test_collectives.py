"""Collectives: the n-th call of every member of a communicator is one instance."""

import pytest

INSTANCE = "communicator_id ordinal operation"


# Rank 1 is late at the barrier; both take part in two instances of the world.
#
#            0    10   20   30   40   50   60
# rank 0     [barrier........]    [bcast  ]
# rank 1               [barr..]     [bcast  ]
def test_the_nth_call_of_every_member_is_one_instance(run_query, trace):
    tables = trace("""
        0   0..30    MPI_Barrier   collective barrier
        0   40..55   MPI_Bcast     collective bcast root 0 sent 8
        1   20..31   MPI_Barrier   collective barrier
        1   45..60   MPI_Bcast     collective bcast root 0 received 8
    """)
    columns = (
        f"collective_id {INSTANCE} root_rank is_nonblocking expected_count member_count "
        "begin_ns end_ns is_complete"
    )
    assert run_query("collectives", tables, columns) == [
        (0, 0, 0, "barrier", None, False, 2, 2, 0, 31, True),
        (1, 0, 1, "bcast", 0, False, 2, 2, 40, 60, True),
    ]
    columns = (
        "collective_id location_id comm_rank enter_ns leave_ns begin_ns end_ns "
        "bytes_sent bytes_received start_visit_id"
    )
    assert run_query("collective_members", tables, columns) == [
        (0, 0, 0, 0, 30, 0, 30, 0, 0, None),
        (0, 1, 1, 20, 31, 20, 31, 0, 0, None),
        (1, 0, 0, 40, 55, 40, 55, 8, 0, None),
        (1, 1, 1, 45, 60, 45, 60, 0, 8, None),
    ]


def test_each_communicator_is_numbered_for_itself(run_query, trace):
    tables = trace(
        """
        0   0..5     MPI_Barrier     collective barrier comm 1
        0   10..15   MPI_Allreduce   collective allreduce
        1   10..15   MPI_Allreduce   collective allreduce
        2   0..5     MPI_Barrier     collective barrier comm 1
        2   10..15   MPI_Allreduce   collective allreduce
        """,
        comm1=[2, 0],
    )
    assert run_query("collectives", tables, INSTANCE) == [(0, 0, "allreduce"), (1, 0, "barrier")]
    members = run_query("collective_members", tables, "collective_id location_id comm_rank")
    assert members == [(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 1), (1, 2, 0)]


# On MPI_COMM_SELF every process is alone and never waits.
def test_on_comm_self_every_call_is_an_instance_of_one(run_query, trace):
    tables = trace(
        """
        0   0..5     MPI_Barrier   collective barrier comm 1
        0   10..15   MPI_Barrier   collective barrier comm 1
        1   0..5     MPI_Barrier   collective barrier comm 1
        """,
        comm1="self",
    )
    columns = "collective_id ordinal expected_count member_count begin_ns is_complete"
    assert run_query("collectives", tables, columns) == [
        (0, 0, 1, 1, 0, True),
        (1, 1, 1, 1, 10, True),
        (2, 2, 1, 1, 0, True),
    ]
    columns = "collective_id location_id comm_rank"
    assert run_query("collective_members", tables, columns) == [(0, 0, 0), (1, 0, 0), (2, 1, 0)]


# A non-blocking collective begins when the call is entered that starts it, whenever that is
# recorded (@), and ends where it is completed.
#
#            0    10   20   30   40   50
# rank 0     [iallreduce]     [wait   ]
# rank 1          [iallreduce]  [wait ]
def test_a_nonblocking_collective_has_two_calls(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Iallreduce   nonblocking_collective_request #1 @3
        0   30..50   MPI_Wait         nonblocking_collective allreduce #1 sent 8 received 8
        1   10..15   MPI_Iallreduce   nonblocking_collective_request #4 @14
        1   35..50   MPI_Wait         nonblocking_collective allreduce #4 sent 8 received 8
    """)
    columns = f"{INSTANCE} is_nonblocking begin_ns end_ns is_complete"
    assert run_query("collectives", tables, columns) == [(0, 0, "allreduce", True, 0, 50, True)]
    # Visits of rank 0: main 0, start 1, wait 2; of rank 1: main 3, start 4, wait 5.
    columns = "location_id begin_ns enter_ns start_visit_id visit_id"
    assert run_query("collective_members", tables, columns) == [(0, 0, 30, 1, 2), (1, 10, 35, 4, 5)]


# Rank 0 completes the collective it started first only after the barrier.
def test_collectives_are_numbered_in_the_order_of_their_starts(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Ibcast    nonblocking_collective_request #1
        0   10..15   MPI_Barrier   collective barrier
        0   30..35   MPI_Wait      nonblocking_collective bcast #1 root 0
        1   0..5     MPI_Ibcast    nonblocking_collective_request #1
        1   6..8     MPI_Wait      nonblocking_collective bcast #1 root 0
        1   10..15   MPI_Barrier   collective barrier
    """)
    columns = f"{INSTANCE} member_count is_complete"
    assert run_query("collectives", tables, columns) == [
        (0, 0, "bcast", 2, True),
        (0, 1, "barrier", 2, True),
    ]


@pytest.mark.parametrize(
    "starts",
    [
        # One call starts both.
        """
        0    0..5    MPI_Start     nonblocking_collective_request #1;
                                   nonblocking_collective_request #2 @4
        0    7..8    MPI_Wait      nonblocking_collective barrier #2
        """,
        # By a coarse clock both start at 0.
        """
        0    0..0    MPI_Ibcast    nonblocking_collective_request #1
        0    0..5    MPI_Barrier   collective barrier
        """,
    ],
)
def test_collectives_that_start_together_are_numbered_by_their_records(run_query, trace, starts):
    tables = trace(f"{starts}\n0 10..15 MPI_Wait nonblocking_collective bcast #1 root 0")
    assert run_query("collectives", tables, "operation begin_ns") == [("bcast", 0), ("barrier", 0)]


@pytest.mark.parametrize(
    ("call", "is_neighborhood"),
    [
        ("MPI_Neighbor_alltoall", True),
        ("PMPI_Neighbor_alltoallw_c", True),
        ("mpi_neighbor_allgather_", True),
        ("MPI_Alltoall", False),
        ("MPI_Graph_neighbors", False),
    ],
)
def test_the_call_marks_an_exchange_with_neighbors(run_query, trace, call, is_neighborhood):
    tables = trace(f"0   0..5   {call}   collective alltoall sent 8 received 8")
    assert run_query("collectives", tables, "is_neighborhood") == [(is_neighborhood,)]


def test_the_starting_call_marks_a_nonblocking_exchange_with_neighbors(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Ineighbor_alltoall   nonblocking_collective_request #1
        0   10..15   MPI_Wait                 nonblocking_collective alltoall #1
        0   20..25   MPI_Ialltoall            nonblocking_collective_request #1
        0   30..35   MPI_Wait                 nonblocking_collective alltoall #1
    """)
    assert run_query("collectives", tables, "is_neighborhood") == [(True,), (False,)]


def test_a_request_of_a_collective_may_be_used_again(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Ibarrier   nonblocking_collective_request #1
        0   10..15   MPI_Wait       nonblocking_collective barrier #1
        0   20..25   MPI_Ibarrier   nonblocking_collective_request #1
        0   30..35   MPI_Wait       nonblocking_collective barrier #1
    """)
    assert run_query("collective_members", tables, "begin_ns end_ns") == [(0, 15), (20, 35)]


def test_without_start_a_collective_begins_with_its_completing_call(run_query, trace):
    tables = trace("0   10..15   MPI_Wait   nonblocking_collective barrier #1")
    assert run_query("collective_members", tables, "begin_ns start_visit_id") == [(10, None)]


def test_without_begin_a_collective_begins_with_its_call(run_query, trace):
    tables = trace("0   10..15   MPI_Barrier   collective barrier")
    tables["mpi_operations"][0]["begin_ns"] = None
    assert run_query("collective_members", tables, "begin_ns end_ns") == [(10, 15)]


def test_an_instance_without_all_members_is_not_complete(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Barrier   collective barrier
        0   10..15   MPI_Barrier   collective barrier
        1   0..5     MPI_Barrier   collective barrier
    """)
    columns = "ordinal expected_count member_count is_complete"
    assert run_query("collectives", tables, columns) == [(0, 2, 2, True), (1, 2, 1, False)]


def test_members_that_disagree_are_no_complete_instance(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Bcast    collective bcast root 0
        0   10..15   MPI_Reduce   collective reduce root 0
        1   0..5     MPI_Bcast    collective bcast root 1
        1   10..15   MPI_Gather   collective gather root 0
    """)
    columns = "ordinal operation root_rank is_complete"
    assert run_query("collectives", tables, columns) == [
        (0, "bcast", 0, False),
        (1, "reduce", 0, False),
    ]


# On an inter-communicator the root's own side does not name it as a rank. Here it is on side 1.
def test_the_root_is_on_the_side_that_does_not_name_it(run_query, trace):
    tables = trace("""
        0   0..5   MPI_Bcast   collective bcast root 0
        1   0..5   MPI_Bcast   collective bcast
    """)
    tables["communicators"][0]["kind"] = "inter"
    tables["communicator_members"][1] |= {"side": 1, "comm_rank": 0}
    columns = "operation root_side root_rank is_complete"
    assert run_query("collectives", tables, columns) == [("bcast", 1, 0, True)]
    assert run_query("collective_members", tables, "side comm_rank") == [(0, 0), (1, 0)]


def test_other_communicators_have_one_side(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Bcast     collective bcast root 0
        0   10..15   MPI_Barrier   collective barrier
    """)
    assert run_query("collectives", tables, "root_side root_rank") == [(0, 0), (None, None)]
    assert run_query("collective_members", tables, "side") == [(0,), (0,)]


def test_a_process_outside_the_communicator_makes_the_instance_incomplete(run_query, trace):
    tables = trace(
        """
        0   0..5   MPI_Barrier   collective barrier comm 1
        1   0..5   MPI_Barrier   collective barrier comm 1
        """,
        comm1=[0, 2],
    )
    members = run_query("collective_members", tables, "location_id comm_rank")
    assert members == [(0, 0), (1, None)]
    assert run_query("collectives", tables, "member_count is_complete") == [(2, False)]


# Any thread of a process may make the call for it, one after the other.
def test_any_thread_may_call_for_its_process(run_query, trace):
    tables = trace("""
        0     0..5     MPI_Barrier   collective barrier
        0.1   10..15   MPI_Barrier   collective barrier
        1     0..5     MPI_Barrier   collective barrier
        1     10..15   MPI_Barrier   collective barrier
    """)
    members = run_query("collective_members", tables, "collective_id location_id")
    assert members == [(0, 0), (0, 2), (1, 1), (1, 2)]


def test_a_collective_on_an_undefined_communicator_is_left_out(run_query, trace):
    tables = trace("0   0..5   MPI_Barrier   collective barrier")
    tables["mpi_operations"][0]["communicator_id"] = None
    assert run_query("collectives", tables) == []
