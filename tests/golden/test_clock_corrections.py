"""Corrected clocks, computed by hand: jumps forward, and the records before them."""

import duckdb
import pytest

from tracemill.stages.clock_corrections import correct_clocks

LEAST = 20
JUMPS = "location_id old_ns new_ns jump_ns"
KNOTS = "location_id old_ns new_ns"
# Rank 0 sends at 49100, rank 1 receives at 49000. The message takes at least 20 ns, so the receive
# belongs at 49120 and jumps by 120. A hundred times as long before, at 49000 - 12000 = 37000,
# records begin to move.
EARLY_RECEIVE = """
    0   49100..49200   MPI_Send   send 1 @49100
    1   0..100000      main
    1   48000..49500   MPI_Recv   recv 0 @49000
"""


@pytest.fixture
def correct(run_query, trace):
    def run(relation: str, text: str, columns: str, *, mode: str = "auto"):
        tables = trace(text)
        for location in tables["locations"]:
            own = [v for v in tables["visits"] if v["location_id"] == location["location_id"]]
            location["begin_ns"] = min(visit["enter_ns"] for visit in own)
            location["end_ns"] = max(visit["leave_ns"] for visit in own)
        choice = {"clock_correction": mode, "least_message_ns": LEAST}
        return run_query(relation, tables, columns, **choice)

    return run


def test_a_receive_jumps_behind_its_send(correct):
    assert correct("clock_jumps", EARLY_RECEIVE, JUMPS) == [(1, 49000, 49120, 120)]


# From 37000 on, 12000 ns take 12120. After the jump, 51000 ns take 51000 * 0.99999 = 50999.49, so
# the end moves to 49120 + 50999.49 = 100119.49.
def test_records_before_a_jump_move_by_a_hundredth_of_their_distance(correct):
    assert correct("clock_corrections", EARLY_RECEIVE, KNOTS) == [
        (1, 0, 0), (1, 37000, 37000), (1, 49000, 49120), (1, 100000, 100119),
    ]  # fmt: skip


# 4000 - 12000 lies before the location's begin: all 4000 ns since then take 4120. The end moves to
# 4120 + 96000 * 0.99999 = 100119.04.
def test_a_location_does_not_begin_earlier(correct):
    assert correct("clock_corrections", """
        0   4100..4200   MPI_Send   send 1 @4100
        1   0..100000    main
        1   3000..4500   MPI_Recv   recv 0 @4000
    """, KNOTS) == [(1, 0, 0), (1, 4000, 4120), (1, 100000, 100119)]  # fmt: skip


# Rank 1 also sends at 47000; rank 2 receives at 47050. This send can move to 47050 - 20 = 47030, by
# 30. Without that limit it would move by (47000 - 37000) / 100 = 100. The other 90 are spread over
# the 2000 ns after it, the 30 over the 10000 ns since 37000.
def test_a_send_before_a_jump_stays_before_its_receive(correct):
    assert correct("clock_corrections", EARLY_RECEIVE + """
        1   46500..47500   MPI_Send   send 2 @47000
        2   0..47100       MPI_Recv   recv 1 @47050
    """, KNOTS) == [
        (1, 0, 0), (1, 37000, 37000), (1, 47000, 47030), (1, 49000, 49120), (1, 100000, 100119),
    ]  # fmt: skip


# The message of rank 1 takes 20 ns already: its send cannot move, and nothing before it does.
def test_a_send_without_room_stops_the_spread(correct):
    assert correct("clock_corrections", EARLY_RECEIVE + """
        1   46500..47500   MPI_Send   send 2 @47000
        2   0..47100       MPI_Recv   recv 1 @47020
    """, KNOTS) == [
        (1, 0, 0), (1, 47000, 47000), (1, 49000, 49120), (1, 100000, 100119),
    ]  # fmt: skip


# Ahead by 120, a clock returns to its own time after 120 / 0.00001 = 12000000 ns.
def test_a_location_returns_to_its_own_clock(correct):
    text = EARLY_RECEIVE.replace("0..100000", "0..20000000")
    assert correct("clock_corrections", text, KNOTS)[-2:] == [
        (1, 12049000, 12049000), (1, 20000000, 20000000),
    ]  # fmt: skip


