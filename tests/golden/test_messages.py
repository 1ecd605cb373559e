"""Messages: matching of sends and receives, and the four times of each."""

import pytest

CHANNEL = "sender_group_id receiver_group_id tag ordinal"


#           0   10   20   30   40   50   60
# rank 0                   [send     ]
# rank 1        [receive        ]
def test_a_blocking_message_has_one_call_at_each_end(run_query, trace):
    tables = trace("""
        0   30..50   MPI_Send   send 1 tag 5 bytes 24 @31
        1   10..40   MPI_Recv   recv 0 tag 5 bytes 24 @39
    """)
    columns = (
        "message_id sender_location_id receiver_location_id bytes send_ns receive_ns "
        "send_post_enter_ns send_completion_leave_ns receive_post_enter_ns "
        "receive_completion_leave_ns is_clock_violation"
    )
    assert run_query("messages", tables, columns) == [(0, 0, 1, 24, 31, 39, 30, 50, 10, 40, False)]


#           0   10   20   30   40   50   60   70
# rank 0   [isend]       [wait          ]
# rank 1             [irecv]       [wait     ]
def test_a_nonblocking_message_has_four_calls(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Isend   isend 1 #7
        0   25..45   MPI_Wait    isend_complete #7
        1   15..20   MPI_Irecv   irecv_request #3
        1   40..60   MPI_Wait    irecv 0 #3
    """)
    enters = "send_post_enter_ns send_completion_enter_ns receive_post_enter_ns "
    leaves = "receive_completion_enter_ns send_post_leave_ns send_completion_leave_ns "
    columns = enters + leaves + "receive_post_leave_ns receive_completion_leave_ns"
    assert run_query("messages", tables, columns) == [(0, 25, 15, 40, 5, 45, 20, 60)]


# Two receives of one channel complete in the other order than they were posted:
#
# rank 0   [isend 8 bytes] [isend 16 bytes]
# rank 1   [irecv #1] [irecv #2]      [wait #2]  [wait #1]
#              └── meets 8 bytes ────────────────────┘
def test_receives_meet_sends_in_the_order_in_which_they_were_posted(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send    send 1 bytes 8
        0   10..15   MPI_Send    send 1 bytes 16
        1   0..5     MPI_Irecv   irecv_request #1
        1   10..15   MPI_Irecv   irecv_request #2
        1   20..30   MPI_Wait    irecv 0 #2
        1   40..50   MPI_Wait    irecv 0 #1
    """)
    assert run_query("messages", tables, "ordinal bytes receive_ns") == [(0, 8, 50), (1, 16, 30)]


def test_tags_communicators_and_directions_are_separate_channels(run_query, trace):
    tables = trace(
        """
        0   0..5     MPI_Send   send 1 tag 1
        0   10..15   MPI_Send   send 1 tag 2
        0   20..25   MPI_Send   send 1 tag 1 comm 1
        0   30..35   MPI_Recv   recv 1 tag 1
        1   40..45   MPI_Recv   recv 0 tag 1 comm 1
        1   50..55   MPI_Recv   recv 0 tag 2
        1   60..65   MPI_Recv   recv 0 tag 1
        1   70..75   MPI_Send   send 0 tag 1
        """,
        comm1=[1, 0],
    )
    columns = f"communicator_id {CHANNEL} send_ns receive_ns"
    assert run_query("messages", tables, columns) == [
        (0, 0, 1, 1, 0, 0, 65),
        (0, 0, 1, 2, 0, 10, 55),
        (0, 1, 0, 1, 0, 70, 35),
        (1, 0, 1, 1, 0, 20, 45),
    ]


# Both threads of process 0 send to process 1: one channel, in order of time.
def test_a_channel_lies_between_processes_not_threads(run_query, trace):
    tables = trace("""
        0     10..15   MPI_Send   send 1 bytes 2
        0.1   0..5     MPI_Send   send 1 bytes 1
        0.1   20..25   MPI_Send   send 1 bytes 3
        1     30..35   MPI_Recv   recv 0
        1     40..45   MPI_Recv   recv 0
        1     50..55   MPI_Recv   recv 0
    """)
    assert run_query("messages", tables, "ordinal sender_location_id bytes receive_ns") == [
        (0, 1, 1, 35),
        (1, 0, 2, 45),
        (2, 1, 3, 55),
    ]


def test_sends_at_the_same_time_are_ordered_by_location_then_by_record(run_query, trace):
    tables = trace("""
        0     10..15   MPI_Isend   isend 1 #1 bytes 1; isend 1 #2 bytes 2
        0.1   10..15   MPI_Send    send 1 bytes 3
    """)
    assert run_query("unmatched_messages", tables, "ordinal bytes") == [(0, 1), (1, 2), (2, 3)]


