"""One pass over the records of a location: region visits, and the call that holds each record.

The pass keeps a stack of open visits (one stack per suspended task) and charges the time between
two records to the visit on top, which gives exclusive times directly. It is run twice: first to
*survey* the call tree and the forks, with rows switched off, then, with canonical call-path
numbers known, to write rows. A reader that aggregates some visits instead of storing them
would do so where `_close_visit` stores a row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.kernels.call_tree import CallTree, add_node, find_node
from pipeline.kernels.compiled import kernel, step
from pipeline.kernels.records import (
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
    SIDE_WIDTH,
    TASK_SWITCH,
    TEAM_BEGIN,
    TEAM_END,
    THREAD_BEGIN,
    THREAD_END,
    UNKNOWN,
)

TASK_FRAGMENT = 127
"""Kind of the row made for a stretch of time in which a task ran."""

# Slots of the state.
TOP, FREE, NEXT_VISIT, NOW, SEQUENCE = 0, 1, 2, 3, 4
BASE_NODE, BASE_TEAM, BASE_BEGIN = 5, 6, 7
VISIT_ROWS, RECORD_ROWS, FORKS = 8, 9, 10
TEAM_DEPTH, PENDING_TEAM, AWAITS_TEAM, OPEN_FORKS = 11, 12, 13, 14
IN_TASK, TASK_TEAM, TASK_THREAD, TASK_NUMBER = 15, 16, 17, 18
TASK_SCHEDULER, TASK_BEGIN, TASK_STUB, TASK_IS_FIRST = 19, 20, 21, 22
SUSPENDED = 23
MPI_BEGIN, RMA_BEGIN = 24, 25
LAST_VISIT, LAST_NODE, FIRST_NS, HAS_RECORDS = 26, 27, 28, 29
MISMATCHED, REVERSALS, IMPOSSIBLE, UNKNOWNS, UNCLOSED, LOST_NODES = 30, 31, 32, 33, 34, 35
WRITES_ROWS, LOCATION, OPEN_VISITS, WORKS_IN_TEAMS = 36, 37, 38, 39
STATE_SLOTS = 40

NONE = -1
_MOST_SECONDS = 9_000_000_000
USER_CODE, CONSTRUCT, LIBRARY_CALL = 0, 1, 2
"""What a region is. A record's row waits for the end of a library call, not of a construct, which
may hold any number of records."""
MOST_NEW_NODES = 4
"""More than the nodes that one record can add: a root, a visit and a task's stub."""
MOST_NEW_ROWS = 260
"""More than the record rows that one record can add: 255 counter values, a task's stretch."""
PENDING = np.iinfo(np.int64).max
_MOST_TEAMS = 256


class Frames(NamedTuple):
    """Open visits; `above` is the frame of the caller, or the next free frame."""

    above: NDArray[np.int32]
    node: NDArray[np.int32]
    region: NDArray[np.int32]
    team: NDArray[np.int32]
    visit: NDArray[np.int64]
    enter: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    record: NDArray[np.int64]


class VisitRows(NamedTuple):
    """Closed visits, in the order in which they were left."""

    visit: NDArray[np.int64]
    parent: NDArray[np.int64]
    node: NDArray[np.int32]
    region: NDArray[np.int32]
    enter: NDArray[np.int64]
    leave: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    is_closed: NDArray[np.bool_]


class RecordRows(NamedTuple):
    """Records other than enter and leave; `leave` is PENDING while their call is open.

    `previous` links the records of an open call.
    """

    kind: NDArray[np.uint8]
    sequence: NDArray[np.int64]
    time: NDArray[np.int64]
    visit: NDArray[np.int64]
    node: NDArray[np.int32]
    enter: NDArray[np.int64]
    leave: NDArray[np.int64]
    begin: NDArray[np.int64]
    previous: NDArray[np.int64]
    arguments: NDArray[np.uint64]


class Forks(NamedTuple):
    """Forks of the location: when, from which node, and the team it was itself working in."""

    fork: NDArray[np.int64]
    join: NDArray[np.int64]
    node: NDArray[np.int32]
    team: NDArray[np.int64]
    base_team: NDArray[np.int64]
    base_begin: NDArray[np.int64]


