"""What the sections of a report are made from: a run's tables, asked by the report queries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tracemill.reports.model import Table
from tracemill.reports.tables import Fetched, TableSpec, fetch, fetch_arrays, read_table
from tracemill.reports.units import Value
from tracemill.reports.windows import Window
from tracemill.sql.query_files import load_query

if TYPE_CHECKING:
    import duckdb

    from tracemill.store import Manifest

OVERVIEW = "run_overview"
Rows = list[dict[str, Value]]


@dataclass(frozen=True)
class Material:
    """The tables of a run in a database, and how they were made.

    `provide` puts a table there when a query first needs it; without it they are all there.
    `windows` are those of the run that somebody wants to see in detail.
    Asking raises QueryError if a table does not fit its query.
    """

    connection: "duckdb.DuckDBPyConnection"
    manifest: "Manifest"
    overview_query: str = OVERVIEW
    windows: tuple[Window, ...] = ()
    provide: Callable[[str], None] | None = None
    _provided: set[str] = field(default_factory=set)
    _fetched: dict[tuple[str, int | None], Fetched] = field(default_factory=dict)

    @cached_property
    def overview(self) -> dict[str, Value]:
        """What the run, or the campaign, was, in one row."""
        return self.rows(self.overview_query)[0]

    @property
    def has_threads(self) -> bool:
        """Whether a process has several locations, so that ranks do not name them."""
        return self.overview["location_count"] != self.overview["process_count"]

    def ask(self, query: str, row_limit: int | None = None) -> Fetched:
        """Column names and rows of a report query, asked once however often they are needed."""
        if (query, row_limit) not in self._fetched:
            self._fetched[query, row_limit] = fetch(self._database_for(query), query, row_limit)
        return self._fetched[query, row_limit]

    def rows(self, query: str, row_limit: int | None = None) -> Rows:
        """Rows of a report query by the names of their columns."""
        names, rows = self.ask(query, row_limit)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def rows_of(self, spec: TableSpec) -> Rows:
        """Those that a plain table shows; they are asked once for both."""
        return self.rows(spec.query, spec.asked_limit)[: spec.row_limit]

    def arrays(
        self, query: str, row_limit: int | None = None, **values: int
    ) -> dict[str, NDArray[Any]]:
        """Columns of a report query with many rows; an integer that is null is -1.

        `values` are those of other parameters.
        """
        return fetch_arrays(self._database_for(query), query, row_limit, **values)

    def table(self, spec: TableSpec) -> Table:
        """A table of the report, perhaps without rows."""
        return read_table(self.ask, spec)

    def _database_for(self, query: str) -> "duckdb.DuckDBPyConnection":
        """The connection, with the tables that the query reads."""
        if self.provide is not None:
            for name in load_query(query).inputs:
                if name not in self._provided:
                    self.provide(name)
                    self._provided.add(name)
        return self.connection

    def tables(self, *specs: TableSpec) -> tuple[Table, ...]:
        """Those of some tables that have rows."""
        return filled(*map(self.table, specs))


def filled(*tables: Table) -> tuple[Table, ...]:
    """Those of some tables that have rows."""
    return tuple(table for table in tables if table.rows)
