"""Messages: who meets whom, when the data is there, and who waited.

A send and a receive of one communicator, tag and pair of processes meet in the order in which they
are posted. The data is there a transfer time after the later of the two calls was entered:

    sender      [ send ...............]           synchronous: left when the data is there
    receiver           [ receive .....]
                       |── transfer ──|

A buffered send, which a standard one is up to the eager limit, does not wait.
"""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ANY,
    BUFFERED,
    BYTES,
    COMM,
    DONE,
    EAGER_LIMIT,
    IS_SYNCHRONOUS,
    LAST,
    LAST_SOURCE,
    LATENCY,
    MESSAGE_BYTES,
    MESSAGE_COMM,
    MESSAGE_FREE,
    MESSAGE_TAG,
    MODE,
    NEXT,
    NOBODY,
    NS_PER_KIB,
    OVERHEAD,
    PEER,
    POSTED_FIRST,
    POSTED_LAST,
    RECEIVE_ENTER,
    RECEIVE_VISIT,
    RECEIVER,
    RECEIVING,
    SEND_ENTER,
    SEND_RECORD,
    SEND_VISIT,
    SENDER,
    SENDING,
    SENT_COUNT,
    SLOT_KIND,
    SLOT_OBJECT,
    STANDARD,
    TAG,
    TARGET,
    TASK,
    UNEXPECTED_FIRST,
    UNEXPECTED_LAST,
    USERS,
)
from tracemill.kernels.simulation.tables import (
    code_of,
    counters_of,
    messages_of,
    processes_of,
    slots_of,
)


@part
def transfer_ns(counters: Any, size: Any) -> Any:
    """How long data takes: latency, and time by size."""
    return counters[LATENCY] + size * counters[NS_PER_KIB] // 1024


@part
def new_message(state: Any) -> Any:
    """An unused message, meeting nobody yet."""
    messages = messages_of(state)
    message = counters_of(state)[MESSAGE_FREE]
    counters_of(state)[MESSAGE_FREE] = messages[message, NEXT]
    messages[message, NEXT] = NOBODY
    messages[message, DONE] = NOBODY
    messages[message, SEND_ENTER] = NOBODY
    messages[message, RECEIVE_ENTER] = NOBODY
    messages[message, USERS] = 2
    return message


@part
def release_message(state: Any, message: Any) -> None:
    """One side has finished with a message."""
    messages = messages_of(state)
    messages[message, USERS] -= 1
    if messages[message, USERS] == 0:
        messages[message, NEXT] = counters_of(state)[MESSAGE_FREE]
        counters_of(state)[MESSAGE_FREE] = message


@part
def append(state: Any, process: Any, first: Any, last: Any, message: Any) -> None:
    """Put a message at the end of one of a process's queues."""
    processes = processes_of(state)
    if processes[process, first] == NOBODY:
        processes[process, first] = message
    else:
        messages_of(state)[processes[process, last], NEXT] = message
    processes[process, last] = message


@part
def remove(state: Any, process: Any, first: Any, last: Any, before: Any, message: Any) -> None:
    """Take a message out of a queue; `before` is the one before it, or NOBODY."""
    processes, messages = processes_of(state), messages_of(state)
    after = messages[message, NEXT]
    if before == NOBODY:
        processes[process, first] = after
    else:
        messages[before, NEXT] = after
    if after == NOBODY:
        processes[process, last] = before
    messages[message, NEXT] = NOBODY


@part
def find(
    state: Any, process: Any, first: Any, last: Any, comm: Any, tag: Any, sender: Any
) -> Any:  # fmt: skip
    """Take the oldest fitting message out of a queue; ANY, on either side, fits everything."""
    messages = messages_of(state)
    before, message = NOBODY, processes_of(state)[process, first]
    while message != NOBODY:
        other_tag, other_sender = messages[message, MESSAGE_TAG], messages[message, SENDER]
        if (
            messages[message, MESSAGE_COMM] == comm
            and (other_tag == tag or other_tag == ANY or tag == ANY)
            and (other_sender == sender or other_sender == ANY or sender == ANY)
        ):
            remove(state, process, first, last, before, message)
            return message
        before, message = message, messages[message, NEXT]
    return NOBODY


@part
def meet(state: Any, message: Any) -> None:
    """Both sides are known: say when the data is there."""
    row = messages_of(state)[message]
    later = max(row[SEND_ENTER], row[RECEIVE_ENTER])
    row[DONE] = later + transfer_ns(counters_of(state), row[MESSAGE_BYTES])


@part
def post_send(state: Any, process: Any, now: Any, visit: Any, at: Any, slot: Any) -> Any:
    """Send what instruction `at` says; returns who may go on by that, or NOBODY."""
    counters, code, messages = counters_of(state), code_of(state), messages_of(state)
    receiver = code[at, PEER]
    if receiver == LAST:
        receiver = processes_of(state)[process, LAST_SOURCE]
    comm, tag, size = code[at, COMM], code[at, TAG], code[at, BYTES]
    message = find(state, receiver, POSTED_FIRST, POSTED_LAST, comm, tag, process)
    has_met = message != NOBODY
    if not has_met:
        message = new_message(state)
        append(state, receiver, UNEXPECTED_FIRST, UNEXPECTED_LAST, message)
    row = messages[message]
    row[SENDER], row[RECEIVER] = process, receiver
    row[MESSAGE_COMM], row[MESSAGE_TAG], row[MESSAGE_BYTES] = comm, tag, size
    mode = code[at, MODE]
    is_small = mode == STANDARD and size <= counters[EAGER_LIMIT]
    row[IS_SYNCHRONOUS] = 0 if mode == BUFFERED or is_small else 1
    row[TASK] = processes_of(state)[process, SENT_COUNT]
    if code[at, TARGET] == 1:
        processes_of(state)[process, SENT_COUNT] += 1
    row[SEND_ENTER], row[SEND_VISIT] = now, visit
    row[SEND_RECORD] = now + counters[OVERHEAD] // 4
    slots_of(state)[process, slot, SLOT_KIND] = SENDING
    slots_of(state)[process, slot, SLOT_OBJECT] = message
    if not has_met:
        return NOBODY
    meet(state, message)
    return receiver


@part
def post_receive(
    state: Any, process: Any, now: Any, visit: Any, at: Any, slot: Any, sender: Any
) -> Any:  # fmt: skip
    """Ask for a message as instruction `at` says; returns who may go on by that, or NOBODY."""
    code, messages = code_of(state), messages_of(state)
    comm, tag = code[at, COMM], code[at, TAG]
    message = find(state, process, UNEXPECTED_FIRST, UNEXPECTED_LAST, comm, tag, sender)
    has_met = message != NOBODY
    if not has_met:
        message = new_message(state)
        append(state, process, POSTED_FIRST, POSTED_LAST, message)
        messages[message, SENDER], messages[message, RECEIVER] = sender, process
        messages[message, MESSAGE_COMM], messages[message, MESSAGE_TAG] = comm, tag
    messages[message, RECEIVE_ENTER], messages[message, RECEIVE_VISIT] = now, visit
    slots_of(state)[process, slot, SLOT_KIND] = RECEIVING
    slots_of(state)[process, slot, SLOT_OBJECT] = message
    if not has_met:
        return NOBODY
    meet(state, message)
    return messages[message, SENDER]


@part
def message_done_ns(state: Any, kind: Any, message: Any) -> Any:
    """When one side of a message is done, NOBODY if not known yet."""
    row = messages_of(state)[message]
    if kind == SENDING and row[IS_SYNCHRONOUS] == 0:
        return row[SEND_ENTER]
    return row[DONE]
