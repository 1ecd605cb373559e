"""Runs lists of instructions on processes, in the order of time.

The process or transfer with the earliest time comes next; at the same time what processes do comes
before transfers. A process that waits is queued again when the end of its wait is known.
"""

from typing import Any

from tracemill.kernels.compiled import kernel, unchecked
from tracemill.kernels.forecast.layout import (
    ACT,
    ALL_PAIRS,
    ASK_SEQUENCE,
    BYTES,
    CLASS_TIME,
    CLOCK,
    COMPUTE,
    COUNT,
    CURRENT,
    END,
    ENTER,
    FROM,
    INSUFFICIENT,
    INTERVAL,
    IS_CHARGED,
    IS_STARTED,
    KIND,
    LEAVE,
    LEFT,
    LIMIT,
    MARK,
    NEXT_SEQUENCE,
    NOBODY,
    NUMBER,
    OBJECT,
    ORDER,
    OVERHEAD,
    OWN,
    PC,
    PIPELINE,
    POINT_TASK,
    PRODUCTIVE,
    QUEUE_SIZE,
    RECEIVER,
    REGISTER,
    REPEAT,
    RING,
    ROUNDS,
    SEQUENCE,
    SHAPE,
    SIZE,
    START,
    START_NS,
    TARGET,
    TASK,
    TIME,
    TO,
    UNTIL,
    WAIT,
    WHOLE,
)
from tracemill.kernels.forecast.pipelines import has_turn, run_pipeline
from tracemill.kernels.forecast.points import act, run_point
from tracemill.kernels.forecast.queue import pop
from tracemill.kernels.forecast.records import own_record, process_count, whole_record
from tracemill.kernels.forecast.tables import (
    code_of,
    counters_of,
    entered_of,
    in_degrees_of,
    marks_of,
    operations_of,
    out_first_of,
    outs_of,
    parts_of,
    processes_of,
    progress_of,
    queue_of,
    records_of,
    spent_of,
    weights_of,
)
from tracemill.kernels.forecast.transferring import (
    has_room,
    push_round,
    push_to_all,
    release_parked,
    release_rounds,
    run_task,
    start_in_ring,
)
from tracemill.kernels.forecast.waiting import account, note_start, wait, wake_all
from tracemill.kernels.network.layout import STORAGE

DONE, STUCK, NEEDS_ROOM = range(3)


@unchecked
def awaited_sends(state: Any, operation: Any, process: Any) -> Any:
    """Number of transfers that a process starts and has to wait for."""
    described, limit = operations_of(state)[operation], counters_of(state)[LIMIT]
    is_long = described[SIZE] > limit
    if described[SHAPE] == RING:
        return described[ROUNDS] if is_long else 0
    if described[SHAPE] == ALL_PAIRS:
        return process_count(state) - 1 if is_long else 0
    outs, count = outs_of(state), 0
    first = out_first_of(state)[operation, process]
    for place in range(first, out_first_of(state)[operation, process + 1]):
        row = outs[place]
        if row[FROM] != STORAGE and (row[TO] == STORAGE or row[BYTES] > limit):
            count += 1
    return count


@unchecked
def start(state: Any, operation: Any, process: Any) -> None:
    """Start an operation: its transfers are started, and its receives asked for."""
    row, described = processes_of(state)[process], operations_of(state)[operation]
    now, code = row[CLOCK], row[PC]
    progress = progress_of(state)[operation, process]
    number = progress[NUMBER]
    progress[NUMBER] += 1
    record = own_record(state, operation, process, number)
    progress[CURRENT] = record
    own = records_of(state)[record]
    own[IS_STARTED], own[START_NS] = 1, now
    own[ASK_SEQUENCE] = counters_of(state)[NEXT_SEQUENCE]
    own[LEFT] += awaited_sends(state, operation, process)
    own[WHOLE] = whole_record(state, operation, number)
    note_start(records_of(state)[own[WHOLE]], now)
    release_parked(state, process, record, now)
    if described[SHAPE] == RING:
        start_in_ring(state, operation, process, number, code)
    elif described[SHAPE] == ALL_PAIRS:
        push_to_all(state, operation, process, number, code)
    else:
        push_round(state, operation, process, number, 0, now, code)
        if described[ROUNDS] > 1:
            release_rounds(state, operation, process, number, record, code)
    wake_all(state, operation, own[WHOLE])


