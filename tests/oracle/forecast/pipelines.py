"""Pipelined loops: parts of processes, their steps and edges, and the choice of the quantum."""

from dataclasses import dataclass
from math import ceil, prod, sqrt

from tests.oracle.forecast.network import Network
from tests.oracle.forecast.parts import Parts, rounded, section_count
from tracemill.programs.placed import Pipelined


@dataclass(frozen=True)
class Edge:
    """An edge that a process gets from its predecessor over an extent; of a step, or whole."""

    sender: int
    extent: int
    bytes: int


class Wavefront:
    """A pipelined loop on the processes of a program."""

    def __init__(
        self,
        phase: Pipelined,
        parts: Parts,
        network: Network,
        costs: dict[int, tuple[float, float]],
    ) -> None:
        """`costs`: time of all iterations (ns), and the factor of each process for its speed."""
        self.phase, self.parts, self.network = phase, parts, network
        self.array = parts.arrays[phase.array]
        self.own = {
            rank: parts.own(phase.array, rank, phase.over) for rank in range(parts.grid.count)
        }
        self.involved = [rank for rank, own in self.own.items() if all(own)]
        self.cut = [
            extent
            for extent, width in enumerate(phase.widths)
            if any(width) and self._processes_over(extent) >= 2
        ]
        self.steps_along = self._choose_extent()
        self.other_cut = [extent for extent in self.cut if extent != self.steps_along]
        self.all_iterations = section_count(phase.over)
        self.costs = costs
        self.quantum = phase.quantum or self._choose_quantum()

    def _processes_over(self, extent: int) -> int:
        dimension = self.array.distribution[extent]
        return 1 if dimension is None else self.parts.grid.sizes[dimension]

    def _choose_extent(self) -> int:
        if self.phase.along is not None:
            return self.phase.along
        extents = list(range(len(self.array.extent)))
        return max([extent for extent in extents if extent not in self.cut] or extents)

    def direction(self, extent: int) -> int:
        """Where the predecessor is: -1 or +1."""
        return -1 if self.phase.widths[extent][0] else 1

    def neighbor(self, rank: int, extent: int, direction: int) -> int | None:
        """The involved process beside another over an extent."""
        dimension = self.array.distribution[extent]
        assert dimension is not None
        found = self.parts.grid.moved(rank, {dimension: direction})
        return found if found in self.involved else None

    def steps(self, rank: int) -> list[int]:
        """Number of indices of each step."""
        left, steps = len(self.own[rank][self.steps_along]), []
        while left:
            steps.append(min(self.quantum, left))
            left -= steps[-1]
        return steps

    def step_times(self, rank: int) -> list[int]:
        """Time that each step computes (ns)."""
        across = prod(
            len(each) for extent, each in enumerate(self.own[rank]) if extent != self.steps_along
        )
        work, speed = self.costs[rank]
        return [
            rounded(work * (step * across) / self.all_iterations * speed)
            for step in self.steps(rank)
        ]

    def edge(self, rank: int, extent: int, step: int | None) -> Edge | None:
        """Bytes that a process gets over an extent for so many indices; None: all indices."""
        sender = self.neighbor(rank, extent, self.direction(extent))
        if sender is None:
            return None
        size = min(max(self.phase.widths[extent]), len(self.own[sender][extent]))
        for each, own in enumerate(self.own[rank]):
            if each == self.steps_along and extent != self.steps_along and step is not None:
                size *= step
            elif each != extent:
                size *= len(own)
        return Edge(sender, extent, size * self.array.element_bytes)

    def gets(self, rank: int, number: int) -> list[Edge]:
        """Edges that a process needs before a step."""
        step = self.steps(rank)[number]
        found = [self.edge(rank, extent, step) for extent in self.other_cut]
        if self.steps_along in self.cut and number == 0:
            found.append(self.edge(rank, self.steps_along, None))
        return [each for each in found if each]

    def receivers(self, rank: int, number: int) -> list[tuple[int, int]]:
        """The processes that get edges after a step, with the extent."""
        found = [
            (self.neighbor(rank, extent, -self.direction(extent)), extent)
            for extent in self.other_cut
        ]
        if self.steps_along in self.cut and number == len(self.steps(rank)) - 1:
            back = -self.direction(self.steps_along)
            found.append((self.neighbor(rank, self.steps_along, back), self.steps_along))
        return [(to, extent) for to, extent in found if to is not None]

    def has_transfers(self, rank: int, number: int) -> bool:
        """Whether a process sends or receives in a step."""
        return bool(self.gets(rank, number) or self.receivers(rank, number))

    def participants(self) -> set[int]:
        """The processes that send or receive."""
        return {
            rank
            for rank in self.involved
            if any(self.has_transfers(rank, each) for each in range(len(self.steps(rank))))
        }

    def _choose_quantum(self) -> int:
        longest = max(len(own[self.steps_along]) for own in self.own.values() if all(own))
        stages = 0
        for extent in self.other_cut:
            dimension = self.array.distribution[extent]
            assert dimension is not None
            places = {self.parts.grid.places[rank][dimension] for rank in self.involved}
            stages += len(places) - 1
        if not stages:
            return longest
        latency, ns_per_byte = self._find_channel()
        if latency == 0:
            return 1
        work = max(
            self.costs[rank][0] * prod(map(len, own)) / self.all_iterations * self.costs[rank][1]
            for rank, own in self.own.items()
        )
        sent = dict.fromkeys(self.involved, 0)
        for rank in self.involved:
            for extent in self.other_cut:
                edge = self.edge(rank, extent, None)
                if edge:
                    sent[edge.sender] += edge.bytes
        most = max(sent.values())
        steps = rounded(sqrt(stages * (work + ns_per_byte * most) / latency))
        return ceil(longest / min(max(steps, 1), longest))

    def _find_channel(self) -> tuple[float, float]:
        """Latency with overhead and time per byte between neighbors."""
        units = []
        for rank in self.involved:
            for extent in self.other_cut:
                sender = self.neighbor(rank, extent, self.direction(extent))
                if sender is not None:
                    level = self.network.joining_level(sender, rank)
                    units.append((-level, self.network.unit(rank, level)))
        level, unit = min(units)
        channel = self.network.channels(-level, unit)[0]
        overhead = self.network.cluster.overhead_ns
        return channel.latency_ns + overhead, channel.ns_per_byte


def running_order(front: Wavefront) -> list[list[int]]:
    """In each dimension of the grid, coordinates with a part in the order of the loop."""
    orders = []
    for dimension in range(len(front.parts.grid.sizes)):
        places = sorted({front.parts.grid.places[rank][dimension] for rank in front.involved})
        for extent, at in enumerate(front.array.distribution):
            if at == dimension and front.phase.widths[extent][1]:
                places.reverse()
        orders.append(places)
    return orders
