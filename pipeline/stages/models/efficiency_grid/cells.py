"""Cells that cover a grid of configurations, also where some were not measured."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class EfficiencyGrid:
    """Efficiency at distinct configurations of processes and size; NaN if unknown.

    Its lines are the distinct numbers of processes and sizes.
    """

    processes: Values
    size: Values
    efficiency: Values


@dataclass(frozen=True)
class Cells:
    """Cells by lower corner: first by processes, then by size.

    `left`, `right`, `bottom`, `top` are lines of the grid; `p1`, `p2`, `d1`, `d2` their processes
    and sizes. `e12` is the efficiency at (p2, d1), `e21` at (p1, d2).
    """

    left: Numbers
    right: Numbers
    bottom: Numbers
    top: Numbers
    p1: Values
    p2: Values
    d1: Values
    d2: Values
    e11: Values
    e12: Values
    e21: Values
    e22: Values

    def __len__(self) -> int:
        return len(self.left)

    def select(self, chosen: Flags | Numbers) -> "Cells":
        """Some of the cells."""
        return Cells(**{each.name: getattr(self, each.name)[chosen] for each in fields(self)})

    def corners(self) -> Values:
        """Efficiencies at all corners."""
        return np.concatenate((self.e11, self.e12, self.e21, self.e22))


def cover_grid(grid: EfficiencyGrid) -> Cells:
    """Cells between configurations with efficiency that do not overlap.

    Configurations are taken by processes, then size. Each is the lower corner of at most one cell
    with four known corners: the one with the fewest squares of the grid, then with the fewest steps
    of processes. A cell that overlaps an earlier one is left out.
    """
    known = np.flatnonzero(~np.isnan(grid.efficiency))
    p_lines, column = np.unique(grid.processes, return_inverse=True)
    d_lines, row = np.unique(grid.size, return_inverse=True)
    points = dict(
        zip(zip(column[known].tolist(), row[known].tolist(), strict=True), known, strict=True)
    )
    boxes = _find_boxes(sorted(points), len(d_lines))
    left, right, bottom, top = np.array(boxes, np.int64).reshape(-1, 4).T

    def at(columns: Numbers, rows: Numbers) -> Values:
        corners = zip(columns.tolist(), rows.tolist(), strict=True)
        return grid.efficiency[np.array([points[corner] for corner in corners], np.int64)]

    return Cells(
        left=left, right=right, bottom=bottom, top=top,
        p1=p_lines[left], p2=p_lines[right], d1=d_lines[bottom], d2=d_lines[top],
        e11=at(left, bottom), e12=at(right, bottom), e21=at(left, top), e22=at(right, top),
    )  # fmt: skip


Point = tuple[int, int]


class _Line:
    """The points of a line of the grid: in order, and for lookup."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.members: set[int] = set()

    def add(self, place: int) -> None:
        self.places.append(place)
        self.members.add(place)

    def after(self, place: int) -> Iterator[int]:
        beyond = range(bisect_right(self.places, place), len(self.places))
        return map(self.places.__getitem__, beyond)

    def count_after(self, place: int) -> int:
        return len(self.places) - bisect_right(self.places, place)

    def first_common(self, other: "_Line", after: int) -> int | None:
        """The first place after `after` where both lines have a point."""
        # A line with few points is searched in one with many.
        short, long = sorted((self, other), key=lambda line: len(line.places))
        return next((place for place in short.after(after) if place in long.members), None)


def _find_boxes(points: list[Point], row_count: int) -> list[tuple[int, int, int, int]]:
    """The lines of every cell, given all points in order."""
    columns: dict[int, _Line] = defaultdict(_Line)
    rows: dict[int, _Line] = defaultdict(_Line)
    for column, row in points:
        columns[column].add(row)
        rows[row].add(column)
    boxes = []
    # How far each strip between two sizes is covered: cells come in order of their left side.
    reach = np.zeros(row_count, np.int64)
    for left, bottom in points:
        corner = _nearest_corner((left, bottom), columns, rows)
        if corner is not None and reach[bottom : corner[1]].max() <= left:
            reach[bottom : corner[1]] = corner[0]
            boxes.append((left, corner[0], bottom, corner[1]))
    return boxes


def _nearest_corner(
    anchor: Point, columns: dict[int, _Line], rows: dict[int, _Line]
) -> Point | None:
    """The upper corner of the smallest cell whose lower corner is `anchor`."""
    left, bottom = anchor
    best: Point | None = None
    fewest = (float("inf"), 0)
    for distance, right, top in _corners(anchor, columns, rows):
        if distance > fewest[0]:
            break
        width, height = right - left, top - bottom
        if (width * height, width) < fewest:
            best, fewest = (right, top), (width * height, width)
    return best


def _corners(
    anchor: Point, columns: dict[int, _Line], rows: dict[int, _Line]
) -> Iterator[tuple[int, int, int]]:
    """Upper corners of cells from `anchor`, among them the smallest.

    For every point beside the anchor (or above it, if fewer): its ascending distance, and the
    nearest corner.
    """
    left, bottom = anchor
    column, row = columns[left], rows[bottom]
    if row.count_after(left) <= column.count_after(bottom):
        for beside in row.after(left):
            top = column.first_common(columns[beside], bottom)
            if top is not None:
                yield beside - left, beside, top
    else:
        for above in column.after(bottom):
            right = row.first_common(rows[above], left)
            if right is not None:
                yield above - bottom, right, above
