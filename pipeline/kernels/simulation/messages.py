"""Messages: matching of sends and receives, and arrival of the data.

Sends and receives of one communicator, tag and pair of processes match in the order of posting. The
data is carried when both calls have begun, by a channel that may be taken:

    sender      [ send ...............]           synchronous: ends when the data arrives
    receiver           [ receive .....]
                       |── transfer ──|

A buffered send does not wait; standard sends up to the eager limit are buffered. On a described
cluster, buffered data is carried without waiting for the receiver.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.pending import enqueue
from tracemill.kernels.simulation.tables import (
    code_of,
    counters_of,
    messages_of,
    processes_of,
    slots_of,
)


@unchecked
def transfer_ns(counters: Any, size: Any) -> Any:
    """Transfer time of data (ns): latency, and time by size."""
    return counters[at.LATENCY] + size * counters[at.NS_PER_KIB] // 1024


@unchecked
def new_message(state: Any) -> Any:
    """An unused message without sender and receiver."""
    messages = messages_of(state)
    message = counters_of(state)[at.MESSAGE_FREE]
    counters_of(state)[at.MESSAGE_FREE] = messages[message, at.NEXT]
    messages[message, at.NEXT] = at.NOBODY
    messages[message, at.DONE] = at.NOBODY
    messages[message, at.SEND_ENTER] = at.NOBODY
    messages[message, at.RECEIVE_ENTER] = at.NOBODY
    messages[message, at.USERS] = 2
    messages[message, at.READY] = 0
    return message


@unchecked
def release_message(state: Any, message: Any) -> None:
    """Drop one of the two users of a message; the last one frees it."""
    messages = messages_of(state)
    messages[message, at.USERS] -= 1
    if messages[message, at.USERS] == 0:
        messages[message, at.NEXT] = counters_of(state)[at.MESSAGE_FREE]
        counters_of(state)[at.MESSAGE_FREE] = message


@unchecked
def append(state: Any, process: Any, first: Any, last: Any, message: Any) -> None:
    """Append a message to a queue of a process."""
    processes = processes_of(state)
    if processes[process, first] == at.NOBODY:
        processes[process, first] = message
    else:
        messages_of(state)[processes[process, last], at.NEXT] = message
    processes[process, last] = message


@unchecked
def unlink(state: Any, process: Any, first: Any, last: Any, before: Any, message: Any) -> None:
    """Remove a message from a queue; `before` is its predecessor, or NOBODY."""
    processes, messages = processes_of(state), messages_of(state)
    after = messages[message, at.NEXT]
    if before == at.NOBODY:
        processes[process, first] = after
    else:
        messages[before, at.NEXT] = after
    if after == at.NOBODY:
        processes[process, last] = before
    messages[message, at.NEXT] = at.NOBODY


@unchecked
def take_match(
    state: Any, process: Any, first: Any, last: Any, comm: Any, tag: Any, sender: Any
) -> Any:  # fmt: skip
    """Remove and return the oldest matching message of a queue, or NOBODY; ANY matches all."""
    messages = messages_of(state)
    before, message = at.NOBODY, processes_of(state)[process, first]
    while message != at.NOBODY:
        other_tag, other_sender = messages[message, at.MESSAGE_TAG], messages[message, at.SENDER]
        if (
            messages[message, at.MESSAGE_COMM] == comm
            and (other_tag == tag or other_tag == at.ANY or tag == at.ANY)
            and (other_sender == sender or other_sender == at.ANY or sender == at.ANY)
        ):
            unlink(state, process, first, last, before, message)
            return message
        before, message = message, messages[message, at.NEXT]
    return at.NOBODY


@unchecked
def is_early(state: Any, message: Any) -> Any:
    """Whether the data of a message is carried without waiting for the receiver."""
    is_buffered = messages_of(state)[message, at.IS_SYNCHRONOUS] == 0
    return is_buffered and counters_of(state)[at.IS_EARLY] != 0


@unchecked
def enqueue_message(state: Any, message: Any) -> None:
    """Add the transfer of a message to those that need a channel."""
    row = messages_of(state)[message]
    enqueue(
        state, row[at.READY], row[at.SENDER], row[at.RECEIVER], at.OF_MESSAGE, message, at.NOBODY
    )  # fmt: skip


@unchecked
def post_send(state: Any, process: Any, now: Any, visit: Any, op: Any, slot: Any) -> None:
    """Send the message of instruction `op`."""
    counters, code, messages = counters_of(state), code_of(state), messages_of(state)
    receiver = code[op, at.PEER]
    if receiver == at.LAST:
        receiver = processes_of(state)[process, at.LAST_SOURCE]
    comm, tag, size = code[op, at.COMM], code[op, at.TAG], code[op, at.BYTES]
    message = take_match(state, receiver, at.POSTED_FIRST, at.POSTED_LAST, comm, tag, process)
    is_matched = message != at.NOBODY
    if not is_matched:
        message = new_message(state)
        append(state, receiver, at.UNEXPECTED_FIRST, at.UNEXPECTED_LAST, message)
    row = messages[message]
    row[at.SENDER], row[at.RECEIVER] = process, receiver
    row[at.MESSAGE_COMM], row[at.MESSAGE_TAG], row[at.MESSAGE_BYTES] = comm, tag, size
    mode = code[op, at.MODE]
    is_small = mode == at.STANDARD and size <= counters[at.EAGER_LIMIT]
    row[at.IS_SYNCHRONOUS] = 0 if mode == at.BUFFERED or is_small else 1
    row[at.TASK] = processes_of(state)[process, at.SENT_COUNT]
    if code[op, at.TARGET] == 1:
        processes_of(state)[process, at.SENT_COUNT] += 1
    row[at.SEND_ENTER] = processes_of(state)[process, at.CALL_ENTER]
    row[at.SEND_VISIT] = visit
    row[at.SEND_RECORD] = now + counters[at.OVERHEAD] // 4
    if is_early(state, message):
        row[at.READY] = now
        enqueue_message(state, message)
    else:
        row[at.READY] = max(row[at.READY], now)
        if is_matched:
            enqueue_message(state, message)
    slots_of(state)[process, slot, at.SLOT_KIND] = at.SENDING
    slots_of(state)[process, slot, at.SLOT_OBJECT] = message


@unchecked
def post_receive(
    state: Any, process: Any, now: Any, visit: Any, op: Any, slot: Any, sender: Any
) -> None:  # fmt: skip
    """Post the receive of instruction `op`."""
    code, messages = code_of(state), messages_of(state)
    comm, tag = code[op, at.COMM], code[op, at.TAG]
    message = take_match(state, process, at.UNEXPECTED_FIRST, at.UNEXPECTED_LAST, comm, tag, sender)
    is_matched = message != at.NOBODY
    if not is_matched:
        message = new_message(state)
        append(state, process, at.POSTED_FIRST, at.POSTED_LAST, message)
        messages[message, at.SENDER], messages[message, at.RECEIVER] = sender, process
        messages[message, at.MESSAGE_COMM], messages[message, at.MESSAGE_TAG] = comm, tag
    messages[message, at.RECEIVE_ENTER] = processes_of(state)[process, at.CALL_ENTER]
    messages[message, at.RECEIVE_VISIT] = visit
    if not (is_matched and is_early(state, message)):
        messages[message, at.READY] = max(messages[message, at.READY], now)
        if is_matched:
            enqueue_message(state, message)
    slots_of(state)[process, slot, at.SLOT_KIND] = at.RECEIVING
    slots_of(state)[process, slot, at.SLOT_OBJECT] = message


@unchecked
def message_done_ns(state: Any, kind: Any, message: Any) -> Any:
    """End of one side of a message (ns); NOBODY if not known yet."""
    row = messages_of(state)[message]
    if kind == at.SENDING and row[at.IS_SYNCHRONOUS] == 0:
        return row[at.SEND_ENTER]
    return row[at.DONE]
