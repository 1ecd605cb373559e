"""Queries over many analyzed runs at once, for campaigns and comparisons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.campaign.site_matching import MatchedSites, use_matched
from tracemill.engine.graph import schema_hash
from tracemill.schemas import BY_NAME
from tracemill.sql.failures import stage_errors
from tracemill.sql.query_files import Value, create_views, load_query, stored_inputs
from tracemill.store.database import connect, create_union_view, parsed
from tracemill.store.runs import Run

SIZES = "gathered_runs"
QUERIES = (
    "gathered_times", "gathered_call_paths", "gathered_call_sites", "gathered_metrics",
    "gathered_causes", "gathered_losses", "gathered_serial_times",
    "compared_threads", "compared_times", "compared_losses",
    "gathered_counters", "gathered_perturbation", "gathered_efficiencies",
)  # fmt: skip
# More runs in one query save hardly any time.
MOST_RUNS = 64
MOST_ROWS = 4_000_000


@dataclass(frozen=True, kw_only=True)
class RunSize:
    """The size of a run, the time from its first record to its last, and that of its main part."""

    processes: int
    threads: int
    whole_time_ns: int
    run_time_ns: int


@dataclass(frozen=True)
class Gathered:
    """The rows of QUERIES for some runs, each row with its `run_id`."""

    times: pa.Table
    call_paths: pa.Table
    call_sites: pa.Table
    metrics: pa.Table
    causes: pa.Table
    losses: pa.Table
    serial_times: pa.Table
    threads: pa.Table
    thread_times: pa.Table
    losses_by_class: pa.Table
    counters: pa.Table
    perturbation: pa.Table
    efficiencies: pa.Table

    @property
    def time_ns(self) -> dict[str, int]:
        """Elapsed time (ns) of the timed part, over all processes, by run id."""
        spans = self.times.group_by("run_id").aggregate([("begin_ns", "min"), ("end_ns", "max")])
        return {
            row["run_id"]: max(row["end_ns_max"] - row["begin_ns_min"], 0)
            for row in spans.to_pylist()
        }

    @property
    def serial_ns(self) -> dict[str, int]:
        """Time (ns) of the main part in which exactly one of several threads computes."""
        return {row["run_id"]: row["serial_ns"] for row in self.serial_times.to_pylist()}

    @property
    def perturbed_ratios(self) -> dict[str, float]:
        """The share of the measurement in the time of all threads."""
        return {row["run_id"]: row["perturbed_ratio"] for row in self.perturbation.to_pylist()}


def in_batches(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Batches of at most MOST_RUNS runs; a batch of several has at most MOST_ROWS rows."""
    names = stored_inputs(map(load_query, QUERIES))
    batch: list[Run] = []
    row_count = 0
    for run in runs:
        own = sum(run.manifest.tables[name].row_count for name in names)
        if batch and (len(batch) == MOST_RUNS or row_count + own > MOST_ROWS):
            yield batch
            batch, row_count = [], 0
        batch.append(run)
        row_count += own
    if batch:
        yield batch


def sizes_of(runs: Sequence[Run]) -> dict[str, RunSize]:
    """Sizes of runs by run id. Raises QueryError or StoreError."""
    with open_runs(runs, [SIZES], threads=1, memory_limit="") as connection:
        return sizes_in(connection)


def sizes_in(connection: duckdb.DuckDBPyConnection) -> dict[str, RunSize]:
    """Sizes of the runs of an open database, by run id."""
    sizes = query_rows(connection, SIZES, {})
    return {row.pop("run_id"): RunSize(**row) for row in sizes.to_pylist()}


def gather(
    runs: Sequence[Run],
    *,
    is_setup_included: bool,
    matched: MatchedSites | None,
    threads: int,
    memory_limit: str,
) -> Gathered:
    """The rows of some runs that campaigns need. Raises QueryError or StoreError."""
    values = {"is_setup_included": is_setup_included}
    found = query_runs(
        runs, QUERIES, values, matched=matched, threads=threads, memory_limit=memory_limit
    )
    return Gathered(*found)


def query_runs(
    runs: Sequence[Run],
    names: Sequence[str],
    values: Mapping[str, Value],
    *,
    matched: MatchedSites | None = None,
    threads: int | None,
    memory_limit: str,
) -> list[pa.Table]:
    """Rows of some queries over runs; each row has its `run_id`."""
    with open_runs(
        runs, names, matched=matched, threads=threads, memory_limit=memory_limit
    ) as connection:
        return [query_rows(connection, name, values) for name in names]


@contextmanager
def open_runs(
    runs: Sequence[Run], names: Sequence[str], *, matched: MatchedSites | None = None,
    threads: int | None, memory_limit: str,
) -> Iterator[duckdb.DuckDBPyConnection]:  # fmt: skip
    """A database with the tables of some queries over all runs; each row has its `run_id`."""
    connection = connect(threads=threads, memory_limit=memory_limit)
    try:
        with stage_errors("gathering runs"):
            queries = [load_query(name) for name in names]
            for name in stored_inputs(queries):
                files = [file for run in runs for file in run.files(name)]
                create_union_view(connection, name, files, are_alike=True)
            if matched is not None:
                use_matched(connection, matched)
            create_views(connection, {name for query in queries for name in query.inputs})
            yield connection
    finally:
        connection.close()


def query_rows(
    connection: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Value]
) -> pa.Table:
    """Rows of a query. Values of other parameters are ignored."""
    query = load_query(name)
    statement = parsed(connection, query.statement)
    return connection.sql(statement, params=query.bind(values)).to_arrow_table()


def lacks(run: Run, queries: Sequence[str] = (SIZES, *QUERIES)) -> list[str]:
    """Tables that queries need but a run lacks: lost, or unknown to the version that made it."""
    lost = set(run.missing_tables())
    names = stored_inputs(map(load_query, queries))
    return [name for name in names if name in lost or not _has(run, name)]


def _has(run: Run, name: str) -> bool:
    record = run.manifest.stored.get(name)
    if record is None or record.parts.get("schema") == schema_hash(BY_NAME[name]):
        return record is not None
    present = pq.read_schema(run.files(name)[0]).names
    return set(BY_NAME[name].column_names) <= set(present)
