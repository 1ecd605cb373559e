"""What was recorded while the program ran, location by location."""

from dataclasses import replace

from schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COMM_RANK,
    COMMUNICATOR_ID,
    ENTER_NS,
    EXCLUSIVE_NS,
    IO_HANDLE_ID,
    IS_CLOSED,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    OPERATION,
    PARADIGM,
    REGION_ID,
    RMA_GROUP_ID,
    SEQUENCE,
    TAG,
    TEAM_ID,
    VISIT_ID,
    WINDOW_ID,
    nullable,
    renamed,
)
from schemas.records import (
    CALL_ENTER,
    CALL_LEAVE,
    COLLECTIVE_BEGIN_NS,
    COUNTER_VALUES,
    DETAIL,
    MATCHING_ID,
    OUTSIDE,
    PARAMETER_VALUES,
    RECORD_ATTRIBUTES,
    RECORD_COLUMNS,
    SAMPLES,
    VISIT_COLUMNS,
)
from schemas.table import BOOL, ENUM, INT64, Column, Table, not_before

VISITS = Table(
    name="visits",
    meaning="Region visits of every location, in the order in which they were left.",
    grain="one row per region visit",
    key=("visit_id",),
    is_partitioned=True,
    are_integers_compressed=False,
    columns=(
        LOCATION_ID,
        VISIT_ID,
        renamed(
            VISIT_ID,
            "parent_visit_id",
            "Visit that this one was called from, on the same location.",
            null_means="called from the root of the location or task",
        ),
        CALL_PATH_ID,
        REGION_ID,
        ENTER_NS,
        LEAVE_NS,
        EXCLUSIVE_NS,
        IS_CLOSED,
    ),
    rules=(not_before("leave_ns", "enter_ns"),),
)

MPI_KINDS = (
    "send", "isend", "isend_complete", "irecv_request", "recv", "irecv", "request_test",
    "request_cancelled", "collective", "nonblocking_collective_request",
    "nonblocking_collective", "probe", "mrecv", "imrecv_request", "imrecv",
    "communicator_create", "communicator_destroy",
)  # fmt: skip

MPI_OPERATIONS = Table(
    name="mpi_operations",
    meaning="MPI records, each with the call that holds it.",
    grain="one row per MPI record; one per collective, written at its end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=MPI_KINDS, meaning="What was recorded."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        nullable(COLLECTIVE_BEGIN_NS, "not a blocking collective, or its begin is missing"),
        nullable(COMMUNICATOR_ID, "the record names no communicator, or an undefined one"),
        renamed(
            COMM_RANK,
            "peer_rank",
            "Rank of the other side of a message in the communicator (its remote group).",
            null_means="not a message",
        ),
        renamed(
            LOCATION_GROUP_ID,
            "peer_group_id",
            "Process of the other side of a message.",
            null_means="not a message, or the rank is not in the communicator",
        ),
        nullable(TAG, "not a message"),
        nullable(BYTES, "no data", meaning="Bytes of the message, or sent into the collective."),
        Column(
            name="bytes_received",
            type=INT64,
            unit="bytes",
            minimum=0,
            null_means="not a collective",
            meaning="Bytes received from the collective.",
        ),
        nullable(OPERATION, "not a collective"),
        renamed(
            COMM_RANK,
            "root_rank",
            "Rank of the collective's root in the communicator.",
            null_means="no root",
        ),
        Column(
            name="request_id",
            type=INT64,
            null_means="not about a request",
            meaning="Links the records of one request; unsigned in the trace, only compared.",
        ),
        Column(
            name="probe_id",
            type=INT64,
            null_means="not about a matched probe",
            meaning="Links a matched probe, which names the peer, to the receive of its message.",
        ),
    ),
    rules=(not_before("leave_ns", "enter_ns"),),
)

THREAD_KINDS = (
    "fork", "join", "team_begin", "team_end", "create", "begin", "wait", "end",
    "task_create", "task_switch", "task_complete",
)  # fmt: skip

THREAD_EVENTS = Table(
    name="thread_events",
    meaning="Records of thread runtimes: fork and join, teams, created threads, tasks.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=THREAD_KINDS, meaning="What was recorded."),
        *VISIT_COLUMNS,
        nullable(COMMUNICATOR_ID, "the record names no team", meaning="Team or contingent."),
        Column(
            name="thread",
            type=INT64,
            null_means="not a task",
            meaning="Thread of the team that created the task.",
        ),
        Column(
            name="number",
            type=INT64,
            null_means="the record carries no number",
            meaning="Requested threads (fork), sequence (create, begin, wait, end) or task.",
        ),
    ),
)

THREAD_TEAMS = Table(
    name="thread_teams",
    meaning="Every fork of a team of threads, with its join.",
    grain="one row per fork",
    key=("thread_team_id",),
    columns=(
        TEAM_ID,
        renamed(LOCATION_ID, "location_id", "Location that forked."),
        nullable(COMMUNICATOR_ID, "the trace names no team"),
        renamed(CALL_PATH_ID, "call_path_id", "Call path that forked.", null_means=OUTSIDE),
        Column(name="fork_ns", type=INT64, unit="ns", meaning="Record of the fork."),
        Column(
            name="join_ns",
            type=INT64,
            unit="ns",
            meaning="Record of the join; the location's last record where it is missing.",
        ),
    ),
    rules=(not_before("join_ns", "fork_ns"),),
)

