"""Missing, damaged and uncertain parts of a trace."""

import pytest

from tracemill.schemas.matching import QUALITY_KINDS

FINDING = "kind location_id count time_ns"


@pytest.fixture
def quality(run_query):
    """The findings about given tables, or a trace as text."""
    return lambda tables: run_query("trace_quality", tables, FINDING)


def test_a_sound_trace_has_nothing_to_report(quality):
    found = quality("""
        0   0..5     MPI_Init
        0   10..15   MPI_Isend       isend 1 #1
        0   20..25   MPI_Wait        isend_complete #1
        0   30..35   MPI_Barrier     collective barrier
        0   40..45   MPI_Finalize
        1   0..5     MPI_Init
        1   10..15   MPI_Irecv       irecv_request #1
        1   20..25   MPI_Wait        irecv 0 #1
        1   30..35   MPI_Barrier     collective barrier
        1   40..45   MPI_Finalize
    """)
    assert found == []


def test_messages_without_partner_are_counted_at_their_location(quality):
    assert quality("""
        0   0..5     MPI_Send   send 1 tag 1
        0   10..15   MPI_Send   send 1 tag 1
        1   0..5     MPI_Recv   recv 0 tag 2
    """) == [("unmatched_receive", 1, 1, None), ("unmatched_send", 0, 2, None)]


def test_messages_of_unknown_processes_are_unmatched(quality):
    assert quality("""
        0   0..5     MPI_Send    send ?
        0   10..15   MPI_Send    send 1
        1   0..5     MPI_Recv    recv ?
        1   10..15   MPI_Mrecv   mrecv probe 9
    """) == [("unmatched_receive", 1, 2, None), ("unmatched_send", 0, 2, None)]


# The send of rank 0 never completes; rank 1 completes a receive that it did not post, and posts
# one that it does not complete.
def test_halves_of_nonblocking_messages_are_counted(quality):
    assert quality("""
        0   0..5     MPI_Isend   isend 1 #1
        1   0..5     MPI_Irecv   irecv_request #1
        1   10..15   MPI_Wait    irecv 0 #2
    """) == [
        ("receive_without_request", 1, 1, None),
        ("request_without_completion", 1, 1, None),
        ("send_without_completion", 0, 1, None),
    ]


#     irecv 7   irecv 7   complete 7   irecv 7   cancelled 7
#     open      └── completed ──┘      └── cancelled ──┘
def test_a_request_is_open_if_its_id_is_used_again_before_it_completes(quality):
    assert quality("""
        0   0..5     MPI_Send    send 1
        1   0..5     MPI_Irecv   irecv_request #7
        1   10..15   MPI_Irecv   irecv_request #7
        1   20..25   MPI_Wait    irecv 0 #7
        1   30..35   MPI_Irecv   irecv_request #7
        1   40..45   MPI_Wait    request_cancelled #7
    """) == [("cancelled_request", 1, 1, None), ("request_without_completion", 1, 1, None)]


# A receive was never completed. Another one is on no channel: its sender, or its probe, is unknown.
@pytest.mark.parametrize(
    ("start", "completion"),
    [("irecv_request #7", "irecv ? #8"), ("imrecv_request probe 1 #7", "imrecv #8")],
)
def test_an_open_request_is_found_if_the_sender_is_unknown(quality, start, completion):
    assert quality(f"""
        0   0..5     MPI_Send     send 1
        1   0..5     MPI_Mprobe   probe 0 probe 1
        1   6..8     MPI_Irecv    {start}
        1   10..15   MPI_Wait     {completion}
    """) == [
        ("request_without_completion", 1, 1, None),
        ("unmatched_receive", 1, 1, None),
        ("unmatched_send", 0, 1, None),
    ]


def test_a_started_collective_that_never_completes_is_an_open_request(quality, trace):
    tables = trace("0   0..5   MPI_Ibarrier   nonblocking_collective_request #1")
    assert quality(tables) == [("request_without_completion", 0, 1, None)]


def test_a_cancelled_send_is_no_send_without_completion(quality):
    assert quality("""
        0   0..5     MPI_Isend   isend 1 #1
        0   10..15   MPI_Wait    request_cancelled #1
    """) == [("cancelled_request", 0, 1, None)]


def test_incomplete_collectives_are_counted_separately(quality):
    assert quality("""
        0   0..5     MPI_Bcast     collective bcast root 0
        0   10..15   MPI_Barrier   collective barrier
        0   20..25   MPI_Barrier   collective barrier
        1   0..5     MPI_Bcast     collective bcast root 1
    """) == [("inconsistent_collective", None, 1, None), ("partial_collective", None, 2, None)]


@pytest.mark.parametrize(
    ("location", "finding"),
    [
        ({"declared_count": 10, "record_count": 7}, ("missing_records", 0, 3, None)),
        ({"declared_count": 10, "record_count": 0}, ("missing_location", 0, 10, None)),
        ({"declared_count": 10, "record_count": 10}, ("missing_records", 0, 1, None)),
    ],
)
def test_unread_records_are_counted(quality, location, finding):
    tables = {"locations": [{"is_complete": False} | location]}
    assert quality(tables) == [finding]


