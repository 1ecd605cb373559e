"""Efficiencies of a run as POP defines them, with the run on an ideal network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.pop import INTERVALS, POP_LOCATIONS, POP_METRICS
from tracemill.stages.activity_rows import Activities, Paths, without_rendezvous
from tracemill.stages.arrays import Flags, Numbers
from tracemill.stages.focus_times import FocusTimes
from tracemill.stages.pop_efficiencies import Summary, list_metrics

if TYPE_CHECKING:
    from tracemill.kernels.pop_times import Periods

NONE = -1
INIT_TO_FINALIZE, WHOLE, FOCUS = INTERVALS
_LATEST = np.iinfo(np.int64).max


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


class Recorded(NamedTuple):
    """The graph of a run, and what else its efficiencies are computed from.

    `framing` has for each location the activities that end with leaving MPI_Init and with entering
    MPI_Finalize, or none. `calls` are MPI calls of first threads, `gaps` times without measurement,
    and `waited` waits of thread runtimes by activity and call path.
    """

    found: Activities
    paths: Paths
    threads: Threads
    framing: tuple[Numbers, Numbers]
    teams: Teams
    calls: list[Numbers]
    gaps: list[Numbers]
    waited: Sequence[Numbers]


class Interval(NamedTuple):
    """Periods of threads, those of each thread in order.

    `last` is the activity with whose end the period ends on an ideal network. Periods of a `round`
    overlap; time between rounds does not count.
    """

    name: str
    thread: Numbers
    begin: Numbers
    end: Numbers
    last: Numbers
    round: Numbers

    @property
    def threads(self) -> Numbers:
        """The threads with periods."""
        return np.unique(self.thread)

    def sum_of(self, values: Numbers) -> Numbers:
        """Sums of values of periods, by thread that has any."""
        return np.bincount(self.thread, values)[self.threads].astype(np.int64)

    def run_ns(self, end: Numbers) -> int:
        """The time from the first begin to the last of these ends, over all rounds."""
        count = int(self.round.max(initial=NONE)) + 1
        first, last = np.full(count, _LATEST), np.full(count, -_LATEST)
        np.minimum.at(first, self.round, self.begin)
        np.maximum.at(last, self.round, end)
        return int((last - first).sum())


class Times(NamedTuple):
    """Time of each thread by class, in its periods."""

    useful: Numbers
    mpi: Numbers
    barrier: Numbers
    outside: Numbers


def compute_pop(
    recorded: Recorded, is_computation: Flags, locations: Numbers | None = None
) -> tuple[pa.Table, pa.Table]:
    """Efficiencies of the run, and the times of threads that they are computed from.

    Both are of the threads among `locations`; by default of all. `is_computation` marks parts of
    durations.
    """
    ids = recorded.threads.ids
    chosen = np.arange(len(ids)) if locations is None else np.flatnonzero(np.isin(ids, locations))
    ideal = run_ideally(recorded.found, recorded.paths, recorded.framing[0])
    metrics, rows = [POP_METRICS.empty()], [POP_LOCATIONS.empty()]
    for name in (INIT_TO_FINALIZE, WHOLE):
        interval = find_interval(name, recorded, chosen)
        if interval is not None:
            efficiencies, times = measure(recorded, interval, ideal, is_computation)
            metrics.append(efficiencies)
            rows.append(times)
    return pa.concat_tables(metrics), pa.concat_tables(rows)


def measure(
    recorded: Recorded, interval: Interval, ideal: Numbers, is_computation: Flags
) -> tuple[pa.Table, pa.Table]:
    """Efficiencies of an interval, and the times of its threads.

    `ideal` are the ends of activities on an ideal network. Durations are inside of the interval or
    outside of it.
    """
    times = _sum_times(recorded, interval, is_computation)
    ends = ideal[interval.last]
    # A process that begins later has no time in the interval.
    starts = recorded.found.graph.first[:-1]
    ends = np.where(np.isin(interval.last, starts), interval.begin, ends)
    locations = _as_locations(recorded.threads, interval, times, ends)
    summary = _summarize(
        recorded.threads, interval, times, ends, is_known=recorded.found.has_known_streams
    )
    return POP_METRICS.conform(list_metrics(summary)), POP_LOCATIONS.conform(locations)


def run_ideally(found: Activities, paths: Paths, as_recorded: Numbers) -> Numbers:
    """End of every activity on an ideal network: MPI takes no time, and buffers what is sent.

    Some activities end as recorded, such as MPI_Init; collective access to files keeps its time.
    """
    from tracemill.kernels.replay import replay

    is_gone = paths.is_mpi & ~paths.keeps_time
    duration = found.sum_rows(np.where(is_gone[found.row_path], 0, found.row_time))
    fixed = np.full(len(found.end), NONE, np.int64)
    kept = as_recorded[as_recorded >= 0]
    fixed[kept] = found.end[kept]
    return replay(without_rendezvous(found), duration, fixed).end


def find_interval(name: str, recorded: Recorded, chosen: Numbers) -> Interval | None:
    """The interval of the processes of some threads, or none if the run has no such interval."""
    found, threads = recorded.found, recorded.threads
    if not len(chosen):
        return None
    masters = threads.place[threads.master[chosen]]
    first, last = (ends[masters] for ends in recorded.framing)
    rounds = np.zeros(len(chosen), np.int64)
    if name == INIT_TO_FINALIZE:
        if np.any(first < 0) or np.any(last < 0):
            return None
        return Interval(name, chosen, found.end[first], found.end[last], last, rounds)
    begin = np.full(len(chosen), found.graph.begin)
    lasts = found.graph.first[1:][masters] - 1
    return Interval(name, chosen, begin, begin + found.run_ns, lasts, rounds)


def _sum_times(recorded: Recorded, interval: Interval, is_computation: Flags) -> Times:
    """Time of each thread by class, in its periods; durations count if they are inside."""
    from tracemill.kernels.pop_times import BARRIER, KINDS, MPI, USEFUL, sum_inside
    from tracemill.kernels.replay import Parts

    found, threads = recorded.found, recorded.threads
    spent = _Spent(found, threads.place[interval.thread], interval.begin, interval.end)
    sums = np.zeros((len(KINDS), len(found.location_ids)), np.int64)
    parts = Parts(found.first_row, found.row_path, is_computation, found.row_time)
    sum_inside(
        found.graph.first, found.begin, found.ready, found.end, found.path, found.is_in_barrier,
        parts, recorded.paths.is_mpi, spent.periods_of(len(found.location_ids)), sums,
    )  # fmt: skip
    sums[USEFUL] += _useful_waits(recorded, spent) - _gap_times(recorded, spent)
    chosen = threads.place[interval.threads]
    outside = np.zeros(len(chosen), np.int64)
    times = Times(sums[USEFUL, chosen], sums[MPI, chosen], sums[BARRIER, chosen], outside)
    return _with_teams(times, recorded, interval, spent) if len(recorded.teams.location) else times


def _useful_waits(recorded: Recorded, spent: "_Spent") -> Numbers:
    """Computation in waits that are in the periods as a whole, by location.

    Workers leave their region after the last barrier, while they wait for the next fork.
    """
    found = recorded.found
    activity, path, time = recorded.waited
    place = found.graph.location[activity].astype(np.int64)
    begin, ready = found.begin[activity], found.ready[activity]
    is_whole = spent.between(place, begin, ready) == ready - begin
    chosen = recorded.paths.is_computation[path] & is_whole
    return _sum_at(place[chosen], time[chosen], len(found.location_ids))


def _gap_times(recorded: Recorded, spent: "_Spent") -> Numbers:
    """Time without measurement in the periods, by location."""
    location, begin, end = recorded.gaps
    place = np.searchsorted(recorded.found.location_ids, location)
    return _sum_at(place, spent.between(place, begin, end), len(recorded.found.location_ids))


class _Spent:
    """Time in periods of locations, which are given by their place in the graph."""

    def __init__(self, found: Activities, place: Numbers, begin: Numbers, end: Numbers) -> None:
        first = found.graph.begin
        last = first + found.run_ns
        self._periods = FocusTimes.of(place, begin, end, first=first, last=last)

    def between(self, place: Numbers | int, begin: Numbers, end: Numbers) -> Numbers:
        """Time in the periods of a location from one moment to another, which may be earlier."""
        if not len(self._periods.location):
            return np.zeros_like(begin)
        return self._periods.spent(place, end) - self._periods.spent(place, begin)

    def periods_of(self, count: int) -> "Periods":
        """All periods, for kernels; `count` is the number of locations."""
        from tracemill.kernels.pop_times import Periods

        own = self._periods
        first = np.searchsorted(own.location, np.arange(count + 1))
        return Periods(first, own.begin, own.end, own.before)

    def parts(self, place: int, begin: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
        """The parts of stretches of a location that are in its periods."""
        first, last = self._periods.first, self._periods.last
        own = FocusTimes.of(np.full(len(begin), place), begin, end, first=first, last=last)
        return own.intersect(self._periods).periods(place)


def find_computation(found: Activities, paths: Paths, threads: Threads) -> Flags:
    """Parts of durations that are computation.

    The first thread of a process also computes outside of all visits, once it has begun.
    """
    is_first = np.zeros(len(found.location_ids), np.bool_)
    is_first[threads.place[~threads.is_worker]] = True
    is_started = is_first[found.graph.location]
    is_started[found.graph.first[:-1]] = False
    outside = np.flatnonzero(found.row_path == len(paths.region) - 1)
    is_computation = paths.is_computation[found.row_path]
    is_computation[outside] = is_started[np.searchsorted(found.first_row, outside, "right") - 1]
    return is_computation


def _sum_at(place: Numbers, values: Numbers, count: int) -> Numbers:
    return np.bincount(place, values, count).astype(np.int64)


def _with_teams(times: Times, recorded: Recorded, interval: Interval, spent: _Spent) -> Times:
    """The times with those of workers outside of teams; starting teams is no computation."""
    threads, calls = recorded.threads, recorded.calls
    useful, mpi, outside = times.useful.copy(), times.mpi.copy(), times.outside.copy()
    location, fork, enter, leave, join = recorded.teams
    lasts = recorded.found.graph.first[1:] - 1
    for at, thread in enumerate(interval.threads):
        place = threads.place[thread]
        mine = location == threads.ids[thread]
        # A worker has no time after its last record.
        joined = np.minimum(join[mine], recorded.found.end[lasts[place]])
        around = spent.between(place, fork[mine], enter[mine])
        around += np.maximum(spent.between(place, leave[mine], joined), 0)
        useful[at] -= around.sum()
        if not threads.is_worker[thread]:
            continue
        of_master = calls[0] == threads.ids[threads.master[thread]]
        own = interval.thread == thread
        in_all, in_teams = (
            (int((end - begin).sum()),
             int(_time_until(calls[1][of_master], calls[2][of_master], end).sum()
                 - _time_until(calls[1][of_master], calls[2][of_master], begin).sum()))
            for begin, end in (
                (interval.begin[own], interval.end[own]),
                spent.parts(place, fork[mine], join[mine]),
            )
        )  # fmt: skip
        # The time between teams.
        in_mpi = in_all[1] - in_teams[1]
        mpi[at] += in_mpi
        outside[at] = in_all[0] - in_teams[0] - in_mpi
    return Times(useful, mpi, times.barrier, outside)


def _time_until(enter: Numbers, leave: Numbers, moments: Numbers) -> Numbers:
    """Time in calls, which do not overlap, until each moment."""
    before = np.concatenate([[0], np.cumsum(leave - enter)])
    entered = np.searchsorted(enter, moments, side="right")
    ends = np.append(leave, 0)[entered - 1]
    return before[entered] - np.where(entered > 0, np.maximum(ends - moments, 0), 0)


def _summarize(
    threads: Threads, interval: Interval, times: Times, ideal_end: Numbers, *, is_known: bool
) -> Summary:
    """The inputs of the efficiencies."""
    run, ideal = interval.run_ns(interval.end), interval.run_ns(ideal_end)
    chosen = interval.threads
    span = interval.sum_of(interval.end - interval.begin)
    other = span - times.useful - times.mpi - times.barrier - times.outside
    master = threads.master[chosen]
    size = np.bincount(master)
    processes = np.flatnonzero(size)
    mpi = np.bincount(master, times.mpi + run - span)
    by_process = run - mpi[processes] / size[processes]
    return Summary(
        interval.name, run, ideal, times.useful, by_process, size[processes],
        (times.useful.sum(), times.barrier.sum(), other.sum(), times.outside.sum())
        if threads.is_worker[chosen].any() else None,
        is_known,
    )  # fmt: skip


def _as_locations(
    threads: Threads, interval: Interval, times: Times, ideal_end: Numbers
) -> pa.Table:
    chosen = interval.threads
    span = interval.sum_of(interval.end - interval.begin)
    begin, end = (np.full(len(threads.ids), each) for each in (_LATEST, -_LATEST))
    np.minimum.at(begin, interval.thread, interval.begin)
    np.maximum.at(end, interval.thread, interval.end)
    ideal = np.full(len(threads.ids), -_LATEST)
    np.maximum.at(ideal, threads.master[interval.thread], ideal_end)
    return pa.table(
        {
            "interval": pa.array([interval.name] * len(chosen)),
            "location_id": threads.ids[chosen].astype(np.int32),
            "begin_ns": begin[chosen],
            "end_ns": end[chosen],
            "useful_ns": times.useful,
            "mpi_ns": times.mpi + interval.run_ns(interval.end) - span,
            "barrier_wait_ns": times.barrier,
            "outside_ns": times.outside,
            "other_ns": span - times.useful - times.mpi - times.barrier - times.outside,
            "ideal_end_ns": ideal[threads.master[chosen]],
        }
    )
