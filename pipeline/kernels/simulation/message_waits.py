"""Who waited for a message: late senders, also in the wrong order, and late receivers."""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    BUFFERED,
    CALL_AT,
    CALL_ENTER,
    CALL_VISIT,
    CODE,
    FIRST_SLOT,
    LATE_RECEIVER,
    LATE_SENDER,
    MODE,
    NO,
    NOBODY,
    PATH,
    RECEIVE_ENTER,
    RECEIVE_VISIT,
    RECEIVER,
    RECEIVING,
    REMEMBERED_COUNT,
    REMEMBERED_MOST,
    REMEMBERED_RECORD,
    REMEMBERED_SENDER,
    REMEMBERED_VISIT,
    SEND,
    SEND_ENTER,
    SEND_RECORD,
    SEND_VISIT,
    SENDER,
    SENDING,
    SLOT_COUNT,
    SLOT_KIND,
    SLOT_OBJECT,
    WAIT,
    WRONG_ORDER_DIFFERENT,
    WRONG_ORDER_SAME,
)
from tracemill.kernels.simulation.recording import add_mark, add_wait, location_of
from tracemill.kernels.simulation.tables import (
    code_of,
    messages_of,
    processes_of,
    remembered_of,
    slots_of,
)


@part
def longest_receive(state: Any, process: Any, now: Any) -> Any:
    """The message whose sender the call waited longest for, and how long.

    Of equals it is the one that is received first.
    """
    row = processes_of(state)[process]
    longest, length = NOBODY, np.int64(0)
    for slot in range(row[FIRST_SLOT], row[FIRST_SLOT] + row[SLOT_COUNT]):
        if slots_of(state)[process, slot, SLOT_KIND] == RECEIVING:
            message = slots_of(state)[process, slot, SLOT_OBJECT]
            wait = min(messages_of(state)[message, SEND_ENTER], now) - row[CALL_ENTER]
            if wait > length:
                longest, length = message, wait
    return longest, length


@part
def charge_late_sender(state: Any, process: Any, message: Any, length: Any) -> None:
    """The call waited until a message was sent; remember that, for the wrong order."""
    row, found = processes_of(state)[process], messages_of(state)[message]
    add_wait(
        state, LATE_SENDER, location_of(state, process), row[CALL_VISIT],
        code_of(state)[row[CALL_AT], PATH], row[CALL_ENTER], row[CALL_ENTER], length,
        location_of(state, found[SENDER]), found[SEND_VISIT], found[SEND_ENTER], NO,
    )  # fmt: skip
    remembered = remembered_of(state)[process]
    count = row[REMEMBERED_COUNT]
    if count == REMEMBERED_MOST:
        forget(remembered, 0, count)
        count -= 1
    remembered[count, REMEMBERED_RECORD] = found[SEND_RECORD]
    remembered[count, REMEMBERED_VISIT] = row[CALL_VISIT]
    remembered[count, REMEMBERED_SENDER] = found[SENDER]
    row[REMEMBERED_COUNT] = count + 1


@part
def forget(remembered: Any, place: Any, count: Any) -> None:
    """Take one out of the remembered waits."""
    for other in range(place, count - 1):
        for column in range(remembered.shape[1]):
            remembered[other, column] = remembered[other + 1, column]


@part
def mark_wrong_order(state: Any, process: Any) -> None:
    """Mark the waits during which a message received only now had been sent."""
    row, remembered = processes_of(state)[process], remembered_of(state)[process]
    for slot in range(row[FIRST_SLOT], row[FIRST_SLOT] + row[SLOT_COUNT]):
        if slots_of(state)[process, slot, SLOT_KIND] != RECEIVING:
            continue
        found = messages_of(state)[slots_of(state)[process, slot, SLOT_OBJECT]]
        place = 0
        while place < row[REMEMBERED_COUNT]:
            if found[SEND_RECORD] < remembered[place, REMEMBERED_RECORD]:
                is_same = remembered[place, REMEMBERED_SENDER] == found[SENDER]
                marked = WRONG_ORDER_SAME if is_same else WRONG_ORDER_DIFFERENT
                visit = remembered[place, REMEMBERED_VISIT]
                add_mark(state, marked, location_of(state, process), visit)
                forget(remembered, place, row[REMEMBERED_COUNT])
                row[REMEMBERED_COUNT] -= 1
            else:
                place += 1


@part
def charge_late_receiver(state: Any, process: Any, now: Any) -> None:
    """The call waited until somebody asked for its message, if it did."""
    row = processes_of(state)[process]
    at = row[CALL_AT]
    if not can_wait_for_receiver(code_of(state), at):
        return
    longest, length = NOBODY, np.int64(0)
    for slot in range(row[FIRST_SLOT], row[FIRST_SLOT] + row[SLOT_COUNT]):
        if slots_of(state)[process, slot, SLOT_KIND] == SENDING:
            message = slots_of(state)[process, slot, SLOT_OBJECT]
            asked = messages_of(state)[message, RECEIVE_ENTER]
            if asked < now and asked - row[CALL_ENTER] > length:
                longest, length = message, asked - row[CALL_ENTER]
    if length > 0:
        found = messages_of(state)[longest]
        add_wait(
            state, LATE_RECEIVER, location_of(state, process), row[CALL_VISIT],
            code_of(state)[at, PATH], row[CALL_ENTER], row[CALL_ENTER], length,
            location_of(state, found[RECEIVER]), found[RECEIVE_VISIT], found[RECEIVE_ENTER], NO,
        )  # fmt: skip


@part
def can_wait_for_receiver(code: Any, at: Any) -> Any:
    """Standard and synchronous sends, and calls that complete sends."""
    return code[at, CODE] == WAIT or (code[at, CODE] == SEND and code[at, MODE] != BUFFERED)
