"""Waiting in blocking collectives: the waiting location, the duration and the cause."""

import pytest

from tests.helpers.micro_trace import Tables
from tests.helpers.running import WAIT

# --- Barrier -------------------------------------------------------------------------------------


# All wait for rank 2, which comes last. Rank 0 leaves first, at 33.
#
#            0    10   20   30   40   50
# rank 0     [barrier........]
# rank 1          [barrier...........]
# rank 2                    [barrier.....]
@pytest.fixture
def late_barrier(trace):
    return trace("""
        0    0..33   MPI_Barrier   collective barrier
        1   10..40   MPI_Barrier   collective barrier
        2   30..45   MPI_Barrier   collective barrier
    """)


def test_all_wait_at_a_barrier_for_the_last_one_and_leave_after_the_first(waits, late_barrier):
    assert waits(late_barrier, "mpi_barrier_wait") == [
        (0, 0, 30, 2),  # 30 - 0
        (1, 10, 20, 2),  # 30 - 10
    ]
    assert waits(late_barrier, "mpi_barrier_completion") == [
        (1, 33, 7, 0),  # 40 - max(33, 30)
        (2, 33, 12, 0),  # 45 - max(33, 30)
    ]


def test_a_wait_names_the_calls_and_the_instance(waits, late_barrier):
    # Visits of rank 0: main 0, MPI_Barrier 1; of rank 1: 2, 3; of rank 2: 4, 5.
    columns = (
        "visit_id call_path_id cause_visit_id message_id collective_id is_synchronization "
        "is_extended confidence"
    )
    assert waits(late_barrier, columns=columns) == [
        ("mpi_barrier_completion", 3, 1, 1, None, 0, True, False, 100),
        ("mpi_barrier_completion", 5, 1, 1, None, 0, True, False, 100),
        ("mpi_barrier_wait", 1, 1, 5, None, 0, True, False, 100),
        ("mpi_barrier_wait", 3, 1, 5, None, 0, True, False, 100),
    ]


# The collective's own records count (begin, and the end @), not the call around it.
def test_records_give_begin_and_end(waits, trace):
    tables = trace("""
        0    0..40   MPI_Barrier   collective barrier begin 2 @38
        1   20..50   MPI_Barrier   collective barrier begin 23 @47
    """)
    assert waits(tables, "mpi_barrier_wait") == [(0, 2, 21, 1)]
    assert waits(tables, "mpi_barrier_completion") == [(1, 38, 9, 0)]


# Rank 0 left at 20, before rank 2 came at 50: clocks disagree, and the wait ends with the call. So
# does that of rank 1, at 45; it left after rank 0, but was waiting until then. Rank 2 was the last:
# its 10 are completion.
def test_a_wait_ends_with_its_call(waits, trace):
    tables = trace("""
        0    0..20   MPI_Barrier   collective barrier
        1    0..45   MPI_Barrier   collective barrier
        2   50..60   MPI_Barrier   collective barrier
    """)
    assert waits(tables, "mpi_barrier_wait", f"{WAIT} confidence") == [
        (0, 0, 20, 2, 50),
        (1, 0, 45, 2, 50),
    ]
    assert waits(tables, "mpi_barrier_completion", f"{WAIT} confidence") == [(2, 50, 10, 0, 100)]


# Ranks 1 and 2 come at the same time, ranks 0 and 1 leave at the same time.
def test_the_lowest_rank_in_the_communicator_is_the_cause_if_times_are_equal(waits, trace):
    text = """
        0    0..30   MPI_Barrier   collective barrier comm 1
        1   10..30   MPI_Barrier   collective barrier comm 1
        2   10..40   MPI_Barrier   collective barrier comm 1
    """
    tables = trace(text, comm1=[0, 1, 2])
    assert waits(tables, "mpi_barrier_wait") == [(0, 0, 10, 1)]
    assert waits(tables, "mpi_barrier_completion") == [(2, 30, 10, 0)]
    tables = trace(text, comm1=[2, 1, 0])
    assert waits(tables, "mpi_barrier_wait") == [(0, 0, 10, 2)]
    assert waits(tables, "mpi_barrier_completion") == [(2, 30, 10, 1)]


