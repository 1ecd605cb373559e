"""POP metrics and gains from replaying a trace, as a stage."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.base.errors import MissingInputError
from tracemill.schemas.pop import POP_LOCATIONS, POP_METRICS
from tracemill.schemas.replay import GAINS, LEFT_OUT_DEPENDENCIES
from tracemill.stages.activity_graph import RecordedGraph, build_graph
from tracemill.stages.activity_rows import (
    Activities,
    Paths,
    read_activities,
    read_paths,
    with_path_numbers,
    with_streams,
    with_times,
)
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.forks import read_forks
from tracemill.stages.gains import find_gains
from tracemill.stages.pop_metrics import Recorded, Teams, Threads, compute_pop, find_computation
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

NONE = -1
_OUTPUTS = POP_METRICS, POP_LOCATIONS, GAINS, LEFT_OUT_DEPENDENCIES
GRAPH_INPUTS = (
    "activities", "activity_dependencies", "activity_times", "call_paths", "region_classes",
    "mpi_call_paths", "locations", "parallel_visits", "regions",
)  # fmt: skip
"""The tables that `read_graph` takes, in order."""


class Graph(NamedTuple):
    """Activities, the call paths of their durations, and the threads that they are of."""

    found: Activities
    paths: Paths
    threads: Threads
    teams: Teams


def replay_run(
    replay_calls: Relation,
    replay_records: Relation,
    replay_edges: Relation,
    replay_meetings: Relation,
    visits: "StoredRows",
    call_paths: Relation,
    region_classes: Relation,
    mpi_call_paths: Relation,
    locations: Relation,
    framing_calls: Relation,
    parallel_visits: Relation,
    process_mpi_calls: Relation,
    measurement_gaps: Relation,
    regions: Relation,
) -> tuple[pa.Table, pa.Table, pa.Table, pa.Table]:
    """POP metrics, the times of threads, gains, and the dependencies that the graph leaves out.

    Gains need known streams.
    """
    graph = build_graph(replay_calls, replay_records, replay_edges, replay_meetings, locations)
    if graph is None:
        return tuple(table.empty() for table in _OUTPUTS)
    left_out = graph.left_out
    recorded = complete(
        graph, visits, call_paths, region_classes, mpi_call_paths, locations, framing_calls,
        parallel_visits, process_mpi_calls, measurement_gaps, regions,
    )  # fmt: skip
    del graph
    found, paths = recorded.found, recorded.paths
    is_computation = find_computation(found, paths, recorded.threads)
    metrics, times = compute_pop(recorded, is_computation)
    if not found.has_known_streams:
        return metrics, times, GAINS.empty(), left_out
    rank = read_columns(locations.order("location_id"), "coalesce(rank, -1)::BIGINT")[0]
    gains = find_gains(found, paths, is_computation, rank[found.location_ids])
    return metrics, times, gains, left_out


def complete(
    graph: RecordedGraph,
    visits: "StoredRows",
    call_paths: Relation,
    region_classes: Relation,
    mpi_call_paths: Relation,
    locations: Relation,
    framing_calls: Relation,
    parallel_visits: Relation,
    process_mpi_calls: Relation,
    measurement_gaps: Relation,
    regions: Relation,
) -> Recorded:
    """The graph of a run with the times of its activities, and what else efficiencies need."""
    paths = read_paths(call_paths, region_classes, mpi_call_paths)
    found, waited = with_times(graph, visits, read_forks(parallel_visits), paths)
    found = _knowing_streams(found, paths, locations, regions)
    teams = read_teams(parallel_visits)
    calls = read_columns(
        process_mpi_calls.order("location_id, enter_ns"),
        "location_id::BIGINT", "enter_ns", "leave_ns",
    )  # fmt: skip
    gaps = read_columns(measurement_gaps, "location_id::BIGINT", "begin_ns", "end_ns")
    return Recorded(
        found, paths, read_threads(locations, found.location_ids, teams.location),
        find_framing(graph, framing_calls), teams, calls, gaps, waited,
    )  # fmt: skip


def read_graph(
    activities: Relation,
    activity_dependencies: Relation,
    activity_times: Relation,
    call_paths: Relation,
    region_classes: Relation,
    mpi_call_paths: Relation,
    locations: Relation,
    parallel_visits: Relation,
    regions: Relation,
) -> Graph | None:
    """The graph of a run with its call paths and threads; None without activities."""
    found = read_activities(activities, activity_dependencies, activity_times)
    if found is None:
        return None
    paths = read_paths(call_paths, region_classes, mpi_call_paths)
    found = _knowing_streams(with_path_numbers(found, paths), paths, locations, regions)
    teams = read_teams(parallel_visits)
    return Graph(found, paths, read_threads(locations, found.location_ids, teams.location), teams)


def _knowing_streams(
    found: Activities, paths: Paths, locations: Relation, regions: Relation
) -> Activities:
    (streams,) = read_columns(locations.filter("kind = 'gpu'"), "location_id::BIGINT")
    (artificial,) = read_columns(regions.filter("role = 'artificial'"), "region_id::BIGINT")
    return with_streams(found, paths, streams, artificial)


def require_known_streams(found: Activities, label: str) -> None:
    """Raise MissingInputError if a replay would not know when kernels of a stream run."""
    if not found.has_known_streams:
        raise MissingInputError(
            f"{label}: the trace does not show which calls launch the kernels of a GPU stream, or "
            "wait for them, so it cannot be replayed: record calls of the CUDA, HIP or OpenCL "
            "interface"
        )


def read_teams(parallel_visits: Relation) -> Teams:
    """Visits of parallel regions by members of teams, in order."""
    columns = read_columns(
        parallel_visits.order("location_id, fork_ns, visit_id"),
        "location_id::BIGINT", "fork_ns", "enter_ns", "leave_ns", "join_ns",
    )  # fmt: skip
    return Teams(*columns)


def read_threads(locations: Relation, ids: Numbers, members: Numbers) -> Threads:
    """First threads of processes, and members of teams."""
    thread, group, number = read_columns(
        locations.filter("kind IN ('cpu_thread', 'unknown')").order("location_id"),
        "location_id::BIGINT", "location_group_id::BIGINT", "thread::BIGINT",
    )  # fmt: skip
    is_first = number == 0
    is_worker = np.isin(thread, members) & ~is_first
    is_kept = np.isin(thread, ids) & (is_first | is_worker)
    masters = dict(zip(group[is_first].tolist(), thread[is_first].tolist(), strict=True))
    thread, group, is_worker = thread[is_kept], group[is_kept], is_worker[is_kept]
    master = np.array(
        [masters.get(each, own) for each, own in zip(group, thread, strict=True)], np.int64
    )
    return Threads(thread, np.searchsorted(ids, thread), np.searchsorted(thread, master), is_worker)


def find_framing(graph: RecordedGraph, framing_calls: Relation) -> tuple[Numbers, Numbers]:
    """The activities that end with leaving MPI_Init and with entering MPI_Finalize, or none."""
    location, is_finalize, visit = read_columns(
        framing_calls, "location_id::BIGINT", "is_finalize", "visit_id"
    )
    ids = graph.activities.location_ids
    init, finalize = (np.full(len(ids), NONE, np.int64) for _ in range(2))
    place, leave = np.searchsorted(ids, location), graph.moments.find(2 * visit + 1)
    init[place[~is_finalize]] = leave[~is_finalize]
    # The activity before is the one that ends with the enter.
    finalize[place[is_finalize]] = leave[is_finalize] - 1
    return init, finalize


def read_framing(
    framing_calls: Relation, activities: Relation, ids: Numbers
) -> tuple[Numbers, Numbers]:
    """The activities that end with leaving MPI_Init and with entering MPI_Finalize, or none."""
    calls = framing_calls.set_alias("calls").join(
        activities.set_alias("ends"), "calls.visit_id = ends.visit_id"
    )
    location, is_finalize, activity = read_columns(
        calls, "calls.location_id::BIGINT", "calls.is_finalize", "ends.activity_id"
    )
    init, finalize = (np.full(len(ids), NONE, np.int64) for _ in range(2))
    place = np.searchsorted(ids, location)
    init[place[~is_finalize]] = activity[~is_finalize]
    # The activity before is the one that ends with the enter.
    finalize[place[is_finalize]] = activity[is_finalize] - 1
    return init, finalize


REPLAY_STAGE = PythonStage(name="replays", outputs=_OUTPUTS, compute=replay_run, walked=("visits",))
