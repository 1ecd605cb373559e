"""Lost time and its causes."""

from dataclasses import replace

from schemas.columns import (
    CALL_PATH_ID,
    COLLECTIVE_ID,
    CONFIDENCE,
    IS_BEYOND_REFERENCE,
    LOCATION_ID,
    MESSAGE_ID,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from schemas.table import BOOL, INT64, STRING, Column, Table

_SOME_WAIT_NS = replace(WAIT_NS, minimum=1)

_WAIT_COLUMNS = (
    Column(
        name="property",
        type=STRING,
        meaning="Metric of the wait state, the most special one that applies.",
    ),
    LOCATION_ID,
    VISIT_ID,
    CALL_PATH_ID,
    Column(name="start_ns", type=INT64, unit="ns", meaning="When the waiting began."),
    _SOME_WAIT_NS,
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
)

WAIT_STATES = Table(
    name="wait_states",
    meaning="Time lost in waiting, or in completing together, each with its cause.",
    grain="one row per visit and property that lost time in it",
    key=("property", "visit_id"),
    columns=(
        *_WAIT_COLUMNS,
        Column(
            name="is_completion",
            type=BOOL,
            meaning="Time in which all complete together after the last one came: not waiting for "
            "somebody late, and not added to waiting in reports.",
        ),
    ),
)

AWAITED_MESSAGES = Table(
    name="awaited_messages",
    meaning="The message that a call completing receives was blocked for.",
    grain="one row per visit that waited for a sender",
    key=("message_id",),
    is_transient=True,
    columns=(MESSAGE_ID, LOCATION_ID, VISIT_ID, _SOME_WAIT_NS),
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
    columns=_WAIT_COLUMNS,
)

LATE_RECEIVER = Table(
    name="late_receiver",
    meaning="Sends that waited because their receive was posted later.",
    grain="one row per visit that waited for a receiver",
    key=("visit_id",),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

COLLECTIVE_WAITS = Table(
    name="collective_waits",
    meaning="Blocking collectives that waited for a member that began later.",
    grain="one row per visit that waited in a blocking collective",
    key=("property", "visit_id"),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

COLLECTIVE_COMPLETIONS = Table(
    name="collective_completions",
    meaning="Barriers and N × N that went on after the first member had left.",
    grain="one row per visit that stayed in a blocking collective longer than it had to",
    key=("property", "visit_id"),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

NONBLOCKING_COLLECTIVE_WAITS = Table(
    name="nonblocking_collective_waits",
    meaning="Calls completing collectives that waited for a member that started later.",
    grain="one row per visit that waited for a non-blocking collective",
    key=("visit_id",),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

INIT_COMPLETION = Table(
    name="init_completion",
    meaning="Calls of MPI_Init that went on after the first process had left its own.",
    grain="one row per visit that stayed in MPI_Init longer than the first process",
    key=("visit_id",),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

WAIT_AT_FINALIZE = Table(
    name="wait_at_finalize",
    meaning="Calls of MPI_Finalize that were entered before the last one.",
    grain="one row per visit that waited in MPI_Finalize",
    key=("visit_id",),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

TEAM_BARRIER_WAITS = Table(
    name="team_barrier_waits",
    meaning="Threads that waited in a barrier of their team for one that came later.",
    grain="one row per visit that waited in a barrier",
    key=("visit_id",),
    is_transient=True,
    columns=_WAIT_COLUMNS,
)

TABLES = (
    AWAITED_MESSAGES, WRONG_ORDER, LATE_SENDER, LATE_RECEIVER, COLLECTIVE_WAITS,
    COLLECTIVE_COMPLETIONS, NONBLOCKING_COLLECTIVE_WAITS, INIT_COMPLETION, WAIT_AT_FINALIZE,
    TEAM_BARRIER_WAITS, WAIT_STATES,
)  # fmt: skip
