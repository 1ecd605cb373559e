"""The metrics, and their values per call path and location."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    IS_EXTENDED,
    LOCATION_ID,
    METRIC,
    NAME,
    VALUE,
    nullable,
    renamed,
)
from tracemill.schemas.table import ENUM, INT16, STRING, Column, Table

METRICS = Table(
    name="metrics",
    meaning="The metrics, with their hierarchy and meaning.",
    grain="one row per metric",
    key=("metric",),
    columns=(
        METRIC,
        Column(
            name="parent_metric",
            type=STRING,
            null_means="top-level metric",
            meaning="Metric that includes this one.",
        ),
        Column(
            name="kind",
            type=ENUM,
            values=(
                "profile",
                "communication",
                "input/output",
                "wait state",
                "completion",
                "finding",
                "threads",
                "critical path",
                "delay",
                "overhead",
                "imbalance",
                "idle",
            ),
            meaning="Subject of the metric.",
        ),
        renamed(NAME, "title", "Title of the metric."),
        Column(
            name="unit",
            type=ENUM,
            values=("ns", "visits", "bytes", "occurrences"),
            meaning="Unit of the metric's values.",
        ),
        Column(name="meaning", type=STRING, meaning="Meaning of the metric."),
    ),
)

SEVERITIES = Table(
    name="severities",
    meaning=(
        "Metrics per call path and location. A metric includes its sub-metrics. Other metrics are "
        "in separate tables: time and visits (call_tree), critical-path activities "
        "(critical_path_work), overheads (location_overheads, call_path_overheads), imbalance "
        "(computational_imbalance) and idle time (idle_times)."
    ),
    grain=("one row per metric, call path, location and whether it is extended, if not zero"),
    key=("metric", "call_path_id", "location_id", "is_extended"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, IS_EXTENDED, VALUE),
)

METRIC_CELLS = Table(
    name="metric_cells",
    meaning="Every metric per call path and location, also metrics that are no severities; a "
    "metric includes its sub-metrics.",
    grain="one row per metric, call path and location where it may be other than zero, extended "
    "ones separate",
    key=("metric", "call_path_id", "location_id", "is_extended"),
    columns=(
        METRIC,
        nullable(CALL_PATH_ID, "in no call path"),
        LOCATION_ID,
        IS_EXTENDED,
        VALUE,
        Column(
            name="source",
            type=STRING,
            meaning="Table that it is from, or overheads, imbalance, absence, idle.",
        ),
    ),
)

PAGE_METRICS = Table(
    name="page_metrics",
    meaning="Metrics as pages show them: a tree in which overhead classes are parts of the time, "
    "with wholes such as all waiting.",
    grain="one row per metric",
    key=("metric",),
    columns=(
        *(
            replace(column, type=STRING, values=()) if column.type == ENUM else column
            for column in METRICS.columns
        ),
        Column(name="metric_number", type=INT16, minimum=1, meaning="Place among the metrics."),
    ),
)

TABLES = (METRICS, SEVERITIES)
VIEWS = (METRIC_CELLS, PAGE_METRICS)
