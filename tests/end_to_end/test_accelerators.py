"""A process with two streams of an accelerator and a location that only records a metric."""

import re
from pathlib import Path

import pytest

from tests.helpers.accelerators import accelerated_trace
from tests.helpers.otf2_archive import Trace
from tracemill import cli
from tracemill.base.errors import MissingInputError
from tracemill.engine.analyze import Options, analyze
from tracemill.engine.progress import SilentReporter
from tracemill.replay.opening import opened_graph
from tracemill.replay.what_if import change, keep_changed
from tracemill.reports.build import build_report
from tracemill.reports.model import Report
from tracemill.reports.pictures.drawing import can_draw
from tracemill.reports.plots import plot_run
from tracemill.store.runs import Run, Store

MICROSECOND = 1_000
CLUSTER = str(Path(__file__).parents[2] / "data/clusters/mvs-15k.toml")


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
    whole = "All locations together spent 185 µs, 85.0 µs of it on GPU streams"
    assert any(whole in sentence for sentence in said)


# One process without any MPI call: shares of MPI and counts of messages say nothing.
def test_a_run_without_mpi_is_not_described_by_it(report: Report) -> None:
    summary = report.section("summary")
    assert not any("in MPI" in sentence for sentence in summary.sentences)
    labels = {fact.label for section in report.sections for fact in section.facts}
    assert "locations" in labels
    assert not labels & {"of all time in MPI", "messages", "of the path communication"}


@pytest.mark.skipif(not can_draw(), reason="needs matplotlib")
def test_rows_of_a_picture_name_streams(run: Run) -> None:
    rows = plot_run(run, "timeline").svg.split('id="matplotlib.axis_2"')[1]
    assert re.findall(r">([^<>]+)</text>", rows)[:4] == ["0", "0 HIP[0:13]", "0 HIP[0:14]", "rank"]


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


# The thread waits for 60 of 100 us. The streams run 35 and 50 of 2 * 100 us.
def test_idle_time_is_that_of_threads_and_streams_are_busy(report: Report) -> None:
    facts = {fact.label: fact.value for fact in report.section("summary").facts}
    assert (facts["process"], facts["streams busy"]) == (1, 0.425)
    assert report.section("load-balance").sentences[-1] == (
        "On average, a thread is idle for 60.0% of the run. Rank 0 is idle longest: 60.0 µs, all "
        "waiting. GPU streams do not count here: on average, one is busy for 42.5% of the run."
    )


def test_a_stream_that_runs_nothing_is_busy_for_no_time(tmp_path: Path) -> None:
    trace = Trace(resolution=1_000_000)
    trace.accelerators[1] = 0
    trace.location("0 enter main\n 100 leave main")
    trace.location("", process=1, kind="gpu", name="stream")
    archive = trace.write(tmp_path / "archive")
    run = analyze(archive, store=Store(tmp_path / "store"), options=Options(threads=1)).run
    facts = {fact.label: fact.value for fact in build_report(run).section("summary").facts}
    assert facts["streams busy"] == 0


def test_parts_of_the_time_fill_the_course_of_the_run(report: Report) -> None:
    filled: dict[object, float] = {}
    for begin, ratio in rows_of(report, "time_course", "begin_ns time_ratio"):
        filled[begin] = filled.get(begin, 0.0) + ratio
    assert list(filled.values()) == pytest.approx([1.0] * len(filled))


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


# Without the copy, the thread waits for the kernel, until 60 instead of 80. Without main, all from
# the launch on is 10 earlier, and the last 10 are gone.
def test_gains_are_those_of_waiting_for_the_other_kernel(report: Report) -> None:
    columns = "kind part path_ns gain_ns run_ns"
    found = [row[1:] for row in rows_of(report, "gains_by_part", columns) if row[0] == "call path"]
    assert found == [
        ("copy", 50 * MICROSECOND, 20 * MICROSECOND, 80 * MICROSECOND),
        ("main", 20 * MICROSECOND, 20 * MICROSECOND, 80 * MICROSECOND),
        ("main/hipDeviceSynchronize", 10 * MICROSECOND, 10 * MICROSECOND, 90 * MICROSECOND),
    ]
    summary = report.section("summary")
    assert summary.opening is not None
    assert summary.opening.verdict.endswith(
        "; without it, the whole run would be 20.0 µs (20.0%) shorter, less than its "
        "50.0 µs on the critical path, because other work would become critical."
    )


