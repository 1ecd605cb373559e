"""A process with two streams of an accelerator and a location that only records a metric."""

import pytest

from tests.helpers.otf2_archive import Event, Trace
from tracemill.engine.analyze import Options, analyze
from tracemill.reports.build import build_report
from tracemill.reports.model import Report
from tracemill.store.runs import Run, Store

MICROSECOND = 1_000


# us          0    10     20        60        90      100
# thread      [main [launch][synchronize      ]       ]
# HIP[0:13]              [kernel     ]                        25 to 60
# HIP[0:14]                  [copy         ]                  30 to 80
# metrics     .    .    .    .    .    .    .    .    .
@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("accelerators")
    trace = Trace(resolution=1_000_000)
    for name in ("hipLaunchKernel", "hipDeviceSynchronize"):
        trace.region(name, role="wrapper", paradigm="hip")
    for name in ("kernel", "copy"):
        trace.region(name, role="kernel", paradigm="hip")
    trace.accelerators[1] = 0
    trace.location(
        "0 enter main\n 10 enter hipLaunchKernel\n 20 leave hipLaunchKernel\n"
        "20 enter hipDeviceSynchronize\n 90 leave hipDeviceSynchronize\n 100 leave main"
    )
    trace.location("25 enter kernel\n 60 leave kernel", process=1, kind="gpu", name="HIP[0:13]")
    trace.location("30 enter copy\n 80 leave copy", process=1, kind="gpu", name="HIP[0:14]")
    trace.define("MetricMember", 0, "power", "", 0, 0, 0, 0, 0, "W")
    trace.define("MetricClass", 0, [0], 0, 0)
    values = [Event(10 * n, "Metric", (0, [("uint64", n)])) for n in range(9)]
    trace.location(values, process=0, kind="metric", name="power of the node")
    archive = trace.write(folder / "archive")
    return analyze(archive, store=Store(folder / "store"), options=Options(threads=1)).run


@pytest.fixture(scope="module")
def report(run: Run) -> Report:
    return build_report(run)


def rows_of(report: Report, name: str, columns: str) -> list[tuple[object, ...]]:
    """Columns of a table of the report."""
    (table,) = (
        table for section in report.sections for table in section.tables if table.name == name
    )
    return [tuple(row[column] for column in columns.split()) for row in table.as_dicts()]


def test_streams_and_metric_locations_are_no_threads(report: Report) -> None:
    assert report.subtitle == (
        "1 process with 1 thread, 2 GPU streams and 1 metric location ran for 100 µs; the trace "
        "contains 19 event records."
    )
    said = report.section("summary").sentences
    # 100 us in main, 35 in the kernel, 50 in the copy.
    whole = "All locations together spent 185 µs, 85.0 µs of it on GPU streams, none of it in MPI."
    assert whole in said


def test_a_stream_has_its_own_name(report: Report) -> None:
    assert rows_of(report, "time_by_location", "rank thread total_ns") == [
        (0, 0, 100 * MICROSECOND),
        (0, "GPU stream HIP[0:13]", 35 * MICROSECOND),
        (0, "GPU stream HIP[0:14]", 50 * MICROSECOND),
    ]
    (sentence,) = (
        line for line in report.section("load-balance").sentences if "least balanced" in line
    )
    assert "only GPU stream HIP[0:14] of rank 0 visits it, for 50.0 µs" in sentence


def test_a_metric_location_has_no_time(report: Report, run: Run) -> None:
    assert rows_of(report, "metric_locations", "rank thread metrics value_count") == [
        (0, "metric location power of the node", "power", 9)
    ]
    spending = [(0,), ("GPU stream HIP[0:13]",), ("GPU stream HIP[0:14]",)]
    assert rows_of(report, "overheads_by_location", "thread") == spending
    with run.connect() as connection:
        # Three locations with code fill 100 us each; only the thread can be idle.
        total = connection.sql("SELECT sum(time_ns)::BIGINT FROM overheads").fetchall()
        assert total == [(300 * MICROSECOND,)]
        assert connection.sql("SELECT location_id FROM idle_times").fetchall() == [(0,)]
