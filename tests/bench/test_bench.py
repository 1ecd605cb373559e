"""The benchmark measures what it says, and tells when it cannot."""

import json
from pathlib import Path

import pytest

from tests.bench.archives import PROGRAM_NAMES, event_file_bytes, provide_archive
from tests.bench.figures import BEGIN, FIGURES, README, with_figures
from tests.bench.measuring import Cost, FailedJobError, growth_exponent, marginal_rate, measure
from tests.bench.text import provide_text

TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"


def cost(events: int, cpu_seconds: float) -> Cost:
    return Cost(
        job="read",
        threads=1,
        events=events,
        cpu_seconds=cpu_seconds,
        wall_seconds=0.0,
        start_up_cpu_seconds=0.0,
        peak_bytes=0,
    )


@pytest.mark.parametrize(("job", "has_tables"), [("library", False), ("read", True)])
def test_a_job_reads_every_event_in_a_process_of_its_own(job: str, has_tables: bool) -> None:
    found = measure(job, TRACE)
    assert (found.job, found.events) == (job, 136)
    assert (found.bytes > 0) is has_tables
    assert found.cpu_seconds > 0
    # An interpreter with its libraries, and no more: not the memory of these tests.
    assert 20e6 < found.peak_bytes < 600e6


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(FailedJobError, match="no \\.otf2 anchor file"):
        measure("library", tmp_path)


# Four times the events in twice the time: 4 ** 0.5 = 2.
def test_growth_is_the_slope_between_logarithms() -> None:
    assert growth_exponent(cost(1_000_000, 1.0), cost(4_000_000, 2.0)) == pytest.approx(0.5)


def test_the_marginal_rate_leaves_out_what_any_archive_costs() -> None:
    # 0.5 s for any archive, and 1 s per 2 million events.
    assert marginal_rate(cost(2_000_000, 1.5), cost(6_000_000, 3.5)) == pytest.approx(2.0)


@pytest.mark.parametrize("program", PROGRAM_NAMES)
def test_an_archive_has_about_the_wanted_size_and_is_generated_once(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.archives.CACHE", tmp_path / "cache")
    folder = provide_archive(program, 50_000)
    assert measure("library", folder).events == pytest.approx(50_000, rel=0.2)
    before = (folder / "traces.otf2").stat()
    assert provide_archive(program, 50_000) == folder
    assert (folder / "traces.otf2").stat() == before
    assert event_file_bytes(folder) > 100_000
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [folder.name]


def test_stages_are_measured_one_by_one() -> None:
    found = measure("analyze", TRACE)
    assert {"read", "wait_states", "critical_path_profile"} <= set(found.stages)
    assert sum(stage.cpu_seconds for stage in found.stages.values()) <= found.cpu_seconds
    assert max(stage.peak_bytes for stage in found.stages.values()) <= found.peak_bytes


def test_figures_in_the_readme_are_those_that_were_measured() -> None:
    document = json.loads(FIGURES.read_text(encoding="utf-8"))
    text = README.read_text(encoding="utf-8")
    assert with_figures(text, document) == text
    assert BEGIN in text


def test_text_of_a_size_is_made_once_and_read_whole(tmp_path: Path) -> None:
    path = provide_text(3000, tmp_path)
    made = path.stat().st_mtime_ns
    rows = path.read_bytes().count(b"\n") - 1
    assert 2500 < rows <= 3000
    found = measure("read_text", path)
    assert (found.events, found.bytes > 0) == (rows, True)
    assert provide_text(3000, tmp_path).stat().st_mtime_ns == made
