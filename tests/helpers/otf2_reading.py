"""Reads traces into memory with the checks of the store, and returns rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.helpers.memory_sink import MemorySink
from tests.helpers.otf2_archive import Events, Trace, trace_of
from tracemill.readers import open_source
from tracemill.store.database import connect
from tracemill.store.runs import Store

Row = tuple[Any, ...]


@dataclass(frozen=True)
class ReadTrace:
    """The tables of one reading."""

    tables: Mapping[str, pa.Table]

    def records(self, table: str) -> list[dict[str, Any]]:
        """Whole rows by column, in the order in which they would be stored."""
        return self.tables[table].to_pylist()

    def rows(self, table: str, columns: str, where: str = "") -> list[Row]:
        """Rows of the given columns (separated by spaces) that meet the condition."""
        if where:
            return self.sql(
                f"SELECT {', '.join(columns.split())} FROM {table} WHERE {where}", table
            )
        return [_pick(row, columns) for row in self.records(table)]

    def one(self, table: str, columns: str, where: str = "") -> Row:
        """The only row."""
        (row,) = self.rows(table, columns, where)
        return row

    def visits(self, columns: str, location: int | None = None) -> list[Row]:
        """Visits by visit_id; `path` and `depth` are those of their call path."""
        paths = self.records("call_paths")
        visits = sorted(self.records("visits"), key=lambda visit: visit["visit_id"])
        return [
            _pick(paths[visit["call_path_id"]] | visit, columns)
            for visit in visits
            if location in (None, visit["location_id"])
        ]

    def sql(self, query: str, *tables: str) -> list[Row]:
        """Rows of a query over some of the tables."""
        with connect(threads=1) as connection:
            for name in tables:
                connection.register(name, self.tables[name])
            return connection.sql(query).fetchall()

    def findings(self) -> dict[tuple[str, int | None], int]:
        """Findings of the reader: counts by kind and location."""
        rows = self.rows("reading_findings", "kind location_id count")
        return {(kind, location): count for kind, location, count in rows}


def read_archive(anchor: Path, folder: Path, **options: Any) -> ReadTrace:
    """Read a trace; `folder` takes temporary files of sorting."""
    assert open_source(anchor).identity().run_id
    return ReadTrace(read_tables(anchor, folder / "spill", **options))


def read_tables(
    trace: Path, spill: Path, *, threads: int = 1, allow_damaged: bool = False,
    merge_call_sites: bool = False, uses_library: bool = False, detail: str = "full",
) -> dict[str, pa.Table]:  # fmt: skip
    """The tables of a trace; the text of one may be sorted in the folder `spill`."""
    source, sink = open_source(trace, uses_library=uses_library), MemorySink(spill)
    source.read(
        sink, run_id="run", threads=threads, allow_damaged=allow_damaged,
        report=lambda count: None, merge_call_sites=merge_call_sites, detail=detail,
    )  # fmt: skip
    for table in source.tables:
        sink.finish(table)
    return {table.name: sink.rows(table.name) for table in source.tables}


def stored_files(anchor: Path, store: Path, *, threads: int = 1) -> dict[str, list[bytes]]:
    """The content of all files by table that reading a trace puts into a store, unpublished."""
    source = open_source(anchor)
    with Store(store).begin(source.identity().run_id) as sink:
        source.read(
            sink, run_id="run", threads=threads, allow_damaged=False, report=lambda count: None
        )
        for table in source.tables:
            sink.finish(table)
        return {
            table.name: [file.read_bytes() for file in sink.files(table.name)]
            for table in source.tables
        }


def _pick(row: dict[str, Any], columns: str) -> Row:
    return tuple(row[name] for name in columns.split())


class Reader:
    """Writes and reads traces, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0

    def next_folder(self) -> Path:
        self._count += 1
        return self._folder / f"archive{self._count}"

    def __call__(self, trace: Trace | Events, *others: Events, **options: Any) -> ReadTrace:
        """Read a trace, or a trace of processes with these records."""
        if not isinstance(trace, Trace):
            trace = trace_of(trace, *others)
        return self.again(trace.write(self.next_folder()), **options)

    def again(self, anchor: Path, **options: Any) -> ReadTrace:
        """Read an existing archive."""
        self._count += 1
        return read_archive(anchor, self._folder / f"again{self._count}", **options)
