"""The prompt: what Tab offers, when a statement ends, what is remembered, in a real terminal."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tests.helpers.store_cases import publish
from tracemill.shell.completion import Catalog, complete
from tracemill.shell.harlequin import write_views
from tracemill.shell.prompt import is_whole_statement, make_prompt
from tracemill.shell.session import Session
from tracemill.store.runs import Store

ROOT = Path(__file__).parents[2]
CATALOG = Catalog(
    columns={
        "visits": ["location_id", "visit_id", "exclusive_ns"],
        "wait_states": ["property", "location_id", "wait_ns"],
        "waits": ["wait_id"],
    },
    examples=["waits_by_rank"],
)


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def offered(line: str, behind: str = "") -> list[str]:
    return [name for name, _ in complete(line, line + behind, CATALOG)]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (".de", [".describe"]),
        (".describe ", ["visits", "wait_states", "waits"]),
        (".describe wait_", ["wait_states"]),
        (".examples wa", ["waits_by_rank"]),
        (".examples 1 ", []),
        ("FROM w", ["wait_states", "waits"]),
        ("SELECT * FROM visits, wai", ["wait_states", "waits"]),
        ("SELECT * FROM visits JOIN wait_", ["wait_states"]),
        ("SELECT visits.e", ["exclusive_ns"]),
        ("", []),
    ],
)
def test_names_are_offered_where_they_fit(line: str, names: list[str]) -> None:
    assert offered(line) == names


def test_columns_of_the_tables_in_the_statement_come_first() -> None:
    assert offered("SELECT wait_", " FROM wait_states")[0] == "wait_ns"
    assert offered("SELECT v.v", " FROM visits AS v") == ["visit_id"]
    assert offered("SELECT v.v", " FROM visits v") == ["visit_id"]
    assert offered("SELECT LOC", " FROM visits")[0] == "location_id"
    assert "SELECT" in offered("sel")


def test_what_is_offered_replaces_the_word_alone() -> None:
    assert list(complete("SELECT visits.exc", "SELECT visits.exc", CATALOG)) == [
        ("exclusive_ns", "exc")
    ]


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; \n", True),
        ("SELECT 'é'; -- of France", True),
        ("SELECT 1 -- one;", False),
        ("SELECT ';", False),
        (".tables", True),
        ("quit", True),
        ("", True),
    ],
)
def test_a_statement_ends_with_a_semicolon(text: str, is_whole: bool) -> None:
    assert is_whole_statement(text) == is_whole


def typed(*keys: str) -> str:
    """What the prompt returns when these keys are pressed."""
    with create_pipe_input() as pipe:
        pipe.send_text("".join(keys))
        return make_prompt(lambda: CATALOG, input=pipe, output=DummyOutput()).prompt()


def test_enter_goes_on_until_the_statement_ends() -> None:
    assert typed("SELECT 40\r", "+ 2;\r") == "SELECT 40\n+ 2;"
    assert typed(".tables\r") == ".tables"


def test_tab_completes_a_name() -> None:
    assert typed("SELECT exclusive_ns FROM vis", "\t", ";\r") == (
        "SELECT exclusive_ns FROM visits;"
    )


def test_ctrl_c_gives_a_statement_up_and_ctrl_d_ends() -> None:
    with pytest.raises(KeyboardInterrupt):
        typed("SELECT nonsense\x03")
    with pytest.raises(EOFError):
        typed("\x04")


def test_what_was_typed_is_there_in_the_next_session() -> None:
    typed("SELECT 1;\r")
    assert typed("\x1b[A\r") == "SELECT 1;"


def test_a_history_that_cannot_be_written_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert typed("SELECT 1;\r") == "SELECT 1;"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """`tracemill sql` in a terminal of its own."""
    publish(Store(tmp_path / "store"), "r1")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tracemill", "sql", "--store", str(tmp_path / "store")],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    yield ours, process
    process.kill()
    process.wait()
    os.close(ours)


def read_until(terminal: int, wanted: str, seconds: float = 60) -> str:
    """What the terminal shows up to `wanted`."""
    seen = b""
    end = time.monotonic() + seconds
    while wanted.encode() not in seen:
        assert time.monotonic() < end, f"{wanted!r} is not in {seen!r}"
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
            if b"\x1b[6n" in seen:  # where is the cursor?
                os.write(terminal, b"\x1b[1;1R")
                seen = seen.replace(b"\x1b[6n", b"")
    return seen.decode(errors="replace")


def test_a_session_in_a_terminal(terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    ours, process = terminal
    read_until(ours, "tracemill>")
    os.write(ours, b"SELECT count(*) + 40 AS answer FROM places;\r")
    read_until(ours, "42")
    os.write(ours, b"DROP VIEW places;\r")
    read_until(ours, "read-only")
    os.write(ours, b".describe places\r")
    read_until(ours, "location_id")
    os.write(ours, b".quit\r")
    assert process.wait(timeout=60) == 0


def test_harlequin_gets_every_table_and_cannot_change_any(tmp_path: Path) -> None:
    publish(Store(tmp_path / "store"), "r1")
    path = tmp_path / "views.duckdb"
    with Store(tmp_path / "store").open().connect() as connection:
        session = Session.begin(connection)
        write_views(session, path)
        with duckdb.connect(path, read_only=True) as database:
            names = {name for (name,) in database.execute("SHOW TABLES").fetchall()}
            assert names == set(session.given)
            assert database.execute("SELECT count(*) FROM places").fetchall() == [(2,)]
            with pytest.raises(duckdb.Error, match="read-only"):
                database.execute("DROP VIEW places")