# Rank 1 forwards what it received, 1000 ns later by its clock: at 49120 + 999.99 = 50119.99 by the
# corrected one. Rank 2 received it at 50050; it jumps to 50139.99.
def test_a_jump_is_passed_on(correct):
    assert correct("clock_jumps", EARLY_RECEIVE + """
        1   49900..50100   MPI_Send   send 2 @50000
        2   0..50060       MPI_Recv   recv 1 @50050
    """, JUMPS) == [(1, 49000, 49120, 120), (2, 50050, 50140, 90)]  # fmt: skip


# The message takes 15 ns. That is possible, but less than the least time.
@pytest.mark.parametrize(
    ("mode", "jumps"), [("always", [(1, 115, 120, 5)]), ("auto", []), ("off", [])]
)
def test_only_contradictions_are_corrected_unless_asked(correct, mode, jumps):
    assert correct("clock_jumps", """
        0   100..110   MPI_Send   send 1 @100
        1   0..200     MPI_Recv   recv 0 @115
    """, JUMPS, mode=mode) == jumps  # fmt: skip


def test_contradictions_stay_if_correction_is_off(correct):
    assert correct("clock_jumps", EARLY_RECEIVE, JUMPS, mode="off") == []


# In each operation rank 1 ends (at 20) before rank 0 begins (at 50). Where it depends on rank 0, it
# jumps. Scalasca leaves out alltoallv.
@pytest.mark.parametrize(
    ("first", "second", "jumping"),
    [
        ("bcast root 0 sent 8", "bcast root 0 received 8", {1}),
        ("bcast root 1 received 8", "bcast root 1 sent 8", set()),
        ("reduce root 1 sent 8", "reduce root 1 received 8", {1}),
        ("reduce root 0 received 8", "reduce root 0 sent 8", set()),
        ("barrier", "barrier", {1}),
        ("allreduce sent 8 received 8", "allreduce sent 8 received 8", {1}),
        ("scan sent 8 received 8", "scan sent 8 received 8", {1}),
        ("alltoallv sent 8 received 8", "alltoallv sent 8 received 8", set()),
    ],
)
def test_members_wait_for_those_they_depend_on(correct, first, second, jumping):
    found = correct("clock_jumps", f"""
        0   50..90   MPI_Collective   collective {first}
        1   0..20    MPI_Collective   collective {second}
    """, "location_id", mode="always")  # fmt: skip
    assert {location for (location,) in found} == jumping


# Rank 1 enters a collective and begins it in the same nanosecond, at 49120 + 11000 * 0.99999 =
# 60119.89 by the corrected clock. The begin moves to 60120.89, whether others depend on rank 1 or
# not, and with it all that follows: the end to 60120.89 + 40000 * 0.99999 = 100120.49.
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("bcast root 0 sent 8", "bcast root 0 received 8"),
        ("bcast root 1 received 8", "bcast root 1 sent 8"),
        ("reduce root 1 sent 8", "reduce root 1 received 8"),
        ("alltoallv sent 8 received 8", "alltoallv sent 8 received 8"),
    ],
)
def test_a_collective_begins_after_its_call_is_entered(correct, first, second):
    assert correct("clock_corrections", EARLY_RECEIVE + f"""
        0   60000..60900   MPI_Collective   collective {first}
        1   60000..61000   MPI_Collective   collective {second}
    """, KNOTS)[-1] == (1, 100000, 100120)  # fmt: skip


# In damaged archives a record may meet two senders: the later one decides, 49150 + 20.
def test_a_record_that_meets_two_senders_jumps_once():
    events = duckdb.connect().sql("""
        SELECT
            location_id::INTEGER AS location_id, time_ns, 0::BIGINT AS sequence, is_sender,
            meeting_id, 'message' AS kind, meeting_id AS message_id,
            NULL::BIGINT AS collective_id, 20::BIGINT AS least_ns
        FROM (VALUES
            (0, 49100::BIGINT, TRUE, 0::BIGINT), (0, 49150, TRUE, 1),
            (1, 0, FALSE, NULL), (1, 49000, FALSE, 0), (1, 49000, FALSE, 1)
        ) AS events(location_id, time_ns, is_sender, meeting_id)
    """)
    jumps, corrections = correct_clocks(events)
    assert corrections.select(["location_id", "new_ns"]).to_pylist()[-1] == {
        "location_id": 1, "new_ns": 49170,
    }  # fmt: skip
    assert jumps.select([*JUMPS.split(), "message_id"]).to_pylist() == [
        {"location_id": 1, "old_ns": 49000, "new_ns": 49170, "jump_ns": 170, "message_id": 1}
    ]
