"""The activity graph with the parts of durations, to be run again."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.schemas.overheads import overhead_id
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.activity_graph import RecordedGraph
from tracemill.stages.activity_times import sum_times
from tracemill.stages.arrays import (
    Flags,
    Numbers,
    Relation,
    first_rows,
    in_order,
    place,
    read_columns,
    read_many,
)
from tracemill.stages.forks import Forks

if TYPE_CHECKING:
    from tracemill.kernels.replay import Graph
    from tracemill.store.walking import StoredRows

NONE = -1
_OUTSIDE = (1 << 31) - 1
"""Greater than the number of any call path."""
_RENDEZVOUS = DEPENDENCY_KINDS.index("rendezvous")
_TEAM_BARRIER = DEPENDENCY_KINDS.index("team_barrier")
_LAUNCH, _DEVICE = (DEPENDENCY_KINDS.index(each) for each in ("launch", "device"))
_COMPUTATION = overhead_id("user code")


class Activities(NamedTuple):
    """A graph with the durations of its activities, by activity and by call path.

    Rows `first_row[a]:first_row[a + 1]` are the parts of the duration of activity a: `row_path` is
    their call path, or the number of call paths outside of all visits. `edge_kind` is the kind of
    every cause of the graph. Waits of activities that are `is_in_barrier` are those in barriers of
    teams. Without `has_known_streams`, a replay does not know what launches kernels of some stream
    of an accelerator, or waits for them.
    """

    graph: "Graph"
    location_ids: Numbers
    begin: Numbers
    ready: Numbers
    end: Numbers
    path: NDArray[np.int32]
    first_row: Numbers
    row_path: NDArray[np.int32]
    row_time: Numbers
    edge_kind: Numbers
    is_in_barrier: Flags
    has_known_streams: bool = True

    @property
    def duration(self) -> Numbers:
        return self.end - self.ready

    @property
    def run_ns(self) -> int:
        """Run time: from the first record to the last one."""
        lasts = self.graph.first[1:] - 1
        return int(self.end[lasts].max(initial=self.graph.begin)) - self.graph.begin

    @property
    def row_activity(self) -> Numbers:
        """The activity of every row; `by_row` takes less memory for other values."""
        return self.by_row(np.arange(len(self.end)))

    def by_row(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of the activities of rows."""
        return np.repeat(values, np.diff(self.first_row))

    def sum_rows(self, time: Numbers) -> Numbers:
        """Durations with these times of rows."""
        return _sum_parts(time, self.first_row)

    def sum_by_location(self, time: Numbers) -> Numbers:
        """Sums of times of activities by location."""
        return _sum_parts(time, self.graph.first)


