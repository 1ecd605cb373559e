"""Locks of windows: processes wait in a queue until the lock is free.

    rank 1   [ lock ] put … [ unlock ]
    rank 2      [ lock .................] put … [ unlock ]

A lock is free when the call that releases it ends. A lazy lock is requested by the first operation
that needs it, or by its release.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.epochs import charge
from tracemill.kernels.simulation.one_sided import complete_requests
from tracemill.kernels.simulation.recording import add_wait, location_of, put
from tracemill.kernels.simulation.tables import code_of, counters_of, locks_of, processes_of


@unchecked
def begin_lock_call(state: Any, process: Any, now: Any, visit: Any, op: Any) -> None:
    """Begin a call that requests a lock or needs one."""
    row, code = processes_of(state)[process], code_of(state)
    if code[op, at.CODE] == at.LOCK:
        row[at.LOCK_STATE], row[at.LOCK_AT], row[at.LOCK_ENTER] = at.UNREQUESTED, op, now
        row[at.LOCK_VISIT], row[at.LOCK_LEAVE] = visit, at.NOBODY
        time = now + counters_of(state)[at.OVERHEAD] // 4
        place, rank = location_of(state, process), code[op, at.RECEIVED]
        put(state, place, at.ON_LOCK, time, code[op, at.PEER], rank, 0, code[op, at.SLOT])
        if code[op, at.MODE] == at.LAZY:
            return
    if row[at.LOCK_STATE] == at.UNREQUESTED:
        request_lock(state, process, now)


@unchecked
def is_exclusive(state: Any, process: Any) -> Any:
    """Whether a process requests or holds an exclusive lock."""
    return code_of(state)[processes_of(state)[process, at.LOCK_AT], at.SLOT] == at.EXCLUSIVE


@unchecked
def is_available(state: Any, process: Any, lock: Any) -> Any:
    """Whether the holders of a lock let a process have it."""
    if is_exclusive(state, process):
        return lock[at.HOLDERS] == 0
    return lock[at.IS_EXCLUSIVE] == 0


@unchecked
def request_lock(state: Any, process: Any, now: Any) -> None:
    """Take the lock, or join its queue."""
    rows, code = processes_of(state), code_of(state)
    op = rows[process, at.LOCK_AT]
    lock = locks_of(state)[code[op, at.PEER], code[op, at.RECEIVED]]
    rows[process, at.LOCK_STATE] = at.REQUESTED
    if lock[at.QUEUE_FIRST] == at.NOBODY and is_available(state, process, lock):
        grant_lock(state, process, lock, now)
        return
    rows[process, at.QUEUE_NEXT] = at.NOBODY
    if lock[at.QUEUE_FIRST] == at.NOBODY:
        lock[at.QUEUE_FIRST] = process
    else:
        rows[lock[at.QUEUE_LAST], at.QUEUE_NEXT] = process
    lock[at.QUEUE_LAST] = process


@unchecked
def grant_lock(state: Any, process: Any, lock: Any, now: Any) -> None:
    """Give the lock to a process."""
    row = processes_of(state)[process]
    row[at.LOCK_STATE], row[at.GRANT_NS] = at.GRANTED, now
    lock[at.HOLDERS] += 1
    lock[at.IS_EXCLUSIVE] = 1 if is_exclusive(state, process) else 0


@unchecked
def lock_call_leave(state: Any, process: Any, op: Any) -> Any:
    """End of a call that may need a lock (ns); NOBODY if not known yet."""
    row, code, counters = processes_of(state)[process], code_of(state), counters_of(state)
    time = row[at.CALL_ENTER] + (
        code[op, at.AMOUNT] if code[op, at.CODE] == at.REMOTE else counters[at.OVERHEAD]
    )
    if code[op, at.CODE] == at.LOCK and code[op, at.MODE] == at.LAZY:
        return time
    if row[at.LOCK_STATE] != at.GRANTED:
        return at.NOBODY
    return max(time, row[at.GRANT_NS] + counters[at.LATENCY])


@unchecked
def next_in_line(state: Any, op: Any, now: Any) -> Any:
    """Give a lock to the next process in the queue; returns it, or NOBODY."""
    code = code_of(state)
    lock = locks_of(state)[code[op, at.PEER], code[op, at.RECEIVED]]
    process = lock[at.QUEUE_FIRST]
    if process == at.NOBODY or not is_available(state, process, lock):
        return at.NOBODY
    lock[at.QUEUE_FIRST] = processes_of(state)[process, at.QUEUE_NEXT]
    grant_lock(state, process, lock, now)
    return process


# --- Waits ---------------------------------------------------------------------------------------


@unchecked
def waited_ns(lock: Any, first: Any, enter: Any, leave: Any) -> Any:
    """Possible wait of a call (ns) for the release whose columns begin at `first`."""
    if lock[first + at.RELEASE_NS] <= enter or leave <= lock[first + at.RELEASE_ENTER]:
        return 0
    return min(lock[first + at.RELEASE_NS], leave) - enter


@unchecked
def charge_lock_wait(state: Any, process: Any, now: Any) -> None:
    """Add the wait of the call that needed the lock, or of the call that requested it."""
    row, code = processes_of(state)[process], code_of(state)
    lock = locks_of(state)[code[row[at.LOCK_AT], at.PEER], code[row[at.LOCK_AT], at.RECEIVED]]
    first = at.LAST_RELEASE if is_exclusive(state, process) else at.LAST_EXCLUSIVE
    cause, visit = lock[first + at.RELEASE_LOCATION], lock[first + at.RELEASE_VISIT]
    began = lock[first + at.RELEASE_ENTER]
    if lock[first + at.RELEASE_NS] == at.NOBODY:
        return
    own = waited_ns(lock, first, row[at.CALL_ENTER], now)
    requesting = waited_ns(lock, first, row[at.LOCK_ENTER], row[at.LOCK_LEAVE])
    if code[row[at.CALL_AT], at.CODE] == at.LOCK:
        requesting = 0
    if own > requesting:
        is_access = code[row[at.CALL_AT], at.CODE] == at.REMOTE
        property_ = at.COMM_LOCK_WAIT if is_access else at.SYNC_LOCK_WAIT
        until = row[at.CALL_ENTER] + own
        charge(state, process, property_, row[at.CALL_ENTER], until, cause, visit, began)
        row[at.IS_CHARGED] = 1
    elif requesting > 0:
        add_wait(
            state, at.SYNC_LOCK_WAIT, location_of(state, process), row[at.LOCK_VISIT],
            code[row[at.LOCK_AT], at.PATH], row[at.LOCK_ENTER], row[at.LOCK_ENTER], requesting,
            cause, visit, began, True,
        )  # fmt: skip


# --- Leaving -------------------------------------------------------------------------------------


@unchecked
def end_lock_call(state: Any, process: Any, now: Any) -> None:
    """End a call that requested a lock or needed one."""
    row, code = processes_of(state)[process], code_of(state)
    op = row[at.CALL_AT]
    if code[op, at.CODE] == at.LOCK:
        row[at.LOCK_LEAVE] = now
    is_first = row[at.LOCK_STATE] == at.GRANTED and row[at.GRANT_NS] != at.NOBODY
    if is_first:
        charge_lock_wait(state, process, now)
        row[at.GRANT_NS] = at.NOBODY


@unchecked
def release_lock(state: Any, process: Any, now: Any) -> None:
    """Release a lock: add records, and note the release."""
    row, code = processes_of(state)[process], code_of(state)
    op, place = row[at.CALL_AT], location_of(state, process)
    complete_requests(state, process, now, code[op, at.PEER], code[op, at.AMOUNT])
    put(state, place, at.ON_UNLOCK, now, code[op, at.PEER], code[op, at.RECEIVED], 0)
    lock = locks_of(state)[code[op, at.PEER], code[op, at.RECEIVED]]
    note_release(lock, at.LAST_RELEASE, place, row, now)
    if is_exclusive(state, process):
        note_release(lock, at.LAST_EXCLUSIVE, place, row, now)
    lock[at.HOLDERS] -= 1
    lock[at.IS_EXCLUSIVE] = 0
    row[at.LOCK_STATE] = at.UNREQUESTED


@unchecked
def note_release(lock: Any, first: Any, place: Any, row: Any, now: Any) -> None:
    """Note the last release; lowest location of equals."""
    if lock[first + at.RELEASE_NS] == now and lock[first + at.RELEASE_LOCATION] < place:
        return
    lock[first + at.RELEASE_NS], lock[first + at.RELEASE_LOCATION] = now, place
    lock[first + at.RELEASE_VISIT], lock[first + at.RELEASE_ENTER] = (
        row[at.CALL_VISIT],
        row[at.CALL_ENTER],
    )
