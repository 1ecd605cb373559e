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

WAIT_COLUMNS = (
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
        *WAIT_COLUMNS,
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

TABLES = (AWAITED_MESSAGES, WRONG_ORDER, WAIT_STATES)
