"""Rows for records other than enter and leave."""

from typing import Any

from tracemill.kernels.compiled import step
from tracemill.kernels.nodes import number_of
from tracemill.kernels.records import (
    ATTRIBUTE,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    ENTER,
    LEAVE,
    SIDE_WIDTH,
)
from tracemill.kernels.walk_state import (
    LAST_NODE,
    LAST_VISIT,
    LIBRARY_CALL,
    NONE,
    PENDING,
    RECORD_ROWS,
    SEQUENCE,
    TOP,
    USER_CODE,
)


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
def store_record(
    walk: Any, code: Any, kind: Any, now: Any, begin: Any, side: Any, ref: Any
) -> None:
    """Append a record's row with its arguments."""
    row = _store(walk, code, kind, now, begin)
    for column in range(SIDE_WIDTH):
        walk.records.arguments[row, column] = side[ref, column]


@step
def store_values(walk: Any, kind: Any, now: Any, side: Any, ref: Any, count: Any) -> None:
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
            rows.node[row] = number_of(walk, state[LAST_NODE])
        elif frame >= 0:
            rows.visit[row] = walk.frames.visit[frame]
            rows.node[row] = number_of(walk, walk.frames.node[frame])
        for column in range(SIDE_WIDTH):
            rows.arguments[row, column] = side[ref + index, column]
        state[RECORD_ROWS] = row + 1


@step
def remember_owner(state: Any, frames: Any, kinds: Any, row: Any) -> None:
    """The visit of the record before its attributes, of which the row before may be one."""
    while row > 0 and kinds[row] == ATTRIBUTE:
        row -= 1
    kind = kinds[row]
    if kind == ENTER or kind == LEAVE or kind == CONTEXT_ENTER or kind == CONTEXT_LEAVE:
        return  # they have left word which visit they opened or closed
    frame = state[TOP]
    state[LAST_VISIT] = frames.visit[frame] if frame >= 0 else NONE
    state[LAST_NODE] = frames.node[frame] if frame >= 0 else NONE
