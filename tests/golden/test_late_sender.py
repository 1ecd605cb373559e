"""Late Sender: a call that completes a receive is blocked until the message is sent."""

import pytest

WAIT = "location_id start_ns wait_ns"
ORDER = "start_ns wait_ns property"


#            0    10   20   30   40   50
# rank 0                    [send     ]
# rank 1          [receive.........]
def test_receive_posted_before_send_waits_until_send_begins(run_query, trace):
    tables = trace("""
        0   30..50   MPI_Send   send 1
        1   10..42   MPI_Recv   recv 0
    """)
    # Visits of rank 0: main 0, MPI_Send 1; of rank 1: main 2, MPI_Recv 3. Calls: Recv, Send.
    columns = (
        f"property {WAIT} cause_location_id visit_id call_path_id cause_visit_id message_id "
        "is_synchronization confidence"
    )
    assert run_query("late_sender", tables, columns) == [
        ("mpi_latesender", 1, 10, 30 - 10, 0, 3, 1, 1, 0, False, 100)
    ]


def test_receive_after_send_does_not_wait(run_query, trace):
    tables = trace("""
        0   10..20   MPI_Send   send 1
        1   10..30   MPI_Recv   recv 0
    """)
    assert run_query("late_sender", tables) == []


# Clocks disagree: the receive ended before the send began. The wait ends with the receive.
#
#            0    10   20   30   40   50
# rank 0                         [send ]
# rank 1          [receive  ]
def test_wait_never_outlasts_its_receive(run_query, trace):
    tables = trace("""
        0   40..50   MPI_Send   send 1
        1   10..30   MPI_Recv   recv 0
    """)
    assert run_query("late_sender", tables, f"{WAIT} confidence") == [(1, 10, 20, 50)]


# The send of the second message is recorded at 45, but in no call.
#
#            0    10   20   30   40   50
# rank 0                    [send]  |
# rank 1          [waitall............. ]
def test_a_message_sent_outside_any_call_is_not_waited_for(run_query, trace):
    tables = trace("""
        0   30..40   MPI_Send      send 1
        0   45..45   MPI_Send      send 1
        1   0..1     MPI_Irecv     irecv_request #1
        1   2..3     MPI_Irecv     irecv_request #2
        1   10..50   MPI_Waitall   irecv 0 #1; irecv 0 #2
    """)
    (sent,) = (row for row in tables["mpi_operations"] if row["time_ns"] == 45)
    sent |= {"visit_id": None, "call_path_id": None, "enter_ns": None, "leave_ns": None}
    assert run_query("late_sender", tables, f"{WAIT} message_id") == [(1, 10, 30 - 10, 0)]


# The wait belongs to the call that completes the receive, never to the one that posts it.
#
#            0    10   20   30   40   50
# rank 0                         [send ]
# rank 1     [irecv]     [wait.....]
def test_a_nonblocking_receive_waits_where_it_completes(run_query, trace):
    tables = trace("""
        0   40..50   MPI_Send    send 1
        1   0..5     MPI_Irecv   irecv_request #1
        1   25..45   MPI_Wait    irecv 0 #1
    """)
    assert run_query("late_sender", tables, WAIT) == [(1, 25, 15)]


@pytest.mark.parametrize(
    ("call", "waits"),
    [
        ("MPI_Recv", 1),
        ("MPI_Wait", 1),
        ("MPI_Waitany", 1),
        ("MPI_Waitall", 1),
        ("MPI_Waitsome", 1),
        ("MPI_Sendrecv", 1),
        ("MPI_Sendrecv_replace", 1),
        ("MPI_Mrecv", 1),
        ("MPI_Request_get_status", 1),
        ("main_without_mpi", 1),
        ("MPI_Test", 0),
        ("MPI_Testany", 0),
        ("MPI_Testall", 0),
        ("mpi_testsome_", 0),
    ],
)
def test_every_call_except_tests_of_requests_waits(run_query, trace, call, waits):
    tables = trace(f"""
        0   30..50   MPI_Send   send 1
        1   10..42   {call}     recv 0
    """)
    assert len(run_query("late_sender", tables)) == waits


