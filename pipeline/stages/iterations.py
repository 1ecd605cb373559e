"""Iterations of the main loop: the search as a stage, and what each iteration costs."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.iterations import ITERATION_CANDIDATES, ITERATION_LOOP, ITERATION_SPANS
from tracemill.schemas.iterations import ITERATIONS as ITERATIONS_TABLE
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.arrays import Flags, Numbers, Relation, in_order, place, read_columns
from tracemill.stages.iteration_measures import Boundaries, find_boundaries
from tracemill.stages.iteration_search import (
    LEAST_COMMUNICATING,
    Body,
    Candidate,
    Spans,
    Window,
    choose_loop,
    cover,
    cut_iterations,
    list_candidates,
    resemblance,
)
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

_COMMUNICATING = ("data movement", "synchronisation")
_COMPUTATION = overhead_id("user code")


class _Operations:
    """Calls that synchronize or move data, read when they are needed."""

    def __init__(
        self,
        calls: Sequence[Relation],
        call_tree: Relation,
        classes: Relation,
        locations: Relation,
        groups: Numbers,
    ) -> None:
        """`calls` are tables with calls, those of few rows first; the last one has all."""
        self._calls = calls
        self._tree = call_tree
        self._classes = classes
        self._locations = locations
        self._groups = groups

    @cached_property
    def _paths(self) -> tuple[Numbers, Numbers]:
        """The call paths of operations with their numbers of visits, the rarest first."""
        chosen = [at for at, each in enumerate(TAXONOMY) if each.name in _COMMUNICATING]
        of_regions = self._classes.filter(f"overhead_id IN ({_listed(chosen)})")
        (regions,) = read_columns(of_regions, "region_id::BIGINT")
        visited = self._tree.filter(f"region_id IN ({_listed(regions)}) AND visit_count > 0")
        counted = visited.aggregate("call_path_id, sum(visit_count)::BIGINT AS visit_count")
        path, count = read_columns(
            counted.order("visit_count, call_path_id"), "call_path_id::BIGINT", "visit_count"
        )
        return path, count.cumsum()

    @cached_property
    def _processes(self) -> Numbers:
        return _processes_of(self._locations, self._groups)[0]

    def communicate(self, spans: Spans) -> bool:
        """True if enough iterations contain an operation on a location of their process.

        Rare operations are looked at first: often they suffice.
        """
        if self._location_count < 2:
            return True
        paths, counts = self._paths
        few = int(np.searchsorted(counts, 2 * spans.begin.size)) + 1
        parts = (paths[:few], paths) if few < len(paths) else (paths,)
        tried = product(self._calls, parts)
        return any(self._share(spans, *each) >= LEAST_COMMUNICATING for each in tried)

    def _share(self, spans: Spans, calls: Relation, paths: Numbers) -> float:
        """The share of iterations with a call of one of the call paths."""
        wanted = calls.filter(f"call_path_id IN ({_listed(paths)}) AND enter_ns IS NOT NULL")
        location, enter = read_columns(wanted, "location_id::BIGINT", "enter_ns")
        process = self._processes[location]
        is_known = process >= 0
        boundaries = np.hstack([spans.begin, spans.end[:, -1:]])
        found = find_boundaries(boundaries, process[is_known], enter[is_known] + 1)
        size = boundaries.size + len(boundaries)
        counts = np.bincount(found, minlength=size).reshape(len(boundaries), -1)
        return float((counts[:, 1:-1] > 0).mean())

    @cached_property
    def _location_count(self) -> int:
        threads = self._locations.filter("kind = 'cpu_thread'")
        return int(threads.aggregate("count(*)").fetchall()[0][0])


def _listed(numbers: Iterable[int]) -> str:
    """Numbers for a condition, of which there may be none."""
    return ", ".join(map(str, numbers)) or "NULL"


def find_loop(
    loop_children: Relation,
    call_paths: Relation,
    locations: Relation,
    main_part: Relation,
    mpi_operations: Relation,
    visits: Relation,
    call_tree: Relation,
    region_classes: Relation,
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The main loop, all heads that recur, and the iterations on every process in the main part."""
    begin, end = main_part.select("begin_ns, end_ns").fetchall()[0]
    # The call tree has call paths; their regions are those of the table beside it.
    regions = call_paths.select("call_path_id, region_id")
    tree = call_tree.select("call_path_id, visit_count").join(regions, "call_path_id")
    groups = _groups_of(locations)
    operations = _Operations((mpi_operations, visits), tree, region_classes, locations, groups)
    window = Window(begin=begin, end=end, communicate=operations.communicate)
    if loop_children.filter("is_head").aggregate("count(*)").fetchall()[0][0]:
        candidates = [_take_named(loop_children, groups, window)]
        loop = None if candidates[0].reason else candidates[0]
        is_named = True
    else:
        depths = dict(call_paths.select("call_path_id, depth").fetchall())
        candidates = list(list_candidates(_read_bodies(loop_children, depths, groups), window))
        loop, is_named = choose_loop(candidates), False
    return (
        _loop_table(loop, window, is_named=is_named),
        _candidates_table(candidates, groups),
        _spans_table(loop, groups, window),
    )


