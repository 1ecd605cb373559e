"""The input of the report sections: a run's tables, read with the report queries."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock

import duckdb

from tracemill.engine.graph import has_needed_rows
from tracemill.reports.model import MARK, Layout, Table
from tracemill.reports.tables import (
    Bound,
    Columns,
    Fetched,
    TableSpec,
    fetch,
    fetch_arrays,
    holds_paths,
    read_table,
)
from tracemill.reports.units import Value
from tracemill.reports.windows import Window
from tracemill.sql.query_files import create_views, load_query, stored_inputs
from tracemill.store.manifest import Manifest

OVERVIEW = "run_overview"
PERTURBED = "perturbed_call_paths"
MARK_NOTE = f"{MARK} The measurement may take more than 10% of the time of the call path."
MOST_MARKED = 20_000
"""Call paths that are marked as perturbed: those in which the measurement took most time."""
ASKED_OFTEN = {
    "main_waits": ("wait_states", 200_000),
    "main_times": ("call_tree", 3_000_000),
    "page_metrics": ("metrics", 100_000),
}
"""Views that many queries read: the table that has their rows, and up to how many rows they are
computed only once, within 100 MB."""
STREAMS = "streams"
_MAYBE_PATHS = ("part", "caller")
"""Columns of other names that hold call paths in some queries."""
_LAST_LIMIT = "\nLIMIT $row_limit::BIGINT"
Rows = list[dict[str, Value]]


@dataclass(frozen=True)
class Material:
    """The tables of a run in a database, with their manifest.

    `provide` adds a table when a query first needs it, unless it is `provided`; without it, all
    tables exist already. Its cursors share its views, except those of a focus.
    `windows` are the windows of the run requested in detail. If it `is_focused`, they are the
    tables of a focus.
    Queries raise QueryError if a table does not fit.
    """

    connection: duckdb.DuckDBPyConnection
    manifest: "Manifest"
    overview_query: str = OVERVIEW
    windows: tuple[Window, ...] = ()
    is_focused: bool = False
    provide: Callable[[str], object] | None = None
    provided: set[str] = field(default_factory=set)
    _fetched: dict[tuple[str, int | None], Fetched] = field(default_factory=dict)
    _own: dict[tuple[str, int | None], Fetched] = field(default_factory=dict)
    _arrays: dict[tuple[str, int], Columns] = field(default_factory=dict)
    _views: set[str] = field(default_factory=set)
    _providing: Lock = field(default_factory=Lock)

    @cached_property
    def overview(self) -> dict[str, Value]:
        """The overview of the run or campaign, in one row."""
        return self.rows(self.overview_query)[0]

    @property
    def has_threads(self) -> bool:
        """True if a process has several threads, so that ranks do not identify them."""
        return self.overview["thread_count"] != self.overview["process_count"]

    @contextmanager
    def beside(
        self, provide: Callable[[duckdb.DuckDBPyConnection, str], object]
    ) -> "Iterator[Material]":
        """The same for another thread, with its own cursor; neither fetches what the other has.

        Not for a focus, whose views only its connection sees.
        """
        connection = self.connection.cursor()
        other = replace(
            self, connection=connection, provide=partial(provide, connection), _own=dict(self._own)
        )
        try:
            yield other
        finally:
            connection.close()
        self._own.update(other._own)

    def fetch(self, query: str, row_limit: int | None = None) -> Fetched:
        """Column names and rows of a report query; it runs again only for rows not yet fetched.

        Without the rows that the query needs, it is not run, and there are no names either.
        """
        if not has_needed_rows(load_query(query).needed_rows, lambda name: not self.is_empty(name)):
            return (), ()
        found = self._fetched_before(query, row_limit)
        if found is None:
            names, rows = fetch(self._database_for(query), query, row_limit)
            found = names, self._with_streams(query, names, rows)
            self._fetched[query, row_limit] = found
        self._own[query, row_limit] = found
        return found

    def _fetched_before(self, query: str, row_limit: int | None) -> Fetched | None:
        """The rows if they were fetched, perhaps with another limit."""
        for (name, limit), (names, rows) in list(self._fetched.items()):
            if name == query and limit == row_limit:
                return names, rows
            if name == query and limit is not None and row_limit is not None:
                if len(rows) < limit and len(rows) <= row_limit:
                    return names, rows
                if limit > row_limit and _is_ranked(query):
                    return names, rows[:row_limit]
        return None

    def _with_streams(
        self, query: str, names: tuple[str, ...], rows: tuple[tuple[Value, ...], ...]
    ) -> tuple[tuple[Value, ...], ...]:
        """The rows, with names of streams and metric locations in place of thread numbers."""
        columns = [(name.replace("thread", "rank"), name) for name in names if "thread" in name]
        places = [(names.index(rank), names.index(name)) for rank, name in columns if rank in names]
        if not places or query == STREAMS or "locations" not in load_query(query).inputs:
            return rows
        streams = {(row["rank"], row["thread"]): row["location"] for row in self.rows(STREAMS)}
        if not streams:
            return rows
        found = [list(row) for row in rows]
        for row in found:
            for rank, thread in places:
                row[thread] = streams.get((row[rank], row[thread]), row[thread])
        return tuple(map(tuple, found))

    def rows(self, query: str, row_limit: int | None = None) -> Rows:
        """Rows of a report query as mappings from column names."""
        names, rows = self.fetch(query, row_limit)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def rows_of(self, spec: TableSpec) -> Rows:
        """The rows of a plain table; table and rows share one query."""
        return self.rows(spec.query, spec.fetched_limit)[: spec.row_limit]

    def arrays(self, query: str, row_limit: int | None = None, **values: Bound) -> Columns:
        """Columns of a report query with many rows; null integers are -1, other null numbers NaN.

        `values` are values of other parameters.
        """
        return fetch_arrays(self._database_for(query), query, row_limit, **values)

    def kept_arrays(self, query: str, row_limit: int) -> Columns:
        """The same, kept for another section that asks for it."""
        found = self._arrays.get((query, row_limit))
        if found is None:
            found = self._arrays[query, row_limit] = self.arrays(query, row_limit)
        return found

    def fetched_paths(self) -> set[str]:
        """The call paths in all rows that were fetched here, except those that are only marked."""
        return {
            str(row[place])
            for (query, _), (names, rows) in self._own.items()
            if query != PERTURBED
            for place, name in enumerate(names)
            if holds_paths(name) or name in _MAYBE_PATHS
            for row in rows
            if row[place] is not None
        }

    def table(self, spec: TableSpec) -> Table:
        """A table of the report; it may be empty. Perturbed call paths are marked."""
        table = read_table(self.fetch, spec)
        has_paths = any(column.is_path for column in table.columns)
        is_ranking = has_paths and spec.layout is Layout.PLAIN and spec.query != PERTURBED
        return _with_marks(table, self.perturbed) if is_ranking and table.rows else table

    @cached_property
    def perturbed(self) -> frozenset[str]:
        """The call paths of a run in which the measurement took much time."""
        if self.overview_query != OVERVIEW:
            return frozenset()
        names, rows = self.fetch(PERTURBED, MOST_MARKED)
        place = names.index("call_path")
        return frozenset(str(row[place]) for row in rows)

    def _database_for(self, query: str) -> duckdb.DuckDBPyConnection:
        """The connection, with the tables that the query reads."""
        inputs = load_query(query).inputs
        with self._providing:
            if self.provide is not None:
                for name in stored_inputs([load_query(query)]):
                    if name not in self.provided:
                        self.provide(name)
                        self.provided.add(name)
            create_views(
                self.connection,
                inputs,
                given=self.provided | self._views,
                is_lasting=not self.is_focused,
                as_tables=self._asked_often,
            )
            self._views.update(inputs)
        return self.connection

    @cached_property
    def _asked_often(self) -> tuple[str, ...]:
        """Views that many queries read: computed once where they are small."""
        return tuple(
            name for name, (table, most) in ASKED_OFTEN.items() if self.row_count(table) <= most
        )

    def row_count(self, table: str) -> int:
        """The number of rows of a stored table, by the manifest."""
        record = self.manifest.tables.get(table)
        return record.row_count if record else 0

    def is_empty(self, table: str) -> bool:
        """True if the manifest says that a stored table has no rows."""
        record = self.manifest.tables.get(table)
        return record is not None and record.is_stored and record.row_count == 0

    @property
    def call_path_count(self) -> int:
        """The number of call paths of a run."""
        return self.row_count("call_paths")

    def tables(self, *specs: TableSpec) -> tuple[Table, ...]:
        """The tables that have rows."""
        return filled(*map(self.table, specs))


def _is_ranked(query: str) -> bool:
    """True if fewer rows of a query are the first of more rows."""
    return load_query(query).statement.endswith(_LAST_LIMIT) or query == PERTURBED


def filled(*tables: Table) -> tuple[Table, ...]:
    """The tables that have rows."""
    return tuple(table for table in tables if table.rows)


def _with_marks(table: Table, perturbed: frozenset[str]) -> Table:
    """The table with marked call paths, and a note if it has any of them."""
    columns = tuple(
        replace(column, marked=perturbed & {str(value) for value in table.values(column.name)})
        if column.is_path
        else column
        for column in table.columns
    )
    if not any(column.marked for column in columns):
        return table
    return replace(table, columns=columns, note=f"{table.note} {MARK_NOTE}".strip())