# Three messages complete in one Waitall: it waits once, for the latest (80 - 10), not for all.
#
#            0    10   20   30   40   50   60   70   80   90
# rank 0               [send]
# rank 2                              [send]
# rank 3                                        [send]
# rank 1          [waitall.............................]
def test_waitall_waits_for_the_longest_awaited_message_only(run_query, trace):
    tables = trace("""
        0   20..30   MPI_Send      send 1
        2   60..70   MPI_Send      send 1
        3   80..85   MPI_Send      send 1
        1   0..5     MPI_Irecv     irecv_request #1; irecv_request #2; irecv_request #3
        1   10..90   MPI_Waitall   irecv 0 #1; irecv 3 #3; irecv 2 #2
    """)
    assert run_query("late_sender", tables, f"{WAIT} cause_location_id") == [(1, 10, 70, 3)]


# Both messages are awaited equally long: the first one received stands for the call.
@pytest.mark.parametrize(("first", "second"), [(0, 2), (2, 0)])
def test_the_first_of_equally_late_messages_represents_the_call(run_query, trace, first, second):
    tables = trace(f"""
        0   60..70   MPI_Send      send 1
        2   60..70   MPI_Send      send 1
        1   0..5     MPI_Irecv     irecv_request #0; irecv_request #2
        1   10..90   MPI_Waitall   irecv {first} #{first}; irecv {second} #{second}
    """)
    assert run_query("late_sender", tables, "wait_ns cause_location_id") == [(50, first)]


@pytest.mark.parametrize(("length", "is_synchronization"), [(0, True), (1, False)])
def test_a_message_without_data_synchronizes(run_query, trace, length, is_synchronization):
    tables = trace(f"""
        0   30..50   MPI_Send   send 1 bytes {length}
        1   10..42   MPI_Recv   recv 0 bytes {length}
    """)
    assert run_query("late_sender", tables, "is_synchronization") == [(is_synchronization,)]


# One send of the channel is not received in the trace: the pairing may be shifted.
def test_an_incomplete_channel_lowers_confidence(run_query, trace):
    tables = trace("""
        0   30..50   MPI_Send   send 1 tag 1
        0   60..70   MPI_Send   send 1 tag 1
        0   80..90   MPI_Send   send 1 tag 2
        1   10..42   MPI_Recv   recv 0 tag 1
        1   70..95   MPI_Recv   recv 0 tag 2
    """)
    assert run_query("late_sender", tables, "start_ns confidence") == [(10, 75), (70, 100)]


@pytest.fixture
def wrong_order(run_query):
    """Begin, duration and property of the waits of a trace as text."""
    return lambda text: run_query("late_sender", text, ORDER)


# --- Wrong order ---------------------------------------------------------------------------------


# The message sent first is already there, but the one sent at 33 is received first.
#
#            0    10   20   30   40   50
# rank 0     [send]         [send]
# rank 1          [receive......] [receive]
#                  second          first
@pytest.mark.parametrize(
    ("first_send", "first_receive", "found"),
    [
        ("0     5..8   MPI_Send   send 1", "MPI_Recv   recv 0", "mpi_lswo_same"),
        ("0     5..8   MPI_Send   send 1", "MPI_Test   recv 0", "mpi_lswo_same"),
        ("2     5..8   MPI_Send   send 1", "MPI_Recv   recv 2", "mpi_lswo_different"),
        # Two threads of one process are the same sender.
        ("0.1   5..8   MPI_Send   send 1", "MPI_Recv   recv 0", "mpi_lswo_same"),
        # The ranks are others in communicator 1, but the process is the same.
        ("0     5..8   MPI_Send   send 1 comm 1", "MPI_Recv   recv 0 comm 1", "mpi_lswo_same"),
        # The time of sending decides, not the begin of the call.
        ("2   31..36   MPI_Send   send 1 @32", "MPI_Recv   recv 2", "mpi_lswo_different"),
        # Sent at the same time: not older.
        ("2   31..36   MPI_Send   send 1 @33", "MPI_Recv   recv 2", "mpi_latesender"),
    ],
)
def test_waiting_while_an_older_message_is_available_is_wrong_order(
    run_query, trace, first_send, first_receive, found
):
    text = f"""
        {first_send} tag 1
        0   30..35   MPI_Send   send 1 tag 2 @33
        1   10..40   MPI_Recv   recv 0 tag 2
        1   45..50   {first_receive} tag 1
    """
    assert run_query("late_sender", trace(text, comm1=[1, 0]), ORDER) == [(10, 20, found)]


