"""Lost time and its causes, and every metric per call path and location."""

from schemas.collectives import IS_BEYOND_REFERENCE
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

VALUE = Column(
    name="value",
    type=INT64,
    meaning="Value without callees, in the metric's unit; times in nanoseconds.",
)

WAIT_NS = Column(
    name="wait_ns", type=INT64, unit="ns", minimum=1, meaning="How long the call waited."
)

WAIT_STATES = Table(
    name="wait_states",
    meaning="Time lost in waiting, each with its cause; the completion properties are time spent "
    "in completing together, which reports do not add to waiting.",
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
        renamed(
            LOCATION_ID,
            "cause_location_id",
            "Location that was waited for; for completion times, the one that left first.",
        ),
        renamed(
            VISIT_ID,
            "cause_visit_id",
            "Visit of the call that ended the waiting; for completion times, that left first.",
        ),
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
        Column(
            name="is_synchronisation",
            type=BOOL,
            meaning="The message or collective carried no data.",
        ),
        IS_BEYOND_REFERENCE,
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

COLLECTIVE_WAITS = Table(
    name="collective_waits",
    meaning="Blocking collectives that waited for a member that began later.",
    grain="one row per visit that waited in a blocking collective",
    key=("property", "visit_id"),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

COLLECTIVE_COMPLETIONS = Table(
    name="collective_completions",
    meaning="Barriers and N × N that went on after the first member had left.",
    grain="one row per visit that stayed in a blocking collective longer than it had to",
    key=("property", "visit_id"),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

NONBLOCKING_COLLECTIVE_WAITS = Table(
    name="nonblocking_collective_waits",
    meaning="Calls completing collectives that waited for a member that started later.",
    grain="one row per visit that waited for a non-blocking collective",
    key=("visit_id",),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

INIT_COMPLETION = Table(
    name="init_completion",
    meaning="Calls of MPI_Init that went on after the first process had left its own.",
    grain="one row per visit that stayed in MPI_Init longer than the first process",
    key=("visit_id",),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

WAIT_AT_FINALIZE = Table(
    name="wait_at_finalize",
    meaning="Calls of MPI_Finalize that were entered before the last one.",
    grain="one row per visit that waited in MPI_Finalize",
    key=("visit_id",),
    is_transient=True,
    columns=WAIT_STATES.columns,
)

COLLECTIVE_COUNTS = Table(
    name="collective_counts",
    meaning="How many blocking collectives there were, and how many bytes they moved.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    is_transient=True,
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
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
        Column(
            name="kind",
            type=ENUM,
            values=("profile", "communication", "wait state", "critical path"),
            meaning="What the metric is about.",
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
    meaning="Metrics per call path and location; a metric includes its sub-metrics. Time and "
    "visits are in call_tree, critical-path activities in critical_path_work.",
    grain="one row per metric, call path and location with a value other than zero, beyond the "
    "reference apart",
    key=("metric", "call_path_id", "location_id", "is_beyond_reference"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, IS_BEYOND_REFERENCE, VALUE),
)

TABLES = (
    AWAITED_MESSAGES, WRONG_ORDER, LATE_SENDER, LATE_RECEIVER, COLLECTIVE_WAITS,
    COLLECTIVE_COMPLETIONS, NONBLOCKING_COLLECTIVE_WAITS, INIT_COMPLETION, WAIT_AT_FINALIZE,
    COLLECTIVE_COUNTS, WAIT_STATES, METRICS, SEVERITIES,
)  # fmt: skip
