"""Statements on the tables of a run, which no statement may change or hide."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from tracemill.base.errors import QueryError
from tracemill.sql.mistakes import READ_ONLY, statement_errors
from tracemill.sql.query_files import create_all_views
from tracemill.store.forecasts import create_forecast_views

# Statements that can drop, replace, rename or hide a view.
_DEFINING = ("CREATE", "DROP", "ALTER")
# A PIVOT without columns stands for several statements, of which the last is a query.
_PIVOT = "MULTI"
_DEFINED = """
SELECT database_name, schema_name, view_name, sql FROM duckdb_views()
WHERE schema_name = 'main' AND list_contains($databases, database_name)
UNION ALL
SELECT database_name, schema_name, table_name, sql FROM duckdb_tables()
WHERE schema_name = 'main' AND list_contains($databases, database_name)
"""
_WORD = re.compile(r"\w+")
Names = frozenset[str]
Definitions = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Session:
    """A database whose `given` views stay as they are; users may create and change other things."""

    connection: duckdb.DuckDBPyConnection
    given: Names

    @classmethod
    def begin(cls, connection: duckdb.DuckDBPyConnection, store: Path | None = None) -> "Session":
        """A session on a run's views; what they are called is read from the database.

        The tables of the forecasts in the `store` become views, too.
        """
        create_all_views(connection)
        if store is not None:
            create_forecast_views(connection, store)
        return cls(connection, frozenset(name for *_, name, _ in _definitions(connection)))

    def execute(self, statement: "duckdb.Statement") -> duckdb.DuckDBPyConnection | None:
        """Run a statement; fetch its rows, or their number, from the result.

        Raises QueryError, without any change, if it would change a given view. Errors of DuckDB
        pass.
        """
        if statement.type.name in _DEFINING:
            with self._guarded():
                self.connection.execute(statement)
            return None
        cursor = self.connection.execute(statement)
        return None if _expected(statement) == ["NOTHING"] else cursor

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Undo the block, or the user's transaction that it is in, if it changes given views."""
        before = self._protected()
        is_own = not self._is_in_transaction()
        if is_own:
            self.connection.begin()
        try:
            yield
        except BaseException:
            if is_own:
                self.connection.rollback()
            raise
        if self._protected() != before:
            self.connection.rollback()
            raise QueryError(READ_ONLY)
        if is_own:
            self.connection.commit()

    def _is_in_transaction(self) -> bool:
        """True between BEGIN and COMMIT; without them each statement is one of its own."""
        first, second = (
            self.connection.execute("SELECT txid_current()").fetchall() for _ in range(2)
        )
        return first == second

    def _protected(self) -> Definitions:
        return frozenset(each for each in _definitions(self.connection) if each[2] in self.given)

    def tables(self) -> list[str]:
        """Names of all tables and views, in order."""
        with statement_errors(self.connection):
            return [name for (name,) in self.connection.execute("SHOW TABLES").fetchall()]

    def empty_tables(self, script: str) -> list[str]:
        """The given tables and views without rows that a script names."""
        return [
            name
            for name in sorted(self.given & set(_WORD.findall(script)))
            if not self.connection.execute(f'FROM "{name}" LIMIT 1').fetchall()
        ]

    def columns(self) -> dict[str, list[str]]:
        """Column names of every table and view."""
        found: dict[str, list[str]] = {}
        query = "SELECT name, column_names FROM (SHOW ALL TABLES)"
        with statement_errors(self.connection):
            for name, columns in self.connection.execute(query).fetchall():
                found[name] = list(columns)
        return found


def is_query(statement: "duckdb.Statement") -> bool:
    """True for statements that return rows; others return at most a count."""
    return _expected(statement) == ["QUERY_RESULT"] or statement.type.name == _PIVOT


def _expected(statement: "duckdb.Statement") -> list[str]:
    return [each.name for each in statement.expected_result_type]


def _definitions(connection: duckdb.DuckDBPyConnection) -> Definitions:
    databases = {"databases": ["memory", "temp"]}
    return frozenset(connection.execute(_DEFINED, databases).fetchall())
