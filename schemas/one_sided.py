"""One-sided communication: synchronisation of windows, epochs, accesses and locks."""

from dataclasses import replace

from schemas.columns import (
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
from schemas.events import RMA_BEGIN_NS, RMA_DETAIL, RMA_KIND
from schemas.records import MATCHING_ID
from schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

_NOT_ENDED = "the trace does not hold its end"
_NO_TARGET = "no target, or not a rank of the window"
_ALL_RANKS = "all ranks of the window"
_NO_ACCESS = "nobody accessed its memory"
_NOBODY = "the lock was free since the window was made"

_PURPOSES = ("create", "fence", "free")
_POSITION = Column(
    name="position",
    type=INT64,
    minimum=1,
    meaning="Place of the record among those of one-sided communication of its process.",
)
_CALL = (VISIT_ID, CALL_PATH_ID, ENTER_NS, LEAVE_NS)

RMA_CALLS = Table(
    name="rma_calls",
    meaning="Records of one-sided communication in MPI calls, with the processes concerned.",
    grain="one row per record that lies in an MPI call and names a window of its process",
    key=("location_id", "sequence"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        SEQUENCE,
        TIME_NS,
        RMA_KIND,
        Column(name="call", type=STRING, meaning="The call, as in C, in lower case."),
        *_CALL,
        RMA_BEGIN_NS,
        WINDOW_ID,
        LOCATION_GROUP_ID,
        COMM_RANK,
        _POSITION,
        renamed(COMM_RANK, "target_rank", "Rank of the target.", null_means="no target, or all"),
        renamed(LOCATION_GROUP_ID, "target_group_id", "Its process.", null_means=_NO_TARGET),
        nullable(RMA_GROUP_ID, "the record names no group"),
        nullable(OPERATION, "not a collective"),
        MATCHING_ID,
        RMA_DETAIL,
    ),
)

RMA_COLLECTIVES = Table(
    name="rma_collectives",
    meaning="Calls that all processes of a window make together: making and freeing it, fences.",
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
            null_means="none that is known",
            meaning="What the call is for.",
        ),
        LOCATION_ID,
        LOCATION_GROUP_ID,
        COMM_RANK,
        _POSITION,
        *_CALL,
        replace(RMA_BEGIN_NS, null_means="", meaning="Its begin, or when the call was entered."),
        Column(name="last_begin_ns", type=INT64, unit="ns", meaning="Begin of the last process."),
        renamed(LOCATION_ID, "last_location_id", "Location that began last."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call that began last."),
        Column(
            name="partner_count", type=INT64, minimum=0, meaning="Other processes of the window."
        ),
        Column(name="is_complete", type=BOOL, meaning="All processes are there and agree."),
        Column(
            name="is_together", type=BOOL, meaning="All were inside at the same time, and complete."
        ),
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning="The window has incomplete instances: members may be matched wrongly.",
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
            meaning="The process accesses others, or lets them access it.",
        ),
        WINDOW_ID,
        LOCATION_GROUP_ID,
        nullable(RMA_GROUP_ID, "the trace does not say with whom"),
        renamed(LOCATION_ID, "begin_location_id", "Location that began the epoch."),
        renamed(_POSITION, "begin_position", "Place of the record of the begin."),
        renamed(VISIT_ID, "begin_visit_id", "Visit of the call that begins the epoch."),
        renamed(CALL_PATH_ID, "begin_call_path_id", "Its call path."),
        renamed(ENTER_NS, "begin_enter_ns", "When it was entered."),
        renamed(LEAVE_NS, "begin_leave_ns", "When it was left."),
        renamed(LOCATION_ID, "end_location_id", "Where the epoch ended.", null_means=_NOT_ENDED),
        renamed(
            _POSITION, "end_position", "Place of the record of the end.", null_means=_NOT_ENDED
        ),
        renamed(VISIT_ID, "end_visit_id", "Visit of the call that ends it.", null_means=_NOT_ENDED),
        renamed(CALL_PATH_ID, "end_call_path_id", "Its call path.", null_means=_NOT_ENDED),
        renamed(ENTER_NS, "end_enter_ns", "When it was entered.", null_means=_NOT_ENDED),
        renamed(LEAVE_NS, "end_leave_ns", "When it was left.", null_means=_NOT_ENDED),
        Column(name="is_tested", type=BOOL, meaning="Ended by MPI_Win_test, which never waits."),
    ),
)

RMA_EPOCH_PAIRS = Table(
    name="rma_epoch_pairs",
    meaning="Access epochs and the exposure epochs of their targets that they belong to.",
    grain="one row per access epoch and target with an exposure epoch for it",
    key=("start_visit_id", "target_group_id"),
    is_transient=True,
    columns=(
        renamed(VISIT_ID, "start_visit_id", "Visit of the call that began the access epoch."),
        renamed(LOCATION_GROUP_ID, "target_group_id", "Process that was accessed."),
        renamed(VISIT_ID, "post_visit_id", "Visit of its call that began the exposure epoch."),
        renamed(LOCATION_ID, "post_location_id", "Location of that call."),
        renamed(ENTER_NS, "post_enter_ns", "When it was entered."),
        renamed(
            VISIT_ID,
            "complete_visit_id",
            "Visit of the call that ended the access epoch.",
            null_means=_NOT_ENDED,
        ),
        renamed(
            LOCATION_ID, "complete_location_id", "Location of that call.", null_means=_NOT_ENDED
        ),
        renamed(CALL_PATH_ID, "complete_call_path_id", "Its call path.", null_means=_NOT_ENDED),
        renamed(ENTER_NS, "complete_enter_ns", "When it was entered.", null_means=_NOT_ENDED),
    ),
)

