"""What nights remember of every run, so that the next ones need not ask it again."""

from schemas.columns import METRIC
from schemas.definitions import RUNS
from schemas.table import INT32, INT64, STRING, Column, Table

RUN_TIME = "run_time"
"""Name, beside those of metrics, of the time from the first record of a run to its last."""

RUN_HISTORY = Table(
    name="run_history",
    meaning="How long runs took, as a whole and by metric, over all call paths and locations. "
    "Several parts may tell the same of a run. Derived from the runs: it may be deleted.",
    grain="one row per run, generation and metric",
    key=("run_id", "generation", "metric"),
    columns=(
        *(column for column in RUNS.columns if column.name == "run_id"),
        Column(name="generation", type=STRING, meaning="Analysis of the run that tells it."),
        Column(name="processes", type=INT32, minimum=1, meaning="Number of processes."),
        Column(
            name="threads",
            type=INT32,
            minimum=1,
            meaning="Number of threads of the process with the most.",
        ),
        *(column for column in RUNS.columns if column.name == "started_at_ns"),
        METRIC,
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning=f"Sum over call paths and locations; of {RUN_TIME}, from the first record to "
            "the last of any location.",
        ),
    ),
)

TABLES = (RUN_HISTORY,)
