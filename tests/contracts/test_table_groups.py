"""The command .tables: tables to begin with, and all by question, on one screen."""

from collections import Counter

import duckdb
import pytest

from tracemill import schemas
from tracemill.base.console import plain
from tracemill.base.errors import QueryError
from tracemill.reference.documents import schema_modules
from tracemill.schemas import BY_NAME
from tracemill.shell.commands import run_command
from tracemill.shell.formats import Output
from tracemill.shell.session import Session
from tracemill.shell.table_groups import FIRST, GROUPS, grouped, print_groups
from tracemill.store.database import create_empty

STORED = [name for name, table in BY_NAME.items() if not table.is_transient]


def lines_of(names: list[str], width: int) -> list[str]:
    console = plain(width)
    print_groups(names, console)
    return console.export_text().splitlines()


def test_every_module_of_tables_belongs_to_one_question() -> None:
    """Tables of patterns follow by themselves: they are those of no question."""
    counts = Counter(module for group in GROUPS for module in group.modules)
    assert set(counts) == set(schema_modules()) - {schemas.patterns}
    assert set(counts.values()) == {1}


def test_ten_tables_come_first() -> None:
    assert len(FIRST) == 10
    assert FIRST[:4] == ("waits", "calls", "messages_by_rank", "iterations_by_rank")
    assert set(FIRST) <= set(STORED)


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_fits_a_screen(width: int) -> None:
    of_run = [table.name for table in (*schemas.TABLES, *schemas.VIEWS) if not table.is_transient]
    lines = lines_of([*of_run, "mine"], width)
    assert len(lines) <= 24
    assert max(map(len, lines)) <= width
    assert lines[0] == "To begin with"
    assert lines[1].split()[0] == "waits"
    assert any(line.startswith("yours ") for line in lines)


def test_every_table_is_in_one_line_if_there_is_space() -> None:
    lines = lines_of(STORED, 100_000)[11:]
    words = Counter(word for line in lines for word in line.split("  ")[1:])
    assert {name: words[name] for name in STORED if words[name] != 1} == {}


def test_tables_of_a_campaign_have_their_questions_only() -> None:
    names = [table.name for table in schemas.CAMPAIGN_TABLES]
    assert {group.name for group, _ in grouped(names)} == {"scaling", "time"}
    assert lines_of(names, 100)[0] == "By question"


def test_a_question_or_a_word_selects_tables() -> None:
    connection = duckdb.connect()
    for table in schemas.TABLES:
        create_empty(connection, table)
    session = Session(connection, frozenset())

    def listed(word: str) -> list[str]:
        rows = run_command(session, f".tables {word}", Output(format="csv", console=plain()))
        return [name for name, *_ in connection.execute(rows).fetchall()]

    assert listed("course")[:5] == [
        "loop_children", "iteration_loop", "iteration_candidates", "iteration_spans", "iterations",
    ]  # fmt: skip
    assert {"wait_states", "awaited_messages"} <= set(listed("WAIT"))
    assert set(listed("wait")) < set(listed("all")) == set(listed(""))
    with pytest.raises(QueryError, match="no tables xyzzy: give a part of a name, all, or one of"):
        listed("xyzzy")
