"""The simulated machine: runs the instructions of all processes in the order of time.

The process with the earliest time runs next, so all earlier actions of others are done. A call
without a known end is scheduled later, by what releases it. Transfers get their channels in the
order in which they are ready; at the same time, what processes do comes first.
"""

from typing import Any

from tracemill.kernels.compiled import kernel, unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation import tables
from tracemill.kernels.simulation.branches import choose
from tracemill.kernels.simulation.calls import begin_call, end_call, start_call
from tracemill.kernels.simulation.carrying import carry_next
from tracemill.kernels.simulation.computation import run_team, work
from tracemill.kernels.simulation.recording import enter, leave, location_of
from tracemill.kernels.simulation.schedule import pop, push

DONE_ALL, STUCK, NEEDS_ROOM = range(3)


@unchecked
def has_room(state: Any) -> Any:
    """Whether the tables have room for the results of one more instruction."""
    counters = tables.counters_of(state)
    message, instance = counters[at.MESSAGE_FREE], counters[at.INSTANCE_FREE]
    if message == at.NOBODY or tables.messages_of(state)[message, at.NEXT] == at.NOBODY:
        return False
    if instance == at.NOBODY or tables.instances_of(state)[instance, at.INSTANCE_NEXT] == at.NOBODY:
        return False
    if counters[at.PENDING_COUNT] + counters[at.MOST_PENDING] > tables.pending_of(state).shape[0]:
        return False
    return (
        counters[at.EVENT_COUNT] + counters[at.MOST_EVENTS] <= tables.events_of(state).shape[0]
        and counters[at.WAIT_COUNT] + counters[at.MOST_WAITS] <= tables.waits_of(state).shape[0]
    )


@unchecked
def run_instruction(state: Any, process: Any, now: Any) -> Any:
    """Run one instruction; returns the time of the next one (ns), or NOBODY for calls."""
    code, row = tables.code_of(state), tables.processes_of(state)[process]
    op = row[at.PC]
    kind = code[op, at.CODE]
    row[at.PC] = op + 1
    if kind == at.ENTER_REGION:
        enter(state, location_of(state, process), code[op, at.PATH], now)
    elif kind == at.LEAVE_REGION:
        leave(state, location_of(state, process), code[op, at.PATH], now)
    elif kind == at.WORK:
        return work(state, process, now, op)
    elif kind == at.LOOP:
        register = at.REGISTER + code[op, at.SLOT]
        row[register] += 1
        if row[register] < code[op, at.AMOUNT]:
            row[at.PC] = code[op, at.TARGET]
        else:
            row[register] = 0
    elif kind == at.JUMP:
        row[at.PC] = code[op, at.TARGET]
    elif kind == at.JUMP_IF_TAG:
        if row[at.LAST_TAG] == code[op, at.TAG]:
            row[at.PC] = code[op, at.TARGET]
    elif kind == at.BRANCH:
        row[at.PC] += choose(state, process, op)
    elif kind == at.TEAM:
        return run_team(state, process, now, op)
    elif kind == at.END:
        row[at.STATE] = at.ENDED
        tables.counters_of(state)[at.ENDED_COUNT] += 1
        tables.counters_of(state)[at.END_NS] = max(tables.counters_of(state)[at.END_NS], now)
        return at.NOBODY
    else:
        begin_call(state, process, now, op)
        return at.NOBODY
    return now


@kernel
def run(state: Any, network: Any) -> Any:
    """Run all processes; returns DONE_ALL, STUCK (deadlock) or NEEDS_ROOM (empty the tables)."""
    counters, heap = tables.counters_of(state), tables.heap_of(state)
    pending = tables.pending_of(state)
    while counters[at.HEAP_SIZE] > 0 or counters[at.PENDING_COUNT] > 0:
        if not has_room(state):
            return NEEDS_ROOM
        if counters[at.PENDING_COUNT] > 0 and (
            counters[at.HEAP_SIZE] == 0 or pending[0, at.PENDING_READY] < heap[0, 0]
        ):
            carry_next(state, network)
            continue
        now, process = heap[0, 0], heap[0, 1]
        pop(heap, counters)
        if tables.processes_of(state)[process, at.STATE] == at.STARTING:
            start_call(state, process, now)
            continue
        if tables.processes_of(state)[process, at.STATE] == at.IN_CALL:
            end_call(state, process, now)
        later = run_instruction(state, process, now)
        if later != at.NOBODY:
            push(heap, counters, later, process)
    is_done = counters[at.ENDED_COUNT] == tables.processes_of(state).shape[0]
    return DONE_ALL if is_done else STUCK