# Location 0   isend 7   complete 7   isend 7   complete 7
# Location 1   isend 7                isend 7   complete 7
# Location 2   isend 7
def test_a_completion_belongs_to_the_last_post_of_its_request_at_its_location(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Isend   isend 1 #7
        0   10..15   MPI_Wait    isend_complete #7
        0   20..25   MPI_Isend   isend 1 #7
        0   30..35   MPI_Wait    isend_complete #7
        1   0..5     MPI_Isend   isend 2 #7
        1   20..25   MPI_Isend   isend 2 #7
        1   30..35   MPI_Wait    isend_complete #7
        2   10..15   MPI_Isend   isend 0 #7
        1   40..45   MPI_Recv    recv 0; recv 0
        2   40..45   MPI_Recv    recv 1; recv 1
        0   40..45   MPI_Recv    recv 2
    """)
    columns = "sender_location_id send_post_enter_ns send_completion_enter_ns"
    assert run_query("messages", tables, columns) == [
        (0, 0, 10),
        (0, 20, 30),
        (1, 0, None),
        (1, 20, 30),
        (2, 10, None),
    ]
    assert run_query("location_messages", tables, "location_id incomplete_send_count") == [
        (0, 0),
        (1, 1),
        (2, 1),
    ]


# A cancelled send was never sent, and a cancelled receive receives nothing.
def test_cancelled_requests_take_no_place_on_their_channel(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Isend   isend 1 #7 bytes 1
        0   10..15   MPI_Wait    request_cancelled #7
        0   20..25   MPI_Isend   isend 1 #7 bytes 2
        0   30..35   MPI_Wait    isend_complete #7
        1   0..5     MPI_Irecv   irecv_request #7
        1   10..15   MPI_Wait    request_cancelled #7
        1   20..25   MPI_Irecv   irecv_request #7
        1   30..35   MPI_Wait    irecv 0 #7
    """)
    columns = "ordinal bytes send_post_enter_ns receive_post_enter_ns"
    assert run_query("messages", tables, columns) == [(0, 2, 20, 20)]


# The requests are posted at the same time; their records still have an order.
def test_receives_posted_at_the_same_time_are_ordered_by_record(run_query, trace):
    tables = trace("""
        1   0..5     MPI_Startall   irecv_request #1; irecv_request #2
        1   20..30   MPI_Wait       irecv 0 #2 bytes 2
        1   40..50   MPI_Wait       irecv 0 #1 bytes 1
    """)
    assert run_query("unmatched_messages", tables, "ordinal bytes") == [(0, 1), (1, 2)]


#     irecv 7   complete 7   complete 7        irecv 7   cancelled 7   complete 7
#     └── belong together    no request                  └───── no request ─────┘
def test_a_request_completes_once(run_query, trace):
    tables = trace("""
        1   0..5     MPI_Irecv   irecv_request #7
        1   10..15   MPI_Wait    irecv 0 #7
        1   20..25   MPI_Wait    irecv 0 #7
        1   30..35   MPI_Irecv   irecv_request #7
        1   40..45   MPI_Wait    request_cancelled #7
        1   50..55   MPI_Wait    irecv 0 #7
        0   0..5     MPI_Send    send 1; send 1; send 1
    """)
    columns = "receive_completion_enter_ns receive_post_enter_ns receive_post_leave_ns"
    assert run_query("messages", tables, columns) == [
        (10, 0, 5),
        (20, None, None),
        (50, None, None),
    ]
    assert run_query("location_messages", tables) == [(1, 3, 2, 0)]


# A receive without request keeps its place by its completion; the posting call is unknown.
def test_a_receive_without_request_is_matched(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send   send 1 bytes 1
        0   10..15   MPI_Send   send 1 bytes 2
        1   20..25   MPI_Wait   irecv 0 #7
        1   30..35   MPI_Recv   recv 0
    """)
    columns = "bytes receive_post_enter_ns receive_completion_enter_ns"
    assert run_query("messages", tables, columns) == [(1, None, 20), (2, 30, 30)]


def test_records_outside_any_call_are_matched_without_a_call(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send   send 1
        1   10..15   MPI_Recv   recv 0
    """)
    outside = {"visit_id": None, "call_path_id": None, "enter_ns": None, "leave_ns": None}
    tables["mpi_operations"][1] |= outside
    columns = "send_post_enter_ns receive_post_enter_ns receive_ns"
    assert run_query("messages", tables, columns) == [(0, None, 15)]


