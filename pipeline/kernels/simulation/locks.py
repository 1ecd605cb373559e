"""Locks: the threads of a team hold a lock in turn, in the order of their requests.

    request ─ … wait for the release … ─ acquire ─ hold ─ release

A critical section is one visit, with its block as a nested visit. Other locks are acquired in one
call and released in another.
"""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.recording import add_wait, enter, leave, put
from tracemill.kernels.simulation.schedule import noise, place_key, varied
from tracemill.kernels.simulation.tables import code_of, counters_of, processes_of, team_of

# Numbers of OpenMP and Pthreads in OTF2.
_OPENMP, _PTHREAD = np.int64(3), np.int64(7)
(VISIT, TIME, TURNS, RELEASED) = range(4)
"""Columns of `team`: visit of the region, current time of the thread, turns with the lock, and
time of the last release."""


@unchecked
def take_turns(state: Any, process: Any, first: Any, op: Any, section: Any) -> None:
    """Let every thread take the lock as often as instruction `op` says."""
    code, team = code_of(state), team_of(state)[0]
    members, turns = code[op, at.TAG], code[op, at.RECEIVED]
    for thread in range(members):
        team[thread, TURNS] = 0
    holder, released_in = at.NOBODY, at.NOBODY
    for _ in range(members * turns):
        next_one = at.NOBODY
        for thread in range(members):
            is_first = next_one == at.NOBODY or team[thread, TIME] < team[next_one, TIME]
            if team[thread, TURNS] < turns and is_first:
                next_one = thread
        released_in = hold_lock(state, process, first, next_one, op, section, holder, released_in)
        holder = next_one


@unchecked
def hold_lock(
    state: Any, process: Any, first: Any, thread: Any, op: Any, section: Any, holder: Any,
    released_in: Any,
) -> Any:  # fmt: skip
    """Let a thread take the lock after `holder`; returns the visit that releases it."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    kind, path, place = code[op, at.COMM], code[op, at.LOCK_PATH], first + thread
    salt = 65_536 + ((64 * section + thread) << 16) + team[thread, TURNS]
    key = place_key(counters, processes_of(state), process, op, salt)
    time = team[thread, TIME]
    visit = enter(state, place, path, time)
    acquired = time
    if holder != at.NOBODY and team[holder, RELEASED] > time:
        acquired = team[holder, RELEASED]
        if counters[at.HAS_TRUTH] != 0:
            add_wait(
                state, at.LOCK_WAIT + kind, place, visit, path, time, time, acquired - time,
                first + holder, released_in, acquired, at.NO,
            )  # fmt: skip
    acquired += 1 + noise(counters, key, counters[at.OVERHEAD])
    processes_of(state)[process, at.LOCK_COUNTS + kind] += 1
    record_lock(state, process, place, at.ON_ACQUIRE, acquired, kind)
    if kind != at.CRITICAL:
        acquired += 1
        leave(state, place, path, acquired)
    enter(state, place, path + 1, acquired)
    time = acquired + varied(code[op, at.BYTES], code[op, at.MODE], key)
    leave(state, place, path + 1, time)
    if kind != at.CRITICAL:
        path += 2
        visit = enter(state, place, path, time)
    record_lock(state, process, place, at.ON_RELEASE, time + 1, kind)
    leave(state, place, path, time + 2)
    team[thread, RELEASED], team[thread, TIME] = time + 1, time + 3
    team[thread, TURNS] += 1
    return visit


@unchecked
def record_lock(state: Any, process: Any, place: Any, event: Any, time: Any, kind: Any) -> None:
    """A record of the lock of a kind, which a process has one of."""
    order = processes_of(state)[process, at.LOCK_COUNTS + kind]
    paradigm = _PTHREAD if kind == at.MUTEX else _OPENMP
    put(state, place, event, time, paradigm, kind, order)
