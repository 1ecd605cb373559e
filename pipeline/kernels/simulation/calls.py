"""MPI calls: entering, blocking, being released and leaving, with the records inside.

    enter ─ send record ─ … blocked … ─ completion records ─ leave

A call is left an overhead after it was entered, or half an overhead after the last thing it had to
wait for, whichever is later.
"""

from typing import Any

from tracemill.kernels.simulation.collectives import arrive, finish_member, release_member
from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.files import begin_access, begin_on_file, end_access, end_on_file
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    BEGIN,
    BYTES,
    CALL_AT,
    CALL_ENTER,
    CALL_LEAVE,
    CALL_VISIT,
    CODE,
    COLLECTIVE,
    COMM,
    COUNT,
    END_ENTER,
    END_PATH,
    END_VISIT,
    FILE,
    FINISH,
    FIRST_SLOT,
    GOT,
    HAS_TRUTH,
    ICOLLECTIVE,
    IN_CALL,
    INIT,
    INSTANCE_CODE,
    INSTANCE_COMM,
    IRECV,
    ISEND,
    LAST_SOURCE,
    LAST_TAG,
    LAST_TASK,
    MESSAGE_BYTES,
    MESSAGE_COMM,
    MESSAGE_TAG,
    MODE,
    N_TO_ONE,
    NEXT_REQUEST,
    NOBODY,
    NOTHING,
    ON_COLLECTIVE_BEGIN,
    ON_COLLECTIVE_END,
    ON_COMPLETE,
    ON_IRECV,
    ON_IRECV_REQUEST,
    ON_ISEND,
    ON_ISEND_COMPLETE,
    ON_RECV,
    ON_REQUEST,
    ON_SEND,
    ON_WINDOW_BEGIN,
    ONE_TO_N,
    OVERHEAD,
    PATH,
    PEER,
    READY,
    RECEIVED,
    RECEIVER,
    RECEIVING,
    RECV,
    REMOTE,
    SEND,
    SEND_RECORD,
    SENDER,
    SENDING,
    SENDRECV,
    SENT,
    SLOT,
    SLOT_COUNT,
    SLOT_KIND,
    SLOT_OBJECT,
    SLOT_REQUEST,
    STATE,
    TAG,
    TAKING_PART,
    TARGET,
    TASK,
    TRANSFER,
    WAIT,
    WINDOW,
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
from tracemill.kernels.simulation.releasing import let_see, release_call
from tracemill.kernels.simulation.schedule import push
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
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


@part
def begin_call(state: Any, process: Any, now: Any, at: Any) -> None:
    """Enter the call of instruction `at`, and find out when it will be left if that is known."""
    row, code = processes_of(state)[process], code_of(state)
    visit = enter(state, location_of(state, process), code[at, PATH], now)
    row[STATE], row[CALL_LEAVE] = IN_CALL, NOBODY
    row[CALL_ENTER], row[CALL_VISIT], row[CALL_AT] = now, visit, at
    note_entry(state, process, now, visit)
    let_see(state, process, now)
    own = slots_of(state).shape[1] - 2
    row[FIRST_SLOT], row[SLOT_COUNT] = own, 0
    kind = code[at, CODE]
    if kind == SEND:
        row[SLOT_COUNT] = 1
        begin_send(state, process, now, visit, at, own)
    elif kind == ISEND:
        begin_send(state, process, now, visit, at, code[at, SLOT])
    elif kind == RECV:
        row[SLOT_COUNT] = 1
        begin_receive(state, process, now, visit, at, own, code[at, PEER])
    elif kind == IRECV:
        begin_receive(state, process, now, visit, at, code[at, SLOT], code[at, PEER])
    elif kind == SENDRECV:
        row[SLOT_COUNT] = 2
        begin_send(state, process, now, visit, at, own)
        begin_receive(state, process, now, visit, at, own + 1, code[at, TARGET])
    elif kind == WAIT:
        row[FIRST_SLOT], row[SLOT_COUNT] = code[at, SLOT], code[at, COUNT]
    elif kind == COLLECTIVE:
        row[SLOT_COUNT] = 1
        begin_collective(state, process, now, visit, at, own)
    elif kind == ICOLLECTIVE:
        begin_collective(state, process, now, visit, at, code[at, AMOUNT])
    elif kind == TRANSFER:
        begin_access(state, process, now, at)
    elif kind >= REMOTE:
        begin_one_sided(state, process, now, visit, at)
    release_call(state, process)