class Teams(NamedTuple):
    """All forks of the process, sorted by team, then by fork time."""

    team: NDArray[np.int64]
    fork: NDArray[np.int64]
    join: NDArray[np.int64]
    node: NDArray[np.int32]
    location: NDArray[np.int32]
    number: NDArray[np.int64]


class Code(NamedTuple):
    """The trace's regions and clock, as the kernel needs them.

    `refs` are the regions' identifiers in the trace, sorted; `ids` their canonical numbers.
    `context_refs` and `context_ids` give the region of each calling context in the same way.
    `call` tells user code, constructs and library calls apart. `clock` is (offset, resolution).
    The artificial regions for impossible ids, TASKS and THREADS follow the real ones.
    """

    refs: NDArray[np.uint32]
    ids: NDArray[np.int32]
    call: NDArray[np.int8]
    is_parallel: NDArray[np.bool_]
    context_refs: NDArray[np.uint32]
    context_ids: NDArray[np.int32]
    clock: NDArray[np.int64]


class Suspended(NamedTuple):
    """Tasks that were begun and are not running: their key and where they stand."""

    team: NDArray[np.int64]
    thread: NDArray[np.int64]
    number: NDArray[np.int64]
    top: NDArray[np.int64]
    scheduler: NDArray[np.int64]
    stub: NDArray[np.int64]


class Walk(NamedTuple):
    """Everything the pass over one location changes, and the canonical tree.

    Visits are looked up in the location's own small tree, whose nodes carry their canonical
    numbers, rather than in the tree of the whole trace, which may not fit into the cache.
    """

    state: NDArray[np.int64]
    tree: CallTree
    canonical: CallTree
    numbers: NDArray[np.int32]
    frames: Frames
    visits: VisitRows
    records: RecordRows
    forks: Forks
    suspended: Suspended
    team_stack: NDArray[np.int64]


@step
def _divide(dividend: Any, divisor: Any, reciprocal: Any) -> Any:
    """Floor of an integer quotient, without the slow integer division."""
    quotient = np.int64(np.float64(dividend) * reciprocal)
    rest = dividend - quotient * divisor
    while rest < 0:
        quotient -= 1
        rest += divisor
    while rest >= divisor:
        quotient += 1
        rest -= divisor
    return quotient


@step
def to_ns(ticks: Any, clock: Any) -> Any:
    """Nanoseconds since the trace's zero, rounded to nearest; exact for every resolution.

    Times more than 285 years away are impossible and are taken as 285 years.
    """
    offset, resolution = clock[0], clock[1]
    since = np.int64(ticks) - offset
    if resolution == 1_000_000_000:
        return since
    reciprocal = 1.0 / np.float64(resolution)
    seconds = _divide(since, resolution, reciprocal)
    if abs(seconds) >= _MOST_SECONDS:
        return _MOST_SECONDS * 1_000_000_000 * (1 if seconds > 0 else -1)
    rest = since - seconds * resolution
    if resolution <= 9_000_000_000:
        rounded = rest * 1_000_000_000 + resolution // 2
        return seconds * 1_000_000_000 + _divide(rounded, resolution, reciprocal)
    nanoseconds = np.int64(0)
    for _ in range(3):
        rest *= 1000
        nanoseconds = nanoseconds * 1000 + rest // resolution
        rest %= resolution
    if 2 * rest >= resolution:
        nanoseconds += 1
    return seconds * 1_000_000_000 + nanoseconds


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
def _node(walk: Any, parent: Any, region: Any, is_stub: Any) -> Any:
    node = find_node(walk.tree, parent, region, is_stub)
    if node >= 0:
        return node
    return _new_node(walk, parent, region, is_stub)


@step
def _new_node(walk: Any, parent: Any, region: Any, is_stub: Any) -> Any:
    """Add a node to the location's tree; with rows to write, find its canonical number.

    Nodes appear in the same order as in the survey, whose numbers need no lookup.
    """
    number, place = np.int32(NONE), walk.tree.size[0]
    if place < len(walk.numbers):
        number = walk.numbers[place]
    elif walk.state[WRITES_ROWS]:
        above = parent if parent < 0 else walk.tree.number[parent]
        number = find_node(walk.canonical, above, region, is_stub)
        if number < 0:
            walk.state[LOST_NODES] += 1
            number = np.int32(0)
    return add_node(walk.tree, parent, region, is_stub, number)


