"""The general pass over the records of a location: its visits, and the call around each record.

The pass keeps a stack of open visits (one stack per suspended task) and adds the time between two
records to the visit on top, which gives exclusive times. It runs twice: first as a *survey* of the
call tree and the forks, without rows; then with canonical numbers of call paths, to write rows.
"""

from typing import Any

import numpy as np

from tracemill.kernels import records as rec
from tracemill.kernels import rows
from tracemill.kernels import walk_state as ws
from tracemill.kernels.clock import ticks_to_ns
from tracemill.kernels.compiled import kernel, step
from tracemill.kernels.nodes import node_of
from tracemill.kernels.tasks import end_fragment, end_task, switch_task
from tracemill.kernels.teams import begin_team, end_team, find_team, note_fork, note_join


@step
def _number(refs: Any, ids: Any, ref: Any) -> Any:
    """The number of an identifier, or NONE."""
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
    return np.int32(ws.NONE)


@step
def _region(refs: Any, ids: Any, ref: Any, code: Any, state: Any) -> Any:
    number = _number(refs, ids, ref)
    if number >= 0:
        return number
    state[ws.IMPOSSIBLE] += 1
    return np.int32(len(code.call) - 3)


@step
def _callee_of_context(code: Any, context: Any, state: Any) -> Any:
    return _region(code.context_refs, code.context_ids, np.uint32(context), code, state)


@step
def _callee(code: Any, region: Any, kinds: Any, refs: Any, side: Any, row: Any) -> Any:
    """The region of an enter, at the call site that an attribute names, in the rows from `row`."""
    while row < len(kinds) and kinds[row] == rec.ATTRIBUTE:
        values = side[refs[row]]
        for attribute in code.site_attributes:
            if values[0] == attribute:
                number = _number(code.source_refs, code.source_ids, np.uint32(values[2]))
                key = np.int64(region) << 32 | np.int64(number)
                if number >= 0:
                    place = np.searchsorted(code.site_keys, key)
                    return np.int32(len(code.call) + place)
        row += 1
    return region


@step
def _advance(walk: Any, time: Any) -> Any:
    """Move to the time of a record, and add the time passed to the visit on top.

    Impossible times and times before the current one are counted and ignored.
    """
    state = walk.state
    if time > state[ws.LATEST] or time < state[ws.EARLIEST]:
        state[ws.OUTSIDE] += 1
        state[ws.HAS_RECORDS] = 1
        return state[ws.NOW]
    if not state[ws.HAS_RECORDS]:
        state[ws.HAS_RECORDS] = 1
        state[ws.FIRST_NS] = state[ws.NOW] = time
        return time
    now = state[ws.NOW]
    if time < now:
        state[ws.REVERSALS] += 1
        return now
    if state[ws.TOP] >= 0:
        walk.frames.exclusive[state[ws.TOP]] += time - now
    state[ws.NOW] = time
    return time


@step
def _enter(walk: Any, teams: Any, code: Any, callee: Any, now: Any) -> None:
    state, frames = walk.state, walk.frames
    region = code.region_of[callee]
    caller = state[ws.TOP]
    parent = frames.node[caller] if caller >= 0 else np.int32(_base(walk, teams, code, now))
    frame = state[ws.FREE]
    state[ws.FREE] = frames.above[frame]
    node = node_of(walk, parent, callee, False)
    rows.open_visit(frames, frame, caller, node, region, state[ws.NEXT_VISIT], now)
    state[ws.NEXT_VISIT] += 1
    state[ws.OPEN_VISITS] += 1
    state[ws.TOP] = frame
    state[ws.LAST_VISIT], state[ws.LAST_NODE] = frames.visit[frame], frames.node[frame]
    if state[ws.PENDING_TEAM] >= 0 and code.is_parallel[region]:
        _charge_fork(walk, teams, frame, caller, now)
    if state[ws.IN_TASK] and state[ws.TASK_STUB] == ws.NONE:
        scheduler = state[ws.TASK_SCHEDULER]
        above = frames.node[scheduler] if scheduler >= 0 else np.int32(ws.NONE)
        state[ws.TASK_STUB] = node_of(walk, above, callee, True)


@step
def _charge_fork(walk: Any, teams: Any, frame: Any, caller: Any, now: Any) -> None:
    """Move the time since the fork from the caller to the parallel region."""
    state, frames = walk.state, walk.frames
    team = state[ws.PENDING_TEAM]
    state[ws.PENDING_TEAM] = ws.NONE
    frames.team[frame] = team
    since_fork = max(now - teams.fork[team], 0)
    frames.exclusive[frame] += since_fork
    if caller >= 0:
        frames.exclusive[caller] -= since_fork


