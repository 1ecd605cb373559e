"""Pipelined loops of which only some processes and steps are simulated.

In each dimension of the grid these are the first three coordinates and the last, of their steps the
first three and the last; the rest is extrapolated from the second to the third.
"""

from dataclasses import dataclass, replace

import numpy as np

from tracemill.programs.parts import coordinates
from tracemill.programs.transfers import NOBODY, Edges, Flags, Numbers, PipelineSteps

_SIMULATED, _STEPS = 4, 4


@dataclass(frozen=True)
class ShortPipeline:
    """A pipelined loop of which a part is simulated: `simulated` has 0 steps for other processes.

    `columns` are, by dimension of the grid, what layout.EDGE_WIDTH has from FED on. `positions`
    (dimension, process) count in running order from the first coordinate with a part.
    """

    whole: PipelineSteps
    simulated: PipelineSteps
    columns: dict[int, Numbers]
    positions: Numbers
    has_part: Flags

    def leave_ns(self, enters: Numbers, leaves: Numbers) -> Numbers:
        """When each process leaves: those that are not simulated by extrapolation."""
        times = leaves.copy()
        known = self.simulated.steps > 0
        earliest = enters + self.whole.work_ns
        for number in range(len(self.positions)):
            times, known = _extrapolate(times, known, self.positions, number, earliest)
        return np.where(self.has_part, times, leaves)


def shorten(found: PipelineSteps, grid: tuple[int, ...]) -> ShortPipeline | None:
    """The part of a pipelined loop that is simulated, or None if it is all of it."""
    has_part = found.steps > 0
    if not has_part.any():
        return None
    edges = {each.dimension: each for each in (*found.edges, found.along) if each is not None}
    places = coordinates(grid).T
    positions = np.stack(
        [_positions(own, has_part, edges.get(number)) for number, own in enumerate(places)]
    )
    last = np.array([own[has_part].max() for own in positions])
    is_near = (positions <= 2) | (positions == last[:, None])
    is_simulated = has_part & is_near.all(axis=0)
    if is_simulated.sum() == has_part.sum() and found.steps.max() <= _STEPS:
        return None
    simulated = replace(found, steps=np.where(is_simulated, found.steps, 0))
    columns = {
        number: _feeding(number, places, positions[number], last[number], grid, is_simulated)
        for number in range(len(grid))
    }
    return ShortPipeline(found, simulated, columns, positions, has_part)


def _positions(own: Numbers, has_part: Flags, edge: Edges | None) -> Numbers:
    """Positions in running order of the coordinates with a part."""
    present = own[has_part]
    if edge is not None:
        later = np.flatnonzero(edge.predecessors != NOBODY)
        if len(later) and own[edge.predecessors[later[0]]] > own[later[0]]:
            return present.max() - own
    return own - present.min()


def _feeding(
    number: int, places: Numbers, positions: Numbers, last: int, grid: tuple[int, ...],
    is_simulated: Flags,
) -> Numbers:  # fmt: skip
    """Which process feeds which: the process at position 2 stands for the one before the last."""
    rows = np.full((len(positions), 4), NOBODY, np.int64)
    if last < _SIMULATED:
        return rows
    stride = int(np.prod(grid[number + 1 :], dtype=object))
    third = np.flatnonzero(is_simulated & (positions == 2))
    before = np.flatnonzero(positions == 1)
    step = 1
    if len(third) and len(before):
        step = 1 if places[number][third[0]] > places[number][before[0]] else -1
    rows[third, 0] = third + step * stride * (last - 2)
    rows[third, 1] = third + step * stride * (last - 3)
    rows[third, 2] = third - step * stride
    rows[third, 3] = last - 1
    return rows


def _extrapolate(
    times: Numbers, known: Flags, all_positions: Numbers, number: int, earliest: Numbers
) -> tuple[Numbers, Flags]:
    """Times along one dimension, from those at positions 1 and 2 of the same line."""
    positions, others = all_positions[number], all_positions.copy()
    others[number] = 0
    _, line = np.unique(others, axis=1, return_inverse=True)
    line = line.reshape(-1)
    first, second = (np.full(line.max() + 1, NOBODY) for _ in range(2))
    for found, position in ((first, 1), (second, 2)):
        there = np.flatnonzero((positions == position) & known)
        found[line[there]] = there
    able = ~known & (positions > 2) & (first[line] != NOBODY) & (second[line] != NOBODY)
    one, two = times[first[line]], times[second[line]]
    found_times = np.maximum(two + (positions - 2) * (two - one), earliest)
    return np.where(able, found_times, times), known | able
