"""Grids of processes, and how evenly they divide arrays."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import prod

from tracemill.programs.placed import Array

Grid = tuple[int, ...]
"""Processes in each dimension."""


def grids_within(dimensions: int, most: int, *, exactly: bool = False) -> list[Grid]:
    """All grids of at most (or exactly) `most` processes, by processes, then by coordinates."""
    grids = _divided(dimensions, most) if exactly else _bounded(dimensions, most)
    return sorted(grids, key=lambda grid: (prod(grid), grid))


def _bounded(dimensions: int, most: int) -> list[Grid]:
    if dimensions == 0:
        return [()]
    return [
        (first, *others)
        for first in range(1, most + 1)
        for others in _bounded(dimensions - 1, most // first)
    ]


def _divided(dimensions: int, count: int) -> list[Grid]:
    if dimensions <= 1:
        return [(count,)] if dimensions or count == 1 else []
    return [
        (first, *others)
        for first in range(1, count + 1)
        if count % first == 0
        for others in _divided(dimensions - 1, count // first)
    ]


def extent_evenness(extent: int, processes: int) -> Fraction:
    """The smallest part of a block-distributed extent divided by the largest.

    It is 0 if a process has no part.
    """
    block = -(-extent // processes)
    smallest = max(0, extent - (processes - 1) * block)
    return Fraction(smallest, block)


def grid_evenness(array: Array | None, grid: Grid) -> Fraction:
    """The least evenness over the extents of an array; 1 if it is not distributed."""
    if array is None:
        return Fraction(1)
    placed = zip(array.extent, array.distribution, strict=True)
    return min(
        (extent_evenness(extent, grid[at]) for extent, at in placed if at is not None),
        default=Fraction(1),
    )


def largest_array(arrays: Iterable[Array]) -> Array | None:
    """The array with the most elements, the first of equals; None if there is none."""
    return max(arrays, key=lambda array: prod(array.extent), default=None)


class Classes:
    """Sets of grids that differ in one dimension only."""

    def __init__(self, grids: Iterable[Grid]) -> None:
        self._members: dict[tuple[int, Grid], list[Grid]] = {}
        for grid in sorted(grids):
            for key in _keys(grid):
                self._members.setdefault(key, []).append(grid)

    def of(self, grid: Grid) -> list[tuple[int, Sequence[Grid]]]:
        """Each dimension, and the grids that differ there only, by their coordinate."""
        return [(key[0], self._members[key]) for key in _keys(grid)]


def _keys(grid: Grid) -> list[tuple[int, Grid]]:
    return [(at, grid[:at] + grid[at + 1 :]) for at in range(len(grid))]


Evenness = Callable[[Grid], Fraction]
