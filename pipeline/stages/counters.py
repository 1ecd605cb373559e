"""Counters per call path and over time, from the values that locations recorded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.counters import CALL_PATH_COUNTERS, COUNTER_PROFILE, MOST_CELLS
from tracemill.stages.arrays import Numbers, Relation, place, read_columns, sum_by
from tracemill.stages.counter_profile import Bins, ProfileRows
from tracemill.stages.counter_steps import (
    Amounts,
    Floats,
    FocusSums,
    PathSums,
    Steps,
    Sums,
    find_extremes,
    make_steps,
)
from tracemill.stages.focus_times import FocusTimes, read_focus
from tracemill.stages.stage import PythonStage

_MOST_VALUES = 1 << 21
"""Values that are read at once, unless a single recording has more."""
_ROWS = 1 << 20


class _Recording(NamedTuple):
    """A series of values; `target` is the location that they describe, or None."""

    location: int
    counter: int
    instance: int | None
    value_count: int
    is_strict: bool
    accumulation: str
    occurrence: str
    scale: float
    target: int | None
    scope: tuple[str, int]

    @property
    def key(self) -> str:
        instance = "NULL" if self.instance is None else self.instance
        return (
            f"location_id = {self.location} AND counter_id = {self.counter} "
            f"AND counter_instance_id IS NOT DISTINCT FROM {instance}"
        )


class _Paths(NamedTuple):
    """Call paths of a location and their callers, in order; others count nothing here.

    `at` has the place of each call path of the trace, and -1 for others and at the end, so that it
    can be indexed by -1. `after` is the place after the last call path below. `visit_count` counts
    visits that begin in the focus; -1: the location does not visit the call path.
    """

    number: Numbers
    at: Numbers
    after: Numbers
    visit_count: Numbers


class _Series(NamedTuple):
    """The steps of a recording, the call path of each step's end (-1: none), and all values."""

    recording: _Recording
    steps: Steps
    path: Numbers
    value: Amounts

    @property
    def method(self) -> str:
        if self.recording.accumulation == "absolute":
            return "mean"
        is_exact = self.recording.is_strict and self.recording.accumulation == "accumulated"
        return "exact" if is_exact else "spread"


@dataclass(frozen=True)
class _Trace:
    """Tables of the trace, and its call tree as arrays by call path."""

    counter_values: Relation
    visits: Relation
    parallel_visits: Relation
    task_fragments: Relation
    measurement_gaps: Relation
    parent: Numbers
    last: Numbers
    focus: FocusTimes

    def gaps(self, location: int) -> tuple[Numbers, Numbers]:
        rows = self.measurement_gaps.filter(f"location_id = {location}").order("begin_ns")
        begin, end = read_columns(rows, "begin_ns", "end_ns")
        return begin, end

    def share(self, location: int, steps: Steps) -> Floats:
        """The share of each step in the focus; a step without duration is in or out."""
        spent = self.focus.spent(location, steps.time)
        inside = spent[1:] - spent[:-1]
        is_in = (steps.duration == 0) & self.focus.holds(location, steps.time[1:])
        return np.where(is_in, 1.0, inside / np.maximum(steps.duration, 1))