# Several later messages were sent earlier: the first of them decides, here that of rank 2.
#
# received   sent at 50 (from 0)   at 30 (from 2)   at 10 (from 0)
def test_the_first_older_message_decides(wrong_order):
    assert wrong_order("""
        0   10..12   MPI_Send   send 1 tag 1
        2   30..32   MPI_Send   send 1
        0   50..52   MPI_Send   send 1 tag 2
        1   20..60   MPI_Recv   recv 0 tag 2
        1   70..75   MPI_Recv   recv 2
        1   80..85   MPI_Recv   recv 0 tag 1
    """) == [(20, 30, "mpi_lswo_different")]


# The example of the query: 50 is marked by 30, the waits for 30 and 40 by 10.
def test_one_message_may_mark_several_waits(run_query, trace):
    tables = trace("""
        0   10..12     MPI_Send   send 1 tag 1
        2   30..32     MPI_Send   send 1 tag 3
        0   40..42     MPI_Send   send 1 tag 4
        0   50..52     MPI_Send   send 1 tag 5
        1   0..60      MPI_Recv   recv 0 tag 5
        1   0..60      MPI_Wait   recv 2 tag 3
        1   0..60      MPI_Wait   recv 0 tag 4
        1   80..85     MPI_Recv   recv 0 tag 1
    """)
    assert run_query("late_sender", tables, "wait_ns property") == [
        (50, "mpi_lswo_different"),
        (30, "mpi_lswo_different"),
        (40, "mpi_lswo_same"),
    ]


# In one Waitall the messages of 60 and 20 complete: they do not mark each other.
def test_messages_of_one_call_never_mark_each_other(wrong_order):
    assert wrong_order("""
        0   60..70   MPI_Send      send 1
        2   20..30   MPI_Send      send 1
        1   0..5     MPI_Irecv     irecv_request #1; irecv_request #2
        1   10..90   MPI_Waitall   irecv 0 #1; irecv 2 #2
    """) == [(10, 50, "mpi_latesender")]


# A Waitall is awaited as its longest awaited message (of 60): the message of 40 received next is
# older than that, though younger than the other message of the call (of 20).
def test_a_waitall_is_marked_as_its_longest_awaited_message(wrong_order):
    assert wrong_order("""
        0   60..70     MPI_Send      send 1
        2   20..30     MPI_Send      send 1 tag 1
        2   40..45     MPI_Send      send 1 tag 2
        1   0..5       MPI_Irecv     irecv_request #1; irecv_request #2
        1   10..90     MPI_Waitall   irecv 0 #1; irecv 2 tag 1 #2
        1   95..100    MPI_Recv      recv 2 tag 2
    """) == [(10, 50, "mpi_lswo_different")]


# Every message of a Waitall may mark an earlier wait, also one that itself was not waited for.
def test_any_message_of_a_waitall_marks_earlier_waits(wrong_order):
    assert wrong_order("""
        0   30..35     MPI_Send      send 1 tag 2
        0   5..8       MPI_Send      send 1 tag 1
        2   80..85     MPI_Send      send 1
        1   0..1       MPI_Irecv     irecv_request #1; irecv_request #2
        1   10..40     MPI_Recv      recv 0 tag 2
        1   50..90     MPI_Waitall   irecv 2 #2; irecv 0 tag 1 #1
    """) == [(50, 30, "mpi_latesender"), (10, 20, "mpi_lswo_same")]


