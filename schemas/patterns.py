"""What patterns find, apart from waiting, and which patterns were looked for."""

from dataclasses import replace

from schemas.columns import (
    CALL_PATH_ID,
    CONFIDENCE,
    LOCATION_ID,
    VALUE,
    VISIT_ID,
    nullable,
    renamed,
)
from schemas.table import BOOL, ENUM, INT64, STRING, Column, Table
from schemas.wait_states import WAIT_COLUMNS

PATTERN_KINDS = ("wait state", "completion", "finding")

PATTERNS = Table(
    name="patterns",
    meaning="The patterns that were looked for, as their files declare them.",
    grain="one row per pattern",
    key=("pattern",),
    columns=(
        Column(name="pattern", type=STRING, meaning="Name of its file, and of what it finds."),
        Column(
            name="kind",
            type=ENUM,
            values=PATTERN_KINDS,
            meaning="Waiting, completing together, or a finding about time that others may be "
            "about, too.",
        ),
        Column(name="is_own", type=BOOL, meaning="One of yours, not of the catalogue."),
        Column(name="metrics", type=STRING, meaning="Names of its metrics."),
        Column(name="description", type=STRING, meaning="What it looks for."),
        Column(name="source", type=STRING, meaning="Where it is from; may be empty."),
        Column(name="assumes", type=STRING, meaning="What must hold; may be empty."),
        Column(name="query", type=STRING, meaning="The SQL that finds it, with its header."),
    ),
)

FINDING_PROPERTY = Column(name="property", type=STRING, meaning="Metric of the finding.")
FINDING_VALUE = replace(
    VALUE, minimum=1, meaning="How much, in the metric's unit; times in nanoseconds."
)
FINDING_COLUMNS = (
    FINDING_PROPERTY,
    CALL_PATH_ID,
    LOCATION_ID,
    nullable(VISIT_ID, "about no single visit"),
    Column(
        name="start_ns",
        type=INT64,
        unit="ns",
        null_means="about no single moment",
        meaning="When it began.",
    ),
    FINDING_VALUE,
    renamed(
        LOCATION_ID,
        "cause_location_id",
        "Location that caused it.",
        null_means="no single location did",
    ),
    renamed(VISIT_ID, "cause_visit_id", "Visit that caused it.", null_means="no single visit did"),
    CONFIDENCE,
)
"""A pattern gives the place and the value; what else it leaves out is null, confidence 100."""
NEEDED_OF_FINDINGS = ("call_path_id", "location_id", "value")

FINDINGS = Table(
    name="findings",
    meaning="What patterns find apart from waiting, yours included; several may be about the same "
    "time, so that their values do not add up.",
    grain="one row per finding",
    key=(),
    columns=FINDING_COLUMNS,
)

FINDING_TOTALS = Table(
    name="finding_totals",
    meaning="What patterns find apart from waiting, per call path and location.",
    grain="one row per property and the call path and location where it was found",
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
            meaning="Single findings, as of a call or a message.",
        ),
        renamed(CONFIDENCE, "confidence", "How sure the least sure of them is."),
    ),
)


def pattern_table(name: str, *, kind: str, meaning: str, grain: str, is_transient: bool) -> Table:
    """The table of what one pattern finds."""
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
