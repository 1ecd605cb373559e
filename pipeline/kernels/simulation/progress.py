"""Progress: operations on the memory of a process may wait until it enters MPI.

A call waited for progress if its target was outside MPI at the begin of the call and entered MPI
once during it, and if the call lasted no longer after that than before. A trace shows no more.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.epochs import charge, partner_process
from tracemill.kernels.simulation.recording import location_of
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
    counters_of,
    processes_of,
    stays_of,
)


@unchecked
def note_entry(state: Any, process: Any, now: Any, visit: Any) -> None:
    """Note that a process enters MPI."""
    stays = stays_of(state)[process]
    for place in range(at.STAY_COUNT - 1, 0, -1):
        for column in range(at.STAY_WIDTH):
            stays[place, column] = stays[place - 1, column]
    stays[0, at.STAY_ENTER], stays[0, at.STAY_LEAVE], stays[0, at.STAY_VISIT] = (
        now,
        at.NOBODY,
        visit,
    )


@unchecked
def note_exit(state: Any, process: Any, now: Any) -> None:
    """Note that a process leaves MPI."""
    stays_of(state)[process, 0, at.STAY_LEAVE] = now


# --- Flushes -------------------------------------------------------------------------------------


@unchecked
def begin_flush(state: Any, process: Any, now: Any, op: Any) -> None:
    """Begin a flush, which lasts until its target is in MPI."""
    rows = processes_of(state)
    target = target_of_lock(state, op)
    if target == process or rows[target, at.STATE] == at.IN_CALL:
        rows[process, at.ARRIVAL_NS] = now
        return
    rows[process, at.ARRIVAL_NS] = at.NOBODY
    rows[process, at.AWAITING_NEXT] = rows[target, at.AWAITING_FIRST]
    rows[target, at.AWAITING_FIRST] = process


@unchecked
def target_of_lock(state: Any, op: Any) -> Any:
    """Process of the lock of instruction `op`."""
    code = code_of(state)
    return comm_members_of(state)[code[op, at.COMM], code[op, at.RECEIVED]]


@unchecked
def flush_leave(state: Any, process: Any) -> Any:
    """End of a flush (ns); NOBODY if not known yet."""
    row, overhead = processes_of(state)[process], counters_of(state)[at.OVERHEAD]
    if row[at.ARRIVAL_NS] == at.NOBODY:
        return at.NOBODY
    return max(row[at.CALL_ENTER] + overhead, row[at.ARRIVAL_NS] + overhead // 2)


# --- Waits ---------------------------------------------------------------------------------------


@unchecked
def arrival_of(state: Any, target: Any, begin: Any, end: Any) -> Any:
    """Stay of a target in MPI that a call from `begin` to `end` waited for, or NOBODY."""
    stays = stays_of(state)[target]
    first = 0
    while first < at.STAY_COUNT and stays[first, at.STAY_ENTER] >= end:
        first += 1
    if first >= at.STAY_COUNT - 1 or stays[first, at.STAY_ENTER] <= begin:
        return at.NOBODY
    arrival, before = stays[first, at.STAY_ENTER], stays[first + 1]
    if before[at.STAY_ENTER] != at.NOBODY:
        if before[at.STAY_ENTER] > begin or before[at.STAY_LEAVE] > begin:
            return at.NOBODY
    return first if end - arrival <= arrival - begin else at.NOBODY


@unchecked
def charge_progress(state: Any, process: Any, now: Any) -> None:
    """Add the wait of a call for progress of its targets, if it had one."""
    row, code = processes_of(state)[process], code_of(state)
    op, begin = row[at.CALL_AT], row[at.CALL_ENTER]
    if row[at.IS_CHARGED] != 0:
        return
    last, last_ns, last_place = at.NOBODY, at.NOBODY, at.NOBODY
    kind = code[op, at.CODE]
    for number in range(code[op, at.SLOT] if kind == at.COMPLETE else 1):
        if kind == at.COMPLETE:
            target = partner_process(state, process, op, number)
        elif kind == at.REMOTE:
            target = comm_members_of(state)[code[op, at.COMM], row[at.REMOTE_RANK]]
        else:
            target = target_of_lock(state, op)
        if target == process:
            continue
        place = arrival_of(state, target, begin, now)
        if place == at.NOBODY:
            continue
        time = stays_of(state)[target, place, at.STAY_ENTER]
        if time > last_ns or (time == last_ns and target < last):
            last, last_ns, last_place = target, time, place
    if last != at.NOBODY:
        visit = stays_of(state)[last, last_place, at.STAY_VISIT]
        cause = location_of(state, last)
        charge(state, process, at.PROGRESS_WAIT, begin, last_ns, cause, visit, last_ns)
