"""Lowers a placed program to a plan and to the tables of simulated processes."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.operations import Operations
from tracemill.forecast.plan import (
    Branch,
    Compute,
    IntervalMode,
    IntervalName,
    Loop,
    Node,
    Pipeline,
    Start,
    Stretch,
    Wait,
)
from tracemill.forecast.short_pipelines import shorten
from tracemill.programs import placed
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.communication import communication_of
from tracemill.programs.parts import computing
from tracemill.programs.pipelining import pipeline_steps
from tracemill.programs.placed import Phase, PlacedProgram
from tracemill.programs.transfers import Computing

_CLASS_NAMES: dict[type[Phase], str] = {
    placed.Exchange: "exchange",
    placed.Reduction: "reduction",
    placed.Copy: "copy",
    placed.Remote: "remote",
    placed.Io: "io",
    placed.Neighbours: "exchange",
    placed.Collective: "collective",
}


class Lowering:
    """A program on its grid: the `plan`, its intervals, parts and operations.

    With `is_short`, only some processes and steps of pipelined loops are simulated.
    """

    def __init__(
        self, program: PlacedProgram, cluster: Cluster, mode: IntervalMode, *, is_short: bool
    ) -> None:
        self.program, self.cluster = program, cluster
        self.intervals = [IntervalName("program", None)]
        self._names: Counter[tuple[int, str]] = Counter()
        self._parts: list[NDArray[np.int64]] = []
        self._operations = Operations(program.process_count)
        self._is_short = is_short
        self._has_parallel = mode in ("parallel", "loops")
        self._has_serial = mode in ("serial", "loops")
        self.plan: tuple[Node, ...] = (Stretch(0, 0, self._lower(program.phases, 0)),)

    @property
    def operations(self) -> Operations:
        """All operations of the program."""
        return self._operations

    def tables(self) -> dict[str, NDArray[Any]]:
        """The constant tables of layout.Tables."""
        none = np.zeros((0, self.program.process_count), np.int64)
        parts = np.stack(self._parts) if self._parts else none
        return {**self._operations.tables(), "parts": parts}

    def _lower(self, phases: Sequence[Phase], interval: int) -> tuple[Node, ...]:
        """The plan of a list of phases."""
        started: dict[str, list[int]] = {}
        nodes: list[Node] = []
        for phase in phases:
            if isinstance(phase, placed.Operation):
                number = self._operation(phase)
                nodes.append(Start(interval, number))
                if phase.nonblocking:
                    started.setdefault(phase.name, []).append(number)
                else:
                    nodes.append(Wait(interval, number))
            elif isinstance(phase, placed.Wait):
                nodes.append(Wait(interval, started[phase.of].pop(0)))
            else:
                nodes.append(self._part(phase, interval))
        return tuple(nodes)

    def _part(self, phase: Phase, interval: int) -> Node:
        """The plan of a phase that is no operation."""
        if isinstance(phase, placed.Interval):
            return self._stretch(phase.name, interval, phase.phases)
        if isinstance(phase, placed.Loop):
            if self._has_serial:
                inner = self._interval(phase.name, interval)
                return Stretch(interval, inner, (self._loop(phase, inner),))
            return self._loop(phase, interval)
        if isinstance(phase, placed.Branch):
            return Branch(
                interval,
                tuple(
                    (each.probability, self._lower(each.phases, interval))
                    for each in phase.alternatives
                ),
            )
        if self._has_parallel and isinstance(phase, placed.Parallel | placed.Pipelined):
            inner = self._interval(phase.name, interval)
            return Stretch(interval, inner, (self._computing(phase, inner),))
        return self._computing(phase, interval)

    def _loop(self, phase: placed.Loop, interval: int) -> Loop:
        return Loop(interval, phase.iterations, self._lower(phase.phases, interval), phase.name)

    def _stretch(self, name: str, interval: int, phases: Sequence[Phase]) -> Stretch:
        inner = self._interval(name, interval)
        return Stretch(interval, inner, self._lower(phases, inner))

    def _interval(self, name: str, parent: int) -> int:
        """Number of a new interval; the second of a name is `name 2`."""
        self._names[parent, name] += 1
        count = self._names[parent, name]
        path = f"{self.intervals[parent].path}/{name}" + (f" {count}" if count > 1 else "")
        self.intervals.append(IntervalName(path, parent))
        return len(self.intervals) - 1

    def _computing(self, phase: Phase, interval: int) -> Node:
        if isinstance(phase, placed.Pipelined):
            return self._pipeline(phase, interval)
        if not isinstance(phase, placed.Serial | placed.Parallel):
            raise TypeError(f"no part: {phase}")
        return Compute(interval, self._add_part(computing(phase, self.program, self.cluster)))

    def _add_part(self, found: Computing) -> int:
        self._parts.append(2 * found.times_ns + found.is_productive)
        return len(self._parts) - 1

    def _operation(self, phase: placed.Operation) -> int:
        found = communication_of(phase, self.program, self.cluster)
        name = _CLASS_NAMES[type(phase)]
        return self._operations.add(found, name, is_nonblocking=phase.nonblocking)

    def _pipeline(self, phase: placed.Pipelined, interval: int) -> Pipeline | Compute:
        found = pipeline_steps(phase, self.program, self.cluster)
        short = shorten(found, self.program.grid) if self._is_short else None
        if short is None and not found.is_operation:
            return Compute(interval, self._add_part(Computing(found.work_ns, found.is_productive)))
        if short is None:
            number = self._operations.add_pipeline(found, None)
        else:
            number = self._operations.add_pipeline(short.simulated, short.columns)
        return Pipeline(interval, number, short, phase.name)
