"""Run time on a cluster, and where it goes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.characteristics import level_outcomes
from tracemill.forecast.outcome import LevelOutcome
from tracemill.forecast.replayed.lowering import without_mpi
from tracemill.forecast.replayed.reading import NONE, Recorded
from tracemill.forecast.replayed.running import Replayed
from tracemill.kernels.replay import Replay, follow_back, replay
from tracemill.programs.clusters.cluster import Cluster
from tracemill.stages.activity_rows import without_rendezvous
from tracemill.stages.arrays import Flags, Numbers


class Outcome(NamedTuple):
    """A forecast of a run: times of each process (ns), by rank.

    Each process computes, pays overheads and waits from its begin to its end. `useful` is the part
    of its computation that is the program's own. `waits` has the wait of each rank in each call
    path, `path` the time of each call path on the critical path; the last column stands for time
    outside of all calls. `transfer` is the time of transfers on that path.
    """

    interval: str
    ranks: Numbers
    begin: Numbers
    end: Numbers
    computation: Numbers
    useful: Numbers
    overhead: Numbers
    waiting: Numbers
    in_mpi: Numbers
    waits: Numbers
    path: Numbers
    path_overhead: int
    transfer: int
    ideal: int
    levels: tuple[LevelOutcome, ...]

    @property
    def time(self) -> int:
        """Run time: from the first begin to the last end."""
        return int(self.end.max() - self.begin.min())


class Measured(NamedTuple):
    """The recorded times (ns): of the run, with an ideal network, and in MPI by rank."""

    time: int
    ideal: int
    in_mpi: Numbers


def measure(run: Recorded) -> Measured:
    """The recorded times of the same interval."""
    found = run.found
    actions = int(found.graph.first[-1])
    place = run.threads.place[~run.threads.is_worker]
    first, last, _ = _interval(run, place)
    inside = _inside(run, first, last, place)
    begin = int(np.where(first >= 0, found.end[first], found.graph.begin).min())
    outside_mpi = without_mpi(run)
    is_mpi = run.paths.is_mpi[found.path[:actions]]
    in_mpi = np.where(is_mpi, (found.ready - found.begin)[:actions], 0)
    in_mpi += (found.duration - outside_mpi)[:actions]
    of_process = run.process[found.graph.location[:actions]]
    return Measured(
        int(found.end[last].max()) - begin,
        int(_ideal_ends(run, outside_mpi)[last].max()) - begin,
        np.bincount(of_process[inside], in_mpi[inside], len(run.ranks)).astype(np.int64),
    )


def make_outcome(run: Recorded, cluster: Cluster, replayed: Replayed) -> Outcome:
    """Times of the first threads of all processes, from leaving MPI_Init to MPI_Finalize."""
    found, lowered = run.found, replayed.lowered
    actions = int(found.graph.first[-1])
    place = run.threads.place[~run.threads.is_worker]
    first, last, interval = _interval(run, place)
    inside = _inside(run, first, last, place)
    before = np.concatenate([[found.graph.begin], replayed.end[: actions - 1]])
    before[found.graph.first[:-1]] = found.graph.begin
    wait = np.where(inside, replayed.ready[:actions] - before, 0)
    of_process = run.process[found.graph.location[:actions]]
    count = len(run.ranks)

    def total(values: Numbers) -> Numbers:
        chosen = np.where(inside, values[:actions], 0)
        return np.bincount(of_process, chosen, count).astype(np.int64)

    order = np.argsort(run.process[place])
    is_mpi = run.paths.is_mpi[found.path[:actions]]
    begin = np.where(first >= 0, found.end[first], found.graph.begin)[order]
    end = replayed.end[last][order]
    path, path_overhead, transfer = _critical_path(run, replayed, inside, last)
    return Outcome(
        interval=interval,
        ranks=run.ranks,
        begin=begin,
        end=end,
        computation=total(lowered.computation),
        useful=_useful(run, lowered.computation, inside),
        overhead=total(lowered.overhead),
        waiting=total(wait),
        in_mpi=total(lowered.overhead) + total(np.where(is_mpi, wait, 0)),
        waits=_by_path(of_process, found.path[:actions], wait, count, len(run.paths.region)),
        path=path,
        path_overhead=path_overhead,
        transfer=transfer,
        ideal=int(_ideal_ends(run, lowered.computation)[last].max() - begin.min()),
        levels=level_outcomes(cluster, replayed.network, int(end.max() - begin.min())),
    )


def _interval(run: Recorded, place: Numbers) -> tuple[Numbers, Numbers, str]:
    """The activities after which processes begin, and with which they end."""
    init, finalize = run.framing[0][place], run.framing[1][place]
    if len(init) and (init >= 0).all() and (finalize >= 0).all():
        return init, finalize, "init to finalize"
    return np.full(len(place), NONE), run.found.graph.first[place + 1] - 1, "whole"


def _inside(run: Recorded, first: Numbers, last: Numbers, place: Numbers) -> Flags:
    """Activities of the first threads between these."""
    count = len(run.found.location_ids)
    begins, ends = np.full(count, np.iinfo(np.int64).max), np.full(count, NONE)
    begins[place] = np.where(first >= 0, first, run.found.graph.first[place] - 1)
    ends[place] = last
    actions = int(run.found.graph.first[-1])
    location, number = run.found.graph.location[:actions], np.arange(actions)
    return (number > begins[location]) & (number <= ends[location])


def _useful(run: Recorded, computation: Numbers, inside: Flags) -> Numbers:
    """Computation in the program's own code, without input and output."""
    found, paths = run.found, run.paths
    is_outside = found.row_path == len(paths.region) - 1
    is_useful = paths.is_computation[found.row_path] | is_outside
    recorded = without_mpi(run)
    own = found.sum_rows(np.where(is_useful, found.row_time, 0))
    actions = len(inside)
    share = own[:actions] / np.maximum(recorded[:actions], 1)
    useful = np.where(inside, computation[:actions] * share, 0.0)
    of_process = run.process[found.graph.location[:actions]]
    return np.floor(np.bincount(of_process, useful, len(run.ranks)) + 0.5).astype(np.int64)


