"""One pass over the records of a location: region visits, and the call that holds each record.

The pass keeps a stack of open visits (one stack per suspended task) and charges the time between
two records to the visit on top, which gives exclusive times directly. It is run twice: first to
*survey* the call tree and the forks, with rows switched off, then, with canonical call-path
numbers known, to write rows. A reader that aggregates some visits instead of storing them
would do so where `_close_visit` stores a row.
"""

from typing import Any

import numpy as np

from tracemill.kernels.clock import to_ns
from tracemill.kernels.compiled import kernel, step
from tracemill.kernels.nodes import node_of
from tracemill.kernels.profile import add_visit
from tracemill.kernels.records import (
    ATTRIBUTE,
    BUFFER_FLUSH,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    ENTER,
    FORK,
    IGNORED,
    JOIN,
    LEAVE,
    METRIC,
    MPI_COLLECTIVE_BEGIN,
    MPI_COLLECTIVE_END,
    OMP_FORK,
    OMP_JOIN,
    OMP_TASK_SWITCH,
    RMA_COLLECTIVE_BEGIN,
    RMA_COLLECTIVE_END,
    TASK_SWITCH,
    TEAM_BEGIN,
    TEAM_END,
    THREAD_BEGIN,
    THREAD_END,
    UNKNOWN,
)
from tracemill.kernels.rows import (
    remember_owner,
    store_record,
    store_values,
)
from tracemill.kernels.tasks import (
    end_fragment,
    end_task,
    switch_task,
)
from tracemill.kernels.teams import (
    begin_team,
    end_team,
    find_team,
    note_fork,
    note_join,
)
from tracemill.kernels.walk_state import (
    BASE_NODE,
    EARLIEST,
    FIRST_NS,
    FORKS,
    FREE,
    HAS_RECORDS,
    IMPOSSIBLE,
    IN_TASK,
    LAST_NODE,
    LAST_VISIT,
    LATEST,
    LOCATION,
    MISMATCHED,
    MOST_NEW_NODES,
    MOST_NEW_ROWS,
    MPI_BEGIN,
    NEXT_VISIT,
    NONE,
    NOW,
    OPEN_VISITS,
    OUTSIDE,
    PENDING,
    PENDING_TEAM,
    RECORD_ROWS,
    REVERSALS,
    RMA_BEGIN,
    SEQUENCE,
    SUSPENDED,
    TASK_SCHEDULER,
    TASK_STUB,
    TEAM_DEPTH,
    TOP,
    UNCLOSED,
    UNKNOWNS,
    VISIT_ROWS,
    WRITES_ROWS,
)


@step
def _region(refs: Any, ids: Any, ref: Any, code: Any, state: Any) -> Any:
    """Number of the region that a region's or a context's identifier stands for."""
    if ref < len(refs) and refs[ref] == ref:
        return ids[ref]
    low, high = 0, len(refs)
    while low < high:
        middle = (low + high) // 2
        if refs[middle] < ref:
            low = middle + 1
        else:
            high = middle
    if low < len(refs) and refs[low] == ref:
        return ids[low]
    state[IMPOSSIBLE] += 1
    return np.int32(len(code.call) - 3)


@step
def _region_of_context(code: Any, context: Any, state: Any) -> Any:
    return _region(code.context_refs, code.context_ids, np.uint32(context), code, state)


@step
def _advance(walk: Any, time: Any) -> Any:
    """Move to a record's time, charging what passed to the visit on top.

    Time stands still where a record's time is impossible or lies before.
    """
    state = walk.state
    if time > state[LATEST] or time < state[EARLIEST]:
        state[OUTSIDE] += 1
        state[HAS_RECORDS] = 1
        return state[NOW]
    if not state[HAS_RECORDS]:
        state[HAS_RECORDS] = 1
        state[FIRST_NS] = state[NOW] = time
        return time
    now = state[NOW]
    if time < now:
        state[REVERSALS] += 1
        return now
    if state[TOP] >= 0:
        walk.frames.exclusive[state[TOP]] += time - now
    state[NOW] = time
    return time


@step
def _enter(walk: Any, teams: Any, code: Any, region: Any, now: Any) -> None:
    state, frames = walk.state, walk.frames
    caller = state[TOP]
    parent = frames.node[caller] if caller >= 0 else np.int32(_base(walk, teams, code, now))
    frame = state[FREE]
    state[FREE] = frames.above[frame]
    frames.above[frame] = caller
    frames.region[frame] = region
    frames.node[frame] = node_of(walk, parent, region, False)
    frames.visit[frame] = state[NEXT_VISIT]
    frames.enter[frame] = now
    frames.exclusive[frame] = 0
    frames.team[frame] = NONE
    frames.record[frame] = NONE
    state[NEXT_VISIT] += 1
    state[OPEN_VISITS] += 1
    state[TOP] = frame
    state[LAST_VISIT], state[LAST_NODE] = frames.visit[frame], frames.node[frame]
    if state[PENDING_TEAM] >= 0 and code.is_parallel[region]:
        _charge_fork(walk, teams, frame, caller, now)
    if state[IN_TASK] and state[TASK_STUB] == NONE:
        scheduler = state[TASK_SCHEDULER]
        above = frames.node[scheduler] if scheduler >= 0 else np.int32(NONE)
        state[TASK_STUB] = node_of(walk, above, region, True)


