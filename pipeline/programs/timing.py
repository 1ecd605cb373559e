"""How long calls, messages and computation take: as a described machine or cluster says."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.language.process_kinds import MachineSpec
from tracemill.programs.parts import rounded, rounded_number

_LARGEST = 1 << 62
_MILLION = 1_000_000


@dataclass(frozen=True)
class Timing:
    """Times of the simulated machine (ns).

    Messages use the channels of `cluster`. With `is_early`, those up to the eager limit do not wait
    for their receiver. Collectives without schedule take `latency_ns` a round, and `ns_per_kib`.
    Computation takes `work_ppm` millionths of its time on each process.
    """

    cluster: Cluster
    is_early: bool
    overhead_ns: int
    latency_ns: int
    ns_per_kib: int
    eager_limit: int
    start_ns: int
    noise: bool
    work_ppm: NDArray[np.int64] | int = _MILLION


def of_machine(machine: MachineSpec, process_count: int) -> Timing:
    """Times of a `[machine]` table: one channel that is never taken."""
    # Transfers take whole ns, rounded down.
    channel = Channel(1, machine.latency_ns - 0.5, machine.ns_per_kib / 1024)
    level = Level("machine", process_count, (channel,), contention=False)
    return Timing(
        cluster=Cluster("machine", (level,)),
        is_early=False,
        overhead_ns=machine.overhead_ns,
        latency_ns=machine.latency_ns,
        ns_per_kib=machine.ns_per_kib,
        eager_limit=machine.eager_limit,
        start_ns=machine.start_ns,
        noise=machine.noise,
    )


def of_processes(machine: MachineSpec, cluster: Cluster, process_count: int) -> Timing:
    """Times of a program of processes on a cluster.

    Overhead, start and noise are those of the `[machine]` table. Collectives take latency and time
    by size of the first channel of the highest level that joins the processes. Computation is
    measured on cores of speed 1. Raises ProgramError if there are too few cores.
    """
    cores = cluster.cores(process_count)
    channel = _outermost_channel(cluster, cores)
    return Timing(
        cluster=cluster,
        is_early=True,
        overhead_ns=machine.overhead_ns,
        latency_ns=rounded_number(channel.latency_ns),
        ns_per_kib=rounded_number(channel.ns_per_byte * 1024),
        eager_limit=_limit(cluster),
        start_ns=machine.start_ns,
        noise=machine.noise,
        work_ppm=rounded(_MILLION / cluster.core_speeds(cores)),
    )


def of_data(cluster: Cluster) -> Timing:
    """Times of a program of data on a cluster: calls take what their operations take."""
    return Timing(
        cluster=cluster,
        is_early=True,
        overhead_ns=0,
        latency_ns=0,
        ns_per_kib=0,
        eager_limit=_limit(cluster),
        start_ns=0,
        noise=False,
    )


def _outermost_channel(cluster: Cluster, cores: NDArray[np.int64]) -> Channel:
    """Return the first channel of the lowest level that joins all cores."""
    for number in range(len(cluster.levels)):
        units = np.unique(cores // cluster.cores_per_unit(number))
        if len(units) == 1:
            return cluster.channels_of(number, int(units[0]))[0]
    raise AssertionError("the last level is the whole cluster")


def _limit(cluster: Cluster) -> int:
    return int(min(cluster.eager_limit_bytes, _LARGEST))
