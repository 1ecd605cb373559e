"""Efficiencies of a run as POP defines them, with the run on an ideal network."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.pop import INTERVALS, POP_LOCATIONS, POP_METRICS
from tracemill.stages.activity_rows import (
    Activities,
    Paths,
    waits_in_team_barriers,
    without_rendezvous,
)
from tracemill.stages.arrays import Flags, Numbers
from tracemill.stages.pop_efficiencies import Summary, list_metrics

NONE = -1
INIT_TO_FINALIZE, WHOLE = INTERVALS


class Threads(NamedTuple):
    """CPU threads: their place among the locations of the graph, and that of their process' first.

    `is_worker` holds for members of teams other than the first thread.
    """

    ids: Numbers
    place: Numbers
    master: Numbers
    is_worker: Flags


class Teams(NamedTuple):
    """Visits of parallel regions, with fork and join."""

    location: Numbers
    fork: Numbers
    enter: Numbers
    leave: Numbers
    join: Numbers


class Interval(NamedTuple):
    """Begin and end of the interval on each thread, and the activities that end there, or none."""

    name: str
    begin: Numbers
    end: Numbers
    first: Numbers
    last: Numbers


class Times(NamedTuple):
    """Time of each thread by class, in its interval."""

    useful: Numbers
    mpi: Numbers
    barrier: Numbers
    outside: Numbers


def compute_pop(
    found: Activities,
    paths: Paths,
    threads: Threads,
    framing: tuple[Numbers, Numbers],
    teams: Teams,
    calls: list[Numbers],
    gaps: list[Numbers],
    waited: list[Numbers],
) -> tuple[pa.Table, pa.Table]:
    """Efficiencies of the run, and the times of threads that they are computed from."""
    ideal = run_ideally(found, paths, framing[0])
    metrics, rows = [POP_METRICS.empty()], [POP_LOCATIONS.empty()]
    for name in INTERVALS:
        interval = _interval(name, found, threads, framing)
        if interval is None:
            continue
        times = _sum_times(found, paths, threads, interval, gaps, waited)
        if len(teams.location):
            ends = found.end[found.graph.first[1:] - 1][threads.place]
            times = _with_teams(times, threads, interval, teams, calls, ends)
        ends = np.where(interval.last >= 0, ideal[interval.last], ideal[_lasts(found, threads)])
        rows.append(POP_LOCATIONS.conform(_as_locations(threads, interval, times, ends)))
        summary = _summarize(threads, interval, times, ends)
        metrics.append(POP_METRICS.conform(list_metrics(summary)))
    return pa.concat_tables(metrics), pa.concat_tables(rows)


def run_ideally(found: Activities, paths: Paths, init: Numbers) -> Numbers:
    """End of every activity on an ideal network: MPI takes no time, and buffers what is sent.

    MPI_Init ends as recorded; collective access to files keeps its time.
    """
    from tracemill.kernels.replay import replay

    is_gone = paths.is_mpi & ~paths.keeps_time
    duration = found.sum_rows(np.where(is_gone[found.row_path], 0, found.row_time))
    fixed = np.full(len(found.end), NONE, np.int64)
    fixed[init[init >= 0]] = found.end[init[init >= 0]]
    return replay(without_rendezvous(found), duration, fixed).end


def _lasts(found: Activities, threads: Threads) -> Numbers:
    return found.graph.first[1:][threads.place[threads.master]] - 1


def _interval(
    name: str, found: Activities, threads: Threads, framing: tuple[Numbers, Numbers]
) -> Interval | None:
    """The interval on every thread, or none if the run has no such interval."""
    masters = threads.place[threads.master]
    first, last = framing[0][masters], framing[1][masters]
    if name == INIT_TO_FINALIZE:
        if not len(first) or np.any(first < 0) or np.any(last < 0):
            return None
        return Interval(name, found.end[first], found.end[last], first, last)
    begin = np.full(len(masters), found.graph.begin)
    none = np.full(len(masters), NONE)
    return Interval(
        name, begin, np.full(len(masters), found.graph.begin + found.run_ns), none, none
    )


def _sum_times(
    found: Activities,
    paths: Paths,
    threads: Threads,
    interval: Interval,
    gaps: list[Numbers],
    waited: list[Numbers],
) -> Times:
    """Useful time, MPI, and waiting in barriers of each thread, by its own activities."""
    count = len(found.location_ids)
    begin, end = np.zeros(count, np.int64), np.full(count, NONE)
    begin[threads.place], end[threads.place] = interval.begin, interval.end
    of_activity = found.graph.location.astype(np.int64)
    activity_count = found.graph.first[-1]
    place = of_activity[:activity_count]
    is_inside = np.zeros(len(of_activity), np.bool_)
    is_inside[:activity_count] = (found.ready[:activity_count] >= begin[place]) & (
        found.end[:activity_count] <= end[place]
    )
    at = of_activity[found.row_activity]
    row_inside = is_inside[found.row_activity]

    def total(chosen: Flags) -> Numbers:
        chosen = chosen & row_inside
        return np.bincount(at[chosen], found.row_time[chosen], count).astype(np.int64)

    wait = np.where(is_inside, found.ready - found.begin, 0)[:activity_count]
    in_mpi = wait * paths.is_mpi[found.path[:activity_count]]
    barrier = np.where(is_inside, waits_in_team_barriers(found), 0)[:activity_count]
    useful = total(find_computation(found, paths, threads)) - _sum_gaps(
        gaps, found.location_ids, begin, end
    )
    # Workers leave their region after the last barrier, while they wait for the next fork.
    activity, path, time = (each[is_inside[waited[0]]] for each in waited)
    is_useful = paths.is_computation[path]
    useful += _sum_at(of_activity[activity[is_useful]], time[is_useful], count)
    mpi = total(paths.is_mpi[found.row_path]) + _sum_at(place, in_mpi, count)
    chosen = threads.place
    return Times(
        useful[chosen], mpi[chosen], _sum_at(place, barrier, count)[chosen],
        np.zeros(len(chosen), np.int64),
    )  # fmt: skip


def find_computation(found: Activities, paths: Paths, threads: Threads) -> Flags:
    """Parts of durations that are computation.

    The first thread of a process also computes outside of all visits, once it has begun.
    """
    is_first = np.zeros(len(found.location_ids), np.bool_)
    is_first[threads.place[~threads.is_worker]] = True
    is_outside = found.row_path == len(paths.region) - 1
    is_started = np.ones(len(found.end), np.bool_)
    is_started[found.graph.first[:-1]] = False
    at = found.graph.location[found.row_activity]
    return paths.is_computation[found.row_path] | (
        is_outside & is_first[at] & is_started[found.row_activity]
    )


def _sum_at(place: Numbers, values: Numbers, count: int) -> Numbers:
    return np.bincount(place, values, count).astype(np.int64)


def _sum_gaps(gaps: list[Numbers], ids: Numbers, begin: Numbers, end: Numbers) -> Numbers:
    """Time of each location in which nothing was measured."""
    location, gap_begin, gap_end = gaps
    place = np.searchsorted(ids, location)
    inside = np.minimum(gap_end, end[place]) - np.maximum(gap_begin, begin[place])
    return _sum_at(place, np.maximum(inside, 0), len(ids))


def _with_teams(
    times: Times,
    threads: Threads,
    interval: Interval,
    teams: Teams,
    calls: list[Numbers],
    ends: Numbers,
) -> Times:
    """The times with those of workers outside of teams; starting teams is no computation."""
    useful, mpi, outside = times.useful.copy(), times.mpi.copy(), times.outside.copy()
    location, fork, enter, leave, join = teams
    for thread in range(len(threads.ids)):
        begin, end = interval.begin[thread], interval.end[thread]
        mine = (location == threads.ids[thread]) & (fork >= begin) & (join <= end)
        # A worker has no time after its last record.
        around = enter - fork + np.maximum(np.minimum(join, ends[thread]) - leave, 0)
        useful[thread] -= around[mine].sum()
        if not threads.is_worker[thread]:
            continue
        of_master = calls[0] == threads.ids[threads.master[thread]]
        edges = np.concatenate([[begin], np.stack([fork[mine], join[mine]], 1).ravel(), [end]])
        in_mpi = _time_until(calls[1][of_master], calls[2][of_master], edges)
        # The time between teams.
        mpi[thread] += (in_mpi[1::2] - in_mpi[::2]).sum()
        outside[thread] = (edges[1::2] - edges[::2]).sum() - (in_mpi[1::2] - in_mpi[::2]).sum()
    return Times(useful, mpi, times.barrier, outside)


def _time_until(enter: Numbers, leave: Numbers, moments: Numbers) -> Numbers:
    """Time in calls, which do not overlap, until each moment."""
    before = np.concatenate([[0], np.cumsum(leave - enter)])
    entered = np.searchsorted(enter, moments, side="right")
    ends = np.append(leave, 0)[entered - 1]
    return before[entered] - np.where(entered > 0, np.maximum(ends - moments, 0), 0)


def _summarize(threads: Threads, interval: Interval, times: Times, ideal_end: Numbers) -> Summary:
    """What the efficiencies are computed from."""
    run = int(interval.end.max() - interval.begin.min())
    ideal = int(ideal_end.max() - interval.begin.min())
    has_teams = bool(threads.is_worker.any())
    out = run - (interval.end - interval.begin)
    other = interval.end - interval.begin - times.useful - times.mpi - times.barrier - times.outside
    size = np.bincount(threads.master, minlength=len(threads.ids))
    mpi = np.bincount(threads.master, times.mpi + out, len(threads.ids))
    processes = np.flatnonzero(size)
    by_process = run - mpi[processes] / size[processes]
    return Summary(
        interval.name, run, ideal, times.useful, by_process, size[processes],
        (times.useful.sum(), times.barrier.sum(), other.sum(), times.outside.sum()) if has_teams
        else None,
    )  # fmt: skip


def _as_locations(
    threads: Threads, interval: Interval, times: Times, ideal_end: Numbers
) -> pa.Table:
    span = interval.end - interval.begin
    out = int(interval.end.max() - interval.begin.min()) - span
    return pa.table(
        {
            "interval": pa.array([interval.name] * len(span)),
            "location_id": threads.ids.astype(np.int32),
            "begin_ns": interval.begin,
            "end_ns": interval.end,
            "useful_ns": times.useful,
            "mpi_ns": times.mpi + out,
            "barrier_wait_ns": times.barrier,
            "outside_ns": times.outside,
            "other_ns": span - times.useful - times.mpi - times.barrier - times.outside,
            "ideal_end_ns": ideal_end,
        }
    )