@part
def new_request(state: Any, process: Any, slot: Any) -> Any:
    """A request identifier, unique in its process."""
    request = processes_of(state)[process, NEXT_REQUEST]
    processes_of(state)[process, NEXT_REQUEST] = request + 1
    slots_of(state)[process, slot, SLOT_REQUEST] = request
    return request


@part
def begin_send(state: Any, process: Any, now: Any, visit: Any, at: Any, slot: Any) -> None:
    """Post a send, record it, and let its receiver go on if that waits for it."""
    code = code_of(state)
    other = post_send(state, process, now, visit, at, slot)
    message = messages_of(state)[slots_of(state)[process, slot, SLOT_OBJECT]]
    comm, place = code[at, COMM], location_of(state, process)
    rank = comm_ranks_of(state)[comm, message[RECEIVER]]
    tag, size, time = code[at, TAG], code[at, BYTES], message[SEND_RECORD]
    if code[at, CODE] == ISEND:
        request = new_request(state, process, slot)
        put(state, place, ON_ISEND, time, rank, comm, tag, size, request)
    else:
        put(state, place, ON_SEND, time, rank, comm, tag, size)
    if other != NOBODY and other != process:
        release_call(state, other)


@part
def begin_receive(
    state: Any, process: Any, now: Any, visit: Any, at: Any, slot: Any, sender: Any
) -> None:
    """Post a receive, and let its sender go on if that waits for it."""
    other = post_receive(state, process, now, visit, at, slot, sender)
    if code_of(state)[at, CODE] == IRECV:
        request = new_request(state, process, slot)
        time = now + counters_of(state)[OVERHEAD] // 4
        place = location_of(state, process)
        put(state, place, ON_IRECV_REQUEST, time, request)
    if other != NOBODY and other != process:
        release_call(state, other)


@part
def begin_collective(state: Any, process: Any, now: Any, visit: Any, at: Any, slot: Any) -> None:
    """Come to a collective, and let all go on who needed only this one."""
    code, place = code_of(state), location_of(state, process)
    instance = arrive(state, process, now, visit, code[at, PATH], at)
    slots_of(state)[process, slot, SLOT_KIND] = TAKING_PART
    slots_of(state)[process, slot, SLOT_OBJECT] = instance
    comm = code[at, COMM]
    if code[at, CODE] == ICOLLECTIVE:
        request = new_request(state, process, slot)
        time = now + counters_of(state)[OVERHEAD] // 4
        put(state, place, ON_REQUEST, time, request)
    elif code[at, MODE] < INIT:
        time = members_of(state)[instance, comm_ranks_of(state)[comm, process], BEGIN]
        kind = ON_WINDOW_BEGIN if code[at, MODE] == WINDOW else ON_COLLECTIVE_BEGIN
        put(state, place, kind, time, instance)
    elif code[at, MODE] == FILE:
        begin_on_file(state, process, now, at)
    for rank in range(comm_sizes_of(state)[comm]):
        if release_member(state, instance, rank):
            go_on_in_collective(state, instance, rank)


@part
def go_on_in_collective(state: Any, instance: Any, rank: Any) -> None:
    """A member is released: the end of a blocking call is known."""
    at = instances_of(state)[instance, INSTANCE_CODE]
    member = members_of(state)[instance, rank]
    process = comm_members_of(state)[instances_of(state)[instance, INSTANCE_COMM], rank]
    if code_of(state)[at, CODE] == COLLECTIVE:
        overhead = counters_of(state)[OVERHEAD]
        tail = end_tail(state, at)
        member[FINISH] = max(member[FINISH], member[END_ENTER] + overhead - tail)
        row = processes_of(state)[process]
        row[CALL_LEAVE] = member[FINISH] + tail
        push(heap_of(state), counters_of(state), row[CALL_LEAVE], process)
        finish_member(state, instance)
    else:
        release_call(state, process)


@part
def end_tail(state: Any, at: Any) -> Any:
    """From the end of a collective to leaving its call."""
    return counters_of(state)[OVERHEAD] // 2 if code_of(state)[at, MODE] < INIT else 0


# --- Leaving -------------------------------------------------------------------------------------


