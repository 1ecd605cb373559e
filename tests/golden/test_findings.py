"""Findings in profiles and messages, apart from waiting."""

import pytest

CLASSES = (
    ("computation", "user code"),
    ("data movement", "point-to-point"),
    ("data movement", "collective"),
    ("data movement", "put/get"),
    ("data movement", "I/O"),
    ("synchronisation", "barrier"),
    ("synchronisation", "lock"),
    ("control of parallelism", "fork/join"),
)
# Call paths and regions of the trace below, by number, with the class of each.
CALLS = {
    "main": 0, "MPI_Allreduce": 2, "MPI_Barrier": 5, "MPI_File_write": 4, "MPI_Put": 3,
    "MPI_Recv": 1, "MPI_Send": 1,
}  # fmt: skip
FOUND = "property call_path_id location_id value confidence"


@pytest.fixture
def profiled(trace):
    """Calls of every kind on two processes, the second one incomplete."""
    tables = trace("""
        0   0..10    MPI_Send         send 1
        0   10..15   MPI_Send         send 1
        0   20..27   MPI_Allreduce
        0   30..41   MPI_Barrier
        0   50..52   MPI_Put
        0   60..63   MPI_File_write
        1   0..4     MPI_Recv         recv 0
        1   10..24   MPI_Recv         recv 0
        1   25..30   MPI_Allreduce
        1   30..31   MPI_Allreduce
        1   32..32   MPI_Barrier
    """)
    assert [row["name"] for row in tables["regions"]] == list(CALLS)
    tables["locations"][1]["is_complete"] = False
    return tables | classified(CALLS.values())


def classified(classes):
    return {
        "overhead_classes": [
            {"overhead_id": number, "overhead_class": one, "overhead_subclass": other}
            for number, (one, other) in enumerate(CLASSES)
        ],
        "region_classes": [
            {"region_id": number, "overhead_id": each} for number, each in enumerate(classes)
        ],
    }


# Sends 10 + 5, receives 4 + 14; a barrier of no time costs nothing.
def test_operations_cost_the_time_of_their_calls(run_query, profiled):
    assert run_query("operation_costs", profiled, FOUND) == [
        ("communication_cost", 1, 0, 7, 100),
        ("communication_cost", 1, 1, 5 + 1, 75),
        ("communication_cost", 4, 0, 2, 100),
        ("communication_cost", 5, 1, 4 + 14, 75),
        ("communication_cost", 6, 0, 10 + 5, 100),
        ("io_cost", 3, 0, 3, 100),
        ("synchronisation_cost", 2, 0, 11, 100),
    ]


# The class of a rule counts: here critical sections fork, so 4 of 11 are not synchronization.
def test_forking_is_not_part_of_what_an_operation_costs(run_query, profiled):
    forked = [{"call_path_id": 2, "location_id": 0, "fork_join_ns": 4}]
    tables = profiled | {"fork_join_times": forked}
    costs = run_query("operation_costs", tables, FOUND)
    assert [row for row in costs if row[1] == 2] == [("synchronisation_cost", 2, 0, 11 - 4, 100)]


# Receives take 18, sends 15, reductions 13. Reductions are called three times, the others twice.
def test_the_operation_with_most_time_dominates_and_that_with_most_calls_is_frequent(
    run_query, profiled
):
    assert run_query("leading_communication", profiled, FOUND) == [
        ("dominating_communication", 5, 1, 18, 75),
        ("frequent_communication", 1, 0, 1, 100),
        ("frequent_communication", 1, 1, 2, 75),
    ]


# 4 of the 18 of receiving are forking: sending dominates, with 15.
def test_forking_does_not_make_an_operation_dominate(run_query, profiled):
    forked = [{"call_path_id": 5, "location_id": 1, "fork_join_ns": 4}]
    tables = profiled | {"fork_join_times": forked}
    assert run_query("leading_communication", tables, FOUND)[:1] == [
        ("dominating_communication", 6, 0, 10 + 5, 100)
    ]
    # With 2 of them, receiving still leads, with what is left.
    forked[0]["fork_join_ns"] = 2
    assert run_query("leading_communication", tables, FOUND)[:1] == [
        ("dominating_communication", 5, 1, 18 - 2, 75)
    ]


