"""MPI calls: begin, block, release and end, with the records inside.

    enter ─ send record ─ … blocked … ─ completion records ─ leave

A call ends one overhead after its begin, or half an overhead after the last event it waits for,
whichever is later.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.collectives import arrive, finish_member, release_member
from tracemill.kernels.simulation.files import (
    begin_access,
    begin_nonblocking,
    begin_on_file,
    end_access,
    end_nonblocking,
    end_on_file,
)
from tracemill.kernels.simulation.message_waits import (
    charge_late_receiver,
    charge_late_sender,
    longest_receive,
    mark_wrong_order,
)
from tracemill.kernels.simulation.messages import post_receive, post_send, release_message
from tracemill.kernels.simulation.one_sided import end_on_window
from tracemill.kernels.simulation.one_sided_calls import begin_one_sided, end_one_sided
from tracemill.kernels.simulation.progress import note_entry, note_exit
from tracemill.kernels.simulation.recording import enter, leave, location_of, put
from tracemill.kernels.simulation.releasing import (
    release_call,
    release_from_collective,
    release_waiting,
)
from tracemill.kernels.simulation.schedule import push
from tracemill.kernels.simulation.scheduled import start_member
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    heap_of,
    instances_of,
    members_of,
    messages_of,
    processes_of,
    slots_of,
)

_NO_ROOT = 0xFFFFFFFF


# --- Entering ------------------------------------------------------------------------------------


@unchecked
def begin_call(state: Any, process: Any, now: Any, op: Any) -> None:
    """Begin the call of instruction `op`, and start it unless that has a delay."""
    row, code = processes_of(state)[process], code_of(state)
    visit = enter(state, location_of(state, process), code[op, at.PATH], now)
    row[at.STATE], row[at.CALL_LEAVE] = at.IN_CALL, at.NOBODY
    row[at.CALL_ENTER], row[at.CALL_VISIT], row[at.CALL_AT] = now, visit, op
    note_entry(state, process, now, visit)
    release_waiting(state, process, now)
    if code[op, at.DELAY] > 0:
        row[at.STATE] = at.STARTING
        push(heap_of(state), counters_of(state), now + code[op, at.DELAY], process)
    else:
        start_call(state, process, now)


@unchecked
def start_call(state: Any, process: Any, now: Any) -> None:
    """Start what a call does; schedule its end if that is known."""
    row, code = processes_of(state)[process], code_of(state)
    op, visit = row[at.CALL_AT], row[at.CALL_VISIT]
    row[at.STATE] = at.IN_CALL
    own = slots_of(state).shape[1] - 2
    row[at.FIRST_SLOT], row[at.SLOT_COUNT] = own, 0
    kind = code[op, at.CODE]
    if kind == at.SEND:
        row[at.SLOT_COUNT] = 1
        begin_send(state, process, now, visit, op, own)
    elif kind == at.ISEND:
        round_ = row[at.REGISTER + code[op, at.COUNT]]
        slot = code[op, at.SLOT] + code[op, at.RECEIVED] * round_
        begin_send(state, process, now, visit, op, slot)
    elif kind == at.RECV:
        row[at.SLOT_COUNT] = 1
        begin_receive(state, process, now, visit, op, own, code[op, at.PEER])
    elif kind == at.IRECV:
        begin_receive(state, process, now, visit, op, code[op, at.SLOT], code[op, at.PEER])
    elif kind == at.SENDRECV:
        row[at.SLOT_COUNT] = 2
        begin_send(state, process, now, visit, op, own)
        begin_receive(state, process, now, visit, op, own + 1, code[op, at.TARGET])
    elif kind == at.WAIT:
        row[at.FIRST_SLOT], row[at.SLOT_COUNT] = code[op, at.SLOT], code[op, at.COUNT]
    elif kind == at.COLLECTIVE:
        row[at.SLOT_COUNT] = 1
        begin_collective(state, process, now, visit, op, own)
    elif kind == at.ICOLLECTIVE:
        begin_collective(state, process, now, visit, op, code[op, at.AMOUNT])
    elif kind == at.TRANSFER:
        begin_access(state, process, now, op)
    elif kind >= at.REMOTE:
        begin_one_sided(state, process, now, visit, op)
    release_call(state, process)


@unchecked
def new_request(state: Any, process: Any, slot: Any) -> Any:
    """A request identifier, unique in its process."""
    request = processes_of(state)[process, at.NEXT_REQUEST]
    processes_of(state)[process, at.NEXT_REQUEST] = request + 1
    slots_of(state)[process, slot, at.SLOT_REQUEST] = request
    return request


@unchecked
def begin_send(state: Any, process: Any, now: Any, visit: Any, op: Any, slot: Any) -> None:
    """Post and record a send."""
    code = code_of(state)
    post_send(state, process, now, visit, op, slot)
    message = messages_of(state)[slots_of(state)[process, slot, at.SLOT_OBJECT]]
    comm, place = code[op, at.COMM], location_of(state, process)
    rank = comm_ranks_of(state)[comm, message[at.RECEIVER]]
    tag, size, time = code[op, at.TAG], code[op, at.BYTES], message[at.SEND_RECORD]
    if code[op, at.CODE] == at.ISEND:
        request = new_request(state, process, slot)
        put(state, place, at.ON_ISEND, time, rank, comm, tag, size, request)
    else:
        put(state, place, at.ON_SEND, time, rank, comm, tag, size)


@unchecked
def begin_receive(
    state: Any, process: Any, now: Any, visit: Any, op: Any, slot: Any, sender: Any
) -> None:
    """Post and record a receive."""
    post_receive(state, process, now, visit, op, slot, sender)
    if code_of(state)[op, at.CODE] == at.IRECV:
        request = new_request(state, process, slot)
        time = now + counters_of(state)[at.OVERHEAD] // 4
        place = location_of(state, process)
        put(state, place, at.ON_IRECV_REQUEST, time, request)


@unchecked
def begin_collective(state: Any, process: Any, now: Any, visit: Any, op: Any, slot: Any) -> None:
    """Begin a collective, and release all members that waited only for this process."""
    code, place = code_of(state), location_of(state, process)
    instance = arrive(state, process, visit, code[op, at.PATH], op)
    slots_of(state)[process, slot, at.SLOT_KIND] = at.TAKING_PART
    slots_of(state)[process, slot, at.SLOT_OBJECT] = instance
    comm = code[op, at.COMM]
    if code[op, at.CODE] == at.ICOLLECTIVE:
        request = new_request(state, process, slot)
        time = now + counters_of(state)[at.OVERHEAD] // 4
        if code[op, at.MODE] == at.FILE:
            begin_nonblocking(state, process, time, op, request)
        else:
            put(state, place, at.ON_REQUEST, time, request)
    elif code[op, at.MODE] < at.INIT:
        time = members_of(state)[instance, comm_ranks_of(state)[comm, process], at.BEGIN]
        kind = at.ON_WINDOW_BEGIN if code[op, at.MODE] == at.WINDOW else at.ON_COLLECTIVE_BEGIN
        put(state, place, kind, time, instance)
    elif code[op, at.MODE] == at.FILE:
        begin_on_file(state, process, now, op)
    if code[op, at.SCHEDULE] != 0:
        start_member(state, instance, process, now)
        return
    for rank in range(comm_sizes_of(state)[comm]):
        if release_member(state, instance, rank):
            release_from_collective(state, instance, rank)


# --- Leaving -------------------------------------------------------------------------------------


@unchecked
def end_call(state: Any, process: Any, now: Any) -> None:
    """End the call of a process: add records and waits, and free its requests."""
    row = processes_of(state)[process]
    place = location_of(state, process)
    awaited, awaited_ns = longest_receive(state, process, now)
    if counters_of(state)[at.HAS_TRUTH] != 0:
        mark_wrong_order(state, process)
        if awaited_ns > 0:
            charge_late_sender(state, process, awaited, awaited_ns)
        else:
            charge_late_receiver(state, process, now)
    first, count = row[at.FIRST_SLOT], row[at.SLOT_COUNT]
    tail = counters_of(state)[at.OVERHEAD] // 2
    for slot in range(first, first + count):
        request = slots_of(state)[process, slot]
        kind, thing = request[at.SLOT_KIND], request[at.SLOT_OBJECT]
        time = now - tail + min(slot - first, tail)
        if kind == at.SENDING:
            end_send(state, process, place, slot, thing, time)
        elif kind == at.RECEIVING:
            end_receive(state, process, place, slot, thing, time)
        elif kind == at.TAKING_PART:
            end_collective(state, process, place, slot, thing, time)
        request[at.SLOT_KIND] = at.NOTHING
    if code_of(state)[row[at.CALL_AT], at.CODE] == at.TRANSFER:
        end_access(state, process, now)
    if code_of(state)[row[at.CALL_AT], at.CODE] >= at.REMOTE:
        end_one_sided(state, process, now)
    note_exit(state, process, now)
    leave(state, place, code_of(state)[row[at.CALL_AT], at.PATH], now)
    row[at.STATE] = at.READY


@unchecked
def is_waiting_call(state: Any, process: Any) -> Any:
    """Whether the call of a process completes requests instead of making them."""
    return code_of(state)[processes_of(state)[process, at.CALL_AT], at.CODE] == at.WAIT


@unchecked
def end_send(
    state: Any, process: Any, place: Any, slot: Any, message: Any, time: Any
) -> None:  # fmt: skip
    """Complete a send."""
    if is_waiting_call(state, process):
        request = slots_of(state)[process, slot, at.SLOT_REQUEST]
        put(state, place, at.ON_ISEND_COMPLETE, time, request)
    release_message(state, message)


@unchecked
def end_receive(
    state: Any, process: Any, place: Any, slot: Any, message: Any, time: Any
) -> None:  # fmt: skip
    """Complete a receive."""
    row, found = processes_of(state)[process], messages_of(state)[message]
    sender, comm = found[at.SENDER], found[at.MESSAGE_COMM]
    tag, size = found[at.MESSAGE_TAG], found[at.MESSAGE_BYTES]
    rank = comm_ranks_of(state)[comm, sender]
    if is_waiting_call(state, process):
        request = slots_of(state)[process, slot, at.SLOT_REQUEST]
        put(state, place, at.ON_IRECV, time, rank, comm, tag, size, request)
    else:
        put(state, place, at.ON_RECV, time, rank, comm, tag, size)
    row[at.LAST_SOURCE], row[at.LAST_TAG], row[at.LAST_TASK] = sender, tag, found[at.TASK]
    release_message(state, message)


@unchecked
def end_collective(
    state: Any, process: Any, place: Any, slot: Any, instance: Any, time: Any
) -> None:  # fmt: skip
    """End the part of a process in a collective."""
    code = code_of(state)
    found, row = instances_of(state)[instance], processes_of(state)[process]
    op, comm = found[at.INSTANCE_CODE], found[at.INSTANCE_COMM]
    member = members_of(state)[instance, comm_ranks_of(state)[comm, process]]
    family = code[op, at.MODE]
    is_blocking = code[op, at.CODE] == at.COLLECTIVE
    if family == at.FILE and is_blocking:
        end_on_file(state, process, place, member[at.FINISH])
    if family >= at.INIT and is_blocking:
        return
    if family == at.WINDOW:
        end_on_window(state, process, place, member[at.FINISH])
        return
    root = code[op, at.PEER] if family == at.ONE_TO_N or family == at.N_TO_ONE else _NO_ROOT
    if is_blocking:
        operation = code[op, at.SLOT]
        put(
            state, place, at.ON_COLLECTIVE_END, member[at.FINISH], operation, comm, root,
            code[row[at.CALL_AT], at.BYTES], code[row[at.CALL_AT], at.RECEIVED],
        )  # fmt: skip
        return
    request = slots_of(state)[process, slot, at.SLOT_REQUEST]
    operation, sent, got = code[op, at.SLOT], member[at.SENT], member[at.GOT]
    if family == at.FILE:
        end_nonblocking(state, process, time, op, sent, request)
    else:
        put(state, place, at.ON_COMPLETE, time, operation, comm, root, sent, got, request)
    member[at.FINISH] = time
    member[at.END_ENTER], member[at.END_VISIT] = row[at.CALL_ENTER], row[at.CALL_VISIT]
    member[at.END_PATH] = code[row[at.CALL_AT], at.PATH]
    finish_member(state, instance)
