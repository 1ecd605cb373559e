"""The simulated machine: every process runs its program, the one that is earliest in time first.

Whatever a process does at a time is done after all that others did before, so that it meets the
world as it is then. A call that cannot be left yet is left to those who will release it.
"""

from typing import Any

from tracemill.kernels.compiled import kernel
from tracemill.kernels.simulation.calls import begin_call, end_call
from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.computation import run_team, work
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    CODE,
    END,
    END_NS,
    ENDED,
    ENDED_COUNT,
    ENTER_REGION,
    EVENT_COUNT,
    HEAP_SIZE,
    IN_CALL,
    INSTANCE_FREE,
    INSTANCE_NEXT,
    JUMP,
    JUMP_IF_TAG,
    LAST_TAG,
    LEAVE_REGION,
    LOOP,
    MESSAGE_FREE,
    MOST_EVENTS,
    MOST_WAITS,
    NEXT,
    NOBODY,
    PATH,
    PC,
    REGISTER,
    SLOT,
    STATE,
    TAG,
    TARGET,
    TEAM,
    WAIT_COUNT,
    WORK,
)
from tracemill.kernels.simulation.recording import enter, leave, location_of
from tracemill.kernels.simulation.schedule import pop, push
from tracemill.kernels.simulation.tables import (
    code_of,
    counters_of,
    events_of,
    heap_of,
    instances_of,
    messages_of,
    processes_of,
    waits_of,
)

DONE_ALL, STUCK, NEEDS_ROOM = range(3)


@part
def has_room(state: Any) -> Any:
    """Whether one more step surely finds room for what it makes."""
    counters = counters_of(state)
    message, instance = counters[MESSAGE_FREE], counters[INSTANCE_FREE]
    if message == NOBODY or messages_of(state)[message, NEXT] == NOBODY:
        return False
    if instance == NOBODY or instances_of(state)[instance, INSTANCE_NEXT] == NOBODY:
        return False
    return (
        counters[EVENT_COUNT] + counters[MOST_EVENTS] <= events_of(state).shape[0]
        and counters[WAIT_COUNT] + counters[MOST_WAITS] <= waits_of(state).shape[0]
    )


@part
def run_instruction(state: Any, process: Any, now: Any) -> Any:
    """Run one instruction outside of any call; returns when the next one can be run, or NOBODY."""
    code, row = code_of(state), processes_of(state)[process]
    at = row[PC]
    kind = code[at, CODE]
    row[PC] = at + 1
    if kind == ENTER_REGION:
        enter(state, location_of(state, process), code[at, PATH], now)
    elif kind == LEAVE_REGION:
        leave(state, location_of(state, process), code[at, PATH], now)
    elif kind == WORK:
        return work(state, process, now, at)
    elif kind == LOOP:
        register = REGISTER + code[at, SLOT]
        row[register] += 1
        if row[register] < code[at, AMOUNT]:
            row[PC] = code[at, TARGET]
        else:
            row[register] = 0
    elif kind == JUMP:
        row[PC] = code[at, TARGET]
    elif kind == JUMP_IF_TAG:
        if row[LAST_TAG] == code[at, TAG]:
            row[PC] = code[at, TARGET]
    elif kind == TEAM:
        return run_team(state, process, now, at)
    elif kind == END:
        row[STATE] = ENDED
        counters_of(state)[ENDED_COUNT] += 1
        counters_of(state)[END_NS] = max(counters_of(state)[END_NS], now)
        return NOBODY
    else:
        begin_call(state, process, now, at)
        return NOBODY
    return now


@kernel
def run(state: Any) -> Any:
    """Run all processes until they end, nobody can go on, or results have to be taken away."""
    counters, heap = counters_of(state), heap_of(state)
    while counters[HEAP_SIZE] > 0:
        if not has_room(state):
            return NEEDS_ROOM
        now, process = heap[0, 0], heap[0, 1]
        pop(heap, counters)
        if processes_of(state)[process, STATE] == IN_CALL:
            end_call(state, process, now)
        later = run_instruction(state, process, now)
        if later != NOBODY:
            push(heap, counters, later, process)
    is_done = counters[ENDED_COUNT] == processes_of(state).shape[0]
    return DONE_ALL if is_done else STUCK
