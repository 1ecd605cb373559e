"""Tables of a forecast of a run, and the record of its error, in the store."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.base.text import hash_of
from tracemill.forecast.errors import ErrorRecord
from tracemill.forecast.errors_storing import store_errors_of
from tracemill.forecast.replayed.outcome import Measured, Outcome
from tracemill.forecast.replayed.reading import Recorded
from tracemill.forecast.replayed.running import Replayed
from tracemill.forecast.tables import channel_rows
from tracemill.programs.clusters.cluster import Cluster
from tracemill.schemas import Table
from tracemill.schemas.forecast_runs import (
    FORECAST_PATH,
    FORECAST_RANKS,
    FORECAST_RUNS,
    FORECAST_WAITS,
    TABLES,
)
from tracemill.schemas.forecasts import FORECAST_CHANNELS
from tracemill.store.forecasts import publish
from tracemill.store.runs import Run

Row = dict[str, Any]


class RunForecast(NamedTuple):
    """A forecast of a run on a cluster, with what was recorded."""

    run: Run
    cluster: Cluster
    parameters: Literal["given", "fitted"]
    recorded: Recorded
    replayed: Replayed
    outcome: Outcome
    measured: Measured

    @property
    def forecast_id(self) -> str:
        """The hash of all that the forecast follows from."""
        return hash_of(f"{self.run.run_id}\n{self.cluster!r}")

    @property
    def error(self) -> float:
        """Forecast / recorded run time − 1."""
        return self.outcome.time / self.measured.time - 1 if self.measured.time else 0.0


def tables_of_run(made: RunForecast) -> dict[Table, pa.Table]:
    """All tables of a forecast of a run."""
    rows: Mapping[Table, Iterator[Row]] = {
        FORECAST_RUNS: _run_row(made),
        FORECAST_RANKS: _rank_rows(made.outcome),
        FORECAST_WAITS: _wait_rows(made),
        FORECAST_PATH: _path_rows(made),
        FORECAST_CHANNELS: channel_rows(made.outcome.levels),
    }
    return {
        table: pa.Table.from_pylist(
            [{"forecast_id": made.forecast_id, **row} for row in rows[table]],
            schema=table.arrow_schema,
        )
        for table in (*TABLES, FORECAST_CHANNELS)
    }


def _run_row(made: RunForecast) -> Iterator[Row]:
    outcome = made.outcome
    yield {
        "run_id": made.run.run_id,
        "cluster": made.cluster.name,
        "cluster_hash": made.cluster.digest,
        "parameters": made.parameters,
        "processes": len(outcome.end),
        "interval": outcome.interval,
        "forecast_ns": outcome.time,
        "measured_ns": made.measured.time,
        "ideal_ns": outcome.ideal,
        "path_ns": int(outcome.path.sum()) + outcome.path_overhead + outcome.transfer,
        "parallel_efficiency_ratio": _ratio(outcome.useful.mean(), outcome.time),
        "load_balance_ratio": _ratio(outcome.useful.mean(), outcome.useful.max()),
        "serialization_efficiency_ratio": _ratio(outcome.useful.max(), outcome.ideal),
        "transfer_efficiency_ratio": _ratio(outcome.ideal, outcome.time),
    }


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 1.0


def _rank_rows(outcome: Outcome) -> Iterator[Row]:
    times = zip(
        outcome.ranks, outcome.end - outcome.begin, outcome.computation, outcome.overhead,
        outcome.waiting, outcome.useful, strict=True,
    )  # fmt: skip
    for each in times:
        rank, run, computation, overhead, waiting, useful = map(int, each)
        yield {
            "rank": rank,
            "run_ns": run,
            "computation_ns": computation,
            "overhead_ns": overhead,
            "waiting_ns": waiting,
            "useful_ns": useful,
        }


def _wait_rows(made: RunForecast) -> Iterator[Row]:
    """Call paths of the same name are one."""
    names = [*made.recorded.call_paths, None]
    for place, rank in enumerate(made.outcome.ranks.tolist()):
        sums: dict[str | None, int] = {}
        for path in np.flatnonzero(made.outcome.waits[place]).tolist():
            wait = int(made.outcome.waits[place, path])
            sums[names[path]] = sums.get(names[path], 0) + wait
        for name, time in sums.items():
            yield {"rank": rank, "call_path": name, "waiting_ns": time}


def _path_rows(made: RunForecast) -> Iterator[Row]:
    names, sums = [*made.recorded.call_paths, None], dict[str | None, int]()
    for path in np.flatnonzero(made.outcome.path).tolist():
        sums[names[path]] = sums.get(names[path], 0) + int(made.outcome.path[path])
    for name, time in sums.items():
        yield {"kind": "computation", "call_path": name, "time_ns": time}
    for kind, time in (
        ("overhead", made.outcome.path_overhead),
        ("transfer", made.outcome.transfer),
    ):
        if time:
            yield {"kind": kind, "call_path": None, "time_ns": time}


def store_run_forecast(store: Path, made: RunForecast) -> Path:
    """Write the tables to their folder of the store, and return it. Raises StoreError."""
    return publish(store, f"forecast={made.forecast_id}", tables_of_run(made))


def record_error(store: Path, made: RunForecast) -> None:
    """Record the forecast beside what was recorded. Raises StoreError."""
    record = ErrorRecord(
        program=None,
        variant=None,
        cluster=made.cluster.name,
        cluster_hash=made.cluster.digest or None,
        processes=len(made.outcome.end),
        forecast_ns=made.outcome.time,
        measured_ns=made.measured.time,
        source=made.run.label,
        run_id=made.run.run_id,
        interval=made.outcome.interval,
        parameters=made.parameters,
        mpi_forecast_ns=int(made.outcome.in_mpi.sum()),
        mpi_measured_ns=int(made.measured.in_mpi.sum()),
    )
    store_errors_of(store, [record])
