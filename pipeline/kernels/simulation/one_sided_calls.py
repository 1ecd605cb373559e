"""Calls of one-sided communication: begin, end, and release of other processes."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.epochs import (
    begin_epoch_call,
    charge_late_post,
    end_epoch_call,
    partner_process,
)
from tracemill.kernels.simulation.one_sided import begin_remote, complete_requests, note_access
from tracemill.kernels.simulation.progress import begin_flush, charge_progress
from tracemill.kernels.simulation.releasing import release_call
from tracemill.kernels.simulation.tables import code_of, processes_of
from tracemill.kernels.simulation.window_locks import (
    begin_lock_call,
    end_lock_call,
    next_in_line,
    release_lock,
)


@unchecked
def begin_one_sided(state: Any, process: Any, now: Any, visit: Any, op: Any) -> None:
    """Begin an operation on remote memory or a call on a window; release processes that wait."""
    code = code_of(state)
    kind = code[op, at.CODE]
    if kind == at.REMOTE:
        begin_remote(state, process, now, op)
        if code[op, at.MODE] & at.IN_LOCK:
            begin_lock_call(state, process, now, visit, op)
    elif kind == at.LOCK or kind == at.UNLOCK:
        begin_lock_call(state, process, now, visit, op)
    elif kind == at.FLUSH:
        begin_flush(state, process, now, op)
    else:
        begin_epoch_call(state, process, now, visit, op)
        if kind == at.POST or kind == at.COMPLETE:
            for number in range(code[op, at.COUNT]):
                release_call(state, partner_process(state, process, op, number))


@unchecked
def end_one_sided(state: Any, process: Any, now: Any) -> None:
    """End an operation on remote memory or a call on a window."""
    row, code = processes_of(state)[process], code_of(state)
    op = row[at.CALL_AT]
    kind = code[op, at.CODE]
    row[at.IS_CHARGED] = 0
    if kind == at.REMOTE:
        note_access(state, process, now)
        if code[op, at.MODE] & at.IN_EPOCH:
            charge_late_post(state, process, now)
        elif code[op, at.MODE] & at.IN_LOCK:
            end_lock_call(state, process, now)
    elif kind == at.LOCK or kind == at.UNLOCK:
        end_lock_call(state, process, now)
    elif kind == at.FLUSH:
        complete_requests(state, process, now, code[op, at.PEER], code[op, at.AMOUNT])
    else:
        end_epoch_call(state, process, now)
    if kind == at.REMOTE or kind == at.COMPLETE or kind == at.UNLOCK or kind == at.FLUSH:
        charge_progress(state, process, now)
    if kind == at.UNLOCK:
        release_lock(state, process, now)
        other = next_in_line(state, op, now)
        while other != at.NOBODY:
            release_call(state, other)
            other = next_in_line(state, op, now)
