"""The channels of a cluster as tables of compiled code."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.network.layout import BUSY, BYTES, LEVEL_WIDTH, TRANSFERS, Network
from tracemill.programs.clusters.cluster import Channel, Cluster

Numbers = NDArray[np.int64]


class Busy(NamedTuple):
    """Transfers over the channels of a level; `channel_count` of the units that have processes.

    Without contention, channels are never taken, and `channel_count` is 0.
    """

    level: str
    transfers: float
    bytes: float
    busy_ns: float
    channel_count: int


class FreeTimes(NamedTuple):
    """When each channel and link becomes free (ns)."""

    channels: Numbers
    links: Numbers


class _Channels:
    """Groups of channels, unit by unit."""

    def __init__(self) -> None:
        self.units: list[tuple[int, int]] = []
        self.groups: list[tuple[int, int]] = []
        self.costs: list[tuple[float, float]] = []
        self.count = 0

    def add(self, channels: tuple[Channel, ...]) -> None:
        """Add a unit with its channels."""
        self.units.append((len(self.groups), len(channels)))
        for channel in channels:
            self.groups.append((self.count, channel.count))
            self.costs.append((channel.latency_ns, channel.ns_per_byte))
            self.count += channel.count


def make_network(cluster: Cluster, process_count: int) -> Network:
    """The channels that so many processes can use, all free from the beginning.

    Raises ProgramError if there are more processes than cores.
    """
    cores = cluster.cores(process_count)
    levels = np.zeros((len(cluster.levels) + 1, LEVEL_WIDTH), np.int64)
    numbers = np.zeros((len(cluster.levels), process_count), np.int64)
    found, link_count, below_count = _Channels(), 0, process_count
    for number, level in enumerate(cluster.levels):
        units, numbers[number] = np.unique(
            cores // cluster.cores_per_unit(number), return_inverse=True
        )
        out_links = level.links * below_count
        levels[number] = (
            level.contention, level.links, len(found.units), link_count, link_count + out_links
        )  # fmt: skip
        link_count += 2 * out_links
        below_count = len(units)
        for unit in units.tolist():
            found.add(cluster.channels_of(number, unit))
    levels[-1] = (True, 0, len(found.units), link_count, link_count)
    found.add(cluster.storage)
    groups = np.array(found.groups, np.int64).reshape(-1, 2)
    network = Network(
        levels=levels,
        units=np.array(found.units, np.int64),
        groups=groups,
        unit_of=numbers,
        free=np.zeros(found.count, np.int64),
        channels=np.zeros(found.count, np.int64),
        links=np.zeros(link_count, np.int64),
        costs=np.array(found.costs, np.float64).reshape(-1, 2),
        used=np.zeros((len(levels), 3), np.float64),
    )
    set_free_times(network, FreeTimes(network.free.copy(), network.links.copy()))
    return network


def free_times(network: Network) -> FreeTimes:
    """When each channel, by number, and each link becomes free."""
    times = np.empty_like(network.free)
    times[network.channels] = network.free
    return FreeTimes(times, network.links.copy())


def set_free_times(network: Network, times: FreeTimes) -> None:
    """Set when channels and links become free."""
    counts = network.groups[:, 1]
    group = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(times.channels))
    network.channels[:] = np.lexsort((-number, times.channels, group))
    network.free[:] = times.channels[network.channels]
    network.links[:] = times.links


def busy_levels(cluster: Cluster, network: Network) -> list[Busy]:
    """Use of the channels of each level, and of the storage if there is one."""
    names = [*(level.name for level in cluster.levels), "storage"]
    ends = [*network.levels[1:, 2].tolist(), len(network.units)]
    found = []
    for number, (name, end) in enumerate(zip(names, ends, strict=True)):
        groups = network.units[network.levels[number, 2] : end]
        first, last = groups[0, 0], groups[-1].sum()
        count = int(network.groups[first:last, 1].sum()) if network.levels[number, 0] else 0
        used = network.used[number].tolist()
        if number < len(cluster.levels) or used[TRANSFERS]:
            found.append(Busy(name, used[TRANSFERS], used[BYTES], used[BUSY], count))
    return found
