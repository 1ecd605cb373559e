"""The end of calls, as soon as it is known."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation import tables
from tracemill.kernels.simulation.collectives import finish_member
from tracemill.kernels.simulation.epochs import access_leave, epoch_call_leave
from tracemill.kernels.simulation.messages import message_done_ns
from tracemill.kernels.simulation.progress import flush_leave
from tracemill.kernels.simulation.schedule import push
from tracemill.kernels.simulation.window_locks import lock_call_leave


@unchecked
def release_call(state: Any, process: Any) -> None:
    """Schedule the end of the call of a process, if it is known only now."""
    row, code = tables.processes_of(state)[process], tables.code_of(state)
    if row[at.STATE] != at.IN_CALL or row[at.CALL_LEAVE] != at.NOBODY:
        return
    kind = code[row[at.CALL_AT], at.CODE]
    if kind == at.COLLECTIVE or (kind == at.TRANSFER and code[row[at.CALL_AT], at.TARGET] != 0):
        return
    overhead = tables.counters_of(state)[at.OVERHEAD]
    minimum = max(overhead, code[row[at.CALL_AT], at.DELAY])
    if kind == at.TRANSFER:
        minimum = code[row[at.CALL_AT], at.AMOUNT]
    time = row[at.CALL_ENTER] + minimum
    if kind >= at.REMOTE:
        time = one_sided_leave(state, process, row[at.CALL_AT])
        if time == at.NOBODY:
            return
    for slot in range(row[at.FIRST_SLOT], row[at.FIRST_SLOT] + row[at.SLOT_COUNT]):
        done = slot_done_ns(state, process, slot)
        if done == at.NOBODY:
            return
        time = max(time, done + overhead // 2)
    row[at.CALL_LEAVE] = time
    push(tables.heap_of(state), tables.counters_of(state), time, process)


@unchecked
def release_from_collective(state: Any, instance: Any, rank: Any) -> None:
    """Schedule the end of the call of a released member."""
    op = tables.instances_of(state)[instance, at.INSTANCE_CODE]
    member = tables.members_of(state)[instance, rank]
    comm = tables.instances_of(state)[instance, at.INSTANCE_COMM]
    process = tables.comm_members_of(state)[comm, rank]
    if tables.code_of(state)[op, at.CODE] == at.COLLECTIVE:
        overhead = tables.counters_of(state)[at.OVERHEAD]
        tail = end_tail(state, op)
        member[at.FINISH] = max(member[at.FINISH], member[at.END_ENTER] + overhead - tail)
        row = tables.processes_of(state)[process]
        row[at.CALL_LEAVE] = member[at.FINISH] + tail
        push(tables.heap_of(state), tables.counters_of(state), row[at.CALL_LEAVE], process)
        finish_member(state, instance)
    else:
        release_call(state, process)


@unchecked
def end_tail(state: Any, op: Any) -> Any:
    """Time from the end of a collective to the end of its call."""
    code = tables.code_of(state)
    return tables.counters_of(state)[at.OVERHEAD] // 2 if code[op, at.MODE] < at.INIT else 0


@unchecked
def one_sided_leave(state: Any, process: Any, op: Any) -> Any:
    """End of a call of one-sided communication (ns); NOBODY if not known yet."""
    code = tables.code_of(state)
    kind = code[op, at.CODE]
    if kind == at.FLUSH:
        return flush_leave(state, process)
    if kind == at.LOCK or kind == at.UNLOCK:
        return lock_call_leave(state, process, op)
    if kind != at.REMOTE:
        return epoch_call_leave(state, process, op)
    if code[op, at.MODE] & at.IN_LOCK:
        return lock_call_leave(state, process, op)
    return access_leave(state, process, op)


@unchecked
def slot_done_ns(state: Any, process: Any, slot: Any) -> Any:
    """End of the operation of a request (ns); NOBODY if not known yet."""
    request = tables.slots_of(state)[process, slot]
    kind, thing = request[at.SLOT_KIND], request[at.SLOT_OBJECT]
    if kind == at.NOTHING:
        return 0
    if kind != at.TAKING_PART:
        return message_done_ns(state, kind, thing)
    comm = tables.instances_of(state)[thing, at.INSTANCE_COMM]
    member = tables.members_of(state)[thing, tables.comm_ranks_of(state)[comm, process]]
    return member[at.FINISH] if member[at.MEMBER_STATE] == at.RELEASED else at.NOBODY


@unchecked
def release_waiting(state: Any, process: Any, now: Any) -> None:
    """Release the processes that wait until this one enters MPI."""
    rows = tables.processes_of(state)
    while rows[process, at.AWAITING_FIRST] != at.NOBODY:
        other = rows[process, at.AWAITING_FIRST]
        rows[process, at.AWAITING_FIRST] = rows[other, at.AWAITING_NEXT]
        rows[other, at.ARRIVAL_NS] = now
        release_call(state, other)
