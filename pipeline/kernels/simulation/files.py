"""Files that all members of a communicator open, access and close, and files of one process.

    open ─ write ─ … ─ close: each call waits for all members

An access has a record at its begin and one at its end, both with its number.
"""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.pending import enqueue
from tracemill.kernels.simulation.recording import location_of, put
from tracemill.kernels.simulation.tables import code_of, counters_of, processes_of

# As in OTF2: access mode, creation flags and status flags of files; flags of operations.
_READ_AND_WRITE, _CREATE, _NO_STATUS = np.int64(2), np.int64(1), np.int64(0)
_PLAIN, _NONBLOCKING, _COLLECTIVE = np.int64(0), np.int64(1), np.int64(2)


@unchecked
def begin_access(state: Any, process: Any, now: Any, op: Any) -> None:
    """Begin an access of one process; it may need a channel of the storage."""
    code = code_of(state)
    put_begin(state, process, now, op, code[op, at.PEER], _PLAIN)
    if code[op, at.TARGET] != 0:
        is_writing = code[op, at.COUNT] == at.WRITING
        sender = process if is_writing else at.STORAGE
        receiver = at.STORAGE if is_writing else process
        enqueue(state, now, sender, receiver, at.OF_CALL, process, at.NOBODY)


@unchecked
def end_access(state: Any, process: Any, now: Any) -> None:
    """End an access of one process, shortly before its call ends."""
    op = processes_of(state)[process, at.CALL_AT]
    time = now - counters_of(state)[at.OVERHEAD] // 4
    put_end(state, process, time, op, code_of(state)[op, at.PEER])


@unchecked
def begin_on_file(state: Any, process: Any, now: Any, op: Any) -> None:
    """Begin a collective file operation."""
    if code_of(state)[op, at.SLOT] == at.ACCESSING:
        put_begin(state, process, now, op, code_of(state)[op, at.AMOUNT], _COLLECTIVE)


@unchecked
def end_on_file(state: Any, process: Any, place: Any, time: Any) -> None:
    """End a collective file operation."""
    op = processes_of(state)[process, at.CALL_AT]
    handle, operation = code_of(state)[op, at.AMOUNT], code_of(state)[op, at.SLOT]
    if operation == at.ACCESSING:
        put_end(state, process, time, op, handle)
    elif operation == at.OPENING:
        put(state, place, at.ON_FILE_OPEN, time, handle, _READ_AND_WRITE, _CREATE, _NO_STATUS)
    else:
        put(state, place, at.ON_FILE_CLOSE, time, handle)


@unchecked
def begin_nonblocking(state: Any, process: Any, time: Any, op: Any, request: Any) -> None:
    """Begin a non-blocking access."""
    code = code_of(state)
    put(
        state, location_of(state, process), at.ON_ACCESS_BEGIN, time, code[op, at.TAG],
        code[op, at.COUNT], _NONBLOCKING, code[op, at.BYTES], request,
    )  # fmt: skip


@unchecked
def end_nonblocking(
    state: Any, process: Any, time: Any, op: Any, size: Any, request: Any
) -> None:  # fmt: skip
    """End a non-blocking access of so many bytes."""
    place, handle = location_of(state, process), code_of(state)[op, at.TAG]
    put(state, place, at.ON_ACCESS_END, time, handle, size, request)


@unchecked
def put_begin(state: Any, process: Any, now: Any, op: Any, handle: Any, flags: Any) -> None:
    """Record the begin of an access."""
    code, time = code_of(state), now + counters_of(state)[at.OVERHEAD] // 4
    put(
        state, location_of(state, process), at.ON_ACCESS_BEGIN, time, handle, code[op, at.COUNT],
        flags, code[op, at.BYTES], processes_of(state)[process, at.NEXT_REQUEST],
    )  # fmt: skip


@unchecked
def put_end(state: Any, process: Any, time: Any, op: Any, handle: Any) -> None:
    """Record the end of an access."""
    row = processes_of(state)[process]
    put(
        state, location_of(state, process), at.ON_ACCESS_END, time, handle,
        code_of(state)[op, at.BYTES], row[at.NEXT_REQUEST],
    )  # fmt: skip
    row[at.NEXT_REQUEST] += 1
