"""SQL on a run: printed rows, messages about wrong queries, and the prompt."""

import io
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.helpers.hand_made import late_sender_run
from tests.helpers.store_cases import publish
from tracemill.base.console import plain
from tracemill.base.errors import QueryError
from tracemill.shell.formats import Output
from tracemill.shell.prompt import run_prompt
from tracemill.shell.script import run_interruptibly, run_script
from tracemill.shell.session import Session
from tracemill.sql.mistakes import describe_mistake
from tracemill.store.runs import Store


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A run that tests only read."""
    with late_sender_run().connect() as connection:
        yield connection


@pytest.fixture
def own_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """For tests that make tables, or stop what runs."""
    with duckdb.connect(config={"threads": 1}) as connection:
        late_sender_run().fill(connection)
        yield connection


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("published"))
    publish(store, "r1")
    return store


def printed(connection: duckdb.DuckDBPyConnection, script: str, format: Any) -> str:
    console = plain()
    output = Output(format=format, console=console)
    run_script(Session.begin(connection), script, output)
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


def test_values_without_a_json_number_are_null(database: duckdb.DuckDBPyConnection) -> None:
    shown = printed(database, "SELECT 'nan'::DOUBLE AS a, 'infinity'::DOUBLE AS b", "json")
    assert json.loads(shown) == [{"a": None, "b": None}]


def test_several_results_are_no_json(own_database: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(QueryError, match="takes one statement"):
        printed(own_database, "SELECT 1; SELECT 2", "json")
    shown = printed(own_database, "CREATE TEMP TABLE t AS SELECT 7 AS n; FROM t", "json")
    assert json.loads(shown) == [{"n": 7}]


def test_commands_work_in_a_script(database: duckdb.DuckDBPyConnection) -> None:
    assert "wait_states" in printed(database, ".tables", "table").split()
    script = "SELECT 3 AS n; -- three\n.schema wait_states\n.quit\nSELECT 4"
    shown = printed(database, script, "table")
    assert shown.split()[:2] == ["n", "3"]
    assert "Waiting time of the call." in shown
    assert "4" not in shown.split()


def test_examples_are_listed_and_run(database: duckdb.DuckDBPyConnection) -> None:
    listed = json.loads(printed(database, ".examples", "json"))
    (kinds,) = [row for row in listed if row["name"] == "waits_by_kind"]
    assert kinds["question"].startswith("Which wait states occur")
    for wanted in ("waits_by_kind", kinds["example"]):
        rows = "wait_state,wait_count,wait_seconds,longest_seconds\nLate Sender,1,0.05,0.05\n"
        assert printed(database, f".examples {wanted}", "csv") == rows
    shown = printed(database, ".examples waits_by_kind", "table")
    assert shown.startswith(f"{kinds['question']}\nSELECT\n")
    assert shown.splitlines()[-1].split() == ["Late", "Sender", "1", "0.05", "0.05"]
    with pytest.raises(QueryError, match=r"no example nosuch: see \.examples"):
        printed(database, ".examples nosuch", "table")


def test_examples_are_about_one_run() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE locations (run_id VARCHAR, location_id INT)")
        with pytest.raises(QueryError, match="name it with --run"):
            printed(connection, ".examples", "table")


def test_a_table_is_described_in_every_format(database: duckdb.DuckDBPyConnection) -> None:
    rows = json.loads(printed(database, ".describe wait_states", "json"))
    (wait,) = [row for row in rows if row["column_name"] == "wait_ns"]
    assert (wait["column_type"], wait["unit"]) == ("int64", "ns")
    assert wait["meaning"] == "Waiting time of the call."
    assert printed(database, ".schema wait_states", "csv").count("\n") == len(rows) + 1


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


def test_statements_run_one_after_another(own_database: duckdb.DuckDBPyConnection) -> None:
    script = "CREATE TEMP TABLE t AS SELECT 7 AS n; SELECT n + 1 AS m FROM t; -- done\n"
    assert printed(own_database, script, "csv").splitlines()[-1] == "8"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM visitz", "no table visitz: did you mean visits"),
        ("FROM wait_by_cause", "no table wait_by_cause: did you mean waits_by_cause"),
        (".describe wait", "no table wait: did you mean waits, wait_states, "),
        (".describe enter", "columns: visits.enter_ns, "),
        ("FROM worst_waits", "it is a query of reports, in queries/reports/worst_waits.sql"),
        ("FROM frobnicate", "no table frobnicate (see `tracemill tables`"),
        ("visits", "visits is no statement: FROM visits shows that table"),
        ("wait_state;", "wait_state is no statement: did you mean wait_states"),
        ("waits_by_cause", "it is a query of reports, in queries/reports/waits_by_cause.sql"),
        ("nosuch", "nosuch is no statement (see `tracemill tables` or `.tables`)"),
        ("SELECT exclusiv_ns FROM visits", '"exclusive_ns"'),
        ("SELEC 1", "syntax error"),
        ("SELECT 1/'x'", "Conversion Error"),
    ],
)
def test_a_wrong_query_has_a_message_in_one_line(
    query: str, said: str, database: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(QueryError) as caught:
        printed(database, query, "table")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "LINE" not in str(caught.value)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM places",
        "TRUNCATE places",
        "UPDATE places SET location_id = 0",
        "INSERT INTO places FROM places",
        "MERGE INTO places USING range(1) ON true WHEN MATCHED THEN DELETE",
        "ALTER TABLE places ADD COLUMN mine INT",
        "DROP TABLE places",
        "CREATE TABLE places AS SELECT 1",
        "DROP VIEW places",
        "DROP VIEW main.places; CREATE VIEW places AS SELECT 1",
        "CREATE OR REPLACE VIEW places AS SELECT 1",
        "CREATE TEMP VIEW places AS SELECT 1",
        "CREATE TEMP TABLE places AS SELECT 1",
        "ALTER VIEW places RENAME TO areas",
        "BEGIN; DROP VIEW places",
    ],
)
def test_a_table_of_a_run_is_never_changed_but_a_copy_may_be(
    published: Store, statement: str
) -> None:
    with published.open().connect() as connection:
        with pytest.raises(QueryError, match="the tables of a run are read-only: change a co"):
            printed(connection, statement, "csv")
        printed(connection, "CREATE TABLE mine AS FROM places; DELETE FROM mine", "csv")
        assert printed(connection, "SELECT count(*) AS n FROM mine", "csv") == "n\n0\n"
        assert printed(connection, "SELECT count(*) AS n FROM places", "csv") == "n\n2\n"


def test_what_users_make_themselves_they_may_change(
    own_database: duckdb.DuckDBPyConnection,
) -> None:
    script = "CREATE VIEW mine AS SELECT 1 AS n; DROP VIEW mine; CREATE TABLE mine AS SELECT 2 AS n"
    assert printed(own_database, f"{script}; FROM mine", "csv") == "n\n2\n"
    with pytest.raises(QueryError, match="read-only"):
        printed(own_database, "BEGIN; CREATE TABLE other (n INT); DROP VIEW visits", "csv")
    assert "\nother," not in printed(own_database, ".tables", "csv")


def test_a_pivot_returns_rows(own_database: duckdb.DuckDBPyConnection) -> None:
    script = (
        "CREATE TABLE t AS FROM (VALUES ('a', 1), ('b', 2)) v (k, n); PIVOT t ON k USING sum(n)"
    )
    assert printed(own_database, script, "csv") == "a,b\n1,2\n"
    assert json.loads(printed(own_database, "PIVOT t ON k USING sum(n)", "json")) == [
        {"a": 1, "b": 2}
    ]


def test_programs_get_no_counts_of_changed_rows(own_database: duckdb.DuckDBPyConnection) -> None:
    script = "CREATE TABLE t (n INT); INSERT INTO t VALUES (1), (2)"
    assert printed(own_database, script, "csv") == ""
    assert printed(own_database, "INSERT INTO t VALUES (3)", "table").split() == ["Count", "1"]


def test_what_only_an_analysis_uses_is_reported(published: Store) -> None:
    with (
        published.open().connect() as connection,
        pytest.raises(QueryError, match="no table late_sender: it exists only during an analysis"),
    ):
        printed(connection, "FROM late_sender", "csv")


def test_the_activity_graph_is_computed_on_request(published: Store) -> None:
    with (
        published.open().connect() as connection,
        pytest.raises(QueryError, match="no table activities: add --graph to compute it"),
    ):
        printed(connection, "FROM activities", "csv")


def test_running_out_of_memory_has_a_hint() -> None:
    assert "LIMIT" in describe_mistake(duckdb.OutOfMemoryException("Out of Memory Error: too much"))


def prompt(database: duckdb.DuckDBPyConnection, *lines: str | BaseException) -> str:
    """What the prompt prints when these lines are typed."""
    typed = iter(lines)

    def read() -> str:
        line = next(typed, None)
        if isinstance(line, BaseException):
            raise line
        if line is None:
            raise EOFError
        return line

    console = plain()
    output = Output(format="table", console=console)
    run_prompt(Session.begin(database), output, read=read)
    return console.export_text()


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_quit_leaves_the_prompt_without_a_dot(database: duckdb.DuckDBPyConnection) -> None:
    assert prompt(database, "quit", "SELECT 42;") == ""


def test_a_table_wider_than_the_terminal_names_the_columns_it_leaves_out(
    database: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    # Six columns of ten digits and gaps of two need 70 characters, five 58.
    console = plain(width=60)
    columns = ", ".join(f"{n}000000000 AS c{n}" for n in range(1, 7))
    script = f"SELECT {columns};"
    run_script(Session.begin(database), script, Output(format="table", console=console))
    titles, row = console.export_text().splitlines()
    assert titles.split() == ["c1", "c2", "c3", "c4", "c5"]
    assert row.split() == [f"{n}000000000" for n in range(1, 6)]
    assert capsys.readouterr().err == "in a wider terminal also: c6\n"


def test_plans_of_statements_are_drawn_in_lines(database: duckdb.DuckDBPyConnection) -> None:
    shown = printed(database, "EXPLAIN FROM range(3);", "table")
    assert "RANGE" in shown.upper()
    assert "\\n" not in shown
    assert len(shown.splitlines()) > 3


def test_the_prompt_lists_tables_and_explains_one(own_database: duckdb.DuckDBPyConnection) -> None:
    assert "wait_states" in prompt(own_database, ".tables").split()
    shown = prompt(own_database, ".schema wait_states")
    assert "Waiting time of the call." in shown
    assert "number" in prompt(own_database, "CREATE TABLE own (number INT);", ".schema own").split()


def test_the_prompt_goes_on_after_an_error(
    database: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = prompt(database, "SELEC;", ".nosuch", "SELECT 3 AS n;")
    assert shown.split() == ["n", "3"]
    assert capsys.readouterr().err.count("tracemill: ") == 2


def test_ctrl_c_stops_a_query_that_computes(own_database: duckdb.DuckDBPyConnection) -> None:
    session = Session.begin(own_database)
    endless = "SELECT count(*) FROM range(1000000000000) a, range(1000000) b"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(session, endless, Output(format="csv", console=plain()))
    finally:
        signal.signal(signal.SIGINT, before)
    assert printed(own_database, "SELECT 6 AS n", "csv") == "n\n6\n"


def test_the_prompt_goes_on_after_ctrl_c_and_ends_on_quit(
    database: duckdb.DuckDBPyConnection,
) -> None:
    shown = prompt(database, KeyboardInterrupt(), "SELECT 4 AS n;", ".quit", "SELECT 5;")
    assert shown.split() == ["n", "4"]
