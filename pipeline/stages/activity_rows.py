"""The activity graph read from its tables, to be run again."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tracemill.schemas.overheads import overhead_id
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.arrays import Flags, Numbers, Relation, in_order, place, read_columns

if TYPE_CHECKING:
    from tracemill.kernels.replay import Graph

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
    path: Numbers
    first_row: Numbers
    row_activity: Numbers
    row_path: Numbers
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

    def sum_rows(self, time: Numbers) -> Numbers:
        """Durations with these times of rows."""
        sums = np.concatenate([[0], np.cumsum(time)])
        return sums[self.first_row[1:]] - sums[self.first_row[:-1]]


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


def read_activities(
    activities: Relation, activity_dependencies: Relation, activity_times: Relation
) -> Activities | None:
    """The graph of the tables, or none if there is no activity."""
    from tracemill.kernels.replay import order_graph

    columns = read_columns(
        activities,
        "activity_id", f"coalesce(location_id, {NONE})::BIGINT", "begin_ns", "end_ns", "wait_ns",
        f"coalesce(call_path_id, {NONE})::BIGINT",
    )  # fmt: skip
    number, location, begin, end, wait, path = in_order(columns, keys=1)
    if not len(number):
        return None
    ids, inner = np.unique(location[location >= 0], return_inverse=True)
    first = np.searchsorted(inner, np.arange(len(ids) + 1)).astype(np.int64)
    of_graph = np.full(len(location), NONE, np.int32)
    of_graph[: len(inner)] = inner
    first_cause, cause, kind = _read_causes(activity_dependencies, len(number))
    graph = order_graph(int(begin[0]), first, of_graph, first_cause, cause)
    rows = read_columns(
        activity_times,
        "activity_id", f"coalesce(call_path_id::BIGINT, {_OUTSIDE})", "time_ns",
    )  # fmt: skip
    row_activity, row_path, row_time = in_order(rows, keys=2)
    return Activities(
        graph, ids, begin, begin + wait, end, path,
        np.searchsorted(row_activity, np.arange(len(number) + 1)).astype(np.int64),
        row_activity, row_path, row_time, kind, _depends_on(_TEAM_BARRIER, first_cause, kind),
    )  # fmt: skip


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


def with_streams(found: Activities, paths: Paths, stream_ids: Numbers) -> Activities:
    """The same, knowing which locations are streams of accelerators.

    A stream with kernels is known if a call launched the first one, and one waited for any of them.
    """
    graph = found.graph
    in_calls = graph.location[found.row_activity[found.row_path < len(paths.region) - 1]]
    is_stream = np.isin(found.location_ids, stream_ids)
    places = np.flatnonzero(is_stream & np.isin(np.arange(len(is_stream)), in_calls))
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
    first = np.searchsorted(activity, np.arange(count + 1)).astype(np.int64)
    return first, cause, kind