def test_a_single_member_does_not_wait(waits, trace):
    tables = trace(
        """
        0    0..10   MPI_Barrier     collective barrier comm 1
        0   20..30   MPI_Allreduce   collective allreduce comm 2 sent 8 received 8
        1    5..30   MPI_Barrier     collective barrier comm 1
        """,
        comm1="self",
        comm2=[0],
    )
    assert waits(tables) == []


# The trace lacks rank 2 at the second barrier, so its arrival is unknown. Matching on this
# communicator is uncertain.
def test_an_incomplete_instance_has_no_waits(waits, trace):
    tables = trace("""
        0    0..30   MPI_Barrier   collective barrier
        0   40..70   MPI_Barrier   collective barrier
        1   20..30   MPI_Barrier   collective barrier
        1   60..70   MPI_Barrier   collective barrier
        2   10..30   MPI_Barrier   collective barrier
    """)
    assert waits(tables, "mpi_barrier_wait", f"{WAIT} confidence") == [
        (0, 0, 20, 1, 75),
        (2, 10, 10, 1, 75),
    ]


# --- N × N ---------------------------------------------------------------------------------------

N_TO_N = [
    "allgather", "allgatherv", "alltoall", "allreduce", "reduce_scatter", "reduce_scatter_block",
]  # fmt: skip


@pytest.mark.parametrize("operation", N_TO_N)
def test_all_wait_for_the_last_one_if_all_were_inside_together(waits, operation):
    assert waits(f"""
        0    0..33   MPI_Call   collective {operation} sent 8 received 8
        1   10..40   MPI_Call   collective {operation} sent 8 received 8
        2   30..45   MPI_Call   collective {operation} sent 8 received 8
    """) == [
        ("mpi_nxn_completion", 1, 33, 7, 0),
        ("mpi_nxn_completion", 2, 33, 12, 0),
        ("mpi_wait_nxn", 0, 0, 30, 2),
        ("mpi_wait_nxn", 1, 10, 20, 2),
    ]


# Rank 2, the last, sends nothing, rank 1 receives nothing: still, neither can leave before
# the other.
def test_with_full_overlap_senders_and_receivers_wait_alike(waits, trace):
    tables = trace("""
        0    0..33   MPI_Allgatherv   collective allgatherv sent 8 received 16
        1   10..40   MPI_Allgatherv   collective allgatherv sent 8 received 0
        2   30..45   MPI_Allgatherv   collective allgatherv sent 0 received 16
    """)
    assert waits(tables, "mpi_wait_nxn") == [(0, 0, 30, 2), (1, 10, 20, 2)]
    assert waits(tables, "mpi_nxn_completion") == [(1, 33, 7, 0), (2, 33, 12, 0)]


# Rank 0 left at 25, before rank 4 came at 30: not all were inside together. Rank 4 sends nothing,
# so the last sender is rank 2, at 20. Rank 0 waits for it; rank 1 does not, it receives nothing;
# rank 3 came after it.
#
#            0    10   20   30   40   50
# rank 0     [allgatherv.]                   sends    receives
# rank 1       [allgatherv......]            sends
# rank 2               [allgatherv.....]     sends    receives
# rank 3                 [allgatherv.....]   sends?   receives
# rank 4                    [allgatherv...]           receives
def test_with_partial_overlap_receivers_wait_for_the_last_sender(waits, trace):
    tables = trace("""
        0    0..25   MPI_Allgatherv   collective allgatherv sent 8 received 16
        1    4..35   MPI_Allgatherv   collective allgatherv sent 8 received 0
        2   20..40   MPI_Allgatherv   collective allgatherv sent 8 received 16
        3   22..45   MPI_Allgatherv   collective allgatherv sent 0 received 16
        4   30..50   MPI_Allgatherv   collective allgatherv sent 0 received 16
    """)
    assert waits(tables, "mpi_wait_nxn") == [(0, 0, 20, 2)]
    # Only ranks 0 and 2 were synchronized: 40 - max(25, 20).
    assert waits(tables, "mpi_nxn_completion") == [(2, 25, 15, 0)]


