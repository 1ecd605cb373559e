"""The command line: help for everything, results and messages apart, an exit code per failure."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from rich.theme import Theme

from pipeline import cli, commands, errors
from pipeline.console import STYLES, ProgressReporter, messages, plain, results
from pipeline.docs import command_names, help_of
from pipeline.errors import MissingInputError, PipelineError, QueryError
from pipeline.export import export_severities
from pipeline.files import write_text
from pipeline.shell import explain, run_prompt, run_script
from pipeline.version import VERSION
from tests.hand_made import late_sender_run

ROOT = Path(__file__).parents[2]
COMMANDS = command_names(cli.app)
HEAVY = ("duckdb", "pyarrow", "polars", "numpy", "numba", "scipy", "jinja2", "otf2", "schemas")


@pytest.fixture(autouse=True)
def _fresh_consoles() -> Iterator[None]:
    """Consoles remember whether they write to a terminal; a test must not inherit that."""
    results.cache_clear()
    messages.cache_clear()
    yield
    results.cache_clear()
    messages.cache_clear()


def run_command(*arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, **options
    )


def test_the_commands_are_these() -> None:
    assert [" ".join(words) for words in COMMANDS] == [
        "analyze", "explain", "export severities", "report", "runs", "sql", "tables",
    ]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_and_all_its_parameters(words: tuple[str, ...]) -> None:
    lines = help_of(words).splitlines()
    assert lines[0].startswith(f"Usage: tracemill {' '.join(words)}")
    assert lines[2].endswith(".")
    parameters = [line.strip() for line in lines if re.match(r"  (--)?[A-Za-z]", line)]
    for line in parameters:
        name, _, meaning = line.partition(": ")
        assert re.sub(r"\[.*?\]", "", meaning).strip(), f"{name} is not explained"


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; from pipeline.cli import main; main(['--help']); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.splitlines()[-1].split())
    assert "pipeline.cli" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_missing_trace_is_told_in_one_line(tmp_path: Path) -> None:
    done = run_command("analyze", "no such trace", cwd=tmp_path)
    assert done.returncode == MissingInputError.exit_code
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "no such trace" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["report"], ["sql", "SELECT 1"], ["report", "x"]])
def test_a_store_without_runs_says_to_analyse_first(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main([*arguments, "--store", str(tmp_path)])
    assert code == MissingInputError.exit_code
    assert "analyse a trace first" in capsys.readouterr().err


def all_errors(base: type[PipelineError] = PipelineError) -> list[type[PipelineError]]:
    return [base] + [each for child in base.__subclasses__() for each in all_errors(child)]


def test_every_error_has_an_exit_code_of_its_own_that_no_shell_uses() -> None:
    public = [each for each in all_errors() if each.__module__ == errors.__name__]
    codes = [each.exit_code for each in public]
    assert len(codes) == len(set(codes))
    assert all(3 <= code < 126 for code in codes)


def _fail_with(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_an_error_ends_with_its_exit_code(
    kind: type[PipelineError],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands, "list_runs", _fail_with(kind("what: where,\n  what to do [x]")))
    assert cli.main(["runs"]) == kind.exit_code
    assert capsys.readouterr().err == "tracemill: what: where, what to do [x]\n"


def test_an_interruption_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "list_runs", _fail_with(KeyboardInterrupt()))
    assert cli.main(["runs"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_our_own_bugs_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "list_runs", _fail_with(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.main(["runs"])


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m pipeline tables | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


def test_a_terminal_without_unicode_gets_question_marks(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "tables", "visits"],
        cwd=tmp_path, env=environment, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(b"visits ? Region visits")


def test_tables_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables"]) == 0
    assert re.search(r"^visits +one row per region visit ", capsys.readouterr().out, re.MULTILINE)
    assert cli.main(["tables", "visits"]) == 0
    shown = capsys.readouterr().out
    assert "rule: leave_not_before_enter" in shown
    assert re.search(r"^enter_ns +int64 +ns +When the region was entered", shown, re.MULTILINE)


def test_an_unknown_table_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables", "visit"]) == MissingInputError.exit_code
    told = capsys.readouterr().err
    assert "did you mean visits?" in told
    assert "synchronised_members" not in told  # transient


@pytest.mark.parametrize("arguments", [["runs"], ["sql", "SELECT 1"], ["sql", "x", "--all-runs"]])
def test_a_store_that_is_none_is_an_error(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert cli.main([*arguments, "--store", str(tmp_path / "nosuch")]) == 11
    assert cli.main([*arguments, "--store", str(file)]) == 30
    assert capsys.readouterr().out == ""


# --- export ------------------------------------------------------------------------------------

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
    with pytest.raises(MissingInputError, match="no folder"):
        export_severities(late_sender_run(), tmp_path / "nosuch" / "severities.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"use \.csv or \.parquet"):
        export_severities(late_sender_run(), tmp_path / "severities.txt")


def test_a_failed_export_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    output = tmp_path / "severities.csv"
    output.write_text("old")
    broken = late_sender_run()
    rows = [{"metric": "time", "call_path_id": 0, "location_id": 0, "value": 1}]
    broken = type(broken)({**broken.tables, "severities": rows, "metrics": []})
    export_severities(broken, output)
    assert output.read_text().splitlines() == [",".join(COLUMNS)]
    (tmp_path / "taken.csv").mkdir()
    with pytest.raises(PipelineError, match="cannot write"):
        export_severities(late_sender_run(), tmp_path / "taken.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["severities.csv", "taken.csv"]


def test_a_text_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write_text(path, "first")
    write_text(path, "second \udcff")
    assert path.read_text() == "second ?"
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match="cannot write"):
        write_text(tmp_path / "file" / "report.md", "text")
    assert {each.name for each in tmp_path.iterdir()} == {"report.md", "file"}


# --- sql ---------------------------------------------------------------------------------------


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with late_sender_run().connect() as connection:
        yield connection


def printed(connection: duckdb.DuckDBPyConnection, script: str, format: Any) -> str:
    console = plain()
    run_script(connection, script, format, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


ROW = "SELECT 1 AS number, NULL AS nothing, 'a,\"b' AS word, true AS truth, 1.50 AS amount"


def test_rows_are_printed_as_csv(database: duckdb.DuckDBPyConnection) -> None:
    assert printed(database, ROW, "csv") == (
        'number,nothing,word,truth,amount\n1,,"a,""b",true,1.50\n'
    )


def test_rows_are_printed_as_json(database: duckdb.DuckDBPyConnection) -> None:
    shown = json.loads(printed(database, f"{ROW} UNION ALL {ROW}", "json"))
    row = {"number": 1, "nothing": None, "word": 'a,"b', "truth": True, "amount": 1.5}
    assert shown == [row, row]
    assert json.loads(printed(database, f"{ROW} LIMIT 0", "json")) == []


def test_sums_stay_exact_in_json(database: duckdb.DuckDBPyConnection) -> None:
    shown = printed(database, "SELECT sum(9007199254740993::BIGINT) AS total", "json")
    assert json.loads(shown) == [{"total": 9007199254740993}]


def test_what_json_has_no_number_for_is_null(database: duckdb.DuckDBPyConnection) -> None:
    shown = printed(database, "SELECT 'nan'::DOUBLE AS a, 'infinity'::DOUBLE AS b", "json")
    assert json.loads(shown) == [{"a": None, "b": None}]


def test_several_results_are_no_json(database: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(QueryError, match="takes one statement"):
        printed(database, "SELECT 1; SELECT 2", "json")
    shown = printed(database, "CREATE TEMP TABLE t AS SELECT 7 AS n; FROM t", "json")
    assert json.loads(shown) == [{"n": 7}]


def test_commands_work_in_a_script(database: duckdb.DuckDBPyConnection) -> None:
    assert "wait_states" in printed(database, ".tables", "table").split()
    shown = printed(database, "SELECT 3 AS n;\n.schema wait_states\n.quit\nSELECT 4", "table")
    assert shown.split()[:2] == ["n", "3"]
    assert "How long the call waited." in shown
    assert "4" not in shown.split()


def test_rows_are_printed_as_a_table(database: duckdb.DuckDBPyConnection) -> None:
    lines = printed(database, ROW, "table").splitlines()
    assert lines[0].split() == ["number", "nothing", "word", "truth", "amount"]
    assert lines[1].split() == ["1", 'a,"b', "true", "1.50"]


def test_a_table_shows_no_control_characters(database: duckdb.DuckDBPyConnection) -> None:
    assert "\x1b" not in printed(database, "SELECT chr(27) || '[31m[bold]x' AS c", "table")


def test_a_long_table_is_cut_and_says_so(
    database: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(database, "FROM range(1001)", "table")
    assert len(shown.splitlines()) == 1001  # a heading and 1000 rows
    assert "--format csv" in capsys.readouterr().err
    assert len(printed(database, "FROM range(1001)", "csv").splitlines()) == 1002


def test_statements_run_one_after_another(database: duckdb.DuckDBPyConnection) -> None:
    script = "CREATE TEMP TABLE t AS SELECT 7 AS n; SELECT n + 1 AS m FROM t; -- done\n"
    assert printed(database, script, "csv").splitlines()[-1] == "8"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM visitz", 'Did you mean "visits"'),
        ("SELECT exclusiv_ns FROM visits", '"exclusive_ns"'),
        ("SELEC 1", "syntax error"),
        ("SELECT 1/'x'", "Conversion Error"),
    ],
)
def test_a_wrong_query_is_told_in_one_line(
    query: str, said: str, database: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(QueryError) as caught:
        printed(database, query, "table")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "LINE" not in str(caught.value)


def test_running_out_of_memory_has_a_hint() -> None:
    assert "LIMIT" in explain(duckdb.OutOfMemoryException("Out of Memory Error: too much"))


def prompt(database: duckdb.DuckDBPyConnection, *lines: str | BaseException) -> str:
    """What the prompt prints when these lines are typed."""
    typed = iter(lines)

    def read(_: str) -> str:
        line = next(typed, None)
        if isinstance(line, BaseException):
            raise line
        if line is None:
            raise EOFError
        return line

    console = plain()
    run_prompt(database, "table", console, read=read)
    return console.export_text()


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_prompt_joins_lines_to_a_statement(database: duckdb.DuckDBPyConnection) -> None:
    assert prompt(database, "SELECT 40", "  + 2 AS answer;").split() == ["answer", "42"]


def test_the_prompt_lists_tables_and_explains_one(database: duckdb.DuckDBPyConnection) -> None:
    assert "wait_states" in prompt(database, ".tables").split()
    shown = prompt(database, ".schema wait_states")
    assert "How long the call waited." in shown
    assert "number" in prompt(database, "CREATE TABLE own (number INT);", ".schema own").split()


def test_the_prompt_goes_on_after_an_error(
    database: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = prompt(database, "SELEC;", ".nosuch", "SELECT 3 AS n;")
    assert shown.split() == ["n", "3"]
    assert capsys.readouterr().err.count("tracemill: ") == 2


def test_the_prompt_forgets_a_line_on_ctrl_c_and_ends_on_quit(
    database: duckdb.DuckDBPyConnection,
) -> None:
    shown = prompt(
        database, "SELECT nonsense", KeyboardInterrupt(), "SELECT 4 AS n;", ".quit", "SELECT 5;"
    )
    assert shown.split() == ["n", "4"]


# --- progress ----------------------------------------------------------------------------------


def test_progress_is_plain_text_where_there_is_no_terminal() -> None:
    console = plain()
    with ProgressReporter(console) as reporter:
        reporter.stage_started("read", 100)
        reporter.stage_advanced("read", 60)
        reporter.stage_finished("read", 2.5)
        reporter.stage_started("call_tree", None)
        reporter.stage_finished("call_tree", 0.01)
        reporter.note("something\nworth [knowing]")
    assert console.export_text() == "reading events: 2.5 s\nsomething worth [knowing]\n"


def test_progress_is_drawn_on_a_terminal() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, theme=Theme(STYLES))
    with ProgressReporter(console) as reporter:
        reporter.stage_started("read", 100)
        reporter.stage_advanced("read", 60)
    assert "60 / 100" in file.getvalue()