# Two operations of equal time and calls; two bindings of a call are one operation.
def test_the_first_of_equal_operations_by_name_leads(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Gather
        0   10..13   MPI_Bcast
        0   20..22   mpi_bcast_
        0   30..30   MPI_Gather
    """)
    names = ["main", "MPI_Bcast", "MPI_Gather", "mpi_bcast_"]
    assert [row["name"] for row in tables["regions"]] == names
    tables |= classified((0, 2, 2, 2))
    assert run_query("leading_communication", tables, FOUND) == [
        ("dominating_communication", 1, 0, 3, 100),
        ("dominating_communication", 3, 0, 2, 100),
        ("frequent_communication", 1, 0, 1, 100),
        ("frequent_communication", 3, 0, 1, 100),
    ]


# --- Large messages ------------------------------------------------------------------------------

LARGE = "location_id start_ns value confidence"


# The receive waits for 30 - 10 and then takes 50 - 30; the send takes 45 - 30.
#
#            0    10   20   30   40   50
# rank 0                    [send  ]
# rank 1          [receive..........]
def test_large_messages_take_the_time_that_is_not_waiting(run_query, trace):
    tables = trace("""
        0   30..45   MPI_Send   send 1 bytes 1048576
        1   10..50   MPI_Recv   recv 0 bytes 1048576
        0   60..65   MPI_Send   send 1 bytes 1048575
        1   60..66   MPI_Recv   recv 0 bytes 1048575
    """)
    found = run_query("large_messages", tables, f"{LARGE} visit_id call_path_id")
    assert found == [(1, 10, 20, 100, 4, 1), (0, 30, 15, 100, 1, 2)]


def test_the_size_of_large_messages_is_a_parameter(run_query, trace):
    tables = trace("""
        0   10..15   MPI_Send   send 1 bytes 100
        1   10..16   MPI_Recv   recv 0 bytes 100
        0   20..25   MPI_Send   send 1 bytes 99
        1   20..27   MPI_Recv   recv 0 bytes 99
    """)
    found = run_query("large_messages", tables, LARGE, large_message_bytes=100)
    assert found == [(1, 10, 6, 100), (0, 10, 5, 100)]


# Two large messages and a small one complete in one call, which counts once; posts do not.
def test_a_call_that_completes_several_counts_once(run_query, trace):
    tables = trace("""
        0   0..2     MPI_Isend     isend 1 #1 bytes 2000000
        0   2..4     MPI_Isend     isend 1 #2 bytes 3000000
        0   4..6     MPI_Isend     isend 1 #3
        0   10..30   MPI_Waitall   isend_complete #1; isend_complete #2; isend_complete #3
        1   0..2     MPI_Irecv     irecv_request #1
        1   2..4     MPI_Irecv     irecv_request #2
        1   4..6     MPI_Irecv     irecv_request #3
        1   11..34   MPI_Waitall   irecv 0 #1; irecv 0 #2; irecv 0 #3
    """)
    assert run_query("large_messages", tables, LARGE) == [(0, 10, 20, 100), (1, 11, 23, 100)]


# The second send of the channel finds no receive; in the other channel clocks disagree.
def test_large_messages_are_uncertain_if_their_matching_is(run_query, trace):
    tables = trace("""
        0   10..15   MPI_Send   send 1 bytes 2000000
        0   20..25   MPI_Send   send 1 bytes 2000000
        0   50..55   MPI_Send   send 1 tag 1 bytes 2000000
        1   10..16   MPI_Recv   recv 0
        1   45..49   MPI_Recv   recv 0 tag 1
    """)
    # The receive from 45 to 49 waited for all its time.
    found = run_query("large_messages", tables, LARGE)
    assert found == [(1, 10, 6, 75), (0, 10, 5, 75), (0, 50, 5, 50)]


# --- Uneven distribution -------------------------------------------------------------------------


def uneven(path: int, mean: int, longest_to_mean: float, overload: int, total: int):
    return {
        "call_path_id": path, "mean_ns": mean, "longest_to_mean": longest_to_mean,
        "overload_ns": overload, "exclusive_ns": total, "location_count": 3, "visitor_count": 3,
    }  # fmt: skip


def visited(path: int, *times: int):
    return [
        {"call_path_id": path, "region_id": path, "location_id": number, "enter_ns": 0,
         "visit_id": 10 * path + number, "leave_ns": time, "exclusive_ns": time}
        for number, time in enumerate(times)
    ]  # fmt: skip


# Path 1: 60, 130, 110 of mean 100. Path 2 is at most 1.09 times its mean. In path 3 all above the
# mean is 1 of 1503.
@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ({}, [(1, 1, 30), (1, 2, 10)]),
        ({"least_uneven_share": 0.0001}, [(1, 1, 30), (1, 2, 10), (3, 0, 1)]),
        ({"uneven_ratio": 1.05}, [(1, 1, 30), (1, 2, 10), (2, 0, 9 * 4)]),
        ({"uneven_ratio": 1.5}, []),
    ],
)
def test_time_above_the_mean_of_uneven_call_paths_is_found(run_query, limits, found):
    tables = {
        "locations": [{"location_id": number, "is_complete": True} for number in range(3)],
        "call_paths": [{"call_path_id": number, "region_id": number} for number in range(4)],
        "regions": [{"region_id": number} for number in range(4)],
        "visits": [
            *visited(1, 60, 130, 110), *visited(2, 436, 400, 364), *visited(3, 2, 0, 1),
        ],
        "computational_imbalance": [
            uneven(1, 100, 1.3, 40, 300), uneven(2, 400, 1.09, 36, 1200), uneven(3, 1, 2.0, 1, 3),
        ],
    }  # fmt: skip
    columns = "call_path_id location_id value"
    assert run_query("uneven_distribution", tables, columns, **limits) == found
