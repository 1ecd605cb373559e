"""Runs a recorded run on a cluster."""

from typing import NamedTuple

import numpy as np

from tracemill.base.errors import ProgramError
from tracemill.base.names import make_visible
from tracemill.base.text import join_words
from tracemill.forecast.machine import Machine
from tracemill.forecast.operations import Operations
from tracemill.forecast.replayed.lowering import Lowered, instructions, lower
from tracemill.forecast.replayed.reading import NONE, Recorded
from tracemill.kernels.forecast import layout as at
from tracemill.kernels.network.layout import Network
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.clusters.network import make_network
from tracemill.stages.arrays import Numbers

_SHOWN = 4


class Replayed(NamedTuple):
    """Times of a run on a cluster by point: activities, meetings, then transfers (ns).

    `cause` is what happened last of all that a point waited for, or none.
    """

    lowered: Lowered
    network: Network
    ready: Numbers
    end: Numbers
    cause: Numbers
    points: Numbers


def replay_on(run: Recorded, cluster: Cluster) -> Replayed:
    """Run the calls of each process on a cluster; raises ProgramError if they block each other."""
    network = make_network(cluster, len(run.ranks))
    lowered = lower(run, cluster)
    threads = len(run.found.location_ids)
    tables = {
        **Operations(threads).tables(),
        "parts": np.zeros((0, threads), np.int64),
        **lowered.points.tables(run.found.graph.begin),
    }
    machine = Machine(
        network,
        tables,
        process_count=threads,
        interval_count=1,
        class_count=1,
        register_count=0,
        mark_count=0,
        rounds=1,
        most_started=0,
        eager_limit_bytes=cluster.eager_limit_bytes,
        overhead_ns=0,
    )
    machine.clocks = np.full(threads, run.found.graph.begin)
    is_done = machine.run_each(*instructions(run, lowered))
    points = machine.tables.points[:-1]
    if not is_done:
        raise ProgramError(_describe_blocked(run, lowered, points, cluster))
    return Replayed(
        lowered, network, points[:, at.READY_NS], points[:, at.END_NS], points[:, at.CAUSE], points
    )


def _describe_blocked(run: Recorded, lowered: Lowered, points: Numbers, cluster: Cluster) -> str:
    """The ranks that wait for each other, their calls, and what they wait for."""
    follower, cause = lowered.points.waits()
    blocked = np.flatnonzero((points[:, at.WAITER] != at.NOBODY) & (points[:, at.MISSING] > 0))
    lines = []
    for point in blocked[:_SHOWN].tolist():
        awaited = cause[follower == point]
        missing = awaited[points[awaited, at.MISSING] > 0]
        what = _describe_missing(run, points, missing)
        lines.append(f"rank {_rank_at(run, point)} in {_call_at(run, point)} waits for {what}")
    more = f", and {len(blocked) - _SHOWN:,} more" if len(blocked) > _SHOWN else ""
    limit = (
        f" Messages above eager_limit_bytes = {cluster.eager_limit_bytes:,.0f} wait for their "
        "receives: raise it, or drop it."
        if np.isfinite(cluster.eager_limit_bytes)
        else ""
    )
    return make_visible(
        f"on cluster {cluster.name} the run blocks itself: {'; '.join(lines)}{more}.{limit}"
    )


def _describe_missing(run: Recorded, points: Numbers, missing: Numbers) -> str:
    """Transfers that have not happened, with the rank that they wait for, or other ranks."""
    for point in missing.tolist():
        if points[point, at.POINT_KIND] != at.TRANSFER:
            continue
        ends = [run.ranks[points[point, column]] for column in (at.SENDER, at.RECEIVING)]
        size = points[point, at.POINT_SIZE]
        return f"{size:,} bytes from rank {ends[0]} to rank {ends[1]}"
    ranks = sorted({_rank_at(run, point) for point in missing.tolist() if point < _actions(run)})
    return join_words([f"rank {rank}" for rank in ranks]) if ranks else "the others"


def _actions(run: Recorded) -> int:
    return int(run.found.graph.first[-1])


def _rank_at(run: Recorded, activity: int) -> int:
    return int(run.ranks[run.process[run.found.graph.location[activity]]])


def _call_at(run: Recorded, activity: int) -> str:
    path = int(run.found.path[activity])
    return f'"{run.call_paths[path]}"' if path != NONE else "its own code"
