"""One-sided communication: window synchronization, epochs, accesses and locks."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    COMM_RANK,
    CONFIDENCE,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    METRIC,
    OPERATION,
    ORDINAL,
    RMA_GROUP_ID,
    SEQUENCE,
    TIME_NS,
    VALUE,
    VISIT_ID,
    WINDOW_ID,
    nullable,
    renamed,
)
from tracemill.schemas.events import RMA_BEGIN_NS, RMA_DETAIL, RMA_KIND
from tracemill.schemas.records import MATCHING_ID
from tracemill.schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

_NOT_ENDED = "the end is not recorded"
_NO_TARGET = "no target, or not a rank of the window"
_ALL_RANKS = "all ranks of the window"
_NO_ACCESS = "no process accessed its memory"
_NOBODY = "the lock was free since the window was created"

_PURPOSES = ("create", "fence", "free")
_POSITION = Column(
    name="position",
    type=INT64,
    minimum=1,
    meaning="Position of the record among the one-sided communication records of its process.",
)
_CALL = (VISIT_ID, CALL_PATH_ID, ENTER_NS, LEAVE_NS)

RMA_CALLS = Table(
    name="rma_calls",
    meaning="Records of one-sided communication inside MPI calls, with the processes involved.",
    grain="one row per record in an MPI call with a window of its process",
    key=("location_id", "sequence"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        SEQUENCE,
        TIME_NS,
        RMA_KIND,
        Column(name="call", type=STRING, meaning="Lower-case C name of the call."),
        *_CALL,
        RMA_BEGIN_NS,
        WINDOW_ID,
        LOCATION_GROUP_ID,
        COMM_RANK,
        _POSITION,
        renamed(COMM_RANK, "target_rank", "Rank of the target.", null_means="no target, or all"),
        renamed(
            LOCATION_GROUP_ID, "target_group_id", "Process of the target.", null_means=_NO_TARGET
        ),
        nullable(RMA_GROUP_ID, "the record has no group"),
        nullable(OPERATION, "not a collective"),
        MATCHING_ID,
        RMA_DETAIL,
    ),
)

RMA_COLLECTIVES = Table(
    name="rma_collectives",
    meaning="Collective calls on a window: create, free and fence.",
    grain="one row per instance and process",
    key=("rma_window_id", "ordinal", "location_group_id"),
    is_transient=True,
    columns=(
        WINDOW_ID,
        renamed(ORDINAL, "ordinal", "Position among the collective calls of the window."),
        Column(
            name="purpose",
            type=ENUM,
            values=_PURPOSES,
            null_means="the purpose is unknown",
            meaning="Purpose of the call.",
        ),
        LOCATION_ID,
        LOCATION_GROUP_ID,
        COMM_RANK,
        _POSITION,
        *_CALL,
        replace(RMA_BEGIN_NS, null_means="", meaning="Begin record, or enter of the call."),
        Column(name="last_begin_ns", type=INT64, unit="ns", meaning="Begin of the last process."),
        renamed(LOCATION_ID, "last_location_id", "Location that began last."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call that began last."),
        Column(
            name="partner_count",
            type=INT64,
            minimum=0,
            meaning="Number of other processes of the window.",
        ),
        Column(name="is_complete", type=BOOL, meaning="All processes are present and agree."),
        Column(
            name="is_together",
            type=BOOL,
            meaning="The instance is complete, and all processes were inside at the same time.",
        ),
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning=(
                "The window has incomplete instances: members may be assigned to wrong instances."
            ),
        ),
    ),
)

RMA_EPOCHS = Table(
    name="rma_epochs",
    meaning="Epochs between MPI_Win_start and MPI_Win_complete, MPI_Win_post and MPI_Win_wait.",
    grain="one row per epoch that was begun",
    key=("begin_visit_id",),
    is_transient=True,
    columns=(
        Column(
            name="role",
            type=ENUM,
            values=("access", "exposure"),
            meaning="Access: the process accesses others. Exposure: others access it.",
        ),
        WINDOW_ID,
        LOCATION_GROUP_ID,
        nullable(RMA_GROUP_ID, "the partners are not recorded"),
        renamed(LOCATION_ID, "begin_location_id", "Location that started the epoch."),
        renamed(_POSITION, "begin_position", "Position of the begin record."),
        renamed(VISIT_ID, "begin_visit_id", "Visit of the call that starts the epoch."),
        renamed(CALL_PATH_ID, "begin_call_path_id", "Call path of this call."),
        renamed(ENTER_NS, "begin_enter_ns", "Enter time of this call."),
        renamed(LEAVE_NS, "begin_leave_ns", "Leave time of this call."),
        renamed(
            LOCATION_ID, "end_location_id", "Location that ended the epoch.", null_means=_NOT_ENDED
        ),
        renamed(_POSITION, "end_position", "Position of the end record.", null_means=_NOT_ENDED),
        renamed(VISIT_ID, "end_visit_id", "Visit of the call that ends it.", null_means=_NOT_ENDED),
        renamed(CALL_PATH_ID, "end_call_path_id", "Call path of this call.", null_means=_NOT_ENDED),
        renamed(ENTER_NS, "end_enter_ns", "Enter time of this call.", null_means=_NOT_ENDED),
        renamed(LEAVE_NS, "end_leave_ns", "Leave time of this call.", null_means=_NOT_ENDED),
        Column(
            name="is_tested", type=BOOL, meaning="MPI_Win_test ended the epoch. It never waits."
        ),
    ),
)

RMA_EPOCH_PAIRS = Table(
    name="rma_epoch_pairs",
    meaning="Access epochs, each with the matching exposure epochs of its targets.",
    grain="one row per access epoch and target with an exposure epoch for it",
    key=("start_visit_id", "target_group_id"),
    is_transient=True,
    columns=(
        renamed(VISIT_ID, "start_visit_id", "Visit of the call that started the access epoch."),
        renamed(LOCATION_GROUP_ID, "target_group_id", "Target process."),
        renamed(
            VISIT_ID, "post_visit_id", "Visit of the target's call that started the exposure epoch."
        ),
        renamed(LOCATION_ID, "post_location_id", "Location of this call."),
        renamed(ENTER_NS, "post_enter_ns", "Enter time of this call."),
        renamed(
            VISIT_ID,
            "complete_visit_id",
            "Visit of the call that ended the access epoch.",
            null_means=_NOT_ENDED,
        ),
        renamed(
            LOCATION_ID, "complete_location_id", "Location of this call.", null_means=_NOT_ENDED
        ),
        renamed(
            CALL_PATH_ID, "complete_call_path_id", "Call path of this call.", null_means=_NOT_ENDED
        ),
        renamed(ENTER_NS, "complete_enter_ns", "Enter time of this call.", null_means=_NOT_ENDED),
    ),
)

RMA_LOCK_EPOCHS = Table(
    name="rma_lock_epochs",
    meaning="Lock epochs on a window, from MPI_Win_lock to MPI_Win_unlock.",
    grain="one row per lock that was released",
    key=("lock_visit_id", "lock_position"),
    is_transient=True,
    columns=(
        WINDOW_ID,
        LOCATION_GROUP_ID,
        renamed(COMM_RANK, "target_rank", "Rank of the locked target.", null_means=_ALL_RANKS),
        Column(
            name="is_exclusive",
            type=BOOL,
            meaning="Exclusive: no other process can hold the lock at the same time.",
        ),
        renamed(LOCATION_ID, "lock_location_id", "Location that requested the lock."),
        renamed(_POSITION, "lock_position", "Position of the request record."),
        renamed(VISIT_ID, "lock_visit_id", "Visit of the call that requested the lock."),
        renamed(CALL_PATH_ID, "lock_call_path_id", "Call path of this call."),
        renamed(ENTER_NS, "lock_enter_ns", "Enter time of this call."),
        renamed(LEAVE_NS, "lock_leave_ns", "Leave time of this call."),
        renamed(LOCATION_ID, "unlock_location_id", "Location that released the lock."),
        renamed(_POSITION, "unlock_position", "Position of the release record."),
        renamed(VISIT_ID, "unlock_visit_id", "Visit of the call that released the lock."),
        renamed(CALL_PATH_ID, "unlock_call_path_id", "Call path of this call."),
        renamed(ENTER_NS, "unlock_enter_ns", "Enter time of this call."),
        renamed(LEAVE_NS, "unlock_leave_ns", "Leave time of this call."),
        Column(name="release_ns", type=INT64, unit="ns", meaning="Release record."),
    ),
)

RMA_LOCK_QUEUE = Table(
    name="rma_lock_queue",
    meaning="Previous owners of locks: the next owner had to wait for their release.",
    grain="one row per lock epoch",
    key=("lock_visit_id", "lock_position"),
    is_transient=True,
    columns=(
        renamed(VISIT_ID, "lock_visit_id", "Visit of the call that requested the lock."),
        renamed(_POSITION, "lock_position", "Position of the request record."),
        renamed(
            LOCATION_ID, "owner_location_id", "Location of the previous owner.", null_means=_NOBODY
        ),
        renamed(
            VISIT_ID,
            "owner_visit_id",
            "Visit of the call with which the previous owner released the lock.",
            null_means=_NOBODY,
        ),
        renamed(ENTER_NS, "owner_enter_ns", "Enter time of this call.", null_means=_NOBODY),
        Column(
            name="owner_release_ns",
            type=INT64,
            unit="ns",
            null_means=_NOBODY,
            meaning="Record of this release.",
        ),
    ),
)

RMA_ACCESSES = Table(
    name="rma_accesses",
    meaning="Operations on the memory of a window, each with its epoch.",
    grain="one row per put, get or atomic operation on memory of a process of the window",
    key=("location_id", "sequence"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        SEQUENCE,
        *_CALL,
        WINDOW_ID,
        LOCATION_GROUP_ID,
        renamed(LOCATION_GROUP_ID, "target_group_id", "Process whose memory is accessed."),
        renamed(
            VISIT_ID,
            "start_visit_id",
            "Visit of the MPI_Win_start that started the epoch.",
            null_means="another kind of epoch",
        ),
        renamed(
            _POSITION,
            "lock_position",
            "Position of the lock request record that started the epoch.",
            null_means="another kind of epoch",
        ),
        renamed(
            ORDINAL,
            "fence_ordinal",
            "Collective call of the window that ends the epoch.",
            null_means="another kind of epoch, or no end",
        ),
    ),
)

RMA_SYNCHRONIZED_CALLS = Table(
    name="rma_synchronized_calls",
    meaning=(
        "Calls that synchronized a process with the others of a window, or with those that "
        "accessed its memory."
    ),
    grain="one row per call and purpose that had to wait for others",
    key=("visit_id", "purpose"),
    is_transient=True,
    columns=(
        Column(
            name="purpose",
            type=ENUM,
            values=(*_PURPOSES, "wait"),
            meaning="Purpose of the call; wait ends an exposure epoch.",
        ),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        Column(name="start_ns", type=INT64, unit="ns", meaning="Time when the process arrived."),
        Column(
            name="accessed_until_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "End of the last access of others to its memory; the arrival time if there was "
                "none later."
            ),
        ),
        Column(
            name="until_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Arrival of the last process; the end of the call if this arrival is later by the "
                "clocks."
            ),
        ),
        renamed(
            LOCATION_ID, "access_location_id", "Location of the last access.", null_means=_NO_ACCESS
        ),
        renamed(VISIT_ID, "access_visit_id", "Visit of the last access.", null_means=_NO_ACCESS),
        renamed(LOCATION_ID, "last_location_id", "Location that arrived last."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call in which it arrived."),
        CONFIDENCE,
    ),
)

RMA_SYNCHRONIZATION_COUNTS = Table(
    name="rma_synchronization_counts",
    meaning="Numbers of synchronized process pairs, and of pairs without any access.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    RMA_CALLS, RMA_COLLECTIVES, RMA_EPOCHS, RMA_EPOCH_PAIRS, RMA_LOCK_EPOCHS, RMA_LOCK_QUEUE,
    RMA_ACCESSES, RMA_SYNCHRONIZED_CALLS, RMA_SYNCHRONIZATION_COUNTS,
)  # fmt: skip
