"""The command line: help for everything, results and messages apart, an exit code per failure."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tracemill import cli
from tracemill.base.errors import MissingInputError, UsageError
from tracemill.base.version import VERSION
from tracemill.reference.commands import HELP_WIDTH, command_names, help_of

ROOT = Path(__file__).parents[2]
COMMANDS = command_names(cli.app)
HEAVY = ("duckdb", "pyarrow", "polars", "numpy", "numba", "scipy", "jinja2", "otf2", "schemas")


def test_the_commands_are_these() -> None:
    assert [" ".join(words) for words in COMMANDS] == [
        "analyze", "best-grid", "campaign", "compare", "counters", "du", "explain",
        "export perfetto", "export picture", "export severities", "export speedscope",
        "export tables", "forecast", "forecast-errors", "generate", "hierarchy", "iterations",
        "nightly", "overheads", "patterns list", "phases", "pop",
        "program-from", "prune", "quality", "report", "runs", "sql", "tables",
        "what-if",
    ]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_and_all_its_parameters(words: tuple[str, ...]) -> None:
    lines = help_of(words).splitlines()
    assert lines[0].startswith(f"Usage: tracemill {' '.join(words)}")
    assert lines[2].endswith(".")
    parameters = [line.strip() for line in lines if re.match(r"  (--[a-z]|[A-Z]+:)", line)]
    for line in parameters:
        name, _, meaning = line.partition(": ")
        assert re.sub(r"\[.*?\]", "", meaning).strip(), f"{name} is not explained"
    for line in lines[lines.index("Parameters:") + 1 :]:
        assert re.match(r"  (--[a-z]|[A-Z]| {4}\S)", line), "wrapped lines stand below their name"
        assert len(line) <= HELP_WIDTH


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; from tracemill.cli import main; main(['--help']); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.splitlines()[-1].split())
    assert "tracemill.cli" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{VERSION}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["analyze"],
        ["analyze", "a", "b"],
        ["analyze", "a", "--nosuch"],
        ["analyze", "a", "--threads", "many"],
        ["analyze", "a", "--threads", "0"],
        ["analyze", "a", "--memory-limit", "lots"],
        ["analyze", "a", "--memory-limit", "12"],
        ["analyze", "a", "--memory-limit", "63MB"],
        ["sql", "--format", "xml"],
        ["export", "severities"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_exits_with_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("tracemill: ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("export severities", "export severities needs --output: File to write, such as sev"),
        ("export severities m01 --output", "export severities needs --output: File to write"),
        ("analyze", "analyze needs TRACE: OTF2 anchor file (.otf2), the folder that contains it"),
        ("explain --format", "explain needs --format: one of "),
        ("export picture m01 --output x.svg", "export picture needs --of: one of timeline, mess"),
        ("analyze a b c", "analyze does not take b c: quote arguments with spaces"),
        ("sql FROM visits", "sql does not take visits: quote arguments with spaces"),
        ("campaign t/a t/b t/c t/d t/e", "campaign does not take t/b t/c and 2 more: too many a"),
    ],
)
def test_missing_and_extra_arguments_are_named(
    arguments: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments.split()) == UsageError.exit_code
    line = capsys.readouterr().err
    assert line.startswith(f"tracemill: {told}")
    assert line.endswith("(see --help)\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["analyze", "a", "--threads", "0"], 2, "--threads 0: must be at least 1 (see --help)"),
        (["analyze", "a", "--memory-limit", "5XB"], 2,
         "--memory-limit 5XB: give a size such as 500MB or 2GB (see --help)"),
        (["analyze", "a", "--threads", "x"], 2,
         "--threads x: give a whole number (see --help)"),
        (["export", "perfetto", "--run", "r"], 2, "Unknown option: --run (see --help)"),
        (["analyze", "a", "--fail-if", "run_time >> 5"], 2,
         "--fail-if run_time >> 5: this is not a condition: write FIGURE > NUMBER, such as "
         "'waiting > 20%' or 'run_time > 1.5s'"),
        (["explain", "nonsense"], MissingInputError.exit_code,
         "no metric nonsense: tracemill explain, without a name, lists all"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_its_option_and_what_to_do(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == code
    assert capsys.readouterr().err == f"tracemill: {message}\n"


@pytest.mark.parametrize("arguments", [["report"], ["sql", "SELECT 1"], ["report", "x"]])
def test_a_store_without_runs_says_to_analyze_first(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main([*arguments, "--store", str(tmp_path)])
    assert code == MissingInputError.exit_code
    assert "analyze a trace first" in capsys.readouterr().err


def test_a_terminal_without_unicode_gets_question_marks(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "tracemill", "tables", "visits"],
        cwd=tmp_path, env=environment, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(b"visits ? Region visits")


def test_tables_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "table\tgrain\tmeaning"
    assert any(line.startswith("visits\tone row per region visit\tRegion visits") for line in lines)
    assert all(line == line.rstrip() and "  " not in line for line in lines)
    assert cli.main(["tables", "visits"]) == 0
    shown = capsys.readouterr().out
    assert "rule: leave_not_before_enter" in shown
    assert re.search(r"^enter_ns\tint64\tns\tTime of entry into the region", shown, re.MULTILINE)


def test_an_unknown_table_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables", "visit"]) == MissingInputError.exit_code
    told = capsys.readouterr().err
    assert "did you mean visits or visit_sums?" in told
    assert "synchronized_members" not in told  # transient


@pytest.mark.parametrize("arguments", [["runs"], ["sql", "SELECT 1"], ["sql", "x", "--all-runs"]])
def test_a_store_that_is_none_is_an_error(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert cli.main([*arguments, "--store", str(tmp_path / "nosuch")]) == 11
    assert cli.main([*arguments, "--store", str(file)]) == 30
    assert capsys.readouterr().out == ""
