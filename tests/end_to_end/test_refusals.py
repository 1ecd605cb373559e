"""What is refused, with which exit code, and what happens if nobody reads the output."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tracemill import cli
from tracemill.engine.analyze import Analysis

ROOT = Path(__file__).parents[2]
TRACE = ROOT / "data" / "m01_late_sender"
RULES = "paradigm,role,name,class,subclass\n*,*,*,computation,user cod\n"
BROKEN_PIPE = 141


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, analysis_of: Callable[[str], Analysis]) -> Path:
    """A store in which the trace was analyzed."""
    analyzed = analysis_of(TRACE.name).run.path.parents[2]
    folder = tmp_path_factory.mktemp("analyzed") / "store"
    return shutil.copytree(analyzed, folder, copy_function=os.link)


@pytest.fixture
def place(tmp_path: Path, store: Path) -> Path:
    """A folder with a wrong file of rules, a file in the way, and what is no trace."""
    (tmp_path / "rules.csv").write_text(RULES)
    (tmp_path / "taken.csv").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "traces.otf2").write_text("no trace")
    (tmp_path / "store").symlink_to(store)
    return tmp_path


# The code of each is that of docs/reference/commands.md.
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("export severities --output nosuch/a.csv", 10),
        ("export severities --output taken.csv", 10),
        ("export severities --output file/a.csv", 10),
        ("report --output nosuch/a.html", 10),
        ("report --output file/a.html", 10),
        ("export severities --output a.txt", 2),
        ("report --output a.pdf", 2),
        ("sql SELECT --run m01 --all-runs", 2),
        (f"analyze {TRACE} --overhead-classes rules.csv", 2),
        (f"analyze {TRACE} --overhead-classes taken.csv", 2),
        (f"analyze {TRACE} --overhead-classes nosuch.csv", 11),
        ("analyze nosuch", 11),
        ("report nosuch", 11),
        ("tables nosuch", 11),
        ("explain nosuch", 11),
        ("analyze traces.otf2", 12),
        ("sql SELECT", 21),
    ],
)
def test_a_refusal_is_one_line_with_the_code_that_the_readme_lists(
    command: str,
    code: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    assert cli.main(command.split()) == code
    captured = capsys.readouterr()
    assert captured.err.startswith("tracemill: ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert sorted(place.iterdir()) == before


def test_a_size_of_memory_that_cannot_be_is_a_wrong_command_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["analyze", str(TRACE), "--store", str(place / "store")]
    assert cli.main([*arguments, "--memory-limit", "90000000TB"]) == 2
    assert "tracemill: --memory-limit 90000000TB: " in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_store_that_lost_a_table_cannot_be_read(
    damage: str, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = shutil.copytree(store, tmp_path / "store")
    (table,) = broken.glob("runs/run=*/gen=*/locations.parquet")
    if damage == "gone":
        table.unlink()
    else:
        os.truncate(table, table.stat().st_size // 2)
    for command in ("sql SELECT", "sql SELECT --all-runs", "report", "export severities"):
        output = ["--output", str(tmp_path / "a.csv")] if command.startswith("export") else []
        assert cli.main([*command.split(), *output, "--store", str(broken)]) == 30
        message = capsys.readouterr().err
        assert "locations" in message
        assert "analyze the trace again" in message
        assert message.count("\n") == 1
    assert cli.main(["runs", "--store", str(broken)]) == 0
    listed = capsys.readouterr().out
    assert "the store has lost locations: analyze the trace again" in " ".join(listed.split())
    assert cli.main(["analyze", str(TRACE), "--store", str(broken), "--force", "--no-report"]) == 0
    assert cli.main(["report", "--store", str(broken)]) == 0


def run_unread(words: Sequence[str], place: Path, is_error_unread: bool = False) -> tuple[int, str]:
    """Exit code and standard error of a command whose output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "tracemill", *words],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=writing,
        stderr=writing if is_error_unread else subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    return done.returncode, done.stderr or ""


def words_of(command: str) -> list[str]:
    return [word.replace("=", " ") for word in command.split()]


@pytest.mark.parametrize(
    "command",
    ["tables", "explain time", "report", "report --format html", "sql .schema=visits",
     "sql FROM=visits --format csv", "sql FROM=visits --format json",
     f"analyze {TRACE} --no-report"],
)  # fmt: skip
def test_a_reader_that_has_seen_enough_gets_no_error(command: str, place: Path) -> None:
    code, message = run_unread(words_of(command), place)
    assert code == BROKEN_PIPE
    assert not message or message.startswith("nothing to do: ")


@pytest.mark.parametrize("command", ["runs", "--help", "sql FROM=visits"])
def test_the_command_itself_tells_nothing_to_a_reader_that_has_seen_enough(
    command: str, place: Path
) -> None:
    """Also when the interpreter ends: in a process that it was started for."""
    assert run_unread(words_of(command), place) == (BROKEN_PIPE, "")


@pytest.mark.parametrize("is_error_unread", [False, True])
def test_reports_are_written_even_if_nobody_reads_what_is_printed(
    is_error_unread: bool, tmp_path: Path
) -> None:
    code, _ = run_unread(["analyze", str(TRACE)], tmp_path, is_error_unread)
    assert code == BROKEN_PIPE
    written = {path.name for path in (tmp_path / "store" / "reports").glob("run=*/*")}
    assert written >= {"index.html", "report.md"}


def test_a_full_disk_behind_the_output_is_reported(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tracemill", "tables"],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True, check=False,
            stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert done.returncode == 10
    assert done.stderr == "tracemill: cannot write to standard output: No space left on device\n"
