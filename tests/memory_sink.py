"""Keeps in memory what a reader writes, with the checks of the store."""

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from tracemill.schemas import Table
from tracemill.store.parquet import PartWriter


class _Groups:
    """Takes row groups where a Parquet file would."""

    def __init__(self) -> None:
        self.kept: list[pa.Table] = []

    def write_table(self, rows: pa.Table, row_group_size: int) -> None:
        self.kept.append(rows)

    def close(self) -> None:
        pass


class _KeptPart(PartWriter):
    """Checks rows like the part of a store, and keeps them."""

    def __init__(self, table: Table) -> None:
        super().__init__(table, Path())
        self.groups = _Groups()

    def _open(self) -> Any:
        return self.groups


class MemorySink:
    """Takes tables like a generation; `spill_path` is where a reader may put what it sorts."""

    def __init__(self, spill_path: Path) -> None:
        self.spill_path = spill_path
        self._parts: dict[str, dict[int, _KeptPart]] = {}

    def write(self, table: Table, data: pa.Table) -> None:
        part = self.part(table, 0)
        part.write(data)
        part.close()

    def part(self, table: Table, number: int) -> PartWriter:
        parts = self._parts.setdefault(table.name, {})
        return parts.setdefault(number, _KeptPart(table))

    def table(self, table: Table) -> pa.Table:
        """All rows of a table."""
        groups = []
        for _, part in sorted(self._parts.get(table.name, {}).items()):
            part.close()
            groups += part.groups.kept
        return pa.concat_tables(groups) if groups else _empty(table)


_empty = cache(Table.empty)
"""Most tables of small traces have no rows."""
