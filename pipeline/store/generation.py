"""A generation while it is being written: hidden beside its place until one rename."""

import os
import shutil
import threading
from contextlib import suppress
from itertools import chain
from pathlib import Path

import duckdb
import pyarrow as pa

from tracemill.base.sharing import add_folder, make_folder, share
from tracemill.schemas import Table
from tracemill.store.database import copy_rows, create_copy, create_view, create_view_of_rows
from tracemill.store.failures import store_errors
from tracemill.store.manifest import MANIFEST_NAME, Manifest
from tracemill.store.parquet import PartWriter, sync, write_empty
from tracemill.store.sink import FEW_ROWS, PartedSink, Written
from tracemill.store.walking import KeptRows, StoredRows

SPILL_NAME = ".spill"


class GenerationWriter(PartedSink):
    """Writes the tables of one generation into a hidden folder, then publishes them at once.

    The context manager makes the folder, and removes it at the end unless it was published; it
    raises StoreError if the store cannot be written. Several threads may write, each its own part.
    If it `keeps_rows`, tables are also in memory, from which they are read.
    """

    def __init__(self, path: Path, *, keeps_rows: bool = False) -> None:
        self.path = path
        self._keeps_rows, self._is_holding_back = keeps_rows, False
        self._kept: dict[str, list[PartWriter]] = {}
        self._parts: dict[str, dict[int, PartWriter]] = {}
        self.finished: dict[str, Written] = {}
        self._reused_rows: dict[str, int] = {}
        self._lock = threading.Lock()
        self._is_published = False

    def __enter__(self) -> "GenerationWriter":
        # A signal right after the folder was made must not leave it behind.
        try:
            with store_errors(self.path):
                make_folder(self.path)
        except BaseException:
            self.discard()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_published:
            self.discard()

    @property
    def spill_path(self) -> Path:
        """Folder for intermediate data, made on first use; it is not published."""
        path = self.path / SPILL_NAME
        with store_errors(path):
            add_folder(path)
        return path

    def part(self, table: Table, number: int) -> PartWriter:
        """The writer of one part of a partitioned table, or of the whole of another (0)."""
        name = f"{table.name}/part-{number:05d}.parquet"
        path = self.path / (name if table.is_partitioned else f"{table.name}.parquet")
        with self._lock:
            parts = self._parts.setdefault(table.name, {})
            if number not in parts:
                if table.name in self.finished or (number and not table.is_partitioned):
                    raise ValueError(f"{table.name}: no part {number} can be added")
                parts[number] = PartWriter(
                    table, path, keeps_rows=self._keeps_rows, is_delayed=self._is_holding_back
                )
            return parts[number]

    def finish(self, table: Table) -> Written:
        """Close all parts of a table; without parts it is empty. Then `files` lists its files."""
        if table.name not in self.finished:
            self.part(table, 0)
            parts = [part for _, part in sorted(self._parts.pop(table.name).items())]
            for part in parts:
                part.close()
            if self._keeps_rows:
                self._kept[table.name] = parts
            self.finished[table.name] = Written(sum(part.row_count for part in parts), 0)
            if not self._is_holding_back:
                self._store(parts)
        return self.finished[table.name]

    def _store(self, parts: list[PartWriter]) -> None:
        """Make sure that the parts of a finished table are files; note their size."""
        for part in parts:
            part.store()
        table = parts[0].table
        row_count = self.row_count(table.name)
        if not row_count:
            write_empty(table, parts[0].path)
        byte_count = sum(file.stat().st_size for file in self.files(table.name))
        self.finished[table.name] = Written(row_count, byte_count)

    def hold_back(self) -> None:
        self._is_holding_back = self._keeps_rows

    def store(self) -> None:
        if self._is_holding_back:
            self._is_holding_back = False
            for parts in self._kept.values():
                self._store(parts)

    def reset(self, table: Table) -> None:
        """Remove a finished table, which is then written again."""
        del self.finished[table.name]
        self._kept.pop(table.name, None)
        for file in self.files(table.name):
            with store_errors(file):
                file.unlink()

    def files(self, name: str) -> list[Path]:
        """The Parquet files of a finished table, in order."""
        return table_files(self.path, name)

    def row_count(self, name: str) -> int:
        """The number of rows of a finished or reused table."""
        finished = self.finished.get(name)
        return finished.row_count if finished else self._reused_rows[name]

    @property
    def most_rows(self) -> int:
        """The number of rows of the largest table so far."""
        finished = (written.row_count for written in self.finished.values())
        return max([0, *finished, *self._reused_rows.values()])

    def provide(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        is_small = self.row_count(name) <= FEW_ROWS
        if name in self._kept and (self._is_holding_back or not is_small):
            rows = pa.concat_tables(self._groups(name))
            (copy_rows if is_small else create_view_of_rows)(connection, name, rows)
        elif is_small:
            create_copy(connection, name, self.files(name))
        else:
            create_view(connection, name, self.files(name))

    def walk(self, name: str) -> StoredRows | KeptRows:
        return KeptRows(self._groups(name)) if name in self._kept else StoredRows(self.files(name))

    def _groups(self, name: str) -> list[pa.Table]:
        return [group for part in self._kept[name] for group in part.groups]

    def reuse(self, name: str, generation: Path, row_count: int) -> None:
        """Take over a table of an older generation: as hard links, else as copies."""
        self._reused_rows[name] = row_count
        for file in table_files(generation, name):
            target = self.path / file.relative_to(generation)
            with store_errors(target):
                add_folder(target.parent)
                _link_or_copy(file, target)

    def publish(self, manifest: Manifest) -> Path:
        """Rename the folder to its final name, and return it; a generation of that name stays."""
        target = self.path.parent / f"gen={manifest.generation}"
        with store_errors(self.path):
            shutil.rmtree(self.path / SPILL_NAME, ignore_errors=True)
            (self.path / MANIFEST_NAME).write_bytes(manifest.to_json())
            for path in sorted(self.path.rglob("*")):
                share(path)
                sync(path)
            sync(self.path)
        with store_errors(target):
            try:
                self.path.rename(target)
            except OSError:
                if not (target / MANIFEST_NAME).exists():
                    raise
                self.discard()
            sync(target.parent)
        self._is_published = True
        return target

    def discard(self) -> None:
        """Remove everything written, and the run's folder if it is empty."""
        try:
            opened = (part for parts in self._parts.values() for part in parts.values())
            for part in chain(opened, *self._kept.values()):
                part.abandon()
        finally:
            self._parts, self._kept = {}, {}
            shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):  # it holds other generations, or is gone
            self.path.parent.rmdir()


def table_files(generation: Path, name: str) -> list[Path]:
    """The Parquet files of a table in the folder of a generation; none if it has no such table."""
    whole = generation / f"{name}.parquet"
    return [whole] if whole.exists() else sorted((generation / name).glob("part-*.parquet"))


def table_sizes(generation: Path) -> dict[str, int]:
    """Bytes of the Parquet files of every table in the folder of a generation."""
    sizes: dict[str, int] = {}
    with suppress(FileNotFoundError), os.scandir(generation) as entries:
        for entry in entries:
            if entry.name.endswith(".parquet"):
                sizes[entry.name.removesuffix(".parquet")] = entry.stat().st_size
            elif entry.is_dir():
                sizes[entry.name] = sum(part.stat().st_size for part in os.scandir(entry))
    return sizes


def _link_or_copy(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
