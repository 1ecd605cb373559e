"""Matched messages, unmatched messages, and the quality of the trace."""

from tracemill.schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COMMUNICATOR_ID,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    MESSAGE_ID,
    ORDINAL,
    REGION_ID,
    SEQUENCE,
    TAG,
    VISIT_ID,
    nullable,
    renamed,
)
from tracemill.schemas.records import OUTSIDE
from tracemill.schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

_MOMENTS = {
    "send_post": "posted the send",
    "send_completion": "completed the send",
    "receive_post": "posted the receive",
    "receive_completion": "completed the receive",
}


def _moment(moment: str, *, null_means: str = "") -> tuple[Column, ...]:
    """The columns of one of the four calls of a message."""
    call = f"call that {_MOMENTS[moment]}"
    parts = (
        (VISIT_ID, "visit_id", f"Visit of the {call}."),
        (CALL_PATH_ID, "call_path_id", f"Call path of the {call}."),
        (ENTER_NS, "enter_ns", f"When the {call} began."),
        (LEAVE_NS, "leave_ns", f"When the {call} ended."),
    )
    return tuple(
        renamed(column, f"{moment}_{suffix}", meaning, null_means=null_means)
        for column, suffix, meaning in parts
    )


CHANNEL = (
    COMMUNICATOR_ID,
    renamed(LOCATION_GROUP_ID, "sender_group_id", "Process that sends."),
    renamed(LOCATION_GROUP_ID, "receiver_group_id", "Process that receives."),
    TAG,
    ORDINAL,
)
SEND_TIME = Column(name="send_ns", type=INT64, unit="ns", meaning="Send record.")
SEND_SEQUENCE = renamed(
    SEQUENCE, "send_sequence", "Position of this record among all records of the sender."
)
RECEIVE_TIME = Column(name="receive_ns", type=INT64, unit="ns", meaning="Receive record.")
RECEIVE_SEQUENCE = renamed(
    SEQUENCE, "receive_sequence", "Position of this record among all records of the receiver."
)
SEND_POST = _moment("send_post", null_means=OUTSIDE)
SEND_COMPLETION = _moment(
    "send_completion", null_means=f"the completion is not recorded, or {OUTSIDE}"
)
NO_POST = f"the request is not recorded, or {OUTSIDE}"
RECEIVE_POST = _moment("receive_post", null_means=NO_POST)
RECEIVE_COMPLETION = _moment("receive_completion", null_means=OUTSIDE)

_ONE_SIDED_ROLES = (
    "create", "free", "fence", "start", "complete", "post", "wait", "lock", "unlock", "flush",
    "access",
)  # fmt: skip
MPI_CALLS = Table(
    name="mpi_calls",
    meaning="MPI call of each region, its effect on messages that it completes, and its purpose.",
    grain="one row per region that is an MPI call",
    key=("region_id",),
    columns=(
        REGION_ID,
        Column(
            name="call",
            type=STRING,
            meaning="Lower-case name of the C binding: mpi_waitall, also for PMPI_Waitall.",
        ),
        Column(name="is_setup", type=BOOL, meaning="Starts or ends MPI."),
        Column(
            name="is_local",
            type=BOOL,
            meaning=(
                "Exchanges nothing with other processes, such as MPI_Comm_rank and MPI_Wtime: no "
                "communication."
            ),
        ),
        Column(
            name="is_test",
            type=BOOL,
            meaning="Tests whether messages are complete, and never waits for them.",
        ),
        Column(
            name="can_wait_for_receiver",
            type=BOOL,
            meaning="A send that this call completes may have waited for its receive to be posted.",
        ),
        Column(
            name="send_mode",
            type=ENUM,
            values=("standard", "synchronous", "buffered", "ready"),
            null_means="not a send, nor a call that prepares one",
            meaning="Communication mode; only synchronous sends always wait for their receive.",
        ),
        Column(
            name="one_sided_role",
            type=ENUM,
            values=_ONE_SIDED_ROLES,
            null_means="not a call of one-sided communication",
            meaning="Effect on a window; access stands for put, get and accumulate.",
        ),
        Column(
            name="is_collective_file_call",
            type=BOOL,
            meaning="Collective over all processes that opened the file.",
        ),
    ),
)

MPI_CALL_PATHS = Table(
    name="mpi_call_paths",
    meaning="MPI call at the end of each call path, and its properties.",
    grain="one row per call path of an MPI call",
    key=("call_path_id",),
    is_transient=True,
    columns=(CALL_PATH_ID, *MPI_CALLS.columns[1:]),
)

LOCATION_MESSAGES = Table(
    name="location_messages",
    meaning="Numbers of receives and incomplete sends per location whose partner is known.",
    grain="one row per location that receives messages or has sends that are not completed",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(name="receive_count", type=INT64, minimum=0, meaning="Completed receives."),
        Column(
            name="unrequested_count",
            type=INT64,
            minimum=0,
            meaning="Completed receives whose request is not recorded.",
        ),
        Column(
            name="incomplete_send_count",
            type=INT64,
            minimum=0,
            meaning="Sends whose completion is not recorded.",
        ),
    ),
)

MESSAGES = Table(
    name="messages",
    meaning=(
        "Matched messages: the k-th send with the k-th posted receive of a channel. For each "
        "message, the calls that post and complete the send and the receive."
    ),
    grain="one row per matched message",
    key=("message_id",),
    columns=(
        MESSAGE_ID,
        *CHANNEL,
        renamed(LOCATION_ID, "sender_location_id", "Location that sends."),
        renamed(LOCATION_ID, "receiver_location_id", "Location that receives."),
        BYTES,
        SEND_TIME,
        SEND_SEQUENCE,
        RECEIVE_TIME,
        RECEIVE_SEQUENCE,
        *SEND_POST,
        *SEND_COMPLETION,
        *RECEIVE_POST,
        *RECEIVE_COMPLETION,
        Column(
            name="is_clock_violation",
            type=BOOL,
            meaning="The receive is recorded before the send. Only clock errors can cause this.",
        ),
    ),
)