@step
def _base(walk: Any, teams: Any, code: Any, now: Any) -> Any:
    """Parent node of the outermost visit of a location or task."""
    state = walk.state
    if state[ws.IN_TASK]:
        return np.int64(node_of(walk, np.int32(ws.NONE), np.int32(len(code.call) - 2), False))
    if state[ws.BASE_NODE] == ws.NONE and state[ws.TEAM_DEPTH] == 0:
        team = find_team(teams, ws.NONE, now)
        if team >= 0 and now <= teams.join[team] and teams.location[team] != state[ws.LOCATION]:
            state[ws.PENDING_TEAM] = team
            return np.int64(teams.node[team])
    return state[ws.BASE_NODE]


@step
def _close_visit(walk: Any, teams: Any, now: Any, is_closed: Any) -> None:
    """Remove the visit on top from the stack, and store its row.

    A parallel region also gets the time until its join, if its leave was recorded.
    """
    state, frames = walk.state, walk.frames
    frame = state[ws.TOP]
    caller = frames.above[frame]
    if frames.team[frame] >= 0 and is_closed:
        until_join = max(teams.join[frames.team[frame]] - now, 0)
        frames.exclusive[frame] += until_join
        if caller >= 0:
            frames.exclusive[caller] -= until_join
    if state[ws.WRITES_ROWS]:
        number = walk.tree.number[frames.node[frame]]
        rows.store_visit(
            state, frames, frame, number, walk.totals, walk.visits, state[ws.VISIT_ROWS],
            walk.records, now, is_closed,
        )  # fmt: skip
        state[ws.VISIT_ROWS] += 1
    state[ws.LAST_VISIT], state[ws.LAST_NODE] = frames.visit[frame], frames.node[frame]
    frames.above[frame] = state[ws.FREE]
    state[ws.FREE] = frame
    state[ws.OPEN_VISITS] -= 1
    state[ws.TOP] = caller
    if caller < 0 and state[ws.IN_TASK]:
        end_task(walk, now)


@step
def _leave(walk: Any, teams: Any, region: Any, now: Any) -> None:
    """Close the innermost visit of the region, and visits inside it, which have no leave."""
    state, frames = walk.state, walk.frames
    frame = state[ws.TOP]
    if frame >= 0 and frames.region[frame] == region:
        _close_visit(walk, teams, now, True)
        return
    state[ws.MISMATCHED] += 1
    while frame >= 0 and frames.region[frame] != region:
        frame = frames.above[frame]
    if frame < 0:
        return
    while state[ws.TOP] != frame:
        state[ws.UNCLOSED] += 1
        _close_visit(walk, teams, now, False)
    _close_visit(walk, teams, now, True)


@step
def _other_record(
    walk: Any, teams: Any, code: Any, kind: Any, now: Any, side: Any, ref: Any
) -> None:
    """Process a record other than enter, leave, attributes and counters; store its row."""
    state = walk.state
    first = np.int64(side[ref, 0])
    begin, team = np.int64(ws.NONE), np.int64(ws.NONE)
    if kind == rec.UNKNOWN:
        state[ws.UNKNOWNS] += 1
    if kind == rec.MPI_COLLECTIVE_BEGIN:
        state[ws.MPI_BEGIN] = now
    elif kind == rec.RMA_COLLECTIVE_BEGIN:
        state[ws.RMA_BEGIN] = now
    elif kind == rec.MPI_COLLECTIVE_END:
        begin, state[ws.MPI_BEGIN] = state[ws.MPI_BEGIN], ws.NONE
    elif kind == rec.RMA_COLLECTIVE_END:
        begin, state[ws.RMA_BEGIN] = state[ws.RMA_BEGIN], ws.NONE
    elif kind == rec.FORK or kind == rec.OMP_FORK:
        note_fork(walk, teams, now, kind == rec.OMP_FORK)
    elif kind == rec.JOIN or kind == rec.OMP_JOIN:
        note_join(walk, now)
    elif kind == rec.TEAM_BEGIN:
        team = begin_team(walk, teams, first, now)
    elif kind == rec.TEAM_END:
        team = end_team(walk, teams)
    elif kind == rec.THREAD_BEGIN:
        if state[ws.TOP] < 0:
            threads = np.int32(len(code.call) - 1)
            state[ws.BASE_NODE] = node_of(walk, np.int32(ws.NONE), threads, False)
    elif kind == rec.THREAD_END:
        if state[ws.TOP] < 0:
            state[ws.BASE_NODE] = ws.NONE
    elif kind == rec.TASK_SWITCH:
        switch_task(walk, first, np.int64(side[ref, 1]), np.int64(side[ref, 2]), now)
    elif kind == rec.OMP_TASK_SWITCH:
        switch_task(walk, np.int64(0), np.int64(0), first, now)
    if not state[ws.WRITES_ROWS] or kind == rec.UNKNOWN:
        return
    if kind == rec.MPI_COLLECTIVE_BEGIN or kind == rec.RMA_COLLECTIVE_BEGIN:
        return
    if kind == rec.BUFFER_FLUSH:
        begin = max(min(ticks_to_ns(side[ref, 0], code.clock), state[ws.LATEST]), now)
    if kind == rec.TEAM_BEGIN or kind == rec.TEAM_END:
        begin = team
    rows.store_call(
        state, walk.frames, walk.tree.number, code.call, walk.records, kind, now, begin, side[ref]
    )


