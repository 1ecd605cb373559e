"""Run times that nights keep, to avoid reading every run again."""

from tracemill.schemas.definitions import RUNS
from tracemill.schemas.table import INT32, INT64, STRING, Column, Table

RUN_TIME = "run_time"
"""Name of the run time, that of the main part of a run, beside the names of metrics."""

RUN_HISTORY = Table(
    name="run_history",
    meaning="Run times. The table is derived from the runs and can be deleted.",
    grain="one row per run and generation",
    key=("run_id", "generation"),
    columns=(
        *(column for column in RUNS.columns if column.name == "run_id"),
        Column(name="generation", type=STRING, meaning="Generation of the run."),
        Column(name="processes", type=INT32, minimum=1, meaning="Number of processes."),
        Column(
            name="threads",
            type=INT32,
            minimum=1,
            meaning="Number of threads of the process with the most threads.",
        ),
        *(column for column in RUNS.columns if column.name == "started_at_ns"),
        Column(
            name="run_time_ns",
            type=INT64,
            unit="ns",
            meaning="Time of the main part of the run, without MPI setup.",
        ),
    ),
)

TABLES = (RUN_HISTORY,)
