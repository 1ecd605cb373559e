"""The runs of a store as nights compare them: what each is a run of, and how long it took.

What was once gathered from a run lies in `nightly/history` of the store, in parts that do not
change. Parts are made by any number of writers and may tell the same twice; all of them may be
deleted at any time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tracemill.base.errors import PipelineError, QueryError, StoreError
from tracemill.base.files import replacing
from tracemill.base.text import hash_of
from tracemill.campaign.gathering import SIZES, ask, in_batches, lacks
from tracemill.engine.graph import code_hash, schema_hash
from tracemill.nightly.applications import application_of
from tracemill.nightly.notes import FOLDER
from tracemill.nightly.outcome import Application
from tracemill.schemas.history import RUN_HISTORY, RUN_TIME
from tracemill.sql.query_files import load_query
from tracemill.store import Run, SourceRecord, Store
from tracemill.store.manifest import Pointer
from tracemill.store.parquet import PartWriter

MOST_PARTS = 64
_GATHERED = (SIZES, "gathered_starts", "gathered_metrics")
_ADVICE = "name another folder with --store"
_ATTEMPTS = 5


@dataclass(frozen=True, order=True)
class Series:
    """What runs must have in common to be compared."""

    application: str
    processes: int
    threads: int


@dataclass(frozen=True, kw_only=True)
class PastRun:
    """A run of the store; `values` are times by metric (ns).

    `recorded_ns` is when its trace says that it began, or else `written_ns`, when its newest file
    was written, both since 1970.
    """

    run_id: str
    generation: str
    label: str
    series: Series
    recorded_ns: int
    written_ns: int
    values: Mapping[str, int]

    @property
    def run_time_ns(self) -> int:
        return self.values[RUN_TIME]

    @property
    def recorded_at(self) -> str:
        """When it was recorded, as an ISO timestamp in UTC, to the second."""
        return datetime.fromtimestamp(self.recorded_ns // 10**9, UTC).isoformat()


def read_history(
    store: Store,
    root: Path,
    applications: Sequence[Application] = (),
    *,
    metrics: Sequence[str] = (),
    threads: int = 1,
    memory_limit: str = "",
) -> list[PastRun]:
    """The current generation of every run with its run time and some metrics, oldest first.

    Runs that no part tells of are gathered, and kept for later. Those that cannot be asked, such
    as runs of an older version, are left out.
    """
    current = store.pointers()
    rows = _known(store, metrics)
    told = _keys(rows)
    new = _open(
        store, (run_id for run_id, p in current.items() if (run_id, p.generation) not in told)
    )
    for gathered in _gather(new, threads, memory_limit):
        with suppress(PipelineError):  # a store that is only read
            _keep(store, gathered)
        rows = pa.concat_tables([rows, _wanted(gathered, metrics)])
    return _past_runs(rows, current, root, applications)


def _past_runs(
    rows: pa.Table,
    current: Mapping[str, Pointer],
    root: Path,
    applications: Sequence[Application],
) -> list[PastRun]:
    by_run: dict[str, dict[str, int]] = {}
    first: dict[str, dict[str, object]] = {}
    for row in rows.to_pylist():
        pointer = current.get(row["run_id"])
        if pointer is not None and pointer.generation == row["generation"]:
            by_run.setdefault(row["run_id"], {})[row["metric"]] = row["value_ns"]
            first.setdefault(row["run_id"], row)
    runs = [
        _past_run(first[run_id], values, current[run_id].source, root, applications)
        for run_id, values in by_run.items()
        if RUN_TIME in values
    ]
    return sorted(runs, key=lambda run: (run.recorded_ns, run.written_ns, run.run_id))


def _past_run(
    row: Mapping[str, object],
    values: Mapping[str, int],
    source: SourceRecord,
    root: Path,
    applications: Sequence[Application],
) -> PastRun:
    started, written_ns = row["started_at_ns"], max((f.mtime_ns for f in source.files), default=0)
    series = Series(
        application_of(source, root, applications), _whole(row["processes"]), _whole(row["threads"])
    )
    return PastRun(
        run_id=str(row["run_id"]),
        generation=str(row["generation"]),
        label=source.label,
        series=series,
        recorded_ns=written_ns if started is None else _whole(started),
        written_ns=written_ns,
        values=values,
    )


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value


def _open(store: Store, run_ids: Iterable[str]) -> Iterator[Run]:
    """Those of some runs that can be asked."""
    for run_id in run_ids:
        with suppress(StoreError):
            run = store.current(run_id)
            if run is not None and not lacks(run, _GATHERED):
                yield run


def _gather(runs: Iterable[Run], threads: int, memory_limit: str) -> Iterator[pa.Table]:
    """Rows of the history for runs, many at a time; those that fail are left out."""
    for batch in in_batches(runs):
        try:
            yield _ask(batch, threads, memory_limit)
        except (StoreError, QueryError):
            for run in batch:
                with suppress(StoreError, QueryError):
                    yield _ask([run], threads, memory_limit)


def _ask(runs: Sequence[Run], threads: int, memory_limit: str) -> pa.Table:
    sizes, starts, by_call_path = ask(
        runs, _GATHERED, {}, threads=threads, memory_limit=memory_limit
    )
    summed = by_call_path.group_by(["run_id", "metric"]).aggregate([("value_ns", "sum")])
    metrics = summed.select(["run_id", "metric", "value_ns_sum"])
    run_time = pa.array([RUN_TIME] * sizes.num_rows, pa.string())
    elapsed = pa.table([sizes["run_id"], run_time, sizes["whole_time_ns"]], metrics.schema.names)
    generations = pa.table(
        {
            "run_id": pa.array([run.run_id for run in runs], pa.string()),
            "generation": pa.array([run.generation for run in runs], pa.string()),
        }
    )
    rows = pa.concat_tables([metrics, elapsed.cast(metrics.schema)]).rename_columns(
        ["run_id", "metric", "value_ns"]
    )
    for more in (sizes.drop_columns("whole_time_ns"), starts, generations):
        rows = rows.join(more, "run_id")
    return RUN_HISTORY.conform(rows.sort_by([(name, "ascending") for name in RUN_HISTORY.key]))


# --- Parts ---------------------------------------------------------------------------------------


def _place(store: Store, name: str) -> Path:
    """Where a part of that name lies among those that were gathered as this version does it."""
    texts = "".join(load_query(each).text for each in _GATHERED)
    made_by = hash_of(texts + schema_hash(RUN_HISTORY) + code_hash((__name__,)))
    return store.path / FOLDER / "history" / f"part-{made_by}-{name}.parquet"


def _parts(store: Store) -> list[Path]:
    every = _place(store, "*")
    return sorted(every.parent.glob(every.name))


def _known(store: Store, metrics: Sequence[str]) -> pa.Table:
    """Rows of all parts, without repetitions of a run; many parts become one."""
    for _ in range(_ATTEMPTS):
        files = _parts(store)
        try:
            parts = [table for file in files if (table := _read(file)) is not None]
        except FileNotFoundError:
            continue  # somebody made one part of many, which is among the files now
        rows = _distinct(pa.concat_tables([RUN_HISTORY.empty(), *parts]))
        if len(files) > MOST_PARTS:
            _merge(store, rows, files)
        return _wanted(rows, metrics)
    return RUN_HISTORY.empty()


def _read(file: Path) -> pa.Table | None:
    """A part; None if it is damaged, so that its runs are asked again."""
    try:
        return RUN_HISTORY.conform(pq.read_table(file, partitioning=None))
    except FileNotFoundError:
        raise
    except (pa.ArrowException, KeyError, OSError):
        return None


def _distinct(rows: pa.Table) -> pa.Table:
    names = list(RUN_HISTORY.column_names)
    return rows.group_by(names, use_threads=False).aggregate([]).select(names)


def _wanted(rows: pa.Table, metrics: Sequence[str]) -> pa.Table:
    return rows.filter(pc.is_in(rows["metric"], pa.array([RUN_TIME, *metrics], pa.string())))


def _keys(rows: pa.Table) -> set[tuple[str, str]]:
    return set(zip(rows["run_id"].to_pylist(), rows["generation"].to_pylist(), strict=True))


def _keep(store: Store, rows: pa.Table) -> Path:
    """Write a part, whose name says which runs it tells of."""
    digest = hash_of(repr(sorted(_keys(rows))))
    path = _place(store, digest)
    with replacing(path, advice=_ADVICE, is_folder_made=True) as beside:
        writer = PartWriter(RUN_HISTORY, beside)
        writer.write(rows)
        writer.close()
    return path


def _merge(store: Store, rows: pa.Table, files: Sequence[Path]) -> None:
    """Make one part of many; the others are removed once it is there."""
    with suppress(PipelineError, OSError):
        ordered = rows.sort_by([(name, "ascending") for name in RUN_HISTORY.key])
        kept = _keep(store, RUN_HISTORY.conform(ordered))
        for file in files:
            if file != kept:
                file.unlink(missing_ok=True)
