"""Transfers get their channels: of messages, accesses to files, and collectives."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.network.transfers import transfer
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.pending import drop_first
from tracemill.kernels.simulation.releasing import release_call
from tracemill.kernels.simulation.schedule import push
from tracemill.kernels.simulation.scheduled import end_carry
from tracemill.kernels.simulation.tables import (
    carries_of,
    code_of,
    counters_of,
    heap_of,
    messages_of,
    pending_of,
    processes_of,
)


@unchecked
def carry_next(state: Any, network: Any) -> None:
    """Give the first pending transfer a channel, and release the calls that wait for it."""
    first = pending_of(state)[0]
    ready, sender, receiver = (
        first[at.PENDING_READY],
        first[at.PENDING_SENDER],
        first[at.PENDING_RECEIVER],
    )
    kind, thing, carry = first[at.PENDING_KIND], first[at.PENDING_OBJECT], first[at.PENDING_CARRY]
    drop_first(state)
    if kind == at.OF_MESSAGE:
        size = messages_of(state)[thing, at.MESSAGE_BYTES]
        end = transfer(network, sender, receiver, size, ready, 1.0)
        messages_of(state)[thing, at.DONE] = end
        release_call(state, sender)
        if receiver != sender:
            release_call(state, receiver)
    elif kind == at.OF_CALL:
        size = code_of(state)[processes_of(state)[thing, at.CALL_AT], at.BYTES]
        end_access_at(state, thing, transfer(network, sender, receiver, size, ready, 1.0))
    else:
        size = carries_of(state)[carry, at.CARRY_BYTES]
        end_carry(state, thing, carry, transfer(network, sender, receiver, size, ready, 1.0))


@unchecked
def end_access_at(state: Any, process: Any, end: Any) -> None:
    """Schedule the end of a call that accesses a file."""
    row = processes_of(state)[process]
    row[at.CALL_LEAVE] = max(row[at.CALL_ENTER] + counters_of(state)[at.OVERHEAD], end)
    push(heap_of(state), counters_of(state), row[at.CALL_LEAVE], process)