# The thread waits from 20 to 80; the stream that ends last runs its copy from 30 on.
def test_a_kernel_is_the_root_cause_of_waiting_for_its_stream(report: Report) -> None:
    summary = report.section("summary")
    assert summary.opening is not None
    assert '"copy" causes 83.3% of all waiting; ' in summary.opening.verdict
    cause, *others = summary.opening.causes
    assert (cause.call_path, cause.cost) == ("copy", "50.0 µs, 83.3% of all waiting")
    assert [(each.call_path, each.cost) for each in others] == [
        ("main", "20.0 µs (20.0%) shorter without it"),
        ("main/hipDeviceSynchronize", "10.0 µs (10.0%) shorter without it"),
    ]
    assert cause.advice == (
        "Make it faster, or compute on the host meanwhile: threads wait for it."
    )
    said = (
        '"copy" on GPU stream HIP[0:14] of rank 0 causes 83.3% of all waiting (50.0 µs of 60.0 µs).'
    )
    assert said in report.section("root-causes").sentences
    assert rows_of(report, "causes_and_victims", "finding cause_thread rank thread direct_ns") == [
        ("Delay, Device", "GPU stream HIP[0:14]", 0, 0, 50 * MICROSECOND)
    ]


# Half of the copy ends at 55, so the thread waits for the kernel until 60: 20 less.
def test_what_if_waits_for_the_other_kernel(run: Run) -> None:
    with opened_graph(run) as opened:
        changed = change(opened, [("copy", 0.5)])
    assert (changed.run_ns, changed.changed_ns) == (100 * MICROSECOND, 80 * MICROSECOND)


#            0    10    20  25          80   90    99 100
# thread     [main [launch][synchronize      ]        ]
# stream      [idle         ][kernel    ][idle     ]
#
# Half of the kernel ends at 52.5, so the call returns at 62.5 and the run ends at 72.5. The stream
# ends 1 before that, as recorded.
def test_a_kept_run_has_idling_as_long_as_its_process(tmp_path: Path) -> None:
    trace = Trace(resolution=1_000_000)
    trace.region("idle", role="artificial", paradigm="cuda")
    trace.accelerators[1] = 0
    trace.location(
        "0 enter main\n 10 enter cuLaunchKernel\n 20 leave cuLaunchKernel\n"
        "20 enter cuCtxSynchronize\n 90 leave cuCtxSynchronize\n 100 leave main"
    )
    stream = "1 enter idle\n 25 leave idle\n 25 enter kernel\n 80 leave kernel\n"
    trace.location(f"{stream} 80 enter idle\n 99 leave idle", process=1, kind="gpu", name="stream")
    archive, store = trace.write(tmp_path / "archive"), Store(tmp_path / "store")
    with opened_graph(analyze(archive, store=store, options=Options(threads=1)).run) as opened:
        kept = keep_changed(opened, [("kernel", 0.5)], tmp_path / "store", SilentReporter())
    with kept.connect() as connection:
        found = connection.sql("SELECT begin_ns, end_ns FROM locations ORDER BY 2").fetchall()
        kernel = connection.sql("SELECT enter_ns, leave_ns FROM visits WHERE location_id = 1")
        assert found == [(1_000, 71_500), (0, 72_500)]
        assert kernel.fetchall() == [(1_000, 25_000), (25_000, 52_500), (52_500, 71_500)]


# Streams belong to their process, whose computation takes as long on a core of this cluster.
def test_a_forecast_has_one_process(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(run.path.parents[2])
    assert cli.main(["forecast", run.run_id, "--store", store, "--cluster", CLUSTER]) == 0
    said = capsys.readouterr().out
    assert "Run time: 100 µs as a whole; recorded 100 µs" in said


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose calls to the interface of the accelerator were not recorded."""
    folder = tmp_path_factory.mktemp("unknown")
    trace = Trace(resolution=1_000_000)
    trace.accelerators[1] = 0
    trace.location("0 enter main\n 100 leave main")
    trace.location("25 enter kernel\n 60 leave kernel", process=1, kind="gpu", name="stream")
    archive = trace.write(folder / "archive")
    return analyze(archive, store=Store(folder / "store"), options=Options(threads=1)).run


def test_without_recorded_launches_a_report_says_no_gains(unknown: Run) -> None:
    report = build_report(unknown)
    assert "gains" not in [section.key for section in report.sections]
    said = report.section("efficiencies").sentences
    assert (
        "The trace does not show which calls launch the kernels of a GPU stream, or wait for them. "
        "Gains, serialization and transfer are left out."
    ) in said


def test_without_recorded_launches_a_run_cannot_be_replayed(unknown: Run) -> None:
    with pytest.raises(MissingInputError) as refused, opened_graph(unknown):
        pass
    assert str(refused.value) == (
        "archive: the trace does not show which calls launch the kernels of a GPU stream, or wait "
        "for them, so it cannot be replayed: record calls of the CUDA, HIP or OpenCL interface"
    )
