"""Recorded events of each location."""

from dataclasses import replace

from tracemill.schemas.columns import (
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
    VISIT_COUNT,
    VISIT_ID,
    WINDOW_ID,
    nullable,
    renamed,
)
from tracemill.schemas.records import (
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
from tracemill.schemas.table import BOOL, ENUM, INT64, Column, Table, not_before

VISITS = Table(
    name="visits",
    meaning="Region visits of every location, in the order of leaving.",
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
            "Visit that called this one, on the same location.",
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

VISIT_SUMS = Table(
    name="visit_sums",
    meaning=(
        "Rows of visits that stand for several visits of a user function, with --detail calls. "
        "They are the visits of a call path between two other visits; enter_ns and leave_ns are "
        "as if they followed each other."
    ),
    grain="one row per such row of visits",
    key=("visit_id",),
    is_partitioned=True,
    columns=(LOCATION_ID, VISIT_ID, VISIT_COUNT),
)

MPI_KINDS = (
    "send", "isend", "isend_complete", "irecv_request", "recv", "irecv", "request_test",
    "request_cancelled", "collective", "nonblocking_collective_request",
    "nonblocking_collective", "probe", "mrecv", "imrecv_request", "imrecv",
    "communicator_create", "communicator_destroy",
)  # fmt: skip

MPI_OPERATIONS = Table(
    name="mpi_operations",
    meaning="MPI records, each with the call that contains it.",
    grain="one row per MPI record; one per collective, at its end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=MPI_KINDS, meaning="Kind of record."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        nullable(COLLECTIVE_BEGIN_NS, "not a blocking collective, or its begin is missing"),
        nullable(COMMUNICATOR_ID, "the record has no communicator, or an undefined one"),
        renamed(
            COMM_RANK,
            "peer_rank",
            "Rank of the other process of a message in the communicator (in its remote group).",
            null_means="not a message",
        ),
        renamed(
            LOCATION_GROUP_ID,
            "peer_group_id",
            "The other process of a message.",
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
            null_means="not related to a request",
            meaning=(
                "Links the records of one request. Only use it for comparison: it is unsigned in "
                "the trace."
            ),
        ),
        Column(
            name="probe_id",
            type=INT64,
            null_means="not related to a matched probe",
            meaning=(
                "Links a matched probe, which has the peer rank, to the receive of its message."
            ),
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
    meaning="Records of threading runtimes: fork and join, teams, created threads, tasks.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=THREAD_KINDS, meaning="Kind of record."),
        *VISIT_COLUMNS,
        nullable(COMMUNICATOR_ID, "the record has no team", meaning="Team or contingent."),
        Column(
            name="thread",
            type=INT64,
            null_means="not a task",
            meaning="Thread of the team that created the task.",
        ),
        Column(
            name="number",
            type=INT64,
            null_means="the record has no number",
            meaning=(
                "Requested threads (fork), sequence number (create, begin, wait, end) or task "
                "number."
            ),
        ),
    ),
)

THREAD_TEAMS = Table(
    name="thread_teams",
    meaning="Forks of thread teams, with their joins.",
    grain="one row per fork",
    key=("thread_team_id",),
    columns=(
        TEAM_ID,
        renamed(LOCATION_ID, "location_id", "Location that made the fork."),
        nullable(COMMUNICATOR_ID, "the trace has no team"),
        renamed(CALL_PATH_ID, "call_path_id", "Call path of the fork.", null_means=OUTSIDE),
        Column(name="fork_ns", type=INT64, unit="ns", meaning="Fork record."),
        Column(
            name="join_ns",
            type=INT64,
            unit="ns",
            meaning="Join record; the last record of the location if the join is missing.",
        ),
    ),
    rules=(not_before("join_ns", "fork_ns"),),
)

THREAD_TEAM_MEMBERS = Table(
    name="thread_team_members",
    meaning="Locations of each team, and the time they were part of it.",
    grain="one row per team and member",
    key=("thread_team_id", "location_id"),
    is_partitioned=True,
    columns=(
        TEAM_ID,
        LOCATION_ID,
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin record of the team."),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "End record of the team; the last record of the location if the end is missing."
            ),
        ),
    ),
)