# min X > max B is not fulfilled by 30 > 30.
@pytest.mark.parametrize(("leave", "waiting"), [(30, [(0, 0, 20, 1)]), (31, [(0, 0, 30, 2)])])
def test_touching_is_not_overlapping(waits, trace, leave, waiting):
    tables = trace(f"""
        0    0..{leave}   MPI_Allgatherv   collective allgatherv sent 8 received 16
        1   20..40        MPI_Allgatherv   collective allgatherv sent 8 received 0
        2   30..50        MPI_Allgatherv   collective allgatherv sent 0 received 16
    """)
    assert waits(tables, "mpi_wait_nxn")[:1] == waiting


# Rank 0 takes part in nothing; without it, ranks 1 and 2 were inside together.
def test_a_member_without_data_takes_no_part(waits):
    assert waits("""
        0    0..5    MPI_Alltoall   collective alltoall sent 0 received 0
        1   10..40   MPI_Alltoall   collective alltoall sent 0 received 8
        2   30..40   MPI_Alltoall   collective alltoall sent 0 received 8
    """) == [("mpi_wait_nxn", 1, 10, 20, 2)]


@pytest.mark.parametrize("operation", ["alltoallv", "alltoallw"])
def test_alltoallv_is_extended(waits, trace, operation):
    tables = trace(f"""
        0    0..33   MPI_Call   collective {operation} sent 8 received 8
        1   30..40   MPI_Call   collective {operation} sent 8 received 8
    """)
    assert waits(tables, columns=f"{WAIT} is_extended is_synchronization") == [
        ("mpi_nxn_completion", 1, 33, 7, 0, True, False),
        ("mpi_wait_nxn", 0, 0, 30, 1, True, False),
    ]


NEIGHBORS = """
    0    0..65   MPI_Neighbor_alltoall   collective alltoall sent 8 received 8
    1   20..65   MPI_Neighbor_alltoall   collective alltoall sent 8 received 8
    2   40..65   MPI_Neighbor_alltoall   collective alltoall sent 8 received 8
    3   60..65   MPI_Neighbor_alltoall   collective alltoall sent 8 received 8
"""


# The neighbors are unknown, but there is at least one: rank 0 waited at least for rank 1, the next
# to arrive. All others arrived after rank 0.
def test_without_a_grid_the_first_member_waits_for_the_second(waits, trace):
    assert waits(trace(NEIGHBORS), columns=f"{WAIT} is_extended confidence") == [
        ("mpi_wait_nxn", 0, 0, 20, 1, True, 75)
    ]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        # A line 0 1 2 3: each waits for the next one.
        ([(4, False)], [(0, 0, 20, 1), (1, 20, 20, 2), (2, 40, 20, 3)]),
        # A ring: 0 waits for 3.
        ([(4, True)], [(0, 0, 60, 3), (1, 20, 20, 2), (2, 40, 20, 3)]),
        # Rows 0 1 and 2 3: 0 waits for 2, 1 and 2 for 3.
        ([(2, False), (2, False)], [(0, 0, 40, 2), (1, 20, 40, 3), (2, 40, 20, 3)]),
        # A grid of another size is not that of the communicator.
        ([(2, False), (3, False)], [(0, 0, 20, 1)]),
        ([(4, True), (0, True)], [(0, 0, 20, 1)]),
    ],
)
def test_neighbors_on_a_grid_are_waited_for(waits, trace, grid, expected):
    tables = trace(NEIGHBORS) | {
        "cart_dimensions": [
            {"communicator_id": 0, "dimension": number, "size": size, "is_periodic": is_periodic}
            for number, (size, is_periodic) in enumerate(grid)
        ]
    }
    assert waits(tables, "mpi_wait_nxn") == expected


