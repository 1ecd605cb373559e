"""Lowers a recorded run to the instructions of each thread, and to what they wait for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.replayed.collectives import add_collectives
from tracemill.forecast.replayed.points import Points
from tracemill.forecast.replayed.reading import NONE, Recorded
from tracemill.kernels.forecast import layout as at
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.parts import rounded, rounded_number
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.arrays import Flags, Numbers

_MESSAGE, _SYNCHRONOUS, _RENDEZVOUS = map(
    DEPENDENCY_KINDS.index, ("message", "synchronous", "rendezvous")
)


class Lowered(NamedTuple):
    """A run on a cluster: computation and overhead of each activity (ns), and its points.

    `is_before` holds for activities up to leaving MPI_Init.
    """

    points: Points
    computation: Numbers
    overhead: Numbers
    is_before: Flags


def lower(run: Recorded, cluster: Cluster) -> Lowered:
    """The run on a cluster; raises ProgramError if there are too few cores."""
    is_before = _before_init(run)
    overhead = np.zeros(len(run.found.end), np.int64)
    entered = run.activities_at(2 * run.communicating)
    overhead[entered[entered >= 0]] = rounded_number(cluster.overhead_ns)
    overhead[is_before] = 0
    computation = rounded(without_mpi(run) * slowdown(run, cluster, is_before))
    return Lowered(_place_points(run, cluster), computation, overhead, is_before)


def _before_init(run: Recorded) -> Flags:
    """Activities of first threads up to the one that ends with leaving MPI_Init."""
    location = run.found.graph.location
    init = np.append(run.framing[0], NONE)
    return (location >= 0) & (np.arange(len(location)) <= init[location])


def without_mpi(run: Recorded) -> Numbers:
    """Recorded durations without MPI; collective access to files is kept."""
    found, paths = run.found, run.paths
    is_gone = paths.is_mpi & ~paths.keeps_time
    return found.sum_rows(np.where(is_gone[found.row_path], 0, found.row_time))


def slowdown(run: Recorded, cluster: Cluster, is_before: Flags) -> NDArray[np.float64]:
    """How much longer the computation of each activity takes on the core of its process."""
    speed = cluster.core_speeds(cluster.cores(len(run.ranks)))[run.process]
    factor = 1 / np.append(speed, 1.0)[run.found.graph.location]
    factor[is_before] = 1.0
    return factor


def _place_points(run: Recorded, cluster: Cluster) -> Points:
    actions = int(run.found.graph.first[-1])
    points = Points(actions, len(run.found.end) - actions)
    exchanged = _add_messages(points, run, cluster)
    collectives = add_collectives(points, run, cluster)
    _add_accesses(points, run)
    edges = run.edges
    is_own = (edges["kind"] == _MESSAGE) & (edges["message"] == NONE)
    is_exchanged = np.isin(edges["message"], exchanged) & (edges["message"] != NONE)
    is_kept = ~is_own & (edges["kind"] != _RENDEZVOUS) & ~is_exchanged
    is_kept &= (edges["collective"] == NONE) | ~np.isin(edges["collective"], collectives)
    points.wait(edges["activity"][is_kept], edges["cause"][is_kept])
    return points


def _add_messages(points: Points, run: Recorded, cluster: Cluster) -> Numbers:
    """Add the transfers of messages; returns the ids of these messages.

    A transfer starts with the send. If the send is synchronous or long, both sides wait for it,
    and it waits for the receive. Messages whose recorded times contradict the clocks are left out.
    """
    edges, columns = run.edges, run.messages
    is_message = (edges["kind"] == _MESSAGE) & (edges["message"] != NONE)
    ids = edges["message"][is_message]
    if not len(ids):
        return ids
    row = np.searchsorted(columns["message_id"], ids)
    number_of = np.vectorize(run.group.__getitem__, otypes=[np.int64])
    senders, receivers = (number_of(columns[name][row]) for name in ("sender", "receiver"))
    sizes = columns["bytes"][row]
    number = points.add_transfers(senders, receivers, sizes)
    points.wait(number, edges["cause"][is_message])
    points.wait(edges["activity"][is_message], number)
    synchronous = edges["message"][edges["kind"] == _SYNCHRONOUS]
    is_long = (sizes > cluster.eager_limit_bytes) & columns["is_standard"][row].astype(bool)
    waits = np.isin(ids, synchronous) | is_long
    points.wait(number[waits], run.activities_at(columns["posted_id"][row][waits]))
    points.wait(run.activities_at(columns["completed_id"][row][waits]), number[waits])
    return ids


def _add_accesses(points: Points, run: Recorded) -> None:
    """Add the transfers of one-sided operations, up to the call that completes them."""
    columns = run.accesses
    if not len(columns["started_id"]):
        return
    number_of = np.vectorize(run.group.__getitem__, otypes=[np.int64])
    ends = np.stack([number_of(columns["origin"]), number_of(columns["target"])])
    is_get = np.asarray(columns["is_get"]).astype(bool)
    ends[:, is_get] = ends[::-1, is_get]
    number = points.add_transfers(ends[0], ends[1], columns["bytes"])
    points.wait(number, run.activities_at(columns["started_id"]))
    points.wait(run.activities_at(columns["closed_id"]), number)


def instructions(run: Recorded, lowered: Lowered) -> tuple[Numbers, Numbers]:
    """Instructions of all threads, one after the other, and the first one of each."""
    first = run.found.graph.first
    actions, threads = int(first[-1]), len(first) - 1
    code = np.zeros((actions + threads, at.INSTRUCTION_WIDTH), np.int64)
    place = np.arange(actions) + run.found.graph.location[:actions]
    code[:, at.KIND] = at.END
    code[place, at.KIND] = at.ACT
    code[place, at.OBJECT] = np.arange(actions)
    code[place, at.COUNT] = (lowered.computation + lowered.overhead)[:actions]
    init = run.framing[0][run.framing[0] >= 0]
    code[place[init], at.KIND] = at.UNTIL
    code[place[init], at.COUNT] = run.found.end[init]
    return code, first[:-1] + np.arange(threads)