@part
def end_call(state: Any, process: Any, now: Any) -> None:
    """Leave the call a process is in: records, who waited, and what is free again."""
    row = processes_of(state)[process]
    place = location_of(state, process)
    awaited, awaited_ns = longest_receive(state, process, now)
    if counters_of(state)[HAS_TRUTH] != 0:
        mark_wrong_order(state, process)
        if awaited_ns > 0:
            charge_late_sender(state, process, awaited, awaited_ns)
        else:
            charge_late_receiver(state, process, now)
    first, count = row[FIRST_SLOT], row[SLOT_COUNT]
    tail = counters_of(state)[OVERHEAD] // 2
    for slot in range(first, first + count):
        kind, thing = (
            slots_of(state)[process, slot, SLOT_KIND],
            slots_of(state)[process, slot, SLOT_OBJECT],
        )
        time = now - tail + min(slot - first, tail)
        if kind == SENDING:
            end_send(state, process, place, slot, thing, time)
        elif kind == RECEIVING:
            end_receive(state, process, place, slot, thing, time)
        elif kind == TAKING_PART:
            end_collective(state, process, place, slot, thing, time)
        slots_of(state)[process, slot, SLOT_KIND] = NOTHING
    if code_of(state)[row[CALL_AT], CODE] == TRANSFER:
        end_access(state, process, now)
    if code_of(state)[row[CALL_AT], CODE] >= REMOTE:
        end_one_sided(state, process, now)
    note_exit(state, process, now)
    leave(state, place, code_of(state)[row[CALL_AT], PATH], now)
    row[STATE] = READY


@part
def is_waiting_call(state: Any, process: Any) -> Any:
    """Whether requests are completed, not made, by the call a process is in."""
    return code_of(state)[processes_of(state)[process, CALL_AT], CODE] == WAIT


@part
def end_send(
    state: Any, process: Any, place: Any, slot: Any, message: Any, time: Any
) -> None:  # fmt: skip
    """A send is complete."""
    if is_waiting_call(state, process):
        request = slots_of(state)[process, slot, SLOT_REQUEST]
        put(state, place, ON_ISEND_COMPLETE, time, request)
    release_message(state, message)


@part
def end_receive(
    state: Any, process: Any, place: Any, slot: Any, message: Any, time: Any
) -> None:  # fmt: skip
    """A receive is complete."""
    row, found = processes_of(state)[process], messages_of(state)[message]
    sender, comm = found[SENDER], found[MESSAGE_COMM]
    tag, size = found[MESSAGE_TAG], found[MESSAGE_BYTES]
    rank = comm_ranks_of(state)[comm, sender]
    if is_waiting_call(state, process):
        request = slots_of(state)[process, slot, SLOT_REQUEST]
        put(state, place, ON_IRECV, time, rank, comm, tag, size, request)
    else:
        put(state, place, ON_RECV, time, rank, comm, tag, size)
    row[LAST_SOURCE], row[LAST_TAG], row[LAST_TASK] = sender, tag, found[TASK]
    release_message(state, message)


@part
def end_collective(
    state: Any, process: Any, place: Any, slot: Any, instance: Any, time: Any
) -> None:  # fmt: skip
    """A process's part in a collective is over."""
    code = code_of(state)
    at, comm = (
        instances_of(state)[instance, INSTANCE_CODE],
        instances_of(state)[instance, INSTANCE_COMM],
    )
    member = members_of(state)[instance, comm_ranks_of(state)[comm, process]]
    family = code[at, MODE]
    if family == FILE:
        end_on_file(state, process, place, member[FINISH])
    if family >= INIT:
        return
    if family == WINDOW:
        end_on_window(state, process, place, member[FINISH])
        return
    root = code[at, PEER] if family == ONE_TO_N or family == N_TO_ONE else _NO_ROOT
    if code[at, CODE] == COLLECTIVE:
        operation = code[at, SLOT]
        put(
            state, place, ON_COLLECTIVE_END, member[FINISH], operation, comm, root,
            code[processes_of(state)[process, CALL_AT], BYTES],
            code[processes_of(state)[process, CALL_AT], RECEIVED],
        )  # fmt: skip
        return
    request, row = slots_of(state)[process, slot, SLOT_REQUEST], processes_of(state)[process]
    operation, sent, got = code[at, SLOT], member[SENT], member[GOT]
    put(state, place, ON_COMPLETE, time, operation, comm, root, sent, got, request)
    member[FINISH] = time
    member[END_ENTER], member[END_VISIT] = row[CALL_ENTER], row[CALL_VISIT]
    member[END_PATH] = code[row[CALL_AT], PATH]
    finish_member(state, instance)