@step
def _records_that_fit(walk: Any) -> Any:
    """Number of records of any kind that fit until rows must be drained or columns grown."""
    state = walk.state
    open_visits = state[ws.OPEN_VISITS]
    fit = min(
        len(walk.frames.above) - open_visits,
        len(walk.forks.fork) - state[ws.FORKS],
        len(walk.suspended.team) - state[ws.SUSPENDED] - 1,
        (len(walk.tree.parent) - walk.tree.size[0]) // ws.MOST_NEW_NODES,
    )
    if state[ws.WRITES_ROWS]:
        fit = min(fit, len(walk.visits.visit) - state[ws.VISIT_ROWS] - open_visits)
        fit = min(fit, (len(walk.records.kind) - state[ws.RECORD_ROWS]) // ws.MOST_NEW_ROWS)
    return fit


@kernel
def walk_records(
    walk: Any, teams: Any, code: Any, times: Any, kinds: Any, refs: Any, side: Any, first: Any
) -> Any:
    """Walk over records from row `first` on, while there is room; returns the next row."""
    state, frames, numbers = walk.state, walk.frames, walk.tree.number
    row = first
    while row < len(kinds):
        last = min(row + _records_that_fit(walk), len(kinds))
        if last <= row:
            break
        # Not in a function: all columns as arguments cost more than the work for a record.
        while row < last:
            kind, ref = kinds[row], refs[row]
            now = _advance(walk, ticks_to_ns(times[row], code.clock))
            row += 1
            if kind == rec.ATTRIBUTE:
                if state[ws.WRITES_ROWS]:
                    # It may belong to the visit that ended last.
                    rows.note_cut(state, walk.cuts, state[ws.VISIT_ROWS] - 1)
                    rows.set_last_visit(state, frames, kinds, row - 2)
                    rows.store_attribute(state, frames, numbers, walk.records, now, side[ref])
                continue
            if kind == rec.ENTER:
                callee = _region(code.refs, code.ids, ref, code, state)
                if len(code.site_attributes):
                    callee = _callee(code, callee, kinds, refs, side, row)
                _enter(walk, teams, code, callee, now)
            elif kind == rec.LEAVE:
                _leave(walk, teams, _region(code.refs, code.ids, ref, code, state), now)
            elif kind == rec.METRIC:
                if state[ws.WRITES_ROWS]:
                    rows.note_cut(state, walk.cuts, state[ws.VISIT_ROWS])
                    values = side[ref : ref + np.int64(side[ref, 4])]
                    rows.store_values(state, frames, numbers, walk.records, now, values)
            elif kind == rec.CONTEXT_ENTER:
                _enter(walk, teams, code, _callee_of_context(code, side[ref, 0], state), now)
            elif kind == rec.CONTEXT_LEAVE:
                callee = _callee_of_context(code, side[ref, 0], state)
                _leave(walk, teams, code.region_of[callee], now)
            elif not rec.IGNORED <= kind <= rec.PROGRAM_END:
                rows.note_cut(state, walk.cuts, state[ws.VISIT_ROWS])
                _other_record(walk, teams, code, kind, now, side, ref)
            state[ws.SEQUENCE] += 1
    return row


@kernel
def close_walk(walk: Any, teams: Any) -> None:
    """Close all open visits at the last time of the location."""
    state = walk.state
    now = state[ws.NOW]
    if state[ws.IN_TASK]:
        end_fragment(walk, now)
        state[ws.IN_TASK] = 0
    while True:
        while state[ws.TOP] >= 0:
            state[ws.UNCLOSED] += 1
            _close_visit(walk, teams, now, False)
        if state[ws.SUSPENDED] == 0:
            break
        state[ws.SUSPENDED] -= 1
        state[ws.TOP] = walk.suspended.top[state[ws.SUSPENDED]]
    for fork in range(state[ws.FORKS]):
        if walk.forks.join[fork] == ws.PENDING:
            walk.forks.join[fork] = now
