"""The command `overheads`: formats and wrong input."""

import csv
import io
import json
from pathlib import Path

import pytest

from tracemill import cli
from tracemill.engine.analyze import analyze
from tracemill.store.runs import Store

DATA = Path(__file__).parents[2] / "data"
NAME, OTHER = "m01_late_sender", "m18_master_worker"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store")
    for name in (NAME, OTHER):
        analyze(DATA / name, store=Store(path))
    return path


def run(store: Path, *words: str) -> int:
    return cli.main(["overheads", *words, "--store", str(store)])


def test_a_run_has_no_overhead_against_itself(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, NAME, NAME, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["overhead_ns"] == 0
    assert document["matched_ratio"] == 1
    assert sum(row["time_ns"] for row in document["run_comparison"]) == 0
    assert {"replicated_ns", "seq_ns"} <= document["call_path_comparison"][0].keys()


def test_csv_has_a_figure_per_row(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, NAME, NAME, "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["table"] for row in rows} >= {"region_comparison", "call_path_comparison"}
    assert ("main", "overhead_mean_ns", "0") in {
        (row["name"], row["column"], row["value"])
        for row in rows
        if row["table"] == "region_comparison"
    }


@pytest.mark.parametrize("format", ["text", "json", "csv"])
def test_one_run_shows_its_lost_parallelism(
    store: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, OTHER, "--format", format) == 0
    assert "main/work" in capsys.readouterr().out


def test_text_names_both_runs(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, NAME, NAME) == 0
    said = capsys.readouterr().out
    assert f"Overheads of {NAME} against {NAME}" in said
    assert "PAR takes an even division of SEQ's time: it has no overhead." in said
    assert "By class" not in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((OTHER, NAME), "more than PAR m01_late_sender"),
        ((NAME, NAME, "--with-setup"), "was analyzed without MPI setup"),
        ((NAME, NAME, "--tolerance", "much"), "--tolerance much: give a share"),
        ((NAME, NAME, "--tolerance", "100%"), "--tolerance 100%: give a share"),
        ((NAME, NAME, "--tolerance=-1%"), "--tolerance -1%: give a share"),
    ],
)
def test_wrong_input_exits_with_2(
    store: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, *words) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_run_is_missing(store: Path) -> None:
    assert run(store, "nothing", NAME) == 11
