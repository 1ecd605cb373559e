"""MPI records: each with the call that holds it, its communicator and its peer process."""

import pytest

from tests.helpers.otf2_archive import UNDEFINED, Event, Trace, trace_of

NO_ROOT = UNDEFINED
CALL = "kind time_ns enter_ns leave_ns"
PEER = "kind communicator_id peer_rank peer_group_id"
BARRIER, BCAST, ALLREDUCE, CREATE_HANDLE = 0, 1, 11, 17


# --- The call that holds a record ---------------------------------------------------------------


#          0    10   20   30
# main     [              ]
# MPI_Send      [ 12  ]
def test_a_record_has_the_call_that_holds_it(read):
    tables = read(
        """
         0  enter main
        10  enter MPI_Send
        12  MpiSend 1 0 7 64
        20  leave MPI_Send
        30  leave main
        """,
        "",
    )
    columns = "location_id sequence time_ns kind visit_id enter_ns leave_ns begin_ns"
    assert tables.rows("mpi_operations", columns) == [(0, 2, 12, "send", 1, 10, 20, None)]
    assert tables.rows("mpi_operations", "peer_rank peer_group_id tag bytes") == [(1, 1, 7, 64)]
    assert tables.visits("path", location=0)[1] == ("main/MPI_Send",)
    assert tables.one("mpi_operations", "call_path_id") == (1,)


def test_every_kind_of_record_has_its_values(read):
    tables = read(
        """
         0  enter MPI_Waitall
         1  MpiSend 1 0 2 3
         2  MpiIsend 1 0 3 4 500
         3  MpiIsendComplete 500
         4  MpiIrecvRequest 501
         5  MpiRecv 1 0 5 6
         6  MpiIrecv 1 0 6 7 501
         7  MpiRequestTest 502
         8  MpiRequestCancelled 502
         9  MpiProbe 1 0 8 900
        10  MpiMrecv 900 16
        11  MpiImrecvRequest 901 503
        12  MpiImrecv 503 32
        13  NonBlockingCollectiveRequest 504
        14  NonBlockingCollectiveComplete 11 0 4294967295 8 9 504
        15  leave MPI_Waitall
        """,
        "",
    )
    columns = "kind communicator_id peer_rank tag bytes request_id probe_id bytes_received"
    assert tables.rows("mpi_operations", columns) == [
        ("send", 0, 1, 2, 3, None, None, None),
        ("isend", 0, 1, 3, 4, 500, None, None),
        ("isend_complete", None, None, None, None, 500, None, None),
        ("irecv_request", None, None, None, None, 501, None, None),
        ("recv", 0, 1, 5, 6, None, None, None),
        ("irecv", 0, 1, 6, 7, 501, None, None),
        ("request_test", None, None, None, None, 502, None, None),
        ("request_cancelled", None, None, None, None, 502, None, None),
        ("probe", 0, 1, 8, None, None, 900, None),
        ("mrecv", None, None, None, 16, None, 900, None),
        ("imrecv_request", None, None, None, None, 503, 901, None),
        ("imrecv", None, None, None, 32, 503, None, None),
        ("nonblocking_collective_request", None, None, None, None, 504, None, None),
        ("nonblocking_collective", 0, None, None, 8, 504, None, 9),
    ]


def test_a_collective_is_one_row_with_its_begin(read):
    tables = read(
        f"""
         0  enter MPI_Bcast
         2  MpiCollectiveBegin
         8  MpiCollectiveEnd {BCAST} 0 1 64 0
        10  leave MPI_Bcast
        20  enter MPI_Allreduce
        25  MpiCollectiveEnd {ALLREDUCE} 0 {NO_ROOT} 8 16
        30  leave MPI_Allreduce
        """,
        "",
    )
    columns = "kind begin_ns time_ns enter_ns leave_ns operation root_rank bytes bytes_received"
    assert tables.rows("mpi_operations", columns) == [
        ("collective", 2, 8, 0, 10, "bcast", 1, 64, 0),
        ("collective", None, 25, 20, 30, "allreduce", None, 8, 16),  # its begin was lost
    ]


def test_roots_of_an_inter_communicator_are_no_ranks(read):
    """Rank "self" (root here) and "this group" (root is another of us), and none."""
    tables = read(
        f"""
        0  enter MPI_Bcast
        1  MpiCollectiveEnd {BCAST} 0 {UNDEFINED - 1} 4 0
        2  MpiCollectiveEnd {BCAST} 0 {UNDEFINED - 2} 4 0
        3  MpiCollectiveEnd {BCAST} 0 {UNDEFINED} 4 0
        4  leave MPI_Bcast
        """
    )
    assert tables.rows("mpi_operations", "root_rank") == [(None,)] * 3


def test_a_request_number_may_use_all_64_bits(read):
    tables = read(f"0 enter MPI_Irecv\n 1 MpiIrecvRequest {(1 << 64) - 2}\n 2 leave MPI_Irecv")
    assert tables.rows("mpi_operations", "request_id") == [(-2,)]


