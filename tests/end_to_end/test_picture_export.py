"""`tracemill export picture`: pictures in files, whole or not there, and what cannot be drawn."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tracemill import cli
from tracemill.base.errors import MissingInputError, MissingLibraryError, PipelineError, UsageError
from tracemill.reports.pictures.drawing import can_draw

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis

needs_pictures = pytest.mark.skipif(not can_draw(), reason="needs matplotlib")
Analyses = Callable[[str], "Analysis"]
Output = pytest.CaptureFixture[str]


def export(analysis: "Analysis", *words: str) -> int:
    return cli.main(["export", "picture", "--store", str(analysis.run.path.parents[2]), *words])


@needs_pictures
@pytest.mark.parametrize("what", ["timeline", "messages", "waits", "efficiencies"])
def test_a_picture_is_written_as_its_suffix_says(
    what: str, tmp_path: Path, analysis_of: Analyses
) -> None:
    analysis = analysis_of("late_sender.csv")
    for suffix, begin in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        path = tmp_path / f"{what}{suffix}"
        assert export(analysis, "--of", what, "--output", str(path)) == 0
        assert path.read_bytes().startswith(begin)


@needs_pictures
def test_bars_show_the_efficiencies(tmp_path: Path, analysis_of: Analyses) -> None:
    """Useful are 8000 and 4500 of 10000 ns: 62.5%, and 6250 / 8000 balanced."""
    path = tmp_path / "bars.svg"
    assert (
        export(analysis_of("late_sender.csv"), "--of", "efficiencies", "--output", str(path)) == 0
    )
    text = path.read_text()
    assert all(each in text for each in ("Parallel efficiency", "62.5%", "Load balance", "78.1%"))


@needs_pictures
@pytest.mark.parametrize(("focus", "ranks"), [((), ["0", "1"]), (("--ranks", "1"), ["1"])])
def test_a_timeline_has_the_rows_of_the_focus(
    focus: tuple[str, ...], ranks: list[str], tmp_path: Path, analysis_of: Analyses
) -> None:
    path = tmp_path / "timeline.svg"
    words = ["--of", "timeline", "--output", str(path), *focus]
    assert export(analysis_of("late_sender.csv"), *words) == 0
    rows = path.read_text().split('id="matplotlib.axis_2"')[1]
    assert re.findall(r">(\d+)</text>", rows) == ranks


def test_what_cannot_be_drawn_is_said_in_a_line(
    tmp_path: Path, analysis_of: Analyses, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = analysis_of("late_sender.csv")
    (tmp_path / "mine.svg").write_text("mine")
    monkeypatch.setattr("tracemill.reports.pictures.drawing.can_draw", lambda: False)
    for name, code, said in (
        ("a.pdf", UsageError.exit_code, "use the suffix .svg or .png"),
        ("mine.svg", PipelineError.exit_code, "replace it with --overwrite"),
        ("a.svg", MissingLibraryError.exit_code, "pip install matplotlib"),
    ):
        capsys.readouterr()
        assert export(analysis, "--of", "waits", "--output", str(tmp_path / name)) == code
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_a_run_that_lacks_what_a_picture_shows_is_named(tmp_path: Path, capsys: Output) -> None:
    trace = tmp_path / "one.csv"
    trace.write_text("Timestamp (ns),Event Type,Name,Process\n0,Enter,main,0\n9,Leave,main,0\n")
    output = str(tmp_path / "a.svg")
    for detail, code, said in (
        ("full", MissingInputError.exit_code, "no messages between ranks: the run has none"),
        ("profile", UsageError.exit_code, "--of messages needs the records of calls"),
    ):
        store = ["--store", str(tmp_path / detail)]
        assert cli.main(["analyze", str(trace), *store, "--no-report", "--detail", detail]) == 0
        capsys.readouterr()
        words = ["export", "picture", *store, "--of", "messages", "--output", output]
        assert cli.main(words) == (code if can_draw() else MissingLibraryError.exit_code)
        error = capsys.readouterr().err
        assert said in error or not can_draw()
        assert error.count("\n") == 1
    perfetto = ["export", "perfetto", *store, "--output", str(tmp_path / "a.json")]
    assert cli.main(perfetto) == UsageError.exit_code
    assert "needs the records of calls" in capsys.readouterr().err
    assert not list(tmp_path.glob("a.*"))
