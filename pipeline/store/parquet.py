"""The one way a table becomes a Parquet file."""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import BrokenContractError
from tracemill.base.sharing import add_folder
from tracemill.base.text import first_line
from tracemill.schemas import Table, Violation
from tracemill.store.failures import store_errors
from tracemill.store.keys import KeyCheck, repeated_in_file, repeated_keys

ROW_GROUP_ROWS = 131_072
_MAX_BATCHES = 256


class PartWriter:
    """Writes one Parquet file of a table in full row groups, and checks them before.

    Without rows there is no file. The bytes depend on the rows alone, not on batches. A writer
    belongs to one thread; writers of several threads run in parallel.

    Checks per row group: columns and types, enumerations, nulls, minimum and maximum, the table's
    rules, and keys (see KeyCheck).

    If it `keeps_rows`, `groups` are the row groups so far; if it also `is_delayed`, only `store`
    writes the file.
    """

    def __init__(
        self, table: Table, path: Path, *, keeps_rows: bool = False, is_delayed: bool = False
    ) -> None:
        self.table = table
        self.path = path
        self.row_count = 0
        self.groups: list[pa.Table] = []
        self._keeps_rows, self._is_delayed = keeps_rows, is_delayed
        self._pending: list[pa.Table] = []
        self._pending_rows = 0
        self._keys = KeyCheck(table)
        self._schema = table.arrow_schema
        self._writer: pq.ParquetWriter | None = None
        self._is_closed = False

    def write(self, data: pa.Table) -> None:
        """Take rows, which must not change afterwards; write full row groups.

        Raises BrokenContractError if rows break the schema, StoreError if the disk fails.
        """
        self._pending.append(self._with_schema(data))
        self._pending_rows += data.num_rows
        if self._pending_rows >= ROW_GROUP_ROWS:
            self._write_full_groups()
        elif len(self._pending) > _MAX_BATCHES:
            self._pending = [pa.concat_tables(self._pending).combine_chunks()]

    def close(self) -> None:
        """Write the last rows and finish the file; closing twice does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._pending_rows:
            self._write_group(pa.concat_tables(self._pending))
        self._pending = []
        self._end_file()
        has_groups = self.row_count > ROW_GROUP_ROWS  # each is checked by itself
        if has_groups and not self._keys.is_certain and not self.table.is_partitioned:
            _refuse(self._repeated_keys())

    def store(self) -> None:
        """Write the file of a closed writer, if it was delayed."""
        if self._is_delayed:
            self._is_delayed = False
            for rows in self.groups:
                self._store_group(rows)
            self._end_file()

    def _end_file(self) -> None:
        if self._writer is not None:
            with store_errors(self.path):
                self._writer.close()

    def abandon(self) -> None:
        """Release the file without caring for its content."""
        self._is_closed = True
        self._pending = []
        if self._writer is not None:
            with suppress(OSError):  # the disk may be full, but the file is thrown away
                self._writer.close()

    def _repeated_keys(self) -> list[Violation]:
        if self._keeps_rows:
            return repeated_keys(self.table, pa.concat_tables(self.groups))
        return repeated_in_file(self.table, str(self.path))

    def _write_full_groups(self) -> None:
        rows = pa.concat_tables(self._pending)
        full = rows.num_rows - rows.num_rows % ROW_GROUP_ROWS
        for start in range(0, full, ROW_GROUP_ROWS):
            self._write_group(rows.slice(start, ROW_GROUP_ROWS))
        self._pending = [rows.slice(full)] if full < rows.num_rows else []
        self._pending_rows = rows.num_rows - full

    def _with_schema(self, data: pa.Table) -> pa.Table:
        """`data` conformed; the usual case, that it fits already, is made cheap."""
        if data.schema.names == self._schema.names and data.schema.types == self._schema.types:
            return pa.Table.from_arrays(data.columns, schema=self._schema)
        return conform(self.table, data)

    def _write_group(self, rows: pa.Table) -> None:
        rows = rows.combine_chunks()  # page boundaries would follow chunks
        declared = _with_declared_values(self.table, rows)
        if declared is not rows:
            rows = conform(self.table, declared)
        _refuse(self.table.violations(rows) + self._keys.violations(rows))
        if self._keeps_rows:
            self.groups.append(rows)
        if not self._is_delayed:
            self._store_group(rows)
        self.row_count += rows.num_rows

    def _store_group(self, rows: pa.Table) -> None:
        with store_errors(self.path):
            self._open().write_table(rows, row_group_size=ROW_GROUP_ROWS)

    def _open(self) -> pq.ParquetWriter:
        if self._writer is None:
            add_folder(self.path.parent)
            encodings = _encodings(self.table)
            self._writer = pq.ParquetWriter(self.path, self._schema, **encodings)
        return self._writer


def conform(table: Table, data: pa.Table) -> pa.Table:
    """`data` with the declared columns, order and types, or a BrokenContractError."""
    present = set(data.column_names)
    missing = [name for name in table.column_names if name not in present]
    if missing:
        raise BrokenContractError(
            f"{table.name}: no column {', '.join(missing)}; columns present: "
            f"{', '.join(data.column_names)}"
        )
    try:
        return table.conform(data)
    except pa.ArrowException as error:
        reason = f"{_misfit(table, data)}{first_line(error)}"
        raise BrokenContractError(f"{table.name}: {reason}") from error


def write_empty(table: Table, path: Path) -> None:
    """Write a file without rows, so that readers find the columns."""
    with store_errors(path):
        add_folder(path.parent)
        path.write_bytes(_empty_file(table))


@cache
def _empty_file(table: Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.arrow_schema, **_encodings(table)):
        pass  # a row group without rows takes three times as long
    content: bytes = sink.getvalue().to_pybytes()
    return content


def sync(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _with_declared_values(table: Table, data: pa.Table) -> pa.Table:
    """`data` with enumerations that are numbered in another way turned back into text."""
    for column in table.columns:
        values = data.column(column.name)
        if column.values and pa.types.is_dictionary(values.type):
            declared = pa.array(column.values, values.type.value_type)
            if any(not chunk.dictionary.equals(declared) for chunk in values.chunks):
                place = data.schema.get_field_index(column.name)
                text = values.cast(values.type.value_type)
                data = data.set_column(place, column.name, text)
    return data


def _misfit(table: Table, data: pa.Table) -> str:
    """The column that cannot have its declared type, for the start of a message."""
    for column in table.columns:
        try:
            data.column(column.name).cast(column.type)
        except pa.ArrowException:
            return f"{column.name} is no {column.type}: "
    return ""


def _encodings(table: Table) -> dict[str, Any]:
    """Encodings by type; they halve size and time compared with the library's defaults.

    Integers are stored as differences, because dictionaries of call-path ids can be too large.
    Measured on visits: zstd saves 7 % of snappy's bytes for a third more time. Pages are as long as
    row groups, which saves a twentieth of the time to write and to read.
    """
    schema = table.arrow_schema
    is_integer = [f.name for f in schema if f.type in (pa.int64(), pa.int32())]
    is_listed = [f.name for f in schema if f.type == pa.string() or pa.types.is_dictionary(f.type)]
    uncompressed = () if table.are_integers_compressed else is_integer
    return {
        "compression": {
            name: "none" if name in uncompressed else "snappy" for name in schema.names
        },
        "column_encoding": dict.fromkeys(is_integer, "DELTA_BINARY_PACKED"),
        "use_dictionary": is_listed,
        "write_batch_size": ROW_GROUP_ROWS,
        "max_rows_per_page": ROW_GROUP_ROWS,
    }


def _refuse(violations: list[Violation]) -> None:
    if violations:
        raise BrokenContractError("; ".join(str(violation) for violation in violations[:3]))