def test_creating_and_destroying_a_communicator_is_recorded(read):
    """Such communicators carry the flag 1."""
    trace = trace_of(
        f"""
        0  enter MPI_Comm_dup
        1  MpiCollectiveBegin
        2  CommCreate 6
        3  MpiCollectiveEnd {CREATE_HANDLE} 0 {NO_ROOT} 0 0
        4  leave MPI_Comm_dup
        5  enter MPI_Comm_free
        6  CommDestroy 6
        7  leave MPI_Comm_free
        """
    )
    trace.define("Comm", 6, "copy", 1, 0, 1)
    tables = read(trace)
    columns = "kind time_ns begin_ns communicator_id operation"
    assert tables.rows("mpi_operations", columns) == [
        ("communicator_create", 2, None, 1, None),
        ("collective", 3, 1, 0, "create_handle"),
        ("communicator_destroy", 6, None, 1, None),
    ]
    assert tables.findings() == {}


# --- Records in unusual places ------------------------------------------------------------------


def test_a_record_outside_any_visit_has_no_call(read):
    tables = read("0 MpiSend 1 0 7 64\n 5 enter MPI_Send\n 6 leave MPI_Send", "")
    columns = f"{CALL} visit_id call_path_id"
    assert tables.rows("mpi_operations", columns) == [("send", 0, None, None, None, None)]


def test_in_a_user_region_the_record_is_its_own_call(read):
    """Without MPI wrappers there is no call to take times from, only the visit around it."""
    trace = trace_of("0 enter main\n 5 MpiSend 1 0 7 64\n 9 leave main", "")
    trace.region("MPI_Send", paradigm="mpi")
    columns = f"{CALL} visit_id"
    assert read(trace).rows("mpi_operations", columns) == [("send", 5, 5, 5, 0)]


#              0    10   20   30   40
# MPI_Sendrecv [    s         r    ]
# user              [ 12 ]
def test_a_callback_inside_a_call_does_not_end_it(read):
    tables = read(
        """
         0  enter MPI_Sendrecv
        10  MpiSend 1 0 7 64
        11  enter user
        12  MpiSend 1 0 8 64
        13  leave user
        30  MpiRecv 1 0 7 64
        40  leave MPI_Sendrecv
        """,
        "",
    )
    assert tables.rows("mpi_operations", CALL) == [
        ("send", 10, 0, 40),
        ("send", 12, 12, 12),
        ("recv", 30, 0, 40),
    ]


def test_nested_calls_hold_their_own_records(read):
    tables = read(
        """
         0  enter MPI_Sendrecv
        10  enter MPI_Isend
        12  MpiIsend 1 0 7 64 1
        20  leave MPI_Isend
        30  MpiIsendComplete 1
        40  leave MPI_Sendrecv
        """,
        "",
    )
    assert tables.rows("mpi_operations", CALL) == [
        ("isend", 12, 10, 20),
        ("isend_complete", 30, 0, 40),
    ]


def test_a_call_that_is_never_left_ends_with_the_last_record(read):
    tables = read("0 enter MPI_Recv\n 5 MpiRecv 1 0 7 64\n 9 MpiRequestTest 1", "")
    assert tables.rows("mpi_operations", CALL) == [("recv", 5, 0, 9), ("request_test", 9, 0, 9)]


