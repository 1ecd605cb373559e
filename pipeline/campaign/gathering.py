"""What a campaign takes from one analysed run."""

from dataclasses import dataclass

import pyarrow as pa

from pipeline.query_failures import told_as_query_error
from pipeline.sql import load_query
from pipeline.store import Run

QUERIES = (
    "gathered_runs", "gathered_times", "gathered_call_paths", "gathered_call_sites",
    "gathered_metrics",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Size, times, call paths, call sites and metrics of a run, as QUERIES give them."""

    run: dict[str, int]
    times: pa.Table
    call_paths: pa.Table
    call_sites: pa.Table
    metrics: pa.Table

    @property
    def time_ns(self) -> int:
        """Elapsed time of the part that counts, over all processes."""
        begin, end = self.times["begin_ns"].to_pylist(), self.times["end_ns"].to_pylist()
        return max(max(end, default=0) - min(begin, default=0), 0)


def gather(analysed: Run, *, is_whole_run: bool, is_setup_included: bool) -> Gathered:
    """Ask a run for what campaigns compare. Raises QueryError or StoreError."""
    values = {"is_whole_run": is_whole_run, "is_setup_included": is_setup_included}
    queries = [load_query(name) for name in QUERIES]
    names = sorted({name for query in queries for name in query.inputs})
    connection = analysed.connect(threads=1, tables=names)
    try:
        with told_as_query_error(f"gathering {analysed.label}"):
            first, times, call_paths, call_sites, metrics = (
                connection.sql(query.statement, params=query.bind(values)).to_arrow_table()
                for query in queries
            )
            (run,) = first.to_pylist()
    finally:
        connection.close()
    return Gathered(
        run=run,
        times=times,
        call_paths=call_paths,
        call_sites=call_sites,
        metrics=metrics,
    )
