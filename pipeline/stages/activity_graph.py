"""The activity graph of a run as a stage: activities, their dependencies, and their call paths."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.replay import (
    ACTIVITIES,
    ACTIVITY_DEPENDENCIES,
    ACTIVITY_KINDS,
    ACTIVITY_TIMES,
    DEPENDENCY_KINDS,
)
from tracemill.stages.activity_ends import Ends, read_ends
from tracemill.stages.activity_times import Durations, times_as_table
from tracemill.stages.arrays import (
    Flags,
    Numbers,
    Relation,
    coded,
    first_rows,
    in_batches,
    order_by,
)
from tracemill.stages.forks import read_forks
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.replay import Graph
    from tracemill.store.walking import StoredRows

NONE = -1
_MEETING, _RUNTIME = (ACTIVITY_KINDS.index(each) for each in ("meeting", "thread runtime"))
_TEAM_BARRIER, _SCAN, _LAUNCH = (
    DEPENDENCY_KINDS.index(each) for each in ("team_barrier", "scan", "launch")
)
_OUTPUTS = ACTIVITIES, ACTIVITY_DEPENDENCIES, ACTIVITY_TIMES
Columns = dict[str, Any]


class _Activities(NamedTuple):
    """Activities of all locations in order; `first` has the first one of each location.

    `master` is the first thread of the process of a stream of an accelerator, or none.
    """

    location_ids: Numbers
    first: Numbers
    location: NDArray[np.int32]
    begin: Numbers
    end: Numbers
    kind: NDArray[np.int8]
    boundary: Numbers
    path: NDArray[np.int32]
    master: Numbers


class _Edges(NamedTuple):
    """Dependencies of activities and meetings."""

    activity: Numbers
    cause: Numbers
    kind: Numbers
    message: Numbers
    collective: Numbers


class _Moments(NamedTuple):
    """The ids of boundaries in order, with the activity that ends at each."""

    ids: Numbers
    activity: Numbers

    def find(self, boundary: Numbers) -> Numbers:
        """The activities that end at boundaries, which are among those with ids."""
        return self.activity[np.minimum(np.searchsorted(self.ids, boundary), len(self.ids) - 1)]


class RecordedGraph(NamedTuple):
    """The graph of a run as recorded.

    Begin, ready (the end of all waiting) and end are those of activities, then of meetings.
    `left_out` counts dependencies that contradict the clocks.
    """

    activities: _Activities
    moments: _Moments
    graph: "Graph"
    edges: _Edges
    begin: Numbers
    ready: Numbers
    end: Numbers
    left_out: pa.Table

    @property
    def durations(self) -> Durations:
        """The durations of activities, which visits divide among call paths."""
        found, count = self.activities, len(self.activities.end)
        return Durations(
            self.ready[:count], self.end[:count], found.first, found.location_ids,
            found.kind == _RUNTIME,
        )  # fmt: skip


def build_graph(
    replay_calls: Relation,
    replay_records: Relation,
    replay_edges: Relation,
    replay_meetings: Relation,
    locations: Relation,
) -> RecordedGraph | None:
    """The graph of the recorded run; None without activities."""
    activities = _place_activities(replay_calls, replay_records, locations)
    count = len(activities.end)
    if not count:
        return None
    order = np.argsort(activities.boundary, kind="stable")
    moments = _Moments(activities.boundary[order], order)
    found, meeting_end = _find_edges(activities, moments, replay_edges, replay_meetings)
    begin, end = (
        np.concatenate([column, meeting_end]) for column in (activities.begin, activities.end)
    )
    activities = activities._replace(begin=begin[:count], end=end[:count])
    graph, edges, left_out = _order_all(activities, found, end)
    ready = begin.copy()
    np.maximum.at(ready, edges.activity, end[edges.cause])
    return RecordedGraph(activities, moments, graph, edges, begin, ready, end, left_out)


def build_activities(
    replay_calls: Relation,
    replay_records: Relation,
    replay_edges: Relation,
    replay_meetings: Relation,
    locations: Relation,
    parallel_visits: Relation,
    call_paths: Relation,
    visits: "StoredRows",
) -> tuple[pa.Table | pa.RecordBatchReader, ...]:
    """Activities with their slack, dependencies, and times by call path.

    Large tables are made while they are read, so that there is only one at a time.
    """
    from tracemill.kernels.replay import find_slack, replay

    found = build_graph(replay_calls, replay_records, replay_edges, replay_meetings, locations)
    if found is None:
        return tuple(table.empty() for table in _OUTPUTS)
    duration = found.end - found.ready
    times = replay(found.graph, duration)
    slack = find_slack(found.graph, times, duration)
    dependencies = _as_dependencies(found.edges, times.decisive)
    ((path_count,),) = call_paths.aggregate("coalesce(max(call_path_id) + 1, 0)").fetchall()
    rows = times_as_table(found.durations, visits, read_forks(parallel_visits), path_count)
    return _as_activities(found, slack), dependencies, rows


def _order_all(
    activities: _Activities, found: _Edges, end: Numbers
) -> tuple["Graph", _Edges, pa.Table]:
    """The graph with its edges, and those left out because the cause ends later."""
    from tracemill.kernels.replay import CircularGraphError

    edges, left_out = _leave_out(found, end[found.cause] <= end[found.activity])
    try:
        return _order(activities, edges, len(end)), edges, left_out
    except CircularGraphError:
        # Only damaged traces have circles, of activities that end at one time.
        edges, left_out = _leave_out(found, end[found.cause] < end[found.activity])
        return _order(activities, edges, len(end)), edges, left_out


def _order(activities: _Activities, edges: _Edges, count: int) -> "Graph":
    from tracemill.kernels.replay import order_graph

    meetings = np.full(count - len(activities.end), NONE)
    return order_graph(
        int(activities.begin[0]),
        activities.first,
        np.concatenate([activities.location, meetings]).astype(np.int32),
        first_rows(edges.activity, count),
        edges.cause,
    )


def _codes(names: tuple[str, ...], column: str = "kind") -> str:
    """The position of a name among those of a column, in SQL."""
    return f"({_code(names, column)})::BIGINT AS {column}"


def _code(names: tuple[str, ...], column: str = "kind") -> str:
    return f"CASE {column} " + " ".join(
        f"WHEN '{name}' THEN {number}" for number, name in enumerate(names)
    ) + " END"  # fmt: skip


def _fetch(relation: Relation, *expressions: str) -> Columns:
    found = relation.select(", ".join(expressions)).to_arrow_table()
    return {name: found[name].to_numpy() for name in found.column_names}


def _place_activities(
    replay_calls: Relation, replay_records: Relation, locations: Relation
) -> _Activities:
    """Between boundaries, with one before the first record and one up to the last."""
    spans = _fetch(
        locations.filter("begin_ns IS NOT NULL AND kind <> 'metric'").order("location_id"),
        "location_id::BIGINT AS id", "begin_ns", "end_ns", "kind = 'gpu' AS is_stream",
        "coalesce(rank, -1)::BIGINT AS rank", "thread = 0 AND kind <> 'gpu' AS is_first",
    )  # fmt: skip
    ends = read_ends(replay_calls, replay_records, spans["id"])
    start, last, end = ends.first[:-1], ends.first[1:] - 1, ends.time
    run_begin = int(spans["begin_ns"].min(initial=np.iinfo(np.int64).max))
    started, ended = _not_started(ends, spans, run_begin), _ended(ends, spans)
    end[start], end[last] = started, ended
    begin = np.empty_like(end)
    begin[1:] = end[:-1]
    begin[start] = run_begin
    return _Activities(
        spans["id"], ends.first, ends.location, begin, end, ends.kind, ends.boundary, ends.path,
        _find_masters(spans),
    )  # fmt: skip


def _find_masters(spans: Columns) -> Numbers:
    """The first thread of the process of each stream; none for other locations."""
    masters = {spans["rank"][each]: each for each in np.flatnonzero(spans["is_first"])[::-1]}
    of_stream = zip(spans["is_stream"], spans["rank"], strict=True)
    return np.array(
        [masters.get(rank, NONE) if is_stream else NONE for is_stream, rank in of_stream], np.int64
    )


def _not_started(ends: Ends, spans: Columns, run_begin: int) -> Numbers:
    """The end of the first activity of each location.

    It is the first record. If that is the begin of a thread, the thread only waits for it. Streams
    of accelerators only wait for their first kernel.
    """
    begin = spans["begin_ns"].copy()
    begin[spans["is_stream"]] = run_begin
    second = ends.first[:-1] + 1
    begin[ends.is_begin[second] & (ends.time[second] == begin)] = run_begin
    return begin


def _ended(ends: Ends, spans: Columns) -> Numbers:
    """The end of the last activity of each location: its last record.

    A stream of an accelerator ends with its last kernel. What it records after that, such as
    idling, takes no time, unless the run ends with it.
    """
    end, is_stream = spans["end_ns"].copy(), spans["is_stream"]
    if is_stream.any():
        is_clipped = is_stream & (end <= end[~is_stream].max(initial=np.iinfo(np.int64).min))
        clipped = np.flatnonzero(is_clipped & (np.diff(ends.first) > 2))
        end[clipped] = ends.time[ends.first[clipped + 1] - 2]
    return end


def _find_edges(
    activities: _Activities, moments: _Moments, replay_edges: Relation, replay_meetings: Relation
) -> tuple[_Edges, Numbers]:
    """All dependencies, and the end of every meeting."""
    single = _fetch(
        replay_edges,
        "boundary_id", "cause_boundary_id AS cause_id", _codes(DEPENDENCY_KINDS),
        f"coalesce(message_id, {NONE}) AS message",
        f"coalesce(collective_id, {NONE}) AS collective",
    )  # fmt: skip
    lasts, before = _follow_masters(activities)
    none = np.full(len(lasts), NONE)
    direct = _Edges(
        np.append(moments.find(single["boundary_id"]), lasts),
        np.append(moments.find(single["cause_id"]), before),
        np.append(single["kind"], np.full(len(lasts), _LAUNCH)),
        np.append(single["message"], none),
        np.append(single["collective"], none),
    )
    members = _fetch(
        replay_meetings,
        "meeting_id", "location_id::BIGINT AS location", _codes(DEPENDENCY_KINDS),
        f"coalesce(collective_id, {NONE}) AS collective",
        "coalesce(boundary_id, -1) AS boundary_id", "boundary_id IS NOT NULL AS is_waiting",
        "coalesce(cause_boundary_id, -1) AS cause_id",
        "cause_boundary_id IS NOT NULL AS is_awaited",
    )  # fmt: skip
    order_of = order_by(members["kind"], members["meeting_id"], members["location"])
    members = {name: column[order_of] for name, column in members.items()}
    return _with_meetings(direct, members, moments, activities.end)


def _follow_masters(activities: _Activities) -> tuple[Numbers, Numbers]:
    """The last activity of each stream, and the last one before its end on its first thread.

    A stream without kernels, which may record copies, follows its process.
    """
    streams = np.flatnonzero(activities.master >= 0)
    lasts, before = activities.first[streams + 1] - 1, np.zeros(len(streams), np.int64)
    for at, master in enumerate(activities.master[streams]):
        first, last = activities.first[master : master + 2]
        ends = activities.end[first:last]
        before[at] = first + np.searchsorted(ends, activities.end[lasts[at]], "right") - 1
    is_known = before >= activities.first[activities.master[streams]]
    return lasts[is_known], before[is_known]


def _with_meetings(
    direct: _Edges, members: Columns, moments: _Moments, ends: Numbers
) -> tuple[_Edges, Numbers]:
    """The dependencies with those of meetings, and the end of every meeting."""
    kind, collective = members["kind"], members["collective"]
    is_new = (np.diff(members["meeting_id"], prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0)
    meeting = np.cumsum(is_new) - 1
    awaited, waiting = np.flatnonzero(members["is_awaited"]), np.flatnonzero(members["is_waiting"])
    cause = moments.find(members["cause_id"][awaited])
    # A barrier of a team waits for the last moment before its leave.
    cause -= kind[awaited] == _TEAM_BARRIER
    end = np.full(int(is_new.sum()), np.iinfo(np.int64).min)
    np.maximum.at(end, meeting[awaited], ends[cause])
    of_meeting = np.flatnonzero(is_new)
    chain = _chain_scans(kind[of_meeting], collective[of_meeting], end)
    is_met = end > np.iinfo(np.int64).min
    number = len(ends) + np.cumsum(is_met) - 1
    chain = chain[is_met[chain - 1]]
    waiting = waiting[is_met[meeting[waiting]]]
    return _Edges(
        np.concatenate([
            direct.activity, number[meeting[awaited]], number[chain],
            moments.find(members["boundary_id"][waiting]),
        ]),
        np.concatenate([direct.cause, cause, number[chain - 1], number[meeting[waiting]]]),
        np.concatenate([direct.kind, kind[awaited], kind[of_meeting][chain], kind[waiting]]),
        np.concatenate([
            direct.message, np.full(len(awaited) + len(chain) + len(waiting), NONE)
        ]),
        np.concatenate([
            direct.collective, collective[awaited], collective[of_meeting][chain],
            collective[waiting],
        ]),
    ), end[is_met]  # fmt: skip


def _chain_scans(kind: Numbers, collective: Numbers, end: Numbers) -> Numbers:
    """Meetings that also wait for the one before; their ends are raised to its end."""
    if not np.any(kind == _SCAN):
        return np.zeros(0, np.int64)
    group = np.cumsum((np.diff(collective, prepend=-2) != 0) | (kind != _SCAN))
    shift = 1
    while shift < len(end) and np.any(group[shift:] == group[:-shift]):
        before = np.where(group[shift:] == group[:-shift], end[:-shift], end[shift:])
        end[shift:] = np.maximum(end[shift:], before)
        shift *= 2
    return np.flatnonzero(np.diff(group, prepend=-1) == 0)


def _leave_out(edges: _Edges, is_kept: Flags) -> tuple[_Edges, pa.Table]:
    """Kept dependencies in order, and how many are left out: they contradict the clocks."""
    kinds, counts = np.unique(edges.kind[~is_kept], return_counts=True)
    left_out = pa.table(
        {"kind": pa.array(np.array(DEPENDENCY_KINDS)[kinds].tolist(), pa.string()), "count": counts}
    )
    order = order_by(edges.activity, edges.cause, edges.message)
    order = order[is_kept[order]]
    return _Edges(*(column[order] for column in edges)), left_out


def _or_null(values: Numbers, type_: pa.DataType) -> pa.Array:
    return pa.array(values, mask=values < 0).cast(type_)


def _names(names: tuple[str, ...], codes: Numbers) -> pa.Array:
    return coded(names, codes).cast(pa.string())


def _as_activities(found: RecordedGraph, slack: tuple[Numbers, Numbers]) -> pa.RecordBatchReader:
    activities, begin, ready, end = found.activities, found.begin, found.ready, found.end
    meetings = len(begin) - len(activities.end)
    ids = np.append(activities.location_ids, NONE)
    location, kind, boundary, path = (
        np.append(column, np.full(meetings, value, column.dtype))
        for column, value in (
            (activities.location, NONE), (activities.kind, _MEETING), (activities.boundary, NONE),
            (activities.path, NONE),
        )
    )  # fmt: skip

    def make(part: slice) -> pa.Table:
        visit = np.where(path[part] >= 0, boundary[part] // 2, NONE)
        return pa.table(
            {
                "activity_id": np.arange(part.start, part.start + len(visit)),
                "location_id": _or_null(ids[location[part]], pa.int32()),
                "kind": _names(ACTIVITY_KINDS, kind[part]),
                "begin_ns": begin[part],
                "end_ns": end[part],
                "wait_ns": ready[part] - begin[part],
                "duration_ns": end[part] - ready[part],
                "visit_id": _or_null(visit, pa.int64()),
                "call_path_id": _or_null(path[part], pa.int32()),
                "total_slack_ns": slack[0][part],
                "free_slack_ns": slack[1][part],
            }
        )

    return in_batches(make, len(begin))


def _as_dependencies(edges: _Edges, decisive: Numbers) -> pa.Table:
    is_decisive = decisive[edges.activity] == edges.cause
    # Of several dependencies on the same activity, the first one is decisive.
    is_repeated = (np.diff(edges.activity, prepend=-1) == 0) & (
        np.diff(edges.cause, prepend=-1) == 0
    )
    return pa.table(
        {
            "activity_id": edges.activity,
            "cause_activity_id": edges.cause,
            "kind": _names(DEPENDENCY_KINDS, edges.kind),
            "message_id": _or_null(edges.message, pa.int64()),
            "collective_id": _or_null(edges.collective, pa.int64()),
            "is_decisive": is_decisive & ~is_repeated,
        }
    )


ACTIVITY_GRAPH_STAGE = PythonStage(
    name="activities", outputs=_OUTPUTS, compute=build_activities, walked=("visits",)
)