# Along the line 0 1 2 3, rank 1 sends nothing: 0 does not wait, and 2 waits for 3 only.
def test_a_neighbor_that_sends_nothing_is_not_waited_for(waits, trace):
    lines = NEIGHBORS.splitlines()
    lines[2] = lines[2].replace("sent 8", "")
    tables = trace("\n".join(lines)) | {"cart_dimensions": [{"communicator_id": 0, "size": 4}]}
    assert waits(tables, "mpi_wait_nxn") == [(1, 20, 20, 2), (2, 40, 20, 3)]


# --- One to N ------------------------------------------------------------------------------------


# Rank 1, the root, comes at 30. Rank 2 left already at 20; rank 3 comes later; rank 4 receives
# nothing.
@pytest.mark.parametrize("operation", ["bcast", "scatter", "scatterv"])
def test_receivers_wait_for_a_late_root(waits, trace, operation):
    tables = trace(f"""
        0    0..40   MPI_Call   collective {operation} root 1 received 8
        1   30..35   MPI_Call   collective {operation} root 1 sent 32 received 8
        2    5..20   MPI_Call   collective {operation} root 1 received 8
        3   32..40   MPI_Call   collective {operation} root 1 received 8
        4    0..40   MPI_Call   collective {operation} root 1
    """)
    assert waits(tables, columns=f"{WAIT} confidence") == [
        ("mpi_latebroadcast", 0, 0, 30, 1, 100),
        ("mpi_latebroadcast", 2, 5, 15, 1, 50),
    ]


# The root is a rank of the communicator, not of the world.
def test_the_root_is_a_rank_in_the_communicator(waits, trace):
    tables = trace(
        """
        0   30..40   MPI_Bcast   collective bcast comm 1 root 1 sent 8
        2    0..40   MPI_Bcast   collective bcast comm 1 root 1 received 8
        """,
        comm1=[2, 0],
    )
    assert waits(tables) == [("mpi_latebroadcast", 1, 0, 30, 0)]


# --- N to one ------------------------------------------------------------------------------------


# The last sender is rank 2, at 20; rank 3 comes at 30, but sends nothing. Only the root waits.
@pytest.mark.parametrize("operation", ["reduce", "gather", "gatherv"])
def test_the_root_waits_for_the_last_sender(waits, operation):
    assert waits(f"""
        0    0..40   MPI_Call   collective {operation} root 0 sent 8 received 24
        1   10..12   MPI_Call   collective {operation} root 0 sent 8
        2   20..22   MPI_Call   collective {operation} root 0 sent 8
        3   30..32   MPI_Call   collective {operation} root 0
    """) == [("mpi_earlyreduce", 0, 0, 20, 2)]


# --- No waiting ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("early", "late"),
    [
        # Without data, only barriers wait.
        ("allreduce", "allreduce"),
        # The late root sends nothing.
        ("bcast root 1 received 8", "bcast root 1 sent 0 received 8"),
        # The early root receives nothing.
        ("gather root 0 sent 8 received 0", "gather root 0 sent 8"),
        # The root comes last.
        ("reduce root 1 sent 8", "reduce root 1 sent 8 received 8"),
    ],
)
def test_without_data_there_is_no_wait(waits, early, late):
    found = waits(f"""
        0    0..40   MPI_Call   collective {early}
        1   30..40   MPI_Call   collective {late}
    """)
    assert found == []


# --- Scan ----------------------------------------------------------------------------------------


# Rank 2 waits for rank 1, rank 1 for rank 0, rank 3 for rank 1 too; no rank waits for 4, the last.
@pytest.mark.parametrize("operation", ["scan", "exscan"])
def test_each_rank_waits_for_the_last_of_the_lower_ranks(waits, operation):
    assert waits(f"""
        0   10..15   MPI_Scan   collective {operation} sent 8 received 8
        1   30..60   MPI_Scan   collective {operation} sent 8 received 8
        2    0..60   MPI_Scan   collective {operation} sent 8 received 8
        3   20..60   MPI_Scan   collective {operation} sent 8 received 8
        4   50..60   MPI_Scan   collective {operation} sent 8 received 8
    """) == [("mpi_earlyscan", 2, 0, 30, 1), ("mpi_earlyscan", 3, 20, 10, 1)]


