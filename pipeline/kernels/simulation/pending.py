"""The queue of transfers that need a channel, in the order of time, sender and receiver."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.tables import counters_of, pending_of


@unchecked
def enqueue(
    state: Any, ready: Any, sender: Any, receiver: Any, kind: Any, thing: Any, carry: Any
) -> None:  # fmt: skip
    """Add a transfer that can begin at `ready` (ns)."""
    counters, pending = counters_of(state), pending_of(state)
    place = counters[at.PENDING_COUNT]
    counters[at.PENDING_COUNT] = place + 1
    row = pending[place]
    row[at.PENDING_READY], row[at.PENDING_SENDER], row[at.PENDING_RECEIVER] = (
        ready,
        sender,
        receiver,
    )
    row[at.PENDING_SEQUENCE] = counters[at.PENDING_EVER]
    row[at.PENDING_KIND], row[at.PENDING_OBJECT], row[at.PENDING_CARRY] = kind, thing, carry
    counters[at.PENDING_EVER] += 1
    while place > 0 and is_before(pending, place, (place - 1) >> 1):
        swap(pending, place, (place - 1) >> 1)
        place = (place - 1) >> 1


@unchecked
def drop_first(state: Any) -> None:
    """Remove the first transfer, row 0."""
    counters, pending = counters_of(state), pending_of(state)
    size = counters[at.PENDING_COUNT] - 1
    counters[at.PENDING_COUNT] = size
    swap(pending, 0, size)
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_before(pending, child + 1, child):
            child += 1
        if is_before(pending, place, child):
            break
        swap(pending, place, child)
        place = child


@unchecked
def is_before(pending: Any, one: Any, other: Any) -> Any:
    """Whether a row comes before another one."""
    for column in range(at.PENDING_SEQUENCE + 1):
        if pending[one, column] != pending[other, column]:
            return pending[one, column] < pending[other, column]
    return False


@unchecked
def swap(pending: Any, one: Any, other: Any) -> None:
    """Exchange two rows."""
    for column in range(at.PENDING_WIDTH):
        pending[one, column], pending[other, column] = pending[other, column], pending[one, column]
