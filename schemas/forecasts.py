"""Forecasts of programs on described clusters: time, its parts, operations and channels."""

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas.columns import nullable, renamed
from tracemill.schemas.table import ENUM, FLOAT64, INT32, INT64, STRING, Column, Rule, Table

CLASSES = ("io", "reduction", "remote", "exchange", "copy", "pipeline", "collective")

FORECAST_ID = Column(
    name="forecast_id",
    type=STRING,
    meaning=(
        "Hash of the program, the variant, the cluster, the grid, the shortcuts and the choice of "
        "intervals. Equal forecasts have the same."
    ),
)
PROGRAM = Column(name="program", type=STRING, meaning="Name of the program.")
VARIANT = Column(
    name="variant",
    type=STRING,
    meaning="Name of the variant; empty for the program as it is described.",
)
CLUSTER = Column(name="cluster", type=STRING, meaning="Name of the cluster.")
GRID = Column(
    name="grid",
    type=STRING,
    meaning='Processes in each dimension of the grid, joined by "x", such as 4x4.',
)
PROCESSES = Column(name="processes", type=INT32, minimum=1, meaning="Number of processes.")
INTERVAL_ID = Column(
    name="interval_id",
    type=INT32,
    minimum=0,
    meaning="Interval of the program; 0 is the whole program. Enclosing intervals come first.",
)


def time_column(name: str, meaning: str) -> Column:
    """A column of times of 0 or more."""
    return Column(name=name, type=INT64, unit="ns", minimum=0, meaning=meaning)


BEFORE_NS = time_column(
    "before_ns",
    "Desynchronization before operations: for each operation, the sum over the processes that "
    "take part of the latest start minus their own start.",
)
AFTER_NS = time_column(
    "after_ns",
    "Desynchronization after operations: for each operation, the sum over the processes that take "
    "part of the latest end of the wait minus their own.",
)
OVERLAP_NS = time_column(
    "overlap_ns",
    "Time that nonblocking operations ran while their processes did something else, summed over "
    "processes.",
)


def _is_sum(table: pa.Table, whole: str, *parts: str) -> pa.ChunkedArray:
    total = table[parts[0]]
    for part in parts[1:]:
        total = pc.add(total, table[part])
    return pc.equal(table[whole], total)


FORECASTS = Table(
    name="forecasts",
    meaning="Forecasts of the run time of programs on clusters.",
    grain="one row per forecast",
    key=("forecast_id",),
    columns=(
        FORECAST_ID,
        PROGRAM,
        VARIANT,
        CLUSTER,
        GRID,
        PROCESSES,
        Column(
            name="shortcuts",
            type=STRING,
            meaning=(
                "Shortcuts of the simulation: none, loops (repeated iterations), or all (also "
                "pipelined loops)."
            ),
        ),
        time_column("time_ns", "Run time: the longest time of a process."),
        nullable(
            time_column("single_process_ns", "Run time with one process, on core 0."),
            "the program cannot run with one process",
        ),
        Column(
            name="speed_up_ratio",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            null_means="the program cannot run with one process, or takes no time",
            meaning="Run time with one process divided by the run time.",
        ),
        nullable(
            time_column("full_time_ns", "Run time of the simulation without shortcuts."),
            "not compared",
        ),
    ),
)

