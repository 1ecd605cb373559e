"""The interface of sinks, which take the tables of an analysis, such as a generation on disk."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import duckdb
import pyarrow as pa

from tracemill.schemas import Table
from tracemill.store.parquet import PartWriter

FEW_ROWS = 5_000
"""So few rows take no memory worth mentioning, nor does the result of a query over them."""


@dataclass(frozen=True)
class Written:
    """The size of a finished table."""

    row_count: int
    byte_count: int


class Walk(Protocol):
    """Rows of a table in their stored order, for stages that walk over them."""

    def backwards(self, *columns: str) -> Iterator[pa.Table]:
        """Groups of rows from the last to the first; one is held at a time."""


class Sink(ABC):
    """Takes tables, checks every row against its schema, and gives finished tables back."""

    @abstractmethod
    def stream(self, table: Table, batches: Iterable[pa.RecordBatch | pa.Table]) -> None:
        """Write a whole table from batches as they come."""

    def write(self, table: Table, data: pa.Table) -> None:
        """Write a whole table at once."""
        self.stream(table, [data])

    @abstractmethod
    def finish(self, table: Table) -> Written:
        """End a table; one of which nothing was written is empty."""

    @abstractmethod
    def row_count(self, name: str) -> int:
        """The number of rows of a finished table."""

    @abstractmethod
    def provide(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        """Make a finished table readable under its name, by cursors of the connection, too.

        A table of few rows is copied.
        """

    @abstractmethod
    def walk(self, name: str) -> Walk:
        """The rows of a finished table in their order."""


class PartedSink(Sink):
    """A sink that also takes what a source reads: tables in parts, perhaps a second time."""

    @property
    @abstractmethod
    def spill_path(self) -> Path:
        """Folder for intermediate data."""

    @abstractmethod
    def part(self, table: Table, number: int) -> PartWriter:
        """The writer of one part of a partitioned table, or of the whole of another (0)."""

    @abstractmethod
    def reset(self, table: Table) -> None:
        """Remove a finished table, which is then written again."""

    def hold_back(self) -> None:
        """Store tables only when `store` is called, if the sink keeps them anyway."""

    def store(self) -> None:
        """Store tables that were held back, and all others at once."""

    def stream(self, table: Table, batches: Iterable[pa.RecordBatch | pa.Table]) -> None:
        """Write a whole table from batches as they come; only a row group is held."""
        part = self.part(table, 0)
        for batch in batches:
            is_table = isinstance(batch, pa.Table)
            part.write(batch if is_table else pa.Table.from_batches([batch]))
        part.close()
        self.finish(table)