# Rank 1 sends twice and rank 0 receives once; rank 0 waits for a message that is never sent.
def test_unmatched_records_have_a_table_of_their_own(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Recv   recv 1 tag 1
        0   10..15   MPI_Recv   recv 1 tag 9
        1   0..5     MPI_Send   send 0 tag 1
        1   20..25   MPI_Send   send 0 tag 1 bytes 64
    """)
    assert run_query("messages", tables, CHANNEL) == [(1, 0, 1, 0)]
    columns = f"side {CHANNEL} location_id time_ns bytes"
    assert run_query("unmatched_messages", tables, columns) == [
        ("send", 1, 0, 1, 1, 1, 20, 64),
        ("receive", 1, 0, 9, 0, 0, 15, 8),
    ]


def test_a_send_to_an_unknown_rank_is_on_no_channel(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send   send ?
        0   10..15   MPI_Send   send 1
        1   20..25   MPI_Recv   recv 0
    """)
    assert run_query("messages", tables, "ordinal send_ns") == [(0, 10)]


@pytest.mark.parametrize(("received_at", "is_violation"), [(11, False), (10, False), (9, True)])
def test_a_message_received_before_it_was_sent_shows_that_clocks_disagree(
    run_query, trace, received_at, is_violation
):
    tables = trace(f"""
        0   5..15   MPI_Send   send 1 @10
        1   0..20   MPI_Recv   recv 0 @{received_at}
    """)
    assert run_query("messages", tables, "is_clock_violation") == [(is_violation,)]


# The probe takes the first message off the channel, the plain receive gets the second:
#
# rank 1   [mprobe: probe 3]   [recv]   [imrecv: request 8]   [wait]
def test_a_matched_probe_holds_the_place_of_its_receive(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send     send 1 tag 4 bytes 1
        0   5..9     MPI_Send     send 1 tag 4 bytes 2
        1   10..15   MPI_Mprobe   probe 0 tag 4 probe 3
        1   20..25   MPI_Recv     recv 0 tag 4 bytes 2
        1   30..35   MPI_Imrecv   imrecv_request probe 3 #8
        1   40..45   MPI_Wait     imrecv #8 bytes 1
    """)
    columns = "ordinal bytes receive_post_enter_ns receive_completion_enter_ns"
    assert run_query("messages", tables, columns) == [(0, 1, 30, 40), (1, 2, 20, 20)]


# One thread probes, another receives; the id is used again for a message of another tag.
def test_a_probe_may_be_received_by_another_thread(run_query, trace):
    tables = trace("""
        0     0..5     MPI_Send     send 1 tag 4; send 1 tag 6
        1     10..15   MPI_Mprobe   probe 0 tag 4 probe 3
        1.1   20..25   MPI_Mrecv    mrecv probe 3
        1     30..35   MPI_Mprobe   probe 0 tag 6 probe 3
        1     40..45   MPI_Mrecv    mrecv probe 3
    """)
    assert run_query("messages", tables, "tag receiver_location_id receive_ns") == [
        (4, 2, 25),
        (6, 1, 45),
    ]


def test_a_plain_probe_receives_nothing(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send    send 1
        1   10..15   MPI_Probe   probe 0
    """)
    assert run_query("messages", tables) == []
    assert run_query("unmatched_messages", tables, "side") == [("send",)]


