"""The queue of processes and transfers: by time, then processes before transfers."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.forecast.layout import (
    NEXT_SEQUENCE,
    NOBODY,
    ORDER,
    QUEUE_SIZE,
    QUEUE_WIDTH,
    RECEIVER,
    SEQUENCE,
    TASK,
    TIME,
)
from tracemill.kernels.forecast.tables import counters_of, queue_of


@unchecked
def is_before(queue: Any, place: Any, time: Any, order: Any, receiver: Any, sequence: Any) -> Any:
    """Whether an entry of the queue comes before another one."""
    row = queue[place]
    if row[TIME] != time:
        return row[TIME] < time
    if row[ORDER] != order:
        return row[ORDER] < order
    if row[RECEIVER] != receiver:
        return row[RECEIVER] < receiver
    return row[SEQUENCE] < sequence


@unchecked
def push(state: Any, time: Any, order: Any, receiver: Any, task: Any) -> None:
    """Add an entry; of equals, the first one added comes first."""
    sequence = counters_of(state)[NEXT_SEQUENCE]
    counters_of(state)[NEXT_SEQUENCE] = sequence + 1
    push_again(state, time, order, receiver, sequence, task)


@unchecked
def push_again(
    state: Any, time: Any, order: Any, receiver: Any, sequence: Any, task: Any
) -> None:  # fmt: skip
    """Add an entry with the sequence number that it had before."""
    counters, queue = counters_of(state), queue_of(state)
    place = counters[QUEUE_SIZE]
    counters[QUEUE_SIZE] = place + 1
    while place > 0:
        parent = (place - 1) >> 1
        if is_before(queue, parent, time, order, receiver, sequence):
            break
        for column in range(QUEUE_WIDTH):
            queue[place, column] = queue[parent, column]
        place = parent
    row = queue[place]
    row[TIME], row[ORDER], row[RECEIVER] = time, order, receiver
    row[SEQUENCE], row[TASK] = sequence, task


@unchecked
def push_process(state: Any, process: Any, time: Any) -> None:
    """Let a process go on at that time."""
    push(state, time, process, 0, NOBODY)


@unchecked
def pop(state: Any) -> None:
    """Remove the first entry of the queue."""
    counters, queue = counters_of(state), queue_of(state)
    size = counters[QUEUE_SIZE] - 1
    counters[QUEUE_SIZE] = size
    last = queue[size]
    time, order, receiver = last[TIME], last[ORDER], last[RECEIVER]
    sequence, task = last[SEQUENCE], last[TASK]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = queue[child + 1]
        if child + 1 < size and not is_before(
            queue, child, other[TIME], other[ORDER], other[RECEIVER], other[SEQUENCE]
        ):
            child += 1
        if not is_before(queue, child, time, order, receiver, sequence):
            break
        for column in range(QUEUE_WIDTH):
            queue[place, column] = queue[child, column]
        place = child
    row = queue[place]
    row[TIME], row[ORDER], row[RECEIVER] = time, order, receiver
    row[SEQUENCE], row[TASK] = sequence, task


@unchecked
def is_next(state: Any, time: Any, order: Any, receiver: Any, sequence: Any) -> Any:
    """Whether an entry would come before all of the queue."""
    if counters_of(state)[QUEUE_SIZE] == 0:
        return True
    return not is_before(queue_of(state), 0, time, order, receiver, sequence)
