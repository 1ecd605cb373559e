"""The least time that a program can take on a grid: the longest computing of a process."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.search import Evaluation
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.parts import computing
from tracemill.programs.pipelining import pipeline_steps
from tracemill.programs.placed import (
    Branch,
    Interval,
    Loop,
    Parallel,
    Phase,
    Pipelined,
    PlacedProgram,
    Serial,
)

Times = NDArray[np.float64]


def computing_bound(program: PlacedProgram, cluster: Cluster) -> Evaluation:
    """Computing time in ns of the process that computes longest, and the efficiency with it."""
    times, productive = _computing(program.phases, program, cluster)
    longest = float(times.max())
    total = longest * program.process_count
    return Evaluation(longest, float(productive.sum()) / total if total else 1.0)


def _computing(
    phases: Sequence[Phase], program: PlacedProgram, cluster: Cluster
) -> tuple[Times, Times]:
    """Computing time and productive time of each process in ns; branches count in part."""
    times = np.zeros(program.process_count)
    productive = np.zeros(program.process_count)
    for phase in phases:
        for inner, factor in _nested(phase):
            own = _computing(inner, program, cluster)
            times += factor * own[0]
            productive += factor * own[1]
        found, is_productive = _own(phase, program, cluster)
        times += found
        productive += np.where(is_productive, found, 0)
    return times, productive


def _nested(phase: Phase) -> list[tuple[Sequence[Phase], float]]:
    """Lists of phases within a phase, and how often they run."""
    match phase:
        case Loop():
            return [(phase.phases, phase.iterations)]
        case Interval():
            return [(phase.phases, 1)]
        case Branch():
            return [(each.phases, each.probability) for each in phase.alternatives]
    return []


def _own(
    phase: Phase, program: PlacedProgram, cluster: Cluster
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Computing time of a phase itself on each process, and where it is productive."""
    match phase:
        case Serial() | Parallel():
            return computing(phase, program, cluster)
        case Pipelined():
            steps = pipeline_steps(phase, program, cluster)
            full = np.maximum(steps.steps - 1, 0) * steps.step_ns
            last = np.where(steps.steps > 0, steps.last_step_ns, 0)
            return full + last, steps.is_productive
    count = program.process_count
    return np.zeros(count, np.int64), np.zeros(count, np.bool_)