def test_the_matrix_counts_messages_in_each_direction(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Send   send 1 bytes 10
        0   10..15   MPI_Send   send 1 bytes 20 tag 1
        0   20..25   MPI_Send   send 1 bytes 99 tag 7
        0   30..35   MPI_Recv   recv 1
        1   40..45   MPI_Recv   recv 0
        1   50..55   MPI_Recv   recv 0 tag 1
        1   60..65   MPI_Send   send 0 bytes 0
    """)
    assert run_query("communication_matrix", tables) == [(0, 1, 2, 30), (1, 0, 1, 0)]


def test_sizes_fall_into_classes_of_powers_of_two(run_query):
    lengths = [0, 1, 2, 3, 4, 1023, 1024, 2**49 - 1, 2**49, 2**49]
    messages = [{"bytes": length} for length in lengths]
    assert run_query("message_sizes", {"messages": messages}) == [
        (0, 0, 1, 0),
        (1, 1, 1, 1),
        (2, 3, 2, 2 + 3),
        (4, 7, 1, 4),
        (512, 1023, 1, 1023),
        (1024, 2047, 1, 1024),
        (2**48, 2**49 - 1, 1, 2**49 - 1),
        (2**49, 2**50 - 1, 2, 2**49 + 2**49),
    ]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("MPI_Waitall", "mpi_waitall"),
        ("PMPI_Waitall", "mpi_waitall"),
        ("mpi_waitall_", "mpi_waitall"),
        ("MPI_WAITALL", "mpi_waitall"),
        ("mpi_waitall__", "mpi_waitall"),
        ("MPI_Waitall_f08", "mpi_waitall"),
        ("pmpi_waitall_f08ts_", "mpi_waitall"),
        ("MPI_Send_c", "mpi_send"),
        ("MPI_File_write_at", "mpi_file_write_at"),
    ],
)
def test_a_call_is_recognized_in_any_binding(run_query, name, call):
    tables = {"regions": [{"region_id": 4, "name": name}]}
    assert run_query("mpi_calls", tables, "region_id call") == [(4, call)]


# Procedures that MPI 4.0 calls local and not, each half of them with a similar name.
LOCAL = """
    MPI_Comm_rank MPI_Comm_size MPI_Comm_get_attr MPI_Comm_set_errhandler MPI_Wtime MPI_Initialized
    MPI_Get_processor_name MPI_Get_count MPI_Get_elements_x MPI_Group_incl MPI_Type_commit
    MPI_Cart_coords MPI_Dims_create MPI_Status_set_elements MPI_Graph_neighbors_count
"""
COMMUNICATING = """
    MPI_Comm_split MPI_Comm_dup MPI_Comm_create_group MPI_Comm_free MPI_Wait MPI_Init MPI_Finalize
    MPI_Get MPI_Get_accumulate MPI_Cart_create MPI_Cart_sub MPI_Graph_create MPI_Testall
"""


@pytest.mark.parametrize(("names", "is_local"), [(LOCAL, True), (COMMUNICATING, False)])
def test_local_calls_are_marked(run_query, names, is_local):
    regions = [{"region_id": n, "name": name} for n, name in enumerate(names.split())]
    found = run_query("mpi_calls", {"regions": regions}, "region_id is_local")
    assert found == [(number, is_local) for number in range(len(regions))]


def test_user_functions_are_no_mpi_calls(run_query):
    names = ["main", "my_MPI_Send", "MPIX_Send", "ompi_wait", "MPI Rank 0"]
    regions = [{"region_id": number, "name": name} for number, name in enumerate(names)]
    assert run_query("mpi_calls", {"regions": regions}) == []


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("MPI_Send", "standard"),
        ("MPI_Isendrecv_replace", "standard"),
        ("MPI_Send_init", "standard"),
        ("MPI_Issend", "synchronous"),
        ("mpi_ssend_init_", "synchronous"),
        ("MPI_Ibsend", "buffered"),
        ("MPI_Rsend_c", "ready"),
        ("MPI_Recv", None),
        ("MPI_Start", None),
    ],
)
def test_modes_of_sends_follow_from_names(run_query, name, mode):
    found = run_query("mpi_calls", {"regions": [{"name": name}]}, "send_mode")
    assert found == [(mode,)]


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        ("MPI_Ssend_init MPI_Recv_init", "synchronous"),
        ("MPI_Ssend_init MPI_Send_init", "standard"),
        ("MPI_Bsend_init", "buffered"),
        # No call of the trace prepares a send.
        ("MPI_Recv_init MPI_Ssend", "standard"),
    ],
)
def test_started_sends_have_the_mode_in_which_all_are_prepared(run_query, names, mode):
    names = ["MPI_Start", *names.split()]
    tables = {
        "regions": [{"region_id": number, "name": name} for number, name in enumerate(names)],
        "call_paths": [
            {"call_path_id": number, "region_id": number} for number in range(len(names))
        ],
    }
    assert run_query("mpi_call_paths", tables, "send_mode")[0] == (mode,)


@pytest.mark.parametrize(
    ("name", "role", "is_of_files"),
    [
        ("MPI_Win_allocate_shared", "create", False),
        ("mpi_win_fence_", "fence", False),
        ("MPI_Win_lock_all", "lock", False),
        ("MPI_Win_flush_local", "flush", False),
        ("MPI_Rget_accumulate", "access", False),
        ("MPI_Win_test", None, False),
        ("MPI_Win_get_group", None, False),
        ("MPI_File_open", None, True),
        ("MPI_File_iwrite_at_all", None, True),
        ("MPI_File_read_ordered_begin", None, True),
        ("MPI_File_write_at", None, False),
    ],
)
def test_calls_on_windows_and_files_are_marked(run_query, name, role, is_of_files):
    found = run_query(
        "mpi_calls", {"regions": [{"name": name}]}, "one_sided_role is_collective_file_call"
    )
    assert found == [(role, is_of_files)]