# Definitions may announce any number of records; the file is whole.
def test_a_whole_location_lacks_nothing_whatever_is_announced(quality):
    location = {"declared_count": 10, "record_count": 7, "is_complete": True}
    assert quality({"locations": [location]}) == []


def test_findings_of_the_reader_are_listed(quality):
    tables = {
        "locations": [{"declared_count": 10, "record_count": 7}],
        "reading_findings": [
            {"kind": "buffer_flush", "location_id": 0, "count": 2, "time_ns": 500},
            {"kind": "unknown_record", "location_id": None, "count": 4},
            {"kind": "missing_records", "location_id": 0, "count": 4},
        ],
    }
    # The reader counted what is missing itself, so it is not counted again.
    assert quality(tables) == [
        ("buffer_flush", 0, 2, 500),
        ("missing_records", 0, 4, None),
        ("unknown_record", None, 4, None),
    ]


def test_every_kind_is_explained(run_query):
    kinds = [{"kind": kind, "location_id": 0, "count": 1} for kind in QUALITY_KINDS]
    found = run_query("trace_quality", {"reading_findings": kinds}, "kind detail")
    assert [kind for kind, _ in found] == sorted(QUALITY_KINDS)
    assert all(detail.endswith(".") for _, detail in found)


# Lost data was recorded, but is in no table: it could not be read, or is of an unknown kind. Data
# that was never recorded, or contradicts itself, is no loss.
def test_a_loss_is_recorded_but_not_in_the_tables(run_query):
    kinds = [{"kind": kind, "location_id": 0, "count": 1} for kind in QUALITY_KINDS]
    found = run_query("trace_quality", {"reading_findings": kinds}, "kind is_loss")
    assert {kind for kind, is_loss in found if is_loss} == {
        "missing_records", "missing_location", "unreadable_row", "cut_input", "unknown_record",
        "dropped_attribute",
    }  # fmt: skip


# --- Clock violations ----------------------------------------------------------------------------


# The receive ended at 30, but its message was sent from 40 on: 10 are cut off its wait.
def test_a_message_received_before_it_was_sent_is_cut(quality):
    assert quality("""
        0   40..50   MPI_Send   send 1
        1   10..30   MPI_Recv   recv 0
    """) == [("clock_violation", 1, 1, 10)]


# Only the records contradict each other: the call lasts long enough.
def test_a_violation_may_cut_nothing(quality):
    assert quality("""
        0   20..50   MPI_Send   send 1 @25
        1   10..30   MPI_Recv   recv 0 @24
    """) == [("clock_violation", 1, 1, 0)]


# Rank 2 enters the barrier at 50, when the others have left it (at 20 and 45).
def test_leaving_a_barrier_before_the_last_entry_is_a_violation(quality):
    assert quality("""
        0   0..20    MPI_Barrier   collective barrier
        1   0..45    MPI_Barrier   collective barrier
        2   50..60   MPI_Barrier   collective barrier
    """) == [("clock_violation", 0, 1, 30), ("clock_violation", 1, 1, 5)]


# In each operation rank 1 ends (at 20) before rank 0 begins (at 50).
@pytest.mark.parametrize(
    ("first", "second", "violations"),
    [
        ("bcast root 0 sent 8", "bcast root 0 received 8", 1),
        ("bcast root 0 sent 0", "bcast root 0 received 8", 0),
        ("bcast root 0 sent 8", "bcast root 0 received 0", 0),
        ("bcast root 1 received 8", "bcast root 1 sent 8", 0),
        ("reduce root 1 sent 8", "reduce root 1 received 8", 1),
        ("reduce root 0 received 8", "reduce root 0 sent 8", 0),
        ("allreduce sent 8 received 8", "allreduce sent 8 received 8", 1),
        ("allgatherv sent 0 received 8", "allgatherv sent 8 received 8", 0),
        ("scan sent 8 received 8", "scan sent 8 received 8", 0),
        ("bcast root 0 sent 8", "bcast root 1 received 8", 0),
    ],
)
def test_only_waiting_members_can_end_too_early(run_query, trace, first, second, violations):
    tables = trace(f"""
        0   50..60   MPI_Collective   collective {first}
        1   0..20    MPI_Collective   collective {second}
    """)
    found = run_query("clock_violations", tables, "location_id violation_count clipped_ns")
    assert found == [(1, 1, 30)] * violations


@pytest.mark.parametrize("call", ["MPI_Init", "MPI_Init_thread", "mpi_finalize_"])
def test_all_processes_are_in_init_and_in_finalize_together(quality, call):
    assert quality(f"""
        0   0..10    {call}
        1   25..40   {call}
    """) == [("clock_violation", 0, 1, 15)]
