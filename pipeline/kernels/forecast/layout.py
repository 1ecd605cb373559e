"""Columns and values of the tables of simulated processes.

Times are nanoseconds; all numbers count from 0. NOBODY means none.
"""

from collections import namedtuple
from typing import Any, Final

import numpy as np

NOBODY: Any = np.int64(-1)

# --- Instructions, of all processes or of each ----------------------------------------------------

(KIND, OBJECT, INTERVAL, TARGET, COUNT) = range(5)
INSTRUCTION_WIDTH: Final = 5
(END, COMPUTE, START, WAIT, PIPELINE, ENTER, LEAVE, MARK, REPEAT, ACT, UNTIL) = range(11)
"""OBJECT is a part for COMPUTE, an operation for START, WAIT and PIPELINE, an interval for ENTER
and LEAVE, a row of marks for MARK, a register for REPEAT, which jumps to TARGET COUNT times in
total, a point for ACT and UNTIL: ACT waits for it and takes COUNT ns, UNTIL lasts until the time
COUNT. INTERVAL is the innermost interval."""

# --- Operations ----------------------------------------------------------------------------------

(
    SHAPE, CLASS, MEMBERS, IS_COMMON, IS_NONBLOCKING, ROUNDS, SIZE, TRANSFER_COUNT, PIPE,
    FIRST_EDGE, EDGES, HAS_ALONG, IS_SHORT,
) = range(13)  # fmt: skip
OPERATION_WIDTH: Final = 13
(LISTED, RING, ALL_PAIRS, EDGE, PIPELINED) = range(5)
"""Shapes. LISTED has its transfers in `outs`, RING the next member. An EDGE of a pipelined loop is
an operation of its own: a message per step. PIPELINED is number PIPE of `pipes`; its edges are the
operations from FIRST_EDGE on, the last along the steps if HAS_ALONG. IS_SHORT: only some processes
and steps are simulated."""

(FROM, TO, BYTES, ROUND) = range(4)
"""Columns of `outs`: transfers by the process that starts them, in order of rounds."""

(PREDECESSOR, SUCCESSOR, EDGE_SIZE, LAST_SIZE, FED, FEEDER, FIRST, POSITION) = range(8)
EDGE_WIDTH: Final = 8
"""Edges of a process. If FED is a process, the messages of its predecessor FEEDER at POSITION are
extrapolated from those of this process, at position 2, and of FIRST at position 1."""

(STEPS, STEP_NS, LAST_NS, IS_PRODUCTIVE) = range(4)
PIPE_WIDTH: Final = 4

# --- Processes -----------------------------------------------------------------------------------

(
    CLOCK, PC, IS_CHARGED, NEXT_WAITER, PENDING, WAKE_NS, PHASE, STEP, ENTER_NS, WORK_NS,
    SECOND_NS, OUT_PENDING, OUT_NS, REGISTER,
) = range(14)  # fmt: skip
"""IS_CHARGED: the overhead of the next start is paid. PENDING messages are awaited in a step, the
last known ends at WAKE_NS. SECOND_NS is the end of the second step. OUT_PENDING long messages are
not sent yet, the last known ends at OUT_NS. Registers of loops follow."""
(OUTSIDE, ASKING, COMPUTING, SENDING, LEAVING) = range(5)
"""Phases of a process in a pipelined loop."""

(NUMBER, CURRENT) = range(2)
(ASKED, SENT) = range(2)
"""Columns of `progress` (operation, process): executions started, and the record of the last one;
of an edge messages asked for and sent."""

# --- Records: an execution of an operation by one process, or by all ------------------------------