TASK_FRAGMENTS = Table(
    name="task_fragments",
    meaning="Time intervals in which a location executed an explicit task.",
    grain="one row per stretch from start or resumption to suspension or end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        LOCATION_ID,
        renamed(SEQUENCE, "sequence", "Position of the record that ended the interval."),
        renamed(
            VISIT_ID,
            "scheduling_visit_id",
            "Visit in which the task ran, such as a barrier or taskwait.",
            null_means=OUTSIDE,
        ),
        renamed(CALL_PATH_ID, "call_path_id", "Stub of the task below the scheduling point."),
        Column(name="thread", type=INT64, meaning="Thread of the team that created the task."),
        Column(name="number", type=INT64, meaning="Number of the task within that thread."),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start or resumption."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Suspension or end."),
        Column(name="is_first", type=BOOL, meaning="Whether the task started with this interval."),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)

LOCK_OPERATIONS = Table(
    name="lock_operations",
    meaning="Lock acquisitions and releases of threading runtimes.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=("acquire", "release"), meaning="Kind of record."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        PARADIGM,
        Column(name="lock_id", type=INT64, meaning="Lock, unique within its process."),
        Column(
            name="acquisition_order",
            type=INT64,
            meaning="Number of times that the lock was acquired, including this one.",
        ),
    ),
)

RMA_KINDS = (
    "window_create", "window_destroy", "collective", "group_sync", "request_lock",
    "acquire_lock", "try_lock", "release_lock", "sync", "wait_change", "put", "get", "atomic",
    "complete_blocking", "complete_nonblocking", "test", "complete_remote",
)  # fmt: skip
RMA_KIND = Column(name="kind", type=ENUM, values=RMA_KINDS, meaning="Kind of record.")
RMA_BEGIN_NS = nullable(COLLECTIVE_BEGIN_NS, "not a collective, or its begin is missing")
RMA_DETAIL = replace(
    DETAIL,
    meaning=(
        "Synchronization level or type, lock type, or kind of atomic operation, with the numbers "
        "of OTF2."
    ),
)

RMA_OPERATIONS = Table(
    name="rma_operations",
    meaning="Records of one-sided communication, each with the call that contains it.",
    grain="one row per record; one per collective, at its end",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        RMA_KIND,
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        RMA_BEGIN_NS,
        nullable(WINDOW_ID, "the record has no window, or an undefined one"),
        renamed(
            COMM_RANK,
            "remote_rank",
            "Rank of the target in the window.",
            null_means="no target; for lock records, all ranks",
        ),
        nullable(RMA_GROUP_ID, "the record has no group, or an undefined one"),
        nullable(BYTES, "no data", meaning="Bytes transferred, or sent into the collective."),
        Column(
            name="bytes_received",
            type=INT64,
            unit="bytes",
            null_means="no data is returned",
            meaning="Bytes returned.",
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
    meaning="Records of I/O operations.",
    grain="one row per record",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        Column(name="kind", type=ENUM, values=IO_KINDS, meaning="Kind of record."),
        *VISIT_COLUMNS,
        CALL_ENTER,
        CALL_LEAVE,
        nullable(
            IO_HANDLE_ID,
            "the record has no handle, or an undefined one",
            meaning="File handle of the operation.",
        ),
        Column(
            name="mode",
            type=ENUM,
            values=("read", "write", "flush"),
            null_means="not the begin of an operation",
            meaning="Direction of the operation.",
        ),
        nullable(
            BYTES,
            "the record has no size",
            meaning="Bytes requested; at the end of an operation, bytes transferred.",
        ),
        MATCHING_ID,
        replace(DETAIL, meaning="Flags, offset or lock type, with the numbers of OTF2."),
    ),
)

MEASUREMENT_GAPS = Table(
    name="measurement_gaps",
    meaning="Times when the measurement system wrote its buffer or was switched off.",
    grain="one row per gap",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        LOCATION_ID,
        SEQUENCE,
        nullable(CALL_PATH_ID, OUTSIDE, meaning="Innermost call path when the gap begins."),
        Column(
            name="kind",
            type=ENUM,
            values=("buffer_flush", "measurement_off"),
            meaning="Reason for the gap in the records.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the gap."),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            meaning="End of the gap; the last record of the location if the gap does not end.",
        ),
    ),
)

TABLES = (
    VISITS, VISIT_SUMS, MPI_OPERATIONS, THREAD_EVENTS, THREAD_TEAMS, THREAD_TEAM_MEMBERS,
    TASK_FRAGMENTS, LOCK_OPERATIONS, RMA_OPERATIONS, IO_OPERATIONS, COUNTER_VALUES,
    PARAMETER_VALUES, RECORD_ATTRIBUTES, SAMPLES, MEASUREMENT_GAPS,
)  # fmt: skip
