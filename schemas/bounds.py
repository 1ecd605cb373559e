"""How far severities may be off because of what is missing, clipped or disturbed in the trace."""

from dataclasses import replace

from schemas.columns import (
    CALL_PATH_ID,
    IS_BEYOND_REFERENCE,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    METRIC,
    VISIT_ID,
    WAIT_NS,
    WINDOW_ID,
)
from schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

BOUND_REASONS = (
    "unmatched_message", "missing_records", "missing_request", "incomplete_collective",
    "clock_violation", "buffer_flush", "measurement_off", "incomplete_records",
)  # fmt: skip
REASON = Column(
    name="reason",
    type=ENUM,
    values=BOUND_REASONS,
    meaning="What the doubt comes from, the one that leaves most open: a message without partner "
    "or on a channel with such; records of a location that ends early (what it did itself after "
    "its end is in no bound); a request that was not recorded; a collective that is not whole; "
    "clocks that contradict each other; the measurement writing its buffer, or switched off; calls "
    "of one-sided communication, files or locks in which nothing is recorded, or not all of it.",
)
_OFFSET = Column(
    name="least_ns",
    type=INT64,
    unit="ns",
    meaning="Least that may have to be added to its times; -10^18 (32 years) where nothing tells.",
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
            meaning="Most that may have to be added to its times; 10^18 (32 years) where nothing "
            "tells.",
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
COLLECTIVE_METRICS = Table(
    name="collective_metrics",
    meaning="Which metrics hold waiting in a collective operation, and the end of it.",
    grain="one row per collective operation that waits",
    key=("operation",),
    is_transient=True,
    columns=(
        Column(name="operation", type=STRING, meaning="Operation, as in records."),
        replace(METRIC, name="wait_metric", meaning="Metric of waiting for others."),
        replace(
            METRIC,
            name="completion_metric",
            null_means="members do not end together",
            meaning="Metric of the time after the first one has left.",
        ),
    ),
)
RMA_DOUBTS = _doubts("rma_doubts", "Calls whose waiting in one-sided communication is not sure.")
FILE_DOUBTS = _doubts(
    "file_doubts", "Calls whose waiting in collective access to files is not sure."
)
THREAD_DOUBTS = _doubts(
    "thread_doubts",
    "Calls whose waiting for threads, in barriers and for locks, is not sure.",
)

_SINCE = Column(
    name="since_ns",
    type=INT64,
    unit="ns",
    null_means="from the first record on",
    meaning="From when on records are missing.",
)
_UNTIL = replace(
    _SINCE, name="until_ns", null_means="until the last record", meaning="Until when they are."
)

DISTURBED_PROCESSES = Table(
    name="disturbed_processes",
    meaning="Processes of which records are missing, and from when until when.",
    grain="one row per process and reason",
    key=("location_group_id", "reason"),
    is_transient=True,
    columns=(
        LOCATION_GROUP_ID,
        REASON,
        _SINCE,
        _UNTIL,
        Column(name="thread_count", type=INT64, minimum=1, meaning="Its threads."),
        Column(
            name="is_ending",
            type=BOOL,
            meaning="It lacks nothing but its end: all before that is there, and in order.",
        ),
    ),
)

DOUBTFUL_WINDOWS = Table(
    name="doubtful_windows",
    meaning="RMA windows of which records are missing or clocks disagree: in calls of the process "
    "that overlap the time between, waiting is not sure.",
    grain="one row per window, process, reason and whether it is about accesses alone",
    key=("rma_window_id", "location_group_id", "reason", "is_of_accesses"),
    is_transient=True,
    columns=(
        WINDOW_ID,
        LOCATION_GROUP_ID,
        REASON,
        Column(
            name="is_of_accesses",
            type=BOOL,
            meaning="Only accesses are missing: what does not depend on them is sure.",
        ),
        _SINCE,
        _UNTIL,
    ),
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

FINDING_BOUNDS = Table(
    name="finding_bounds",
    meaning="How far findings may be off; what was found stays found.",
    grain="one row per metric, call path, location and reason with a bound other than zero",
    key=("metric", "call_path_id", "location_id", "reason"),
    is_transient=True,
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, REASON, _LESS, _MORE),
)

SEVERITY_BOUNDS = Table(
    name="severity_bounds",
    meaning="How far waiting, time and some findings may be off because of what is missing, "
    "clipped or disturbed in the trace. The true value lies between value - less and value + more, "
    "each summed over the reasons. Covered are wait states and completion; time, as far as the "
    "measurement wrote its buffer or was switched off; and of findings dominating_communication, "
    "communication_cost, synchronisation_cost, io_cost, large_messages, uneven_distribution and "
    "master_worker_starving. Of those a cell without a row is exact, but for what bounds leave "
    "out: what a location did itself after its records end, or while it was switched off; calls "
    "whose visits are missing; time and costs of locations of which records in the middle are "
    "missing; what a flush outside of a wait displaced; findings where none was found. Nothing is "
    "said of all other metrics: visits, critical path, imbalance, overheads, idle time, time of "
    "threads and of I/O, master_overloaded, tasks_too_fine, frequent_communication. Assumed: "
    "clocks of locations that contradict nobody agree, others are off by a constant; what is "
    "missing of a location that ends early is its end; as many sends as receives of a channel, or "
    "acquires as releases of one taking of a lock, are missing only where none are; completions of "
    "operations on RMA windows are recorded; where no record at all of one-sided communication, of "
    "files, or of locks of a runtime is in the trace, nobody waited; what was found apart from "
    "waiting stays found.",
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
    COLLECTIVE_METRICS, CLOCK_OFFSETS, MESSAGE_DOUBTS, COLLECTIVE_DOUBTS, MESSAGE_CLOCK_DOUBTS,
    COLLECTIVE_CLOCK_DOUBTS, DISTURBED_PROCESSES, DOUBTFUL_WINDOWS, RMA_DOUBTS, FILE_DOUBTS,
    THREAD_DOUBTS, FINDING_BOUNDS, FLUSHED_WAITS, GAP_TIMES, SEVERITY_BOUNDS, WAIT_BOUNDS,
)  # fmt: skip
