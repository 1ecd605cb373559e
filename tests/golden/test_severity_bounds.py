"""How far severities may be off because of what is missing, clipped or disturbed."""

import pytest

from tests.golden.running import run_query as run

PLACE = "metric location_id reason less_ns more_ns"
WITH_ORDER = ("mpi_latesender", "mpi_latesender_wo", "mpi_lswo_different", "mpi_lswo_same")


def bounds(run_query, tables, columns=PLACE):
    return run_query("severity_bounds", tables, columns)


def for_orders(*rest):
    """The same of a late sender and of all kinds of it."""
    return [(metric, *rest) for metric in WITH_ORDER]


def end_early(tables, *numbers):
    for row in tables["locations"]:
        if row["location_id"] in numbers:
            row |= {"is_complete": False, "record_count": 5, "declared_count": 9}
    return tables


def test_what_is_whole_has_no_bounds(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Init
        0   20..35   MPI_Send        send 1
        0   40..50   MPI_Barrier     collective barrier
        0   60..70   MPI_Finalize
        1   0..5     MPI_Init
        1   10..30   MPI_Recv        recv 0
        1   35..50   MPI_Barrier     collective barrier
        1   60..70   MPI_Finalize
    """)
    assert bounds(run_query, tables) == []


# No send was found for the receive of 10..40: it may have waited for all of its 30. A barrier of
# the other message is as it was.
def test_a_receive_without_send_may_have_waited_all_the_time(run_query, trace):
    tables = trace("""
        0   0..5     MPI_Init
        1   10..40   MPI_Recv        recv 0
    """)
    assert bounds(run_query, tables) == for_orders(1, "unmatched_message", 0, 30)


# Of a send without receive the sender may have waited all of its 15; rank 1 has a receive in which
# nothing is recorded, and which may have completed it, for at most 20.
def test_so_may_a_send_without_receive_and_calls_that_tell_nothing(run_query, trace):
    tables = trace("""
        0   0..15    MPI_Send   send 1
        1   10..30   MPI_Recv
        1   40..45   MPI_Test
        1   50..60   MPI_Send
    """)
    assert bounds(run_query, tables) == [
        ("mpi_latereceiver", 0, "unmatched_message", 0, 15),
        *for_orders(1, "unmatched_message", 0, 20),
    ]


#     sends     30        60    ?
#     receives  10..40    50..70      which of them is missing in front, nobody knows
# Found are 30 - 10 = 20 and 60 - 50 = 10, in wrong order none. Each may be anything from 0 to the
# whole call, 30 and 20: less by all that was found, more by 50 - 30 = 20.
def test_on_a_channel_with_a_gap_messages_may_be_paired_wrongly(run_query, trace):
    tables = trace("""
        0   30..31   MPI_Isend   isend 1 #1
        0   60..61   MPI_Isend   isend 1 #2
        0   70..71   MPI_Isend   isend 1 #3
        0   80..82   MPI_Waitall   isend_complete #1; isend_complete #2; isend_complete #3
        1   10..40   MPI_Recv    recv 0
        1   50..70   MPI_Recv    recv 0
    """)
    first, *orders = bounds(run_query, tables)[1:]
    assert bounds(run_query, tables)[0] == ("mpi_latereceiver", 0, "unmatched_message", 0, 2)
    assert first == ("mpi_latesender", 1, "unmatched_message", 30, 20)
    assert orders == [(name, 1, "unmatched_message", 0, 50) for name in WITH_ORDER[1:]]


# The same where the receiver's records end early: the pairs are sure, and so are their waits. Only
# the call that completed all sends may have waited, for the third receive, for its 2.
def test_if_the_partner_ends_early_what_came_before_is_sure(run_query, trace):
    tables = trace("""
        0   30..31   MPI_Isend   isend 1 #1
        0   60..61   MPI_Isend   isend 1 #2
        0   70..71   MPI_Isend   isend 1 #3
        0   80..82   MPI_Waitall   isend_complete #1; isend_complete #2; isend_complete #3
        1   10..40   MPI_Recv    recv 0
        1   50..70   MPI_Recv    recv 0
    """)
    assert bounds(run_query, end_early(tables, 1)) == [
        ("mpi_latereceiver", 0, "missing_records", 0, 2)
    ]


# The receive was completed at 40, but nobody knows when it was posted: the send may have waited.
# With its place on the channel its partner is not sure: the wait of 40 - 35 may be less.
def test_a_receive_without_request_leaves_its_sender_open(run_query, trace):
    tables = trace("""
        0   40..60   MPI_Send   send 1
        1   35..50   MPI_Wait   irecv 0 #7
    """)
    assert bounds(run_query, tables) == [
        ("mpi_latereceiver", 0, "missing_request", 0, 20),
        ("mpi_latesender", 1, "missing_request", 5, 10),
        *((name, 1, "missing_request", 0, 15) for name in WITH_ORDER[1:]),
    ]


# When the send of 10..11 was complete is not recorded; the wait of 20..26 may have been for it.
def test_a_send_without_completion_may_have_been_waited_for(run_query, trace):
    tables = trace("""
        0   2..8     MPI_Wait
        0   10..11   MPI_Isend   isend 1 #1
        0   20..26   MPI_Wait
        1   5..15    MPI_Recv    recv 0
    """)
    assert bounds(run_query, tables) == [("mpi_latereceiver", 0, "missing_request", 0, 6)]


# Rank 2 ends before the second barrier: how long the others waited there, and how long they took
# to leave together, may be as long as they were inside, 10 and 20. The first barrier is sure.
def test_a_collective_without_a_member_may_be_all_waiting(run_query, trace):
    tables = trace("""
        0   0..10    MPI_Barrier   collective barrier
        0   20..30   MPI_Barrier   collective barrier
        1   5..10    MPI_Barrier   collective barrier
        1   15..35   MPI_Barrier   collective barrier
        2   5..10    MPI_Barrier   collective barrier
    """)
    assert bounds(run_query, end_early(tables, 2)) == [
        ("mpi_barrier_completion", 0, "missing_records", 0, 10),
        ("mpi_barrier_completion", 1, "missing_records", 0, 20),
        ("mpi_barrier_wait", 0, "missing_records", 0, 10),
        ("mpi_barrier_wait", 1, "missing_records", 0, 20),
    ]


# If the records of rank 2 do not end there, the one that it has may be the second: the waits of the
# first, 5 of rank 0, may be less. In all, rank 0 is inside for 20, rank 1 for 25 and rank 2 for 5.
def test_a_missing_record_makes_all_instances_unsure(run_query, trace):
    tables = trace("""
        0   0..10    MPI_Barrier   collective barrier
        0   20..30   MPI_Barrier   collective barrier
        1   5..10    MPI_Barrier   collective barrier
        1   15..35   MPI_Barrier   collective barrier
        2   5..10    MPI_Barrier   collective barrier
    """)
    assert bounds(run_query, tables) == [
        ("mpi_barrier_completion", 0, "incomplete_collective", 0, 20),
        ("mpi_barrier_completion", 1, "incomplete_collective", 0, 25),
        ("mpi_barrier_completion", 2, "incomplete_collective", 0, 5),
        ("mpi_barrier_wait", 0, "incomplete_collective", 5, 15),
        ("mpi_barrier_wait", 1, "incomplete_collective", 0, 25),
        ("mpi_barrier_wait", 2, "incomplete_collective", 0, 5),
    ]


# Rank 1 was switched off, over its MPI_Finalize or over its MPI_Init: how long rank 0 waited in its
# 50 for that, or after rank 1 had left in its 7, nobody knows. The other call is whole: in
# MPI_Finalize rank 0 waits for 40, and after MPI_Init rank 1 had left it stays for 3.
@pytest.mark.parametrize(
    ("begin", "end", "kept", "expected"),
    [
        (45, 60, "0..4 MPI_Init", ("mpi_finalize_wait", 0, "measurement_off", 0, 50)),
        (0, 20, "50..60 MPI_Finalize", ("mpi_init_completion", 0, "measurement_off", 0, 7)),
    ],
)
def test_a_process_switched_off_may_have_been_awaited(run_query, trace, begin, end, kept, expected):
    tables = trace(f"""
        0   0..7     MPI_Init
        0   10..60   MPI_Finalize
        1   {kept}
    """)
    gap = {"location_id": 1, "sequence": 9, "kind": "measurement_off"}
    tables["measurement_gaps"] = [gap | {"begin_ns": begin, "end_ns": end}]
    tables["reading_findings"] = [
        {"kind": "measurement_off", "location_id": 1, "count": 1, "time_ns": end - begin}
    ]
    assert [row for row in bounds(run_query, tables) if row[0] != "time"] == [expected]


CLOCKS = """
    0   0..10    MPI_Send      send 1
    0   60..70   MPI_Recv      recv 1
    0   80..90   MPI_Barrier   collective barrier
    0   92..93   MPI_Send      send 1
    1   0..5     MPI_Recv      recv 0
    1   20..25   MPI_Send      send 0
    1   40..80   MPI_Barrier   collective barrier
    1   82..90   MPI_Recv      recv 0
"""


# The last message arrives at 90, but was sent at 92: rank 1 is at least 2 behind. Its message of 20
# arrived at 70: at most 50. The barrier says: it ended at 90, so 40 is at most 50 behind.
def test_messages_both_ways_limit_how_far_clocks_are_apart(run_query, trace):
    assert run_query("clock_offsets", trace(CLOCKS)) == [(0, True, 0, 0), (1, True, 2, 50)]


# On the clock of rank 0, rank 1 is in the barrier from 42..90 on: rank 0, there from 80 to 90, may
# have waited all 10. Rank 1 waits until 80, which is 30..78 on its clock: for at most 38, not 40.
# Rank 0 receives from 60 to 70 what was sent at 22..70: it may have waited all 10. Rank 1 receives
# at 82 what was sent at 42..90: the wait of 8 found may be 0, but not more.
def test_waits_may_differ_by_what_clocks_allow(run_query, trace):
    found = bounds(run_query, trace(CLOCKS))
    kept = [row for row in found if row[0] in ("mpi_barrier_wait", "mpi_latesender")]
    assert kept == [
        ("mpi_barrier_wait", 0, "clock_violation", 0, 10),
        ("mpi_barrier_wait", 1, "clock_violation", 40, 0),
        ("mpi_latesender", 0, "clock_violation", 0, 10),
        ("mpi_latesender", 1, "clock_violation", 8, 0),
    ]


# Ranks 1 and 2 contradict each other by 3; rank 0 contradicts nobody, and its barrier with both,
# 30..40, says that rank 1, there from 20 to 33, is from 3 behind... to 20 behind.
def test_locations_that_contradict_nobody_are_the_measure(run_query, trace):
    tables = trace("""
        0   30..40   MPI_Barrier   collective barrier
        1   20..33   MPI_Barrier   collective barrier
        1   50..60   MPI_Send      send 2
        2   28..38   MPI_Barrier   collective barrier
        2   40..47   MPI_Recv      recv 1
    """)
    assert run_query("clock_offsets", tables) == [
        (0, False, 0, 0),
        (1, True, -3, 20),
        (2, True, -8, 12),
    ]


# Of the wait of 10..50, rank 0 flushes 20..25 and rank 1 itself 5..12: 5 + 2 are no fault of the
# program. Rank 1 is in main from 5 to 10 and in the receive from then on.
@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (
            "buffer_flush",
            [
                ("mpi_latesender", 1, 1, "buffer_flush", 7, 0),
                ("time", 0, 0, "buffer_flush", 5, 0),
                ("time", 0, 1, "buffer_flush", 5, 0),
                ("time", 1, 1, "buffer_flush", 2, 0),
            ],
        ),
        (
            "measurement_off",
            [
                ("time", 0, 0, "measurement_off", 5, 0),
                ("time", 0, 1, "measurement_off", 5, 0),
                ("time", 1, 1, "measurement_off", 2, 0),
            ],
        ),
    ],
)
def test_gaps_are_taken_from_waits_and_from_time(trace, kind, found):
    tables = trace("""
        0   50..60   MPI_Send   send 1
        1   10..55   MPI_Recv   recv 0
    """)
    gaps = [(0, 20, 25), (1, 5, 10), (1, 10, 12)]
    tables["measurement_gaps"] = [
        {"location_id": location, "sequence": number, "kind": kind}
        | {"begin_ns": begin, "end_ns": end}
        for number, (location, begin, end) in enumerate(gaps)
    ]
    columns = "metric call_path_id location_id reason less_ns more_ns"
    assert run("severity_bounds", tables, columns) == found
