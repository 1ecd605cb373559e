"""Locks: the threads of a team take turns, in the order in which they ask.

    asks ─ … waits until the one before releases … ─ acquired ─ has it ─ released

A critical section is a single visit, in which the block inside is another one. Other locks are
taken in one call and given back in another.
"""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    BYTES,
    COMM,
    CRITICAL,
    HAS_TRUTH,
    LOCK_COUNTS,
    LOCK_PATH,
    LOCK_WAIT,
    MODE,
    MUTEX,
    NO,
    NOBODY,
    ON_ACQUIRE,
    ON_RELEASE,
    OVERHEAD,
    RECEIVED,
    TAG,
)
from tracemill.kernels.simulation.recording import add_wait, enter, leave, put
from tracemill.kernels.simulation.schedule import noise, place_key, varied
from tracemill.kernels.simulation.tables import code_of, counters_of, processes_of, team_of

# Numbers of OpenMP and Pthreads in OTF2.
_OPENMP, _PTHREAD = np.int64(3), np.int64(7)
(VISIT, TIME, TURNS, RELEASED) = range(4)
"""Columns of `team`: a thread's visit of the region, how far it has come, how often it had the
lock, and when it gave it back."""


@part
def take_turns(state: Any, process: Any, first: Any, at: Any, section: Any) -> None:
    """Every thread takes the lock as often as instruction `at` says."""
    code, team = code_of(state), team_of(state)[0]
    members, turns = code[at, TAG], code[at, RECEIVED]
    for thread in range(members):
        team[thread, TURNS] = 0
    holder, released_in = NOBODY, NOBODY
    for _ in range(members * turns):
        next_one = NOBODY
        for thread in range(members):
            is_first = next_one == NOBODY or team[thread, TIME] < team[next_one, TIME]
            if team[thread, TURNS] < turns and is_first:
                next_one = thread
        released_in = hold_lock(state, process, first, next_one, at, section, holder, released_in)
        holder = next_one


@part
def hold_lock(
    state: Any, process: Any, first: Any, thread: Any, at: Any, section: Any, holder: Any,
    released_in: Any,
) -> Any:  # fmt: skip
    """A thread takes the lock after `holder`, if there is one; returns the visit of the release."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    kind, path, place = code[at, COMM], code[at, LOCK_PATH], first + thread
    salt = 65_536 + ((64 * section + thread) << 16) + team[thread, TURNS]
    key = place_key(counters, processes_of(state), process, at, salt)
    time = team[thread, TIME]
    visit = enter(state, place, path, time)
    acquired = time
    if holder != NOBODY and team[holder, RELEASED] > time:
        acquired = team[holder, RELEASED]
        if counters[HAS_TRUTH] != 0:
            add_wait(
                state, LOCK_WAIT + kind, place, visit, path, time, time, acquired - time,
                first + holder, released_in, acquired, NO,
            )  # fmt: skip
    acquired += 1 + noise(counters, key, counters[OVERHEAD])
    processes_of(state)[process, LOCK_COUNTS + kind] += 1
    record_lock(state, process, place, ON_ACQUIRE, acquired, kind)
    if kind != CRITICAL:
        acquired += 1
        leave(state, place, path, acquired)
    enter(state, place, path + 1, acquired)
    time = acquired + varied(code[at, BYTES], code[at, MODE], key)
    leave(state, place, path + 1, time)
    if kind != CRITICAL:
        path += 2
        visit = enter(state, place, path, time)
    record_lock(state, process, place, ON_RELEASE, time + 1, kind)
    leave(state, place, path, time + 2)
    team[thread, RELEASED], team[thread, TIME] = time + 1, time + 3
    team[thread, TURNS] += 1
    return visit


@part
def record_lock(state: Any, process: Any, place: Any, event: Any, time: Any, kind: Any) -> None:
    """A record of the lock of a kind, which a process has one of."""
    order = processes_of(state)[process, LOCK_COUNTS + kind]
    paradigm = _PTHREAD if kind == MUTEX else _OPENMP
    put(state, place, event, time, paradigm, kind, order)