@unchecked
def begin_operation(state: Any, operation: Any, process: Any) -> Any:
    """Pay the overhead and start an operation when it is the process's turn; whether it was."""
    if in_degrees_of(state)[operation, process] == NOBODY:
        return True
    row, overhead = processes_of(state)[process], counters_of(state)[OVERHEAD]
    if row[IS_CHARGED] == 0:
        row[IS_CHARGED] = 1
        row[CLOCK] += overhead
        account(state, row[PC], operation, CLASS_TIME, overhead)
    if not has_turn(state, process):
        return False
    row[IS_CHARGED] = 0
    start(state, operation, process)
    return True


@unchecked
def compute(state: Any, number: Any, process: Any) -> None:
    """Run a part of the program."""
    row = processes_of(state)[process]
    encoded = parts_of(state)[number, process]
    time, column = encoded >> 1, PRODUCTIVE if encoded & 1 else INSUFFICIENT
    row[CLOCK] += time
    interval = code_of(state)[row[PC], INTERVAL]
    spent_of(state)[interval, process, column] += weights_of(state)[row[PC]] * time


@unchecked
def leave(state: Any, interval: Any, process: Any) -> None:
    """Leave an interval."""
    row = processes_of(state)[process]
    time = row[CLOCK] - entered_of(state)[interval, process]
    spent_of(state)[interval, process, OWN] += weights_of(state)[row[PC]] * time


@unchecked
def run_process(state: Any, process: Any) -> None:
    """Run a process until it waits, ends, or another one comes before it."""
    code, row = code_of(state), processes_of(state)[process]
    while True:
        instruction = code[row[PC]]
        kind, thing = instruction[KIND], instruction[OBJECT]
        if kind == COMPUTE:
            compute(state, thing, process)
        elif kind == START:
            if not begin_operation(state, thing, process):
                return
        elif kind == WAIT:
            if in_degrees_of(state)[thing, process] != NOBODY:
                if not wait(state, process, thing):
                    return
                continue  # it is behind the instruction
        elif kind == PIPELINE:
            if not run_pipeline(state, thing, process):
                return
        elif kind == ENTER:
            entered_of(state)[thing, process] = row[CLOCK]
        elif kind == LEAVE:
            leave(state, thing, process)
        elif kind == MARK:
            marks_of(state)[thing, process] = row[CLOCK]
        elif kind == REPEAT:
            row[REGISTER + thing] += 1
            if row[REGISTER + thing] < instruction[COUNT]:
                row[PC] = instruction[TARGET]
                continue
            row[REGISTER + thing] = 0
        elif kind in (ACT, UNTIL):
            if not act(state, thing, process, kind == UNTIL, instruction[COUNT]):
                return
        else:
            return
        row[PC] += 1


@kernel
def run(state: Any, network: Any) -> Any:
    """Run all processes to the end; returns DONE, STUCK, or NEEDS_ROOM (enlarge the tables)."""
    queue, counters, processes = queue_of(state), counters_of(state), processes_of(state)
    count = process_count(state)
    while counters[QUEUE_SIZE] > 0:
        if not has_room(state):
            return NEEDS_ROOM
        first = queue[0]
        time, order, receiver = first[TIME], first[ORDER], first[RECEIVER]
        sequence, task = first[SEQUENCE], first[TASK]
        pop(state)
        if order < count:
            run_process(state, order)
        elif task <= POINT_TASK:
            run_point(state, network, POINT_TASK - task, time)
        else:
            run_task(state, network, time, sequence, receiver - 1, task)
    for process in range(count):
        if code_of(state)[processes[process, PC], KIND] != END:
            return STUCK
    return DONE
