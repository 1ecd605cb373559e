"""Columns and values of the arrays of the simulated machine.

Times are nanoseconds since the zero of the trace; all numbers count from 0. NOBODY means none.
"""

from collections import namedtuple
from typing import Any, Final

import numpy as np

NOBODY: Any = np.int64(-1)
ANY: Final = -2
LAST: Final = -3
"""Peers: any sender; the sender of the last message received."""

NO: Final = np.bool_(False)

# --- Instructions, a row each --------------------------------------------------------------------

(
    CODE, PATH, PEER, COMM, TAG, BYTES, RECEIVED, SLOT, COUNT, AMOUNT, MODE, TARGET, LOCK_PATH,
    DELAY, SCHEDULE,
) = range(15)  # fmt: skip
INSTRUCTION_WIDTH: Final = 15

(
    END, ENTER_REGION, LEAVE_REGION, WORK, LOOP, JUMP, JUMP_IF_TAG, BRANCH, SEND, ISEND, RECV,
    IRECV, SENDRECV, WAIT, COLLECTIVE, ICOLLECTIVE, TEAM, TRANSFER, REMOTE, POST, START, COMPLETE,
    EXPOSE, LOCK, UNLOCK, FLUSH,
) = range(26)  # fmt: skip
"""END ends the program. WORK takes AMOUNT ns with COUNT nested function calls and jitter of MODE
ppm. LOOP jumps to TARGET AMOUNT times in total, counted in register SLOT. BRANCH takes one of the
COUNT instructions after it: that with the largest share × executions − times taken. Shares begin at
row SLOT of `shares`, counts at column SLOT of `choices`.

SEND, ISEND, RECV, IRECV, SENDRECV: PEER is a process, TARGET of SENDRECV the one to receive from;
TARGET 1 numbers a task. ISEND and IRECV make the request SLOT, WAIT completes COUNT of them from
SLOT on. In a loop, the request of ISEND is RECEIVED further in each round, counted in register
COUNT. DELAY is time that a call takes before its messages or accesses are started. SCHEDULE is 1 +
the number of the transfers of a collective, 0 if its members only wait for each other.

COLLECTIVE, ICOLLECTIVE: PEER is the root's rank in COMM, SLOT the operation's number in OTF2, COUNT
the number of members that send data, AMOUNT the request made. In the family WINDOW, COUNT is the
number of requests completed, AMOUNT the window. REMOTE is a call of AMOUNT ns that puts or gets
BYTES (SLOT is its kind of record) in window PEER of COMM, in an epoch of kind MODE, at rank
RECEIVED. If that is NOBODY, it targets the next COUNT ranks in turn, by register 1. Its requests
are numbered from TARGET on. TRANSFER is a call of AMOUNT ns that reads or writes (COUNT) BYTES
through the handle PEER; with TARGET 1 it lasts as long as the channels of the storage say. A
collective of the family FILE with SLOT ACCESSING does so through the handle AMOUNT, a non-blocking
one through the handle TAG.

POST, START, COMPLETE, EXPOSE (MPI_Win_wait), with window PEER of COMM: COUNT are the partners, the
ranks before the own one of POST and EXPOSE, those after it of the others; TAG is their group,
AMOUNT the number of requests completed, SLOT the number of partners accessed. LOCK, UNLOCK, FLUSH:
rank RECEIVED in window PEER of COMM; SLOT 0 is an exclusive lock, 1 a shared one. With MODE LAZY,
START and LOCK do not block, but later calls do. TEAM: COUNT barriers, AMOUNT ns between them, SLOT
ppm more for each higher thread (again from 0 after TARGET threads), PEER function calls, TAG
threads. Before each barrier all take a lock of kind COMM at LOCK_PATH RECEIVED times, for BYTES
ns."""

# WORK: the number of the task, not the place in the program, determines the duration.
BY_TASK: Final = 1
STANDARD, SYNCHRONOUS, BUFFERED = range(3)
"""Modes of sends. STANDARD is buffered up to the eager limit, else synchronous."""

# --- Families of collectives (MODE of a collective); SLOT is its OTF2 operation ------------------

(BARRIER, N_TO_N, ONE_TO_N, N_TO_ONE, SCAN, RING, WINDOW, INIT, FINALIZE, FILE) = range(10)
# Operations of the family WINDOW: fences, creation and release of windows.
FENCING, CREATING, FREEING = 0, 17, 18
# Operations of the family FILE; reading and writing have the numbers of OTF2.
OPENING, CLOSING, ACCESSING = range(3)
READING, WRITING = range(2)
ALONE: Any = NOBODY
"""Communicator of a file of one process."""
IN_FENCE, IN_EPOCH, IN_LOCK, LAZY = 0, 1, 2, 4
"""Kinds of epochs of REMOTE, to which LAZY may be added."""
BEYOND: Final = 1
"""In TARGET: the operation is extended (not in Scalasca)."""

