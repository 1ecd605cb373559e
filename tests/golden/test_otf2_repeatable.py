"""Tables depend on the trace alone: not on threads, on how often it is read, or on blocks."""

import pytest

from tests.helpers.otf2_archive import Event, Trace
from tests.helpers.otf2_reading import stored_files
from tracemill.readers.common import survey

OPENMP = 3


@pytest.fixture(scope="module")
def anchor(tmp_path_factory):
    """Six processes of two threads with calls, messages, teams, tasks and counters."""
    trace = Trace()
    for name in ("main", "a", "b"):
        trace.region(name)
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.region("task", role="task", paradigm="openmp")
    for process in range(6):
        trace.location(master(process), process=process)
        trace.location(worker(process), process=process)
    trace.define("MetricMember", 0, "counter", "", 1, 0, 4, 1, 0, "#")
    trace.define("MetricClass", 0, [0], 0, 1)
    trace.define("Attribute", 0, "number", "", 4)
    for process in range(6):
        trace.team(10 + process, [process, (1 << 32) + process])
    trace.group(0, "comm_locations", range(6))
    trace.group(1, "comm_group", range(6))
    trace.define("Comm", 0, "MPI_COMM_WORLD", 1, 0xFFFFFFFF, 0)
    return trace.write(tmp_path_factory.mktemp("trace"))


def master(process: int) -> list[Event]:
    """Each process goes through the regions a and b in an order of its own."""
    names = ("a", "b") if process % 2 else ("b", "a")
    team, peer, time = 10 + process, process ^ 1, 100 * process
    return [
        Event(time, "Enter", ("main",)),
        Event(time, "Metric", (0, [("uint64", process)])),
        *(Event(time + n, kind, (name,)) for n in range(60) for name in names
          for kind in ("Enter", "Leave")),
        Event(time + 70, "ThreadFork", (OPENMP, 2)),
        Event(time + 70, "ThreadTeamBegin", (team,)),
        Event(time + 71, "Enter", ("parallel",)),
        Event(time + 80, "Leave", ("parallel",)),
        Event(time + 80, "ThreadTeamEnd", (team,)),
        Event(time + 81, "ThreadJoin", (OPENMP,)),
        Event(time + 82, "Enter", ("MPI_Sendrecv",), {0: ("uint64", process)}),
        Event(time + 83, "MpiSend", (peer, 0, 7, 64)),
        Event(time + 90, "MpiRecv", (peer, 0, 7, 64)),
        Event(time + 91, "Leave", ("MPI_Sendrecv",)),
        Event(time + 99, "Leave", ("main",)),
    ]  # fmt: skip


def worker(process: int) -> list[Event]:
    team, time = 10 + process, 100 * process
    return [
        Event(time + 70, "ThreadTeamBegin", (team,)),
        Event(time + 72, "Enter", ("parallel",)),
        Event(time + 73, "ThreadTaskSwitch", (team, 0, 1)),
        Event(time + 73, "Enter", ("task",)),
        Event(time + 75, "Enter", ("a",)),
        Event(time + 76, "Leave", ("a",)),
        Event(time + 77, "Leave", ("task",)),
        Event(time + 77, "ThreadTaskSwitch", (team, 1, 0)),
        Event(time + 79, "Leave", ("parallel",)),
        Event(time + 80, "ThreadTeamEnd", (team,)),
    ]


def rows_of(tables):
    return {name: tables.records(name) for name in tables.tables}


@pytest.mark.parametrize("block_records", [survey.BLOCK_RECORDS, 300])
def test_files_are_the_same_byte_for_byte(tmp_path, anchor, monkeypatch, block_records):
    monkeypatch.setattr(survey, "BLOCK_RECORDS", block_records)
    first = stored_files(anchor, tmp_path / "first")
    assert stored_files(anchor, tmp_path / "again") == first
    assert stored_files(anchor, tmp_path / "threads", threads=4) == first
    assert len(first["visits"]) == (1 if block_records > 1_000 else 6)


def test_rows_are_the_same_however_locations_are_grouped(read, anchor, monkeypatch):
    whole = rows_of(read.again(anchor))
    for block_records in (1, 400):
        monkeypatch.setattr(survey, "BLOCK_RECORDS", block_records)
        parts = read.again(anchor, threads=3)
        assert parts.tables["visits"]["visit_id"].num_chunks > 1
        assert rows_of(parts) == whole


def test_the_trace_above_fills_the_tables(read, anchor):
    """Otherwise the tests above would show little."""
    filled = {name for name, rows in rows_of(read.again(anchor)).items() if rows}
    assert filled >= {
        "call_paths", "communicator_members", "counter_values", "mpi_operations",
        "record_attributes", "task_fragments", "thread_events", "thread_team_members",
        "thread_teams", "visits",
    }  # fmt: skip


def test_numbers_do_not_depend_on_how_many_are_remembered(read, anchor, monkeypatch):
    """Beyond a limit, call paths are looked up again instead."""
    whole = rows_of(read.again(anchor))
    monkeypatch.setattr(survey, "_MOST_NUMBERS", 10)
    assert rows_of(read.again(anchor)) == whole
