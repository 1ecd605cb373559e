"""Computation: nested function calls, and teams of threads with forks, barriers and joins."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation import schedule
from tracemill.kernels.simulation.locks import TIME, VISIT, take_turns
from tracemill.kernels.simulation.recording import add_wait, enter, leave, location_of, put
from tracemill.kernels.simulation.tables import (
    code_of,
    counters_of,
    factors_of,
    first_functions_of,
    processes_of,
    team_of,
    visits_of,
)

_OPENMP = np.int64(3)
FAN_OUT, DEPTH = 4, 2
"""Number of functions that each function calls, and levels of calls."""


@unchecked
def work(state: Any, process: Any, now: Any, op: Any) -> Any:
    """Run the WORK instruction `op`; returns its end (ns)."""
    code, counters = code_of(state), counters_of(state)
    key = schedule.place_key(counters, processes_of(state), process, op, schedule.FOR_WORK)
    if code[op, at.TARGET] == at.BY_TASK:
        task = processes_of(state)[process, at.LAST_TASK]
        key = schedule.random_bits(counters[at.SEED], at.NOBODY, task, schedule.FOR_TASK)
    path = code[op, at.PATH]
    length = schedule.varied(code[op, at.AMOUNT], code[op, at.MODE], key)
    length = schedule.scaled(length, factors_of(state)[path, process])
    call_functions(state, location_of(state, process), path, now, length, code[op, at.COUNT], key)
    return now + length


@unchecked
def call_functions(
    state: Any, location: Any, path: Any, now: Any, length: Any, count: Any, key: Any
) -> None:
    """Visit `count` functions below `path`, at random times within `length` (ns)."""
    if counters_of(state)[at.HAS_EVENTS] == 0:
        visits_of(state)[location] += count
        return
    stride = length // (2 * count + 1)
    depth, entered, op = 0, 0, path
    outer = path
    for number in range(2 * count):
        key = schedule.mix(key + np.uint64(0x9E3779B97F4A7C15))
        time = now + number * stride + schedule.below(key, stride + 1)
        wants_more = (key >> np.uint64(60)) < np.uint64(9)
        if entered < count and (depth == 0 or (depth < DEPTH and wants_more)):
            outer = op if depth == 1 else outer
            op = first_functions_of(state)[op] + schedule.below(key >> np.uint64(32), FAN_OUT)
            depth, entered = depth + 1, entered + 1
            enter(state, location, op, time)
        else:
            leave(state, location, op, time)
            depth -= 1
            op = outer if depth == 1 else path


# --- Thread teams --------------------------------------------------------------------------------


@unchecked
def run_team(state: Any, process: Any, now: Any, op: Any) -> Any:
    """Run a parallel region on threads of a process; returns the end of the join (ns)."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    threads, first = code[op, at.TAG], location_of(state, process)
    path, overhead = code[op, at.PATH], counters[at.OVERHEAD]
    put(state, first, at.ON_FORK, now, _OPENMP, threads, path)
    for thread in range(threads):
        key = schedule.place_key(counters, processes_of(state), process, op, 16 + thread)
        delay = 1 + schedule.noise(counters, key, overhead)
        team[thread, TIME] = now + delay
        put(state, first + thread, at.ON_TEAM_BEGIN, now + delay // 2, threads)
        team[thread, VISIT] = enter(state, first + thread, path, now + delay)
        if counters[at.HAS_TRUTH] != 0:
            add_wait(
                state, at.FORK_TIME, first + thread, team[thread, VISIT], path, now + delay, now,
                delay, first, team[0, VISIT], now, at.NO,
            )  # fmt: skip
    for section in range(code[op, at.COUNT] + 1):
        for thread in range(threads):
            compute_share(state, process, first, thread, op, section)
        take_turns(state, process, first, op, section)
        is_last = section == code[op, at.COUNT]
        barrier_path = path + (3 if is_last else 2)
        meet_in_barrier(state, process, first, op, section, barrier_path, is_last)
    latest = now
    for thread in range(threads):
        key = schedule.place_key(counters, processes_of(state), process, op, 80 + thread)
        time = team[thread, TIME] + 1 + schedule.noise(counters, key, overhead)
        leave(state, first + thread, path, time)
        put(state, first + thread, at.ON_TEAM_END, time + 1, threads)
        latest = max(latest, time + 2)
    put(state, first, at.ON_JOIN, latest, _OPENMP, threads, path)
    return latest + 1


@unchecked
def compute_share(
    state: Any, process: Any, first: Any, thread: Any, op: Any, section: Any
) -> None:  # fmt: skip
    """Compute the share of a thread between two barriers."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    path = code[op, at.PATH] + 1
    salt = 256 + 64 * section + thread
    key = schedule.place_key(counters, processes_of(state), process, op, salt)
    ppm = 1_000_000 + thread % code[op, at.TARGET] * code[op, at.SLOT]
    amount = schedule.scaled(code[op, at.AMOUNT], ppm)
    length = schedule.varied(amount, code[op, at.MODE], key)
    length = schedule.scaled(length, factors_of(state)[path, process])
    enter(state, first + thread, path, team[thread, TIME])
    call_functions(state, first + thread, path, team[thread, TIME], length, code[op, at.PEER], key)
    team[thread, TIME] += length
    leave(state, first + thread, path, team[thread, TIME])


@unchecked
def meet_in_barrier(
    state: Any, process: Any, first: Any, op: Any, section: Any, path: Any, is_implicit: Any
) -> None:
    """Run a barrier of all threads: they leave it after the last one has entered."""
    counters, team, threads = counters_of(state), team_of(state)[0], code_of(state)[op, at.TAG]
    last = 0
    for thread in range(1, threads):
        if team[thread, TIME] > team[last, TIME]:
            last = thread
    latest = team[last, TIME]
    for thread in range(threads):
        place, time = first + thread, team[thread, TIME]
        visit = enter(state, place, path, time)
        if counters[at.HAS_TRUTH] != 0 and latest > time:
            kind = at.IMPLICIT_BARRIER_WAIT if is_implicit else at.EXPLICIT_BARRIER_WAIT
            add_wait(
                state, kind, place, visit, path, time, time, latest - time, first + last,
                visits_of(state)[first + last] - (1 if last < thread else 0), latest, at.NO,
            )  # fmt: skip
        salt = 4096 + 64 * section + thread
        key = schedule.place_key(counters, processes_of(state), process, op, salt)
        team[thread, TIME] = latest + 1 + schedule.noise(counters, key, counters[at.OVERHEAD])
        leave(state, place, path, team[thread, TIME])
