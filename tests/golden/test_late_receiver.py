"""Late Receiver: a call that completes a send is blocked until the receive is posted."""

import pytest

WAIT = "location_id start_ns wait_ns cause_location_id"


#            0    10   20   30   40   50
# rank 0          [ssend...........]
# rank 1                    [receive  ]
def test_send_waits_until_the_receive_is_posted(run_query, trace):
    tables = trace("""
        0   10..42   MPI_Ssend   send 1
        1   30..50   MPI_Recv    recv 0
    """)
    # 30 - 10
    columns = f"property {WAIT} message_id is_synchronization confidence"
    assert run_query("late_receiver", tables, columns) == [
        ("mpi_latereceiver", 0, 10, 20, 1, 0, False, 100)
    ]


def test_the_wait_names_the_visits_of_both_sides(run_query, trace):
    tables = trace("""
        0   10..42   MPI_Send    send 1
        1   30..35   MPI_Irecv   irecv_request #1
        1   40..50   MPI_Wait    irecv 0 #1
    """)
    # Visits of rank 0: main 0, MPI_Send 1; of rank 1: main 2, MPI_Irecv 3, MPI_Wait 4.
    columns = "visit_id call_path_id cause_visit_id"
    assert run_query("late_receiver", tables, columns) == [(1, 2, 3)]


# The send ended at 25, before the receive was posted: it went through a buffer and did not wait.
@pytest.mark.parametrize(("leave", "waits"), [(25, []), (30, []), (31, [(20,)])])
def test_a_send_that_ends_before_the_receive_is_posted_did_not_wait(run_query, trace, leave, waits):
    tables = trace(f"""
        0   10..{leave}   MPI_Send   send 1
        1   30..50        MPI_Recv   recv 0
    """)
    assert run_query("late_receiver", tables, "wait_ns") == waits


def test_a_send_to_a_waiting_receiver_does_not_wait(run_query, trace):
    tables = trace("""
        0   30..40   MPI_Ssend   send 1
        1   10..45   MPI_Recv    recv 0
    """)
    assert run_query("late_receiver", tables) == []


@pytest.mark.parametrize(
    ("call", "waits"),
    [
        ("MPI_Send", 1),
        ("MPI_Ssend", 1),
        ("mpi_ssend_", 1),
        ("PMPI_Send", 1),
        ("MPI_Bsend", 0),
        ("MPI_Rsend", 0),
        ("MPI_Sendrecv", 0),
        ("MPI_Sendrecv_replace", 0),
        ("user_function", 0),
    ],
)
def test_only_standard_and_synchronous_sends_wait(run_query, trace, call, waits):
    tables = trace(f"""
        0   10..42   {call}     send 1
        1   30..50   MPI_Recv   recv 0
    """)
    assert len(run_query("late_receiver", tables)) == waits


# The completing call decides, for any posting call (also Ibsend and Irsend).
#
#            0    10   20   30   40   50
# rank 0     [i…send]  [wait.......]
# rank 1                    [receive  ]
@pytest.mark.parametrize("post", ["MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend"])
@pytest.mark.parametrize(
    ("completion", "waits"),
    [
        ("MPI_Wait", [(0, 20, 10, 1)]),
        ("MPI_Waitany", [(0, 20, 10, 1)]),
        ("MPI_Waitall", [(0, 20, 10, 1)]),
        ("MPI_Waitsome", [(0, 20, 10, 1)]),
        ("MPI_Test", []),
        ("MPI_Testall", []),
        ("MPI_Request_get_status", []),
    ],
)
def test_a_nonblocking_send_waits_where_it_completes(run_query, trace, post, completion, waits):
    tables = trace(f"""
        0   0..5     {post}         isend 1 #7
        0   20..42   {completion}   isend_complete #7
        1   30..50   MPI_Recv       recv 0
    """)
    assert run_query("late_receiver", tables, WAIT) == waits


# The posting of the receive counts, not the begin of its completing call.
def test_the_post_of_the_receive_ends_the_wait(run_query, trace):
    tables = trace("""
        0   10..60   MPI_Send    send 1
        1   30..35   MPI_Irecv   irecv_request #1
        1   50..65   MPI_Wait    irecv 0 #1
    """)
    assert run_query("late_receiver", tables, "wait_ns") == [(20,)]


# Two sends complete in one Waitall: it waits once, for the later receiver (50 - 10).
#
#            0    10   20   30   40   50   60
# rank 0          [waitall.................]
# rank 1                    [receive]
# rank 2                              [receive]
def test_waitall_waits_for_the_latest_receiver_only(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Isend     isend 1 #1 bytes 8; isend 2 #2 bytes 0
        0   10..60   MPI_Waitall   isend_complete #1; isend_complete #2
        1   30..40   MPI_Recv      recv 0
        2   50..65   MPI_Recv      recv 0
    """)
    columns = f"{WAIT} is_synchronization"
    assert run_query("late_receiver", tables, columns) == [(0, 10, 40, 2, True)]


# Rank 0 waits in one call for rank 1 to send (until 20) and to receive (until 50): the late
# sender explains the call.
def test_a_call_that_waited_for_a_sender_is_not_charged_twice(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Isend     isend 1 #1
        0   5..8     MPI_Irecv     irecv_request #2
        0   10..60   MPI_Waitall   isend_complete #1; irecv 1 #2
        1   20..25   MPI_Send      send 0
        1   50..65   MPI_Recv      recv 0
    """)
    assert run_query("late_receiver", tables) == []
    assert run_query("wait_states", tables, "property wait_ns") == [("mpi_latesender", 10)]


@pytest.mark.parametrize(
    ("send", "receive"),
    [
        # It is unknown when the receive was posted.
        ("MPI_Send    send 1", "MPI_Wait   irecv 0 #1"),
        # The send has no completion.
        ("MPI_Isend   isend 1 #1", "MPI_Recv   recv 0"),
    ],
)
def test_a_send_whose_end_or_receive_is_unknown_does_not_wait(run_query, trace, send, receive):
    tables = trace(f"0 10..60 {send}\n1 30..65 {receive}")
    assert run_query("late_receiver", tables) == []


def test_clocks_that_disagree_lower_confidence(run_query, trace):
    tables = trace("""
        0   10..60   MPI_Ssend   send 1 @59
        1   30..50   MPI_Recv    recv 0
    """)
    assert run_query("late_receiver", tables, "wait_ns confidence") == [(20, 50)]