def _sum_parts(values: Numbers, first: Numbers) -> Numbers:
    """Sums of neighbors; the first of each part is given, and their number at the end."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return np.diff(sums[first])


class Paths(NamedTuple):
    """Properties of call paths; the last entry stands for time outside of all visits.

    `is_mpi` holds for MPI calls and all below them, `keeps_time` for collective access to files.
    """

    region: Numbers
    last: Numbers
    overhead: Numbers
    is_mpi: Flags
    keeps_time: Flags

    @property
    def is_computation(self) -> Flags:
        return (self.overhead == _COMPUTATION) & ~self.is_mpi


def with_times(
    recorded: RecordedGraph, visits: "StoredRows", forks: Forks, paths: Paths
) -> tuple[Activities, list[NDArray[Any]]]:
    """The recorded graph with the parts of durations, and waits of thread runtimes.

    These have activity, call path and time, as far as it is in visits.
    """
    outside = len(paths.region) - 1
    (activity, row_path, row_time), waits = sum_times(recorded.durations, visits, forks, outside)
    count, found, kind = len(recorded.end), recorded.activities, recorded.edges.kind
    activities = Activities(
        recorded.graph, found.location_ids, recorded.begin, recorded.ready, recorded.end,
        np.append(found.path, np.full(count - len(found.path), NONE, np.int32)),
        first_rows(activity, count), row_path, row_time, kind,
        _depends_on(_TEAM_BARRIER, recorded.graph.first_cause, kind),
    )  # fmt: skip
    is_inside = waits[1] < outside
    return activities, [column[is_inside] for column in waits]


def read_activities(
    activities: Relation, activity_dependencies: Relation, activity_times: Relation
) -> Activities | None:
    """The graph of the tables, or none if there is no activity."""
    from tracemill.kernels.replay import order_graph

    columns = read_many(
        activities,
        place="activity_id",
        location=f"coalesce(location_id, {NONE})::INTEGER",
        begin="begin_ns",
        end="end_ns",
        wait="wait_ns",
        path=f"coalesce(call_path_id, {NONE})::INTEGER",
    )
    location, begin, ready, end = (columns[name] for name in ("location", "begin", "wait", "end"))
    count = len(location)
    if not count:
        return None
    ready += begin
    # Activities come by location, then meetings, which have none.
    starts = np.flatnonzero(np.diff(location, prepend=NONE))
    starts = starts[location[starts] != NONE]
    ids = location[starts].astype(np.int64)
    first = np.append(starts, np.count_nonzero(location != NONE))
    of_graph = np.full(count, NONE, np.int32)
    of_graph[: first[-1]] = np.repeat(np.arange(len(ids)), np.diff(first))
    first_cause, cause, kind = _read_causes(activity_dependencies, count)
    graph = order_graph(int(begin[0]), first, of_graph, first_cause, cause)
    first_row, row_path, row_time = _read_times(activity_times, count)
    return Activities(
        graph, ids, begin, ready, end, columns["path"], first_row, row_path, row_time, kind,
        _depends_on(_TEAM_BARRIER, first_cause, kind),
    )  # fmt: skip


def _read_times(activity_times: Relation, count: int) -> tuple[Numbers, NDArray[np.int32], Numbers]:
    """The first row of each activity, and call path and time of all rows."""
    columns = read_many(
        activity_times,
        activity="activity_id::INTEGER",
        path=f"coalesce(call_path_id, {_OUTSIDE})::INTEGER",
        time="time_ns",
    )
    activity, path, time = in_order(list(columns.values()), keys=2)
    return first_rows(activity, count), path, time


def read_paths(call_paths: Relation, region_classes: Relation, mpi_call_paths: Relation) -> Paths:
    """Call paths by number."""
    path, region, last = read_columns(
        call_paths, "call_path_id::BIGINT", "region_id::BIGINT", "last_call_path_id::BIGINT"
    )
    overhead = place(*read_columns(region_classes, "region_id::BIGINT", "overhead_id::BIGINT"))
    regions, lasts = place(path, region), place(path, last)
    mpi, is_file = read_columns(mpi_call_paths, "call_path_id::BIGINT", "is_collective_file_call")
    return Paths(
        np.append(regions, NONE),
        np.append(lasts, NONE),
        np.append(overhead[regions], NONE),
        np.append(_below(mpi, lasts), False),
        np.append(_below(mpi[is_file], lasts), False),
    )


def _below(tops: Numbers, last: Numbers) -> Flags:
    """Call paths that are one of `tops` or below it."""
    steps = np.zeros(len(last) + 1, np.int64)
    np.add.at(steps, tops, 1)
    np.subtract.at(steps, last[tops] + 1, 1)
    return np.cumsum(steps)[:-1] > 0


def with_path_numbers(found: Activities, paths: Paths) -> Activities:
    """The same with the number of call paths for rows outside of all visits."""
    return found._replace(row_path=np.minimum(found.row_path, len(paths.region) - 1))


def with_streams(
    found: Activities, paths: Paths, stream_ids: Numbers, artificial_ids: Numbers
) -> Activities:
    """The same, knowing which locations are streams of accelerators.

    A stream with kernels is known if a call launched the first one, and one waited for any of them.
    Visits of artificial regions, such as idling, are no kernels.
    """
    if not len(stream_ids):
        return found
    graph = found.graph
    is_kernel = ~np.isin(paths.region, np.append(artificial_ids, NONE))
    with_kernels = found.by_row(graph.location)[is_kernel[found.row_path]]
    is_stream = np.isin(found.location_ids, stream_ids)
    places = np.flatnonzero(is_stream & np.isin(np.arange(len(is_stream)), with_kernels))
    is_launched = _depends_on(_LAUNCH, graph.first_cause, found.edge_kind)
    awaited = graph.location[graph.cause[found.edge_kind == _DEVICE]]
    is_known = is_launched[graph.first[places] + 1] & np.isin(places, awaited)
    return found._replace(has_known_streams=bool(is_known.all()))


def without_rendezvous(found: Activities) -> "Graph":
    """The graph in which no standard send waits for its receiver."""
    is_kept = found.edge_kind != _RENDEZVOUS
    kept = np.concatenate([[0], np.cumsum(is_kept)])
    graph = found.graph
    return graph._replace(
        first_cause=kept[graph.first_cause], cause=np.ascontiguousarray(graph.cause[is_kept])
    )


def _depends_on(wanted: int, first_cause: Numbers, kind: Numbers) -> Flags:
    """Activities with a dependency of a kind."""
    count = np.concatenate([[0], np.cumsum(kind == wanted)])
    return count[first_cause[1:]] > count[first_cause[:-1]]


def _read_causes(dependencies: Relation, count: int) -> tuple[Numbers, Numbers, Numbers]:
    names = " ".join(f"WHEN '{name}' THEN {at}" for at, name in enumerate(DEPENDENCY_KINDS))
    columns = read_columns(
        dependencies, "activity_id", "cause_activity_id", f"(CASE kind {names} END)::BIGINT"
    )
    activity, cause, kind = in_order(columns, keys=2)
    return first_rows(activity, count), cause, kind
