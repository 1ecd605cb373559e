"""A query gives the same rows in the report, in Python, and in each format of the shell."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tracemill import open_store
from tracemill.api import Tables
from tracemill.base.console import plain
from tracemill.engine.analyze import Analysis
from tracemill.reports.build import build_report
from tracemill.reports.tables import bind_values, fetch
from tracemill.shell.cookbook import run_questions
from tracemill.shell.formats import LONGEST_TABLE, Output
from tracemill.shell.script import run_script
from tracemill.shell.session import Session
from tracemill.sql.query_files import Query, all_queries
from tracemill.store.runs import Run

DATA = Path(__file__).parents[2] / "data"
ROW_LIMIT = 15
REPORTED = [query for query in all_queries() if query.concept == "reports"]
# Those that are asked with more than a number of rows.
OTHERS: dict[str, Any] = {
    "window_begin_ns": 0,
    "window_end_ns": 2**62,
    "begins_ns": [0],
    "ends_ns": [2**62],
    "call_paths": ["main"],
}
each_query = pytest.mark.parametrize("query", REPORTED, ids=lambda query: query.relation)
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def run(analysis_of: Callable[[str], Analysis]) -> Run:
    """A run with processes, threads, messages and collectives."""
    return analysis_of("m29_hybrid").run


@pytest.fixture(scope="module")
def tables(run: Run) -> Iterator[Tables]:
    with open_store(run.path.parents[2]).run(run.run_id) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(run: Run) -> Iterator[Session]:
    with run.connect() as connection:
        yield Session.begin(connection)


def typed(query: Query) -> str:
    """The query as somebody would type it: with its values written in."""
    sql = bind_values(query.statement, {"row_limit": ROW_LIMIT})
    for parameter in query.parameters:
        value = parameter.default if parameter.has_default else OTHERS.get(parameter.name)
        sql = sql.replace(f"${parameter.name}", str(value))
    return sql


def shell(session: Session, sql: str, format: Any) -> str:
    console = plain()
    run_script(session, sql, Output(format=format, console=console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def parquet(session: Session, sql: str) -> Rows:
    file = io.BytesIO()
    run_script(session, sql, Output(format="parquet", console=plain(), binary=file))
    return [tuple(row.values()) for row in pq.read_table(file).to_pylist()]


def as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def same_everywhere(session: Session, tables: Tables, sql: str, rows: Sequence[Any]) -> None:
    frame = tables.sql(sql)
    names = frame.columns
    assert [tuple(row) for row in rows] == frame.rows()
    assert parquet(session, sql) == frame.rows()
    header, *lines = csv.reader(io.StringIO(shell(session, sql, "csv")))
    assert header == names
    assert lines == [[as_text(value) for value in row] for row in rows]
    assert json.loads(shell(session, sql, "json")) == [
        dict(zip(names, map(as_json, row), strict=True)) for row in rows
    ]
    shown = [line.split() for line in shell(session, sql, "table").splitlines()]
    assert shown[1:] == [" ".join(map(as_text, row)).split() for row in rows[:LONGEST_TABLE]]


@each_query
def test_a_query_of_reports_gives_the_same_rows(
    query: Query, session: Session, tables: Tables
) -> None:
    names = {parameter.name for parameter in query.parameters}
    assert names <= {"row_limit", *OTHERS} | {p.name for p in query.parameters if p.has_default}
    values = {p.name: p.default if p.has_default else OTHERS.get(p.name) for p in query.parameters}
    values |= {"row_limit": ROW_LIMIT} if "row_limit" in names else {}
    rows = session.connection.execute(query.statement, values).fetchall()
    if names <= {"row_limit"}:
        limit = ROW_LIMIT if names else None
        assert list(fetch(session.connection, query.relation, limit)[1]) == rows
    same_everywhere(session, tables, typed(query), rows)


def test_a_table_of_the_report_holds_the_rows_of_its_query(
    run: Run, session: Session, tables: Tables
) -> None:
    every = [table for section in build_report(run).sections for table in section.tables]
    shown = [table for table in every if table.sql]  # others are about the analysis, not the run
    assert len(shown) > 15
    for table in shown:
        found = tables.sql(table.sql)
        assert found.columns == [column.name for column in table.columns], table.name
        assert found.rows() == list(table.rows), table.name


def test_an_example_gives_the_same_rows(session: Session, tables: Tables) -> None:
    for recipe in run_questions():
        rows = session.connection.execute(recipe.sql).fetchall()
        assert tables.example(recipe.number).rows() == rows
        same_everywhere(session, tables, recipe.sql, rows)
