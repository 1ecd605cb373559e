"""The command forecast: exit codes, output, and files that are written whole or not at all."""

import csv
import errno
import json
import os
from pathlib import Path

import pytest

from tests.helpers.store_cases import publish
from tracemill import cli
from tracemill.forecast.described import parse_grid
from tracemill.kernels.compilers import TITLE
from tracemill.store.runs import Store

PROGRAM = """\
name = "example"
grid = [3]

[[array]]
name = "A"
extent = [10]
element_bytes = 10
distribution = ["block"]

[[phase]]
kind = "parallel"
array = "A"
time_ns = 1000

[[phase]]
kind = "interval"
name = "edges"

[[phase.phase]]
kind = "exchange"
arrays = ["A"]

[[phase]]
kind = "reduction"
bytes = 8

[[variant]]
name = "serial"
serial = ["parallel"]
"""
CLUSTER = """\
name = "h"

[[level]]
name = "node"
units = 8

[[level.channel]]
latency_ns = 10
ns_per_byte = 1
"""
TABLES = {
    "forecasts", "forecast_intervals", "forecast_operations", "forecast_processes",
    "forecast_channels",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "example.toml").write_text(PROGRAM)
    (tmp_path / "h.toml").write_text(CLUSTER)
    return tmp_path


def run(folder: Path, *options: str, program: str = "example.toml") -> int:
    given = ["--cluster", str(folder / "h.toml"), "--store", str(folder / "store"), *options]
    return cli.main(["forecast", str(folder / program), *given])


