"""Locks of windows: who wants one waits in line until it is free.

    rank 1   [ lock ] put … [ unlock ]
    rank 2      [ lock .................] put … [ unlock ]

A lock is free when the call that gives it back is left. Lazily, it is wanted only by the first
operation that needs it, or by giving it back.
"""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.epochs import charge
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    CALL_AT,
    CALL_ENTER,
    CALL_VISIT,
    CODE,
    COMM_LOCK_WAIT,
    EXCLUSIVE,
    GRANT_NS,
    GRANTED,
    HOLDERS,
    IS_CHARGED,
    IS_EXCLUSIVE,
    LAST_EXCLUSIVE,
    LAST_RELEASE,
    LATENCY,
    LAZY,
    LOCK,
    LOCK_AT,
    LOCK_ENTER,
    LOCK_LEAVE,
    LOCK_STATE,
    LOCK_VISIT,
    MODE,
    NOBODY,
    ON_LOCK,
    ON_UNLOCK,
    OVERHEAD,
    PATH,
    PEER,
    QUEUE_FIRST,
    QUEUE_LAST,
    QUEUE_NEXT,
    RECEIVED,
    RELEASE_ENTER,
    RELEASE_LOCATION,
    RELEASE_NS,
    RELEASE_VISIT,
    REMOTE,
    REQUESTED,
    SLOT,
    SYNC_LOCK_WAIT,
    UNREQUESTED,
)
from tracemill.kernels.simulation.one_sided import complete_requests
from tracemill.kernels.simulation.recording import add_wait, location_of, put
from tracemill.kernels.simulation.tables import code_of, counters_of, locks_of, processes_of


@part
def begin_lock_call(state: Any, process: Any, now: Any, visit: Any, at: Any) -> None:
    """Ask for a lock, now or lazily, or come to an operation or a release that needs it."""
    row, code = processes_of(state)[process], code_of(state)
    if code[at, CODE] == LOCK:
        row[LOCK_STATE], row[LOCK_AT], row[LOCK_ENTER] = UNREQUESTED, at, now
        row[LOCK_VISIT], row[LOCK_LEAVE] = visit, NOBODY
        time = now + counters_of(state)[OVERHEAD] // 4
        place, rank = location_of(state, process), code[at, RECEIVED]
        put(state, place, ON_LOCK, time, code[at, PEER], rank, 0, code[at, SLOT])
        if code[at, MODE] == LAZY:
            return
    if row[LOCK_STATE] == UNREQUESTED:
        request_lock(state, process, now)


@part
def is_wanted_alone(state: Any, process: Any) -> Any:
    """Whether the lock that a process wants or has is an exclusive one."""
    return code_of(state)[processes_of(state)[process, LOCK_AT], SLOT] == EXCLUSIVE


@part
def can_have(state: Any, process: Any, lock: Any) -> Any:
    """Whether a process can have the lock together with those that hold it."""
    if is_wanted_alone(state, process):
        return lock[HOLDERS] == 0
    return lock[IS_EXCLUSIVE] == 0


@part
def request_lock(state: Any, process: Any, now: Any) -> None:
    """Take the lock, or wait in line."""
    rows, code = processes_of(state), code_of(state)
    at = rows[process, LOCK_AT]
    lock = locks_of(state)[code[at, PEER], code[at, RECEIVED]]
    rows[process, LOCK_STATE] = REQUESTED
    if lock[QUEUE_FIRST] == NOBODY and can_have(state, process, lock):
        grant_lock(state, process, lock, now)
        return
    rows[process, QUEUE_NEXT] = NOBODY
    if lock[QUEUE_FIRST] == NOBODY:
        lock[QUEUE_FIRST] = process
    else:
        rows[lock[QUEUE_LAST], QUEUE_NEXT] = process
    lock[QUEUE_LAST] = process


@part
def grant_lock(state: Any, process: Any, lock: Any, now: Any) -> None:
    """A process has the lock from now on."""
    row = processes_of(state)[process]
    row[LOCK_STATE], row[GRANT_NS] = GRANTED, now
    lock[HOLDERS] += 1
    lock[IS_EXCLUSIVE] = 1 if is_wanted_alone(state, process) else 0


@part
def lock_call_leave(state: Any, process: Any, at: Any) -> Any:
    """When a call that may need a lock can be left; NOBODY if not known yet."""
    row, code, counters = processes_of(state)[process], code_of(state), counters_of(state)
    time = row[CALL_ENTER] + (code[at, AMOUNT] if code[at, CODE] == REMOTE else counters[OVERHEAD])
    if code[at, CODE] == LOCK and code[at, MODE] == LAZY:
        return time
    if row[LOCK_STATE] != GRANTED:
        return NOBODY
    return max(time, row[GRANT_NS] + counters[LATENCY])


