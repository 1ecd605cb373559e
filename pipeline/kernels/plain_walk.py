"""The pass over a plain location, one without threads, tasks and calling contexts.

The survey has seen that visits nest there, so that most records are an enter or a leave that
concerns the visit on top. The general walk (visits.py) does the same to the same state and takes
over at whatever is not ordinary; this one takes a third of its time, because nothing in it is
handed all the columns of a walk.
"""

from typing import Any

import numpy as np

from tracemill.kernels.clock import ns_of_rest, second_of, to_ns
from tracemill.kernels.compiled import kernel, piece, prefetch
from tracemill.kernels.known_tree import BEGIN, NUMBER, child_of
from tracemill.kernels.profile import add_visit
from tracemill.kernels.records import (
    ATTRIBUTE,
    ENTER,
    IGNORED,
    LEAVE,
    METRIC,
    MPI_COLLECTIVE_BEGIN,
    MPI_COLLECTIVE_END,
    MPI_FIRST,
    MPI_LAST,
    SIDE_WIDTH,
)
from tracemill.kernels.rows import remember_owner
from tracemill.kernels.walk_state import (
    EARLIEST,
    FIRST_NS,
    FREE,
    HAS_RECORDS,
    LAST_NODE,
    LAST_VISIT,
    LATEST,
    LIBRARY_CALL,
    LOCATION,
    MPI_BEGIN,
    NEXT_VISIT,
    NONE,
    NOW,
    OPEN_VISITS,
    OUTSIDE,
    PENDING,
    RECORD_ROWS,
    REVERSALS,
    SEQUENCE,
    TOP,
    USER_CODE,
    VISIT_ROWS,
)


@piece
def _charge(state: Any, exclusive: Any, top: Any, now: Any, time: Any) -> Any:
    """Charge what has passed until a record's time to the visit on top; returns what time it is."""
    if time < now:
        state[REVERSALS if time >= state[EARLIEST] else OUTSIDE] += 1
        return now
    if time > state[LATEST]:
        state[OUTSIDE] += 1
        return now
    if top >= 0:
        exclusive[top] += time - now
    return time


@piece
def _advance(state: Any, exclusive: Any, time: Any) -> Any:
    """Move to a record's time."""
    state[NOW] = _charge(state, exclusive, state[TOP], state[NOW], time)
    return state[NOW]


@piece
def _open_visit(
    frames: Any, frame: Any, caller: Any, node: Any, region: Any, visit: Any, now: Any
) -> None:
    frames.above[frame], frames.node[frame], frames.region[frame] = caller, node, region
    frames.visit[frame], frames.enter[frame], frames.exclusive[frame] = visit, now, 0
    frames.team[frame] = frames.record[frame] = NONE


@piece
def _close_visit(
    state: Any, frames: Any, frame: Any, layout: Any, totals: Any, rows: Any, row: Any,
    records: Any, now: Any,
) -> None:  # fmt: skip
    """Store the row of a visit, and tell the records of its call when it was left."""
    record, caller, node = frames.record[frame], frames.above[frame], frames.node[frame]
    while record >= 0:
        records.leave[record] = now
        record = records.previous[record]
    rows.location[row], rows.visit[row] = state[LOCATION], frames.visit[frame]
    rows.parent[row] = frames.visit[caller] if caller >= 0 else NONE
    rows.node[row], rows.region[row] = layout[node + 1, NUMBER], frames.region[frame]
    rows.enter[row], rows.leave[row] = frames.enter[frame], now
    rows.exclusive[row], rows.is_closed[row] = frames.exclusive[frame], True
    add_visit(totals, node, frames.exclusive[frame], now - frames.enter[frame])


@piece
def _walk_visits(walk: Any, code: Any, times: Any, kinds: Any, refs: Any, first: Any) -> Any:
    """Walk over enters and leaves; returns the row of the first record that is none, or odd.

    What changes with every record is kept out of the state meanwhile, as variables are faster.
    """
    state, frames, layout, totals = walk.state, walk.frames, walk.layout, walk.totals
    rows, records = walk.visits, walk.records
    top, free, now, visit = state[TOP], state[FREE], state[NOW], state[NEXT_VISIT]
    last_visit, last_node = state[LAST_VISIT], state[LAST_NODE]
    begin, ticks, begin_ns = np.int64(0), np.int64(0), np.int64(0)
    resolution, reciprocal = code.clock[1], 1.0 / np.float64(code.clock[1])
    row, visit_row = first, state[VISIT_ROWS]
    while row < len(kinds):
        kind, ref, node = kinds[row], refs[row], np.int32(NONE)
        if (kind != ENTER and kind != LEAVE) or ref >= len(code.refs) or code.refs[ref] != ref:
            break
        region = code.ids[ref]
        if kind == ENTER:
            node = child_of(layout, frames.node[top] if top >= 0 else node, region)
            if node < 0 or free < 0:
                break
        elif top < 0 or frames.region[top] != region or visit_row >= len(rows.visit):
            break
        rest = np.int64(times[row]) - begin
        if rest < 0 or rest >= ticks:
            begin, ticks, begin_ns = second_of(times[row], code.clock)
            rest = np.int64(times[row]) - begin
        if ticks > 0:
            time = begin_ns + ns_of_rest(rest, resolution, reciprocal)
        else:
            time = to_ns(times[row], code.clock)
        now = _charge(state, frames.exclusive, top, now, time)
        if kind == ENTER:
            frame, free = free, np.int64(frames.above[free])
            _open_visit(frames, frame, top, node, region, visit, now)
            prefetch(totals, node)
            prefetch(layout, layout[node + 1, BEGIN] + 1)
            last_visit, top = visit, frame
            visit += 1
        else:
            frame, top = top, np.int64(frames.above[top])
            _close_visit(state, frames, frame, layout, totals, rows, visit_row, records, now)
            last_visit, frames.above[frame], free = frames.visit[frame], free, frame
            visit_row += 1
        last_node = np.int64(frames.node[frame])
        row += 1
    state[OPEN_VISITS] += (visit - state[NEXT_VISIT]) - (visit_row - state[VISIT_ROWS])
    state[TOP], state[FREE], state[NOW], state[NEXT_VISIT] = top, free, now, visit
    state[VISIT_ROWS], state[LAST_VISIT], state[LAST_NODE] = visit_row, last_visit, last_node
    state[SEQUENCE] += row - first
    return row


