"""Calls of one-sided communication: coming to them, leaving them, and letting others go on."""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.epochs import (
    begin_epoch_call,
    charge_late_post,
    end_epoch_call,
    partner_process,
)
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    CALL_AT,
    CODE,
    COMPLETE,
    COUNT,
    FLUSH,
    IN_EPOCH,
    IN_LOCK,
    IS_CHARGED,
    LOCK,
    MODE,
    NOBODY,
    PEER,
    POST,
    REMOTE,
    UNLOCK,
)
from tracemill.kernels.simulation.one_sided import begin_remote, complete_requests, note_access
from tracemill.kernels.simulation.progress import begin_flush, charge_progress
from tracemill.kernels.simulation.releasing import release_call
from tracemill.kernels.simulation.tables import code_of, processes_of
from tracemill.kernels.simulation.window_locks import (
    begin_lock_call,
    end_lock_call,
    give_back,
    next_in_line,
)


@part
def begin_one_sided(state: Any, process: Any, now: Any, visit: Any, at: Any) -> None:
    """Come to an operation on memory of others, or to a call on a window; let others go on."""
    code = code_of(state)
    kind = code[at, CODE]
    if kind == REMOTE:
        begin_remote(state, process, now, at)
        if code[at, MODE] & IN_LOCK:
            begin_lock_call(state, process, now, visit, at)
    elif kind == LOCK or kind == UNLOCK:
        begin_lock_call(state, process, now, visit, at)
    elif kind == FLUSH:
        begin_flush(state, process, now, at)
    else:
        begin_epoch_call(state, process, now, visit, at)
        if kind == POST or kind == COMPLETE:
            for number in range(code[at, COUNT]):
                release_call(state, partner_process(state, process, at, number))


@part
def end_one_sided(state: Any, process: Any, now: Any) -> None:
    """An operation on memory of others, or a call on a window, is over."""
    row, code = processes_of(state)[process], code_of(state)
    at = row[CALL_AT]
    kind = code[at, CODE]
    row[IS_CHARGED] = 0
    if kind == REMOTE:
        note_access(state, process, now)
        if code[at, MODE] & IN_EPOCH:
            charge_late_post(state, process, now)
        elif code[at, MODE] & IN_LOCK:
            end_lock_call(state, process, now)
    elif kind == LOCK or kind == UNLOCK:
        end_lock_call(state, process, now)
    elif kind == FLUSH:
        complete_requests(state, process, now, code[at, PEER], code[at, AMOUNT])
    else:
        end_epoch_call(state, process, now)
    if kind == REMOTE or kind == COMPLETE or kind == UNLOCK or kind == FLUSH:
        charge_progress(state, process, now)
    if kind == UNLOCK:
        give_back(state, process, now)
        other = next_in_line(state, at, now)
        while other != NOBODY:
            release_call(state, other)
            other = next_in_line(state, at, now)