def _by_path(
    process: Numbers, path: NDArray[Any], time: Numbers, processes: int, paths: int
) -> Numbers:
    cell = process * paths + np.where(path >= 0, path, paths - 1)
    sums = np.bincount(cell, time, processes * paths).astype(np.int64)
    return sums.reshape(processes, paths)


def _critical_path(
    run: Recorded, replayed: Replayed, inside: Flags, last: Numbers
) -> tuple[Numbers, int, int]:
    """Time of call paths, overheads and transfers on the path to the last end."""
    found, lowered = run.found, replayed.lowered
    location = np.full(len(replayed.end), NONE, np.int32)
    location[: len(inside)] = found.graph.location[: len(inside)]
    graph = found.graph._replace(location=location)
    times = Replay(replayed.ready, replayed.end, replayed.cause)
    final = int(last[np.argmax(replayed.end[last])])
    steps = follow_back(graph, times, final)
    # Threads of teams are inside as long as their process is.
    is_first = np.isin(found.graph.location[steps], run.threads.place[~run.threads.is_worker])
    outside = np.flatnonzero(is_first & ~inside[steps])
    steps = steps[outside[-1] + 1 :] if len(outside) else steps
    is_on_path = np.zeros(len(found.end), np.bool_)
    is_on_path[steps] = True
    chosen = is_on_path[found.row_activity]
    is_gone = (run.paths.is_mpi & ~run.paths.keeps_time)[found.row_path]
    time = np.where(chosen & ~is_gone, found.row_time, 0).astype(np.float64)
    recorded = without_mpi(run)
    time *= (lowered.computation / np.maximum(recorded, 1))[found.row_activity]
    by_path = np.bincount(found.row_path, time, len(run.paths.region))
    begin = replayed.end[final]
    if len(steps):
        is_start = steps[0] in found.graph.first
        begin = found.graph.begin if is_start else replayed.end[steps[0] - 1]
    overhead = int(lowered.overhead[steps].sum())
    rest = int(replayed.end[final] - begin) - overhead - int(lowered.computation[steps].sum())
    return np.floor(by_path + 0.5).astype(np.int64), overhead, rest


def _ideal_ends(run: Recorded, computation: Numbers) -> Numbers:
    """The ends of activities with an ideal network."""
    fixed = np.full(len(run.found.end), NONE, np.int64)
    init = run.framing[0][run.framing[0] >= 0]
    fixed[init] = run.found.end[init]
    return replay(without_rendezvous(run.found), computation, fixed).end
