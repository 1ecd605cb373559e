"""The pass over a plain location, which has no threads, tasks and calling contexts.

The survey has shown that visits nest there, so most records are enters and leaves of the visit on
top. All other records are left to the general walk (visits.py), which works on the same state. This
walk takes a third of its time, because none of its functions takes all columns as an argument.
"""

from typing import Any

import numpy as np

from tracemill.kernels import records as rec
from tracemill.kernels import walk_state as ws
from tracemill.kernels.clock import ns_of_rest, second_of, ticks_to_ns
from tracemill.kernels.compiled import kernel, piece, prefetch
from tracemill.kernels.known_tree import BEGIN, NUMBER, child_of
from tracemill.kernels.rows import (
    note_cut,
    open_visit,
    set_last_visit,
    store_attribute,
    store_call,
    store_values,
    store_visit,
)


@piece
def _charge(state: Any, exclusive: Any, top: Any, now: Any, time: Any) -> Any:
    """Add the time until a record to the visit on top; returns the current time."""
    if time < now:
        state[ws.REVERSALS if time >= state[ws.EARLIEST] else ws.OUTSIDE] += 1
        return now
    if time > state[ws.LATEST]:
        state[ws.OUTSIDE] += 1
        return now
    if top >= 0:
        exclusive[top] += time - now
    return time


@piece
def _advance(state: Any, exclusive: Any, time: Any) -> Any:
    """Move to the time of a record; returns the current time."""
    state[ws.NOW] = _charge(state, exclusive, state[ws.TOP], state[ws.NOW], time)
    return state[ws.NOW]


@piece
def _walk_visits(walk: Any, code: Any, times: Any, kinds: Any, refs: Any, first: Any) -> Any:
    """Walk over enters and leaves; returns the row of the first other or irregular record.

    Values that change with every record are kept in variables, which are faster than the state.
    """
    state, frames, layout, totals = walk.state, walk.frames, walk.layout, walk.totals
    rows, records = walk.visits, walk.records
    top, free, now, visit = state[ws.TOP], state[ws.FREE], state[ws.NOW], state[ws.NEXT_VISIT]
    last_visit, last_node = state[ws.LAST_VISIT], state[ws.LAST_NODE]
    begin, ticks, begin_ns = np.int64(0), np.int64(0), np.int64(0)
    resolution, reciprocal = code.clock[1], 1.0 / np.float64(code.clock[1])
    row, visit_row = first, state[ws.VISIT_ROWS]
    while row < len(kinds):
        kind, ref, node = kinds[row], refs[row], np.int32(ws.NONE)
        if kind > rec.LEAVE or ref >= len(code.refs) or code.refs[ref] != ref:
            break
        region = code.ids[ref]
        if kind == rec.ENTER:
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
            time = ticks_to_ns(times[row], code.clock)
        now = _charge(state, frames.exclusive, top, now, time)
        if kind == rec.ENTER:
            frame, free = free, np.int64(frames.above[free])
            open_visit(frames, frame, top, node, region, visit, now)
            prefetch(totals, node)
            prefetch(layout, layout[node + 1, BEGIN] + 1)
            last_visit, top = visit, frame
            visit += 1
        else:
            frame, top = top, np.int64(frames.above[top])
            number = layout[frames.node[frame] + 1, NUMBER]
            store_visit(
                state, frames, frame, number, totals, rows, visit_row, records, now, True
            )  # fmt: skip
            last_visit, frames.above[frame], free = frames.visit[frame], free, frame
            visit_row += 1
        last_node = np.int64(frames.node[frame])
        row += 1
    state[ws.OPEN_VISITS] += (visit - state[ws.NEXT_VISIT]) - (visit_row - state[ws.VISIT_ROWS])
    state[ws.TOP], state[ws.FREE], state[ws.NOW], state[ws.NEXT_VISIT] = top, free, now, visit
    state[ws.LAST_VISIT], state[ws.LAST_NODE] = last_visit, last_node
    state[ws.VISIT_ROWS] = visit_row
    state[ws.SEQUENCE] += row - first
    return row


@kernel
def walk_plain(
    walk: Any, code: Any, times: Any, kinds: Any, refs: Any, side: Any, first: Any
) -> Any:
    """Walk over records of a plain location from row `first` on, while they are regular and fit.

    Returns the next row.
    """
    state, frames, records = walk.state, walk.frames, walk.records
    numbers, row = walk.tree.number, first
    if not state[ws.HAS_RECORDS] and row < len(kinds):
        state[ws.HAS_RECORDS] = 1
        time = ticks_to_ns(times[row], code.clock)
        if state[ws.EARLIEST] <= time <= state[ws.LATEST]:
            state[ws.FIRST_NS] = state[ws.NOW] = time
    while True:
        row = _walk_visits(walk, code, times, kinds, refs, row)
        if row >= len(kinds):
            break
        kind, ref = kinds[row], refs[row]
        count = np.int64(0)
        if kind == rec.METRIC:
            count = np.int64(side[ref, 4])
        elif kind == rec.ATTRIBUTE or rec.MPI_FIRST <= kind <= rec.MPI_LAST:
            count = np.int64(1)
        elif not rec.IGNORED <= kind <= rec.PROGRAM_END:
            break
        if state[ws.RECORD_ROWS] + count > len(records.kind):
            break
        now = _advance(state, frames.exclusive, ticks_to_ns(times[row], code.clock))
        row += 1
        if kind == rec.ATTRIBUTE:
            # It may belong to the visit that ended last.
            note_cut(state, walk.cuts, state[ws.VISIT_ROWS] - 1)
            set_last_visit(state, frames, kinds, row - 2)
            store_attribute(state, frames, numbers, records, now, side[ref])
            continue
        if not rec.IGNORED <= kind <= rec.PROGRAM_END:
            note_cut(state, walk.cuts, state[ws.VISIT_ROWS])
        if kind == rec.METRIC:
            store_values(state, frames, numbers, records, now, side[ref : ref + count])
        elif kind == rec.MPI_COLLECTIVE_BEGIN:
            state[ws.MPI_BEGIN] = now
        elif not rec.IGNORED <= kind <= rec.PROGRAM_END:
            begin = np.int64(ws.NONE)
            if kind == rec.MPI_COLLECTIVE_END:
                begin, state[ws.MPI_BEGIN] = state[ws.MPI_BEGIN], ws.NONE
            store_call(state, frames, numbers, code.call, records, kind, now, begin, side[ref])
        state[ws.SEQUENCE] += 1
    return row
