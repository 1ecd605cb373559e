"""Progress: what is done to the memory of a process may last until that enters MPI.

Whether a call waited for that is told as an observer has to tell it: the target was outside MPI
when the call was entered, came into it once until the call was left, and the call lasted no longer
after that than before.
"""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.epochs import charge, partner_process
from tracemill.kernels.simulation.layout import (
    ARRIVAL_NS,
    AWAITING_FIRST,
    AWAITING_NEXT,
    CALL_AT,
    CALL_ENTER,
    CODE,
    COMM,
    COMPLETE,
    IN_CALL,
    IS_CHARGED,
    NOBODY,
    OVERHEAD,
    PROGRESS_WAIT,
    RECEIVED,
    REMOTE,
    REMOTE_RANK,
    SLOT,
    STATE,
    STAY_COUNT,
    STAY_ENTER,
    STAY_LEAVE,
    STAY_VISIT,
    STAY_WIDTH,
)
from tracemill.kernels.simulation.recording import location_of
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
    counters_of,
    processes_of,
    stays_of,
)


@part
def note_entry(state: Any, process: Any, now: Any, visit: Any) -> None:
    """A process enters MPI."""
    stays = stays_of(state)[process]
    for place in range(STAY_COUNT - 1, 0, -1):
        for column in range(STAY_WIDTH):
            stays[place, column] = stays[place - 1, column]
    stays[0, STAY_ENTER], stays[0, STAY_LEAVE], stays[0, STAY_VISIT] = now, NOBODY, visit


@part
def note_exit(state: Any, process: Any, now: Any) -> None:
    """A process leaves MPI."""
    stays_of(state)[process, 0, STAY_LEAVE] = now


# --- Waiting for it ------------------------------------------------------------------------------


@part
def begin_flush(state: Any, process: Any, now: Any, at: Any) -> None:
    """Come to a call that cannot be left before the target is in MPI."""
    rows = processes_of(state)
    target = target_of_lock(state, at)
    if target == process or rows[target, STATE] == IN_CALL:
        rows[process, ARRIVAL_NS] = now
        return
    rows[process, ARRIVAL_NS] = NOBODY
    rows[process, AWAITING_NEXT] = rows[target, AWAITING_FIRST]
    rows[target, AWAITING_FIRST] = process


@part
def target_of_lock(state: Any, at: Any) -> Any:
    """The process whose lock instruction `at` is about."""
    code = code_of(state)
    return comm_members_of(state)[code[at, COMM], code[at, RECEIVED]]


@part
def flush_leave(state: Any, process: Any) -> Any:
    """When a flush can be left; NOBODY if not known yet."""
    row, overhead = processes_of(state)[process], counters_of(state)[OVERHEAD]
    if row[ARRIVAL_NS] == NOBODY:
        return NOBODY
    return max(row[CALL_ENTER] + overhead, row[ARRIVAL_NS] + overhead // 2)


# --- Who waited ----------------------------------------------------------------------------------


@part
def arrival_of(state: Any, target: Any, begin: Any, end: Any) -> Any:
    """Which stay of a target in MPI a call from `begin` to `end` waited for, NOBODY if none."""
    stays = stays_of(state)[target]
    first = 0
    while first < STAY_COUNT and stays[first, STAY_ENTER] >= end:
        first += 1
    if first >= STAY_COUNT - 1 or stays[first, STAY_ENTER] <= begin:
        return NOBODY
    arrival, before = stays[first, STAY_ENTER], stays[first + 1]
    if before[STAY_ENTER] != NOBODY:
        if before[STAY_ENTER] > begin or before[STAY_LEAVE] > begin:
            return NOBODY
    return first if end - arrival <= arrival - begin else NOBODY


@part
def charge_progress(state: Any, process: Any, now: Any) -> None:
    """A call on memory of others is over; it may have waited for one of them to enter MPI."""
    row, code = processes_of(state)[process], code_of(state)
    at, begin = row[CALL_AT], row[CALL_ENTER]
    if row[IS_CHARGED] != 0:
        return
    last, last_ns, last_place = NOBODY, NOBODY, NOBODY
    kind = code[at, CODE]
    for number in range(code[at, SLOT] if kind == COMPLETE else 1):
        if kind == COMPLETE:
            target = partner_process(state, process, at, number)
        elif kind == REMOTE:
            target = comm_members_of(state)[code[at, COMM], row[REMOTE_RANK]]
        else:
            target = target_of_lock(state, at)
        if target == process:
            continue
        place = arrival_of(state, target, begin, now)
        if place == NOBODY:
            continue
        time = stays_of(state)[target, place, STAY_ENTER]
        if time > last_ns or (time == last_ns and target < last):
            last, last_ns, last_place = target, time, place
    if last != NOBODY:
        visit = stays_of(state)[last, last_place, STAY_VISIT]
        cause = location_of(state, last)
        charge(state, process, PROGRESS_WAIT, begin, last_ns, cause, visit, last_ns)
