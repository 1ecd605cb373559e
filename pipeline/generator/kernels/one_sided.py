"""One-sided communication: data is put and got, and is there after the fence that follows.

    fence ─ put ─ put ─ get ─ … ─ fence: all are complete, here and there

What is put into, or got from, the same rank of a window between two fences shares a request, as
Score-P has it.
"""

from typing import Any

import numpy as np

from pipeline.generator.kernels.compiled import part
from pipeline.generator.kernels.layout import (
    AMOUNT,
    BYTES,
    CALL_AT,
    COMM,
    COUNT,
    CREATING,
    FENCING,
    FREEING,
    NEXT_REQUEST,
    ON_LOCAL_COMPLETE,
    ON_REMOTE_COMPLETE,
    ON_WINDOW_CREATE,
    ON_WINDOW_DESTROY,
    ON_WINDOW_END,
    OVERHEAD,
    PEER,
    REGISTER,
    SLOT,
    TARGET,
)
from pipeline.generator.kernels.recording import location_of, put
from pipeline.generator.kernels.tables import (
    code_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    processes_of,
)

# Numbers as in OTF2: what is synchronised, and that there is no root.
_PROCESSES, _PROCESSES_AND_MEMORY = np.int64(1), np.int64(3)
_NO_ROOT, _NOTHING = np.int64(0xFFFFFFFF), np.int64(0)


@part
def begin_remote(state: Any, process: Any, now: Any, at: Any) -> None:
    """Put or get, with the first rank after the own one, in the next round with the one after."""
    code, row = code_of(state), processes_of(state)[process]
    comm, number = code[at, COMM], row[REGISTER + 1]
    size = comm_sizes_of(state)[comm]
    rank = (comm_ranks_of(state)[comm, process] + 1 + number) % size
    request = row[NEXT_REQUEST] + code[at, TARGET] + number % size
    time = now + counters_of(state)[OVERHEAD] // 4
    place = location_of(state, process)
    put(state, place, code[at, SLOT], time, code[at, PEER], rank, code[at, BYTES], request)


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
    for number in range(code[at, COUNT]):
        put(state, place, ON_LOCAL_COMPLETE, time, window, row[NEXT_REQUEST] + number)
        put(state, place, ON_REMOTE_COMPLETE, time, window, row[NEXT_REQUEST] + number)
    row[NEXT_REQUEST] += code[at, COUNT]
    level = _PROCESSES_AND_MEMORY if operation == FENCING else _PROCESSES
    put(
        state, place, ON_WINDOW_END, time, operation, level, window, _NO_ROOT, _NOTHING, _NOTHING
    )  # fmt: skip