@step
def _advance(walk: Any, time: Any) -> Any:
    """Move to a record's time, charging what passed to the visit on top."""
    state = walk.state
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
    frames.node[frame] = _node(walk, parent, region, False)
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
        state[TASK_STUB] = _node(walk, above, region, True)


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
        return np.int64(_node(walk, np.int32(NONE), np.int32(len(code.call) - 2), False))
    if state[BASE_NODE] == NONE and state[TEAM_DEPTH] == 0:
        team = _find_team(teams, NONE, now)
        if team >= 0 and now <= teams.join[team] and teams.location[team] != state[LOCATION]:
            state[PENDING_TEAM] = team
            return np.int64(teams.node[team])
    return state[BASE_NODE]


@step
def _find_team(teams: Any, team: Any, now: Any) -> Any:
    """The latest fork of a team at or before a time."""
    low, high = 0, len(teams.team)
    while low < high:
        middle = (low + high) // 2
        if teams.team[middle] < team or (teams.team[middle] == team and teams.fork[middle] <= now):
            low = middle + 1
        else:
            high = middle
    if low > 0 and teams.team[low - 1] == team:
        return low - 1
    return NONE


@step
def _find_begun_team(teams: Any, team: Any, now: Any) -> Any:
    """The fork of a team that begins work now, rather the next one than one that has joined.

    Clocks of two cores may differ, so that work seems to begin before the fork.
    """
    found = _find_team(teams, team, now)
    if found >= 0 and now <= teams.join[found]:
        return found
    following = found + 1 if found >= 0 else _first_fork(teams, team)
    if following < len(teams.team) and teams.team[following] == team:
        return following
    return found


@step
def _first_fork(teams: Any, team: Any) -> Any:
    low, high = 0, len(teams.team)
    while low < high:
        middle = (low + high) // 2
        if teams.team[middle] < team:
            low = middle + 1
        else:
            high = middle
    return low


@step
def _close_visit(walk: Any, teams: Any, now: Any, is_closed: Any) -> None:
    """Take the visit on top off the stack and store its row."""
    state, frames = walk.state, walk.frames
    frame = state[TOP]
    caller = frames.above[frame]
    if frames.team[frame] >= 0:
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
        rows.visit[row] = frames.visit[frame]
        rows.parent[row] = frames.visit[caller] if caller >= 0 else NONE
        rows.node[row] = walk.tree.number[frames.node[frame]]
        rows.region[row] = frames.region[frame]
        rows.enter[row] = frames.enter[frame]
        rows.leave[row] = now
        rows.exclusive[row] = frames.exclusive[frame]
        rows.is_closed[row] = is_closed
        state[VISIT_ROWS] = row + 1
    state[LAST_VISIT], state[LAST_NODE] = frames.visit[frame], frames.node[frame]
    frames.above[frame] = state[FREE]
    state[FREE] = frame
    state[OPEN_VISITS] -= 1
    state[TOP] = caller
    if caller < 0 and state[IN_TASK]:
        _end_fragment(walk, now)
        state[IN_TASK] = 0
        state[TOP] = state[TASK_SCHEDULER]


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
def _store(walk: Any, code: Any, kind: Any, now: Any, begin: Any) -> Any:
    """Append a record's row; its arguments are filled in by the caller."""
    state, frames, rows = walk.state, walk.frames, walk.records
    row, frame = state[RECORD_ROWS], state[TOP]
    rows.kind[row], rows.time[row], rows.begin[row] = kind, now, begin
    rows.sequence[row] = state[SEQUENCE]
    rows.enter[row] = rows.leave[row] = now
    rows.visit[row], rows.node[row], rows.previous[row] = NONE, NONE, NONE
    if frame >= 0:
        rows.visit[row] = frames.visit[frame]
        rows.node[row] = walk.tree.number[frames.node[frame]]
        call = code.call[frames.region[frame]]
        if call != USER_CODE:
            rows.enter[row] = frames.enter[frame]
        if call == LIBRARY_CALL:
            rows.leave[row] = PENDING
            rows.previous[row] = frames.record[frame]
            frames.record[frame] = row
    state[RECORD_ROWS] = row + 1
    return row


