"""Rows of tables within a focus: their part there, or their times counted in the focus."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.stages.focus_times import FocusTimes

_BATCH_ROWS = 1 << 20


def numbers_of(rows: pa.Table, name: str) -> Any:
    """A column of integers; null is -1."""
    return np.asarray(pc.fill_null(rows[name].cast("int64"), -1))


def of_locations(rows: pa.Table, locations: Any) -> pa.Table:
    """The rows of some locations."""
    return rows.filter(np.isin(numbers_of(rows, "location_id"), locations))


def held(rows: pa.Table, times: FocusTimes, time: str) -> pa.Table:
    """The records in the focus."""
    is_held = times.holds(numbers_of(rows, "location_id"), numbers_of(rows, time))
    return rows.filter(pc.and_(pa.array(is_held), rows[time].is_valid()))


def with_columns(rows: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """The rows with some columns replaced."""
    for name, values in columns.items():
        rows = rows.set_column(rows.schema.get_field_index(name), name, [pa.array(values)])
    return rows


def spend(rows: pa.Table, times: FocusTimes, *columns: str) -> pa.Table:
    """The rows with times spent in the focus until then; null stays null."""
    location = numbers_of(rows, "location_id")
    return with_columns(
        rows,
        {
            name: pa.array(
                times.spent(location, numbers_of(rows, name)), mask=np.asarray(rows[name].is_null())
            )
            for name in columns
        },
    )


def _parts(rows: pa.Table, times: FocusTimes, *columns: str) -> Iterator[Any]:
    """Times spent in the focus until moments: the first column, plus the next one, and so on."""
    location, moment = numbers_of(rows, "location_id"), np.zeros(rows.num_rows, np.int64)
    for name in columns:
        moment = moment + numbers_of(rows, name)
        yield times.spent(location, moment)


def clip_waits(waits: pa.Table, times: FocusTimes) -> pa.Table:
    """The waits of locations in the focus, each with its part there."""
    start, end = _parts(waits, times, "start_ns", "wait_ns")
    kept = waits.filter(end > start)
    begin = numbers_of(kept, "start_ns")
    first, _ = times.clip(
        numbers_of(kept, "location_id"), begin, begin + numbers_of(kept, "wait_ns")
    )
    return with_columns(kept, {"start_ns": first, "wait_ns": (end - start)[end > start]})


def spend_waits(waits: pa.Table, times: FocusTimes) -> pa.Table:
    """The same waits, with times spent in the focus."""
    start, end = _parts(waits, times, "start_ns", "wait_ns")
    return with_columns(waits, {"start_ns": start, "wait_ns": end - start}).filter(end > start)


def spend_points(points: pa.Table, times: FocusTimes) -> pa.Table:
    """All synchronization points, with times spent in the focus."""
    enter, end = _parts(points, times, "enter_ns", "wait_ns")
    return with_columns(
        spend(points, times, "leave_ns"), {"enter_ns": enter, "wait_ns": end - enter}
    )


def spend_segments(segments: pa.Table, times: FocusTimes) -> pa.Table:
    """The segments of the path in the focus, with times spent there."""
    begin, waited, completed = _parts(segments, times, "begin_ns", "wait_ns", "completion_ns")
    end = times.spent(numbers_of(segments, "location_id"), numbers_of(segments, "end_ns"))
    held = times.holds(numbers_of(segments, "location_id"), numbers_of(segments, "begin_ns"))
    columns = {
        "begin_ns": begin, "end_ns": end, "wait_ns": waited - begin,
        "completion_ns": completed - waited,
    }  # fmt: skip
    return with_columns(segments, columns).filter((end > begin) | held)


def clip_segments(segments: pa.Table, times: FocusTimes) -> pa.Table:
    """The same in real time; a segment lasts from its first to its last moment in the focus."""
    spent = spend_segments(segments, times)
    kept = segments.filter(pc.is_in(segments["ordinal"], spent["ordinal"].combine_chunks()))
    begin, end = (numbers_of(kept, name) for name in ("begin_ns", "end_ns"))
    first, last = times.clip(numbers_of(kept, "location_id"), begin, end)
    return with_columns(
        kept,
        {
            "begin_ns": np.where(begin < end, first, begin),
            "end_ns": np.where(begin < end, last, end),
            "wait_ns": spent["wait_ns"].combine_chunks(),
            "completion_ns": spent["completion_ns"].combine_chunks(),
        },
    )


def clamp(relation: Any, times: FocusTimes, begin: str, end: str) -> pa.Table:
    """The part of intervals in each period of the focus that they meet, in the order of ends."""
    tables = []
    for rows in relation.to_arrow_reader(_BATCH_ROWS):
        table = pa.Table.from_batches([rows])
        own = FocusTimes(
            numbers_of(table, "location_id"), numbers_of(table, begin), numbers_of(table, end),
            times.first, times.last,
        )  # fmt: skip
        row, partner = own.overlaps(times)
        first = np.maximum(own.begin[row], times.begin[partner])
        last = np.minimum(own.end[row], times.end[partner])
        tables.append(with_columns(table.take(pa.array(row)), {begin: first, end: last}))
    if not tables:
        return relation.to_arrow_table()
    found = pa.concat_tables(tables)
    order = np.lexsort((numbers_of(found, end), numbers_of(found, "location_id")))
    return found.take(pa.array(order))
