"""The queue of transfers that ask for a channel, in the order of time, sender and receiver."""

from typing import Any

from tracemill.kernels.addressed import part
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.tables import asked_of, counters_of


@part
def ask(
    state: Any, ready: Any, sender: Any, receiver: Any, kind: Any, thing: Any, carry: Any
) -> None:  # fmt: skip
    """Add a transfer that can begin at `ready` (ns)."""
    counters, asked = counters_of(state), asked_of(state)
    place = counters[at.ASKED_COUNT]
    counters[at.ASKED_COUNT] = place + 1
    row = asked[place]
    row[at.ASK_READY], row[at.ASK_SENDER], row[at.ASK_RECEIVER] = ready, sender, receiver
    row[at.ASK_SEQUENCE] = counters[at.ASKED_EVER]
    row[at.ASK_KIND], row[at.ASK_OBJECT], row[at.ASK_CARRY] = kind, thing, carry
    counters[at.ASKED_EVER] += 1
    while place > 0 and is_before(asked, place, (place - 1) >> 1):
        swap(asked, place, (place - 1) >> 1)
        place = (place - 1) >> 1


@part
def drop_first(state: Any) -> None:
    """Remove the first transfer, row 0."""
    counters, asked = counters_of(state), asked_of(state)
    size = counters[at.ASKED_COUNT] - 1
    counters[at.ASKED_COUNT] = size
    swap(asked, 0, size)
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_before(asked, child + 1, child):
            child += 1
        if is_before(asked, place, child):
            break
        swap(asked, place, child)
        place = child


@part
def is_before(asked: Any, one: Any, other: Any) -> Any:
    """Whether a row comes before another one."""
    for column in range(at.ASK_SEQUENCE + 1):
        if asked[one, column] != asked[other, column]:
            return asked[one, column] < asked[other, column]
    return False


@part
def swap(asked: Any, one: Any, other: Any) -> None:
    """Exchange two rows."""
    for column in range(at.ASK_WIDTH):
        asked[one, column], asked[other, column] = asked[other, column], asked[one, column]