# --- Processes -----------------------------------------------------------------------------------

(
    PC, STATE, CALL_ENTER, CALL_VISIT, CALL_AT, FIRST_SLOT, SLOT_COUNT, CALL_LEAVE,
    LAST_SOURCE, LAST_TAG, LAST_TASK, NEXT_REQUEST, SENT_COUNT,
    UNEXPECTED_FIRST, UNEXPECTED_LAST, POSTED_FIRST, POSTED_LAST,
    REMEMBERED_COUNT, REMOTE_RANK, IS_CHARGED,
    LOCK_STATE, LOCK_AT, GRANT_NS, LOCK_ENTER, LOCK_LEAVE, LOCK_VISIT, QUEUE_NEXT,
    AWAITING_FIRST, AWAITING_NEXT, ARRIVAL_NS, REGISTER,
) = range(31)  # fmt: skip
"""REMOTE_RANK is the target of the current operation, IS_CHARGED whether its call has a wait.
LOCK_… belong to the lock requested or held. AWAITING_… chain the processes that wait until this one
enters MPI; ARRIVAL_NS is when the process that this one waits for entered MPI."""
REGISTER_COUNT: Final = 16
LOCK_COUNTS: Final = REGISTER + REGISTER_COUNT
"""Number of acquisitions by kind of lock."""
LOCK_KINDS: Final = ("critical", "api", "mutex")
(CRITICAL, API, MUTEX) = range(3)
PROCESS_WIDTH: Final = LOCK_COUNTS + len(LOCK_KINDS)
READY, IN_CALL, ENDED, STARTING = range(4)
"""STARTING: the call of a process has not done anything yet, because of its delay."""

# --- Requests of a process; the last two slots belong to its blocking calls ----------------------

(SLOT_KIND, SLOT_OBJECT, SLOT_REQUEST) = range(3)
SLOT_WIDTH: Final = 3
(NOTHING, SENDING, RECEIVING, TAKING_PART) = range(4)
OWN_SLOTS: Final = 2

# --- Messages: a send, a posted receive, or both -------------------------------------------------

(
    SENDER, RECEIVER, MESSAGE_COMM, MESSAGE_TAG, MESSAGE_BYTES, IS_SYNCHRONOUS, TASK,
    SEND_ENTER, SEND_VISIT, SEND_RECORD, RECEIVE_ENTER, RECEIVE_VISIT, DONE, NEXT, USERS, READY,
) = range(16)  # fmt: skip
MESSAGE_WIDTH: Final = 16
"""READY is when the calls so far have started the message."""

# --- Collective instances and their members ------------------------------------------------------

(
    INSTANCE_COMM, ORDINAL, INSTANCE_CODE, ARRIVED, SENDERS_ARRIVED, FINISHED, POINTERS,
    INSTANCE_NEXT, LATEST_NS, OPEN_COUNT, OVER_NS,
) = range(11)  # fmt: skip
INSTANCE_WIDTH: Final = 11
(
    BEGIN, COST, FINISH, SENT, GOT, MEMBER_STATE, START_ENTER, START_VISIT, END_ENTER, END_VISIT,
    END_PATH, AWAITED_COUNT, AWAITED_NS, STARTED_NS, NEXT_GROUP, FREED_NS,
) = range(16)  # fmt: skip
MEMBER_WIDTH: Final = 16
(ABSENT, WAITING, RELEASED) = range(3)
"""With a schedule, OPEN_COUNT members have not started or transfers not ended, the last known of
them at OVER_NS; a member waits for AWAITED_COUNT transfers. NEXT_GROUP is the first group of
transfers that a member has not started, FREED_NS when it started the one before."""

# --- Schedules: transfers of collectives, in groups that a member starts at once -----------------

(FIRST_GROUP, GROUP_COUNT, CARRY_COUNT, HAS_COMMON_END) = range(4)
SCHEDULE_WIDTH: Final = 4
(CARRY_FROM, CARRY_TO, CARRY_BYTES, CARRY_GROUP, FREES_GROUP) = range(5)
CARRY_WIDTH: Final = 5
(GROUP_FIRST, GROUP_SIZE, GROUP_NEEDS, GROUP_AFTER) = range(4)
GROUP_WIDTH: Final = 4
(PLAN_GROUP, PLAN_INCOMING, INCOMING_COUNT, PLAN_AWAITED) = range(4)
PLAN_WIDTH: Final = 4
"""A group may start when the one before of the same member has, and the member has received what
frees it. `plans` (schedule, process) has the first group and what a process receives."""
(GROUP_LEFT, GROUP_NS, IS_FREED) = range(3)
GROUP_STATE_WIDTH: Final = 3

