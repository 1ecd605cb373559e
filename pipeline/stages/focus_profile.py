"""The call tree within a focus: visits with the time that they have there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tracemill.schemas.events import VISITS
from tracemill.schemas.profiles import CALL_TREE
from tracemill.stages.arrays import Flags, Numbers, Relation, place, read_columns, sum_by
from tracemill.stages.focus_times import FocusTimes
from tracemill.stages.forks import Forks, read_forks, with_forks

_BATCH_ROWS = 1 << 20
_NO_TIME = np.iinfo(np.int64).max
_READ = (
    "location_id::BIGINT AS location_id", "visit_id", "coalesce(parent_visit_id, -1) AS parent",
    "call_path_id::BIGINT AS call_path_id", "region_id", "enter_ns", "leave_ns", "exclusive_ns",
    "is_closed",
)  # fmt: skip


@dataclass(frozen=True)
class FocusVisits:
    """Visits that share time with the focus, or begin in it; all times are those spent in it.

    `columns` are those of visits, and `is_entered`: the visit begins in the focus.
    """

    columns: dict[str, Any]

    def as_table(self) -> pa.Table:
        """The visits as rows of the table of visits."""
        parent = self.columns["parent"]
        columns = {**self.columns, "parent_visit_id": pa.array(parent, mask=parent < 0)}
        return VISITS.conform(pa.table(columns))


def find_focus_visits(
    visits: Relation,
    parallel_visits: Relation,
    task_fragments: Relation,
    times: FocusTimes,
    visit_count: int,
) -> FocusVisits:
    """The visits in the focus, with the part of their exclusive time that lies there.

    That is the part of the visit without those of its callees. A parallel region lasts from the
    fork of its team to the join, and tasks count as callees of the visit that schedules them. What
    the exclusive time is more than the visit without its callees, because tasks are suspended,
    counts where the visit begins.
    """
    callees = _CalleeTimes(times, visit_count)
    callees.add(
        *read_columns(
            task_fragments, "coalesce(scheduling_visit_id, -1)", "location_id::BIGINT", "begin_ns",
            "end_ns",
        )
    )  # fmt: skip
    found = _read_kept(visits, read_forks(parallel_visits), times, callees)
    visit = found["visit_id"]
    rest = found["exclusive_ns"] - (found.pop("whole") - callees.whole[visit])
    found["exclusive_ns"] = found.pop("inside") - callees.inside[visit] + rest * found["is_entered"]
    for name in ("enter_ns", "leave_ns"):
        found[name] = times.spent(found["location_id"], found[name])
    return FocusVisits(found)


class _CalleeTimes:
    """The time of the callees of each visit (ns): `inside` the focus, and as a `whole`."""

    def __init__(self, times: FocusTimes, visit_count: int) -> None:
        self._times = times
        self.inside, self.whole = (np.zeros(visit_count, np.int64) for _ in range(2))

    def add(self, caller: Numbers, location: Numbers, begin: Numbers, end: Numbers) -> Numbers:
        """Add callees to their callers (-1: none); returns their times inside."""
        inside = self._times.spent(location, end) - self._times.spent(location, begin)
        has_caller = caller >= 0
        np.add.at(self.inside, caller[has_caller], inside[has_caller])
        np.add.at(self.whole, caller[has_caller], (end - begin)[has_caller])
        return inside


def _read_kept(
    visits: Relation, forks: Forks, times: FocusTimes, callees: _CalleeTimes
) -> dict[str, Any]:
    """Read the visits in the focus; adds all visits to the callees of their callers."""
    kept: list[dict[str, Any]] = []
    for batch in visits.select(", ".join(_READ)).to_arrow_reader(_BATCH_ROWS):
        rows = {name: batch[name].to_numpy(zero_copy_only=False) for name in batch.schema.names}
        begin, end = with_forks(rows["visit_id"], rows["enter_ns"], rows["leave_ns"], forks)
        rows["inside"] = callees.add(rows["parent"], rows["location_id"], begin, end)
        rows["whole"] = end - begin
        rows["is_entered"] = times.holds(rows["location_id"], rows["enter_ns"])
        is_kept = rows["is_entered"] | (rows["inside"] > 0)
        kept.append({name: column[is_kept] for name, column in rows.items()})
    return {name: np.concatenate([each[name] for each in kept]) for name in kept[0]}


def sum_call_tree(
    call_tree: pa.Table,
    call_paths: Relation,
    task_fragments: Relation,
    visits: FocusVisits,
    times: FocusTimes,
) -> pa.Table:
    """The call tree in the focus: call paths with time or visits at or below them there.

    Such a call path has a row for every location of the focus that visits it in the run.
    """
    path, last = read_columns(call_paths, "call_path_id::BIGINT", "last_call_path_id::BIGINT")
    last, size = place(path, last), len(path)
    row_path, row_location = (
        np.asarray(call_tree[name].cast("int64")) for name in ("call_path_id", "location_id")
    )
    keys = row_location * size + row_path
    order = np.argsort(keys)

    def rows_of(location: Numbers, call_path: Numbers) -> Numbers:
        return order[np.searchsorted(keys[order], location * size + call_path)]

    found = visits.columns
    row = rows_of(found["location_id"], found["call_path_id"])
    count = sum_by(row, found["is_entered"], len(keys))
    exclusive = sum_by(row, found["exclusive_ns"], len(keys))
    shortest, longest = _extremes(row, found["leave_ns"] - found["enter_ns"], len(keys))
    is_met = np.zeros(len(keys), np.bool_)
    is_met[row] = True
    _add_fragments(task_fragments, times, rows_of, count, exclusive, is_met)
    is_active = _is_at_or_above(row_path[is_met], last)
    is_kept = np.isin(row_location, times.locations) & is_active[row_path]
    below = _sum_below(exclusive[order], keys[order], last[row_path[order]], size)
    columns = {
        "visit_count": count,
        "exclusive_ns": exclusive,
        "inclusive_ns": below[np.argsort(order)],
        "shortest_ns": _where_visited(call_tree, shortest),
        "longest_ns": _where_visited(call_tree, longest),
    }
    for name, values in columns.items():
        position = call_tree.schema.get_field_index(name)
        call_tree = call_tree.set_column(position, name, [pa.array(values)])
    return CALL_TREE.conform(call_tree.filter(pa.array(is_kept)))


def _add_fragments(
    task_fragments: Relation,
    times: FocusTimes,
    rows_of: Any,
    count: Numbers,
    exclusive: Numbers,
    is_met: Flags,
) -> None:
    """Add intervals of tasks to their stubs."""
    location, path, is_first, begin, end = read_columns(
        task_fragments, "location_id::BIGINT", "call_path_id::BIGINT", "is_first", "begin_ns",
        "end_ns",
    )  # fmt: skip
    if not len(path):
        return
    row, is_begun = rows_of(location, path), times.holds(location, begin)
    inside = times.spent(location, end) - times.spent(location, begin)
    np.add.at(count, row, (is_first & is_begun).astype(np.int64))
    np.add.at(exclusive, row, inside)
    is_met[row[is_begun | (inside > 0)]] = True


def _extremes(row: Numbers, length: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """The shortest and the longest length of each row; 0 without any."""
    shortest, longest = np.full(count, _NO_TIME), np.zeros(count, np.int64)
    np.minimum.at(shortest, row, length)
    np.maximum.at(longest, row, length)
    return np.where(shortest < _NO_TIME, shortest, 0), longest


def _is_at_or_above(path: Numbers, last: Numbers) -> Flags:
    """Marks call paths with one of some call paths at or below them."""
    running = np.concatenate([[0], np.cumsum(np.bincount(path, minlength=len(last)))])
    found: Flags = running[last + 1] > running[:-1]
    return found


def _sum_below(values: Numbers, keys: Numbers, last: Numbers, size: int) -> Numbers:
    """The sum of values at and below each row, on its location; keys are sorted."""
    running = np.concatenate([[0], np.cumsum(values)])
    after = np.searchsorted(keys, keys // size * size + last, "right")
    found: Numbers = running[after] - running[:-1]
    return found


def _where_visited(call_tree: pa.Table, values: Numbers) -> pa.Array:
    """The values, null where the location never visits the call path."""
    return pa.array(values, mask=np.asarray(call_tree["shortest_ns"].is_null()))
