"""Archives as other programs write them: the analysis reads them and says what is missing."""

from pathlib import Path

import pytest

from tests.helpers.otf2_archive import UNDEFINED, Event, Trace, trace_of
from tracemill.engine.analyze import Options, analyze
from tracemill.reports.build import build_report
from tracemill.store.runs import Run, Store


@pytest.fixture
def analyzed(tmp_path: Path):
    def run(trace: Trace) -> Run:
        archive = trace.write(tmp_path / "archive")
        return analyze(archive, store=Store(tmp_path / "store"), options=Options(threads=1)).run

    return run


def rows(run: Run, query: str) -> list[tuple[object, ...]]:
    with run.connect() as connection:
        found: list[tuple[object, ...]] = connection.sql(query).fetchall()
        return found


def quality_of(run: Run) -> str:
    said = build_report(run).section("trace-quality").sentences
    return next(line for line in said if line.startswith("Trace quality"))


# TAU names calls "MPI_Recv()". The receive waits from 10 to 30.
def test_calls_in_the_names_of_tau_are_analyzed(analyzed):
    trace = Trace()
    for name in ("MPI_Send()", "MPI_Recv()"):
        trace.region(name, paradigm="mpi")
    trace.group(0, "comm_locations", [0, 1])
    trace.group(1, "comm_group", [0, 1])
    trace.define("Comm", 0, "MPI_COMM_WORLD", 1, UNDEFINED, 0)
    trace.location("30 enter 'MPI_Send()'\n 31 MpiSend 1 0 7 64\n 33 leave 'MPI_Send()'")
    trace.location("10 enter 'MPI_Recv()'\n 39 MpiRecv 0 0 7 64\n 40 leave 'MPI_Recv()'")
    run = analyzed(trace)
    waits = "SELECT property, location_id, wait_ns FROM wait_states"
    assert rows(run, waits) == [("mpi_latesender", 1, 20)]
    assert quality_of(run) == "Trace quality: no problems found."


# One message inside a user function, another one outside of all functions.
def test_messages_outside_of_mpi_calls_are_counted(analyzed):
    trace = trace_of(
        "0 enter main\n 40 MpiSend 1 0 7 64\n 90 leave main\n 95 MpiSend 1 0 7 64",
        "0 enter main\n 50 MpiRecv 0 0 7 64\n 90 leave main\n 96 MpiRecv 0 0 7 64",
    )
    trace.group(0, "comm_locations", [0, 1])
    trace.group(1, "comm_group", [0, 1])
    trace.define("Comm", 0, "MPI_COMM_WORLD", 1, UNDEFINED, 0)
    run = analyzed(trace)
    assert rows(run, "SELECT count(*) FROM messages") == [(2,)]
    assert rows(run, "SELECT count(*) FROM wait_states") == [(0,)]
    assert quality_of(run) == "Trace quality: 4 × record outside call."


# Off from 5 to 90 of 100: 85%. main stays open; work is called from it.
def test_a_measurement_that_was_off_most_of_the_time_is_said(analyzed):
    run = analyzed(
        trace_of(
            "0 enter main\n 5 MeasurementOnOff 2\n 90 MeasurementOnOff 1\n"
            "92 enter work\n 95 leave work\n 100 leave main"
        )
    )
    assert quality_of(run) == "Trace quality: 1 × measurement off (85.0% of the run)."
    paths = "SELECT path, enter_ns, leave_ns FROM visits JOIN call_paths USING (call_path_id)"
    assert sorted(rows(run, paths)) == [("main", 0, 100), ("main/work", 92, 95)]


# lo2s: locations of processors and of metrics, no regions.
def test_a_trace_without_regions_is_read(analyzed):
    trace = Trace()
    trace.define("MetricMember", 0, "cycles", "", 0, 0, 0, 0, 0, "#")
    trace.define("MetricClass", 0, [0], 0, 0)
    values = [Event(10 * n, "Metric", (0, [("uint64", n)])) for n in range(5)]
    trace.location(values, kind="metric", name="metrics for cpu 0")
    trace.location(process=0, name="cpu 0")
    run = analyzed(trace)
    report = build_report(run)
    assert report.subtitle.startswith("1 process with 1 thread and 1 metric location")
    assert rows(run, "SELECT count(*) FROM counter_values") == [(5,)]
    assert quality_of(run) == "Trace quality: no problems found."


# Samples of a timer, as of lo2s and Score-P: visits follow from calling contexts.
def test_interrupt_generators_do_no_harm(analyzed):
    trace = Trace()
    trace.region("main")
    trace.region("work")
    trace.define("InterruptGenerator", 0, "timer", 0, 1, -6, 10)
    trace.define("CallingContext", 0, 0, UNDEFINED, UNDEFINED)
    trace.define("CallingContext", 1, 1, UNDEFINED, 0)
    trace.location(
        "0 CallingContextEnter 0 1\n 10 CallingContextSample 1 2 0\n"
        "20 CallingContextSample 0 1 0\n 30 CallingContextLeave 0"
    )
    run = analyzed(trace)
    assert rows(run, "SELECT time_ns FROM samples ORDER BY time_ns") == [(10,), (20,)]
    assert rows(run, "SELECT enter_ns, leave_ns FROM visits") == [(0, 30)]
    assert quality_of(run) == "Trace quality: no problems found."