FORECAST_INTERVALS = Table(
    name="forecast_intervals",
    meaning=(
        "Intervals of forecast programs, with all nested intervals. Times except `time_ns` are "
        "summed over processes."
    ),
    grain="one row per forecast and interval",
    key=("forecast_id", "interval_id"),
    columns=(
        FORECAST_ID,
        INTERVAL_ID,
        renamed(
            INTERVAL_ID,
            "parent_interval_id",
            "Enclosing interval.",
            null_means="it is the whole program",
        ),
        Column(
            name="interval",
            type=STRING,
            meaning=(
                'Names from the program to the interval, joined by "/"; repeated names in a list '
                "are numbered."
            ),
        ),
        time_column("time_ns", "Longest time of a process in the interval, over all executions."),
        time_column("total_ns", "`time_ns` times the number of processes."),
        time_column("productive_ns", "Computing that a single process would do, too."),
        time_column(
            "lost_ns", "Everything else: insufficient parallelism, communication and idle time."
        ),
        time_column("insufficient_ns", "Computing that other processes repeat."),
        time_column(
            "communication_ns",
            "Overheads of starting operations and time in waits for them, including waits for late "
            "partners.",
        ),
        time_column("idle_ns", "Time that processes spend less than the longest one."),
        Column(
            name="efficiency_ratio",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            maximum=1,
            meaning="Productive time divided by `total_ns`; 1 if the interval takes no time.",
        ),
        BEFORE_NS,
        AFTER_NS,
        OVERLAP_NS,
    ),
    rules=(
        Rule(
            "total_is_productive_and_lost",
            lambda table: _is_sum(table, "total_ns", "productive_ns", "lost_ns"),
        ),
        Rule(
            "lost_is_the_sum_of_its_parts",
            lambda table: _is_sum(
                table, "lost_ns", "insufficient_ns", "communication_ns", "idle_ns"
            ),
        ),
    ),
)

FORECAST_OPERATIONS = Table(
    name="forecast_operations",
    meaning="Communication and I/O of forecast programs by class of operation.",
    grain="one row per forecast, interval, and class of operation that occurs in it",
    key=("forecast_id", "interval_id", "class"),
    columns=(
        FORECAST_ID,
        INTERVAL_ID,
        Column(
            name="class",
            type=ENUM,
            values=CLASSES,
            meaning="Class; exchange includes messages to neighbors in the grid.",
        ),
        Column(
            name="operation_count",
            type=FLOAT64,
            unit="operations",
            minimum=0,
            meaning="Number of operations; those in branches count with their probability.",
        ),
        time_column("time_ns", "Communication time, summed over processes."),
        OVERLAP_NS,
        BEFORE_NS,
        AFTER_NS,
    ),
)

FORECAST_PROCESSES = Table(
    name="forecast_processes",
    meaning="Times of processes in intervals of forecast programs, with all nested intervals.",
    grain="one row per forecast, interval and process",
    key=("forecast_id", "interval_id", "rank"),
    columns=(
        FORECAST_ID,
        INTERVAL_ID,
        Column(
            name="rank",
            type=INT32,
            minimum=0,
            meaning="Process; the last coordinate in the grid counts fastest.",
        ),
        time_column("own_ns", "Time in the interval, over all executions."),
        time_column("productive_ns", "Computing that a single process would do, too."),
        time_column("insufficient_ns", "Computing that a process of lower rank does, too."),
        time_column("communication_ns", "Overheads of starting operations and time in waits."),
        time_column("idle_ns", "Time less than that of the longest process."),
    ),
    rules=(
        Rule(
            "own_is_the_sum_of_its_parts",
            lambda table: _is_sum(
                table, "own_ns", "productive_ns", "insufficient_ns", "communication_ns"
            ),
        ),
    ),
)

FORECAST_CHANNELS = Table(
    name="forecast_channels",
    meaning="Use of the channels of a cluster in a forecast.",
    grain="one row per forecast and level of the cluster, and one for the storage if it is used",
    key=("forecast_id", "level"),
    columns=(
        FORECAST_ID,
        Column(name="level", type=STRING, meaning="Level of the cluster, or storage."),
        Column(
            name="transfers",
            type=FLOAT64,
            unit="transfers",
            minimum=0,
            meaning="Number of transfers; those in branches count with their probability.",
        ),
        Column(
            name="bytes", type=INT64, unit="bytes", minimum=0, meaning="Bytes of all transfers."
        ),
        time_column("busy_ns", "Time that channels were taken, summed over channels."),
        Column(
            name="busy_ratio",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            meaning=(
                "Busy time divided by the run time and by the number of channels of units that "
                "hold processes; 0 without contention."
            ),
        ),
    ),
)

TABLES: tuple[Table, ...] = (
    FORECASTS,
    FORECAST_INTERVALS,
    FORECAST_OPERATIONS,
    FORECAST_PROCESSES,
    FORECAST_CHANNELS,
)
