"""Files: opened, accessed and closed by all members of a communicator, or accessed by one process.

    open ─ write ─ … ─ close: nobody goes on before all members have come

What is read or written is recorded where it begins and where it ends, with a number of its own.
"""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ACCESSING,
    AMOUNT,
    BYTES,
    CALL_AT,
    COUNT,
    NEXT_REQUEST,
    ON_ACCESS_BEGIN,
    ON_ACCESS_END,
    ON_FILE_CLOSE,
    ON_FILE_OPEN,
    OPENING,
    OVERHEAD,
    PEER,
    SLOT,
)
from tracemill.kernels.simulation.recording import location_of, put
from tracemill.kernels.simulation.tables import code_of, counters_of, processes_of

# As in OTF2: what may be done with the file, and what is special about an operation.
_READ_AND_WRITE, _CREATE, _NO_STATUS = np.int64(2), np.int64(1), np.int64(0)
_PLAIN, _COLLECTIVE = np.int64(0), np.int64(2)


@part
def begin_access(state: Any, process: Any, now: Any, at: Any) -> None:
    """A process begins to read or write on its own."""
    put_begin(state, process, now, at, code_of(state)[at, PEER], _PLAIN)


@part
def end_access(state: Any, process: Any, now: Any) -> None:
    """It is over a little before the call is left."""
    at = processes_of(state)[process, CALL_AT]
    time = now - counters_of(state)[OVERHEAD] // 4
    put_end(state, process, time, at, code_of(state)[at, PEER])


@part
def begin_on_file(state: Any, process: Any, now: Any, at: Any) -> None:
    """A process comes to what all members do with a file."""
    if code_of(state)[at, SLOT] == ACCESSING:
        put_begin(state, process, now, at, code_of(state)[at, AMOUNT], _COLLECTIVE)


@part
def end_on_file(state: Any, process: Any, place: Any, time: Any) -> None:
    """All members have opened, accessed or closed a file."""
    at = processes_of(state)[process, CALL_AT]
    handle, operation = code_of(state)[at, AMOUNT], code_of(state)[at, SLOT]
    if operation == ACCESSING:
        put_end(state, process, time, at, handle)
    elif operation == OPENING:
        put(state, place, ON_FILE_OPEN, time, handle, _READ_AND_WRITE, _CREATE, _NO_STATUS)
    else:
        put(state, place, ON_FILE_CLOSE, time, handle)


@part
def put_begin(state: Any, process: Any, now: Any, at: Any, handle: Any, flags: Any) -> None:
    """Record that a process begins to read or write."""
    code, time = code_of(state), now + counters_of(state)[OVERHEAD] // 4
    put(
        state, location_of(state, process), ON_ACCESS_BEGIN, time, handle, code[at, COUNT], flags,
        code[at, BYTES], processes_of(state)[process, NEXT_REQUEST],
    )  # fmt: skip


@part
def put_end(state: Any, process: Any, time: Any, at: Any, handle: Any) -> None:
    """Record that it has read or written."""
    row = processes_of(state)[process]
    put(
        state, location_of(state, process), ON_ACCESS_END, time, handle, code_of(state)[at, BYTES],
        row[NEXT_REQUEST],
    )  # fmt: skip
    row[NEXT_REQUEST] += 1
