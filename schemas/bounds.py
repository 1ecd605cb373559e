"""How far severities may be off because of what is missing, clipped or disturbed in the trace."""

from dataclasses import replace

from schemas.columns import (
    CALL_PATH_ID,
    IS_BEYOND_REFERENCE,
    LOCATION_ID,
    METRIC,
    VISIT_ID,
    WAIT_NS,
)
from schemas.table import BOOL, ENUM, INT64, Column, Table

BOUND_REASONS = (
    "unmatched_message", "missing_records", "missing_request", "incomplete_collective",
    "clock_violation", "buffer_flush", "measurement_off",
)  # fmt: skip
REASON = Column(
    name="reason",
    type=ENUM,
    values=BOUND_REASONS,
    meaning="What the doubt comes from, the one that leaves most open: a message without partner "
    "or on a channel with such; records of a location that ends early (what it did itself after "
    "its end is in no bound); a request that was not recorded; a collective that is not whole; "
    "clocks that contradict each other; the measurement writing its buffer, or switched off.",
)
_OFFSET = Column(
    name="least_ns",
    type=INT64,
    unit="ns",
    meaning="Least that may have to be added to its times; -10^18 where nothing tells.",
)

CLOCK_OFFSETS = Table(
    name="clock_offsets",
    meaning="What must be added to the times of each location to be on one clock, as far as "
    "messages and collectives tell. No row: no clocks contradict each other.",
    grain="one row per location, if clocks contradict each other",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning="A record of the location contradicts one of another location.",
        ),
        _OFFSET,
        replace(
            _OFFSET,
            name="most_ns",
            meaning="Most that may have to be added to its times; 10^18 where nothing tells.",
        ),
    ),
)

_DOUBT_COLUMNS = (
    METRIC,
    IS_BEYOND_REFERENCE,
    LOCATION_ID,
    VISIT_ID,
    CALL_PATH_ID,
    REASON,
    replace(WAIT_NS, name="least_ns", meaning="The true wait of the call is at least that long."),
    replace(WAIT_NS, name="most_ns", meaning="The true wait of the call is at most that long."),
)


def _doubts(name: str, meaning: str) -> Table:
    return Table(
        name=name,
        meaning=meaning,
        grain="one row per metric, visit and reason",
        key=("metric", "visit_id", "reason", "is_beyond_reference"),
        is_transient=True,
        columns=_DOUBT_COLUMNS,
    )


MESSAGE_DOUBTS = _doubts(
    "message_doubts", "Calls whose waiting for messages is not sure, as records are missing."
)
COLLECTIVE_DOUBTS = _doubts(
    "collective_doubts", "Calls whose waiting in collectives is not sure, as records are missing."
)
MESSAGE_CLOCK_DOUBTS = _doubts(
    "message_clock_doubts",
    "Calls whose waiting for messages is not sure, as clocks contradict each other.",
)
COLLECTIVE_CLOCK_DOUBTS = _doubts(
    "collective_clock_doubts",
    "Calls whose waiting in collectives is not sure, as clocks contradict each other.",
)

FLUSHED_WAITS = Table(
    name="flushed_waits",
    meaning="Waits during which the measurement wrote its buffer, where the call waited or on the "
    "location that it waited for.",
    grain="one row per wait",
    key=("property", "visit_id"),
    is_transient=True,
    columns=(
        replace(METRIC, name="property", meaning="Metric of the wait state."),
        VISIT_ID,
        Column(name="flush_ns", type=INT64, unit="ns", minimum=1, meaning="Time of it in flushes."),
    ),
)

GAP_TIMES = Table(
    name="gap_times",
    meaning="Time in which the measurement wrote its buffer or was switched off, by call path.",
    grain="one row per call path, location and kind of gap",
    key=("call_path_id", "location_id", "kind"),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="kind",
            type=ENUM,
            values=("buffer_flush", "measurement_off"),
            meaning="Why nothing was recorded.",
        ),
        Column(name="gap_ns", type=INT64, unit="ns", minimum=1, meaning="Time of all its gaps."),
    ),
)

_LESS = Column(
    name="less_ns",
    type=INT64,
    unit="ns",
    minimum=0,
    meaning="The true value is smaller by at most this; never more than the value.",
)
_MORE = Column(
    name="more_ns",
    type=INT64,
    unit="ns",
    minimum=0,
    meaning="The true value is larger by at most this.",
)

SEVERITY_BOUNDS = Table(
    name="severity_bounds",
    meaning="How far times in severities, and time itself, may be off because of what is missing, "
    "clipped or disturbed in the trace. The true value lies between value - less and value + more, "
    "each summed over the reasons; without a row it is exact. Assumed: clocks of locations that "
    "contradict nobody agree, others are off by a constant; what is missing of a location that "
    "ends early is its end; as many sends as receives of a channel are missing only where none "
    "are; what a flush outside of a wait displaced is not followed up. Of waits for one-sided "
    "communication, files and locks only flushes are in it.",
    grain="one row per metric, call path, location and reason with a bound other than zero, beyond "
    "the reference apart",
    key=("metric", "call_path_id", "location_id", "is_beyond_reference", "reason"),
    columns=(
        METRIC,
        CALL_PATH_ID,
        LOCATION_ID,
        IS_BEYOND_REFERENCE,
        REASON,
        _LESS,
        _MORE,
    ),
)

WAIT_BOUNDS = Table(
    name="wait_bounds",
    meaning="The same of the waits of each kind alone, without those of its parts, for all reasons "
    "together: what is printed beside sums over wait_states.",
    grain="one row per property, call path and location with a bound other than zero, beyond the "
    "reference apart",
    key=("property", "call_path_id", "location_id", "is_beyond_reference"),
    columns=(
        replace(METRIC, name="property", meaning="Metric of the wait state."),
        CALL_PATH_ID,
        LOCATION_ID,
        IS_BEYOND_REFERENCE,
        _LESS,
        _MORE,
    ),
)

TABLES = (
    CLOCK_OFFSETS, MESSAGE_DOUBTS, COLLECTIVE_DOUBTS, MESSAGE_CLOCK_DOUBTS,
    COLLECTIVE_CLOCK_DOUBTS, FLUSHED_WAITS, GAP_TIMES, SEVERITY_BOUNDS, WAIT_BOUNDS,
)  # fmt: skip