@part
def next_in_line(state: Any, at: Any, now: Any) -> Any:
    """Give a lock to the next process that can have it; returns that, or NOBODY."""
    code = code_of(state)
    lock = locks_of(state)[code[at, PEER], code[at, RECEIVED]]
    process = lock[QUEUE_FIRST]
    if process == NOBODY or not can_have(state, process, lock):
        return NOBODY
    lock[QUEUE_FIRST] = processes_of(state)[process, QUEUE_NEXT]
    grant_lock(state, process, lock, now)
    return process


# --- Who waited ----------------------------------------------------------------------------------


@part
def waited_ns(lock: Any, first: Any, enter: Any, leave: Any) -> Any:
    """How long a call may have waited for the release that begins at column `first`."""
    if lock[first + RELEASE_NS] <= enter or leave <= lock[first + RELEASE_ENTER]:
        return 0
    return min(lock[first + RELEASE_NS], leave) - enter


@part
def charge_lock_wait(state: Any, process: Any, now: Any) -> None:
    """The call that needed the lock is over; it waited, or asking for the lock did."""
    row, code = processes_of(state)[process], code_of(state)
    lock = locks_of(state)[code[row[LOCK_AT], PEER], code[row[LOCK_AT], RECEIVED]]
    first = LAST_RELEASE if is_wanted_alone(state, process) else LAST_EXCLUSIVE
    cause, visit = lock[first + RELEASE_LOCATION], lock[first + RELEASE_VISIT]
    began = lock[first + RELEASE_ENTER]
    if lock[first + RELEASE_NS] == NOBODY:
        return
    own = waited_ns(lock, first, row[CALL_ENTER], now)
    asking = waited_ns(lock, first, row[LOCK_ENTER], row[LOCK_LEAVE])
    if code[row[CALL_AT], CODE] == LOCK:
        asking = 0
    if own > asking:
        is_access = code[row[CALL_AT], CODE] == REMOTE
        property_ = COMM_LOCK_WAIT if is_access else SYNC_LOCK_WAIT
        until = row[CALL_ENTER] + own
        charge(state, process, property_, row[CALL_ENTER], until, cause, visit, began)
        row[IS_CHARGED] = 1
    elif asking > 0:
        add_wait(
            state, SYNC_LOCK_WAIT, location_of(state, process), row[LOCK_VISIT],
            code[row[LOCK_AT], PATH], row[LOCK_ENTER], row[LOCK_ENTER], asking, cause, visit,
            began, True,
        )  # fmt: skip


# --- Leaving -------------------------------------------------------------------------------------


@part
def end_lock_call(state: Any, process: Any, now: Any) -> None:
    """A call that asked for a lock, or needed one, is over."""
    row, code = processes_of(state)[process], code_of(state)
    at = row[CALL_AT]
    if code[at, CODE] == LOCK:
        row[LOCK_LEAVE] = now
    is_first = row[LOCK_STATE] == GRANTED and row[GRANT_NS] != NOBODY
    if is_first:
        charge_lock_wait(state, process, now)
        row[GRANT_NS] = NOBODY


@part
def give_back(state: Any, process: Any, now: Any) -> None:
    """A lock is free: records, and what the next ones have to know."""
    row, code = processes_of(state)[process], code_of(state)
    at, place = row[CALL_AT], location_of(state, process)
    complete_requests(state, process, now, code[at, PEER], code[at, AMOUNT])
    put(state, place, ON_UNLOCK, now, code[at, PEER], code[at, RECEIVED], 0)
    lock = locks_of(state)[code[at, PEER], code[at, RECEIVED]]
    note_release(lock, LAST_RELEASE, place, row, now)
    if is_wanted_alone(state, process):
        note_release(lock, LAST_EXCLUSIVE, place, row, now)
    lock[HOLDERS] -= 1
    lock[IS_EXCLUSIVE] = 0
    row[LOCK_STATE] = UNREQUESTED


@part
def note_release(lock: Any, first: Any, place: Any, row: Any, now: Any) -> None:
    """Remember the last release, of those at the same time that of the lowest location."""
    if lock[first + RELEASE_NS] == now and lock[first + RELEASE_LOCATION] < place:
        return
    lock[first + RELEASE_NS], lock[first + RELEASE_LOCATION] = now, place
    lock[first + RELEASE_VISIT], lock[first + RELEASE_ENTER] = row[CALL_VISIT], row[CALL_ENTER]