def count_by_call_path(
    counter_recordings: Relation,
    counter_instances: Relation,
    counters: Relation,
    counter_values: Relation,
    locations: Relation,
    call_paths: Relation,
    visits: Relation,
    parallel_visits: Relation,
    task_fragments: Relation,
    measurement_gaps: Relation,
    focus: Relation,
    runs: Relation,
    *,
    counter_bin_count: int = 200,
) -> tuple[pa.Table, pa.Table]:
    """Counters of every call path and location in the focus, and of every bin of the run."""
    recordings = _read_recordings(counter_recordings, counter_instances, counters, locations)
    tree = read_columns(
        call_paths, "call_path_id::BIGINT", "coalesce(parent_call_path_id, -1)::BIGINT",
        "last_call_path_id::BIGINT",
    )  # fmt: skip
    ((run_begin, run_end),) = runs.select("begin_ns, end_ns").fetchall()
    trace = _Trace(
        counter_values, visits, parallel_visits, task_fragments, measurement_gaps,
        place(tree[0], tree[1]), place(tree[0], tree[2]),
        read_focus(focus, first=run_begin, last=run_end),
    )  # fmt: skip
    profiled = {(each.counter, each.scope) for each in recordings}
    bin_count = max(min(counter_bin_count, MOST_CELLS // max(len(profiled), 1)), 1)
    profile = ProfileRows(Bins.of(run_begin, run_end, bin_count))
    rows: list[pa.Table] = []
    done: set[tuple[int, int]] = set()
    for series in _read_series(recordings, trace):
        for each in series:
            profile.add(
                each.recording.counter, each.recording.scope, each.method, each.recording.scale,
                each.steps, each.value,
            )  # fmt: skip
        for target, chosen in _by_target(series, done):
            rows += _of_location(target, chosen, trace)
    found = pa.concat_tables(rows) if rows else CALL_PATH_COUNTERS.empty()
    return found, profile.as_table()


def _read_recordings(
    counter_recordings: Relation,
    counter_instances: Relation,
    counters: Relation,
    locations: Relation,
) -> list[_Recording]:
    """All recordings by location and counter."""
    modes = {
        row[0]: (row[1], row[2], float(row[3]) ** row[4])
        for row in counters.select(
            "counter_id, accumulation::VARCHAR, occurrence::VARCHAR, base, exponent"
        ).fetchall()
    }
    group = dict(locations.select("location_id, location_group_id").fetchall())
    scopes = {
        row[0]: row[1:]
        for row in counter_instances.select(
            "counter_instance_id, scope::VARCHAR, scope_location_id, location_group_id, "
            "system_tree_node_id"
        ).fetchall()
    }

    def describe(location: int, instance: int | None) -> tuple[int | None, tuple[str, int]]:
        scope, target, process, node = scopes.get(instance, ("location", location, None, None))
        if scope == "location":
            target = location if target is None else target
            return target, (scope, group[target])
        return None, (scope, {"process": process, "node": node}.get(scope) or 0)

    rows = counter_recordings.order("recording_id").select(
        "location_id, counter_id, counter_instance_id, value_count, is_strict"
    )
    found = []
    for location, counter, instance, value_count, is_strict in rows.fetchall():
        mode, described = modes[counter], describe(location, instance)
        found.append(
            _Recording(location, counter, instance, value_count, is_strict, *mode, *described)
        )
    return found


def _find_paths(location: int, series: Sequence[_Series], trace: _Trace) -> _Paths:
    """The call paths that a location visits, or in which values were recorded, and callers."""
    size = len(trace.parent)
    counts, is_visited = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    here = f"location_id = {location}"
    visits = trace.visits.filter(here).select("call_path_id::BIGINT, enter_ns")
    for batch in visits.to_arrow_reader(_ROWS):
        path, enter = (each.to_numpy() for each in batch.columns)
        is_visited[path] = True
        counts += sum_by(path, trace.focus.holds(location, enter), size)
    is_used = np.append(is_visited, False)  # the last one is for no call path
    for relation in (trace.parallel_visits, trace.task_fragments):
        (path,) = read_columns(relation.filter(here), "coalesce(call_path_id, -1)::BIGINT")
        is_used[path] = True
    for each in series:
        is_used[each.path] = True
    is_used[trace.parent[np.flatnonzero(is_used[:-1])]] = True
    number = np.flatnonzero(is_used[:-1])
    at = np.full(size + 1, -1)
    at[number] = np.arange(len(number))
    after = np.searchsorted(number, trace.last[number], "right")
    return _Paths(number, at, after, np.where(is_visited, counts, -1)[number])


def _batches(recordings: Sequence[_Recording]) -> Iterator[list[_Recording]]:
    """Neighboring recordings, as many at once as have few values."""
    batch: list[_Recording] = []
    value_count = 0
    for at, each in enumerate(recordings):
        batch.append(each)
        value_count += each.value_count
        following = recordings[at + 1].value_count if at + 1 < len(recordings) else _MOST_VALUES
        if value_count + following > _MOST_VALUES:
            yield batch
            batch, value_count = [], 0


def _read_series(recordings: Sequence[_Recording], trace: _Trace) -> Iterator[list[_Series]]:
    for batch in _batches(recordings):
        first, last = batch[0], batch[-1]
        condition = batch[0].key if len(batch) == 1 else (
            f"location_id BETWEEN {first.location} AND {last.location} "
            f"AND (location_id > {first.location} OR counter_id >= {first.counter}) "
            f"AND (location_id < {last.location} OR counter_id <= {last.counter})"
        )  # fmt: skip
        table = (
            trace.counter_values.filter(condition)
            .order("location_id, counter_id, counter_instance_id NULLS FIRST, sequence")
            .select(
                "location_id::BIGINT AS location_id, counter_id::BIGINT AS counter_id, "
                "coalesce(counter_instance_id, -1)::BIGINT AS instance, time_ns, value_integer, "
                "value_float, coalesce(call_path_id, -1)::BIGINT AS path"
            )
            .to_arrow_table()
            .combine_chunks()
        )
        yield [_series(each, table, trace) for each in batch]


def _series(recording: _Recording, table: pa.Table, trace: _Trace) -> _Series:
    location, counter, instance = (
        table[name].to_numpy() for name in ("location_id", "counter_id", "instance")
    )
    begin, end = np.searchsorted(location, [recording.location, recording.location + 1])
    for column, wanted in ((counter, recording.counter), (instance, recording.instance)):
        number = -1 if wanted is None else wanted
        first, last = np.searchsorted(column[begin:end], [number, number + 1])
        begin, end = begin + first, begin + last
    rows = table.slice(begin, end - begin)
    name = "value_float" if rows["value_integer"].null_count else "value_integer"
    value = rows[name].to_numpy()
    steps = make_steps(
        rows["time_ns"].to_numpy(), value, accumulation=recording.accumulation,
        occurrence=recording.occurrence, gaps=trace.gaps(recording.location),
    )  # fmt: skip
    path = rows["path"].to_numpy()
    if recording.target != recording.location:
        path = np.full(len(path), -1)
    return _Series(recording, steps, path[1:], value)


def _by_target(
    series: Sequence[_Series], done: set[tuple[int, int]]
) -> Iterator[tuple[int, list[_Series]]]:
    """Series by the location that they describe; only the first one of each counter."""
    found: dict[int, list[_Series]] = {}
    for each in series:
        target = each.recording.target
        if target is not None and (target, each.recording.counter) not in done:
            done.add((target, each.recording.counter))
            found.setdefault(target, []).append(each)
    yield from found.items()


def _of_location(location: int, series: Sequence[_Series], trace: _Trace) -> list[pa.Table]:
    """Rows of a location, one table per counter; none without visits."""
    paths = _find_paths(location, series, trace)
    if not (paths.visit_count >= 0).any():
        return []
    sums = [PathSums(len(paths.number), each.steps.amount.dtype) for each in series]
    for each, found in zip(series, sums, strict=True):
        is_counted = trace.focus.holds(location, each.steps.time[1:])
        found.count_falling(each.steps, paths.at[each.path], is_counted)
        if each.method == "exact":
            share = trace.share(location, each.steps)
            found.add_steps(each.steps, paths.at[each.path], share)
    others = [
        (FocusSums(Sums(each.steps), *trace.focus.periods(location)), found)
        for each, found in zip(series, sums, strict=True)
        if each.method != "exact"
    ]
    if others:
        for path, caller, begin, end in _intervals(location, trace):
            for until, found in others:
                found.add_intervals(until, paths.at[path], paths.at[caller], begin, end)
    return [
        _rows(location, each, found, trace, paths) for each, found in zip(series, sums, strict=True)
    ]


def _intervals(location: int, trace: _Trace) -> Iterator[tuple[Numbers, Numbers, Numbers, Numbers]]:
    """Call path, call path of the caller (-1: none), begin and end.

    A parallel region lasts from the fork to the join; a task interrupts the visit it runs in.
    """
    here = f"location_id = {location}"
    rows = [
        trace.visits.filter(here).select(
            "call_path_id::BIGINT AS path, parent_visit_id IS NOT NULL AS has_caller, "
            "enter_ns AS begin_ns, leave_ns AS end_ns"
        ),
        trace.parallel_visits.filter(here).select(
            "call_path_id::BIGINT AS path, NOT is_start AS has_caller, fork_ns AS begin_ns, "
            "enter_ns AS end_ns"
        ),
        trace.parallel_visits.filter(here).select(
            "call_path_id::BIGINT AS path, NOT is_start AS has_caller, leave_ns AS begin_ns, "
            "join_ns AS end_ns"
        ),
    ]
    for relation in rows:
        for batch in relation.to_arrow_reader(_ROWS):
            path, has_caller, begin, end = (each.to_numpy(False) for each in batch.columns)
            caller = np.where(has_caller, trace.parent[path], -1)
            yield path, caller, begin, end
    tasks = trace.task_fragments.filter(f"{here} AND scheduling_visit_id IS NOT NULL")
    stub, begin, end = read_columns(tasks, "call_path_id::BIGINT", "begin_ns", "end_ns")
    yield np.full(len(stub), -1), trace.parent[stub], begin, end


def _rows(location: int, series: _Series, sums: PathSums, trace: _Trace, paths: _Paths) -> pa.Table:
    inclusive, covered, is_known = sums.with_callees(paths.after)
    rows = np.flatnonzero((paths.visit_count >= 0) & (is_known | (sums.negative > 0)))
    exclusive, time, below = sums.amount[rows], sums.covered[rows], covered[rows]
    inclusive = inclusive[rows]
    is_unknown = np.zeros(len(rows), np.bool_)
    extremes: list[Any] = [pa.nulls(len(rows), pa.float64())] * 2
    if series.method == "mean":
        offset = series.steps.offset
        exclusive = exclusive / np.maximum(time, 1) + offset
        inclusive = inclusive / np.maximum(below, 1) + offset
        is_unknown = time == 0
        extremes = _extremes(location, series, trace, paths, rows)
    scale = series.recording.scale
    return pa.table(
        {
            "call_path_id": paths.number[rows].astype(np.int32),
            "location_id": np.full(len(rows), location, np.int32),
            "counter_id": np.full(len(rows), series.recording.counter, np.int32),
            "visit_count": paths.visit_count[rows],
            "exclusive_value": pa.array(exclusive * scale, mask=is_unknown),
            "inclusive_value": inclusive * scale,
            "least_value": extremes[0],
            "greatest_value": extremes[1],
            "covered_ns": time,
            "method": pa.repeat(series.method, len(rows)),
            "negative_steps": sums.negative[rows],
        }
    )


def _extremes(
    location: int, series: _Series, trace: _Trace, paths: _Paths, rows: Numbers
) -> list[pa.Array]:
    """Least and greatest values of call paths, without callees."""
    least, greatest = np.full(len(paths.number), np.inf), np.full(len(paths.number), -np.inf)
    if len(series.steps.amount):
        visit, caller, path, begin, end = read_columns(
            trace.visits.filter(f"location_id = {location}"),
            "visit_id", "coalesce(parent_visit_id, -1)", "call_path_id::BIGINT", "enter_ns",
            "leave_ns",
        )  # fmt: skip
        begins, ends = trace.focus.periods(location)
        first, last = begins.min(initial=begin.max()), ends.max(initial=begin.max())
        is_seen = trace.share(location, series.steps) > 0
        found = find_extremes(
            series.steps._replace(is_known=series.steps.is_known & is_seen), visit, caller, path,
            begin.clip(first, last), end.clip(first, last),
        )  # fmt: skip
        np.minimum.at(least, paths.at[found[0]], found[1])
        np.maximum.at(greatest, paths.at[found[0]], found[2])
    scale = series.recording.scale
    return [pa.array(each[rows] * scale, mask=np.isinf(each[rows])) for each in (least, greatest)]


COUNTERS_STAGE = PythonStage(
    name="call_path_counters",
    outputs=(CALL_PATH_COUNTERS, COUNTER_PROFILE),
    compute=count_by_call_path,
    needed_rows=(("counter_values",),),
)
