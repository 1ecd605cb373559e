"""Tables of an analysis that stay in memory, with the checks of the store."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tracemill.schemas import Table
from tracemill.store.database import copy_rows
from tracemill.store.parquet import PartWriter
from tracemill.store.sink import FEW_ROWS, PartedSink, Written

if TYPE_CHECKING:
    import duckdb


class MemorySink(PartedSink):
    """Keeps tables in memory; a reader that sorts on disk does so in the folder `spill_path`."""

    def __init__(self, spill_path: Path) -> None:
        self._spill_path = spill_path
        self._parts: dict[str, dict[int, PartWriter]] = {}
        self._tables: dict[str, pa.Table] = {}
        self._lock = threading.Lock()

    @property
    def spill_path(self) -> Path:
        return self._spill_path

    def part(self, table: Table, number: int) -> PartWriter:
        with self._lock:
            if table.name in self._tables or (number and not table.is_partitioned):
                raise ValueError(f"{table.name}: no part {number} can be added")
            parts = self._parts.setdefault(table.name, {})
            return parts.setdefault(
                number, PartWriter(table, Path(), keeps_rows=True, is_delayed=True)
            )

    def finish(self, table: Table) -> Written:
        if table.name not in self._tables:
            groups = []
            for _, part in sorted(self._parts.pop(table.name, {}).items()):
                part.close()
                groups += part.groups
            self._tables[table.name] = pa.concat_tables(groups) if groups else table.empty()
        rows = self._tables[table.name]
        return Written(rows.num_rows, rows.nbytes)

    def reset(self, table: Table) -> None:
        del self._tables[table.name]

    def row_count(self, name: str) -> int:
        return self._tables[name].num_rows

    def rows(self, name: str) -> pa.Table:
        """All rows of a finished table."""
        return self._tables[name]

    def provide(self, connection: "duckdb.DuckDBPyConnection", name: str) -> None:
        rows = self._tables[name]
        if rows.num_rows <= FEW_ROWS:
            copy_rows(connection, name, rows)
        else:
            connection.register(name, rows)

    def walk(self, name: str) -> "RowsInMemory":
        return RowsInMemory(self._tables[name])


@dataclass(frozen=True)
class RowsInMemory:
    """Rows of a table, of which a walk holds `group_rows` at a time."""

    rows: pa.Table
    group_rows: int = 1000

    def backwards(self, *columns: str) -> Iterator[pa.Table]:
        """Groups of rows from the last to the first."""
        wanted = self.rows.select(columns)
        for begin in reversed(range(0, wanted.num_rows, self.group_rows)):
            yield wanted.slice(begin, self.group_rows).combine_chunks()
