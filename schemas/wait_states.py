"""Lost time and its causes, and every metric per call path and location."""

from schemas.columns import (
    CALL_PATH_ID,
    COLLECTIVE_ID,
    CONFIDENCE,
    LOCATION_ID,
    MESSAGE_ID,
    NAME,
    VISIT_ID,
    nullable,
    renamed,
)
from schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

METRIC = Column(name="metric", type=STRING, meaning="Unique name of the metric.")

WAIT_NS = Column(
    name="wait_ns", type=INT64, unit="ns", minimum=1, meaning="How long the call waited."
)

WAIT_STATES = Table(
    name="wait_states",
    meaning="Time lost in waiting, each with its cause.",
    grain="one row per visit and property that lost time in it",
    key=("property", "visit_id"),
    columns=(
        Column(
            name="property",
            type=STRING,
            meaning="Metric of the wait state, the most special one that applies.",
        ),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        Column(name="start_ns", type=INT64, unit="ns", meaning="When the waiting began."),
        WAIT_NS,
        renamed(LOCATION_ID, "cause_location_id", "Location that was waited for."),
        renamed(VISIT_ID, "cause_visit_id", "Visit of the call that ended the waiting."),
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
        Column(
            name="is_synchronisation",
            type=BOOL,
            meaning="The message or collective carried no data.",
        ),
        CONFIDENCE,
    ),
)

AWAITED_MESSAGES = Table(
    name="awaited_messages",
    meaning="The message that a call completing receives was blocked for.",
    grain="one row per visit that waited for a sender",
    key=("message_id",),
    is_transient=True,
    columns=(MESSAGE_ID, LOCATION_ID, VISIT_ID, WAIT_NS),
)

WRONG_ORDER = Table(
    name="wrong_order",
    meaning="Waits for a message while one sent earlier was there, but received only later.",
    grain="one row per awaited message that was received in the wrong order",
    key=("message_id",),
    is_transient=True,
    columns=(
        MESSAGE_ID,
        Column(
            name="is_same_sender",
            type=BOOL,
            meaning="Both messages came from the same process.",
        ),
    ),
)

LATE_SENDER = Table(
    name="late_sender",
    meaning="Receives that waited because their send began later.",
    grain="one row per visit that waited for a sender",
    key=("visit_id",),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

LATE_RECEIVER = Table(
    name="late_receiver",
    meaning="Sends that waited because their receive was posted later.",
    grain="one row per visit that waited for a receiver",
    key=("visit_id",),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

METRICS = Table(
    name="metrics",
    meaning="The metrics, their hierarchy and their meaning.",
    grain="one row per metric",
    key=("metric",),
    columns=(
        METRIC,
        Column(
            name="parent_metric",
            type=STRING,
            null_means="a metric of its own",
            meaning="Metric that includes this one.",
        ),
        renamed(NAME, "title", "Name for people."),
        Column(
            name="unit",
            type=ENUM,
            values=("ns", "visits", "bytes", "occurrences"),
            meaning="Unit of the metric's values.",
        ),
        Column(name="meaning", type=STRING, meaning="What the metric measures."),
    ),
)

SEVERITIES = Table(
    name="severities",
    meaning="Every metric per call path and location; a metric includes its sub-metrics.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(
        METRIC,
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="value",
            type=INT64,
            meaning="Value without callees, in the metric's unit; times in nanoseconds.",
        ),
    ),
)

TABLES = (
    AWAITED_MESSAGES, WRONG_ORDER, LATE_SENDER, LATE_RECEIVER, WAIT_STATES, METRICS, SEVERITIES,
)  # fmt: skip