@step
def _store_with(walk: Any, code: Any, kind: Any, now: Any, begin: Any, side: Any, ref: Any) -> None:
    row = _store(walk, code, kind, now, begin)
    for column in range(SIDE_WIDTH):
        walk.records.arguments[row, column] = side[ref, column]


@step
def _number(walk: Any, node: Any) -> Any:
    """Canonical number of a node of the location's tree."""
    return walk.tree.number[node] if node >= 0 else np.int32(NONE)


@step
def _store_values(walk: Any, kind: Any, now: Any, side: Any, ref: Any, count: Any) -> None:
    """Rows of counter values or of an attribute; an attribute belongs to the record before."""
    state, rows = walk.state, walk.records
    for index in range(count):
        row, frame = state[RECORD_ROWS], state[TOP]
        rows.kind[row], rows.time[row], rows.begin[row] = kind, now, NONE
        rows.sequence[row] = state[SEQUENCE]
        rows.enter[row] = rows.leave[row] = now
        rows.visit[row], rows.node[row], rows.previous[row] = NONE, NONE, NONE
        if kind == ATTRIBUTE:
            rows.sequence[row] = state[SEQUENCE] - 1
            rows.visit[row] = state[LAST_VISIT]
            rows.node[row] = _number(walk, state[LAST_NODE])
        elif frame >= 0:
            rows.visit[row] = walk.frames.visit[frame]
            rows.node[row] = _number(walk, walk.frames.node[frame])
        for column in range(SIDE_WIDTH):
            rows.arguments[row, column] = side[ref + index, column]
        state[RECORD_ROWS] = row + 1


@step
def _remember_owner(walk: Any, kinds: Any, row: Any) -> None:
    """The visit of the record before its attributes, of which the row before may be one."""
    state = walk.state
    while row > 0 and kinds[row] == ATTRIBUTE:
        row -= 1
    kind = kinds[row]
    if kind == ENTER or kind == LEAVE or kind == CONTEXT_ENTER or kind == CONTEXT_LEAVE:
        return  # they have left word which visit they opened or closed
    frame = state[TOP]
    state[LAST_VISIT] = walk.frames.visit[frame] if frame >= 0 else NONE
    state[LAST_NODE] = walk.frames.node[frame] if frame >= 0 else NONE


@step
def _fork(walk: Any, teams: Any, now: Any, is_omp: Any) -> None:
    state, forks = walk.state, walk.forks
    fork = state[FORKS]
    forks.fork[fork], forks.join[fork] = now, PENDING
    forks.node[fork] = walk.frames.node[state[TOP]] if state[TOP] >= 0 else NONE
    forks.team[fork] = NONE
    forks.base_team[fork], forks.base_begin[fork] = state[BASE_TEAM], state[BASE_BEGIN]
    state[FORKS] = fork + 1
    state[OPEN_FORKS] += 1
    state[AWAITS_TEAM] = 0 if is_omp else fork + 1
    if is_omp:  # no record says when the forker begins to work in the team
        state[PENDING_TEAM] = _find_team(teams, NONE, now)


@step
def _join(walk: Any, now: Any) -> None:
    """Close the latest fork that is still open."""
    forks = walk.forks
    if walk.state[OPEN_FORKS] == 0:
        return
    walk.state[OPEN_FORKS] -= 1
    fork = walk.state[FORKS] - 1
    while fork >= 0 and forks.join[fork] != PENDING:
        fork -= 1
    if fork >= 0:
        forks.join[fork] = now
    walk.state[PENDING_TEAM] = NONE