# --- Transfers that need a channel, in the order of this heap -------------------------------------

(
    PENDING_READY,
    PENDING_SENDER,
    PENDING_RECEIVER,
    PENDING_SEQUENCE,
    PENDING_KIND,
    PENDING_OBJECT,
    PENDING_CARRY,
) = range(7)
PENDING_WIDTH: Final = 7
(OF_MESSAGE, OF_CALL, OF_COLLECTIVE) = range(3)
"""The object is a message, a process that accesses a file, or an instance with its carry."""
STORAGE: Any = np.int64(-1)

# --- Remembered late senders of a location, for the wrong order ----------------------------------

(REMEMBERED_RECORD, REMEMBERED_VISIT, REMEMBERED_SENDER) = range(3)
REMEMBERED_WIDTH: Final = 3
REMEMBERED_MOST: Final = 100

# --- Windows, by window and rank -----------------------------------------------------------------

(POSTS, STARTS, COMPLETES, POST_ENTER, POST_VISIT, COMPLETE_ENTER, COMPLETE_VISIT, ACCESS) = (
    0, 1, 2, 3, 5, 7, 9, 11
)  # fmt: skip
(ACCESS_LEAVE, ACCESS_LOCATION, ACCESS_VISIT, ACCESS_ENTER) = range(4)
ACCESS_WIDTH: Final = 4
EPOCH_WIDTH: Final = ACCESS + 3 * ACCESS_WIDTH
"""Number of epochs begun and ended; times and visits of the last two, in turn; last operation on
the memory of a rank in the last two epochs and since the last fence."""
FENCE_SLOT: Final = 2

(HOLDERS, IS_EXCLUSIVE, QUEUE_FIRST, QUEUE_LAST, LAST_RELEASE, LAST_EXCLUSIVE) = (
    0, 1, 2, 3, 4, 8
)  # fmt: skip
(RELEASE_NS, RELEASE_LOCATION, RELEASE_VISIT, RELEASE_ENTER) = range(4)
LOCK_WIDTH: Final = LAST_EXCLUSIVE + 4
EXCLUSIVE: Final = 0
(UNREQUESTED, REQUESTED, GRANTED) = range(3)

# --- The last times of a process in MPI, latest first --------------------------------------------

(STAY_ENTER, STAY_LEAVE, STAY_VISIT) = range(3)
STAY_COUNT: Final = 3
STAY_WIDTH: Final = 3

# --- Results -------------------------------------------------------------------------------------

(EVENT_LOCATION, EVENT_KIND, EVENT_TIME, EVENT_ARGUMENTS) = range(4)
EVENT_WIDTH: Final = EVENT_ARGUMENTS + 6

(
    WAIT_PROPERTY, WAIT_LOCATION, WAIT_VISIT, WAIT_PATH, WAIT_ENTER, WAIT_START, WAIT_NS,
    CAUSE_LOCATION, CAUSE_VISIT, CAUSE_ENTER, IS_BEYOND, WAIT_ROLE, WAIT_COMM, WAIT_ORDINAL,
) = range(14)  # fmt: skip
WAIT_WIDTH: Final = 14
(CERTAIN, CANDIDATE, MARK) = np.arange(3)
"""Roles of rows of waits. Waits for non-blocking collectives, identified by communicator and
ordinal, are candidates: a call waits for one of them. A mark changes the property of the late
sender of the same location and visit; its other columns are unused."""

PROPERTIES: Final = (
    "mpi_latesender", "mpi_lswo_same", "mpi_lswo_different", "mpi_latereceiver",
    "mpi_barrier_wait", "mpi_barrier_completion", "mpi_wait_nxn", "mpi_nxn_completion",
    "mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan", "mpi_init_completion",
    "mpi_finalize_wait", "mpi_rma_wait_at_create", "mpi_rma_wait_at_fence",
    "mpi_rma_wait_at_free", "omp_fork", "omp_ebarrier_wait", "omp_ibarrier_wait",
    "mpi_rma_early_fence", "mpi_rma_sync_late_post", "mpi_rma_comm_late_post",
    "mpi_rma_early_wait", "mpi_rma_late_complete", "mpi_rma_sync_lock_competition",
    "mpi_rma_comm_lock_competition", "mpi_rma_wait_for_progress",
    "omp_lock_contention_critical", "omp_lock_contention_api", "pthread_lock_contention_mutex_lock",
    "mpi_io_collective_wait",
)  # fmt: skip
(
    LATE_SENDER, WRONG_ORDER_SAME, WRONG_ORDER_DIFFERENT, LATE_RECEIVER, BARRIER_WAIT,
    BARRIER_COMPLETION, NXN_WAIT, NXN_COMPLETION, LATE_BROADCAST, EARLY_REDUCE, EARLY_SCAN,
    INIT_COMPLETION, FINALIZE_WAIT, CREATE_WAIT, FENCE_WAIT, FREE_WAIT, FORK_TIME,
    EXPLICIT_BARRIER_WAIT, IMPLICIT_BARRIER_WAIT, EARLY_FENCE, SYNC_LATE_POST, COMM_LATE_POST,
    EARLY_WAIT, LATE_COMPLETE, SYNC_LOCK_WAIT, COMM_LOCK_WAIT, PROGRESS_WAIT, LOCK_WAIT,
) = np.arange(28)  # fmt: skip
"""LOCK_WAIT is the first of three, one per kind of lock."""
FILE_WAIT: Final = np.int64(len(PROPERTIES) - 1)

