"""Durations of activities by call path, and the waits of those that are of a thread runtime."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.stages.arrays import BATCH, Flags, Numbers, insert_rows
from tracemill.stages.forks import Forks
from tracemill.stages.segments import NO_ROWS, Rows, each_location

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows


class Durations(NamedTuple):
    """Activities of all locations in order; `first` has the first one of each location.

    The duration of an activity is from `ready` to `end`. Those that are `is_runtime` are of a
    thread runtime.
    """

    ready: Numbers
    end: Numbers
    first: Numbers
    location_ids: Numbers
    is_runtime: Flags


def sum_times(
    durations: Durations, visits: "StoredRows", forks: Forks, path_count: int
) -> tuple[Rows, Rows]:
    """Durations of activities by call path, and the waits of those that are of a thread runtime.

    Each has activity (32 bits), call path and time, in this order. `path_count` stands for time
    outside of visits.
    """
    times, waits = _sum_each(durations, visits, forks, path_count)
    return _join(times), _join(waits)


def times_as_table(
    durations: Durations, visits: "StoredRows", forks: Forks, path_count: int
) -> pa.RecordBatchReader:
    """The durations as a table, where time outside of visits has no call path.

    Visits are walked when the table is read; rows are freed as they are read.
    """

    def batches() -> Iterator[pa.RecordBatch]:
        times, _ = _sum_each(durations, visits, forks, path_count)
        for rows in _take_groups(times):
            yield from _as_rows(*rows, path_count).to_batches()

    return pa.RecordBatchReader.from_batches(_as_rows(*NO_ROWS, path_count).schema, batches())


def _sum_each(
    durations: Durations, visits: "StoredRows", forks: Forks, path_count: int
) -> tuple[list[Rows], list[Rows]]:
    """The same by location."""
    ready, end, first, location_ids, is_runtime = durations
    times, waits = ([NO_ROWS] * len(location_ids) for _ in range(2))
    boundary = np.column_stack([ready, end]).ravel()
    for number, (segment, path, time) in each_location(
        boundary, 2 * first, location_ids, visits, forks, path_count
    ):
        own = slice(first[number], first[number + 1])
        activity = segment - (2 * first[number] + number)
        # Then even segments are waits, or lie after the last activity.
        is_duration = (activity & 1).astype(np.bool_)
        activity >>= 1
        in_runtime = np.flatnonzero(~is_duration)
        in_runtime = in_runtime[np.append(is_runtime[own], False)[activity[in_runtime]]]
        activity = (activity + first[number]).astype(np.int32)
        waits[number] = activity[in_runtime], path[in_runtime], time[in_runtime]
        rows = activity[is_duration], path[is_duration], time[is_duration]
        times[number] = _with_rest(rows, first[number], end[own] - ready[own], path_count)
    return times, waits


def _with_rest(rows: Rows, first: int, duration: Numbers, path_count: int) -> Rows:
    """The rows with the rest of durations, which is outside of visits."""
    activity, _, time = rows
    np.subtract.at(duration, activity - first, time)
    outside = np.flatnonzero(duration)
    row = np.searchsorted(activity, outside + first, side="right")
    activity, path, time = insert_rows(rows, row, (outside + first, path_count, duration[outside]))
    return activity, path, time


def _take_groups(parts: list[Rows]) -> Iterator[Rows]:
    """Joins neighbors to about as many rows as are read at a time, and takes them out."""
    parts.reverse()
    while parts:
        group, count = [], 0
        while parts and count < BATCH:
            group.append(parts.pop())
            count += len(group[-1][0])
        yield _join(group)


def _join(parts: list[Rows]) -> Rows:
    activity, path, time = (np.concatenate(column) for column in zip(*parts, strict=True))
    return activity, path, time


def _as_rows(
    activity: NDArray[Any], path: NDArray[Any], time: Numbers, path_count: int
) -> pa.Table:
    return pa.table(
        {
            "activity_id": activity.astype(np.int64),
            "call_path_id": pa.array(path, mask=path == path_count).cast(pa.int32()),
            "time_ns": time,
        }
    )
