"""Messages and their wait states against a slow and obvious Python version, on random traces."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import MicroTrace, Place, Row, Tables
from tests.helpers.running import query_rows, run_queries
from tests.oracle.matching import match_messages, number_receives, number_sends
from tests.oracle.wait_states import find_late_receivers, find_late_senders

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


def expected_waits(tables: Tables) -> list[tuple[Any, ...]]:
    found = expected_messages(tables)
    late_senders = find_late_senders(found, name_of(tables), groups(tables).__getitem__)
    visits = {visit for _, visit, *_ in late_senders}
    return sorted([*late_senders, *find_late_receivers(found, name_of(tables), visits)])


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


@settings(deadline=None, max_examples=15)
@given(traces(), st.integers(-1000, 10**12), st.randoms(use_true_random=False))
def test_neither_all_clocks_nor_the_order_of_rows_matter(
    tables: Tables, by: int, random: Any
) -> None:
    found = query_rows("wait_states", tables)
    mixed = {name: random.sample(rows, len(rows)) for name, rows in tables.items()}
    assert query_rows("wait_states", mixed) == found
    columns = "property visit_id wait_ns cause_visit_id confidence"
    assert query_rows("wait_states", shifted(tables, by), columns) == [
        {name: row[name] for name in columns.split()} for row in found
    ]