def _groups_of(locations: Relation) -> Numbers:
    """The processes: location groups whose first thread has visits."""
    firsts = locations.filter("thread = 0 AND kind = 'cpu_thread' AND visit_count > 0")
    return np.unique(read_columns(firsts, "location_group_id::BIGINT")[0])


def _processes_of(locations: Relation, groups: Numbers) -> tuple[Numbers, Numbers]:
    """The position of each location's process; -1 for locations without one.

    The second result is -1 for locations that are no first thread, too.
    """
    location, group, is_first = read_columns(
        locations,
        "location_id::BIGINT",
        "location_group_id::BIGINT",
        "thread = 0 AND kind = 'cpu_thread'",
    )
    found = np.searchsorted(groups, group).clip(0, max(len(groups) - 1, 0))
    is_known = groups[found] == group if len(groups) else np.zeros(len(group), np.bool_)
    every = np.where(is_known, found, -1)
    return place(location, every), place(location, np.where(is_first, every, -1))


def _read_bodies(loop_children: Relation, depths: dict[int, int], groups: Numbers) -> list[Body]:
    """The calls of each caller on all processes."""
    found = read_columns(
        loop_children,
        "coalesce(call_path_id, -1)::BIGINT",
        "location_group_id::BIGINT",
        "enter_ns",
        "visit_id",
        "leave_ns",
        "region_id::BIGINT",
    )
    caller, group, enter, _, leave, region = in_order(found, keys=4)
    columns = group, region, enter, leave
    edges = np.flatnonzero(np.diff(caller, prepend=-2, append=-2))
    bodies = []
    for first, beyond in pairwise(edges.tolist()):
        group, *values = (column[first:beyond] for column in columns)
        path = int(caller[first])
        firsts = np.searchsorted(group, np.append(groups, groups[-1] + 1))
        bodies.append(Body(path, depths.get(path, -1), firsts, *values))
    return bodies


def _take_named(loop_children: Relation, groups: Numbers, window: Window) -> Candidate:
    """The named head with all its visits; it may lack on some processes."""
    group, region, enter, leave, is_head = read_columns(
        loop_children.order("location_group_id, enter_ns, visit_id"),
        "location_group_id::BIGINT",
        "region_id::BIGINT",
        "enter_ns",
        "leave_ns",
        "is_head",
    )
    firsts = np.searchsorted(group, np.append(groups, groups[-1] + 1))
    body = Body(-1, -1, firsts, region, enter, leave)
    counts = np.bincount(body.process[is_head], minlength=len(groups))
    head, first_ns = int(region[is_head][0]), int(enter[is_head].min())
    found = Candidate(
        body=body, region=head, is_run=False, counts=counts, first_ns=first_ns,
        reason="counts differ",
    )  # fmt: skip
    return found if counts.min() != counts.max() else _cut_named(found, is_head, window)


def _cut_named(found: Candidate, is_head: Flags, window: Window) -> Candidate:
    heads = np.flatnonzero(is_head).reshape(found.body.process_count, -1)
    spans = cut_iterations(found.body, heads)
    return Candidate(
        body=found.body,
        region=found.region,
        is_run=False,
        counts=found.counts,
        first_ns=found.first_ns,
        reason="",
        spans=spans,
        similarity=resemblance(spans),
        coverage=cover(spans, window.begin, window.end),
    )


def _loop_table(loop: Candidate | None, window: Window, *, is_named: bool) -> pa.Table:
    if loop is None or loop.spans is None:
        return ITERATION_LOOP.empty()
    spans, path = loop.spans, loop.body.call_path
    first = spans.begin[:, 0].clip(window.begin, window.end)
    last = spans.end[:, -1].clip(window.begin, window.end)
    before, after = spans.dropped
    row = {
        "call_path_id": None if path < 0 else path,
        "region_id": loop.region,
        "is_run": loop.is_run,
        "is_named": is_named,
        "iteration_count": loop.count,
        "similarity_ratio": loop.similarity,
        "coverage_ratio": loop.coverage,
        "dropped_before_count": int(before[0]),
        "dropped_after_count": int(after[0]),
        "before_ns": int((first - window.begin).sum()),
        "after_ns": int((window.end - last).sum()),
    }
    return pa.Table.from_pylist([row], schema=ITERATION_LOOP.arrow_schema)


def _candidates_table(candidates: Sequence[Candidate], groups: Numbers) -> pa.Table:
    rows = [_describe(each, groups) for each in candidates]
    return pa.Table.from_pylist(rows, schema=ITERATION_CANDIDATES.arrow_schema)


def _describe(candidate: Candidate, groups: Numbers) -> dict[str, object]:
    path, counts = candidate.body.call_path, candidate.counts
    return {
        "call_path_id": None if path < 0 else path,
        "region_id": candidate.region,
        "is_run": candidate.is_run,
        "least_count": int(counts.min()),
        "least_group_id": int(groups[counts.argmin()]),
        "most_count": int(counts.max()),
        "most_group_id": int(groups[counts.argmax()]),
        "iteration_count": candidate.count,
        "similarity_ratio": candidate.similarity,
        "coverage_ratio": candidate.coverage,
        "reason": candidate.reason or None,
    }


