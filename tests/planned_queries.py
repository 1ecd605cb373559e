"""Queries that are planned once and run many times, which is most of their time on few rows."""

import re
from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa

from tracemill.schemas import Table
from tracemill.sql.query_files import Value


class PlannedQueries:
    """Runs the queries of a connection, each planned when it first runs.

    DuckDB plans anew at every run what has parameters, hence their values become part of the
    text, and what was planned before the newest table was made, hence all tables come first.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._planned: dict[str, str | duckdb.Statement] = {}
        self._given: dict[str, _GivenRows] = {}

    def make_table(self, table: Table) -> None:
        """Make an empty table, which `fill` puts rows into."""
        given = self._given[table.name] = _GivenRows(table)
        self._connection.register(f"given_{table.name}", given)
        self._connection.execute(f"CREATE TABLE {table.name} AS FROM given_{table.name}")

    def fill(self, name: str, rows: pa.Table) -> None:
        """Put rows into a table; making a view of them would make all queries planned anew."""
        if rows.num_rows:
            self._given[name].change(rows)
            self.run(f"INSERT INTO {name} FROM given_{name}", {})

    def run(self, text: str, values: Mapping[str, Value]) -> duckdb.DuckDBPyConnection:
        """Run a query; gives back the connection, which holds what it found."""
        told = with_values(text, values)
        if told not in self._planned:
            self._planned[told] = self._plan(told)
        return self._connection.execute(self._planned[told])

    def _plan(self, text: str) -> str | duckdb.Statement:
        """What runs a query; a plan with an ASOF join fails when it runs again, so it has none."""
        if "ASOF" in text:
            (statement,) = self._connection.extract_statements(text)
            return statement
        name = f"planned_{len(self._planned)}"
        self._connection.execute(f"PREPARE {name} AS {text}")
        return f"EXECUTE {name}"


class _GivenRows:
    """Rows that a planned query reads, others at every run, all of the types of their table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows = table.empty()

    def change(self, rows: pa.Table) -> None:
        fits = rows.schema == self._table.arrow_schema
        self._rows = rows if fits else self._table.conform(rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._rows.__arrow_c_stream__(requested_schema)


def with_values(text: str, values: Mapping[str, Value]) -> str:
    """A query whose parameters have become their values."""
    return re.sub(r"\$(\w+)", lambda found: _literal(values[found[1]]), text) if values else text


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"{value!r}::DOUBLE" if isinstance(value, float) else repr(value)
