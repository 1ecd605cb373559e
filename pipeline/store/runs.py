"""The store: finding runs, opening them, and starting new generations."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import MissingInputError, StoreError, UsageError
from tracemill.base.near import near_matches
from tracemill.base.sharing import share
from tracemill.base.temporary import temporary_name
from tracemill.base.text import first_line
from tracemill.schemas.definitions import FULL, PROFILE
from tracemill.store.database import AGAIN, connect, create_copy, create_union_view, create_view
from tracemill.store.failures import store_errors
from tracemill.store.generation import GenerationWriter, table_files, table_sizes
from tracemill.store.leases import sweep_leases
from tracemill.store.manifest import (
    MANIFEST_NAME,
    POINTER_NAME,
    Manifest,
    Pointer,
    SourceRecord,
    UnreadableRecordError,
)
from tracemill.store.parquet import sync
from tracemill.store.sizes import FileSizes
from tracemill.store.sweep import GENERATION, POINTER, is_being_written, sweep

_FIRST = {"run": "analyze a trace first", "campaign": "make one first: tracemill campaign"}
_CAMPAIGN = "campaign"
_MOST_LISTED = 4
_SMALL_BYTES = 65_536
_COPIED_BYTES = {"call_paths": 8_000_000}
"""Most queries of a report join call paths, which are long texts, to few rows. A view would read
all of them each time; a copy takes about ten times the space of the file."""
_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True)
class Run:
    """One generation of one run, complete and immutable. `source` is as last seen."""

    path: Path
    manifest: Manifest
    source: SourceRecord

    @property
    def run_id(self) -> str:
        return self.manifest.run_id

    @property
    def generation(self) -> str:
        return self.manifest.generation

    @property
    def label(self) -> str:
        """Name of the folder that holds the trace."""
        return self.source.label

    @property
    def detail(self) -> str:
        """The level of detail of the analysis: full, calls or profile."""
        return self.manifest.detail

    def require_visits(self, what: str) -> None:
        """Raise UsageError if the run does not have every visit, which `what` needs."""
        if self.detail != FULL:
            raise UsageError(
                f"{self.label}: {what} every visit, and the run has the detail {self.detail}: "
                "analyze it again with --detail full"
            )

    def require_records(self, what: str) -> None:
        """Raise UsageError if the run has only the call tree, and `what` needs more."""
        if self.detail == PROFILE:
            raise UsageError(
                f"{self.label}: {what} the records of calls, and the run has the detail profile: "
                "analyze it again with --detail calls or full"
            )

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the stored tables."""
        return tuple(self.manifest.stored)

    def files(self, name: str) -> list[Path]:
        """The Parquet files of a table; raises MissingInputError or StoreError."""
        if name not in self.manifest.stored:
            known = ", ".join(self.tables)
            raise MissingInputError(f"no table {name}: {self.path}: tables present: {known}")
        files = table_files(self.path, name)
        if not files and not self.path.exists():
            raise StoreError(f"the run is gone: {self.path}: it was removed just now")
        if not files:
            raise StoreError(f"the store has lost a table: {self.path / name}: {AGAIN}")
        return files

    def read(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A table, or some of its columns, in memory."""
        wanted = list(columns) if columns is not None else None
        files = self.files(name)
        try:
            with store_errors(self.path / name):
                parts = [pq.read_table(file, columns=wanted, partitioning=None) for file in files]
        except pa.ArrowException as error:
            reason = first_line(error)
            raise StoreError(f"the store cannot be read: {reason}: {AGAIN}") from error
        return pa.concat_tables(parts)

    def connect(
        self,
        *,
        threads: int | None = None,
        memory_limit: str = "",
        tables: Sequence[str] | None = None,
    ) -> duckdb.DuckDBPyConnection:
        """A database of its own with every table of the run, or some of them, as a view."""
        connection = connect(threads=threads, memory_limit=memory_limit)
        for name in self.tables if tables is None else tables:
            create_view(connection, name, self.files(name))
        return connection

    def provide(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        """Make a table readable on a connection without it, if the run has one of that name."""
        if name not in self.manifest.stored:
            return
        record = self.manifest.tables[name]
        is_copied = record.byte_count <= _COPIED_BYTES.get(name, _SMALL_BYTES)
        create = create_copy if is_copied else create_view
        create(connection, name, self.files(name))

    def missing_tables(self) -> list[str]:
        """Tables whose files are missing or do not have the recorded size."""
        sizes = table_sizes(self.path)
        return [
            name
            for name, record in self.manifest.stored.items()
            if sizes.get(name) != record.byte_count
        ]


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """A line of the list of runs. `state` is complete, being analyzed, unfinished or a reason."""

    run_id: str
    state: str
    run: Run | None
    byte_count: int

    @property
    def label(self) -> str:
        return self.run.label if self.run else ""


@dataclass(frozen=True)
class Store:
    """A folder of runs, or of campaigns; it is made with the first run."""

    path: Path
    kind: Literal["run", "campaign"] = "run"

    @property
    def runs_path(self) -> Path:
        return self.path / f"{self.kind}s"

    @property
    def leases_path(self) -> Path:
        """The folder of leases; see tracemill.store.leases."""
        return self.path / "leases"

    @property
    def campaigns(self) -> "Store":
        """The campaigns of the same folder."""
        return replace(self, kind="campaign")

    def begin(self, run_id: str, *, keeps_rows: bool = False) -> GenerationWriter:
        """A new generation of a run; enter it to write."""
        folder = self._folder(run_id)
        return GenerationWriter(folder / temporary_name(GENERATION), keeps_rows=keeps_rows)

    def publish(self, generation: GenerationWriter, manifest: Manifest) -> Run:
        """Publish a generation and make it the current one of its run."""
        # Pruning must not take a generation that is published, but not yet current, for an old one.
        sign = self._folder(manifest.run_id) / temporary_name(POINTER)
        try:
            with store_errors(sign):
                sign.touch()
            path = generation.publish(manifest)
            run = self._run(path, manifest.source)
            self.point_to(run)
        finally:
            with suppress(OSError):
                sign.unlink(missing_ok=True)
        return run

    def point_to(self, run: Run) -> None:
        """Make a generation the current one of its run, by one rename."""
        folder = self._folder(run.run_id)
        beside = folder / temporary_name(POINTER)
        pointer = Pointer(generation=run.generation, source=run.source)
        with store_errors(folder / POINTER_NAME):
            try:
                beside.write_bytes(pointer.to_json())
                share(beside)
                sync(beside)
                beside.replace(folder / POINTER_NAME)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
            sync(folder)

    def current(self, run_id: str) -> Run | None:
        """The current generation of a run, or None; raises StoreError."""
        folder, seen = self._folder(run_id), None
        while True:
            pointer = Pointer.find(folder / POINTER_NAME)
            if pointer is None:
                return None
            try:
                return self._run(folder / f"gen={pointer.generation}", pointer.source)
            except UnreadableRecordError:
                if pointer == seen:
                    raise
                seen = pointer  # it may just have been superseded and removed

    def generation(self, run_id: str, key: str) -> Run | None:
        """A generation by its key, current or not; None if there is none."""
        path = self._folder(run_id) / f"gen={key}"
        try:
            manifest = Manifest.load(path / MANIFEST_NAME)
        except UnreadableRecordError:
            if path.exists():
                raise
            return None
        return Run(path, manifest, manifest.source)

    def has_generation(self, run_id: str, key: str) -> bool:
        """True if the name is taken, whether or not what it holds is readable."""
        return (self._folder(run_id) / f"gen={key}").exists()

    def runs(self, *, is_measured: bool = True) -> list[Run]:
        """The current generation of every readable measured run, or of every run; latest first."""
        found = (run for run, _ in self._found() if run)
        return [run for run in found if run.source.is_measured or not is_measured]

    def sources(self) -> dict[str, SourceRecord]:
        """The source of every measured run by run id; other than `runs`, it opens none of them."""
        return {run_id: pointer.source for run_id, pointer in self.pointers().items()}

    def pointers(self) -> dict[str, Pointer]:
        """The current generation of every measured run, by run id; opens none of them."""
        found = {}
        for path in sorted(self.runs_path.glob(f"{self.kind}=*/{POINTER_NAME}")):
            with suppress(UnreadableRecordError):
                pointer = Pointer.load(path)
                if pointer.source.is_measured:
                    found[path.parent.name.removeprefix(f"{self.kind}=")] = pointer
        return found

    def summaries(self) -> list[RunSummary]:
        """All runs, also unfinished or unreadable ones, latest first."""
        return [
            RunSummary(
                run_id=folder.name.removeprefix(f"{self.kind}="),
                state="complete" if run else self._state(folder),
                run=run,
                byte_count=FileSizes().add(folder),
            )
            for run, folder in self._found()
        ]

    def open(self, name: str | Path | None = None) -> Run:
        """The run of a run id, its unique start, a label or a trace path.

        If None, the latest measured one. Raises MissingInputError with a list of runs if none or
        several match.
        """
        runs = self.runs(is_measured=name is None)
        matches = runs[:1] if name is None else _matches(runs, str(name))
        if len(matches) == 1:
            return matches[0]
        listed = _listed(matches or runs, str(name or ""))
        broken = [
            folder.name.removeprefix(f"{self.kind}=")
            for run, folder in self._found()
            if not run and (folder / POINTER_NAME).exists()
        ]
        listed += [f"{run_id} (not readable)" for run_id in broken]
        known = f"{self.kind}s present: {', '.join(listed)}" if listed else _FIRST[self.kind]
        problem = (
            f"several {self.kind}s are called {name}"
            if matches
            else f"no {self.kind} {name or ''}".strip()
        )
        raise MissingInputError(f"{problem}: {self.path}: {known}")

    def connect(
        self, *, threads: int | None = None, memory_limit: str = ""
    ) -> duckdb.DuckDBPyConnection:
        """A database with every table over all measured runs as a view.

        The first column is run_id.
        """
        while True:
            runs = self.runs()
            connection = connect(threads=threads, memory_limit=memory_limit)
            try:
                for name in dict.fromkeys(name for run in runs for name in run.tables):
                    files = [file for run in runs if name in run.tables for file in run.files(name)]
                    create_union_view(connection, name, files)
                return connection
            except StoreError:
                connection.close()
                if all(run.path.exists() for run in runs):
                    raise

    def sweep(self) -> list[Path]:
        """Remove what killed writers of runs, campaigns and reports left behind and return it."""
        return sweep(self.path) + sweep_leases(self.leases_path)

    def _folder(self, run_id: str) -> Path:
        if not _FOLDER_NAME.fullmatch(run_id):
            raise ValueError(f"run id {run_id!r} cannot name a folder")
        return self.runs_path / f"{self.kind}={run_id}"

    def _run(self, path: Path, source: SourceRecord) -> Run:
        return Run(path, Manifest.load(path / MANIFEST_NAME), source)

    def _found(self) -> list[tuple[Run | None, Path]]:
        """The non-empty folders of runs, with their current generations if readable."""
        folders = [path for path in self.runs_path.glob(f"{self.kind}=*") if not _is_empty(path)]
        found = [(self._readable(folder), folder) for folder in folders]
        return sorted(found, key=lambda each: (_created(each[0]), each[1].name), reverse=True)

    def _readable(self, folder: Path) -> Run | None:
        try:
            return self.current(folder.name.removeprefix(f"{self.kind}="))
        except StoreError:
            return None

    def _state(self, folder: Path) -> str:
        """Why a run has no current generation."""
        try:
            self.current(folder.name.removeprefix(f"{self.kind}="))
        except StoreError as error:
            return str(error)
        return "being analyzed" if is_being_written(folder) else "unfinished"


def _listed(runs: Sequence[Run], name: str) -> list[str]:
    """Runs for a message: all if they are few, else those with names like this one."""
    names = [f"{run.run_id} ({run.label})" for run in runs]
    if len(names) <= _MOST_LISTED:
        return names
    near = near_matches(name, names, most=_MOST_LISTED) if name else []
    shown = near or names[:_MOST_LISTED]
    return [*shown, f"and {len(names) - len(shown)} more"]


def _matches(runs: Sequence[Run], name: str) -> list[Run]:
    """Runs that `name` may mean, by the strictest meaning that fits any.

    Traces that were stored at the same place at different times count as one.
    """
    meanings: tuple[Callable[[Run], bool], ...] = (
        lambda run: run.run_id == name,
        lambda run: run.source.is_measured and _same_path(run.source.path, name),
        lambda run: run.label == name,
        lambda run: bool(name) and run.run_id.startswith(name),
    )
    for meaning in meanings:
        found = [run for run in runs if meaning(run)]
        if found:
            return _present(found) if meaning in meanings[1:3] else found
    return []


def _present(runs: Sequence[Run]) -> list[Run]:
    """For each place, the run whose trace is there now, else the first; all campaigns."""
    places: dict[str, list[Run]] = {}
    for run in runs:
        is_trace = run.source.format != _CAMPAIGN
        place = os.path.realpath(run.source.path) if is_trace else run.run_id
        places.setdefault(place, []).append(run)
    return [
        there[0]
        if len(there) == 1
        else next((run for run in there if run.source.is_there), there[0])
        for there in places.values()
    ]


def _same_path(source: str, name: str) -> bool:
    """True if `name` is the trace or the folder that holds it."""
    wanted = os.path.realpath(name)
    return wanted in (os.path.realpath(source), os.path.realpath(os.path.dirname(source)))


def _is_empty(folder: Path) -> bool:
    """True also if it has just gone."""
    try:
        return not any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _created(run: Run | None) -> str:
    return run.manifest.created_at if run else ""
