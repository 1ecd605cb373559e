"""Runs pipelined loops, step by step, in full or as the shortcut does."""

from dataclasses import dataclass, field
from itertools import product

from tests.oracle.forecast.events import Happening, Simulation, Transfer, Waiting, when_all
from tests.oracle.forecast.pipelines import Wavefront, running_order
from tests.oracle.forecast.running import Execution

Sending = tuple[int, int, int]
"""Sender, extent, and step (-1 for an edge that is sent whole)."""


@dataclass
class Thinned:
    """The processes that are simulated; `orders` are coordinates in each dimension."""

    orders: list[list[int]]
    ranks: set[int] = field(default_factory=set)


def thin(front: Wavefront) -> Thinned | None:
    """The processes that the shortcut simulates, or None if it skips nothing."""
    orders = running_order(front)
    kept = [{*order[:3], order[-1]} for order in orders]
    thinned = Thinned(orders)
    for rank in front.involved:
        place = front.parts.grid.places[rank]
        if all(x in few for x, few in zip(place, kept, strict=True)):
            thinned.ranks.add(rank)
    skips_steps = any(len(front.steps(rank)) > 4 for rank in thinned.ranks)
    return thinned if skips_steps or len(thinned.ranks) < len(front.involved) else None


class RunningPipeline:
    """An execution of a pipelined loop."""

    def __init__(
        self,
        front: Wavefront,
        execution: Execution,
        simulation: Simulation,
        *,
        overhead: int,
        eager: float,
        thinned: Thinned | None = None,
    ) -> None:
        self.front, self.execution, self.simulation = front, execution, simulation
        self.overhead, self.eager, self.thinned = overhead, eager, thinned
        self.ranks = set(front.involved) if thinned is None else thinned.ranks
        self.asked: dict[tuple[int, int], Happening] = {}
        self.sent: dict[Sending, Happening] = {}
        self.needed: dict[tuple[int, int], list[Happening]] = {}
        self.long: dict[int, list[Happening]] = {rank: [] for rank in self.ranks}
        for rank in sorted(self.ranks):
            for number in self.numbers(rank):
                self.asked[rank, number] = Happening()
                for extent, step in self._sendings(rank, number):
                    self.sent[rank, extent, step] = Happening()
        for rank in sorted(self.ranks):
            for number in self.numbers(rank):
                self._plan_step(rank, number)

    def numbers(self, rank: int) -> list[int]:
        """The steps that are simulated."""
        count = len(self.front.steps(rank))
        if self.thinned is None or count <= 4:
            return list(range(count))
        return [0, 1, 2, count - 1]

    def _sendings(self, rank: int, number: int) -> list[tuple[int, int]]:
        along = self.front.steps_along
        return [
            (extent, -1 if extent == along else number)
            for _, extent in self.front.receivers(rank, number)
        ]

    def _plan_step(self, rank: int, number: int) -> None:
        self.needed[rank, number] = []
        for edge in self.front.gets(rank, number):
            step = -1 if edge.extent == self.front.steps_along else number
            transfer = Transfer(edge.sender, rank, edge.bytes, self.execution.weight)
            self.needed[rank, number].append(transfer.end)
            needs = [self._sent(edge.sender, edge.extent, step)]
            if edge.bytes > self.eager:
                needs.append(self.asked[rank, number])
                if edge.sender in self.ranks:
                    self.long[edge.sender].append(transfer.end)
            self.simulation.add_transfer(transfer, needs)

    def _sent(self, sender: int, extent: int, step: int) -> Happening:
        """When an edge is sent; extrapolated for senders that are not simulated."""
        if sender in self.ranks:
            return self.sent[sender, extent, step]
        assert self.thinned
        dimension = self.front.array.distribution[extent]
        assert dimension is not None
        order = self.thinned.orders[dimension]
        place = self.front.parts.grid.places[sender]
        position = order.index(place[dimension])
        examples = [
            self.front.parts.grid.ranks[(*place[:dimension], order[x], *place[dimension + 1 :])]
            for x in (1, 2)
        ]
        found = Happening()

        def extrapolate(times: list[int]) -> None:
            found.happen(times[1] + (position - 2) * (times[1] - times[0]))

        when_all([self.sent[rank, extent, step] for rank in examples], extrapolate)
        return found

    def run_process(self, rank: int) -> Waiting:
        """The actions of an involved process."""
        if rank not in self.ranks:
            return
        simulation, takes_part = self.simulation, rank in self.execution.participants
        entered = simulation.clocks[rank]
        times, ends = self.front.step_times(rank), []
        for number in self.numbers(rank):
            if len(ends) == 3 and number > 3:
                yield simulation.clocks[rank] + (len(times) - 4) * (ends[2] - ends[1])
            if self.front.has_transfers(rank, number):
                yield simulation.clocks[rank] + self.overhead
            self.asked[rank, number].happen(simulation.clocks[rank])
            if self.needed[rank, number]:
                yield self.needed[rank, number]
            yield simulation.clocks[rank] + times[number]
            for extent, step in self._sendings(rank, number):
                self.sent[rank, extent, step].happen(simulation.clocks[rank])
            ends.append(simulation.clocks[rank])
        if self.long[rank]:
            yield self.long[rank]
        if takes_part:
            self._note(rank, entered, simulation.clocks[rank])

    def _note(self, rank: int, entered: int, left: int) -> None:
        times = self.execution.times
        times.starts[rank], times.leaves[rank] = entered, left
        times.communication[rank] = left - entered - sum(self.front.step_times(rank))
        times.overlap[rank] = 0

    def leave_others(self, entered: list[int]) -> None:
        """Sets the clocks of those who are not simulated, one dimension after the other."""
        assert self.thinned
        clocks, grid = self.simulation.clocks, self.front.parts.grid
        known = [{*order[:3], order[-1]} for order in self.thinned.orders]
        for dimension, order in enumerate(self.thinned.orders):
            lines = [sorted(few) for few in known]
            lines[dimension] = [order[0]]
            for place in product(*lines):
                line = [grid.ranks[(*place[:dimension], x, *place[dimension + 1 :])] for x in order]
                for position in range(3, len(order) - 1):
                    rank, first, second = line[position], clocks[line[1]], clocks[line[2]]
                    least = entered[rank] + sum(self.front.step_times(rank))
                    clocks[rank] = max(second + (position - 2) * (second - first), least)
                    if rank in self.execution.participants:
                        self._note(rank, entered[rank], clocks[rank])
            known[dimension] = set(order)
