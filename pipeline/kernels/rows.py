"""Frames and rows that the general walk and the plain walk write alike."""

from typing import Any

import numpy as np

from tracemill.kernels import records as rec
from tracemill.kernels import walk_state as ws
from tracemill.kernels.compiled import piece, step
from tracemill.kernels.profile import add_visit


@piece
def open_visit(
    frames: Any, frame: Any, caller: Any, node: Any, region: Any, visit: Any, now: Any
) -> None:
    """Fill the frame of a new visit."""
    frames.above[frame], frames.node[frame], frames.region[frame] = caller, node, region
    frames.visit[frame], frames.enter[frame], frames.exclusive[frame] = visit, now, 0
    frames.team[frame] = frames.record[frame] = ws.NONE


@piece
def store_visit(
    state: Any, frames: Any, frame: Any, number: Any, totals: Any, rows: Any, row: Any,
    records: Any, now: Any, is_closed: Any,
) -> None:  # fmt: skip
    """Store the row of a visit that ends, and this end in the records of its call.

    `number` is the canonical number of its node.
    """
    record, caller, node = frames.record[frame], frames.above[frame], frames.node[frame]
    while record >= 0:
        records.leave[record] = now
        record = records.previous[record]
    rows.location[row], rows.visit[row] = state[ws.LOCATION], frames.visit[frame]
    rows.parent[row] = frames.visit[caller] if caller >= 0 else ws.NONE
    rows.node[row], rows.region[row] = number, frames.region[frame]
    rows.enter[row], rows.leave[row] = frames.enter[frame], now
    rows.exclusive[row], rows.is_closed[row] = frames.exclusive[frame], is_closed
    add_visit(totals, node, frames.exclusive[frame], now - frames.enter[frame])


@piece
def _begin_row(
    state: Any, frames: Any, numbers: Any, rows: Any, kind: Any, now: Any, side: Any
) -> Any:
    """Append the row of a record; `numbers` are the canonical numbers of nodes."""
    row, frame = state[ws.RECORD_ROWS], state[ws.TOP]
    state[ws.RECORD_ROWS] = row + 1
    rows.kind[row], rows.sequence[row] = kind, state[ws.SEQUENCE]
    rows.time[row] = rows.enter[row] = rows.leave[row] = now
    rows.begin[row] = rows.previous[row] = ws.NONE
    rows.visit[row], rows.node[row] = ws.NONE, ws.NONE
    if frame >= 0:
        rows.visit[row], rows.node[row] = frames.visit[frame], numbers[frames.node[frame]]
    for column in range(rec.SIDE_WIDTH):
        rows.arguments[row, column] = side[column]
    return row


@piece
def store_call(
    state: Any, frames: Any, numbers: Any, call: Any, rows: Any, kind: Any, now: Any, begin: Any,
    side: Any,
) -> None:  # fmt: skip
    """Append the row of a record that belongs to the open call."""
    row, frame = _begin_row(state, frames, numbers, rows, kind, now, side), state[ws.TOP]
    rows.begin[row] = begin
    role = call[frames.region[frame]] if frame >= 0 else np.int8(ws.USER_CODE)
    if role != ws.USER_CODE:
        rows.enter[row] = frames.enter[frame]
    if role == ws.LIBRARY_CALL:
        rows.leave[row] = ws.PENDING
        rows.previous[row] = frames.record[frame]
        frames.record[frame] = row


@piece
def store_values(state: Any, frames: Any, numbers: Any, rows: Any, now: Any, side: Any) -> None:
    """Append the rows of a counter record, one per value."""
    for index in range(len(side)):
        _begin_row(state, frames, numbers, rows, rec.METRIC, now, side[index])


@piece
def store_attribute(state: Any, frames: Any, numbers: Any, rows: Any, now: Any, side: Any) -> None:
    """Append the row of an attribute, which belongs to the record before."""
    row = _begin_row(state, frames, numbers, rows, rec.ATTRIBUTE, now, side)
    rows.sequence[row] = state[ws.SEQUENCE] - 1
    rows.visit[row] = state[ws.LAST_VISIT]
    rows.node[row] = numbers[state[ws.LAST_NODE]] if state[ws.LAST_NODE] >= 0 else ws.NONE


@step
def note_cut(state: Any, cuts: Any, row: Any) -> None:
    """No sum of visits reaches from before to behind now; visits from `row` on are behind."""
    if len(cuts) == 0:
        return
    count = state[ws.CUTS]
    while count > 0 and cuts[count - 1, 0] >= row:
        count -= 1
    cuts[count, 0], cuts[count, 1] = row, state[ws.NEXT_VISIT]
    state[ws.CUTS] = count + 1


@step
def set_last_visit(state: Any, frames: Any, kinds: Any, row: Any) -> None:
    """Set LAST_VISIT to the visit of the record at or before `row` that is no attribute."""
    while row > 0 and kinds[row] == rec.ATTRIBUTE:
        row -= 1
    kind = kinds[row]
    if kind <= rec.LEAVE or kind == rec.CONTEXT_ENTER or kind == rec.CONTEXT_LEAVE:
        return  # such a record has set it
    frame = state[ws.TOP]
    state[ws.LAST_VISIT] = frames.visit[frame] if frame >= 0 else ws.NONE
    state[ws.LAST_NODE] = frames.node[frame] if frame >= 0 else ws.NONE
