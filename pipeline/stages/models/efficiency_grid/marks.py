"""Marks of cells and regions: how efficiency grows with processes, with size, and with both.

Formulas: Teplov 2014, with growth as positive. If the grid is not fully covered with cells, the
ranges in the formulas are those of the cells.
"""

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.efficiency_grid.cells import Cells

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """Growth of efficiency over each cell: the mean of both sides, and the mean of the two."""

    processes: Values
    size: Values
    both: Values


@dataclass(frozen=True)
class Extent:
    """Ranges of a region: the box around its configurations, and its efficiencies."""

    min_processes: float
    min_size: float
    max_processes: float
    max_size: float
    max_efficiency: float
    min_efficiency: float


@dataclass(frozen=True)
class CellMarks:
    """Marks of each cell in a region."""

    procs: Values
    data: Values
    all: Values


@dataclass(frozen=True)
class Triple:
    """A figure by processes, by size, and by both."""

    procs: float
    data: float
    all: float


@dataclass(frozen=True)
class Region:
    """Figures of a region.

    `covered_share` is the share of the box around its configurations that cells cover. `marks` are
    means over its cells and `sums` their sums. `growth` is the growth from end to end of what cells
    cover along one parameter, in the mean over what they cover of the other; a finer grid leaves it
    as it is.
    """

    cell_count: int
    covered_share: float
    marks: Triple
    sums: Triple
    growth: Triple


def find_growth(cells: Cells) -> Growth:
    """dE_P, dE_D and dE_A of each cell."""
    processes = ((cells.e12 - cells.e11) + (cells.e22 - cells.e21)) / 2
    size = ((cells.e21 - cells.e11) + (cells.e22 - cells.e12)) / 2
    return Growth(processes, size, (processes + size) / 2)


def box_of(cells: Cells) -> Extent:
    """The box around at least one cell, and the range of efficiency at its corners."""
    corners = cells.corners()
    return Extent(
        min_processes=float(cells.p1.min()),
        min_size=float(cells.d1.min()),
        max_processes=float(cells.p2.max()),
        max_size=float(cells.d2.max()),
        max_efficiency=float(corners.max()),
        min_efficiency=float(corners.min()),
    )


def mark_cells(cells: Cells, growth: Growth, extent: Extent) -> CellMarks:
    """Growth over each cell, weighted with how far it reaches across the ranges of `extent`."""
    along = (cells.p2 - cells.p1) / (extent.max_processes - extent.min_processes)
    across = (cells.d2 - cells.d1) / (extent.max_size - extent.min_size)
    return CellMarks(
        procs=growth.processes * along,
        data=growth.size * across,
        all=growth.both * (along * across),
    )


def measure_region(cells: Cells, extent: Extent) -> Region | None:
    """Marks over the cells of a region, whose configurations `extent` holds; None without cells."""
    if not len(cells):
        return None
    growth = find_growth(cells)
    marks = mark_cells(cells, growth, box_of(cells))
    sums = Triple(fsum(marks.procs), fsum(marks.data), fsum(marks.all))
    sizes, processes = cells.d2 - cells.d1, cells.p2 - cells.p1
    with_processes = fsum(growth.processes * (sizes / _length_of_union(cells.d1, cells.d2)))
    with_size = fsum(growth.size * (processes / _length_of_union(cells.p1, cells.p2)))
    area = (extent.max_processes - extent.min_processes) * (extent.max_size - extent.min_size)
    count = len(cells)
    return Region(
        cell_count=count,
        covered_share=min(fsum(processes * sizes / area), 1.0),
        marks=Triple(sums.procs / count, sums.data / count, sums.all / count),
        sums=sums,
        growth=Triple(with_processes, with_size, (with_processes + with_size) / 2),
    )


def _length_of_union(begins: Values, ends: Values) -> float:
    """The part of a line that at least one interval covers."""
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    reach = np.maximum.accumulate(ends)
    is_first = np.ones(len(begins), np.bool_)
    is_first[1:] = begins[1:] > reach[:-1]
    is_last = np.append(is_first[1:], True)
    return fsum(reach[is_last] - begins[is_first])
