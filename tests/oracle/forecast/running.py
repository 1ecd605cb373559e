"""An execution of an operation: its transfers, and who starts and leaves it when."""

from dataclasses import dataclass, field
from fractions import Fraction

from tests.oracle.forecast.events import Happening, Simulation, Transfer, Waiting
from tests.oracle.forecast.operations import Plan
from tracemill.programs.placed import STORAGE


@dataclass
class Times:
    """Times of processes that take part in an operation (ns)."""

    starts: dict[int, int] = field(default_factory=dict)
    leaves: dict[int, int] = field(default_factory=dict)
    communication: dict[int, int] = field(default_factory=dict)
    overlap: dict[int, int] = field(default_factory=dict)


@dataclass(eq=False)
class Execution:
    """The counts of an execution of an operation, `weight` times, in `intervals`."""

    kind: str
    weight: Fraction
    intervals: tuple[int, ...]
    participants: set[int]
    times: Times = field(default_factory=Times)


class RunningOperation:
    """An operation that processes start and wait for."""

    def __init__(
        self,
        plan: Plan,
        execution: Execution,
        simulation: Simulation,
        *,
        overhead: int,
        eager: float,
    ) -> None:
        self.execution, self.times = execution, execution.times
        self.simulation, self.overhead = simulation, overhead
        self.started = {rank: Happening() for rank in plan.participants}
        self.over: dict[int, list[Happening]] = {rank: [] for rank in plan.participants}
        transfers = {
            each: Transfer(each.sender, each.receiver, each.bytes, execution.weight)
            for each in plan.transfers
        }
        for planned, transfer in transfers.items():
            ends = [rank for rank in (planned.sender, planned.receiver) if rank != STORAGE]
            is_long = planned.bytes > eager and len(ends) == 2
            askers = ends if is_long else ends[:1]
            needs = [self.started[rank] for rank in askers]
            needs += [transfers[each].end for each in planned.after]
            simulation.add_transfer(transfer, needs)
            waiters = ends if is_long or len(ends) == 1 else ends[1:]
            for rank in plan.members if plan.is_together else waiters:
                self.over[rank].append(transfer.end)
        if plan.is_together:
            for rank in plan.members:
                self.over[rank] += self.started.values()

    def start(self, rank: int) -> Waiting:
        """The actions of a process that start the operation."""
        if rank not in self.started:
            return
        self.times.starts[rank] = self.simulation.clocks[rank]
        yield self.simulation.clocks[rank] + self.overhead
        self.times.communication[rank] = self.overhead
        self.started[rank].happen(self.simulation.clocks[rank])

    def wait(self, rank: int) -> Waiting:
        """The actions of a process that complete the operation."""
        if rank not in self.started:
            return
        began = self.simulation.clocks[rank]
        yield self.over[rank]
        left = self.simulation.clocks[rank]
        self.times.leaves[rank] = left
        self.times.communication[rank] += left - began
        start = self.started[rank].time or 0
        over = max([start, *(each.time or 0 for each in self.over[rank])])
        self.times.overlap[rank] = max(0, min(over, began) - start)