def rows(folder: Path, query: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    capfd.readouterr()
    assert cli.main(["sql", query, "--store", str(folder / "store"), "--format", "csv"]) == 0
    return capfd.readouterr().out.splitlines()[1:]


def test_the_third_worked_example_is_printed(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(folder) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    # All processes end at 532 ns; one process computes 1000 ns and has nothing to send.
    assert lines[:3] == [
        "example",
        "Forecast on h, grid 3",
        "Run time 532 ns with 3 processes; speed-up 1.88; efficiency 62.7%.",
    ]
    assert any(line.startswith("program/edges  780 ns") for line in lines)
    assert lines[-1].startswith("tables")
    assert [line for line in err.splitlines() if not line.startswith(TITLE)] == []


def test_a_faster_cluster_computes_faster(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # Computing takes 200, 200, 100: all that follows starts 200 ns earlier.
    assert run(folder, "--speed", "2") == 0
    assert "Run time 332 ns with 3 processes" in capfd.readouterr().out


def test_a_variant_and_a_grid_can_be_chosen(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--variant", "serial", "--grid", "1") == 0
    out = capfd.readouterr().out
    assert out.startswith("example, variant serial\nForecast on h, grid 1\nRun time 1.00 µs with 1")


def test_grids_are_written_with_either_cross() -> None:
    assert parse_grid("4x2x1") == parse_grid("4×2×1") == (4, 2, 1)


def test_files_hold_all_tables(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page, table, data = folder / "page.html", folder / "tables", folder / "all.json"
    assert run(folder, "--html", str(page), "--csv", str(table), "--json", str(data)) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    found = json.loads(data.read_text())
    assert set(found) == TABLES
    assert found["forecasts"][0]["time_ns"] == 532
    assert {path.stem for path in table.iterdir()} == TABLES
    with (table / "forecast_processes.csv").open(newline="") as file:
        own = [row["own_ns"] for row in csv.DictReader(file) if row["interval_id"] == "0"]
    assert own == ["532", "532", "532"]
    out = capfd.readouterr().out
    assert [path for path in (page, table, data) if str(path) not in out] == []


def test_repeated_forecasts_change_nothing(folder: Path) -> None:
    files = ["--csv", str(folder / "tables"), "--html", str(folder / "page.html")]
    assert run(folder, *files) == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run(folder, *files) == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_each_grid_is_a_forecast_of_its_own(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for grid in ("1", "2", "3"):
        assert run(folder, "--grid", grid) == 0
    query = "SELECT grid, single_process_ns FROM forecasts ORDER BY processes"
    assert rows(folder, query, capfd) == ["1,1000", "2,1000", "3,1000"]


def test_a_comparison_stays_when_the_forecast_is_repeated(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--compare-full") == 0
    assert "The full simulation gives the same times." in capfd.readouterr().out
    assert run(folder) == 0
    assert rows(folder, "SELECT time_ns, full_time_ns FROM forecasts", capfd) == ["532,532"]


def test_automatic_intervals_are_those_of_loops(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--intervals", "parallel") == 0
    query = "SELECT interval, time_ns FROM forecast_intervals ORDER BY interval_id"
    assert rows(folder, query, capfd) == [
        "program,532", "program/parallel,400", "program/edges,260",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--grid", "3x"], 2, "--grid 3x: give the processes in each dimension"),
        (["--grid", "0"], 2, "--grid 0: give"),
        (["--grid", "2x2"], 16, "needs 1"),
        (["--grid", "9"], 16, "8 cores, too few for 9 processes"),
        (["--variant", "none"], 16, "variants are serial"),
        (["--speed", "0"], 2, "must be above 0"),
        (["--html", "nowhere/page.html"], 10, "no folder nowhere"),
        (["--json", "nowhere/all.json"], 10, "no folder nowhere"),
        (["--csv", "nowhere/tables"], 10, "no folder nowhere"),
        (["--shortcuts", "some"], 2, "--shortcuts"),
        (["--measured", "-1"], 16, "--measured: give seconds above 0"),
        (["--measured", "r1"], 11, "no store"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options_are_one_line_and_leave_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str], options: list[str], code: int, words: str
) -> None:
    before = set(folder.iterdir())
    assert run(folder, *options) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert set(folder.iterdir()) == before


def test_a_folder_with_other_files_is_kept(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--csv", str(folder)) == 10
    assert "holds other files, such as example.toml" in capfd.readouterr().err
    assert run(folder, "--csv", str(folder / "h.toml")) == 10
    assert "a file is there" in capfd.readouterr().err
    assert not (folder / "store").exists()


def test_missing_programs_and_clusters_are_named(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, program="other.toml") == 11
    assert "other.toml" in capfd.readouterr().err
    cluster = str(folder / "none.toml")
    assert cli.main(["forecast", str(folder / "example.toml"), "--cluster", cluster]) == 11
    assert "none.toml" in capfd.readouterr().err


def test_a_program_of_processes_needs_another_description(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "ring.toml").write_text('processes = 4\n[[phase]]\nkind = "work"\n')
    assert run(folder, program="ring.toml") == 16
    assert "needs a program of data: give grid, not processes" in capfd.readouterr().err


def test_a_program_without_a_cluster_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["forecast", str(folder / "example.toml")]) == 2
    assert "a forecast of a program needs --cluster" in capfd.readouterr().err


def test_a_run_without_records_cannot_be_replayed(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    publish(Store(folder / "store"), "r1")
    given = ["--cluster", str(folder / "h.toml"), "--store", str(folder / "store")]
    assert cli.main(["forecast", "r1", *given]) == 11
    assert len(capfd.readouterr().err.splitlines()) == 1
    assert cli.main(["forecast", "r2", *given]) == 11
    assert "no run or campaign r2" in capfd.readouterr().err


def test_parts_of_branches_never_exceed_the_time_of_a_process(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # Each execution adds floor(0.4 · 1 + 0.5) = 0 ns to the clock, but 0.4 ns of computing.
    text = 'grid = [1]\niterations = 3\n[[phase]]\nkind = "branch"\n[[phase.alternative]]\n'
    text += 'probability = 0.4\n[[phase.alternative.phase]]\nkind = "serial"\ntime_ns = 1\n'
    (folder / "branch.toml").write_text(text)
    assert run(folder, program="branch.toml") == 0
    query = "SELECT own_ns, productive_ns, communication_ns FROM forecast_processes"
    assert rows(folder, query, capfd) == ["0,0,0"]


def test_a_full_disk_leaves_earlier_files_as_they_are(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ["--csv", str(folder / "tables"), "--json", str(folder / "all.json")]
    assert run(folder, *files) == 0
    before = {path: path.read_bytes() for path in folder.rglob("*.csv")}
    written: list[object] = []

    def write(*given: object) -> None:
        written.append(given)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tracemill.forecast.exporting.arrow_csv.write_csv", write)
    assert run(folder, "--grid", "2", *files) == 10
    assert "No space left" in capfd.readouterr().err
    assert {path: path.read_bytes() for path in folder.rglob("*.csv")} == before
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_a_store_that_cannot_be_written_is_one_line(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "store").mkdir()
    (folder / "store" / "forecasts").write_text("")
    assert run(folder, "--html", str(folder / "page.html")) == 30
    out, err = capfd.readouterr()
    assert out == ""
    assert "a file is in the way" in err
    assert not (folder / "page.html").exists()
