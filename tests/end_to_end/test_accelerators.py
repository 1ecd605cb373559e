"""A process with two streams of an accelerator and a location that only records a metric."""

import pytest

from tests.helpers.accelerators import accelerated_trace
from tracemill.engine.analyze import Options, analyze
from tracemill.reports.build import build_report
from tracemill.reports.model import Report
from tracemill.store.runs import Run, Store

MICROSECOND = 1_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("accelerators")
    archive = accelerated_trace().write(folder / "archive")
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
    kinds = "1 process with 1 thread, 2 GPU streams and 1 metric location"
    assert report.subtitle == f"{kinds}; the trace contains 19 event records."
    said = report.section("summary").sentences
    # 100 us in main, 35 in the kernel, 50 in the copy.
    whole = "All locations together spent 185 µs, 85.0 µs of it on GPU streams, none of it in MPI"
    assert any(whole in sentence for sentence in said)


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


def test_a_thread_waits_for_the_last_kernel(report: Report) -> None:
    """From entering hipDeviceSynchronize at 20 to the end of the copy at 80."""
    (finding,) = report.section("summary").findings
    assert finding.headline.startswith("Wait for Device")
    assert "60.0 µs" in finding.headline
    assert 'for GPU stream HIP[0:14] of rank 0 in "copy"' in finding.detail
    covered = "Analyzed for waiting: kernels of accelerators."
    assert covered in report.section("wait-states").sentences


def test_the_kernel_is_on_the_critical_path(report: Report) -> None:
    """The thread until the copy begins at 30, the copy until 80, then the thread.

    main: 0 to 10 and 90 to 100; hipDeviceSynchronize: 20 to 30 and 80 to 90.
    """
    columns = "call_path worst_thread path_ns"
    assert rows_of(report, "critical_path_call_paths", columns) == [
        ("copy", "GPU stream HIP[0:14]", 50 * MICROSECOND),
        ("main", 0, 20 * MICROSECOND),
        ("main/hipDeviceSynchronize", 0, 20 * MICROSECOND),
        ("main/hipLaunchKernel", 0, 10 * MICROSECOND),
    ]


def test_no_gain_is_said_where_kernels_run(report: Report) -> None:
    """A replay does not know which call launches the copy, or waits for it."""
    summary = report.section("summary")
    assert summary.opening is not None
    said = " ".join((*summary.sentences, summary.opening.verdict))
    assert "the whole run would take" not in said
    assert "gains" not in [section.key for section in report.sections]