# Receives of another thread of the process do not matter.
def test_only_later_receives_of_the_same_location_count(wrong_order):
    assert wrong_order("""
        0     5..8     MPI_Send   send 1 tag 1
        0     30..35   MPI_Send   send 1 tag 2
        0     60..62   MPI_Send   send 1 tag 3
        1     10..40   MPI_Recv   recv 0 tag 2
        1.1   0..5     MPI_Init
        1.1   45..48   MPI_Recv   recv 0 tag 1
        1.1   50..65   MPI_Recv   recv 0 tag 3
    """) == [(10, 20, "mpi_latesender"), (50, 10, "mpi_latesender")]


# Three waits. The first two are still unmarked when the third is remembered. Then a message
# arrives that was sent before all of them.
@pytest.mark.parametrize(
    ("remembered_waits", "properties"),
    [
        (1, ["mpi_latesender", "mpi_latesender", "mpi_lswo_same"]),
        (2, ["mpi_latesender", "mpi_lswo_same", "mpi_lswo_same"]),
        (3, ["mpi_lswo_same", "mpi_lswo_same", "mpi_lswo_same"]),
        (0, ["mpi_lswo_same", "mpi_lswo_same", "mpi_lswo_same"]),
    ],
)
def test_a_location_may_remember_only_its_last_unmarked_waits(
    run_query, trace, remembered_waits, properties
):
    tables = trace("""
        0   1..5     MPI_Send   send 1 tag 9
        0   20..22   MPI_Send   send 1
        0   40..42   MPI_Send   send 1
        0   60..62   MPI_Send   send 1
        1   10..25   MPI_Recv   recv 0
        1   30..45   MPI_Recv   recv 0
        1   50..65   MPI_Recv   recv 0
        1   70..75   MPI_Recv   recv 0 tag 9
    """)
    found = run_query("late_sender", tables, "property", remembered_waits=remembered_waits)
    assert found == [(name,) for name in properties]


# A marked wait makes room: 60 is marked by 50 before 50 itself is remembered, 50 by 30 before 80
# is. So one place suffices.
#
# sent at   60   50   30   80   10
def test_a_marked_wait_no_longer_needs_to_be_remembered(run_query, trace):
    tables = trace("""
        0   10..12   MPI_Send   send 1 tag 1
        0   30..32   MPI_Send   send 1 tag 3
        0   50..52   MPI_Send   send 1 tag 5
        0   60..62   MPI_Send   send 1 tag 6
        0   80..82   MPI_Send   send 1 tag 8
        1   20..65   MPI_Recv   recv 0 tag 6
        1   20..66   MPI_Wait   recv 0 tag 5
        1   67..68   MPI_Recv   recv 0 tag 3
        1   70..85   MPI_Recv   recv 0 tag 8
        1   86..87   MPI_Recv   recv 0 tag 1
    """)
    found = run_query("late_sender", tables, "wait_ns property", remembered_waits=1)
    assert found == [(40, "mpi_lswo_same"), (30, "mpi_lswo_same"), (10, "mpi_lswo_same")]


# Like the reference, a location remembers its last hundred waits, by default.
@pytest.mark.parametrize(("chosen", "forgotten"), [({}, 60), ({"remembered_waits": 0}, 0)])
def test_only_the_latest_waits_are_remembered(run_query, trace, chosen, forgotten):
    waits = "".join(
        f"0 {start + 5}..{start + 8} MPI_Send send 1\n1 {start}..{start + 9} MPI_Recv recv 0\n"
        for start in range(100, 1700, 10)
    )
    tables = trace(f"""
        0   50..52       MPI_Send   send 1 tag 9
        {waits}
        1   2000..2010   MPI_Recv   recv 0 tag 9
    """)
    found = run_query("late_sender", tables, "property", **chosen)
    assert found == [("mpi_latesender",)] * forgotten + [("mpi_lswo_same",)] * (160 - forgotten)
