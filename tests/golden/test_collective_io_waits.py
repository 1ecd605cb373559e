"""Waiting for others in collective access to files."""

from typing import Any

import pytest

IO_WAIT = "location_id visit_id start_ns wait_ns cause_location_id cause_visit_id"
METRIC = "mpi_io_collective_wait"
SHARED = [
    {"io_handle_id": 0, "name": "shared", "communicator_id": 0},
    {"io_handle_id": 1, "name": "of 2 and 0", "communicator_id": 1},
    {"io_handle_id": 2, "name": "own", "communicator_id": 2},
    {"io_handle_id": 3, "name": "posix"},
]


@pytest.fixture
def io_waits(waits: Any, trace: Any) -> Any:
    """Waits of a trace written as text, in collective access to files or all of them."""

    def find(text: str, columns: str = IO_WAIT, metric: str = METRIC) -> list[tuple[Any, ...]]:
        tables = trace(text, comm1=[2, 0], comm2="self") | {"io_handles": SHARED}
        found: list[tuple[Any, ...]] = waits(tables, metric, columns)
        return found

    return find


# The last one enters at 30: rank 0 waits for 20, rank 1 for 5. Visits: main 0, open 1; main 2,
# open 3; main 4, open 5.
OPEN = """
    0    10..50   MPI_File_open   create_handle on 0
    1    25..50   MPI_File_open   create_handle on 0
    2    30..50   MPI_File_open   create_handle on 0
"""


@pytest.mark.parametrize(
    "name", ["MPI_File_open", "PMPI_File_open", "mpi_file_open_", "MPI_File_open_f08"]
)
def test_opening_a_file_together_waits_for_the_last_process(io_waits, name):
    text = OPEN.replace("MPI_File_open", name)
    assert io_waits(text) == [(0, 1, 10, 20, 2, 5), (1, 3, 25, 5, 2, 5)]


def test_the_wait_is_extended_and_certain(io_waits):
    columns = "is_extended is_synchronization confidence collective_id message_id"
    assert io_waits(OPEN, columns) == [(True, False, 100, None, None)] * 2


@pytest.mark.parametrize(
    ("call", "flags", "is_collective"),
    [
        ("MPI_File_write_all", 0, True),
        ("MPI_File_read_at_all", 0, True),
        ("MPI_File_write_ordered", 0, True),
        ("MPI_File_write", 0, False),
        ("MPI_File_write_shared", 0, False),
        ("MPI_File_write_at", 2, True),
        ("H5Dwrite", 2, True),
        ("H5Dwrite", 0, False),
    ],
)
def test_the_call_or_its_record_makes_an_access_collective(io_waits, call, flags, is_collective):
    found = io_waits(f"""
        0    10..50   {call}   operation_begin on 0 write 8 #1 flags {flags};
                               operation_complete on 0 moved 8 #1
        1    30..50   {call}   operation_begin on 0 write 8 #1 flags {flags};
                               operation_complete on 0 moved 8 #1
    """)
    assert found == ([(0, 1, 10, 20, 1, 3)] if is_collective else [])


# Rank 1 comes when rank 0 has left (clocks disagree, or the call does not synchronize).
def test_a_wait_ends_with_its_call(io_waits):
    text = """
        0    10..20   MPI_File_close   destroy_handle on 0
        1    30..50   MPI_File_close   destroy_handle on 0
    """
    assert io_waits(text, f"{IO_WAIT} confidence") == [(0, 1, 10, 10, 1, 3, 50)]


def test_the_lowest_rank_of_the_last_to_arrive_is_the_cause(io_waits):
    text = """
        0    30..50   MPI_File_close   destroy_handle on 0
        1    10..50   MPI_File_close   destroy_handle on 0
        2    30..50   MPI_File_close   destroy_handle on 0
    """
    assert io_waits(text) == [(1, 3, 10, 20, 0, 1)]


# Of the communicator [2, 0], process 2 is rank 0. Process 1 has no part in it.
def test_only_processes_of_the_handle_take_part(io_waits):
    text = """
        0    10..50   MPI_File_close   destroy_handle on 1
        1    5..6     compute
        2    30..50   MPI_File_close   destroy_handle on 1
    """
    assert io_waits(text) == [(0, 1, 10, 20, 2, 5)]


def test_opening_alone_does_not_wait(io_waits):
    text = """
        0    10..50   MPI_File_open   create_handle on 2; create_handle on 3
        1    30..50   MPI_File_open   create_handle on 2; create_handle on 3
    """
    assert io_waits(text) == []


