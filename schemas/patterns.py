"""Patterns, and their findings except waiting."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    CONFIDENCE,
    LOCATION_ID,
    VALUE,
    VISIT_ID,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, INT64, STRING, Column, Table
from tracemill.schemas.wait_states import WAIT_COLUMNS

PATTERN_KINDS = ("wait state", "completion", "finding")

PATTERNS = Table(
    name="patterns",
    meaning="All evaluated patterns, as declared in their files.",
    grain="one row per pattern",
    key=("pattern",),
    columns=(
        Column(name="pattern", type=STRING, meaning="Name of the pattern and of its file."),
        Column(
            name="kind",
            type=ENUM,
            values=PATTERN_KINDS,
            meaning=(
                "Waiting, completion, or a finding. Findings may share their time with other "
                "findings."
            ),
        ),
        Column(name="is_own", type=BOOL, meaning="A user pattern, not one of the catalog."),
        Column(name="metrics", type=STRING, meaning="Names of its metrics."),
        Column(name="description", type=STRING, meaning="Description of the pattern."),
        Column(name="source", type=STRING, meaning="Reference for the pattern; may be empty."),
        Column(name="assumes", type=STRING, meaning="Assumptions of the pattern; may be empty."),
        Column(name="query", type=STRING, meaning="SQL query with its header."),
    ),
)

FINDING_PROPERTY = Column(name="property", type=STRING, meaning="Metric of the finding.")
FINDING_VALUE = replace(
    VALUE, minimum=1, meaning="Amount in the unit of the metric; times are in nanoseconds."
)
FINDING_COLUMNS = (
    FINDING_PROPERTY,
    CALL_PATH_ID,
    LOCATION_ID,
    nullable(VISIT_ID, "not about a single visit"),
    Column(
        name="start_ns",
        type=INT64,
        unit="ns",
        null_means="not about a single time",
        meaning="Start time.",
    ),
    FINDING_VALUE,
    renamed(
        LOCATION_ID,
        "cause_location_id",
        "Location that caused it.",
        null_means="no single location",
    ),
    renamed(VISIT_ID, "cause_visit_id", "Visit that caused it.", null_means="no single visit"),
    CONFIDENCE,
)
"""A pattern must return place and value. Other missing columns are null; the confidence is 100."""
NEEDED_OF_FINDINGS = ("call_path_id", "location_id", "value")

FINDINGS = Table(
    name="findings",
    meaning=(
        "Findings of all patterns except waiting, including user patterns. Several findings may "
        "concern the same time, so their values do not add up."
    ),
    grain="one row per finding",
    key=(),
    columns=FINDING_COLUMNS,
)

FINDING_TOTALS = Table(
    name="finding_totals",
    meaning="Findings of patterns, except waiting, per call path and location.",
    grain="one row per property, call path and location with findings",
    key=("property", "call_path_id", "location_id"),
    columns=(
        FINDING_PROPERTY,
        CALL_PATH_ID,
        LOCATION_ID,
        FINDING_VALUE,
        Column(
            name="finding_count",
            type=INT64,
            unit="occurrences",
            minimum=1,
            meaning="Number of single findings, for example calls or messages.",
        ),
        renamed(CONFIDENCE, "confidence", "Lowest confidence among the findings."),
    ),
)


def pattern_table(name: str, *, kind: str, meaning: str, grain: str, is_transient: bool) -> Table:
    """The table for the results of one pattern."""
    is_finding = kind == "finding"
    return Table(
        name=name,
        meaning=meaning,
        grain=grain,
        key=() if is_finding else ("property", "visit_id"),
        is_transient=is_transient,
        columns=FINDING_COLUMNS if is_finding else WAIT_COLUMNS,
    )


TABLES = (FINDINGS, FINDING_TOTALS, PATTERNS)
