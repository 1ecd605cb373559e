"""Cells, marks and parts of a grid, found by trying everything; points are {(p, d): efficiency}."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

Point = tuple[float, float]
Points = Mapping[Point, float]


class Cell(NamedTuple):
    p1: float
    p2: float
    d1: float
    d2: float


def cover(points: Points, lines: Iterable[Point] = ()) -> list[Cell]:
    """Cells by anchor; `lines` are configurations without efficiency."""
    ps = sorted({p for p, _ in [*points, *lines]})
    ds = sorted({d for _, d in [*points, *lines]})
    taken: set[tuple[int, int]] = set()
    cells = []
    for i1, k1 in product(range(len(ps)), range(len(ds))):
        whole = [
            ((i2 - i1) * (k2 - k1), i2 - i1, i2, k2)
            for i2 in range(i1 + 1, len(ps))
            for k2 in range(k1 + 1, len(ds))
            if all((ps[i], ds[k]) in points for i in (i1, i2) for k in (k1, k2))
        ]
        if not whole:
            continue
        *_, i2, k2 = min(whole)
        squares = set(product(range(i1, i2), range(k1, k2)))
        if not squares & taken:
            taken |= squares
            cells.append(Cell(ps[i1], ps[i2], ds[k1], ds[k2]))
    return cells


def growth_of(points: Points, cell: Cell) -> tuple[float, float, float]:
    """dE_P, dE_D and dE_A as printed."""
    e11, e12 = points[cell.p1, cell.d1], points[cell.p2, cell.d1]
    e21, e22 = points[cell.p1, cell.d2], points[cell.p2, cell.d2]
    with_p = ((e12 - e11) + (e22 - e21)) / 2
    with_d = ((e21 - e11) + (e22 - e12)) / 2
    return with_p, with_d, (with_p + with_d) / 2


def marks_of(points: Points, cells: list[Cell]) -> tuple[float, float, float]:
    """MarkProcs, MarkData and MarkAll of the region that the cells span."""
    ps = [p for cell in cells for p in (cell.p1, cell.p2)]
    ds = [d for cell in cells for d in (cell.d1, cell.d2)]
    width, height = max(ps) - min(ps), max(ds) - min(ds)
    totals = [0.0, 0.0, 0.0]
    for cell in cells:
        with_p, with_d, with_both = growth_of(points, cell)
        along, across = (cell.p2 - cell.p1) / width, (cell.d2 - cell.d1) / height
        for at, mark in enumerate((with_p * along, with_d * across, with_both * along * across)):
            totals[at] += mark
    procs, data, both = (total / len(cells) for total in totals)
    return procs, data, both


def parts_of(cells: list[Cell], signs: list[int]) -> list[int]:
    """The part of each cell, by spreading from the first cell that has none."""
    parts = [0] * len(cells)
    for start in range(len(cells)):
        if parts[start]:
            continue
        number = max(parts) + 1
        reached = [start]
        while reached:
            at = reached.pop()
            parts[at] = number
            reached += [
                other
                for other in range(len(cells))
                if not parts[other]
                and signs[other] == signs[at]
                and share_border(cells[at], cells[other])
            ]
    return parts


def share_border(one: Cell, other: Cell) -> bool:
    beside = one.p2 == other.p1 or other.p2 == one.p1
    above = one.d2 == other.d1 or other.d2 == one.d1
    along_d = min(one.d2, other.d2) > max(one.d1, other.d1)
    along_p = min(one.p2, other.p2) > max(one.p1, other.p1)
    return (beside and along_d) or (above and along_p)
