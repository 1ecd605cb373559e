"""Records of executions of operations, found by operation, process and number of the execution.

A record exists from the first of its process's start and the first arrival until the process has
waited. So their number is bounded by how far processes are apart.
"""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import kernel, unchecked
from tracemill.kernels.forecast.layout import (
    FIRST_WAITER,
    FREE_RECORD,
    FREE_TASK,
    IS_COMMON,
    KEY_NUMBER,
    KEY_PLACE,
    LEFT,
    LISTED,
    NEXT,
    NOBODY,
    PARKED,
    RECORDS_LEFT,
    ROUND_TABLE,
    ROUNDS,
    SHAPE,
    TASK_NEXT,
    TASKS_LEFT,
    TRANSFER_COUNT,
)
from tracemill.kernels.forecast.tables import (
    buckets_of,
    counters_of,
    in_degrees_of,
    in_first_of,
    in_rounds_of,
    operations_of,
    records_of,
    tasks_of,
)


@unchecked
def bucket_of(state: Any, place: Any, number: Any) -> Any:
    """The bucket of a key; their number is a power of 2."""
    bits = np.uint64(place) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ np.uint64(number)) * np.uint64(0xD6E8FEB86659FD93)
    bits ^= bits >> np.uint64(32)
    return np.int64(bits & np.uint64(buckets_of(state).shape[0] - 1))


@unchecked
def find(state: Any, place: Any, number: Any) -> Any:
    """The record of a key, or NOBODY."""
    records = records_of(state)
    record = buckets_of(state)[bucket_of(state, place, number)]
    while record != NOBODY and (
        records[record, KEY_NUMBER] != number or records[record, KEY_PLACE] != place
    ):
        record = records[record, NEXT]
    return record


@unchecked
def add(state: Any, place: Any, number: Any) -> Any:
    """A new record of a key, all other columns 0."""
    counters, records = counters_of(state), records_of(state)
    record = counters[FREE_RECORD]
    row = records[record]
    counters[FREE_RECORD] = row[NEXT]
    counters[RECORDS_LEFT] -= 1
    for column in range(row.shape[0]):
        row[column] = 0
    bucket = bucket_of(state, place, number)
    row[KEY_PLACE], row[KEY_NUMBER] = place, number
    row[NEXT] = buckets_of(state)[bucket]
    buckets_of(state)[bucket] = record
    return record


@unchecked
def drop(state: Any, record: Any) -> None:
    """Remove a record."""
    counters, records, buckets = counters_of(state), records_of(state), buckets_of(state)
    bucket = bucket_of(state, records[record, KEY_PLACE], records[record, KEY_NUMBER])
    if buckets[bucket] == record:
        buckets[bucket] = records[record, NEXT]
    else:
        before = buckets[bucket]
        while records[before, NEXT] != record:
            before = records[before, NEXT]
        records[before, NEXT] = records[record, NEXT]
    records[record, NEXT] = counters[FREE_RECORD]
    counters[FREE_RECORD] = record
    counters[RECORDS_LEFT] += 1


@kernel
def hash_again(state: Any, old: Any) -> None:
    """Put all records of old buckets into the present ones."""
    records, buckets = records_of(state), buckets_of(state)
    for place in range(old.shape[0]):
        record = old[place]
        while record != NOBODY:
            after = records[record, NEXT]
            bucket = bucket_of(state, records[record, KEY_PLACE], records[record, KEY_NUMBER])
            records[record, NEXT] = buckets[bucket]
            buckets[bucket] = record
            record = after


@unchecked
def process_count(state: Any) -> Any:
    """Number of processes."""
    return in_degrees_of(state).shape[1]


@unchecked
def own_record(state: Any, operation: Any, process: Any, number: Any) -> Any:
    """The record of an execution by one process, added if it is new."""
    place = operation * (process_count(state) + 1) + process
    record = find(state, place, number)
    if record != NOBODY:
        return record
    record = add(state, place, number)
    row = records_of(state)[record]
    row[LEFT], row[PARKED] = in_degrees_of(state)[operation, process], NOBODY
    described = operations_of(state)[operation]
    if described[SHAPE] == LISTED and described[ROUNDS] > 1:
        first = in_first_of(state)[operation, process]
        for place in range(first, in_first_of(state)[operation, process + 1]):
            row[ROUND_TABLE + 2 * in_rounds_of(state)[place]] += 1
    return record


@unchecked
def whole_record(state: Any, operation: Any, number: Any) -> Any:
    """The record of an execution by all processes, added if it is new."""
    place = operation * (process_count(state) + 1) + process_count(state)
    record = find(state, place, number)
    if record != NOBODY:
        return record
    record = add(state, place, number)
    row = records_of(state)[record]
    row[FIRST_WAITER] = NOBODY
    if operations_of(state)[operation, IS_COMMON] != 0:
        row[LEFT] = operations_of(state)[operation, TRANSFER_COUNT]
    return record


@unchecked
def new_task(state: Any) -> Any:
    """An unused task."""
    counters, tasks = counters_of(state), tasks_of(state)
    task = counters[FREE_TASK]
    counters[FREE_TASK] = tasks[task, TASK_NEXT]
    counters[TASKS_LEFT] -= 1
    return task


@unchecked
def drop_task(state: Any, task: Any) -> None:
    """Free a task."""
    counters = counters_of(state)
    tasks_of(state)[task, TASK_NEXT] = counters[FREE_TASK]
    counters[FREE_TASK] = task
    counters[TASKS_LEFT] += 1
