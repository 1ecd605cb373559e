"""Being released: when a process can leave the call it is in, if that is known by now."""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.epochs import access_leave, epoch_call_leave
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    ARRIVAL_NS,
    AWAITING_FIRST,
    AWAITING_NEXT,
    CALL_AT,
    CALL_ENTER,
    CALL_LEAVE,
    CODE,
    COLLECTIVE,
    FINISH,
    FIRST_SLOT,
    FLUSH,
    IN_CALL,
    IN_LOCK,
    INSTANCE_COMM,
    LOCK,
    MEMBER_STATE,
    MODE,
    NOBODY,
    NOTHING,
    OVERHEAD,
    RELEASED,
    REMOTE,
    SLOT_COUNT,
    SLOT_KIND,
    SLOT_OBJECT,
    STATE,
    TAKING_PART,
    TRANSFER,
    UNLOCK,
)
from tracemill.kernels.simulation.messages import message_done_ns
from tracemill.kernels.simulation.progress import flush_leave
from tracemill.kernels.simulation.schedule import push
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_ranks_of,
    counters_of,
    heap_of,
    instances_of,
    members_of,
    processes_of,
    slots_of,
)
from tracemill.kernels.simulation.window_locks import lock_call_leave


@part
def release_call(state: Any, process: Any) -> None:
    """Let a process go on when its call can be left, if that is known only now."""
    row, code = processes_of(state)[process], code_of(state)
    if row[STATE] != IN_CALL or row[CALL_LEAVE] != NOBODY:
        return
    kind = code[row[CALL_AT], CODE]
    if kind == COLLECTIVE:
        return
    overhead = counters_of(state)[OVERHEAD]
    is_timed = kind == TRANSFER
    time = row[CALL_ENTER] + (code[row[CALL_AT], AMOUNT] if is_timed else overhead)
    if kind >= REMOTE:
        time = one_sided_leave(state, process, row[CALL_AT])
        if time == NOBODY:
            return
    for slot in range(row[FIRST_SLOT], row[FIRST_SLOT] + row[SLOT_COUNT]):
        done = slot_done_ns(state, process, slot)
        if done == NOBODY:
            return
        time = max(time, done + overhead // 2)
    row[CALL_LEAVE] = time
    push(heap_of(state), counters_of(state), time, process)


@part
def one_sided_leave(state: Any, process: Any, at: Any) -> Any:
    """When a call of one-sided communication can be left; NOBODY if not known yet."""
    code = code_of(state)
    kind = code[at, CODE]
    if kind == FLUSH:
        return flush_leave(state, process)
    if kind == LOCK or kind == UNLOCK:
        return lock_call_leave(state, process, at)
    if kind != REMOTE:
        return epoch_call_leave(state, process, at)
    if code[at, MODE] & IN_LOCK:
        return lock_call_leave(state, process, at)
    return access_leave(state, process, at)


@part
def slot_done_ns(state: Any, process: Any, slot: Any) -> Any:
    """When what a request stands for is done; NOBODY if not known yet."""
    kind, thing = (
        slots_of(state)[process, slot, SLOT_KIND],
        slots_of(state)[process, slot, SLOT_OBJECT],
    )
    if kind == NOTHING:
        return 0
    if kind != TAKING_PART:
        return message_done_ns(state, kind, thing)
    comm = instances_of(state)[thing, INSTANCE_COMM]
    member = members_of(state)[thing, comm_ranks_of(state)[comm, process]]
    return member[FINISH] if member[MEMBER_STATE] == RELEASED else NOBODY


@part
def let_see(state: Any, process: Any, now: Any) -> None:
    """Let go on who waited for a process to enter MPI."""
    rows = processes_of(state)
    while rows[process, AWAITING_FIRST] != NOBODY:
        other = rows[process, AWAITING_FIRST]
        rows[process, AWAITING_FIRST] = rows[other, AWAITING_NEXT]
        rows[other, ARRIVAL_NS] = now
        release_call(state, other)
