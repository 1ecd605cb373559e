"""Messages and their wait states against a slow and obvious Python version, on random traces."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import MicroTrace, Place, Row, Tables
from tests.helpers.running import run_queries, run_query
from tests.oracle.collectives import number_collectives
from tests.oracle.matching import match_messages, number_receives, number_sends
from tests.oracle.wait_states import find_late_receivers, find_late_senders
from tracemill.schemas import BY_NAME

PROCESSES = st.sampled_from((0, 1, 2))
PLACES = [Place(0), Place(0, 1), Place(1), Place(2)]
REQUESTS = st.integers(0, 2)
COMPLETING = ("MPI_Wait", "MPI_Waitany", "MPI_Waitall", "MPI_Waitsome", "MPI_Test", "MPI_Testall")
MESSAGE_COLUMNS = (
    "message_id sender_location_id receiver_location_id bytes send_ns receive_ns "
    "receive_sequence send_post_visit_id send_completion_visit_id send_completion_leave_ns "
    "receive_post_visit_id receive_post_enter_ns receive_completion_visit_id"
)
WAIT_COLUMNS = "property visit_id start_ns wait_ns message_id"


@st.composite
def messages(draw: st.DrawFn, kind: str) -> Row:
    """A record of a send or a receive; few channels, so that many of them match."""
    record: Row = {"kind": kind, "peer": draw(PROCESSES), "tag": draw(st.integers(0, 1))}
    record["bytes"] = draw(st.sampled_from((0, 8)))
    return record | ({"request_id": draw(REQUESTS)} if kind[0] == "i" else {})


@st.composite
def completions(draw: st.DrawFn) -> Row:
    if draw(st.booleans()):
        return draw(messages("irecv"))
    kind = draw(st.sampled_from(("isend_complete", "isend_complete", "request_cancelled")))
    return {"kind": kind, "request_id": draw(REQUESTS)}


SOME_COMPLETIONS = st.lists(completions(), min_size=1, max_size=4)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, list[Row]]:
    """A call with its records, sound or not."""
    kind = draw(st.sampled_from(("send", "recv", "sendrecv", "isend", "irecv_request", "done")))
    if kind == "send":
        name = draw(st.sampled_from(("MPI_Send", "MPI_Ssend", "MPI_Bsend")))
        return name, [draw(messages("send"))]
    if kind == "recv":
        return "MPI_Recv", [draw(messages("recv"))]
    if kind == "sendrecv":
        return "MPI_Sendrecv", [draw(messages("send")), draw(messages("recv"))]
    if kind == "isend":
        return "MPI_Isend", [draw(messages("isend"))]
    if kind == "irecv_request":
        return "MPI_Irecv", [{"kind": "irecv_request", "request_id": draw(REQUESTS)}]
    name = draw(st.sampled_from(COMPLETING))
    return name, draw(SOME_COMPLETIONS)


SOME_CALLS = st.lists(calls(), max_size=8)


@st.composite
def traces(draw: st.DrawFn) -> Tables:
    """A few calls on each location; clocks tick rarely, so that many times are equal."""
    trace = MicroTrace()
    for place in PLACES:
        now = 0
        for name, records in draw(SOME_CALLS):
            enter = now + draw(st.integers(0, 3))
            now = enter + draw(st.integers(0, 6))
            trace.add(place, enter, now, name, *records)
        trace.add(place, now, now, "MPI_Finalize")
    return trace.tables()


def expected_messages(tables: Tables) -> list[Row]:
    return match_messages(tables["mpi_operations"], groups(tables))


def groups(tables: Tables) -> dict[int, int]:
    return {row["location_id"]: row["location_group_id"] for row in tables["locations"]}


def name_of(tables: Tables) -> Callable[[int], str]:
    regions = {row["region_id"]: row["name"] for row in tables["regions"]}
    return lambda call_path: str(regions[call_path])


def expected_waits(tables: Tables, remembered_waits: int = 0) -> list[tuple[Any, ...]]:
    found = expected_messages(tables)
    late_senders = find_late_senders(
        found, name_of(tables), groups(tables).__getitem__, remembered_waits
    )
    visits = {visit for _, visit, *_ in late_senders}
    return sorted([*late_senders, *find_late_receivers(found, name_of(tables), visits)])


def rows_of(name: str, found: list[tuple[Any, ...]]) -> list[Row]:
    return [dict(zip(BY_NAME[name].column_names, row, strict=True)) for row in found]


def shifted(tables: Tables, by: int) -> Tables:
    """The same trace on clocks that are ahead by the given time."""
    return {
        name: [
            {
                key: value + by if key.endswith("_ns") and value is not None else value
                for key, value in row.items()
                if key != "exclusive_ns"
            }
            for row in rows
        ]
        for name, rows in tables.items()
    }


@settings(deadline=None, max_examples=60)
@given(traces())
def test_messages_and_waits_are_those_of_going_through_the_records(tables: Tables) -> None:
    sides, messages, waits = run_queries(
        {"unmatched_messages": "side", "messages": MESSAGE_COLUMNS, "wait_states": WAIT_COLUMNS},
        tables,
    )
    expected = expected_messages(tables)
    assert messages == [tuple(row[name] for name in MESSAGE_COLUMNS.split()) for row in expected]
    sends = number_sends(tables["mpi_operations"], groups(tables))
    receives = number_receives(tables["mpi_operations"], groups(tables))
    assert sides.count(("send",)) == sum(map(len, sends.values())) - len(expected)
    assert sides.count(("receive",)) == sum(map(len, receives.values())) - len(expected)
    assert waits == expected_waits(tables)


@settings(deadline=None, max_examples=40)
@given(traces(), st.integers(1, 3))
def test_a_limited_memory_forgets_the_oldest_wait(tables: Tables, remembered_waits: int) -> None:
    found = run_query("wait_states", tables, WAIT_COLUMNS, remembered_waits=remembered_waits)
    assert found == expected_waits(tables, remembered_waits)


@settings(deadline=None, max_examples=15)
@given(traces(), st.integers(-1000, 10**12), st.randoms(use_true_random=False))
def test_neither_all_clocks_nor_the_order_of_rows_matter(
    tables: Tables, by: int, random: Any
) -> None:
    found = rows_of("wait_states", run_query("wait_states", tables))
    mixed = {name: random.sample(rows, len(rows)) for name, rows in tables.items()}
    assert rows_of("wait_states", run_query("wait_states", mixed)) == found
    columns = "property visit_id wait_ns cause_visit_id confidence"
    assert run_query("wait_states", shifted(tables, by), columns) == [
        tuple(row[name] for name in columns.split()) for row in found
    ]


@settings(deadline=None, max_examples=15)
@given(traces())
def test_the_checks_hold_for_any_trace(tables: Tables) -> None:
    checks = (
        "waits_lie_within_their_call", "channels_have_no_gaps", "messages_keep_their_order",
        "metrics_include_their_parts", "severities_hold_all_waits", "visits_are_counted_once",
    )  # fmt: skip
    assert run_queries(dict.fromkeys(checks, ""), tables) == [[]] * len(checks)


@st.composite
def collective_traces(draw: st.DrawFn) -> Tables:
    """Blocking and non-blocking collectives on the world, a part of it, and on each process."""
    trace = MicroTrace({0: [0, 1, 2], 1: [2, 0], 2: "self"})
    for place in PLACES:
        now = 0
        for _ in range(draw(st.integers(0, 6))):
            enter = now + draw(st.integers(0, 2))
            now = enter + draw(st.integers(0, 3))
            name, record = draw(
                st.sampled_from(
                    [
                        ("MPI_Barrier", {"kind": "collective", "operation": "barrier"}),
                        ("MPI_Ibarrier", {"kind": "nonblocking_collective_request"}),
                        ("MPI_Wait", {"kind": "nonblocking_collective", "operation": "barrier"}),
                    ]
                )
            )
            more = {"comm": draw(st.integers(0, 2)), "request_id": draw(REQUESTS)}
            trace.add(place, enter, now, name, record | more)
        trace.add(place, now, now, "MPI_Finalize")
    return trace.tables()


@settings(deadline=None, max_examples=40)
@given(collective_traces())
def test_collectives_are_those_of_going_through_the_records(tables: Tables) -> None:
    is_self = {row["communicator_id"]: row["kind"] == "self" for row in tables["communicators"]}
    expected = number_collectives(tables["mpi_operations"], groups(tables), is_self)
    instances, members = run_queries(
        {
            "collectives": "communicator_id ordinal member_count",
            "collective_members": "collective_id location_id begin_ns end_ns",
        },
        tables,
    )
    assert instances == [(*key, len(expected[key])) for key in sorted(expected)]
    assert members == [
        (number, call["record"]["location_id"], call["begin_ns"], call["record"]["time_ns"])
        for number, key in enumerate(sorted(expected))
        for call in sorted(expected[key], key=lambda call: call["record"]["location_id"])
    ]
