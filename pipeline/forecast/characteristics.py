"""Characteristics of intervals, from the results of a simulation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.machine import Machine
from tracemill.forecast.outcome import CLASSES, ClassOutcome, IntervalOutcome, LevelOutcome, Outcome
from tracemill.forecast.plan import IntervalName
from tracemill.kernels.forecast import layout as at
from tracemill.kernels.network.layout import Network
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.clusters.network import busy_levels
from tracemill.programs.parts import rounded


def make_outcome(
    cluster: Cluster, machine: Machine, names: Sequence[IntervalName], skipped: tuple[str, ...]
) -> Outcome:
    """The outcome of a finished simulation; times are rounded here, once."""
    spent, classes = machine.tables.spent.copy(), machine.tables.classes.copy()
    for number in range(len(names) - 1, 0, -1):
        parent = names[number].parent
        spent[parent, :, at.PRODUCTIVE :] += spent[number, :, at.PRODUCTIVE :]
        classes[parent] += classes[number]
    ends = machine.clocks
    intervals = tuple(
        _interval(name, rounded(spent[number]), classes[number])
        for number, name in enumerate(names)
    )
    levels = level_outcomes(cluster, machine.network, int(ends.max()))
    return Outcome(ends, intervals, levels, skipped)


def _interval(
    name: IntervalName, spent: NDArray[np.int64], classes: NDArray[np.float64]
) -> IntervalOutcome:
    """An interval; communication is the rest of the time of a process.

    Branches round clocks at each execution: computing must not exceed the time of a process.
    """
    own, productive, insufficient = spent.T
    insufficient = np.minimum(insufficient, own)
    productive = np.minimum(productive, own - insufficient)
    return IntervalOutcome(
        path=name.path,
        parent=name.parent,
        own_ns=own,
        productive_ns=productive,
        insufficient_ns=insufficient,
        communication_ns=own - productive - insufficient,
        classes={
            each: _class(row) for each, row in zip(CLASSES, classes, strict=True) if row.any()
        },
    )


def _class(row: NDArray[np.float64]) -> ClassOutcome:
    times = rounded(row).tolist()
    return ClassOutcome(
        operation_count=float(row[at.CLASS_COUNT]),
        time_ns=times[at.CLASS_TIME],
        overlap_ns=times[at.CLASS_OVERLAP],
        before_ns=times[at.CLASS_BEFORE],
        after_ns=times[at.CLASS_AFTER],
    )


def level_outcomes(cluster: Cluster, network: Network, time_ns: int) -> tuple[LevelOutcome, ...]:
    """Use of the channels of each level in a run of that time."""
    found = []
    for busy in busy_levels(cluster, network):
        available = busy.channel_count * time_ns
        ratio = busy.busy_ns / available if available else 0.0
        found.append(LevelOutcome(busy.level, busy.transfers, busy.bytes, busy.busy_ns, ratio))
    return tuple(found)
