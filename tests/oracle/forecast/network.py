"""Channels and links of a cluster: who takes them when, one transfer after the other."""

from dataclasses import dataclass
from fractions import Fraction

from tests.oracle.forecast.parts import rounded
from tracemill.programs.clusters.cluster import Channel, Cluster
from tracemill.programs.placed import STORAGE

Place = tuple[object, ...]


@dataclass
class Use:
    """Use of the channels of a level."""

    transfers: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    busy_ns: Fraction = Fraction(0)


class Network:
    """Free times (ns) of channels and links; those that nobody used are free from 0."""

    def __init__(self, cluster: Cluster, process_count: int) -> None:
        self.cluster = cluster
        self.cores = place_processes(cluster, process_count)
        self.free: dict[Place, int] = {}
        self.uses = {level.name: Use() for level in cluster.levels} | {"storage": Use()}

    def unit_size(self, level: int) -> int:
        """Cores in a unit of a level; level -1 are the cores."""
        size = 1
        for each in self.cluster.levels[: level + 1]:
            size *= each.units
        return size

    def unit(self, rank: int, level: int) -> int:
        """The unit of a level that a process is in."""
        return self.cores[rank] // self.unit_size(level)

    def joining_level(self, sender: int, receiver: int) -> int:
        """The lowest level that has both in one unit."""
        level = 0
        while self.unit(sender, level) != self.unit(receiver, level):
            level += 1
        return level

    def channels(self, level: int, unit: int) -> tuple[Channel, ...]:
        """Tables of channels of a unit."""
        tables = self.cluster.levels[level].channels
        for exception in self.cluster.exceptions:
            is_here = exception.level == self.cluster.levels[level].name
            if is_here and unit in exception.units and exception.channels:
                tables = exception.channels
        return tables

    def place(self, sender: int, receiver: int, size: int, ready: int, weight: Fraction) -> int:
        """Gives a transfer its channel and links; when it ends (ns)."""
        if STORAGE in (sender, receiver):
            return self._place_stored(size, ready, weight)
        level = self.joining_level(sender, receiver)
        has_links = self.cluster.levels[level].links > 0
        out = self._first_link("out", level, sender) if has_links else None
        earliest = max(ready, self._free(out)) if out is not None else ready
        left, busy = self._take(
            ("level", level, self.unit(sender, level)),
            self.channels(level, self.unit(sender, level)),
            size,
            earliest,
            has_contention=self.cluster.levels[level].contention,
        )
        self._count(self.cluster.levels[level].name, size, busy, weight)
        if out is None:
            return left
        self.free[out] = left
        into = self._first_link("in", level, receiver)
        self.free[into] = max(left, self._free(into) + busy)
        return self.free[into]

    def _place_stored(self, size: int, ready: int, weight: Fraction) -> int:
        if not self.cluster.storage:
            self._count("storage", size, 0, weight)
            return ready
        left, busy = self._take(
            ("storage",), self.cluster.storage, size, ready, has_contention=True
        )
        self._count("storage", size, busy, weight)
        return left

    def _take(
        self,
        unit: Place,
        tables: tuple[Channel, ...],
        size: int,
        earliest: int,
        *,
        has_contention: bool,
    ) -> tuple[int, int]:
        """When a transfer leaves its channel, and how long it took."""
        times = [rounded(table.latency_ns + table.ns_per_byte * size) for table in tables]
        if not has_contention:
            return earliest + min(times), min(times)
        choices = []
        for number, table in enumerate(tables):
            for one in range(table.count):
                free = self._free((*unit, number, one))
                left = max(earliest, free) + times[number]
                choices.append((left, -free, number, one))
        left, _, number, one = min(choices)
        self.free[(*unit, number, one)] = left
        return left, times[number]

    def _free(self, place: Place) -> int:
        return self.free.get(place, 0)

    def _first_link(self, way: str, level: int, rank: int) -> Place:
        below = self.unit(rank, level - 1)
        links = [(way, level, below, n) for n in range(self.cluster.levels[level].links)]
        return min(links, key=self._free)

    def _count(self, level: str, size: int, busy: int, weight: Fraction) -> None:
        use = self.uses[level]
        use.transfers += weight
        use.bytes += weight * size
        use.busy_ns += weight * busy

    def busy_ratio(self, level: int | None, time: int) -> float:
        """Busy share of a level's channels in units with processes; None is the storage."""
        if level is None:
            use, count = self.uses["storage"], sum(each.count for each in self.cluster.storage)
        else:
            use = self.uses[self.cluster.levels[level].name]
            units = {self.unit(rank, level) for rank in range(len(self.cores))}
            tables = [table for unit in units for table in self.channels(level, unit)]
            count = sum(table.count for table in tables) * self.cluster.levels[level].contention
        return float(use.busy_ns / (time * count)) if time * count else 0.0


def place_processes(cluster: Cluster, process_count: int) -> list[int]:
    """Core of each process."""
    placement = cluster.placement
    if placement.cores is not None:
        return list(placement.cores[:process_count])
    if placement.order == "block":
        return list(range(process_count))
    names = [level.name for level in cluster.levels]
    at = names.index(placement.level or "")
    size, units = 1, 1
    for number, level in enumerate(cluster.levels):
        if number <= at:
            size *= level.units
        else:
            units *= level.units
    return [rank % units * size + rank // units for rank in range(process_count)]


def core_speeds(cluster: Cluster, cores: list[int]) -> list[float]:
    """Speed of the core of each process."""
    names = [level.name for level in cluster.levels]
    speeds = []
    for core in cores:
        speed = float(cluster.speed)
        for exception in cluster.exceptions:
            size = 1
            if exception.level != "core":
                for level in cluster.levels[: names.index(exception.level) + 1]:
                    size *= level.units
            if core // size in exception.units:
                speed *= exception.speed
        speeds.append(speed)
    return speeds
