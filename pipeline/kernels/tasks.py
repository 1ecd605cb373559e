"""Explicit tasks: suspended, resumed, and repeated where they were scheduled."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import step
from tracemill.kernels.nodes import node_of, number_of
from tracemill.kernels.profile import add_stretch
from tracemill.kernels.walk_state import (
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
    stretch = now - state[TASK_BEGIN]
    add_stretch(walk.totals, state[TASK_STUB], state[TASK_IS_FIRST], stretch)
    state[RECORD_ROWS] = row + 1
    state[TASK_IS_FIRST] = 0


@step
def switch_task(walk: Any, team: Any, thread: Any, number: Any, now: Any) -> None:
    """Suspend what runs and start or resume another task; number 0 is the implicit task.

    Whatever does not run is among the suspended tasks, which makes their frames untouchable.
    """
    state, scheduler = walk.state, walk.state[TOP]
    if number == 0:
        team, thread = np.int64(NONE), np.int64(NONE)
    if _is_running(state, team, thread, number):
        return
    if state[IN_TASK]:
        end_fragment(walk, now)
    _suspend(walk)
    found = _find_suspended(walk.suspended, state, team, thread, number)
    if found >= 0:
        _resume(walk, found, now)
        if number != 0:
            state[TASK_SCHEDULER] = scheduler
            _move_stub(walk)
        return
    state[IN_TASK] = 1
    state[TASK_TEAM], state[TASK_THREAD], state[TASK_NUMBER] = team, thread, number
    state[TOP], state[TASK_SCHEDULER], state[TASK_STUB] = NONE, scheduler, NONE
    state[TASK_BEGIN], state[TASK_IS_FIRST] = now, 1


@step
def end_task(walk: Any, now: Any) -> None:
    """The running task has left its last region: go on where it was scheduled."""
    state, suspended = walk.state, walk.suspended
    end_fragment(walk, now)
    found = _find_suspended(suspended, state, NONE, NONE, 0)
    for place in range(state[SUSPENDED]):
        if suspended.top[place] == state[TASK_SCHEDULER] and state[TASK_SCHEDULER] >= 0:
            found = place
    _resume(walk, found, now)


@step
def _is_running(state: Any, team: Any, thread: Any, number: Any) -> Any:
    if not state[IN_TASK]:
        return number == 0
    return (
        state[TASK_NUMBER] == number and state[TASK_THREAD] == thread and state[TASK_TEAM] == team
    )


@step
def _move_stub(walk: Any) -> None:
    """A task that resumes elsewhere is repeated below that place from now on."""
    state, frames = walk.state, walk.frames
    frame = state[TOP]
    while frames.above[frame] >= 0:
        frame = frames.above[frame]
    scheduler = state[TASK_SCHEDULER]
    above = frames.node[scheduler] if scheduler >= 0 else np.int32(NONE)
    state[TASK_STUB] = node_of(walk, above, frames.region[frame], True)


@step
def _suspend(walk: Any) -> None:
    """Remember where the running task stands; one that is in no region yet stands nowhere."""
    state, suspended = walk.state, walk.suspended
    place = state[SUSPENDED]
    if not state[IN_TASK]:
        suspended.team[place] = suspended.thread[place] = NONE
        suspended.number[place] = 0
    elif state[TOP] == NONE:
        return
    else:
        suspended.team[place], suspended.thread[place] = state[TASK_TEAM], state[TASK_THREAD]
        suspended.number[place] = state[TASK_NUMBER]
    suspended.top[place], suspended.scheduler[place] = state[TOP], state[TASK_SCHEDULER]
    suspended.stub[place] = state[TASK_STUB]
    state[SUSPENDED] = place + 1


@step
def _resume(walk: Any, place: Any, now: Any) -> None:
    state, suspended = walk.state, walk.suspended
    state[IN_TASK] = 1 if suspended.number[place] != 0 else 0
    state[TASK_TEAM], state[TASK_THREAD] = suspended.team[place], suspended.thread[place]
    state[TASK_NUMBER] = suspended.number[place]
    state[TOP], state[TASK_SCHEDULER] = suspended.top[place], suspended.scheduler[place]
    state[TASK_STUB] = suspended.stub[place]
    state[TASK_BEGIN], state[TASK_IS_FIRST] = now, 0
    _forget_suspended(suspended, state, place)


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