UNMATCHED_MESSAGES = Table(
    name="unmatched_messages",
    meaning="Sends and receives without a partner in the trace.",
    grain="one row per send or receive without partner",
    key=("side", "communicator_id", "sender_group_id", "receiver_group_id", "tag", "ordinal"),
    columns=(
        Column(
            name="side", type=ENUM, values=("send", "receive"), meaning="Side that is recorded."
        ),
        *CHANNEL,
        LOCATION_ID,
        renamed(VISIT_ID, "visit_id", "Visit of the posting call.", null_means=NO_POST),
        renamed(CALL_PATH_ID, "call_path_id", "Call path of the posting call.", null_means=NO_POST),
        Column(name="time_ns", type=INT64, unit="ns", meaning="Record of the send or receive."),
        BYTES,
    ),
)

DOUBTFUL_CHANNELS = Table(
    name="doubtful_channels",
    meaning="Channels with an unmatched message. Their later messages may be matched wrongly.",
    grain="one row per channel with an unmatched message",
    key=("communicator_id", "sender_group_id", "receiver_group_id", "tag"),
    is_transient=True,
    columns=tuple(column for column in CHANNEL if column is not ORDINAL),
)

QUALITY_KINDS = (
    "unmatched_send", "unmatched_receive", "send_without_completion", "receive_without_request",
    "request_without_completion", "cancelled_request", "partial_collective",
    "inconsistent_collective", "unclosed_visit", "mismatched_leave", "clock_violation",
    "time_reversal", "impossible_time", "impossible_id", "unknown_record", "buffer_flush",
    "measurement_off", "missing_records", "missing_location",
    "fewer_records_than_announced", "more_records_than_announced", "repeated_definition",
    "invalid_text", "dropped_attribute", "team_without_fork", "unreadable_row",
    "assumed_communicator", "contradicting_dependency", "record_outside_call",
    "cut_input",
)  # fmt: skip

_FINDING_COLUMNS = (
    Column(name="kind", type=ENUM, values=QUALITY_KINDS, meaning="Kind of problem."),
    nullable(LOCATION_ID, "the problem concerns the whole trace"),
    Column(name="count", type=INT64, minimum=1, meaning="Number of occurrences."),
    Column(
        name="time_ns",
        type=INT64,
        unit="ns",
        null_means="this kind has no time",
        meaning="Time affected, for example inside buffer flushes, or cut off.",
    ),
)

READING_FINDINGS = Table(
    name="reading_findings",
    meaning="Problems that the reader found, before matching.",
    grain="one row per kind and location",
    key=("kind", "location_id"),
    columns=_FINDING_COLUMNS,
)

RECORD_COUNTS = Table(
    name="record_counts",
    meaning="Event records by type, as read from the trace.",
    grain="one row per location and type of record that it contains",
    key=("location_id", "record"),
    columns=(
        LOCATION_ID,
        Column(
            name="record",
            type=STRING,
            meaning=(
                "Event type of OTF2. Unknown: a type that the OTF2 library does not support, or "
                "whose definitions are missing."
            ),
        ),
        Column(name="record_count", type=INT64, minimum=1, meaning="Number of records."),
    ),
)

MISREAD_CELLS = Table(
    name="misread_cells",
    meaning=(
        "Cells of a CSV trace that the reader cannot interpret; at most 50 different ones per "
        "column and use."
    ),
    grain="one row per column and cell",
    key=("column_name", "cell"),
    columns=(
        Column(name="column_name", type=STRING, meaning="Column of the file."),
        Column(
            name="cell", type=STRING, meaning="Content of the cell, at most 80 characters; or ''."
        ),
        Column(name="row_count", type=INT64, minimum=1, meaning="Rows with this cell."),
        Column(name="file", type=STRING, meaning="Name of the file with the first of these cells."),
        Column(
            name="first_line", type=INT64, minimum=1, meaning="Line of the first of these cells."
        ),
        Column(
            name="nearest",
            type=STRING,
            null_means="no known word is similar",
            meaning="Known word that may be meant.",
        ),
    ),
)

OPEN_REQUESTS = Table(
    name="open_requests",
    meaning="Receives and collectives that were started, but neither completed nor canceled.",
    grain="one row per location with open requests",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(name="request_count", type=INT64, minimum=1, meaning="Number of such requests."),
    ),
)

TRACE_QUALITY = Table(
    name="trace_quality",
    meaning="Missing, damaged or uncertain parts of the trace. Kinds without a row did not occur.",
    grain="one row per kind and location",
    key=("kind", "location_id"),
    columns=(
        *_FINDING_COLUMNS,
        Column(
            name="is_loss",
            type=BOOL,
            meaning="Recorded data is missing from the tables: the trace is incomplete.",
        ),
        Column(name="detail", type=STRING, meaning="Effect on the results."),
    ),
)

TABLES = (
    MPI_CALLS, MPI_CALL_PATHS, LOCATION_MESSAGES, MESSAGES, UNMATCHED_MESSAGES, DOUBTFUL_CHANNELS,
    READING_FINDINGS, RECORD_COUNTS, MISREAD_CELLS, OPEN_REQUESTS, TRACE_QUALITY,
)  # fmt: skip
