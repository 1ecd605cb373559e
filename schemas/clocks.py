"""Contradicting clocks, and the times that replace those recorded."""

from dataclasses import replace

from tracemill.schemas.columns import COLLECTIVE_ID, LOCATION_ID, MESSAGE_ID, nullable
from tracemill.schemas.table import BOOL, ENUM, INT64, Column, Table

MEETING_KINDS = ("message", "collective", "scan", "setup", "finalize", "fork", "barrier", "join")
OLD_NS = Column(name="old_ns", type=INT64, unit="ns", meaning="Time as recorded.")
NEW_NS = Column(name="new_ns", type=INT64, unit="ns", meaning="Time in all other tables.")
KIND = Column(name="kind", type=ENUM, values=MEETING_KINDS, meaning="Kind of dependency.")
_MESSAGE_ID = nullable(MESSAGE_ID, "not about a message")
_COLLECTIVE_ID = nullable(COLLECTIVE_ID, "not about a collective")
# Records of MPI_Init come before all others at the same time, those of MPI_Finalize after them.
_ORDER = Column(
    name="sequence",
    type=INT64,
    meaning="Order of records at the same time: position among all records of the location.",
)

_END = "begin or end of the location, or enter of a call"

CLOCK_VIOLATIONS = Table(
    name="clock_violations",
    meaning="Contradictory clocks in the trace as recorded: an event ended before its cause began.",
    grain="one row per location with violations",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        Column(
            name="violation_count",
            type=INT64,
            minimum=1,
            meaning="Messages, members of collectives, and calls of MPI_Init or MPI_Finalize.",
        ),
        Column(
            name="clipped_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Time by which waits would be cut off at the end of their call.",
        ),
        Column(
            name="largest_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Largest contradiction: how much the cause began after the end.",
        ),
    ),
)

CORRECTED_LOCATIONS = Table(
    name="corrected_locations",
    meaning="Locations whose times are to be corrected: all of them, or none.",
    grain="one row per location with records",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(name="begin_ns", type=INT64, unit="ns", meaning="First record."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Last record."),
    ),
)

CLOCK_EVENTS = Table(
    name="clock_events",
    meaning="Records that cannot be earlier, or later, than records of other locations.",
    grain="one row per record and meeting, and for the begin and end of each location",
    key=("location_id", "time_ns", "sequence", "is_sender", "meeting_id"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(name="time_ns", type=INT64, unit="ns", meaning="Time as recorded."),
        _ORDER,
        nullable(KIND, _END),
        _MESSAGE_ID,
        _COLLECTIVE_ID,
        Column(
            name="meeting_id",
            type=INT64,
            minimum=0,
            null_means=_END,
            meaning="Senders and receivers that meet; in a scan, ranks follow each other.",
        ),
        Column(name="is_sender", type=BOOL, meaning="The receivers cannot be earlier than it."),
        Column(
            name="least_ns",
            type=INT64,
            unit="ns",
            meaning="Least time from the senders to the receivers.",
        ),
    ),
)

CLOCK_JUMPS = Table(
    name="clock_jumps",
    meaning="Records that were too early for the records they depend on, before the correction.",
    grain="one row per record",
    key=("location_id", "old_ns", "sequence"),
    columns=(
        LOCATION_ID,
        OLD_NS,
        _ORDER,
        NEW_NS,
        Column(
            name="jump_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="How much too early, after earlier jumps of its location; rounded.",
        ),
        KIND,
        _MESSAGE_ID,
        _COLLECTIVE_ID,
    ),
)

CLOCK_CORRECTIONS = Table(
    name="clock_corrections",
    meaning=(
        "Recorded and corrected times; between two rows, times are interpolated. Locations "
        "without rows keep their times."
    ),
    grain="one row per location and knot of its correction",
    key=("location_id", "old_ns", "sequence"),
    columns=(
        LOCATION_ID,
        OLD_NS,
        replace(_ORDER, meaning="Position from which on records at this time are corrected so."),
        NEW_NS,
    ),
)

CLOCK_QUALITY = Table(
    name="clock_quality",
    meaning="What the correction of clocks changed.",
    grain="one row if times were corrected",
    key=(),
    columns=(
        Column(name="jump_count", type=INT64, minimum=1, meaning="Records that were too early."),
        Column(
            name="largest_jump_ns", type=INT64, unit="ns", minimum=0, meaning="Largest jump of one."
        ),
        Column(name="moved_count", type=INT64, minimum=0, meaning="Records with another time."),
        Column(
            name="largest_move_ns", type=INT64, unit="ns", minimum=0, meaning="Largest difference."
        ),
        Column(
            name="touched_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning=(
                "Waiting whose message, collective, barrier, MPI_Init or MPI_Finalize jumped, or "
                "whose begin or end moved by more than a tenth of it."
            ),
        ),
        Column(name="wait_ns", type=INT64, unit="ns", minimum=0, meaning="All waiting."),
    ),
)

AS_RECORDED = (CLOCK_VIOLATIONS, CORRECTED_LOCATIONS, CLOCK_EVENTS, CLOCK_JUMPS, CLOCK_CORRECTIONS)
"""About times as recorded; all other tables have corrected times."""
TABLES = (
    CLOCK_VIOLATIONS, CORRECTED_LOCATIONS, CLOCK_EVENTS, CLOCK_JUMPS, CLOCK_CORRECTIONS,
    CLOCK_QUALITY,
)  # fmt: skip
