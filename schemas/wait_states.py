"""Wait states and their causes."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    COLLECTIVE_ID,
    CONFIDENCE,
    IS_EXTENDED,
    LOCATION_ID,
    MESSAGE_ID,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, INT64, STRING, Column, Table

_SOME_WAIT_NS = replace(WAIT_NS, minimum=1)

WAIT_COLUMNS = (
    Column(
        name="property",
        type=STRING,
        meaning="Metric of the wait state: the most specific one that applies.",
    ),
    LOCATION_ID,
    VISIT_ID,
    CALL_PATH_ID,
    Column(name="start_ns", type=INT64, unit="ns", meaning="Start of the waiting."),
    _SOME_WAIT_NS,
    renamed(
        LOCATION_ID,
        "cause_location_id",
        "Location that was waited for; for completion times, the first location to leave.",
    ),
    renamed(
        VISIT_ID,
        "cause_visit_id",
        "Visit of the call that ended the waiting; for completion times, the first visit to leave.",
    ),
    nullable(MESSAGE_ID, "not about a message"),
    nullable(COLLECTIVE_ID, "not about a collective"),
    Column(
        name="is_synchronization", type=BOOL, meaning="The message or collective carried no data."
    ),
    IS_EXTENDED,
    CONFIDENCE,
)

"""A pattern leaves out its only metric, what is null, false in all rows, and confidence 100."""
NEEDED_OF_WAITS = tuple(
    column.name
    for column in WAIT_COLUMNS
    if column.name not in ("property", CONFIDENCE.name)
    and column.type != BOOL
    and not column.is_nullable
)

WAIT_STATES = Table(
    name="wait_states",
    meaning="Time lost in waiting or completion, each with its cause.",
    grain="one row per visit and property with lost time",
    key=("property", "visit_id"),
    columns=(
        *WAIT_COLUMNS,
        Column(
            name="is_completion",
            type=BOOL,
            meaning=(
                "Completion time after the first location has left. It is not waiting for a late "
                "location, and reports do not add it to waiting."
            ),
        ),
    ),
)

AWAITED_MESSAGES = Table(
    name="awaited_messages",
    meaning="Messages that calls were blocked for while completing receives.",
    grain="one row per visit that waited for a sender",
    key=("message_id",),
    is_transient=True,
    columns=(MESSAGE_ID, LOCATION_ID, VISIT_ID, _SOME_WAIT_NS),
)

WRONG_ORDER = Table(
    name="wrong_order",
    meaning="Waits for a message while an earlier one was available, but was received only later.",
    grain="one row per awaited message that was received in the wrong order",
    key=("message_id",),
    is_transient=True,
    columns=(
        MESSAGE_ID,
        Column(
            name="is_same_sender", type=BOOL, meaning="Both messages came from the same process."
        ),
    ),
)

TABLES = (AWAITED_MESSAGES, WRONG_ORDER, WAIT_STATES)
