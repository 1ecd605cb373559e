"""Operations on files against a slow and obvious Python version, on random records."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.hand_made import make_table
from tests.helpers.micro_trace import MicroTrace, Place, Row, Tables
from tests.helpers.running import run_queries
from tests.oracle import input_output
from tracemill.patterns.catalog import known_tables

RELATIONS = ("file_operations", "collective_file_calls", "collective_io_waits")
# Relations of what a call may wait for besides files.
OTHERS = ("late_sender", "late_receiver", "nonblocking_collective_waits")
# Processes by rank; process 2 has two threads and is not in communicator 1.
COMMUNICATORS: dict[int, Any] = {0: [0, 1, 2], 1: [1, 0], 2: "self"}
PLACES = (Place(0), Place(1), Place(2), Place(2, 1))
HANDLES = [
    {"io_handle_id": 0, "name": "a", "communicator_id": 0},
    {"io_handle_id": 1, "name": "b", "communicator_id": 1, "parent_io_handle_id": 2},
    {"io_handle_id": 2, "name": "c", "communicator_id": 2, "file": "/c", "io_paradigm": "POSIX"},
    {"io_handle_id": 3, "name": "d", "parent_io_handle_id": 1},
]
CALLS = (
    "MPI_File_open", "MPI_File_write_all", "MPI_File_read_all_end", "MPI_File_iwrite_all",
    "MPI_Wait", "MPI_Test", "read",
)  # fmt: skip
SINGLE = ("create_handle", "destroy_handle", "duplicate_handle", "seek", "operation_issued")


def records() -> st.SearchStrategy[Row]:
    """A record; those that end an operation are as many as those that begin one."""
    on, number = st.integers(0, 3), st.integers(0, 1)
    begins = st.builds(
        lambda on, number, mode, amount, flags: {
            "kind": "operation_begin", "on": on, "request_id": number, mode: amount, "flags": flags,
        },
        on, number, st.sampled_from(("read", "write", "flush")), st.sampled_from((0, 8, None)),
        st.integers(0, 3),
    )  # fmt: skip
    ends = st.builds(
        lambda on, number, kind, moved: {
            "kind": kind, "on": on, "request_id": number, "moved": moved,
        },
        on, number, st.sampled_from(("operation_complete",) * 4 + ("operation_cancelled",)),
        st.sampled_from((0, 5, None)),
    )  # fmt: skip
    single = st.builds(lambda on, kind: {"kind": kind, "on": on}, on, st.sampled_from(SINGLE))
    return st.one_of(begins, begins, ends, ends, single)


FEW_RECORDS = st.lists(records(), max_size=3)


@st.composite
def strays(draw: st.DrawFn) -> Tables:
    """Any records in any calls."""
    trace = MicroTrace(COMMUNICATORS)
    for place in PLACES:
        now = draw(st.integers(0, 5))
        for _ in range(draw(st.integers(1, 5))):
            leave = now + draw(st.integers(0, 6))
            found = draw(FEW_RECORDS)
            timed = [each | {"time_ns": draw(st.integers(now, leave))} for each in found]
            timed.sort(key=lambda each: each["time_ns"])
            trace.add(place, now, leave, draw(st.sampled_from(CALLS)), *timed)
            now = leave + draw(st.integers(0, 3))
    return with_waits(draw, trace.tables())


@st.composite
def meetings(draw: st.DrawFn) -> Tables:
    """Collective accesses of all processes, of which now and then one is missing."""
    trace = MicroTrace(COMMUNICATORS)
    now = dict.fromkeys(range(3), 0)
    for number in range(draw(st.integers(1, 5))):
        handle = draw(st.integers(0, 1))
        name = draw(st.sampled_from(CALLS))
        is_split = draw(st.booleans())
        for process in COMMUNICATORS[handle]:
            if draw(st.integers(0, 15)) == 0:
                continue
            head = {"on": handle, "request_id": number}
            begin = head | {"kind": "operation_begin", "write": 8, "flags": 2}
            end = head | {"kind": "operation_complete", "moved": 8}
            parts = [(name, [begin]), ("MPI_Wait", [end])] if is_split else [(name, [begin, end])]
            for call, held in parts:
                enter = now[process] + draw(st.integers(0, 6))
                now[process] = enter + draw(st.integers(0, 6))
                trace.add(Place(process), enter, now[process], call, *held)
                now[process] += draw(st.integers(0, 2))
    if not trace.calls:
        trace.add(Place(0), 0, 1, "read")
    return with_waits(draw, trace.tables())


def with_waits(draw: st.DrawFn, tables: Tables) -> Tables:
    """The tables with handles, and with a call or two that waited for something else."""
    waits: Tables = {name: [] for name in OTHERS}
    for name in OTHERS:
        visit = draw(st.sampled_from(tables["visits"]))
        length = draw(st.integers(0, visit["leave_ns"] - visit["enter_ns"]))
        if length:
            start = {"start_ns": visit["enter_ns"], "wait_ns": length}
            waits[name].append({"visit_id": visit["visit_id"]} | start)
    return tables | {"io_handles": HANDLES} | waits


def expected(tables: Tables) -> dict[str, list[Row]]:
    """What the oracles make of the tables as a reader would give them."""
    known: dict[str, list[Row]] = {
        name: make_table(known_tables()[name], rows).to_pylist() for name, rows in tables.items()
    }
    for name in RELATIONS:
        known[name] = getattr(input_output, name)(known)
    return known


def check(tables: Tables) -> None:
    columns = {name: " ".join(known_tables()[name].column_names) for name in RELATIONS}
    found = run_queries(columns, tables)
    wanted = expected(tables)
    for name, rows in zip(RELATIONS, found, strict=True):
        known = [tuple(row[column] for column in columns[name].split()) for row in wanted[name]]
        assert sorted(rows, key=repr) == sorted(known, key=repr), name


@settings(max_examples=50)
@given(strays())
def test_operations_are_what_their_records_say(tables: Tables) -> None:
    check(tables)


@settings(max_examples=50)
@given(meetings())
def test_who_accesses_a_file_together_waits_for_the_last_one(tables: Tables) -> None:
    check(tables)