(
    ON_ENTER, ON_LEAVE, ON_SEND, ON_ISEND, ON_ISEND_COMPLETE, ON_IRECV_REQUEST, ON_RECV, ON_IRECV,
    ON_COLLECTIVE_BEGIN, ON_COLLECTIVE_END, ON_REQUEST, ON_COMPLETE, ON_FORK, ON_JOIN,
    ON_TEAM_BEGIN, ON_TEAM_END, ON_WINDOW_CREATE, ON_WINDOW_DESTROY, ON_WINDOW_BEGIN, ON_WINDOW_END,
    ON_PUT, ON_GET, ON_LOCAL_COMPLETE, ON_REMOTE_COMPLETE, ON_ACQUIRE, ON_RELEASE, ON_FILE_OPEN,
    ON_FILE_CLOSE, ON_ACCESS_BEGIN, ON_ACCESS_END, ON_GROUP_SYNC, ON_LOCK, ON_UNLOCK, ON_ATOMIC,
) = np.array(
    [0, 1, 16, 17, 18, 19, 20, 21, 24, 25, 26, 27, 40, 41, 42, 43, 64, 65, 66, 67, 75, 76, 79, 81,
     58, 59, 96, 97, 102, 105, 68, 69, 72, 77]
)  # fmt: skip
"""Kinds of event records, as in tracemill.kernels.records."""

# --- The critical path ---------------------------------------------------------------------------

(
    STEP_VISIT, STEP_BEGIN, STEP_PATH, STEP_WAIT_NS, STEP_CAUSE, STEP_CAUSE_VISIT,
    STEP_CAUSE_ENTER,
) = range(7)  # fmt: skip
STEP_WIDTH: Final = 7
"""Waits after which the path continues elsewhere, sorted by location and visit."""

(SEGMENT_LOCATION, SEGMENT_BEGIN, SEGMENT_END, SEGMENT_PATH, SEGMENT_WAIT_NS) = range(5)
SEGMENT_WIDTH: Final = 5
"""Segments of the path; call path and length of the wait at their begin, if any."""

# --- Counters of the machine ---------------------------------------------------------------------

(
    EVENT_COUNT, WAIT_COUNT, MESSAGE_FREE, INSTANCE_FREE, HEAP_SIZE, ENDED_COUNT, SEED, HAS_EVENTS,
    HAS_TRUTH, HAS_NOISE, THREADS, OVERHEAD, LATENCY, NS_PER_KIB, EAGER_LIMIT, END_NS, MOST_EVENTS,
    MOST_WAITS, IS_EARLY, PENDING_COUNT, PENDING_EVER, MOST_PENDING,
) = range(22)  # fmt: skip
COUNTER_COUNT: Final = 22
"""IS_EARLY: messages up to the eager limit do not wait for their receiver. PENDING_COUNT transfers
need a channel; one step adds at most MOST_PENDING of them."""

State = namedtuple(
    "State",
    (
        "counters", "code", "processes", "visits", "slots", "messages", "instances", "members",
        "comm_sizes", "comm_ranks", "comm_members", "pointers", "heap", "remembered", "events",
        "waits", "factors", "first_functions", "team", "epochs", "locks", "stays", "pending",
        "schedules", "carries", "groups", "plans", "incoming", "group_states", "choices", "shares",
    ),
)  # fmt: skip
"""Arrays of the machine. `comm_ranks` (communicator, process) and `comm_members` (communicator,
rank) translate ranks. `pointers` (communicator, process) is the last instance called. `heap` holds
(time, process). `factors` (call path, process) scale computation, in ppm. `first_functions` is the
first call path that WORK calls below each call path, or NOBODY. `team` is scratch space for the
threads of one process. `epochs` and `locks` (window, rank) belong to windows, `stays` (process,
number) are the last times in MPI. `incoming` are carries by receiver, `group_states` are by
instance and group."""
