"""Views for questions: ranks, threads, call paths and causes by name, times in seconds."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    ENTER_NS,
    EXCLUSIVE_NS,
    LEAVE_NS,
    LOCATION_ID,
    REGION_ID,
    VISIT_ID,
)
from tracemill.schemas.definitions import LOCATIONS
from tracemill.schemas.events import VISITS
from tracemill.schemas.iterations import ITERATIONS
from tracemill.schemas.main_part import MAIN_WAITS
from tracemill.schemas.matching import MESSAGES
from tracemill.schemas.table import FLOAT64, STRING, Column, Table

_PLACE = {column.name: column for column in LOCATIONS.columns}
_RANK, _THREAD = _PLACE["rank"], _PLACE["thread"]
_CALL_PATH = Column(name="call_path", type=STRING, meaning="Region names from the root.")
_BEGIN = Column(
    name="begin_seconds", type=FLOAT64, unit="s", meaning="Begin, since the zero of the trace."
)


def _seconds(name: str, meaning: str) -> Column:
    return Column(name=name, type=FLOAT64, unit="s", meaning=meaning)


def _same(table: Table, *names: str) -> tuple[Column, ...]:
    """Columns of a table that the view repeats."""
    return tuple(column for column in table.columns if column.name in names)


WAITS = Table(
    name="waits",
    meaning="Waiting, each wait with rank, call path and cause; without completion.",
    grain="one row per visit and property with waiting",
    key=("property", "visit_id"),
    columns=(
        _RANK,
        _THREAD,
        Column(name="wait_state", type=STRING, meaning="Title of its kind, such as Late Sender."),
        _CALL_PATH,
        _BEGIN,
        _seconds("seconds", "Time of waiting."),
        _seconds("main_seconds", "Waiting in the main part."),
        replace(_RANK, name="cause_rank", meaning="Process that was waited for."),
        replace(_THREAD, name="cause_thread", meaning="Thread that was waited for."),
        replace(
            _CALL_PATH,
            name="cause_call_path",
            meaning="Call path of the call that ended the waiting.",
            null_means="the call lies outside of the focus",
        ),
        *MAIN_WAITS.columns,
    ),
)

CALLS = Table(
    name="calls",
    meaning=(
        "Region visits, each with rank, region, call path and waiting. With --detail calls, a row "
        "may be a sum of several (visit_sums)."
    ),
    grain="one row per region visit",
    key=("visit_id",),
    columns=(
        _RANK,
        _THREAD,
        Column(name="region", type=STRING, meaning="Name of the region."),
        _CALL_PATH,
        _BEGIN,
        _seconds("seconds", "Time from enter to leave."),
        _seconds("exclusive_seconds", "Time without callees."),
        _seconds("wait_seconds", "Waiting in the visit itself, without completion."),
        VISIT_ID,
        *_same(VISITS, "parent_visit_id"),
        LOCATION_ID,
        CALL_PATH_ID,
        REGION_ID,
        ENTER_NS,
        LEAVE_NS,
        EXCLUSIVE_NS,
    ),
)

_NO_CALL = "the trace does not have the call"
MESSAGES_BY_RANK = Table(
    name="messages_by_rank",
    meaning="Matched messages, each with ranks and call paths of both ends.",
    grain="one row per matched message",
    key=("message_id",),
    columns=(
        replace(_RANK, name="from_rank", meaning="Process that sends."),
        replace(_THREAD, name="from_thread", meaning="Thread that sends."),
        replace(_RANK, name="to_rank", meaning="Process that receives."),
        replace(_THREAD, name="to_thread", meaning="Thread that receives."),
        *_same(MESSAGES, "bytes"),
        *_same(MESSAGES, "tag"),
        Column(name="communicator", type=STRING, meaning="Name of the communicator."),
        replace(
            _CALL_PATH,
            name="from_call_path",
            meaning="Call path of the call that posts the send.",
            null_means=_NO_CALL,
        ),
        replace(
            _CALL_PATH,
            name="to_call_path",
            meaning="Call path of the call that completes the receive.",
            null_means=_NO_CALL,
        ),
        _seconds("send_seconds", "Record of the send, since the zero of the trace."),
        _seconds("receive_seconds", "Record of the receive, since the zero of the trace."),
        _seconds("seconds", "Time between both records."),
        *_same(MESSAGES, "message_id"),
        *_same(MESSAGES, "sender_location_id"),
        *_same(MESSAGES, "receiver_location_id"),
        *_same(MESSAGES, "send_ns"),
        *_same(MESSAGES, "receive_ns"),
    ),
)

ITERATIONS_BY_RANK = Table(
    name="iterations_by_rank",
    meaning="Iterations of the main loop, each with its rank.",
    grain="one row per iteration and process",
    key=("iteration", "location_group_id"),
    columns=(
        *_same(ITERATIONS, "iteration"),
        _RANK,
        _BEGIN,
        _seconds("seconds", "Time of the iteration."),
        _seconds("computing_seconds", "Time in which locations of the process compute, summed."),
        _seconds("wait_seconds", "Waiting of the locations of the process, summed."),
        _seconds("path_seconds", "Time of the critical path on the process."),
        *_same(ITERATIONS, "bytes_sent", "imbalance_ratio"),
        *_same(ITERATIONS, "location_group_id", "begin_ns", "end_ns", "time_ns"),
    ),
)

CALL_PATH_SOURCES = Table(
    name="call_path_sources",
    meaning="Call paths with file and line: of the call site, else of the region, else its caller.",
    grain="one row per call path",
    key=("call_path_id",),
    columns=(
        CALL_PATH_ID,
        _CALL_PATH,
        Column(
            name="source",
            type=STRING,
            null_means="unknown",
            meaning="File and line, as 'halo.c:12'.",
        ),
    ),
)

VIEWS = (WAITS, CALLS, MESSAGES_BY_RANK, ITERATIONS_BY_RANK, CALL_PATH_SOURCES)