# The begin of rank 1 comes at 40. Rank 0 computes until 20 and waits only from then on.
SPLIT = """
    0    0..5     MPI_File_write_all_begin   operation_begin on 0 write 8 #1 flags 3
    0    20..60   MPI_File_write_all_end     operation_complete on 0 moved 8 #1
    1    40..45   MPI_File_write_all_begin   operation_begin on 0 write 8 #1 flags 3
    1    50..60   MPI_File_write_all_end     operation_complete on 0 moved 8 #1
"""


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("MPI_File_write_all_begin", "MPI_File_write_all_end"),
        ("MPI_File_read_ordered_begin", "MPI_File_read_ordered_end"),
        ("MPI_File_iwrite_at_all", "MPI_Wait"),
    ],
)
def test_a_split_access_is_waited_for_in_the_call_that_ends_it(io_waits, begin, end):
    text = SPLIT.replace("MPI_File_write_all_begin", begin).replace("MPI_File_write_all_end", end)
    assert io_waits(text) == [(0, 2, 20, 20, 1, 4)]


def test_a_test_does_not_wait(io_waits):
    assert io_waits(SPLIT.replace("MPI_File_write_all_end", "MPI_Test")) == []


# The Waitall of rank 0 waits for a message from 10 to 25, for a barrier until 30 and for the file
# until 40: each has what the ones before it leave.
def test_time_that_messages_and_collectives_explain_is_not_counted_again(io_waits):
    text = """
        0    0..1    MPI_Ibarrier          nonblocking_collective_request #1
        0    2..3    MPI_Irecv             irecv_request #2
        0    4..5    MPI_File_iwrite_all   operation_begin on 0 write 8 #3
        0   10..60   MPI_Waitall           irecv 1 #2; nonblocking_collective barrier #1;
                                           operation_complete on 0 moved 8 #3
        1   25..26   MPI_Send              send 0
        1   30..31   MPI_Ibarrier          nonblocking_collective_request #1
        1   40..41   MPI_File_iwrite_all   operation_begin on 0 write 8 #3
        1   50..60   MPI_Waitall           nonblocking_collective barrier #1;
                                           operation_complete on 0 moved 8 #3
    """
    assert io_waits(text, "location_id start_ns wait_ns", metric="") == [
        ("mpi_barrier_wait", 0, 25, 5),
        ("mpi_io_collective_wait", 0, 30, 10),
        ("mpi_latesender", 0, 10, 15),
    ]


# Rank 0 ends both in one call, in which it waits until 30 for handle 0 and until 40 for handle 1.
def test_a_call_that_ends_several_accesses_waits_once(io_waits):
    text = """
        0    0..1    MPI_File_iwrite_all   operation_begin on 0 write 8 #1
        0    2..3    MPI_File_iwrite_all   operation_begin on 1 write 8 #2
        0   10..60   MPI_Waitall           operation_complete on 0 moved 8 #1;
                                           operation_complete on 1 moved 8 #2
        1    5..6    MPI_File_iwrite_all   operation_begin on 0 write 8 #1
        1    7..8    MPI_Wait              operation_complete on 0 moved 8 #1
        2   30..31   MPI_File_iwrite_all   operation_begin on 0 write 8 #1
        2   32..33   MPI_Wait              operation_complete on 0 moved 8 #1
        2   40..41   MPI_File_iwrite_all   operation_begin on 1 write 8 #2
        2   50..60   MPI_Wait              operation_complete on 1 moved 8 #2
    """
    # MPI_Wait of rank 1 is left before rank 2 begins: it waits to its end, 7 to 8.
    assert io_waits(text) == [(0, 3, 10, 30, 2, 10), (1, 6, 7, 1, 2, 8)]


# The second access of rank 1 is missing: only the first access of the handle has a wait, with less
# confidence.
PARTIAL = """
    0    10..50   MPI_File_open       create_handle on 0
    0    60..70   MPI_File_read_all   operation_begin on 0 read 8 #1;
                                      operation_complete on 0 moved 8 #1
    1    30..50   MPI_File_open       create_handle on 0
"""


def test_accesses_with_a_missing_process_have_no_waits(io_waits):
    assert io_waits(PARTIAL, f"{IO_WAIT} confidence") == [(0, 1, 10, 20, 1, 4, 75)]


def test_processes_that_made_different_calls_did_not_meet(io_waits):
    text = """
        0    10..50   MPI_File_read_all    operation_begin on 0 read 8 #1;
                                           operation_complete on 0 moved 8 #1
        1    30..50   MPI_File_write_all   operation_begin on 0 write 8 #1;
                                           operation_complete on 0 moved 8 #1
    """
    assert io_waits(text) == []


# Several records of one call are one access: the second calls of both are their second access.
def test_a_call_with_several_records_is_one_access(io_waits):
    text = """
        0    10..50   MPI_File_read_all   operation_begin on 0 read 8 #1;
                                          operation_complete on 0 moved 8 #1;
                                          operation_begin on 0 read 8 #1 @45;
                                          operation_complete on 0 moved 8 #1
        0    60..90   MPI_File_close      destroy_handle on 0
        1    30..50   MPI_File_read_all   operation_begin on 0 read 8 #1;
                                          operation_complete on 0 moved 8 #1
        1    80..90   MPI_File_close      destroy_handle on 0
    """
    assert io_waits(text) == [(0, 1, 10, 20, 1, 4), (0, 2, 60, 20, 1, 5)]