@step
def _charge_fork(walk: Any, teams: Any, frame: Any, caller: Any, now: Any) -> None:
    """The parallel region gets the time since the fork, the caller loses it."""
    state, frames = walk.state, walk.frames
    team = state[PENDING_TEAM]
    state[PENDING_TEAM] = NONE
    frames.team[frame] = team
    since_fork = max(now - teams.fork[team], 0)
    frames.exclusive[frame] += since_fork
    if caller >= 0:
        frames.exclusive[caller] -= since_fork


@step
def _base(walk: Any, teams: Any, code: Any, now: Any) -> Any:
    """Node below which the outermost visit of a location or task hangs."""
    state = walk.state
    if state[IN_TASK]:
        return np.int64(node_of(walk, np.int32(NONE), np.int32(len(code.call) - 2), False))
    if state[BASE_NODE] == NONE and state[TEAM_DEPTH] == 0:
        team = find_team(teams, NONE, now)
        if team >= 0 and now <= teams.join[team] and teams.location[team] != state[LOCATION]:
            state[PENDING_TEAM] = team
            return np.int64(teams.node[team])
    return state[BASE_NODE]


@step
def _close_visit(walk: Any, teams: Any, now: Any, is_closed: Any) -> None:
    """Take the visit on top off the stack and store its row.

    A parallel region also gets the time until its join, unless it was never seen to be left.
    """
    state, frames = walk.state, walk.frames
    frame = state[TOP]
    caller = frames.above[frame]
    if frames.team[frame] >= 0 and is_closed:
        until_join = max(teams.join[frames.team[frame]] - now, 0)
        frames.exclusive[frame] += until_join
        if caller >= 0:
            frames.exclusive[caller] -= until_join
    if state[WRITES_ROWS]:
        record = frames.record[frame]
        while record >= 0:
            walk.records.leave[record] = now
            record = walk.records.previous[record]
        rows, row = walk.visits, state[VISIT_ROWS]
        rows.location[row] = state[LOCATION]
        rows.visit[row] = frames.visit[frame]
        rows.parent[row] = frames.visit[caller] if caller >= 0 else NONE
        rows.node[row] = walk.tree.number[frames.node[frame]]
        rows.region[row] = frames.region[frame]
        rows.enter[row] = frames.enter[frame]
        rows.leave[row] = now
        rows.exclusive[row] = frames.exclusive[frame]
        rows.is_closed[row] = is_closed
        add_visit(
            walk.totals, frames.node[frame], frames.exclusive[frame], now - frames.enter[frame]
        )
        state[VISIT_ROWS] = row + 1
    state[LAST_VISIT], state[LAST_NODE] = frames.visit[frame], frames.node[frame]
    frames.above[frame] = state[FREE]
    state[FREE] = frame
    state[OPEN_VISITS] -= 1
    state[TOP] = caller
    if caller < 0 and state[IN_TASK]:
        end_task(walk, now)


@step
def _leave(walk: Any, teams: Any, region: Any, now: Any) -> None:
    """Close the innermost visit of the region; visits inside it have lost their leave."""
    state, frames = walk.state, walk.frames
    frame = state[TOP]
    if frame >= 0 and frames.region[frame] == region:
        _close_visit(walk, teams, now, True)
        return
    state[MISMATCHED] += 1
    while frame >= 0 and frames.region[frame] != region:
        frame = frames.above[frame]
    if frame < 0:
        return
    while state[TOP] != frame:
        state[UNCLOSED] += 1
        _close_visit(walk, teams, now, False)
    _close_visit(walk, teams, now, True)