@piece
def _begin_row(state: Any, frames: Any, numbers: Any, rows: Any, kind: Any, now: Any) -> Any:
    """Append a record's row without its arguments."""
    row, frame = state[RECORD_ROWS], state[TOP]
    state[RECORD_ROWS] = row + 1
    rows.kind[row], rows.sequence[row] = kind, state[SEQUENCE]
    rows.time[row] = rows.enter[row] = rows.leave[row] = now
    rows.begin[row] = rows.previous[row] = NONE
    rows.visit[row], rows.node[row] = NONE, NONE
    if frame >= 0:
        rows.visit[row], rows.node[row] = frames.visit[frame], numbers[frames.node[frame]]
    return row


@piece
def _store_call(
    state: Any, frames: Any, numbers: Any, call: Any, rows: Any, kind: Any, now: Any, side: Any
) -> None:
    """The row of an MPI record, which belongs to the call that is open."""
    row, frame = _begin_row(state, frames, numbers, rows, kind, now), state[TOP]
    if kind == MPI_COLLECTIVE_END:
        rows.begin[row], state[MPI_BEGIN] = state[MPI_BEGIN], NONE
    role = call[frames.region[frame]] if frame >= 0 else np.int8(USER_CODE)
    if role != USER_CODE:
        rows.enter[row] = frames.enter[frame]
    if role == LIBRARY_CALL:
        rows.leave[row] = PENDING
        rows.previous[row] = frames.record[frame]
        frames.record[frame] = row
    for column in range(SIDE_WIDTH):
        rows.arguments[row, column] = side[column]


@piece
def _store_values(state: Any, frames: Any, numbers: Any, rows: Any, now: Any, side: Any) -> None:
    """The rows of a counter record, one per value."""
    for index in range(len(side)):
        row = _begin_row(state, frames, numbers, rows, METRIC, now)
        for column in range(SIDE_WIDTH):
            rows.arguments[row, column] = side[index, column]


@piece
def _store_attribute(state: Any, numbers: Any, rows: Any, now: Any, side: Any) -> None:
    """The row of an attribute, which belongs to the record before."""
    row = state[RECORD_ROWS]
    state[RECORD_ROWS] = row + 1
    rows.kind[row], rows.sequence[row] = ATTRIBUTE, state[SEQUENCE] - 1
    rows.time[row] = rows.enter[row] = rows.leave[row] = now
    rows.begin[row] = rows.previous[row] = NONE
    rows.visit[row] = state[LAST_VISIT]
    rows.node[row] = numbers[state[LAST_NODE]] if state[LAST_NODE] >= 0 else NONE
    for column in range(SIDE_WIDTH):
        rows.arguments[row, column] = side[column]


@kernel
def walk_plain(
    walk: Any, code: Any, times: Any, kinds: Any, refs: Any, side: Any, first: Any
) -> Any:
    """Walk over a chunk of records from row `first` on, as far as they are ordinary and fit.

    Returns the row to go on from. The location must be plain.
    """
    state, frames, records = walk.state, walk.frames, walk.records
    numbers, row = walk.tree.number, first
    if not state[HAS_RECORDS] and row < len(kinds):
        state[HAS_RECORDS] = 1
        time = to_ns(times[row], code.clock)
        if state[EARLIEST] <= time <= state[LATEST]:
            state[FIRST_NS] = state[NOW] = time
    while True:
        row = _walk_visits(walk, code, times, kinds, refs, row)
        if row >= len(kinds):
            break
        kind, ref = kinds[row], refs[row]
        count = np.int64(0)
        if kind == METRIC:
            count = np.int64(side[ref, 4])
        elif kind == ATTRIBUTE or MPI_FIRST <= kind <= MPI_LAST:
            count = np.int64(1)
        elif kind != IGNORED:
            break
        if state[RECORD_ROWS] + count > len(records.kind):
            break
        now = _advance(state, frames.exclusive, to_ns(times[row], code.clock))
        row += 1
        if kind == ATTRIBUTE:
            remember_owner(state, frames, kinds, row - 2)
            _store_attribute(state, numbers, records, now, side[ref])
            continue
        if kind == METRIC:
            _store_values(state, frames, numbers, records, now, side[ref : ref + count])
        elif kind == MPI_COLLECTIVE_BEGIN:
            state[MPI_BEGIN] = now
        elif kind != IGNORED:
            _store_call(state, frames, numbers, code.call, records, kind, now, side[ref])
        state[SEQUENCE] += 1
    return row
