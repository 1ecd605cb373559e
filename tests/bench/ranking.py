"""Measure the ranking of call sites: python -m tests.bench.ranking [--sites N] [--runs N]."""

import argparse
import resource
import sys
import time
from collections.abc import Callable, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from tracemill.schemas import BY_NAME
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE
from tracemill.stages.models.rank_correlation import spearman

PROCESSES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure coefficients and p-values alone, with few runs, and the stage from its tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ranking", description=__doc__)
    parser.add_argument("--sites", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=50)
    chosen = parser.parse_args(arguments)
    random = np.random.default_rng(1)
    shares = random.random((chosen.sites, chosen.runs))
    processes = np.array([PROCESSES[run % len(PROCESSES)] for run in range(chosen.runs)])
    spearman(processes, shares[:10])  # the first call loads code
    _measure("coefficients and p-values", shares, lambda: spearman(processes, shares))
    tied = random.integers(0, 5, (chosen.sites, 9))
    _measure("the same, exact, with ties", tied, lambda: spearman(processes[:9], tied))
    inputs = _tables(shares, processes)
    compute, parameters = CALL_SITE_RANKING_STAGE.compute, CALL_SITE_RANKING_STAGE.parameters
    _measure("ranking from tables", shares, lambda: compute(**inputs, **parameters))
    return 0


def _measure(title: str, values: np.ndarray, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sites, runs = values.shape
    print(f"{title}: {sites:,} × {runs}: {seconds:.2f} CPU-s, peak {peak} MB so far")


def _tables(shares: np.ndarray, processes: np.ndarray) -> dict[str, duckdb.DuckDBPyRelation]:
    """What the stage reads: every call site in every run, as a share of 1 ms."""
    sites, runs = shares.shape
    times = np.maximum((shares * 1e6).astype(np.int64), 1)
    total = times.sum(axis=0)
    connection = duckdb.connect()
    made = {
        "campaign_runs": {
            "campaign_run_id": np.arange(runs),
            "application": ["program"] * runs,
            "processes": processes,
            "size": np.ones(runs),
            "state": ["measured"] * runs,
        },
        "campaign_call_paths": {
            "call_path_key": np.arange(sites),
            "call_path": [f"main/solve_{site}/MPI_Wait" for site in range(sites)],
            "region": ["MPI_Wait"] * sites,
            "operation": ["MPI_Wait"] * sites,
        },
        "communication_times": {"campaign_run_id": np.arange(runs), "communication_ns": total},
        "call_site_times": {
            "campaign_run_id": np.tile(np.arange(runs), sites),
            "call_path_key": np.repeat(np.arange(sites), runs),
            "total_ns": times.ravel(),
            "longest_ns": times.ravel() // 2 + 1,
            "communication_share": (times / total).ravel(),
        },
    }
    return {name: _relation(connection, name, columns) for name, columns in made.items()}


def _relation(
    connection: duckdb.DuckDBPyConnection, name: str, columns: dict[str, object]
) -> duckdb.DuckDBPyRelation:
    """A table with the given columns; the others, which the stage does not need, are null."""
    given = pa.table(columns)
    for column in BY_NAME[name].columns:
        if column.name not in given.column_names:
            given = given.append_column(column.name, pa.nulls(len(given), column.type))
    connection.register(f"given_{name}", given)
    return connection.sql(f"FROM given_{name}")


if __name__ == "__main__":
    sys.exit(main())
