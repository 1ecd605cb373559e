"""The command iterations, and the section and lane of the report."""

import csv
import io
from collections.abc import Callable

import pytest

from tests.helpers.commands import run
from tracemill.engine.analyze import Analysis
from tracemill.reports.build import build_report

HYBRID, MASTER = "m29_hybrid", "m18_master_worker"
Analyses = Callable[[str], Analysis]


def test_it_prints_the_loop_and_the_slowest_iterations(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("iterations", analysis_of(HYBRID), "--slowest", "3") == 0
    printed = capsys.readouterr().out
    assert "The main loop has 10 iterations" in printed
    assert 'Each visit of "!$omp parallel @hybrid.c:9" in "main"' in printed
    assert "the first 3 rows" in printed


def test_other_formats_have_all_iterations_in_order(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("iterations", analysis_of(HYBRID), "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["iteration"] for row in rows] == [str(at) for at in range(10)]


def test_a_named_head_does_not_change_the_store(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each rank visits MPI_Allreduce ten times: rank 0 after its serial part."""
    analysis = analysis_of(HYBRID)
    before = analysis.run.read("iterations")
    for head in ("MPI_Allreduce", "main/MPI_Allreduce"):
        assert run("iterations", analysis, "--iteration-head", head) == 0
        printed = capsys.readouterr().out
        assert "The main loop has 10 iterations" in printed
        assert '"MPI_Allreduce"' in printed
    assert analysis.run.read("iterations").equals(before)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("work", "visit it differently often: 4 times on rank 3, 24 on rank 0"),
        ("wurk", "no first thread visits a region or call path of this name"),
        ("", "needs the name of a region"),
    ],
)
def test_a_wrong_head_is_refused(
    head: str, words: str, analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("iterations", analysis_of(MASTER), "--iteration-head", head) == 2
    answer = " ".join(capsys.readouterr().err.split())
    assert words in answer


def test_a_master_and_its_workers_work_in_rounds(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("iterations", analysis_of(MASTER)) == 0
    printed = capsys.readouterr().out
    assert "No main loop was found." in printed
    assert "between 5 (rank 3) and 24 (rank 0) visits" in printed
    assert "rank 0 assigns work to 4 workers" in printed


def test_the_report_has_a_section_a_picture_and_a_lane(analysis_of: Analyses) -> None:
    report = build_report(analysis_of(HYBRID).run)
    section = report.section("iterations")
    (drawing,) = section.drawings
    assert drawing.name == "iterations"
    assert drawing.draw()
    (widget,) = report.section("timeline").widgets
    edges = widget.data["iterations"]
    assert len(edges) == 11
    assert (edges[1:] >= edges[:-1]).all()
    assert "numbered from 0" in widget.description
