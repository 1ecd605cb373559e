"""The end of operations for processes: waiting, waking, and what waiting cost."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.forecast.layout import (
    CLASS,
    CLASS_AFTER,
    CLASS_BEFORE,
    CLASS_COUNT,
    CLASS_OVERLAP,
    CLASS_TIME,
    CLOCK,
    CURRENT,
    FIRST_WAITER,
    INTERVAL,
    IS_COMMON,
    IS_NONBLOCKING,
    IS_WAITING,
    LATEST,
    LEAVE_LATEST,
    LEAVE_SUM,
    LEAVES,
    LEFT,
    MEMBERS,
    NEXT_WAITER,
    NOBODY,
    OBJECT,
    PC,
    REFERENCE_NS,
    START_LATEST,
    START_NS,
    START_SUM,
    STARTS,
    WHOLE,
)
from tracemill.kernels.forecast.queue import push_process
from tracemill.kernels.forecast.records import drop
from tracemill.kernels.forecast.tables import (
    classes_of,
    code_of,
    operations_of,
    processes_of,
    progress_of,
    records_of,
    weights_of,
)


@unchecked
def account(state: Any, code: Any, operation: Any, column: Any, amount: Any) -> None:
    """Add to the results of the class of an operation, as often as the instruction counts."""
    interval = code_of(state)[code, INTERVAL]
    number = operations_of(state)[operation, CLASS]
    classes_of(state)[interval, number, column] += weights_of(state)[code] * amount


@unchecked
def note_start(whole: Any, now: Any) -> None:
    """Note when a process started an operation."""
    if whole[STARTS] == 0:
        whole[REFERENCE_NS] = now
        whole[START_LATEST] = now
    whole[STARTS] += 1
    whole[START_SUM] += now - whole[REFERENCE_NS]
    whole[START_LATEST] = max(whole[START_LATEST], now)


@unchecked
def note_leave(state: Any, record: Any, instruction: Any, operation: Any, now: Any) -> None:
    """Note when a process left an operation; the last one adds what belongs to all."""
    whole = records_of(state)[record]
    if whole[LEAVES] == 0:
        whole[LEAVE_LATEST] = now
    whole[LEAVES] += 1
    whole[LEAVE_SUM] += now - whole[REFERENCE_NS]
    whole[LEAVE_LATEST] = max(whole[LEAVE_LATEST], now)
    members = operations_of(state)[operation, MEMBERS]
    if whole[LEAVES] < members:
        return
    reference = whole[REFERENCE_NS]
    before = members * (whole[START_LATEST] - reference) - whole[START_SUM]
    after = members * (whole[LEAVE_LATEST] - reference) - whole[LEAVE_SUM]
    account(state, instruction, operation, CLASS_COUNT, 1)
    account(state, instruction, operation, CLASS_BEFORE, before)
    account(state, instruction, operation, CLASS_AFTER, after)
    drop(state, record)


@unchecked
def is_over_for_all(state: Any, operation: Any, whole: Any) -> Any:
    """Whether all members have started and all transfers have their ends."""
    return whole[LEFT] == 0 and whole[STARTS] == operations_of(state)[operation, MEMBERS]


@unchecked
def finish(state: Any, process: Any, record: Any, over: Any) -> None:
    """End the wait of a process for an operation that is over for it at that time."""
    row, own = processes_of(state)[process], records_of(state)[record]
    instruction = row[PC]
    operation = code_of(state)[instruction, OBJECT]
    begin = row[CLOCK]
    row[CLOCK] = max(begin, over)
    row[PC] = instruction + 1
    account(state, instruction, operation, CLASS_TIME, row[CLOCK] - begin)
    if operations_of(state)[operation, IS_NONBLOCKING] != 0:
        overlap = max(np.int64(0), min(over, begin) - own[START_NS])
        account(state, instruction, operation, CLASS_OVERLAP, overlap)
    note_leave(state, own[WHOLE], instruction, operation, row[CLOCK])
    drop(state, record)


@unchecked
def wait(state: Any, process: Any, operation: Any) -> Any:
    """Wait for an operation that the process takes part in; whether it is over."""
    record = progress_of(state)[operation, process, CURRENT]
    own = records_of(state)[record]
    if operations_of(state)[operation, IS_COMMON] != 0:
        whole = records_of(state)[own[WHOLE]]
        if is_over_for_all(state, operation, whole):
            finish(state, process, record, max(whole[LATEST], whole[START_LATEST]))
            return True
        own[IS_WAITING] = 1
        processes_of(state)[process, NEXT_WAITER] = whole[FIRST_WAITER]
        whole[FIRST_WAITER] = process
        return False
    if own[LEFT] == 0:
        finish(state, process, record, max(own[LATEST], own[START_NS]))
        return True
    own[IS_WAITING] = 1
    return False


@unchecked
def wake_one(state: Any, process: Any, record: Any) -> None:
    """Let a process go on if it waits for an operation that is over for it now."""
    own = records_of(state)[record]
    if own[IS_WAITING] != 0 and own[LEFT] == 0:
        finish(state, process, record, own[LATEST])
        push_process(state, process, processes_of(state)[process, CLOCK])


@unchecked
def wake_all(state: Any, operation: Any, record: Any) -> None:
    """Let the waiting processes go on if an operation is over for all."""
    whole = records_of(state)[record]
    if not is_over_for_all(state, operation, whole):
        return
    over = max(whole[LATEST], whole[START_LATEST])
    process = whole[FIRST_WAITER]
    whole[FIRST_WAITER] = NOBODY
    while process != NOBODY:
        after = processes_of(state)[process, NEXT_WAITER]
        finish(state, process, progress_of(state)[operation, process, CURRENT], over)
        push_process(state, process, processes_of(state)[process, CLOCK])
        process = after
