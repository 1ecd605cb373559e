"""One-sided communication: operations on memory of others, and the records of calls on windows.

    fence ─ put ─ put ─ get ─ … ─ fence: all are complete, here and there

What is done to the same rank of a window, in the same way and in the same epoch, shares a request,
as Score-P has it.
"""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ACCESS,
    ACCESS_ENTER,
    ACCESS_LEAVE,
    ACCESS_LOCATION,
    ACCESS_VISIT,
    ACCESS_WIDTH,
    AMOUNT,
    BYTES,
    CALL_AT,
    CALL_ENTER,
    CALL_VISIT,
    COMM,
    COUNT,
    CREATING,
    FENCE_SLOT,
    FENCING,
    FREEING,
    IN_EPOCH,
    IN_LOCK,
    LAZY,
    MODE,
    NEXT_REQUEST,
    NOBODY,
    ON_ATOMIC,
    ON_LOCAL_COMPLETE,
    ON_REMOTE_COMPLETE,
    ON_WINDOW_CREATE,
    ON_WINDOW_DESTROY,
    ON_WINDOW_END,
    OVERHEAD,
    PEER,
    RECEIVED,
    REGISTER,
    REMOTE_RANK,
    SLOT,
    STARTS,
    TARGET,
)
from tracemill.kernels.simulation.recording import location_of, put
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    epochs_of,
    processes_of,
)

# Numbers as in OTF2: what is synchronized, that there is no root, and which atomic operation.
_PROCESSES, _PROCESSES_AND_MEMORY = np.int64(1), np.int64(3)
_NO_ROOT, _NOTHING, _ACCUMULATE = np.int64(0xFFFFFFFF), np.int64(0), np.int64(0)


@part
def own_rank(state: Any, process: Any, at: Any) -> Any:
    """Rank of a process in the window that instruction `at` is about."""
    return comm_ranks_of(state)[code_of(state)[at, COMM], process]


@part
def begin_remote(state: Any, process: Any, now: Any, at: Any) -> None:
    """Put, get or accumulate, at the next rank after the own one in each round."""
    code, row = code_of(state), processes_of(state)[process]
    number = row[REGISTER + 1] % code[at, COUNT]
    size = comm_sizes_of(state)[code[at, COMM]]
    rank = (own_rank(state, process, at) + 1 + number) % size
    if code[at, RECEIVED] != NOBODY:
        rank = code[at, RECEIVED]
    row[REMOTE_RANK] = rank
    request, bytes_ = row[NEXT_REQUEST] + code[at, TARGET] + number, code[at, BYTES]
    time, place, kind = now + counters_of(state)[OVERHEAD] // 4, location_of(state, process), code[
        at, SLOT
    ]  # fmt: skip
    if kind == ON_ATOMIC:
        put(
            state, place, kind, time, code[at, PEER], rank, _ACCUMULATE, bytes_, _NOTHING, request
        )  # fmt: skip
    else:
        put(state, place, kind, time, code[at, PEER], rank, bytes_, request)


@part
def note_access(state: Any, process: Any, now: Any) -> None:
    """An operation on memory of another is over: the last one there so far."""
    row, code = processes_of(state)[process], code_of(state)
    at, rank = row[CALL_AT], row[REMOTE_RANK]
    window, mode = code[at, PEER], code[at, MODE] & ~LAZY
    own = own_rank(state, process, at)
    if rank == own or mode == IN_LOCK:
        return
    slot = epochs_of(state)[window, own, STARTS] & 1 if mode == IN_EPOCH else FENCE_SLOT
    first = ACCESS + ACCESS_WIDTH * slot
    access, place = epochs_of(state)[window, rank], location_of(state, process)
    last = access[first + ACCESS_LEAVE]
    if now > last or (now == last and place < access[first + ACCESS_LOCATION]):
        access[first + ACCESS_LEAVE], access[first + ACCESS_LOCATION] = now, place
        access[first + ACCESS_VISIT] = row[CALL_VISIT]
        access[first + ACCESS_ENTER] = row[CALL_ENTER]


@part
def complete_requests(state: Any, process: Any, time: Any, window: Any, count: Any) -> None:
    """The oldest `count` requests of a process are complete, here and there."""
    row, place = processes_of(state)[process], location_of(state, process)
    for number in range(count):
        put(state, place, ON_LOCAL_COMPLETE, time, window, row[NEXT_REQUEST] + number)
        put(state, place, ON_REMOTE_COMPLETE, time, window, row[NEXT_REQUEST] + number)
    row[NEXT_REQUEST] += count


@part
def end_on_window(state: Any, process: Any, place: Any, time: Any) -> None:
    """A fence is over, or a window is made or freed."""
    code, row = code_of(state), processes_of(state)[process]
    at = row[CALL_AT]
    window, operation = code[at, AMOUNT], code[at, SLOT]
    if operation == CREATING:
        put(state, place, ON_WINDOW_CREATE, time, window)
    elif operation == FREEING:
        put(state, place, ON_WINDOW_DESTROY, time, window)
    complete_requests(state, process, time, window, code[at, COUNT])
    level = _PROCESSES_AND_MEMORY if operation == FENCING else _PROCESSES
    put(
        state, place, ON_WINDOW_END, time, operation, level, window, _NO_ROOT, _NOTHING, _NOTHING
    )  # fmt: skip
