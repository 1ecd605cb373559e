"""Application, size and run time of every run of a store, for comparisons and trends.

`nightly/history` of the store caches them. The file may be deleted. If two nights write it at the
same time, one of the two files remains.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import PipelineError, QueryError, StoreError
from tracemill.base.files import replacing
from tracemill.base.text import hash_of
from tracemill.campaign.gathering import SIZES, in_batches, lacks, query_runs
from tracemill.engine.graph import code_hash, schema_hash
from tracemill.nightly.config import Application, application_of
from tracemill.nightly.notes import FOLDER
from tracemill.schemas.history import RUN_HISTORY
from tracemill.sql.query_files import load_query
from tracemill.store.manifest import SourceRecord
from tracemill.store.parquet import PartWriter
from tracemill.store.runs import Run, Store

_QUERIES = (SIZES, "gathered_starts")
_ADVICE = "name another folder with --store"


@dataclass(frozen=True, order=True)
class RunSeries:
    """The properties that comparable runs have in common."""

    application: str
    processes: int
    threads: int


@dataclass(frozen=True, kw_only=True)
class PastRun:
    """A run of the store; times of recording are nanoseconds since 1970.

    `recorded_ns` is the start of the program, or `written_ns`, the time of the trace's newest file.
    """

    run_id: str
    generation: str
    label: str
    series: RunSeries
    recorded_ns: int
    written_ns: int
    run_time_ns: int

    @property
    def recorded_at(self) -> str:
        """The time of recording as an ISO timestamp in UTC, to the second."""
        return datetime.fromtimestamp(self.recorded_ns // 10**9, UTC).isoformat()


def read_history(
    store: Store,
    root: Path,
    applications: Sequence[Application] = (),
    *,
    threads: int = 1,
    memory_limit: str = "",
) -> list[PastRun]:
    """The current generation of every run that can be queried, oldest first."""
    pointers = store.pointers()
    file = _file(store)
    current = {(run_id, pointer.generation) for run_id, pointer in pointers.items()}
    kept = [row for row in _read(file) if (row["run_id"], row["generation"]) in current]
    cached = {row["run_id"] for row in kept}
    readable = _readable(store, pointers.keys() - cached)
    new = list(chain.from_iterable(_query(readable, threads, memory_limit)))
    if new:
        with suppress(PipelineError):  # the store may be read-only
            _write(file, [*kept, *new])
    runs = [
        _past_run(row, pointers[row["run_id"]].source, root, applications) for row in kept + new
    ]
    return sorted(runs, key=lambda run: (run.recorded_ns, run.written_ns, run.run_id))


def _past_run(
    row: Mapping[str, Any], source: SourceRecord, root: Path, applications: Sequence[Application]
) -> PastRun:
    started_ns = row["started_at_ns"]
    written_ns = max((file.mtime_ns for file in source.files), default=0)
    return PastRun(
        run_id=row["run_id"],
        generation=row["generation"],
        label=source.label,
        series=RunSeries(
            application_of(source, root, applications), row["processes"], row["threads"]
        ),
        recorded_ns=written_ns if started_ns is None else started_ns,
        written_ns=written_ns,
        run_time_ns=row["run_time_ns"],
    )


def _readable(store: Store, run_ids: Iterable[str]) -> Iterator[Run]:
    for run_id in sorted(run_ids):
        with suppress(StoreError):
            run = store.current(run_id)
            if run is not None and not lacks(run, _QUERIES):
                yield run


def _query(runs: Iterable[Run], threads: int, memory_limit: str) -> Iterator[list[dict[str, Any]]]:
    """Rows of RUN_HISTORY for many runs at a time; runs that fail are left out."""
    for batch in in_batches(runs):
        try:
            yield _rows_of(batch, threads, memory_limit)
        except (StoreError, QueryError):
            for run in batch:
                with suppress(StoreError, QueryError):
                    yield _rows_of([run], threads, memory_limit)


def _rows_of(runs: Sequence[Run], threads: int, memory_limit: str) -> list[dict[str, Any]]:
    sizes, starts = query_runs(runs, _QUERIES, {}, threads=threads, memory_limit=memory_limit)
    generations = {run.run_id: run.generation for run in runs}
    started = dict(zip(*(starts[name].to_pylist() for name in starts.column_names), strict=True))
    return [
        {
            "generation": generations[row["run_id"]],
            "started_at_ns": started[row["run_id"]],
            **{name: value for name, value in row.items() if name != "whole_time_ns"},
        }
        for row in sizes.to_pylist()
    ]


# --- The file ------------------------------------------------------------------------------------


def _file(store: Store) -> Path:
    """The cache file; its name changes with the queries, the schema and this module."""
    queries = "".join(load_query(each).text for each in _QUERIES)
    made_by = hash_of(queries + schema_hash(RUN_HISTORY) + code_hash((__name__,)))
    return store.path / FOLDER / "history" / f"runs-{made_by}.parquet"


def _read(file: Path) -> list[dict[str, Any]]:
    """The cached rows; none if the file is missing or damaged."""
    try:
        return RUN_HISTORY.conform(pq.read_table(file, partitioning=None)).to_pylist()
    except (pa.ArrowException, KeyError, OSError):
        return []


def _write(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    ordered = sorted(rows, key=lambda row: row["run_id"])
    with replacing(file, advice=_ADVICE, is_folder_made=True) as beside:
        writer = PartWriter(RUN_HISTORY, beside)
        writer.write(pa.Table.from_pylist(ordered, schema=RUN_HISTORY.arrow_schema))
        writer.close()