def _spans_table(loop: Candidate | None, groups: Numbers, window: Window) -> pa.Table:
    if loop is None or loop.spans is None:
        return ITERATION_SPANS.empty()
    spans = loop.spans
    process_count, count = spans.begin.shape
    return pa.table(
        {
            "iteration": np.tile(np.arange(count, dtype=np.int32), process_count),
            "location_group_id": np.repeat(groups.astype(np.int32), count),
            "begin_ns": spans.begin.clip(window.begin, window.end).ravel(),
            "end_ns": spans.end.clip(window.begin, window.end).ravel(),
        }
    )


def measure_iterations(
    iteration_spans: Relation,
    locations: Relation,
    visits: "StoredRows",
    call_paths: Relation,
    region_classes: Relation,
    class_changes: Relation,
    wait_states: Relation,
    critical_path_segments: Relation,
    messages: Relation,
) -> pa.Table:
    """What every iteration costs on every process."""
    ordered = iteration_spans.order("location_group_id, iteration")
    group, *spans = read_columns(ordered, "location_group_id::BIGINT", "begin_ns", "end_ns")
    if not len(group):
        return ITERATIONS_TABLE.empty()
    groups = np.unique(group)
    begins, ends = (each.reshape(len(groups), -1) for each in spans)
    times = np.hstack([begins, ends[:, -1:]])
    every, firsts = (Boundaries(times, each) for each in _processes_of(locations, groups))
    computing, of_firsts = _computing(
        every, firsts, visits, call_paths, region_classes, class_changes
    )
    waits = wait_states.filter("NOT is_completion")
    sends = messages.select("sender_location_id AS location_id, send_ns, bytes")
    columns = {
        "time_ns": ends - begins,
        "computing_ns": computing,
        "wait_ns": every.sum_intervals(waits, "start_ns", "start_ns + wait_ns"),
        "path_ns": every.sum_intervals(critical_path_segments, "begin_ns + wait_ns", "end_ns"),
        "bytes_sent": every.sum_events(sends, "send_ns", "bytes"),
    }
    ratio = _imbalance(of_firsts)
    count = begins.shape[1]
    return pa.table(
        {
            "iteration": np.repeat(np.arange(count, dtype=np.int32), len(groups)),
            "location_group_id": np.tile(groups.astype(np.int32), count),
            "begin_ns": begins.T.ravel(),
            "end_ns": ends.T.ravel(),
            **{name: values.T.ravel() for name, values in columns.items()},
            "imbalance_ratio": ratio.take(np.repeat(np.arange(count), len(groups))),
        }
    )


def _computing(
    every: Boundaries,
    firsts: Boundaries,
    visits: "StoredRows",
    call_paths: Relation,
    region_classes: Relation,
    class_changes: Relation,
) -> tuple[Numbers, Numbers]:
    """Computing time in every iteration of all locations of a process, and of the first ones."""
    path, region, caller = read_columns(
        call_paths,
        "call_path_id::BIGINT",
        "region_id::BIGINT",
        "coalesce(caller_region_id, -1)::BIGINT",
    )
    overhead = place(*read_columns(region_classes, "region_id::BIGINT", "overhead_id::BIGINT"))
    # The last row is that of no caller.
    computes = np.append(overhead == _COMPUTATION, False)
    is_counted = np.stack([computes[place(path, region)], computes[place(path, caller)]], axis=1)
    first, others = every.sum_visits(visits, is_counted, firsts.process_of >= 0)
    moved = (
        f"change_count * ((overhead_id = {_COMPUTATION})::BIGINT "
        f"- coalesce(caller_overhead_id = {_COMPUTATION}, FALSE)::BIGINT)"
    )
    changes = class_changes.select(f"location_id, begin_ns, end_ns, {moved} AS change_count")
    left = changes.filter("change_count <> 0"), "begin_ns", "end_ns", "change_count"
    return first + others + every.sum_intervals(*left), first + firsts.sum_intervals(*left)


def _imbalance(computing: Numbers) -> pa.Array:
    """The longest time over the mean of the processes, per iteration; null without time."""
    mean = computing.mean(axis=0)
    ratio = computing.max(axis=0) / np.where(mean > 0, mean, 1)
    return pa.array(np.maximum(ratio, 1), mask=mean <= 0)


LOOP_STAGE = PythonStage(
    name="iteration_loop",
    outputs=(ITERATION_LOOP, ITERATION_CANDIDATES, ITERATION_SPANS),
    compute=find_loop,
    needed_rows=(("loop_children",),),
)  # fmt: skip
ITERATIONS_STAGE = PythonStage(
    name="iterations",
    outputs=(ITERATIONS_TABLE,),
    compute=measure_iterations,
    walked=("visits",),
    needed_rows=(("iteration_spans",),),
    is_bounded=True,
)  # fmt: skip
