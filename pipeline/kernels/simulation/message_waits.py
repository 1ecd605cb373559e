"""Waits for messages: late senders, also in wrong order, and late receivers."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.recording import add_mark, add_wait, location_of
from tracemill.kernels.simulation.tables import (
    code_of,
    messages_of,
    processes_of,
    remembered_of,
    slots_of,
)


@unchecked
def longest_receive(state: Any, process: Any, now: Any) -> Any:
    """The message with the longest wait for its sender, and the wait (ns).

    Of equals, the message received first.
    """
    row = processes_of(state)[process]
    longest, length = at.NOBODY, np.int64(0)
    for slot in range(row[at.FIRST_SLOT], row[at.FIRST_SLOT] + row[at.SLOT_COUNT]):
        if slots_of(state)[process, slot, at.SLOT_KIND] == at.RECEIVING:
            message = slots_of(state)[process, slot, at.SLOT_OBJECT]
            wait = min(messages_of(state)[message, at.SEND_ENTER], now) - row[at.CALL_ENTER]
            if wait > length:
                longest, length = message, wait
    return longest, length


@unchecked
def charge_late_sender(state: Any, process: Any, message: Any, length: Any) -> None:
    """Add a wait for a late sender, and remember it to detect wrong order."""
    row, found = processes_of(state)[process], messages_of(state)[message]
    add_wait(
        state, at.LATE_SENDER, location_of(state, process), row[at.CALL_VISIT],
        code_of(state)[row[at.CALL_AT], at.PATH], row[at.CALL_ENTER], row[at.CALL_ENTER], length,
        location_of(state, found[at.SENDER]), found[at.SEND_VISIT], found[at.SEND_ENTER], at.NO,
    )  # fmt: skip
    remembered = remembered_of(state)[process]
    count = row[at.REMEMBERED_COUNT]
    if count == at.REMEMBERED_MOST:
        forget(remembered, 0, count)
        count -= 1
    remembered[count, at.REMEMBERED_RECORD] = found[at.SEND_RECORD]
    remembered[count, at.REMEMBERED_VISIT] = row[at.CALL_VISIT]
    remembered[count, at.REMEMBERED_SENDER] = found[at.SENDER]
    row[at.REMEMBERED_COUNT] = count + 1


@unchecked
def forget(remembered: Any, place: Any, count: Any) -> None:
    """Remove one of the remembered waits."""
    for other in range(place, count - 1):
        for column in range(remembered.shape[1]):
            remembered[other, column] = remembered[other + 1, column]


@unchecked
def mark_wrong_order(state: Any, process: Any) -> None:
    """Mark remembered waits as wrong order if a message received now was sent before theirs."""
    row, remembered = processes_of(state)[process], remembered_of(state)[process]
    for slot in range(row[at.FIRST_SLOT], row[at.FIRST_SLOT] + row[at.SLOT_COUNT]):
        if slots_of(state)[process, slot, at.SLOT_KIND] != at.RECEIVING:
            continue
        found = messages_of(state)[slots_of(state)[process, slot, at.SLOT_OBJECT]]
        place = 0
        while place < row[at.REMEMBERED_COUNT]:
            if found[at.SEND_RECORD] < remembered[place, at.REMEMBERED_RECORD]:
                is_same = remembered[place, at.REMEMBERED_SENDER] == found[at.SENDER]
                marked = at.WRONG_ORDER_SAME if is_same else at.WRONG_ORDER_DIFFERENT
                visit = remembered[place, at.REMEMBERED_VISIT]
                add_mark(state, marked, location_of(state, process), visit)
                forget(remembered, place, row[at.REMEMBERED_COUNT])
                row[at.REMEMBERED_COUNT] -= 1
            else:
                place += 1


@unchecked
def charge_late_receiver(state: Any, process: Any, now: Any) -> None:
    """Add a wait for a late receiver, if the call had one."""
    row = processes_of(state)[process]
    op = row[at.CALL_AT]
    if not can_wait_for_receiver(code_of(state), op):
        return
    longest, length = at.NOBODY, np.int64(0)
    for slot in range(row[at.FIRST_SLOT], row[at.FIRST_SLOT] + row[at.SLOT_COUNT]):
        if slots_of(state)[process, slot, at.SLOT_KIND] == at.SENDING:
            message = slots_of(state)[process, slot, at.SLOT_OBJECT]
            posted = messages_of(state)[message, at.RECEIVE_ENTER]
            if posted < now and posted - row[at.CALL_ENTER] > length:
                longest, length = message, posted - row[at.CALL_ENTER]
    if length > 0:
        found = messages_of(state)[longest]
        add_wait(
            state, at.LATE_RECEIVER, location_of(state, process), row[at.CALL_VISIT],
            code_of(state)[op, at.PATH], row[at.CALL_ENTER], row[at.CALL_ENTER], length,
            location_of(state, found[at.RECEIVER]), found[at.RECEIVE_VISIT],
            found[at.RECEIVE_ENTER], at.NO,
        )  # fmt: skip


@unchecked
def can_wait_for_receiver(code: Any, op: Any) -> Any:
    """Whether an instruction can wait for receivers: sends unless buffered, and MPI_Wait…."""
    return code[op, at.CODE] == at.WAIT or (
        code[op, at.CODE] == at.SEND and code[op, at.MODE] != at.BUFFERED
    )