(
    KEY_PLACE, KEY_NUMBER, NEXT, LEFT, LATEST, IS_STARTED, START_NS, IS_WAITING, WHOLE, PARKED,
    CURSOR, PREFIX_NS, ASK_SEQUENCE, ROUND_TABLE,
) = range(14)  # fmt: skip
"""LEFT transfers must end before the operation is over, the last known ends at LATEST. PARKED
chains tasks that wait for the process to ask. CURSOR is the round whose sends are released,
PREFIX_NS the end of all receives of lower rounds, ASK_SEQUENCE the place of the start among all
entries of the queue. Then for each round: receives left and latest end."""
(
    STARTS, REFERENCE_NS, START_SUM, START_LATEST, LEAVES, LEAVE_SUM, LEAVE_LATEST, FIRST_WAITER,
) = range(5, 13)  # fmt: skip
"""Columns of the record of all processes from the sixth on. Sums are relative to REFERENCE_NS."""

# --- Tasks: transfers that are ready at a time, or will be asked for ------------------------------

(TASK_OPERATION, TASK_STARTER, TASK_NUMBER, TASK_PLACE, TASK_SIZE, TASK_KIND, TASK_CODE) = range(7)
(TASK_READY, TASK_NEXT) = range(7, 9)
TASK_WIDTH: Final = 9
(BATCH, ONE) = range(2)
"""TASK_PLACE is a row of `outs` (a BATCH goes on with those after it in its round), a round of a
ring, or a receiver of ALL_PAIRS. TASK_CODE is the instruction, for its weight. TASK_READY is when a
transfer would be ready if its receiver had asked for it."""

(TIME, ORDER, RECEIVER, SEQUENCE, TASK) = range(5)
QUEUE_WIDTH: Final = 5
"""The queue is a heap in this order. ORDER is a process, or the number of processes + 1 + the
sender of a transfer; RECEIVER is the receiver + 1."""

# --- Points: moments that wait for others ---------------------------------------------------------

(
    POINT_KIND, MISSING, LATEST_NS, CAUSE, WAITER, READY_NS, END_NS, SENDER, RECEIVING, POINT_SIZE,
    FIRST_FOLLOWER,
) = range(11)  # fmt: skip
POINT_WIDTH: Final = 11
(ACTION, MEETING, TRANSFER) = range(3)
"""An ACTION is the end of a step of a process, a MEETING takes no time, a TRANSFER takes a channel.
A point has happened at END_NS. MISSING others have not happened yet; the last one that did is
CAUSE, at LATEST_NS. WAITER is the process that is stopped there. The followers of a point are in
`followers`; the last row of `points` has only FIRST_FOLLOWER."""
POINT_TASK: Final = -2
"""A meeting or transfer in the queue has the task POINT_TASK - its number."""

# --- Results --------------------------------------------------------------------------------------

(OWN, PRODUCTIVE, INSUFFICIENT) = range(3)
(CLASS_COUNT, CLASS_TIME, CLASS_OVERLAP, CLASS_BEFORE, CLASS_AFTER) = range(5)

(
    QUEUE_SIZE, NEXT_SEQUENCE, FREE_RECORD, RECORDS_LEFT, FREE_TASK, TASKS_LEFT, LIMIT, OVERHEAD,
    MARGIN,
) = range(9)  # fmt: skip
COUNTER_COUNT: Final = 9
"""MARGIN is the number of records and tasks that one step may need."""

Tables = namedtuple(
    "Tables",
    (
        "counters", "code", "operations", "outs", "out_first", "in_rounds", "in_first",
        "in_degrees", "parts", "edges", "pipes", "sent", "processes", "progress", "entered",
        "marks", "buckets", "records", "tasks", "queue", "weights", "spent", "classes",
        "points", "followers",
    ),
)  # fmt: skip
"""`out_first` and `in_first` (operation, process) are the first rows of a process in `outs` and
`in_rounds`. `in_degrees` counts what a process receives in an operation, NOBODY if it takes no
part. `parts` (part, process) is twice the time, plus 1 if it is productive. `sent` has the times of
the last four messages of an edge. `spent` (interval, process) and `classes` (interval, class) are
the results, `weights` (instruction) how often they count."""