RMA_LOCK_EPOCHS = Table(
    name="rma_lock_epochs",
    meaning="Epochs in which a process held the lock of a window: MPI_Win_lock to MPI_Win_unlock.",
    grain="one row per lock that was released",
    key=("lock_visit_id", "lock_position"),
    is_transient=True,
    columns=(
        WINDOW_ID,
        LOCATION_GROUP_ID,
        renamed(COMM_RANK, "target_rank", "Rank that was locked.", null_means=_ALL_RANKS),
        Column(name="is_exclusive", type=BOOL, meaning="Nobody else may hold the lock meanwhile."),
        renamed(LOCATION_ID, "lock_location_id", "Location that asked for the lock."),
        renamed(_POSITION, "lock_position", "Place of the record of the request."),
        renamed(VISIT_ID, "lock_visit_id", "Visit of the call that asked for the lock."),
        renamed(CALL_PATH_ID, "lock_call_path_id", "Its call path."),
        renamed(ENTER_NS, "lock_enter_ns", "When it was entered."),
        renamed(LEAVE_NS, "lock_leave_ns", "When it was left."),
        renamed(LOCATION_ID, "unlock_location_id", "Location that released the lock."),
        renamed(_POSITION, "unlock_position", "Place of the record of the release."),
        renamed(VISIT_ID, "unlock_visit_id", "Visit of the call that released it."),
        renamed(CALL_PATH_ID, "unlock_call_path_id", "Its call path."),
        renamed(ENTER_NS, "unlock_enter_ns", "When it was entered."),
        renamed(LEAVE_NS, "unlock_leave_ns", "When it was left."),
        Column(name="release_ns", type=INT64, unit="ns", meaning="Record of the release."),
    ),
)

RMA_LOCK_QUEUE = Table(
    name="rma_lock_queue",
    meaning="Whose release of a lock the next owner depended on.",
    grain="one row per lock epoch",
    key=("lock_visit_id", "lock_position"),
    is_transient=True,
    columns=(
        renamed(VISIT_ID, "lock_visit_id", "Visit of the call that asked for the lock."),
        renamed(_POSITION, "lock_position", "Place of the record of the request."),
        renamed(
            LOCATION_ID, "owner_location_id", "Location that had it before.", null_means=_NOBODY
        ),
        renamed(VISIT_ID, "owner_visit_id", "Visit that released it then.", null_means=_NOBODY),
        renamed(ENTER_NS, "owner_enter_ns", "When that was entered.", null_means=_NOBODY),
        Column(
            name="owner_release_ns",
            type=INT64,
            unit="ns",
            null_means=_NOBODY,
            meaning="Record of that release.",
        ),
    ),
)

RMA_ACCESSES = Table(
    name="rma_accesses",
    meaning="Operations on memory of a window, each with the epoch it is made in.",
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
            "Visit of MPI_Win_start that began the epoch.",
            null_means="the epoch is of another kind",
        ),
        renamed(
            _POSITION,
            "lock_position",
            "Place of the record of the lock request that began the epoch.",
            null_means="the epoch is of another kind",
        ),
        renamed(
            ORDINAL,
            "fence_ordinal",
            "Collective call of the window that ends the epoch.",
            null_means="the epoch is of another kind, or has no end",
        ),
    ),
)

RMA_SYNCHRONISED_CALLS = Table(
    name="rma_synchronised_calls",
    meaning="Calls in which a process met the others of a window, or those that accessed its "
    "memory.",
    grain="one row per call and purpose that had to wait for others",
    key=("visit_id", "purpose"),
    is_transient=True,
    columns=(
        Column(
            name="purpose",
            type=ENUM,
            values=(*_PURPOSES, "wait"),
            meaning="What the call is for; to wait is to end an epoch of exposure.",
        ),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        Column(name="start_ns", type=INT64, unit="ns", meaning="When the process came."),
        Column(
            name="accessed_until_ns",
            type=INT64,
            unit="ns",
            meaning="Until when others accessed its memory; its coming where they no longer did.",
        ),
        Column(
            name="until_ns",
            type=INT64,
            unit="ns",
            meaning="When the last one came; the end of the call, if by the clocks that was later.",
        ),
        renamed(LOCATION_ID, "access_location_id", "Of the last access.", null_means=_NO_ACCESS),
        renamed(VISIT_ID, "access_visit_id", "Call of that access.", null_means=_NO_ACCESS),
        renamed(LOCATION_ID, "last_location_id", "Location that came last."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call in which it came."),
        CONFIDENCE,
    ),
)

RMA_SYNCHRONISATION_COUNTS = Table(
    name="rma_synchronisation_counts",
    meaning="How many pairs of processes were synchronised, and how many of them for nothing.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    RMA_CALLS, RMA_COLLECTIVES, RMA_EPOCHS, RMA_EPOCH_PAIRS, RMA_LOCK_EPOCHS, RMA_LOCK_QUEUE,
    RMA_ACCESSES, RMA_SYNCHRONISED_CALLS, RMA_SYNCHRONISATION_COUNTS,
)  # fmt: skip
