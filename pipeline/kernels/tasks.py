"""Explicit tasks: suspended, resumed, and repeated where they were scheduled."""

from typing import Any

import numpy as np

from pipeline.kernels.compiled import step
from pipeline.kernels.nodes import node_of, number_of
from pipeline.kernels.walk_state import (
    IN_TASK,
    NONE,
    RECORD_ROWS,
    SEQUENCE,
    SUSPENDED,
    TASK_BEGIN,
    TASK_FRAGMENT,
    TASK_IS_FIRST,
    TASK_NUMBER,
    TASK_SCHEDULER,
    TASK_STUB,
    TASK_TEAM,
    TASK_THREAD,
    TOP,
    WRITES_ROWS,
)


@step
def end_fragment(walk: Any, now: Any) -> None:
    """Row for the stretch of the running task that ends now.

    None if the task has entered no region, or was put down again at once.
    """
    state, rows = walk.state, walk.records
    if not state[WRITES_ROWS] or state[TASK_STUB] == NONE:
        return
    if state[TASK_BEGIN] == now and not state[TASK_IS_FIRST]:
        return
    row = state[RECORD_ROWS]
    scheduler = state[TASK_SCHEDULER]
    rows.kind[row], rows.sequence[row], rows.previous[row] = TASK_FRAGMENT, state[SEQUENCE], NONE
    rows.time[row] = rows.enter[row] = rows.leave[row] = now
    rows.begin[row] = state[TASK_BEGIN]
    rows.visit[row] = walk.frames.visit[scheduler] if scheduler >= 0 else NONE
    rows.node[row] = number_of(walk, state[TASK_STUB])
    rows.arguments[row, 0] = np.uint64(state[TASK_THREAD])
    rows.arguments[row, 1] = np.uint64(state[TASK_NUMBER])
    rows.arguments[row, 2] = np.uint64(state[TASK_IS_FIRST])
    state[RECORD_ROWS] = row + 1
    state[TASK_IS_FIRST] = 0


@step
def switch_task(walk: Any, team: Any, thread: Any, number: Any, now: Any) -> None:
    """Suspend what runs and start or resume another task; number 0 is the implicit task."""
    state, suspended, root = walk.state, walk.suspended, walk.state[TASK_SCHEDULER]
    previous_top = state[TOP]
    if state[IN_TASK]:
        end_fragment(walk, now)
        _suspend(walk, state[TASK_TEAM], state[TASK_THREAD], state[TASK_NUMBER], root)
    elif _find_suspended(suspended, state, NONE, NONE, 0) < 0:
        _suspend(walk, NONE, NONE, 0, NONE)
    state[IN_TASK] = 1 if number != 0 else 0
    key_team, key_thread = (team, thread) if number != 0 else (NONE, NONE)
    found = _find_suspended(suspended, state, key_team, key_thread, number)
    state[TASK_TEAM], state[TASK_THREAD], state[TASK_NUMBER] = key_team, key_thread, number
    state[TASK_BEGIN] = now
    state[TASK_IS_FIRST] = 1 if found < 0 else 0
    if found < 0:
        state[TOP], state[TASK_SCHEDULER], state[TASK_STUB] = NONE, previous_top, NONE
        return
    state[TOP] = suspended.top[found]
    is_nested = suspended.top[found] == previous_top
    state[TASK_SCHEDULER] = suspended.scheduler[found] if is_nested else previous_top
    state[TASK_STUB] = suspended.stub[found]
    if number != 0 and not is_nested:
        _move_stub(walk)
    _forget_suspended(suspended, state, found)


@step
def _move_stub(walk: Any) -> None:
    """A task that resumes elsewhere is repeated below that place from now on."""
    state, frames = walk.state, walk.frames
    frame = state[TOP]
    if frame < 0:
        return
    while frames.above[frame] >= 0:
        frame = frames.above[frame]
    scheduler = state[TASK_SCHEDULER]
    above = frames.node[scheduler] if scheduler >= 0 else np.int32(NONE)
    state[TASK_STUB] = node_of(walk, above, frames.region[frame], True)


@step
def _suspend(walk: Any, team: Any, thread: Any, number: Any, scheduler: Any) -> None:
    state, suspended = walk.state, walk.suspended
    place = state[SUSPENDED]
    suspended.team[place], suspended.thread[place], suspended.number[place] = team, thread, number
    suspended.top[place], suspended.scheduler[place] = state[TOP], scheduler
    suspended.stub[place] = state[TASK_STUB]
    state[SUSPENDED] = place + 1


@step
def _find_suspended(suspended: Any, state: Any, team: Any, thread: Any, number: Any) -> Any:
    for place in range(state[SUSPENDED] - 1, -1, -1):
        if (
            suspended.number[place] == number
            and suspended.thread[place] == thread
            and suspended.team[place] == team
        ):
            return place
    return NONE


@step
def _forget_suspended(suspended: Any, state: Any, place: Any) -> None:
    last = state[SUSPENDED] - 1
    for column in suspended:
        column[place] = column[last]
    state[SUSPENDED] = last
