"""POP metrics and gains from replaying a trace, as a stage."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.base.errors import MissingInputError
from tracemill.schemas.pop import POP_LOCATIONS, POP_METRICS
from tracemill.schemas.replay import GAINS
from tracemill.stages.activity_rows import (
    Activities,
    Paths,
    read_activities,
    read_paths,
    with_path_numbers,
    with_streams,
)
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.gains import find_gains
from tracemill.stages.pop_metrics import Recorded, Teams, Threads, compute_pop, find_computation
from tracemill.stages.stage import PythonStage

NONE = -1
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
    activities: Relation,
    activity_dependencies: Relation,
    activity_times: Relation,
    runtime_wait_times: Relation,
    call_paths: Relation,
    region_classes: Relation,
    mpi_call_paths: Relation,
    locations: Relation,
    framing_calls: Relation,
    parallel_visits: Relation,
    process_mpi_calls: Relation,
    measurement_gaps: Relation,
    regions: Relation,
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """POP metrics, the times of threads, and gains; these only if streams are known."""
    recorded = read_recorded(
        activities, activity_dependencies, activity_times, runtime_wait_times, call_paths,
        region_classes, mpi_call_paths, locations, framing_calls, parallel_visits,
        process_mpi_calls, measurement_gaps, regions,
    )  # fmt: skip
    if recorded is None:
        return POP_METRICS.empty(), POP_LOCATIONS.empty(), GAINS.empty()
    found, paths = recorded.found, recorded.paths
    metrics, times = compute_pop(recorded)
    if not found.has_known_streams:
        return metrics, times, GAINS.empty()
    rank = read_columns(locations.order("location_id"), "coalesce(rank, -1)::BIGINT")[0]
    is_computation = find_computation(found, paths, recorded.threads)
    return metrics, times, find_gains(found, paths, is_computation, rank[found.location_ids])


def read_recorded(
    activities: Relation,
    activity_dependencies: Relation,
    activity_times: Relation,
    runtime_wait_times: Relation,
    call_paths: Relation,
    region_classes: Relation,
    mpi_call_paths: Relation,
    locations: Relation,
    framing_calls: Relation,
    parallel_visits: Relation,
    process_mpi_calls: Relation,
    measurement_gaps: Relation,
    regions: Relation,
) -> Recorded | None:
    """The graph of a run and what else efficiencies are computed from; None without activities."""
    graph = read_graph(
        activities, activity_dependencies, activity_times, call_paths, region_classes,
        mpi_call_paths, locations, parallel_visits, regions,
    )  # fmt: skip
    if graph is None:
        return None
    found, paths, threads, teams = graph
    calls = read_columns(
        process_mpi_calls.order("location_id, enter_ns"),
        "location_id::BIGINT", "enter_ns", "leave_ns",
    )  # fmt: skip
    gaps = read_columns(measurement_gaps, "location_id::BIGINT", "begin_ns", "end_ns")
    waited = read_columns(
        runtime_wait_times.filter("call_path_id IS NOT NULL"),
        "activity_id", "call_path_id::BIGINT", "time_ns",
    )  # fmt: skip
    framing = read_framing(framing_calls, activities, found.location_ids)
    return Recorded(found, paths, threads, framing, teams, calls, gaps, waited)


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
    (streams,) = read_columns(locations.filter("kind = 'gpu'"), "location_id::BIGINT")
    (artificial,) = read_columns(regions.filter("role = 'artificial'"), "region_id::BIGINT")
    found = with_streams(with_path_numbers(found, paths), paths, streams, artificial)
    teams = read_teams(parallel_visits)
    return Graph(found, paths, read_threads(locations, found.location_ids, teams.location), teams)


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


REPLAY_STAGE = PythonStage(
    name="replays", outputs=(POP_METRICS, POP_LOCATIONS, GAINS), compute=replay_run
)