THREAD_TEAM_MEMBERS = Table(
    name="thread_team_members",
    meaning="Which location worked in which team, and when.",
    grain="one row per team and member",
    key=("thread_team_id", "location_id"),
    is_partitioned=True,
    columns=(
        TEAM_ID,
        LOCATION_ID,
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Record of the team's begin."),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            meaning="Record of the team's end; the location's last record where it is missing.",
        ),
    ),
)

TASK_FRAGMENTS = Table(
    name="task_fragments",
    meaning="Stretches of time in which an explicit task ran on a location.",
    grain="one row per stretch from start or resumption to suspension or end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        LOCATION_ID,
        renamed(SEQUENCE, "sequence", "Position of the record that ended the stretch."),
        renamed(
            VISIT_ID,
            "scheduling_visit_id",
            "Visit, such as a barrier or taskwait, inside which the task ran.",
            null_means=OUTSIDE,
        ),
        renamed(
            CALL_PATH_ID, "call_path_id", "Stub below the scheduling point that repeats the task."
        ),
        Column(name="thread", type=INT64, meaning="Thread of the team that created the task."),
        Column(name="number", type=INT64, meaning="Number of the task from that thread."),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start or resumption."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Suspension or end."),
        Column(name="is_first", type=BOOL, meaning="The stretch that started the task."),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)

LOCK_OPERATIONS = Table(
    name="lock_operations",
    meaning="Acquired and released locks of thread runtimes.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=("acquire", "release"), meaning="What was recorded."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        PARADIGM,
        Column(name="lock_id", type=INT64, meaning="Lock, within its process."),
        Column(
            name="acquisition_order",
            type=INT64,
            meaning="How many times the lock had been acquired, this time included.",
        ),
    ),
)

RMA_KINDS = (
    "window_create", "window_destroy", "collective", "group_sync", "request_lock",
    "acquire_lock", "try_lock", "release_lock", "sync", "wait_change", "put", "get", "atomic",
    "complete_blocking", "complete_nonblocking", "test", "complete_remote",
)  # fmt: skip
RMA_KIND = Column(name="kind", type=ENUM, values=RMA_KINDS, meaning="What was recorded.")
RMA_BEGIN_NS = nullable(COLLECTIVE_BEGIN_NS, "not a collective, or its begin is missing")
RMA_DETAIL = replace(
    DETAIL, meaning="Synchronisation level or type, lock type, kind of atomic, as OTF2 numbers."
)

RMA_OPERATIONS = Table(
    name="rma_operations",
    meaning="Records of one-sided communication, each with the call that holds it.",
    grain="one row per record; one per collective, written at its end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        RMA_KIND,
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        RMA_BEGIN_NS,
        nullable(WINDOW_ID, "the record names no window, or an undefined one"),
        renamed(
            COMM_RANK,
            "remote_rank",
            "Rank of the target in the window.",
            null_means="no target; in records of locks, all ranks",
        ),
        nullable(RMA_GROUP_ID, "the record names no group, or an undefined one"),
        nullable(BYTES, "no data", meaning="Bytes moved, or sent into the collective."),
        Column(
            name="bytes_received",
            type=INT64,
            unit="bytes",
            null_means="no data comes back",
            meaning="Bytes that came back.",
        ),
        nullable(OPERATION, "not a collective"),
        MATCHING_ID,
        RMA_DETAIL,
    ),
)

IO_KINDS = (
    "create_handle", "destroy_handle", "duplicate_handle", "seek", "change_status", "delete_file",
    "operation_begin", "operation_test", "operation_issued", "operation_complete",
    "operation_cancelled", "acquire_lock", "release_lock", "try_lock",
)  # fmt: skip

IO_OPERATIONS = Table(
    name="io_operations",
    meaning="Records of input and output.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=IO_KINDS, meaning="What was recorded."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        nullable(
            IO_HANDLE_ID,
            "the record names no handle, or an undefined one",
            meaning="Handle worked on.",
        ),
        Column(
            name="mode",
            type=ENUM,
            values=("read", "write", "flush"),
            null_means="not an operation's begin",
            meaning="Direction of the operation.",
        ),
        nullable(BYTES, "no amount is recorded", meaning="Bytes requested, or moved at the end."),
        MATCHING_ID,
        replace(DETAIL, meaning="Flags, offset or lock type, as OTF2 numbers."),
    ),
)

MEASUREMENT_GAPS = Table(
    name="measurement_gaps",
    meaning="Times in which the measurement wrote its buffer or was switched off.",
    grain="one row per gap",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        LOCATION_ID,
        SEQUENCE,
        Column(
            name="kind",
            type=ENUM,
            values=("buffer_flush", "measurement_off"),
            meaning="Why nothing was recorded.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the gap."),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            meaning="End of the gap; the location's last record where it does not end.",
        ),
    ),
)

TABLES = (
    VISITS, MPI_OPERATIONS, THREAD_EVENTS, THREAD_TEAMS, THREAD_TEAM_MEMBERS, TASK_FRAGMENTS,
    LOCK_OPERATIONS, RMA_OPERATIONS, IO_OPERATIONS, COUNTER_VALUES, PARAMETER_VALUES,
    RECORD_ATTRIBUTES, SAMPLES, MEASUREMENT_GAPS,
)  # fmt: skip