@step
def _team_begin(walk: Any, teams: Any, ref: Any, now: Any) -> Any:
    """Begin of a team's work here; returns the number of the team, if it is known yet."""
    state = walk.state
    is_forker = state[AWAITS_TEAM] > 0
    if is_forker:
        walk.forks.team[state[AWAITS_TEAM] - 1] = ref
        state[AWAITS_TEAM] = 0
    elif state[TOP] < 0:
        state[BASE_TEAM], state[BASE_BEGIN] = ref, now
        state[WORKS_IN_TEAMS] = 1
    team = _find_begun_team(teams, ref, now)
    if team >= 0:
        state[PENDING_TEAM] = team
        if not is_forker and state[TOP] < 0:
            state[BASE_NODE] = teams.node[team]
    if state[TEAM_DEPTH] < _MOST_TEAMS:
        walk.team_stack[state[TEAM_DEPTH]] = team
    state[TEAM_DEPTH] += 1
    return teams.number[team] if team >= 0 else NONE


@step
def _team_end(walk: Any, teams: Any) -> Any:
    state = walk.state
    state[PENDING_TEAM] = NONE
    if state[TEAM_DEPTH] == 0:
        return NONE
    state[TEAM_DEPTH] -= 1
    if state[TOP] < 0:
        state[BASE_NODE] = state[BASE_TEAM] = NONE
    if state[TEAM_DEPTH] >= _MOST_TEAMS:
        return NONE
    team = walk.team_stack[state[TEAM_DEPTH]]
    return teams.number[team] if team >= 0 else NONE


@step
def _end_fragment(walk: Any, now: Any) -> None:
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
    rows.node[row] = _number(walk, state[TASK_STUB])
    rows.arguments[row, 0] = np.uint64(state[TASK_THREAD])
    rows.arguments[row, 1] = np.uint64(state[TASK_NUMBER])
    rows.arguments[row, 2] = np.uint64(state[TASK_IS_FIRST])
    state[RECORD_ROWS] = row + 1
    state[TASK_IS_FIRST] = 0


@step
def _switch_task(walk: Any, team: Any, thread: Any, number: Any, now: Any) -> None:
    """Suspend what runs and start or resume another task; number 0 is the implicit task."""
    state, suspended, root = walk.state, walk.suspended, walk.state[TASK_SCHEDULER]
    previous_top = state[TOP]
    if state[IN_TASK]:
        _end_fragment(walk, now)
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
    state[TASK_STUB] = _node(walk, above, frames.region[frame], True)


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
        _fork(walk, teams, now, kind == OMP_FORK)
    elif kind == JOIN or kind == OMP_JOIN:
        _join(walk, now)
    elif kind == TEAM_BEGIN:
        team = _team_begin(walk, teams, first, now)
    elif kind == TEAM_END:
        team = _team_end(walk, teams)
    elif kind == THREAD_BEGIN:
        if state[TOP] < 0:
            threads = np.int32(len(code.call) - 1)
            state[BASE_NODE] = _node(walk, np.int32(NONE), threads, False)
    elif kind == THREAD_END:
        if state[TOP] < 0:
            state[BASE_NODE] = NONE
    elif kind == TASK_SWITCH:
        _switch_task(walk, first, np.int64(side[ref, 1]), np.int64(side[ref, 2]), now)
    elif kind == OMP_TASK_SWITCH:
        _switch_task(walk, np.int64(0), np.int64(0), first, now)
    if not state[WRITES_ROWS] or kind == UNKNOWN:
        return
    if kind == MPI_COLLECTIVE_BEGIN or kind == RMA_COLLECTIVE_BEGIN:
        return
    if kind == BUFFER_FLUSH:
        begin = max(to_ns(side[ref, 0], code.clock), now)
    if kind == TEAM_BEGIN or kind == TEAM_END:
        begin = team
    _store_with(walk, code, kind, now, begin, side, ref)


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
                    _remember_owner(walk, kinds, row - 2)
                    _store_values(walk, kind, now, side, ref, 1)
                continue
            if kind == ENTER:
                _enter(walk, teams, code, _region(code.refs, code.ids, ref, code, state), now)
            elif kind == LEAVE:
                _leave(walk, teams, _region(code.refs, code.ids, ref, code, state), now)
            elif kind == METRIC:
                if state[WRITES_ROWS]:
                    _store_values(walk, kind, now, side, ref, side[ref, 4])
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
        _end_fragment(walk, now)
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
