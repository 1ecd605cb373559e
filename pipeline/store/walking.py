"""Rows of a stored table one after the other, for walks that need their order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import StoreError
from tracemill.base.text import first_line
from tracemill.store.database import AGAIN


@dataclass(frozen=True)
class StoredRows:
    """The Parquet files of a table, in order."""

    files: Sequence[Path]

    def backwards(self, *columns: str) -> Iterator[pa.Table]:
        """Row groups from the last to the first, one at a time; raises StoreError."""
        try:
            for path in reversed(self.files):
                with pq.ParquetFile(path) as file:
                    for group in reversed(range(file.num_row_groups)):
                        yield file.read_row_group(group, columns=list(columns), use_threads=False)
        except (OSError, pa.ArrowException) as error:
            reason = first_line(error)
            raise StoreError(f"the store cannot be read: {reason}: {AGAIN}") from error


@dataclass(frozen=True)
class KeptRows:
    """Row groups of a table that are in memory."""

    groups: Sequence[pa.Table]

    def backwards(self, *columns: str) -> Iterator[pa.Table]:
        """Row groups from the last to the first."""
        for group in reversed(self.groups):
            yield group.select(columns)
