"""Results of runs that nightly runs keep, to avoid reading every run again."""

from tracemill.schemas.columns import METRIC
from tracemill.schemas.definitions import RUNS
from tracemill.schemas.table import INT32, INT64, STRING, Column, Table

RUN_TIME = "run_time"
"""Name of the run time, from the first to the last record of a run, beside the names of metrics."""

RUN_HISTORY = Table(
    name="run_history",
    meaning=(
        "Times of runs, in total and by metric, over all call paths and locations. Several "
        "files may contain the same run. The table is derived from the runs and can be "
        "deleted."
    ),
    grain="one row per run, generation and metric",
    key=("run_id", "generation", "metric"),
    columns=(
        *(column for column in RUNS.columns if column.name == "run_id"),
        Column(
            name="generation", type=STRING, meaning="Analysis of the run that the values come from."
        ),
        Column(name="processes", type=INT32, minimum=1, meaning="Number of processes."),
        Column(
            name="threads",
            type=INT32,
            minimum=1,
            meaning="Number of threads of the process with the most threads.",
        ),
        *(column for column in RUNS.columns if column.name == "started_at_ns"),
        METRIC,
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning=(
                f"Sum over call paths and locations. For {RUN_TIME}: time from the first to the "
                "last record of the run."
            ),
        ),
    ),
)

TABLES = (RUN_HISTORY,)
