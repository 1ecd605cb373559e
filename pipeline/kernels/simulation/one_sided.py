"""One-sided communication: operations on remote memory, and the records of calls on windows.

    fence ─ put ─ put ─ get ─ … ─ fence: all operations are complete at origin and target

Operations of the same kind on the same rank of a window in the same epoch share a request, as in
Score-P.
"""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.recording import location_of, put
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    epochs_of,
    processes_of,
)

# Numbers as in OTF2: level of synchronization, no root, kind of atomic operation.
PROCESSES, PROCESSES_AND_MEMORY = np.int64(1), np.int64(3)
_NO_ROOT, _NOTHING, _ACCUMULATE = np.int64(0xFFFFFFFF), np.int64(0), np.int64(0)


@unchecked
def own_rank(state: Any, process: Any, op: Any) -> Any:
    """Rank of a process in the window of instruction `op`."""
    return comm_ranks_of(state)[code_of(state)[op, at.COMM], process]


@unchecked
def begin_remote(state: Any, process: Any, now: Any, op: Any) -> None:
    """Begin a put, get or accumulate; each round targets the next rank after the own one."""
    code, row = code_of(state), processes_of(state)[process]
    number = row[at.REGISTER + 1] % code[op, at.COUNT]
    size = comm_sizes_of(state)[code[op, at.COMM]]
    rank = (own_rank(state, process, op) + 1 + number) % size
    if code[op, at.RECEIVED] != at.NOBODY:
        rank = code[op, at.RECEIVED]
    row[at.REMOTE_RANK] = rank
    request, bytes_ = row[at.NEXT_REQUEST] + code[op, at.TARGET] + number, code[op, at.BYTES]
    time, place = now + counters_of(state)[at.OVERHEAD] // 4, location_of(state, process)
    kind, window = code[op, at.SLOT], code[op, at.PEER]
    if kind == at.ON_ATOMIC:
        put(state, place, kind, time, window, rank, _ACCUMULATE, bytes_, _NOTHING, request)
    else:
        put(state, place, kind, time, window, rank, bytes_, request)


@unchecked
def note_access(state: Any, process: Any, now: Any) -> None:
    """Note the end of an operation if it is the latest one on its target."""
    row, code = processes_of(state)[process], code_of(state)
    op, rank = row[at.CALL_AT], row[at.REMOTE_RANK]
    window, mode = code[op, at.PEER], code[op, at.MODE] & ~at.LAZY
    own = own_rank(state, process, op)
    if rank == own or mode == at.IN_LOCK:
        return
    slot = epochs_of(state)[window, own, at.STARTS] & 1 if mode == at.IN_EPOCH else at.FENCE_SLOT
    first = at.ACCESS + at.ACCESS_WIDTH * slot
    access, place = epochs_of(state)[window, rank], location_of(state, process)
    last = access[first + at.ACCESS_LEAVE]
    if now > last or (now == last and place < access[first + at.ACCESS_LOCATION]):
        access[first + at.ACCESS_LEAVE], access[first + at.ACCESS_LOCATION] = now, place
        access[first + at.ACCESS_VISIT] = row[at.CALL_VISIT]
        access[first + at.ACCESS_ENTER] = row[at.CALL_ENTER]


@unchecked
def complete_requests(state: Any, process: Any, time: Any, window: Any, count: Any) -> None:
    """Record the completion of the oldest `count` requests of a process."""
    row, place = processes_of(state)[process], location_of(state, process)
    for number in range(count):
        put(state, place, at.ON_LOCAL_COMPLETE, time, window, row[at.NEXT_REQUEST] + number)
        put(state, place, at.ON_REMOTE_COMPLETE, time, window, row[at.NEXT_REQUEST] + number)
    row[at.NEXT_REQUEST] += count


@unchecked
def end_on_window(state: Any, process: Any, place: Any, time: Any) -> None:
    """End a fence, or the creation or release of a window."""
    code, row = code_of(state), processes_of(state)[process]
    op = row[at.CALL_AT]
    window, operation = code[op, at.AMOUNT], code[op, at.SLOT]
    if operation == at.CREATING:
        put(state, place, at.ON_WINDOW_CREATE, time, window)
    elif operation == at.FREEING:
        put(state, place, at.ON_WINDOW_DESTROY, time, window)
    complete_requests(state, process, time, window, code[op, at.COUNT])
    level = PROCESSES_AND_MEMORY if operation == at.FENCING else PROCESSES
    put(
        state, place, at.ON_WINDOW_END, time, operation, level, window, _NO_ROOT, _NOTHING, _NOTHING
    )  # fmt: skip