@step
def _other_record(
    walk: Any, teams: Any, code: Any, kind: Any, now: Any, side: Any, ref: Any
) -> None:
    """Records that change more than the innermost visit, and rows for all that are kept."""
    state = walk.state
    first = np.int64(side[ref, 0])
    begin, team = np.int64(NONE), np.int64(NONE)
    if kind == UNKNOWN:
        state[UNKNOWNS] += 1
    if kind == MPI_COLLECTIVE_BEGIN:
        state[MPI_BEGIN] = now
    elif kind == RMA_COLLECTIVE_BEGIN:
        state[RMA_BEGIN] = now
    elif kind == MPI_COLLECTIVE_END:
        begin, state[MPI_BEGIN] = state[MPI_BEGIN], NONE
    elif kind == RMA_COLLECTIVE_END:
        begin, state[RMA_BEGIN] = state[RMA_BEGIN], NONE
    elif kind == FORK or kind == OMP_FORK:
        note_fork(walk, teams, now, kind == OMP_FORK)
    elif kind == JOIN or kind == OMP_JOIN:
        note_join(walk, now)
    elif kind == TEAM_BEGIN:
        team = begin_team(walk, teams, first, now)
    elif kind == TEAM_END:
        team = end_team(walk, teams)
    elif kind == THREAD_BEGIN:
        if state[TOP] < 0:
            threads = np.int32(len(code.call) - 1)
            state[BASE_NODE] = node_of(walk, np.int32(NONE), threads, False)
    elif kind == THREAD_END:
        if state[TOP] < 0:
            state[BASE_NODE] = NONE
    elif kind == TASK_SWITCH:
        switch_task(walk, first, np.int64(side[ref, 1]), np.int64(side[ref, 2]), now)
    elif kind == OMP_TASK_SWITCH:
        switch_task(walk, np.int64(0), np.int64(0), first, now)
    if not state[WRITES_ROWS] or kind == UNKNOWN:
        return
    if kind == MPI_COLLECTIVE_BEGIN or kind == RMA_COLLECTIVE_BEGIN:
        return
    if kind == BUFFER_FLUSH:
        begin = max(min(to_ns(side[ref, 0], code.clock), state[LATEST]), now)
    if kind == TEAM_BEGIN or kind == TEAM_END:
        begin = team
    store_record(walk, code, kind, now, begin, side, ref)


@step
def _records_that_fit(walk: Any) -> Any:
    """How many more records fit, whatever they are; then rows are drained or columns grown."""
    state = walk.state
    open_visits = state[OPEN_VISITS]
    fit = min(
        len(walk.frames.above) - open_visits,
        len(walk.forks.fork) - state[FORKS],
        len(walk.suspended.team) - state[SUSPENDED] - 1,
        (len(walk.tree.parent) - walk.tree.size[0]) // MOST_NEW_NODES,
    )
    if state[WRITES_ROWS]:
        fit = min(fit, len(walk.visits.visit) - state[VISIT_ROWS] - open_visits)
        fit = min(fit, (len(walk.records.kind) - state[RECORD_ROWS]) // MOST_NEW_ROWS)
    return fit


@kernel
def walk_records(
    walk: Any, teams: Any, code: Any, times: Any, kinds: Any, refs: Any, side: Any, first: Any
) -> Any:
    """Walk over a chunk of records from row `first` on, as far as there is room.

    Returns the row to go on from.
    """
    state = walk.state
    row = first
    while row < len(kinds):
        last = min(row + _records_that_fit(walk), len(kinds))
        if last <= row:
            break
        # In one piece: handing all columns to a function costs more than a record's work.
        while row < last:
            kind, ref = kinds[row], refs[row]
            now = _advance(walk, to_ns(times[row], code.clock))
            row += 1
            if kind == ATTRIBUTE:
                if state[WRITES_ROWS]:
                    remember_owner(state, walk.frames, kinds, row - 2)
                    store_values(walk, kind, now, side, ref, 1)
                continue
            if kind == ENTER:
                _enter(walk, teams, code, _region(code.refs, code.ids, ref, code, state), now)
            elif kind == LEAVE:
                _leave(walk, teams, _region(code.refs, code.ids, ref, code, state), now)
            elif kind == METRIC:
                if state[WRITES_ROWS]:
                    store_values(walk, kind, now, side, ref, side[ref, 4])
            elif kind == CONTEXT_ENTER:
                _enter(walk, teams, code, _region_of_context(code, side[ref, 0], state), now)
            elif kind == CONTEXT_LEAVE:
                _leave(walk, teams, _region_of_context(code, side[ref, 0], state), now)
            elif kind != IGNORED:
                _other_record(walk, teams, code, kind, now, side, ref)
            state[SEQUENCE] += 1
    return row


@kernel
def close_walk(walk: Any, teams: Any) -> None:
    """Close every visit that is still open, at the location's last time."""
    state = walk.state
    now = state[NOW]
    if state[IN_TASK]:
        end_fragment(walk, now)
        state[IN_TASK] = 0
    while True:
        while state[TOP] >= 0:
            state[UNCLOSED] += 1
            _close_visit(walk, teams, now, False)
        if state[SUSPENDED] == 0:
            break
        state[SUSPENDED] -= 1
        state[TOP] = walk.suspended.top[state[SUSPENDED]]
    for fork in range(state[FORKS]):
        if walk.forks.join[fork] == PENDING:
            walk.forks.join[fork] = now
