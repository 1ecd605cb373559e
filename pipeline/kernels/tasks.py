"""Explicit tasks: suspended, resumed, and repeated as stubs where they were scheduled."""

from typing import Any

import numpy as np

from tracemill.kernels import walk_state as ws
from tracemill.kernels.compiled import step
from tracemill.kernels.nodes import node_of, number_of
from tracemill.kernels.profile import add_stretch


@step
def end_fragment(walk: Any, now: Any) -> None:
    """Store the row of the interval of the running task that ends now.

    There is none if the task has entered no region, or was suspended at once.
    """
    state, rows = walk.state, walk.records
    if not state[ws.WRITES_ROWS] or state[ws.TASK_STUB] == ws.NONE:
        return
    if state[ws.TASK_BEGIN] == now and not state[ws.TASK_IS_FIRST]:
        return
    row = state[ws.RECORD_ROWS]
    scheduler = state[ws.TASK_SCHEDULER]
    rows.kind[row], rows.sequence[row], rows.previous[row] = (
        ws.TASK_FRAGMENT,
        state[ws.SEQUENCE],
        ws.NONE,
    )
    rows.time[row] = rows.enter[row] = rows.leave[row] = now
    rows.begin[row] = state[ws.TASK_BEGIN]
    rows.visit[row] = walk.frames.visit[scheduler] if scheduler >= 0 else ws.NONE
    rows.node[row] = number_of(walk, state[ws.TASK_STUB])
    rows.arguments[row, 0] = np.uint64(state[ws.TASK_THREAD])
    rows.arguments[row, 1] = np.uint64(state[ws.TASK_NUMBER])
    rows.arguments[row, 2] = np.uint64(state[ws.TASK_IS_FIRST])
    stretch = now - state[ws.TASK_BEGIN]
    add_stretch(walk.totals, state[ws.TASK_STUB], state[ws.TASK_IS_FIRST], stretch)
    state[ws.RECORD_ROWS] = row + 1
    state[ws.TASK_IS_FIRST] = 0


@step
def switch_task(walk: Any, team: Any, thread: Any, number: Any, now: Any) -> None:
    """Suspend the running task, and start or resume another; number 0 is the implicit task."""
    state, scheduler = walk.state, walk.state[ws.TOP]
    if number == 0:
        team, thread = np.int64(ws.NONE), np.int64(ws.NONE)
    if _is_running(state, team, thread, number):
        return
    if state[ws.IN_TASK]:
        end_fragment(walk, now)
    _suspend(walk)
    found = _find_suspended(walk.suspended, state, team, thread, number)
    if found >= 0:
        _resume(walk, found, now)
        if number != 0:
            state[ws.TASK_SCHEDULER] = scheduler
            _move_stub(walk)
        return
    state[ws.IN_TASK] = 1
    state[ws.TASK_TEAM], state[ws.TASK_THREAD], state[ws.TASK_NUMBER] = team, thread, number
    state[ws.TOP], state[ws.TASK_SCHEDULER], state[ws.TASK_STUB] = ws.NONE, scheduler, ws.NONE
    state[ws.TASK_BEGIN], state[ws.TASK_IS_FIRST] = now, 1


@step
def end_task(walk: Any, now: Any) -> None:
    """End the running task, which has left its last region; resume its scheduler."""
    state, suspended = walk.state, walk.suspended
    end_fragment(walk, now)
    found = _find_suspended(suspended, state, ws.NONE, ws.NONE, 0)
    for place in range(state[ws.SUSPENDED]):
        if suspended.top[place] == state[ws.TASK_SCHEDULER] and state[ws.TASK_SCHEDULER] >= 0:
            found = place
    _resume(walk, found, now)


@step
def _is_running(state: Any, team: Any, thread: Any, number: Any) -> Any:
    if not state[ws.IN_TASK]:
        return number == 0
    return (
        state[ws.TASK_NUMBER] == number
        and state[ws.TASK_THREAD] == thread
        and state[ws.TASK_TEAM] == team
    )


@step
def _move_stub(walk: Any) -> None:
    """Move the stub of a resumed task below its new scheduler."""
    state, frames = walk.state, walk.frames
    frame = state[ws.TOP]
    while frames.above[frame] >= 0:
        frame = frames.above[frame]
    scheduler = state[ws.TASK_SCHEDULER]
    above = frames.node[scheduler] if scheduler >= 0 else np.int32(ws.NONE)
    callee = walk.tree.region[frames.node[frame]]
    state[ws.TASK_STUB] = node_of(walk, above, callee, True)


@step
def _suspend(walk: Any) -> None:
    """Add the running task to the suspended ones, unless it has entered no region."""
    state, suspended = walk.state, walk.suspended
    place = state[ws.SUSPENDED]
    if not state[ws.IN_TASK]:
        suspended.team[place] = suspended.thread[place] = ws.NONE
        suspended.number[place] = 0
    elif state[ws.TOP] == ws.NONE:
        return
    else:
        suspended.team[place], suspended.thread[place] = state[ws.TASK_TEAM], state[ws.TASK_THREAD]
        suspended.number[place] = state[ws.TASK_NUMBER]
    suspended.top[place], suspended.scheduler[place] = state[ws.TOP], state[ws.TASK_SCHEDULER]
    suspended.stub[place] = state[ws.TASK_STUB]
    state[ws.SUSPENDED] = place + 1


@step
def _resume(walk: Any, place: Any, now: Any) -> None:
    state, suspended = walk.state, walk.suspended
    state[ws.IN_TASK] = 1 if suspended.number[place] != 0 else 0
    state[ws.TASK_TEAM], state[ws.TASK_THREAD] = suspended.team[place], suspended.thread[place]
    state[ws.TASK_NUMBER] = suspended.number[place]
    state[ws.TOP], state[ws.TASK_SCHEDULER] = suspended.top[place], suspended.scheduler[place]
    state[ws.TASK_STUB] = suspended.stub[place]
    state[ws.TASK_BEGIN], state[ws.TASK_IS_FIRST] = now, 0
    _forget_suspended(suspended, state, place)


@step
def _find_suspended(suspended: Any, state: Any, team: Any, thread: Any, number: Any) -> Any:
    for place in range(state[ws.SUSPENDED] - 1, -1, -1):
        if (
            suspended.number[place] == number
            and suspended.thread[place] == thread
            and suspended.team[place] == team
        ):
            return place
    return ws.NONE


@step
def _forget_suspended(suspended: Any, state: Any, place: Any) -> None:
    last = state[ws.SUSPENDED] - 1
    for column in suspended:
        column[place] = column[last]
    state[ws.SUSPENDED] = last
