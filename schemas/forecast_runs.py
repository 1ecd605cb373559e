"""Forecasts of recorded runs on clusters: run time, what processes do, and the critical path."""

from tracemill.schemas.columns import nullable
from tracemill.schemas.forecast_search import PARAMETERS
from tracemill.schemas.forecasts import CLUSTER, FORECAST_ID, PROCESSES, time_column
from tracemill.schemas.table import ENUM, FLOAT64, INT32, STRING, Column, Table

PATH_KINDS = ("computation", "overhead", "transfer")

_CALL_PATH = Column(name="call_path", type=STRING, meaning='Call path, as names joined by "/".')
_RANK = Column(name="rank", type=INT32, minimum=0, meaning="Rank of the process.")


def _ratio(name: str, meaning: str) -> Column:
    return Column(name=name, type=FLOAT64, unit="ratio", minimum=0, meaning=meaning)


FORECAST_RUNS = Table(
    name="forecast_runs",
    meaning="Forecasts of recorded runs, replayed on described clusters.",
    grain="one row per forecast of a run",
    key=("forecast_id",),
    columns=(
        FORECAST_ID,
        Column(name="run_id", type=STRING, meaning="Replayed run."),
        CLUSTER,
        Column(name="cluster_hash", type=STRING, meaning="Hash of the description of the cluster."),
        Column(
            name="parameters",
            type=ENUM,
            values=PARAMETERS,
            meaning="Whether the cluster was given, or fitted to the run.",
        ),
        PROCESSES,
        Column(
            name="interval",
            type=STRING,
            meaning="Part of the run: init to finalize, or whole if it has no MPI.",
        ),
        time_column("forecast_ns", "Forecast run time."),
        time_column("measured_ns", "Recorded run time."),
        time_column("ideal_ns", "Run time on the same cores with a network without costs."),
        time_column("path_ns", "Length of the critical path: from its begin to the last end."),
        _ratio("parallel_efficiency_ratio", "Mean computation of processes / run time."),
        _ratio("load_balance_ratio", "Mean / longest computation of a process."),
        _ratio("serialization_efficiency_ratio", "Longest computation / `ideal_ns`."),
        _ratio("transfer_efficiency_ratio", "`ideal_ns` / run time."),
    ),
)

FORECAST_RANKS = Table(
    name="forecast_ranks",
    meaning="Computation, overhead and waiting of each process in the forecast of a run.",
    grain="one row per forecast of a run and rank",
    key=("forecast_id", "rank"),
    columns=(
        FORECAST_ID,
        _RANK,
        time_column("run_ns", "Time of the process: the sum of the next three."),
        time_column("computation_ns", "Time outside of MPI, and in collective access to files."),
        time_column("overhead_ns", "Overhead of calls that communicate."),
        time_column("waiting_ns", "Time in which the process waits for others or for transfers."),
        time_column("useful_ns", "Computation in the program's own code."),
    ),
)

FORECAST_WAITS = Table(
    name="forecast_waits",
    meaning="Waits of processes in the forecast of a run.",
    grain="one row per forecast of a run, rank and call path with waits",
    key=("forecast_id", "rank", "call_path"),
    columns=(
        FORECAST_ID,
        _RANK,
        nullable(_CALL_PATH, "outside of all calls"),
        time_column("waiting_ns", "Time of the waits."),
    ),
)

FORECAST_PATH = Table(
    name="forecast_path",
    meaning="The critical path in the forecast of a run.",
    grain="one row per forecast of a run, kind of time and call path",
    key=("forecast_id", "kind", "call_path"),
    columns=(
        FORECAST_ID,
        Column(
            name="kind",
            type=ENUM,
            values=PATH_KINDS,
            meaning="Computation, overhead of calls, or waiting for transfers.",
        ),
        nullable(_CALL_PATH, "outside of all calls, or not computation"),
        time_column("time_ns", "Time on the path."),
    ),
)

TABLES: tuple[Table, ...] = (FORECAST_RUNS, FORECAST_RANKS, FORECAST_WAITS, FORECAST_PATH)
