"""Transfers: when they are ready, what they get, and what follows from their ends."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.forecast.layout import (
    ALL_PAIRS,
    ASK_SEQUENCE,
    BATCH,
    BYTES,
    CLOCK,
    CURSOR,
    EDGE,
    FROM,
    IS_COMMON,
    IS_STARTED,
    IS_WAITING,
    LATEST,
    LEAVING,
    LEFT,
    LIMIT,
    LISTED,
    MARGIN,
    NOBODY,
    ONE,
    OUT_NS,
    OUT_PENDING,
    PARKED,
    PENDING,
    PHASE,
    PIPE,
    PREFIX_NS,
    RECORDS_LEFT,
    RING,
    ROUND,
    ROUND_TABLE,
    ROUNDS,
    SHAPE,
    SIZE,
    START_NS,
    STEPS,
    TASK_CODE,
    TASK_KIND,
    TASK_NEXT,
    TASK_NUMBER,
    TASK_OPERATION,
    TASK_PLACE,
    TASK_READY,
    TASK_SIZE,
    TASK_STARTER,
    TASKS_LEFT,
    TO,
    WAKE_NS,
)
from tracemill.kernels.forecast.queue import is_next, push, push_again, push_process
from tracemill.kernels.forecast.records import (
    add,
    drop,
    drop_task,
    find,
    new_task,
    own_record,
    process_count,
    whole_record,
)
from tracemill.kernels.forecast.tables import (
    counters_of,
    operations_of,
    out_first_of,
    outs_of,
    pipes_of,
    processes_of,
    records_of,
    tasks_of,
    weights_of,
)
from tracemill.kernels.forecast.waiting import wake_all, wake_one
from tracemill.kernels.network.layout import STORAGE
from tracemill.kernels.network.transfers import transfer


@unchecked
def order_of(state: Any, sender: Any) -> Any:
    """Order of transfers of a sender in the queue: after all processes, storage first."""
    return process_count(state) + 1 + sender


@unchecked
def is_long(state: Any, sender: Any, receiver: Any, size: Any) -> Any:
    """Whether a transfer waits for its receiver, and its sender for it."""
    return size > counters_of(state)[LIMIT] and sender != STORAGE and receiver != STORAGE


@unchecked
def make_task(
    state: Any, ready: Any, operation: Any, starter: Any, number: Any, place: Any, size: Any,
    kind: Any, code: Any,
) -> Any:  # fmt: skip
    """A new task."""
    task = new_task(state)
    row = tasks_of(state)[task]
    row[TASK_OPERATION], row[TASK_STARTER], row[TASK_NUMBER] = operation, starter, number
    row[TASK_PLACE], row[TASK_SIZE], row[TASK_KIND] = place, size, kind
    row[TASK_CODE], row[TASK_READY] = code, ready
    return task


@unchecked
def park(
    state: Any, ready: Any, receiver: Any, operation: Any, starter: Any, number: Any, place: Any,
    size: Any, code: Any,
) -> Any:  # fmt: skip
    """Keep a long transfer until its receiver asks for it; whether it has to wait for that."""
    if not is_long(state, starter, receiver, size):
        return False
    record = own_record(state, operation, receiver, number)
    row = records_of(state)[record]
    if row[IS_STARTED] != 0:
        return False
    task = make_task(state, ready, operation, starter, number, place, size, ONE, code)
    tasks_of(state)[task, TASK_NEXT] = row[PARKED]
    row[PARKED] = task
    return True


@unchecked
def push_one(
    state: Any, ready: Any, sender: Any, receiver: Any, operation: Any, number: Any, place: Any,
    size: Any, code: Any,
) -> None:  # fmt: skip
    """Add a transfer between processes that is ready at a time."""
    if not park(state, ready, receiver, operation, sender, number, place, size, code):
        task = make_task(state, ready, operation, sender, number, place, size, ONE, code)
        push(state, ready, order_of(state, sender), receiver + 1, task)


@unchecked
def push_to_all(state: Any, operation: Any, process: Any, number: Any, code: Any) -> None:
    """Add what a process sends to all others."""
    now, size = processes_of(state)[process, CLOCK], operations_of(state)[operation, SIZE]
    first = 1 if process == 0 else 0
    if size > counters_of(state)[LIMIT]:
        for receiver in range(process_count(state)):
            if receiver != process:
                park(state, now, receiver, operation, process, number, receiver, size, code)
    task = make_task(state, now, operation, process, number, first, size, BATCH, code)
    push(state, now, order_of(state, process), first + 1, task)


@unchecked
def push_round(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, ready: Any, code: Any
) -> None:  # fmt: skip
    """Add what a process sends in a round of an operation."""
    outs = outs_of(state)
    place = out_first_of(state)[operation, process]
    end = out_first_of(state)[operation, process + 1]
    while place < end and outs[place, ROUND] < round_:
        place += 1
    if place == end or outs[place, ROUND] != round_:
        return
    task = make_task(state, ready, operation, process, number, place, 0, BATCH, code)
    push(state, ready, order_of(state, outs[place, FROM]), outs[place, TO] + 1, task)
    while place < end and outs[place, ROUND] == round_:
        row = outs[place]
        if row[FROM] != STORAGE:
            park(state, ready, row[TO], operation, process, number, place, row[BYTES], code)
        place += 1


@unchecked
def push_in_ring(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, ready: Any, code: Any
) -> None:  # fmt: skip
    """Add what a process sends to the next one in a round of a ring."""
    receiver = outs_of(state)[out_first_of(state)[operation, process], TO]
    size = operations_of(state)[operation, SIZE]
    push_one(state, ready, process, receiver, operation, number, round_, size, code)


@unchecked
def release_rounds(
    state: Any, operation: Any, process: Any, number: Any, record: Any, code: Any
) -> None:
    """Add what a process sends in the rounds for which it has all it needs."""
    row = records_of(state)[record]
    last = operations_of(state)[operation, ROUNDS] - 1
    while row[CURSOR] < last and row[ROUND_TABLE + 2 * row[CURSOR]] == 0:
        row[PREFIX_NS] = max(row[PREFIX_NS], row[ROUND_TABLE + 2 * row[CURSOR] + 1])
        row[CURSOR] += 1
        ready = max(row[START_NS], row[PREFIX_NS])
        push_round(state, operation, process, number, row[CURSOR], ready, code)


# --- Ends -----------------------------------------------------------------------------------------


@unchecked
def held_place(state: Any, operation: Any, process: Any) -> Any:
    """First key of records of what a member of a ring received before it could send it on."""
    count = operations_of(state).shape[0]
    return (operation + count) * (process_count(state) + 1) + process


@unchecked
def arrive_in_ring(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, record: Any, end: Any,
    code: Any,
) -> None:  # fmt: skip
    """Send on what arrived, or keep it until the process has started."""
    rounds = operations_of(state)[operation, ROUNDS]
    if round_ + 1 == rounds:
        return
    row = records_of(state)[record]
    if row[IS_STARTED] != 0:
        ready = max(row[START_NS], end)
        push_in_ring(state, operation, process, number, round_ + 1, ready, code)
    else:
        held = add(state, held_place(state, operation, process), number * rounds + round_)
        records_of(state)[held, LATEST] = end


@unchecked
def start_in_ring(state: Any, operation: Any, process: Any, number: Any, code: Any) -> None:
    """Send in the first round, and in those for which the process has what it needs."""
    now, rounds = processes_of(state)[process, CLOCK], operations_of(state)[operation, ROUNDS]
    push_in_ring(state, operation, process, number, 0, now, code)
    for round_ in range(rounds - 1):
        held = find(state, held_place(state, operation, process), number * rounds + round_)
        if held != NOBODY:
            ready = max(now, records_of(state)[held, LATEST])
            drop(state, held)
            push_in_ring(state, operation, process, number, round_ + 1, ready, code)


@unchecked
def arrive(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, end: Any, code: Any
) -> None:  # fmt: skip
    """Note the end of a transfer at its receiver."""
    record = own_record(state, operation, process, number)
    row, described = records_of(state)[record], operations_of(state)[operation]
    row[LEFT] -= 1
    row[LATEST] = max(row[LATEST], end)
    if described[SHAPE] == RING:
        arrive_in_ring(state, operation, process, number, round_, record, end, code)
    elif described[SHAPE] == LISTED and described[ROUNDS] > 1:
        place = ROUND_TABLE + 2 * round_
        row[place] -= 1
        row[place + 1] = max(row[place + 1], end)
        if row[IS_STARTED] != 0:
            release_rounds(state, operation, process, number, record, code)
    if described[SHAPE] == EDGE:
        arrive_at_edge(state, process, record)
    elif described[IS_COMMON] == 0:
        wake_one(state, process, record)


@unchecked
def arrive_at_edge(state: Any, process: Any, record: Any) -> None:
    """Let a process go on that waits for the edges of a step and has all of them."""
    own, row = records_of(state)[record], processes_of(state)[process]
    if own[IS_WAITING] == 0:
        return
    row[PENDING] -= 1
    row[WAKE_NS] = max(row[WAKE_NS], own[LATEST])
    drop(state, record)
    if row[PENDING] == 0:
        row[CLOCK] = max(row[CLOCK], row[WAKE_NS])
        push_process(state, process, row[CLOCK])


@unchecked
def note_sent(state: Any, operation: Any, process: Any, number: Any, end: Any) -> None:
    """Note the end of a transfer that its sender waits for."""
    described = operations_of(state)[operation]
    if described[SHAPE] == EDGE:
        if pipes_of(state)[described[PIPE], process, STEPS] == 0:
            return  # not simulated
        row = processes_of(state)[process]
        row[OUT_PENDING] -= 1
        row[OUT_NS] = max(row[OUT_NS], end)
        if row[PHASE] == LEAVING and row[OUT_PENDING] == 0:
            push_process(state, process, row[CLOCK])
        return
    record = own_record(state, operation, process, number)
    own = records_of(state)[record]
    own[LEFT] -= 1
    own[LATEST] = max(own[LATEST], end)
    if described[IS_COMMON] == 0:
        wake_one(state, process, record)


@unchecked
def carry(
    state: Any, network: Any, task: Any, sender: Any, receiver: Any, size: Any, round_: Any,
    ready: Any,
) -> None:  # fmt: skip
    """Give a transfer its channel, and tell both sides its end."""
    row = tasks_of(state)[task]
    operation, number, code = row[TASK_OPERATION], row[TASK_NUMBER], row[TASK_CODE]
    end = transfer(network, sender, receiver, size, ready, weights_of(state)[code])
    described = operations_of(state)[operation]
    if described[IS_COMMON] != 0:
        record = whole_record(state, operation, number)
        whole = records_of(state)[record]
        whole[LEFT] -= 1
        whole[LATEST] = max(whole[LATEST], end)
    if receiver != STORAGE:
        arrive(state, operation, receiver, number, round_, end, code)
    if sender != STORAGE and (receiver == STORAGE or size > counters_of(state)[LIMIT]):
        note_sent(state, operation, sender, number, end)
    if described[IS_COMMON] != 0:
        wake_all(state, operation, record)


# --- Readiness ------------------------------------------------------------------------------------


@unchecked
def was_asked_for(
    state: Any, operation: Any, receiver: Any, number: Any, sequence: Any
) -> Any:  # fmt: skip
    """Whether a receiver had asked for a long transfer when the task of that sequence was added.

    Otherwise the transfer was parked and is a task of its own.
    """
    row = records_of(state)[own_record(state, operation, receiver, number)]
    return row[IS_STARTED] != 0 and row[ASK_SEQUENCE] <= sequence


@unchecked
def release_parked(state: Any, process: Any, record: Any, now: Any) -> None:
    """Add the long transfers that waited for this process to ask, the first one found first."""
    tasks, previous = tasks_of(state), NOBODY
    task = records_of(state)[record, PARKED]
    while task != NOBODY:
        after = tasks[task, TASK_NEXT]
        tasks[task, TASK_NEXT] = previous
        previous, task = task, after
    records_of(state)[record, PARKED] = NOBODY
    while previous != NOBODY:
        after = tasks[previous, TASK_NEXT]
        starter = tasks[previous, TASK_STARTER]
        ready = max(now, tasks[previous, TASK_READY])
        push(state, ready, order_of(state, starter), process + 1, previous)
        previous = after


@unchecked
def run_task(state: Any, network: Any, ready: Any, sequence: Any, receiver: Any, task: Any) -> None:
    """Carry the transfers of a task, as long as none of others comes before them."""
    row = tasks_of(state)[task]
    operation, starter, number = row[TASK_OPERATION], row[TASK_STARTER], row[TASK_NUMBER]
    shape = operations_of(state)[operation, SHAPE]
    sender, size, round_ = starter, row[TASK_SIZE], row[TASK_PLACE]
    outs = outs_of(state)
    while True:
        if shape == LISTED:
            listed = outs[row[TASK_PLACE]]
            sender, receiver = listed[FROM], listed[TO]
            size, round_ = listed[BYTES], listed[ROUND]
        if not is_long(state, sender, receiver, size) or was_asked_for(
            state, operation, receiver, number, sequence
        ):
            carry(state, network, task, sender, receiver, size, round_, ready)
        if row[TASK_KIND] == ONE or not has_more(state, task):
            drop_task(state, task)
            return
        row[TASK_PLACE] += 1
        if shape == ALL_PAIRS:
            row[TASK_PLACE] += row[TASK_PLACE] == starter
            receiver = row[TASK_PLACE]
            after, to = starter, receiver
        else:
            after, to = outs[row[TASK_PLACE], FROM], outs[row[TASK_PLACE], TO]
        order = order_of(state, after)
        if not has_room(state) or not is_next(state, ready, order, to + 1, sequence):
            push_again(state, ready, order, to + 1, sequence, task)
            return


@unchecked
def has_more(state: Any, task: Any) -> Any:
    """Whether a batch goes on after its place."""
    row = tasks_of(state)[task]
    operation, starter, place = row[TASK_OPERATION], row[TASK_STARTER], row[TASK_PLACE]
    if operations_of(state)[operation, SHAPE] == ALL_PAIRS:
        last = process_count(state) - 1
        return place < (last if starter != last else last - 1)
    outs = outs_of(state)
    return (
        place + 1 < out_first_of(state)[operation, starter + 1]
        and outs[place + 1, ROUND] == outs[place, ROUND]
    )


@unchecked
def has_room(state: Any) -> Any:
    """Whether there are records and tasks for whatever one step may need."""
    counters = counters_of(state)
    return min(counters[RECORDS_LEFT], counters[TASKS_LEFT]) >= counters[MARGIN]
