"""Efficiencies as POP defines them, of the runs and configurations of a campaign."""

from tracemill.schemas.campaigns import APPLICATION, CAMPAIGN_RUN_ID, PROCESSES, SIZE, THREADS
from tracemill.schemas.columns import renamed
from tracemill.schemas.pop import INTERVAL
from tracemill.schemas.table import ENUM, FLOAT64, STRING, Column, Table

_EFFICIENCY = (
    Column(
        name="metric",
        type=STRING,
        meaning="Time, efficiency, scaling, or sum over all threads of useful time and counters.",
    ),
    Column(
        name="value",
        type=FLOAT64,
        minimum=0,
        meaning=(
            "Time in ns; ratio; sum in ns, instructions or cycles; or instructions per cycle or "
            "cycles per ns of useful time."
        ),
    ),
)

RUN_EFFICIENCIES = Table(
    name="run_efficiencies",
    meaning="Efficiencies of a run as POP defines them, and what their scaling is computed from.",
    grain="one row per analyzed run, interval and metric",
    key=("campaign_run_id", "interval", "metric"),
    columns=(CAMPAIGN_RUN_ID, INTERVAL, *_EFFICIENCY),
)

CONFIGURATION_EFFICIENCIES = Table(
    name="configuration_efficiencies",
    meaning="Efficiencies as POP defines them, of the shortest run of each configuration.",
    grain="one row per application, size, processes, threads and metric",
    key=("application", "size", "processes", "threads", "metric"),
    columns=(
        APPLICATION,
        SIZE,
        PROCESSES,
        THREADS,
        *_EFFICIENCY,
        INTERVAL,
        Column(
            name="scaling",
            type=ENUM,
            values=("strong", "weak"),
            meaning=(
                "strong: the problem is the same as that of the reference; weak: it grows with "
                "the number of CPUs, and speed-up and scalings are multiplied by this growth."
            ),
        ),
        renamed(SIZE, "reference_size", "Size of the reference, which has the fewest CPUs."),
        renamed(PROCESSES, "reference_processes", "Processes of the reference."),
        renamed(THREADS, "reference_threads", "Threads per process of the reference."),
        CAMPAIGN_RUN_ID,
    ),
)

TABLES = (RUN_EFFICIENCIES, CONFIGURATION_EFFICIENCIES)
