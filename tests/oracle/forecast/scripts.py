"""Writes a program as what its processes do until they all stop, and runs that."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from tests.oracle.forecast.counting import Counts
from tests.oracle.forecast.events import Simulation, Waiting
from tests.oracle.forecast.network import Network, core_speeds
from tests.oracle.forecast.operations import plan
from tests.oracle.forecast.parts import Parts, rounded, section_count
from tests.oracle.forecast.pipelines import Wavefront
from tests.oracle.forecast.running import Execution, RunningOperation
from tests.oracle.forecast.stepping import RunningPipeline, thin
from tracemill.forecast.outcome import IntervalOutcome, LevelOutcome
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.placed import (
    Branch,
    Interval,
    Loop,
    Operation,
    Parallel,
    Phase,
    Pipelined,
    PlacedProgram,
    Serial,
    Wait,
    Work,
)

Action = Callable[[int], Waiting]
"""The actions of a process."""


@dataclass(frozen=True)
class Stop:
    """All processes stop, then something happens."""

    then: Callable[[], None]


Script = list[Action | Stop]


@dataclass(frozen=True)
class Simulated:
    """Results of a simulation; see `tracemill.forecast.outcome`."""

    time_ns: int
    ends_ns: tuple[int, ...]
    intervals: tuple[IntervalOutcome, ...]
    levels: tuple[LevelOutcome, ...]


def simulate(
    program: PlacedProgram, cluster: Cluster, *, shortcuts: str = "none", intervals: str = "user"
) -> Simulated:
    """Simulates a program; times in ns."""
    return Simulator(program, cluster, shortcuts, intervals).run()


class Simulator:
    """A program on a cluster."""

    def __init__(
        self, program: PlacedProgram, cluster: Cluster, shortcuts: str, intervals: str
    ) -> None:
        self.program, self.cluster = program, cluster
        self.shortcuts, self.mode = shortcuts, intervals
        self.ranks = range(program.process_count)
        self.parts = Parts(program)
        self.network = Network(cluster, len(self.ranks))
        self.simulation = Simulation(self.network, len(self.ranks))
        self.counts = Counts(len(self.ranks))
        self.speeds = core_speeds(cluster, self.network.cores)
        self.overhead = rounded(cluster.overhead_ns)
        self.numbers: dict[tuple[int, int], int] = {}

    def run(self) -> Simulated:
        """Runs the program."""
        script = self._write(self.program.phases, 0, Fraction(1))
        self._play([self._enter(0), *script, self._leave(0, Fraction(1))])
        time = max(self.simulation.clocks)
        levels = [
            self._level(number, each.name, time) for number, each in enumerate(self.cluster.levels)
        ]
        levels.append(self._level(None, "storage", time))
        return Simulated(time, tuple(self.simulation.clocks), self.counts.outcomes(), tuple(levels))

    def _level(self, number: int | None, name: str, time: int) -> LevelOutcome:
        use = self.network.uses[name]
        return LevelOutcome(
            level=name,
            transfers=float(use.transfers),
            bytes=float(use.bytes),
            busy_ns=float(use.busy_ns),
            busy_ratio=self.network.busy_ratio(number, time),
        )

    # Playing a script

    def _play(self, script: Script) -> None:
        """Lets all processes go on from stop to stop."""
        actions: list[Action] = []
        for each in script:
            if isinstance(each, Stop):
                self._play_actions(actions)
                each.then()
                actions = []
            else:
                actions.append(each)
        self._play_actions(actions)

    def _play_actions(self, actions: list[Action]) -> None:
        def process(rank: int) -> Waiting:
            for action in actions:
                yield from action(rank)

        self.simulation.run({rank: process(rank) for rank in self.ranks})

    # Writing a script

    def _write(self, phases: tuple[Phase, ...], interval: int, weight: Fraction) -> Script:
        started: dict[str, RunningOperation] = {}
        script: Script = []
        for phase in phases:
            inner = interval
            if self._is_interval(phase):
                inner = self._interval(phase, interval)
                script.append(self._enter(inner))
            script += self._write_phase(phase, inner, weight, started)
            if inner != interval:
                script.append(self._leave(inner, weight))
        return script

    def _is_interval(self, phase: Phase) -> bool:
        if isinstance(phase, Loop):
            return self.mode in ("serial", "loops")
        if isinstance(phase, Parallel | Pipelined):
            return self.mode in ("parallel", "loops")
        return isinstance(phase, Interval)

    def _interval(self, phase: Phase, parent: int) -> int:
        """One interval for all executions of a phase."""
        key = (id(phase), parent)
        if key not in self.numbers:
            self.numbers[key] = self.counts.add_interval(phase.name, parent)
        return self.numbers[key]

    def _write_phase(
        self, phase: Phase, interval: int, weight: Fraction, started: dict[str, RunningOperation]
    ) -> Script:
        match phase:
            case Serial() | Parallel():
                return [self._compute(phase, interval, weight)]
            case Operation():
                operation = self._start(phase, interval, weight)
                if phase.nonblocking:
                    started[phase.name] = operation
                    return [operation.start]
                return [operation.start, operation.wait]
            case Wait():
                return [started.pop(phase.of).wait]
            case Interval():
                return self._write(phase.phases, interval, weight)
            case Loop():
                return self._loop(phase, interval, weight)
            case Branch():
                return self._branch(phase, interval, weight)
            case Pipelined():
                return self._pipelined(phase, interval, weight)
        raise TypeError(phase)

    def _enter(self, interval: int) -> Action:
        def enter(rank: int) -> Waiting:
            self.counts.entered[interval, rank] = self.simulation.clocks[rank]
            return
            yield

        return enter

    def _leave(self, interval: int, weight: Fraction) -> Action:
        def leave(rank: int) -> Waiting:
            spent = self.simulation.clocks[rank] - self.counts.entered[interval, rank]
            self.counts.intervals[interval].own[rank] += weight * spent
            return
            yield

        return leave

    def _cost(self, work: Work, rank: int) -> tuple[float, float]:
        """Time of a part (ns), and the factor of a process for its speed."""
        if work.is_operations:
            time = work.amount / self.cluster.operations_per_s * 1e9
            return time, 1 / self.speeds[rank]
        return work.amount, self.program.speed / self.speeds[rank]

    def _compute(self, phase: Serial | Parallel, interval: int, weight: Fraction) -> Action:
        chain = self.counts.chain(interval)
        times = dict(self._times(phase))
        lowest = min(times, default=None)

        def compute(rank: int) -> Waiting:
            if rank in times:
                is_first = rank == lowest
                if isinstance(phase, Parallel):
                    is_first = not phase.array or self.parts.first_of_equals(phase.array, rank)
                self.counts.compute(chain, rank, times[rank], weight, is_first=is_first)
                yield self.simulation.clocks[rank] + times[rank]

        return compute

    def _times(self, phase: Serial | Parallel) -> Iterator[tuple[int, int]]:
        """Computing time of each process (ns)."""
        for rank in self.ranks:
            work, speed = self._cost(phase.work, rank)
            if isinstance(phase, Parallel) and phase.array is None:
                yield rank, rounded(work / len(self.ranks) * speed)
                continue
            if isinstance(phase, Serial) and phase.on != "section":
                if phase.on == "all" or rank == 0:
                    yield rank, rounded(work * speed)
                continue
            assert phase.array is not None
            section = phase.over or self.parts.arrays[phase.array].whole
            own = self.parts.own_count(phase.array, rank, section)
            if own and isinstance(phase, Serial):
                yield rank, rounded(work * speed)
            elif own:
                yield rank, rounded(work * own / section_count(section) * speed)

    def _start(self, phase: Operation, interval: int, weight: Fraction) -> RunningOperation:
        planned = plan(phase, self.parts, self.cluster)
        execution = Execution(
            planned.kind, weight, self.counts.chain(interval), planned.participants
        )
        self.counts.executions.append(execution)
        return RunningOperation(
            planned,
            execution,
            self.simulation,
            overhead=self.overhead,
            eager=self.cluster.eager_limit_bytes,
        )

    def _loop(self, phase: Loop, interval: int, weight: Fraction) -> Script:
        if self.shortcuts == "none" or phase.iterations <= 2:
            script: Script = []
            for _ in range(phase.iterations):
                script += self._write(phase.phases, interval, weight)
            return script
        ends: list[dict[int, int]] = [{}, {}]

        def mark(number: int) -> Action:
            def note(rank: int) -> Waiting:
                ends[number][rank] = self.simulation.clocks[rank]
                return
                yield

            return note

        def skip() -> None:
            for rank in self.ranks:
                step = ends[1][rank] - ends[0][rank]
                self.simulation.clocks[rank] += (phase.iterations - 2) * step

        first = self._write(phase.phases, interval, weight)
        second = self._write(phase.phases, interval, weight * (phase.iterations - 1))
        return [*first, mark(0), *second, mark(1), Stop(skip)]

    def _branch(self, phase: Branch, interval: int, weight: Fraction) -> Script:
        scripts = [
            self._write(each.phases, interval, weight * Fraction(each.probability))
            for each in phase.alternatives
        ]
        probabilities = [each.probability for each in phase.alternatives]

        def choose() -> None:
            clocks, free = list(self.simulation.clocks), dict(self.network.free)
            results = []
            for script in scripts:
                self.simulation.clocks[:] = clocks
                self.network.free = dict(free)
                self._play(script)
                results.append((list(self.simulation.clocks), self.network.free))
            self.simulation.clocks[:] = [
                mean(time, probabilities, [ends[rank] for ends, _ in results])
                for rank, time in enumerate(clocks)
            ]
            places = {place for _, frees in results for place in frees}
            self.network.free = {
                place: mean(
                    free.get(place, 0), probabilities, [each.get(place, 0) for _, each in results]
                )
                for place in places
            }

        return [Stop(choose)]

    def _pipelined(self, phase: Pipelined, interval: int, weight: Fraction) -> Script:
        costs = {rank: self._cost(phase.work, rank) for rank in self.ranks}
        front = Wavefront(phase, self.parts, self.network, costs)
        chain = self.counts.chain(interval)
        execution = Execution("pipeline", weight, chain, front.participants())
        self.counts.executions.append(execution)
        for rank in front.involved:
            time = sum(front.step_times(rank))
            is_first = self.parts.first_of_equals(phase.array, rank)
            self.counts.compute(chain, rank, time, weight, is_first=is_first)
        thinned = thin(front) if self.shortcuts == "all" else None
        running = RunningPipeline(
            front,
            execution,
            self.simulation,
            overhead=self.overhead,
            eager=self.cluster.eager_limit_bytes,
            thinned=thinned,
        )
        if thinned is None:
            return [running.run_process]

        def run() -> None:
            entered = list(self.simulation.clocks)
            self._play_actions([running.run_process])
            running.leave_others(entered)

        return [Stop(run)]


def mean(time: int, probabilities: Iterable[float], times: Iterable[int]) -> int:
    """Mean of what becomes of a time in alternatives; the rest stays."""
    change = 0.0
    for probability, each in zip(probabilities, times, strict=True):
        change += probability * (each - time)
    return time + floor(change + 0.5)