def test_100_000_completions_in_one_waitall_are_all_kept(read):
    """More than fit into any buffer of the reader: all wait for the leave of their call."""
    count = 100_000
    tables = read(
        [
            Event(0, "Enter", ("MPI_Waitall",)),
            *(Event(1 + n, "MpiIsendComplete", (n,)) for n in range(count)),
            Event(count + 1, "Leave", ("MPI_Waitall",)),
            Event(count + 2, "Enter", ("MPI_Wait",)),
            Event(count + 3, "MpiIsendComplete", (count,)),
            Event(count + 4, "Leave", ("MPI_Wait",)),
        ]
    )
    query = "SELECT enter_ns, leave_ns, visit_id, count(*), sum(request_id), min(sequence) "
    assert tables.sql(f"{query} FROM mpi_operations GROUP BY ALL ORDER BY 1", "mpi_operations") == [
        (0, count + 1, 0, count, count * (count - 1) // 2, 1),
        (count + 2, count + 4, 1, 1, count, count + 3),
    ]


@pytest.mark.parametrize("records_before", [65_534, 65_535, 65_536])
def test_a_call_may_be_open_between_two_portions_of_records(read, records_before):
    """65,536 records are read at a time; the call begins around the end of the first portion."""
    trace = Trace()
    trace.region("tick")
    ticks = ("Enter", "Leave")
    trace.location(
        [
            *(Event(n, ticks[n % 2], ("tick",)) for n in range(records_before // 2 * 2)),
            *(Event(records_before, "MpiRequestTest", (0,)) for _ in range(records_before % 2)),
            Event(100_000, "Enter", ("MPI_Recv",)),
            Event(100_001, "MpiRecv", (0, 0, 7, 64)),
            Event(100_002, "Leave", ("MPI_Recv",)),
        ]
    )
    rows = read(trace).rows("mpi_operations", CALL + " sequence", "kind = 'recv'")
    assert rows == [("recv", 100_001, 100_000, 100_002, records_before + 1)]


# --- Peers --------------------------------------------------------------------------------------


def test_ranks_count_in_their_communicator(read):
    """Ranks 0 and 1 of communicator 3 are the processes 2 and 0."""
    trace = trace_of("0 enter MPI_Send\n 1 MpiSend 1 3 7 8\n 2 leave MPI_Send", "", "")
    trace.group(10, "comm_group", [2, 0])
    trace.define("Comm", 3, "part", 10, 0, 0)
    assert read(trace).rows("mpi_operations", PEER) == [("send", 1, 1, 0)]


# Communicator 3 joins {0} and {1, 2}: seen from process 0, rank 1 is process 2; seen from
# process 2, rank 0 is process 0.
def test_ranks_of_an_inter_communicator_count_in_the_other_group(read):
    trace = trace_of(
        "0 enter MPI_Send\n 1 MpiSend 1 3 7 8\n 2 leave MPI_Send",
        "",
        "0 enter MPI_Recv\n 1 MpiRecv 0 3 7 8\n 2 leave MPI_Recv",
    )
    trace.group(10, "comm_group", [0])
    trace.group(11, "comm_group", [1, 2])
    trace.define("InterComm", 3, "bridge", 10, 11, 0, 0)
    tables = read(trace)
    assert tables.rows("mpi_operations", f"location_id {PEER}") == [
        (0, "send", 1, 1, 2),
        (2, "recv", 1, 0, 0),
    ]
    assert tables.findings() == {}


def test_comm_self_means_the_process_itself(read):
    events = "0 enter MPI_Send\n 1 MpiSend 0 3 7 8\n 2 leave MPI_Send"
    trace = trace_of(events, events)
    trace.group(10, "comm_self", [])
    trace.define("Comm", 3, "MPI_COMM_SELF", 10, UNDEFINED, 0)
    assert read(trace).rows("mpi_operations", f"location_id {PEER}") == [
        (0, "send", 1, 0, 0),
        (1, "send", 1, 0, 1),
    ]


def test_a_message_of_a_thread_goes_to_a_process(read):
    trace = Trace()
    trace.location(process=0)
    trace.location("0 enter MPI_Send\n 1 MpiSend 1 0 7 8\n 2 leave MPI_Send", process=0)
    trace.location(process=1)
    assert read(trace).rows("mpi_operations", f"location_id {PEER}") == [(1, "send", 0, 1, 1)]


@pytest.mark.parametrize("rank", [2, 99, UNDEFINED - 1])
def test_a_rank_outside_its_communicator_is_counted(read, rank):
    tables = read(f"0 enter MPI_Send\n 1 MpiSend {rank} 0 7 8\n 2 leave MPI_Send", "")
    (row,) = tables.rows("mpi_operations", "communicator_id peer_group_id tag")
    assert row == (0, None, 7)
    assert tables.findings() == {("impossible_id", 0): 1}


def test_a_communicator_that_is_not_defined_is_counted(read):
    """The peer of its message is unknown, too, which is the same fault and counted once."""
    tables = read(
        f"""
        0  enter MPI_Send
        1  MpiSend 1 42 7 8
        2  MpiCollectiveEnd {BARRIER} 42 {NO_ROOT} 0 0
        3  leave MPI_Send
        """,
        "",
    )
    assert tables.rows("mpi_operations", PEER) == [
        ("send", None, 1, None),
        ("collective", None, None, None),
    ]
    assert tables.findings() == {("impossible_id", 0): 2}


def test_a_rank_whose_location_is_not_defined_is_counted(read):
    trace = trace_of("0 enter MPI_Send\n 1 MpiSend 1 0 7 8\n 2 leave MPI_Send")
    trace.group(0, "comm_locations", [0, 99])
    trace.group(1, "comm_group", [0, 1])
    trace.define("Comm", 0, "gaps", 1, UNDEFINED, 0)
    tables = read(trace)
    assert tables.rows("mpi_operations", PEER) == [("send", 0, 1, None)]
    # Once in the definition of the group, once in the record of the send.
    assert tables.findings() == {("impossible_id", None): 1, ("impossible_id", 0): 1}


def test_a_trace_without_communicators_still_gives_its_messages(read):
    """EZTrace may leave out all groups; then the peers are unknown."""
    trace = trace_of("0 enter MPI_Send\n 1 MpiSend 1 0 7 8\n 2 leave MPI_Send", "")
    trace.group(0, "comm_locations", [])
    tables = read(trace)
    assert tables.rows("mpi_operations", PEER) == [("send", None, 1, None)]
    assert tables.findings() == {("impossible_id", 0): 1}
