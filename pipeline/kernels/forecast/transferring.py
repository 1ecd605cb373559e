"""Transfers: when they are ready, what they get, and what follows from their ends."""

from typing import Any

from tracemill.kernels.addressed import part
from tracemill.kernels.forecast.layout import (
    ALL_PAIRS,
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

_MARGIN = 128
"""One step adds a few records, and a task per round: twice the logarithm of the processes."""


@part
def order_of(state: Any, sender: Any) -> Any:
    """Order of transfers of a sender in the queue: after all processes, storage first."""
    return process_count(state) + 1 + sender


@part
def push_task(
    state: Any, ready: Any, sender: Any, receiver: Any, operation: Any, starter: Any, number: Any,
    place: Any, size: Any, kind: Any, code: Any,
) -> None:  # fmt: skip
    """Add a transfer that is ready at a time, or a batch that begins with it."""
    task = new_task(state)
    row = tasks_of(state)[task]
    row[TASK_OPERATION], row[TASK_STARTER], row[TASK_NUMBER] = operation, starter, number
    row[TASK_PLACE], row[TASK_SIZE], row[TASK_KIND], row[TASK_CODE] = place, size, kind, code
    push(state, ready, order_of(state, sender), receiver + 1, task)


@part
def push_round(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, ready: Any, code: Any
) -> None:  # fmt: skip
    """Add what a process sends in a round of an operation."""
    outs = outs_of(state)
    place = out_first_of(state)[operation, process]
    end = out_first_of(state)[operation, process + 1]
    while place < end and outs[place, ROUND] < round_:
        place += 1
    if place < end and outs[place, ROUND] == round_:
        push_task(
            state, ready, outs[place, FROM], outs[place, TO], operation, process, number, place,
            outs[place, BYTES], BATCH, code,
        )  # fmt: skip


@part
def push_in_ring(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, ready: Any, code: Any
) -> None:  # fmt: skip
    """Add what a process sends to the next one in a round of a ring."""
    receiver = outs_of(state)[out_first_of(state)[operation, process], TO]
    push_task(
        state, ready, process, receiver, operation, process, number, round_,
        operations_of(state)[operation, SIZE], ONE, code,
    )  # fmt: skip


@part
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


@part
def held_place(state: Any, operation: Any, process: Any) -> Any:
    """First key of records of what a member of a ring received before it could send it on."""
    count = operations_of(state).shape[0]
    return (operation + count) * (process_count(state) + 1) + process


@part
def arrive_in_ring(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, record: Any, end: Any,
    code: Any,
) -> None:  # fmt: skip
    """Send on what arrived, or keep it until what comes before it is sent."""
    rounds = operations_of(state)[operation, ROUNDS]
    if round_ + 1 == rounds:
        return
    row = records_of(state)[record]
    if row[IS_STARTED] != 0 and row[CURSOR] == round_ + 1:
        ready = max(row[START_NS], end)
        push_in_ring(state, operation, process, number, round_ + 1, ready, code)
    else:
        held = add(state, held_place(state, operation, process), number * rounds + round_)
        records_of(state)[held, LATEST] = end


@part
def go_on_in_ring(
    state: Any, operation: Any, process: Any, number: Any, round_: Any, code: Any
) -> None:  # fmt: skip
    """After a member sent in a round: send in the next one if it received what it needs."""
    rounds = operations_of(state)[operation, ROUNDS]
    row = records_of(state)[own_record(state, operation, process, number)]
    row[CURSOR] = round_ + 1
    held = find(state, held_place(state, operation, process), number * rounds + round_)
    if held != NOBODY:
        ready = max(row[START_NS], records_of(state)[held, LATEST])
        drop(state, held)
        push_in_ring(state, operation, process, number, round_ + 1, ready, code)


@part
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


@part
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


@part
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


@part
def carry(
    state: Any, network: Any, task: Any, sender: Any, receiver: Any, size: Any, round_: Any,
    ready: Any,
) -> None:  # fmt: skip
    """Give a transfer its channel, and tell both sides its end."""
    row = tasks_of(state)[task]
    operation, number, code = row[TASK_OPERATION], row[TASK_NUMBER], row[TASK_CODE]
    end = transfer(network, sender, receiver, size, ready, weights_of(state)[code])
    described = operations_of(state)[operation]
    if described[SHAPE] == RING and round_ + 1 < described[ROUNDS]:
        go_on_in_ring(state, operation, sender, number, round_, code)
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


@part
def must_park(
    state: Any, operation: Any, sender: Any, receiver: Any, number: Any, size: Any
) -> Any:  # fmt: skip
    """The record of a receiver that a long transfer has to wait for, or NOBODY."""
    if size <= counters_of(state)[LIMIT] or sender == STORAGE or receiver == STORAGE:
        return NOBODY
    record = own_record(state, operation, receiver, number)
    return NOBODY if records_of(state)[record, IS_STARTED] != 0 else record


@part
def park(state: Any, task: Any, place: Any, size: Any, record: Any) -> None:
    """Keep a transfer of a task until its receiver asks for it."""
    given, row = tasks_of(state)[task], new_task(state)
    parked = tasks_of(state)[row]
    parked[TASK_OPERATION], parked[TASK_STARTER] = given[TASK_OPERATION], given[TASK_STARTER]
    parked[TASK_NUMBER], parked[TASK_CODE] = given[TASK_NUMBER], given[TASK_CODE]
    parked[TASK_PLACE], parked[TASK_SIZE], parked[TASK_KIND] = place, size, ONE
    parked[TASK_NEXT] = records_of(state)[record, PARKED]
    records_of(state)[record, PARKED] = row


@part
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
        push(state, now, order_of(state, starter), process + 1, previous)
        previous = after


@part
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
        waiting = must_park(state, operation, sender, receiver, number, size)
        if waiting != NOBODY:
            park(state, task, row[TASK_PLACE], size, waiting)
        else:
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


@part
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


@part
def has_room(state: Any) -> Any:
    """Whether there are records and tasks for whatever one step may need."""
    counters = counters_of(state)
    return counters[RECORDS_LEFT] >= _MARGIN and counters[TASKS_LEFT] >= _MARGIN