# Rank 1 sends nothing: rank 2 waits for rank 0 only. Rank 2 left at 15: it waited no longer.
def test_a_lower_rank_without_data_is_not_waited_for(waits, trace):
    tables = trace("""
        0   20..25   MPI_Scan   collective scan sent 8 received 8
        1   30..60   MPI_Scan   collective scan sent 0 received 8
        2    0..15   MPI_Scan   collective scan sent 8 received 8
    """)
    assert waits(tables, columns=f"{WAIT} confidence") == [("mpi_earlyscan", 2, 0, 15, 0, 50)]


# --- Inter-communicators -------------------------------------------------------------------------


def with_sides(tables: Tables, *, second: set[int]) -> Tables:
    """Communicator 0 as an inter-communicator; the processes in `second` are its second group."""
    tables["communicators"][0]["kind"] = "inter"
    ranks = [0, 0]
    for member in tables["communicator_members"]:
        side = int(member["location_group_id"] in second)
        member |= {"side": side, "comm_rank": ranks[side]}
        ranks[side] += 1
    return tables


# Ranks 0 and 1 wait for the later one of the other group, ranks 2 and 3 for that of theirs.
def test_at_a_barrier_between_two_groups_each_waits_for_the_other(waits, trace):
    tables = trace("""
        0    0..50   MPI_Barrier   collective barrier
        1   30..50   MPI_Barrier   collective barrier
        2   10..50   MPI_Barrier   collective barrier
        3   20..50   MPI_Barrier   collective barrier
    """)
    assert waits(with_sides(tables, second={2, 3})) == [
        ("mpi_barrier_wait", 0, 0, 20, 3),
        ("mpi_barrier_wait", 2, 10, 20, 1),
        ("mpi_barrier_wait", 3, 20, 10, 1),
    ]


# Rank 0 left at 15, before rank 1 of its own group began at 20: rank 1 completes from then on.
def test_between_two_groups_completion_starts_after_the_begin(waits, trace):
    tables = trace("""
        0    0..15   MPI_Barrier   collective barrier
        1   20..50   MPI_Barrier   collective barrier
        2   10..30   MPI_Barrier   collective barrier
    """)
    found = waits(with_sides(tables, second={2}), "mpi_barrier_completion")
    assert found == [
        (1, 20, 30, 0),  # 50 - max(15, 10, 20)
        (2, 20, 10, 0),  # 30 - max(15, 20)
    ]


# The root is rank 1 of the second group, process 3. Only the other group names it.
def test_a_broadcast_goes_from_the_root_to_the_other_group(waits, trace):
    tables = trace("""
        0    0..50   MPI_Bcast   collective bcast root 1 received 8
        1   10..50   MPI_Bcast   collective bcast root 1 received 8
        2    0..50   MPI_Bcast   collective bcast
        3   30..50   MPI_Bcast   collective bcast sent 8
    """)
    assert waits(with_sides(tables, second={2, 3})) == [
        ("mpi_latebroadcast", 0, 0, 30, 3),
        ("mpi_latebroadcast", 1, 10, 20, 3),
    ]


# The root is rank 0 of the first group; rank 1 there is late, but sends nothing to it.
def test_a_reduction_goes_from_the_other_group_to_the_root(waits, trace):
    tables = trace("""
        0    0..50   MPI_Reduce   collective reduce received 8
        1   40..50   MPI_Reduce   collective reduce
        2   10..50   MPI_Reduce   collective reduce root 0 sent 8
        3   30..50   MPI_Reduce   collective reduce root 0 sent 8
    """)
    assert waits(with_sides(tables, second={2, 3})) == [("mpi_earlyreduce", 0, 0, 30, 3)]
