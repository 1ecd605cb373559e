"""The pass over a plain location, one without threads, tasks and calling contexts.

The survey has seen that visits nest there, so that most records are an enter or a leave that
concerns the visit on top. The general walk (visits.py) does the same to the same state and takes
over at whatever is not ordinary; this one takes a third of its time, because nothing in it is
handed all the columns of a walk.
"""

from typing import Any

import numpy as np

from pipeline.kernels.call_tree import EMPTY, key_of, slot_of
from pipeline.kernels.clock import to_ns
from pipeline.kernels.compiled import kernel, piece
from pipeline.kernels.profile import add_visit, begin_total
from pipeline.kernels.records import (
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
from pipeline.kernels.rows import remember_owner
from pipeline.kernels.walk_state import (
    FIRST_NS,
    FREE,
    HAS_RECORDS,
    LAST_NODE,
    LAST_VISIT,
    LIBRARY_CALL,
    MPI_BEGIN,
    NEXT_VISIT,
    NONE,
    NOW,
    OPEN_VISITS,
    PENDING,
    RECORD_ROWS,
    REVERSALS,
    SEQUENCE,
    TOP,
    USER_CODE,
    VISIT_ROWS,
)


@piece
def _advance(state: Any, exclusive: Any, time: Any) -> Any:
    """Move to a record's time, charging what passed to the visit on top."""
    if not state[HAS_RECORDS]:
        state[HAS_RECORDS] = 1
        state[FIRST_NS] = state[NOW] = time
    now = state[NOW]
    if time < now:
        state[REVERSALS] += 1
    else:
        if state[TOP] >= 0:
            exclusive[state[TOP]] += time - now
        state[NOW] = now = time
    return now


@piece
def _child(tree: Any, totals: Any, known: Any, canonical: Any, parent: Any, region: Any) -> Any:
    """Node of a region below another node; a new one has the survey's next number.

    NONE if there is no room for it, or if the survey has not seen it.
    """
    table = tree.table
    key = key_of(parent, region, False)
    last = np.uint64(len(table) - 1)
    slot = slot_of(last, key)
    while table[slot] != EMPTY:
        node = np.int64(table[slot]) - 1
        if tree.key[node] == key:
            return node
        slot = (slot + np.uint64(1)) & last
    node = tree.size[0]
    if node >= len(known) or node >= len(tree.parent) or canonical[known[node]] != region:
        return np.int64(NONE)
    tree.parent[node], tree.region[node], tree.is_stub[node] = parent, region, False
    tree.number[node], tree.key[node] = known[node], key
    begin_total(totals, node)
    table[slot] = node + 1
    tree.size[0] = node + 1
    return node


@piece
def _open_visit(state: Any, frames: Any, node: Any, region: Any, now: Any) -> None:
    frame, caller = state[FREE], state[TOP]
    state[FREE] = frames.above[frame]
    frames.above[frame], frames.node[frame], frames.region[frame] = caller, node, region
    visit = state[NEXT_VISIT]
    frames.visit[frame], frames.enter[frame], frames.exclusive[frame] = visit, now, 0
    frames.team[frame] = frames.record[frame] = NONE
    state[NEXT_VISIT] = visit + 1
    state[OPEN_VISITS] += 1
    state[TOP] = frame
    state[LAST_VISIT], state[LAST_NODE] = visit, node


@piece
def _close_visit(
    state: Any, frames: Any, numbers: Any, totals: Any, rows: Any, records: Any, now: Any
) -> None:
    """Store the row of the visit on top and take it off the stack."""
    frame, row = state[TOP], state[VISIT_ROWS]
    caller, node = frames.above[frame], frames.node[frame]
    record = frames.record[frame]
    while record >= 0:
        records.leave[record] = now
        record = records.previous[record]
    rows.visit[row] = frames.visit[frame]
    rows.parent[row] = frames.visit[caller] if caller >= 0 else NONE
    rows.node[row], rows.region[row] = numbers[node], frames.region[frame]
    rows.enter[row], rows.leave[row] = frames.enter[frame], now
    rows.exclusive[row], rows.is_closed[row] = frames.exclusive[frame], True
    add_visit(totals, node, frames.exclusive[frame], now - frames.enter[frame])
    state[VISIT_ROWS] = row + 1
    state[LAST_VISIT], state[LAST_NODE] = frames.visit[frame], node
    frames.above[frame] = state[FREE]
    state[FREE], state[TOP] = frame, caller
    state[OPEN_VISITS] -= 1


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
    state, frames, visits, records = walk.state, walk.frames, walk.visits, walk.records
    tree, totals, numbers = walk.tree, walk.totals, walk.tree.number
    known, canonical = walk.numbers, walk.canonical
    row = first
    while row < len(kinds):
        kind, ref, top = kinds[row], refs[row], state[TOP]
        if kind == ENTER:
            if ref >= len(code.refs) or code.refs[ref] != ref or state[FREE] < 0:
                break
            region = code.ids[ref]
            parent = frames.node[top] if top >= 0 else np.int32(NONE)
            node = _child(tree, totals, known, canonical.region, parent, region)
            if node < 0:
                break
            now = _advance(state, frames.exclusive, to_ns(times[row], code.clock))
            _open_visit(state, frames, node, region, now)
        elif kind == LEAVE:
            if ref >= len(code.refs) or code.refs[ref] != ref:
                break
            if top < 0 or frames.region[top] != code.ids[ref]:
                break
            if state[VISIT_ROWS] >= len(visits.visit):
                break
            now = _advance(state, frames.exclusive, to_ns(times[row], code.clock))
            _close_visit(state, frames, numbers, totals, visits, records, now)
        elif kind == IGNORED:
            _advance(state, frames.exclusive, to_ns(times[row], code.clock))
        elif kind == METRIC:
            values = side[ref : ref + np.int64(side[ref, 4])]
            if state[RECORD_ROWS] + len(values) > len(records.kind):
                break
            now = _advance(state, frames.exclusive, to_ns(times[row], code.clock))
            _store_values(state, frames, numbers, records, now, values)
        elif kind == ATTRIBUTE or MPI_FIRST <= kind <= MPI_LAST:
            if state[RECORD_ROWS] >= len(records.kind):
                break
            now = _advance(state, frames.exclusive, to_ns(times[row], code.clock))
            if kind == ATTRIBUTE:
                remember_owner(state, frames, kinds, row - 1)
                _store_attribute(state, numbers, records, now, side[ref])
                row += 1
                continue
            if kind == MPI_COLLECTIVE_BEGIN:
                state[MPI_BEGIN] = now
            else:
                _store_call(state, frames, numbers, code.call, records, kind, now, side[ref])
        else:
            break
        row += 1
        state[SEQUENCE] += 1
    return row
