"""The benchmark measures its jobs and reports failures."""

from pathlib import Path

import otf2
import pytest

from tests.bench import __main__ as bench
from tests.bench.archives import PROGRAMS, provide_archive
from tests.bench.forecasts import provide_program
from tests.bench.jobs import REPLAYS, Setting
from tests.bench.measuring import Cost, FailedJobError, growth_exponent, marginal_rate, measure
from tests.bench.peers import FIXED_ROUNDS, library
from tests.bench.places import ROOT, event_file_bytes
from tests.bench.text import provide_text

TRACE = ROOT / "data" / "m01_late_sender"


def cost(events: int, cpu_seconds: float, job: str = "read") -> Cost:
    return Cost(
        job=job,
        threads=1,
        events=events,
        cpu_seconds=cpu_seconds,
        wall_seconds=2 * cpu_seconds,
        start_up_cpu_seconds=0.0,
        peak_bytes=10**8,
    )


def test_the_library_alone_reads_every_event_and_writes_nothing() -> None:
    found = measure("library", TRACE)
    assert (found.job, found.events, found.bytes) == ("library", 136, 0)
    assert found.cpu_seconds > 0


def test_a_job_is_done_in_a_process_of_its_own() -> None:
    found = measure("read", TRACE)
    assert (found.job, found.events, found.bytes > 0) == ("read", 136, True)
    assert found.cpu_seconds > 0
    # An interpreter with its libraries, and no more: not the memory of these tests.
    assert 20e6 < found.peak_bytes < 600e6


def test_a_forecast_counts_what_is_simulated() -> None:
    # One iteration: ten thousand processes compute once, start and wait twice. On a grid of 100 by
    # 100, 4 * 100 * 99 edges are exchanged. The reduction doubles among 8192 in 13 rounds; the
    # other 1808 send before and receive after it.
    found = measure("forecast", provide_program(50_000).path)
    assert found.events == 10_000 * 5 + 39_600 + 8192 * 13 + 2 * 1808


# The command also pays for the imports, which other jobs list apart as start-up.
def test_the_command_is_measured_from_start_to_end() -> None:
    whole, alone = measure("command", TRACE), measure("analyze", TRACE)
    assert (whole.events, whole.bytes) == (136, alone.bytes)
    assert whole.cpu_seconds > alone.start_up_cpu_seconds > whole.start_up_cpu_seconds == 0
    assert 100e6 < whole.peak_bytes < 1e9


def test_the_fixed_loop_counts_its_rounds() -> None:
    found = measure("fixed_loop", Path())
    assert (found.events, found.cpu_seconds > 0) == (FIXED_ROUNDS, True)


# Activities, twenty times each; the analysis before is not measured.
def test_replays_count_activities_without_their_analysis() -> None:
    found = measure("replay", TRACE)
    assert found.events % REPLAYS == 0
    assert 0 < found.events / REPLAYS < 136
    assert found.cpu_seconds < 0.1


def test_a_forecast_of_a_run_counts_its_events() -> None:
    found = measure("forecast_run", TRACE)
    assert (found.events, found.cpu_seconds > 0) == (136, True)


def test_stages_of_the_analysis_are_a_job_of_their_own() -> None:
    whole = measure("analyze", TRACE)
    graph = whole.of_stages("graph", bench.GRAPH_STAGES)
    assert (graph.job, graph.events) == ("graph", 136)
    assert 0 < graph.cpu_seconds < whole.cpu_seconds


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(FailedJobError, match="no trace inside"):
        measure("library", tmp_path)


# Four times the events in twice the time: 4 ** 0.5 = 2; in sixteen times the time: 4 ** 2 = 16.
@pytest.mark.parametrize(("seconds", "exponent"), [(2.0, 0.5), (4.0, 1.0), (16.0, 2.0)])
def test_growth_is_the_slope_between_logarithms(seconds: float, exponent: float) -> None:
    grown = growth_exponent(cost(1_000_000, 1.0), cost(4_000_000, seconds))
    assert grown == pytest.approx(exponent)


@pytest.mark.parametrize(("events", "seconds"), [(1000, 2.0), (4000, 0.0)])
def test_growth_is_unknown_for_the_same_size_and_for_no_time(events: int, seconds: float) -> None:
    assert growth_exponent(cost(1000, 1.0), cost(events, seconds)) is None


def test_the_marginal_rate_leaves_out_what_any_archive_costs() -> None:
    # 0.5 s for any archive, and 1 s per 2 million events.
    assert marginal_rate(cost(2_000_000, 1.5), cost(6_000_000, 3.5)) == pytest.approx(2.0)
    assert marginal_rate(cost(2_000_000, 1.5), cost(6_000_000, 1.5)) is None


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_archive_has_about_the_wanted_size_and_is_generated_once(
    program: Path, tmp_path: Path
) -> None:
    made = provide_archive(program, 50_000, cache=tmp_path)
    written_at = (made.path / "traces.otf2").stat().st_mtime_ns
    events = library(made.path, Setting(threads=1, folder=tmp_path))["events"]
    assert events == pytest.approx(50_000, rel=0.2)
    assert made.byte_count == event_file_bytes(made.path) > 100_000
    assert made.generating is not None
    assert (made.generating.job, made.generating.events) == ("generate", events)
    assert made.generating.bytes == made.byte_count
    assert made.generating.cpu_seconds > 0
    # The second time nothing is generated; the cost of generating stays the same.
    assert provide_archive(program, 50_000, cache=tmp_path) == made
    assert (made.path / "traces.otf2").stat().st_mtime_ns == written_at
    assert len(list(tmp_path.iterdir())) == 1


def test_stages_are_measured_one_by_one() -> None:
    found = measure("analyze", TRACE)
    assert {"read", "wait_states", "critical_path_profile", "report"} <= set(found.stages)
    assert sum(stage.cpu_seconds for stage in found.stages.values()) <= found.cpu_seconds
    assert max(stage.peak_bytes for stage in found.stages.values()) <= found.peak_bytes
    assert sum(stage.bytes for stage in found.stages.values()) == found.bytes
    with otf2.reader.open(str(TRACE / "traces.otf2")) as opened:
        sent = sum(isinstance(event, otf2.events.MpiSend) for _, event in opened.events)
    assert found.stages["messages"].rows == sent > 0
    assert found.stages["messages"].bytes > 0


def test_text_of_a_size_is_made_once_and_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = provide_text(3000, cache=tmp_path)
    written_at = trace.path.stat().st_mtime_ns
    rows = trace.path.read_bytes().count(b"\n") - 1
    assert 2500 < rows <= 3000
    assert trace.byte_count == trace.path.stat().st_size
    found = measure("read_text", trace.path)
    assert (found.events, found.bytes > 0) == (rows, True)
    assert provide_text(3000, cache=tmp_path) == trace
    assert trace.path.stat().st_mtime_ns == written_at
    monkeypatch.setattr("tests.bench.text.code_hash", lambda modules: "changed code")
    other = provide_text(3000, cache=tmp_path)
    assert list(tmp_path.iterdir()) == [other.path] != [trace.path]


def test_a_run_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "measure", lambda job, *_, **__: cost(1_000_000, 1.0, job))
    assert bench.main(["--trace", str(TRACE)]) == 0
    assert "whole analysis" in capsys.readouterr().out
