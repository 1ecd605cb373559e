"""Simulates a placed program on a cluster.

Instructions are collected until all processes must stop: at a branch, and where a shortcut skips
something. Then the machine runs them, and clocks change as the shortcut or the branch says.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tracemill.forecast.characteristics import make_outcome
from tracemill.forecast.lowering import Lowering
from tracemill.forecast.machine import Instructions, Machine, Numbers
from tracemill.forecast.outcome import CLASSES, Outcome
from tracemill.forecast.plan import (
    Branch,
    Compute,
    IntervalMode,
    Loop,
    Node,
    Pipeline,
    Start,
    Stretch,
    Wait,
)
from tracemill.forecast.short_pipelines import ShortPipeline
from tracemill.kernels.forecast import layout as at
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.clusters.network import FreeTimes, free_times, make_network, set_free_times
from tracemill.programs.parts import rounded, rounded_number
from tracemill.programs.placed import PlacedProgram

Shortcuts = Literal["none", "loops", "all"]
_SIMULATED = 2
"""Iterations of a loop that are simulated if loops are cut short."""


def simulate(
    program: PlacedProgram, cluster: Cluster, *, shortcuts: Shortcuts = "loops",
    intervals: IntervalMode = "user",
) -> Outcome:  # fmt: skip
    """Simulate a program on a cluster; see docs/guide/forecast.md.

    Raises ProgramError if there are more processes than cores.
    """
    network = make_network(cluster, program.process_count)
    lowered = Lowering(program, cluster, intervals, is_short=shortcuts == "all")
    depth = _depth(lowered.plan)
    machine = Machine(
        network,
        lowered.tables(),
        process_count=program.process_count,
        interval_count=len(lowered.intervals),
        class_count=len(CLASSES),
        register_count=depth,
        mark_count=depth,
        rounds=lowered.operations.rounds,
        most_started=lowered.operations.most_started,
        eager_limit_bytes=cluster.eager_limit_bytes,
        overhead_ns=rounded_number(cluster.overhead_ns),
    )
    run = _Run(machine, has_short_loops=shortcuts != "none")
    run.emit(lowered.plan, 1.0, 0)
    run.flush()
    return make_outcome(cluster, machine, lowered.intervals, tuple(dict.fromkeys(run.skipped)))


class _Run:
    """One simulation: instructions that wait to be run, and what was skipped."""

    def __init__(self, machine: Machine, *, has_short_loops: bool) -> None:
        self.skipped: list[str] = []
        self._machine = machine
        self._has_short_loops = has_short_loops
        self._waiting = Instructions([], [])

    def flush(self) -> None:
        """Run the collected instructions; all processes stop behind them."""
        self._machine.run(self._waiting)
        self._waiting = Instructions([], [])

    def emit(self, nodes: Sequence[Node], weight: float, depth: int) -> None:
        """Collect the instructions of a list, within `depth` loops."""
        for node in nodes:
            match node:
                case Compute(interval, part):
                    self._waiting.add(at.COMPUTE, part, interval, weight)
                case Start(interval, operation):
                    self._waiting.add(at.START, operation, interval, weight)
                case Wait(interval, operation):
                    self._waiting.add(at.WAIT, operation, interval, weight)
                case Stretch(_, number, body):
                    self._waiting.add(at.ENTER, number, number, weight)
                    self.emit(body, weight, depth)
                    self._waiting.add(at.LEAVE, number, number, weight)
                case Loop():
                    self._emit_loop(node, weight, depth)
                case Pipeline(interval, operation, short):
                    if short is not None:
                        self._run_short_pipeline(node, short, weight)
                    else:
                        self._waiting.add(at.PIPELINE, operation, interval, weight)
                case Branch():
                    self._run_branch(node, weight, depth)

    def _emit_loop(self, loop: Loop, weight: float, depth: int) -> None:
        count = loop.iterations
        if self._has_short_loops and count > _SIMULATED:
            self.emit(loop.body, weight, depth + 1)
            self._waiting.add(at.MARK, depth, loop.interval, weight)
            self.emit(loop.body, weight * (count - 1), depth + 1)
            self.flush()
            clocks = self._machine.clocks
            first = self._machine.tables.marks[depth]
            self._machine.clocks = clocks + (count - _SIMULATED) * (clocks - first)
            self.skipped.append(
                f'{count - _SIMULATED:,} of {count:,} iterations of the loop "{loop.name}"'
            )
        elif self._has_short_loops or _has_stop(loop.body):
            for _ in range(count):
                self.emit(loop.body, weight, depth + 1)
        elif count:
            begin = len(self._waiting.rows)
            self.emit(loop.body, weight, depth + 1)
            self._waiting.add(at.REPEAT, depth, loop.interval, weight, target=begin, count=count)

    def _run_branch(self, branch: Branch, weight: float, depth: int) -> None:
        """Run each alternative from the same state, and take the mean of clocks and channels."""
        self.flush()
        machine = self._machine
        clocks, free = machine.clocks, free_times(machine.network)
        moved = [np.zeros(len(each), np.float64) for each in (clocks, *free)]
        for probability, body in branch.alternatives:
            self.emit(body, weight * probability, depth)
            self.flush()
            found = (machine.clocks, *free_times(machine.network))
            for total, before, after in zip(moved, (clocks, *free), found, strict=True):
                total += probability * (after - before)
            machine.clocks = clocks
            set_free_times(machine.network, free)
        by_clock, by_channel, by_link = map(rounded, moved)
        machine.clocks = clocks + by_clock
        set_free_times(machine.network, FreeTimes(free.channels + by_channel, free.links + by_link))

    def _run_short_pipeline(self, node: Pipeline, short: ShortPipeline, weight: float) -> None:
        """Run a part of a pipelined loop, and extrapolate when the other processes leave."""
        self.flush()
        enters = self._machine.clocks
        self._waiting.add(at.PIPELINE, node.operation, node.interval, weight)
        self.flush()
        leaves = short.leave_ns(enters, self._machine.clocks)
        self._machine.clocks = leaves
        tables, work, has_part = self._machine.tables, short.whole.work_ns, short.has_part
        is_productive = short.whole.is_productive
        spent = tables.spent[node.interval]
        spent[:, at.PRODUCTIVE] += weight * np.where(is_productive, work, 0)
        spent[:, at.INSUFFICIENT] += weight * np.where(is_productive, 0, work)
        if short.whole.is_operation:
            results = tables.classes[node.interval, CLASSES.index("pipeline")]
            results[at.CLASS_COUNT] += weight
            results[at.CLASS_TIME] += weight * int((leaves - enters - work)[has_part].sum())
            results[at.CLASS_BEFORE] += weight * _behind_latest(enters[has_part])
            results[at.CLASS_AFTER] += weight * _behind_latest(leaves[has_part])
        simulated = int((short.simulated.steps > 0).sum())
        steps = int(short.whole.steps.max())
        self.skipped.append(
            f"{int(has_part.sum()) - simulated:,} of {int(has_part.sum()):,} processes and "
            f'{max(steps - 4, 0):,} of {steps:,} steps of the loop "{node.name}"'
        )


def _behind_latest(times: Numbers) -> int:
    """Sum of the differences to the latest time."""
    return int((times.max() - times).sum())


def _has_stop(nodes: Sequence[Node]) -> bool:
    """Whether a list has a branch."""
    return any(
        isinstance(node, Branch) or (isinstance(node, Loop | Stretch) and _has_stop(node.body))
        for node in nodes
    )


def _depth(nodes: Sequence[Node]) -> int:
    """How deep loops are nested."""
    depths = [0]
    for node in nodes:
        if isinstance(node, Loop):
            depths.append(1 + _depth(node.body))
        elif isinstance(node, Stretch):
            depths.append(_depth(node.body))
        elif isinstance(node, Branch):
            depths += [_depth(body) for _, body in node.alternatives]
    return max(depths)
