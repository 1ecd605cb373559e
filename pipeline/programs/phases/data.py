"""Builds the instructions of programs of data: parts, operations, loops, branches, intervals."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tracemill.base.errors import ProgramError
from tracemill.kernels.simulation import layout as at
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.parts import computing, rounded_number
from tracemill.programs.phases.data_operations import Operations, Started
from tracemill.programs.phases.data_pipelines import build_pipelined
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
)
from tracemill.programs.process import Process
from tracemill.programs.program import Program

_CERTAIN = 1e-9
"""Probabilities may lack so much without another alternative that does nothing."""


def build_data_program(placed: PlacedProgram, cluster: Cluster) -> Program:
    """The instructions of a placed program on a cluster. Raises ProgramError."""
    program = Program(placed.process_count)
    processes = [Process(program, rank) for rank in range(placed.process_count)]
    operations = Operations(placed, cluster, processes, rounded_number(cluster.overhead_ns))
    meeting = operations.meeting(np.arange(placed.process_count))
    for process in processes:
        process.begin("main")
        process.collective("MPI_Init", at.INIT, 0, schedule=meeting)
    operations.open_files(placed.phases)
    _Builder(placed, cluster, processes, operations).build(placed.phases, 0)
    operations.close_files()
    for process in processes:
        process.collective("MPI_Finalize", at.FINALIZE, 0, schedule=meeting)
        process.end()
        process.finish()
    return program


class _Builder:
    """Writes the instructions of lists of phases, one after the other."""

    def __init__(
        self, placed: PlacedProgram, cluster: Cluster, processes: Sequence[Process],
        operations: Operations,
    ) -> None:  # fmt: skip
        self._placed, self._cluster = placed, cluster
        self._processes, self._operations = processes, operations

    def build(self, phases: Sequence[Phase], depth: int) -> None:
        """Write a list of phases within `depth` loops."""
        started: dict[str, list[Started]] = {}
        for phase in phases:
            match phase:
                case Serial() | Parallel():
                    self._compute(phase)
                case Pipelined():
                    build_pipelined(
                        phase, self._placed, self._cluster, self._processes,
                        self._operations.delay, _register(depth),
                    )  # fmt: skip
                case Operation():
                    requests = self._operations.start(phase)
                    if phase.nonblocking:
                        started.setdefault(phase.name, []).append(requests)
                case Wait():
                    self._operations.wait(phase, started[phase.of].pop(0))
                case Loop():
                    self._loop(phase, depth)
                case Interval():
                    self._within(phase.name, partial(self.build, phase.phases, depth))
                case Branch():
                    self._branch(phase, depth)

    def _within(self, region: str, build: Callable[[], None]) -> None:
        for process in self._processes:
            process.begin(region)
        build()
        for process in self._processes:
            process.end()

    def _compute(self, phase: Serial | Parallel) -> None:
        times = computing(phase, self._placed, self._cluster).times_ns.tolist()
        for process, time in zip(self._processes, times, strict=True):
            if time:
                process.work(phase.name, time)

    def _loop(self, phase: Loop, depth: int) -> None:
        if phase.iterations:
            self._within(phase.name, partial(self._repeat, phase, depth))

    def _repeat(self, phase: Loop, depth: int) -> None:
        starts = [process.here() for process in self._processes]
        self.build(phase.phases, depth + 1)
        for process, start in zip(self._processes, starts, strict=True):
            process.repeat(start, phase.iterations, register=_register(depth))

    def _branch(self, phase: Branch, depth: int) -> None:
        """Write all alternatives, and one that does nothing for the rest of the probability."""
        bodies = [each.phases for each in phase.alternatives]
        shares = [each.probability for each in phase.alternatives]
        if 1.0 - sum(shares) > _CERTAIN:
            bodies.append(())
            shares.append(1.0 - sum(shares))
        program = self._processes[0].program
        first_share = len(program.shares)
        program.shares += shares
        first_jumps = [each.branch(first_share, len(shares)) for each in self._processes]
        ends: list[list[int]] = [[] for _ in self._processes]
        for number, body in enumerate(bodies):
            for process, jump in zip(self._processes, first_jumps, strict=True):
                process.land(jump + number)
            self.build(body, depth)
            for process, own in zip(self._processes, ends, strict=True):
                own.append(process.here())
                process.jump(0)
        for process, own in zip(self._processes, ends, strict=True):
            for jump in own:
                process.land(jump)


def _register(depth: int) -> int:
    """The register that counts the rounds of a loop within `depth` others."""
    if depth >= at.REGISTER_COUNT:
        raise ProgramError(f"loops are nested more than {at.REGISTER_COUNT} deep: write fewer")
    return depth
