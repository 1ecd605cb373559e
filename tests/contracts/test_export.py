"""Exports: what is in the files, and that they are whole or not there."""

import csv
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.helpers.hand_made import late_sender_run
from tracemill import cli
from tracemill.base.errors import PipelineError
from tracemill.base.files import write_text
from tracemill.shell.exports.severities import export_severities

# The rows of the hand-made run, with time and visits of its call tree; nanoseconds become seconds.
SEVERITIES = [
    ("bytes_sent", "main/MPI_Send", 0, 0, 4096.0),
    ("mpi_latesender", "main/MPI_Recv", 1, 0, 0.05),
    ("time", "main", 0, 0, 0.09),
    ("time", "main", 1, 0, 0.04),
    ("time", "main/MPI_Send", 0, 0, 0.01),
    ("time", "main/MPI_Recv", 1, 0, 0.06),
    ("visits", "main", 0, 0, 1.0),
    ("visits", "main", 1, 0, 1.0),
    ("visits", "main/MPI_Send", 0, 0, 1.0),
    ("visits", "main/MPI_Recv", 1, 0, 1.0),
]
COLUMNS = ["metric", "call_path", "rank", "thread", "value"]


def test_severities_are_exported_as_csv(tmp_path: Path) -> None:
    output = tmp_path / "severities.csv"
    assert export_severities(late_sender_run(), output) == len(SEVERITIES)
    with output.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == COLUMNS
    assert [(a, b, int(c), int(d), float(e)) for a, b, c, d, e in rows] == SEVERITIES


def test_severities_are_exported_as_parquet(tmp_path: Path) -> None:
    output = tmp_path / "severities.PARQUET"
    export_severities(late_sender_run(), output)
    exported = pq.read_table(output)
    assert exported.column_names == COLUMNS
    assert [tuple(row.values()) for row in exported.to_pylist()] == SEVERITIES


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no folder"):
        export_severities(late_sender_run(), tmp_path / "nosuch" / "severities.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"use \.csv or \.parquet"):
        export_severities(late_sender_run(), tmp_path / "severities.txt")


def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "severities.csv"
    output.write_text("old")
    monkeypatch.setattr(
        "tracemill.shell.exports.severities._COMPARABLE", "SELECT error('half way') FROM ({})"
    )
    with pytest.raises(duckdb.Error, match="half way"):
        export_severities(late_sender_run(), output, is_overwriting=True)
    monkeypatch.undo()
    assert output.read_text() == "old"
    (tmp_path / "taken.csv").mkdir()
    with pytest.raises(PipelineError, match="cannot write"):
        export_severities(late_sender_run(), tmp_path / "taken.csv", is_overwriting=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["severities.csv", "taken.csv"]


@pytest.fixture(scope="module")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a trace of a single visit, which tests only read."""
    folder = tmp_path_factory.mktemp("small")
    trace, store = folder / "trace.csv", folder / "store"
    trace.write_text("Timestamp (ns),Event Type,Name,Process\n0,Enter,main,0\n9,Leave,main,0\n")
    assert cli.main(["analyze", str(trace), "--store", str(store), "--no-report"]) == 0
    return str(store)


@pytest.mark.parametrize(
    ("kind", "name", "ending"),
    [
        ("severities", "severities.csv", "\nvisits,main,0,0,1.0\n"),
        ("perfetto", "trace.json", "\n]}\n"),
        ("speedscope", "calls.json", '"samples": [[0]], "weights": [9], "endValue": 9}\n]}\n'),
    ],
)
def test_a_file_that_is_there_is_overwritten_only_if_asked(
    kind: str,
    name: str,
    ending: str,
    small_store: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / name
    file.write_text("mine")
    capsys.readouterr()
    command = ["export", kind, "--output", str(file), "--store", small_store]
    assert cli.main(command) == PipelineError.exit_code
    assert capsys.readouterr().err == (
        f"tracemill: {file} is there already: name another place with --output, or replace it "
        "with --overwrite\n"
    )
    assert file.read_text() == "mine"
    assert cli.main([*command, "--overwrite"]) == 0
    assert ending in file.read_text()


def test_a_text_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write_text(path, "first")
    write_text(path, "second \udcff")
    assert path.read_text() == "second ?"
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match="cannot write"):
        write_text(tmp_path / "file" / "report.md", "text")
    assert {each.name for each in tmp_path.iterdir()} == {"report.md", "file"}
