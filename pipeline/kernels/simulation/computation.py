"""Computing: nested function calls, and teams of threads that fork, meet in barriers and join."""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    AMOUNT,
    BY_TASK,
    COUNT,
    EXPLICIT_BARRIER_WAIT,
    FORK_TIME,
    HAS_EVENTS,
    HAS_TRUTH,
    IMPLICIT_BARRIER_WAIT,
    LAST_TASK,
    MODE,
    NO,
    NOBODY,
    ON_FORK,
    ON_JOIN,
    ON_TEAM_BEGIN,
    ON_TEAM_END,
    OVERHEAD,
    PATH,
    PEER,
    SEED,
    SLOT,
    TAG,
    TARGET,
)
from tracemill.kernels.simulation.locks import TIME, VISIT, take_turns
from tracemill.kernels.simulation.recording import add_wait, enter, leave, location_of, put
from tracemill.kernels.simulation.schedule import (
    FOR_TASK,
    FOR_WORK,
    below,
    key_of,
    mix,
    noise,
    place_key,
    scaled,
    varied,
)
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
"""How many functions each function calls, and how deep."""


@part
def work(state: Any, process: Any, now: Any, at: Any) -> Any:
    """Compute as instruction `at` says; returns when it is done."""
    code, counters = code_of(state), counters_of(state)
    key = place_key(counters, processes_of(state), process, at, FOR_WORK)
    if code[at, TARGET] == BY_TASK:
        key = key_of(counters[SEED], NOBODY, processes_of(state)[process, LAST_TASK], FOR_TASK)
    path = code[at, PATH]
    length = varied(code[at, AMOUNT], code[at, MODE], key)
    length = scaled(length, factors_of(state)[path, process])
    call_functions(state, location_of(state, process), path, now, length, code[at, COUNT], key)
    return now + length


@part
def call_functions(
    state: Any, location: Any, path: Any, now: Any, length: Any, count: Any, key: Any
) -> None:
    """Visit functions below `path`, `count` in all, at random times within `length`."""
    if counters_of(state)[HAS_EVENTS] == 0:
        visits_of(state)[location] += count
        return
    stride = length // (2 * count + 1)
    depth, entered, at = 0, 0, path
    outer = path
    for number in range(2 * count):
        key = mix(key + np.uint64(0x9E3779B97F4A7C15))
        time = now + number * stride + below(key, stride + 1)
        wants_more = (key >> np.uint64(60)) < np.uint64(9)
        if entered < count and (depth == 0 or (depth < DEPTH and wants_more)):
            outer = at if depth == 1 else outer
            at = first_functions_of(state)[at] + below(key >> np.uint64(32), FAN_OUT)
            depth, entered = depth + 1, entered + 1
            enter(state, location, at, time)
        else:
            leave(state, location, at, time)
            depth -= 1
            at = outer if depth == 1 else path


# --- Thread teams --------------------------------------------------------------------------------


@part
def run_team(state: Any, process: Any, now: Any, at: Any) -> Any:
    """Run a parallel region on threads of a process; returns when they have joined."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    threads, first = code[at, TAG], location_of(state, process)
    path, overhead = code[at, PATH], counters[OVERHEAD]
    put(state, first, ON_FORK, now, _OPENMP, threads, path)
    for thread in range(threads):
        key = place_key(counters, processes_of(state), process, at, 16 + thread)
        delay = 1 + noise(counters, key, overhead)
        team[thread, TIME] = now + delay
        put(state, first + thread, ON_TEAM_BEGIN, now + delay // 2, threads)
        team[thread, VISIT] = enter(state, first + thread, path, now + delay)
        if counters[HAS_TRUTH] != 0:
            add_wait(
                state, FORK_TIME, first + thread, team[thread, VISIT], path, now + delay, now,
                delay, first, team[0, VISIT], now, NO,
            )  # fmt: skip
    for section in range(code[at, COUNT] + 1):
        for thread in range(threads):
            compute_share(state, process, first, thread, at, section)
        take_turns(state, process, first, at, section)
        is_last = section == code[at, COUNT]
        barrier_path = path + (3 if is_last else 2)
        meet_in_barrier(state, process, first, at, section, barrier_path, is_last)
    latest = now
    for thread in range(threads):
        key = place_key(counters, processes_of(state), process, at, 80 + thread)
        time = team[thread, TIME] + 1 + noise(counters, key, overhead)
        leave(state, first + thread, path, time)
        put(state, first + thread, ON_TEAM_END, time + 1, threads)
        latest = max(latest, time + 2)
    put(state, first, ON_JOIN, latest, _OPENMP, threads, path)
    return latest + 1


@part
def compute_share(
    state: Any, process: Any, first: Any, thread: Any, at: Any, section: Any
) -> None:  # fmt: skip
    """One thread computes its share between two barriers; some have more to do."""
    code, counters, team = code_of(state), counters_of(state), team_of(state)[0]
    path = code[at, PATH] + 1
    salt = 256 + 64 * section + thread
    key = place_key(counters, processes_of(state), process, at, salt)
    amount = scaled(code[at, AMOUNT], 1_000_000 + thread % code[at, TARGET] * code[at, SLOT])
    length = varied(amount, code[at, MODE], key)
    length = scaled(length, factors_of(state)[path, process])
    enter(state, first + thread, path, team[thread, TIME])
    call_functions(state, first + thread, path, team[thread, TIME], length, code[at, PEER], key)
    team[thread, TIME] += length
    leave(state, first + thread, path, team[thread, TIME])


@part
def meet_in_barrier(
    state: Any, process: Any, first: Any, at: Any, section: Any, path: Any, is_implicit: Any
) -> None:
    """All threads enter a barrier and leave it after the last one has come."""
    counters, team, threads = counters_of(state), team_of(state)[0], code_of(state)[at, TAG]
    last = 0
    for thread in range(1, threads):
        if team[thread, TIME] > team[last, TIME]:
            last = thread
    latest = team[last, TIME]
    for thread in range(threads):
        place, time = first + thread, team[thread, TIME]
        visit = enter(state, place, path, time)
        if counters[HAS_TRUTH] != 0 and latest > time:
            kind = IMPLICIT_BARRIER_WAIT if is_implicit else EXPLICIT_BARRIER_WAIT
            add_wait(
                state, kind, place, visit, path, time, time, latest - time, first + last,
                visits_of(state)[first + last] - (1 if last < thread else 0), latest, NO,
            )  # fmt: skip
        salt = 4096 + 64 * section + thread
        key = place_key(counters, processes_of(state), process, at, salt)
        team[thread, TIME] = latest + 1 + noise(counters, key, counters[OVERHEAD])
        leave(state, place, path, team[thread, TIME])
