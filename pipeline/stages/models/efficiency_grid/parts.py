"""Parts of a region over which efficiency keeps growing, or falling."""

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.efficiency_grid.cells import Cells

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]

LEAST_GROWTH = 1e-6
"""Growth, as a part of the highest efficiency of a cell, up to which efficiency does not change.

Times are rounded to nanoseconds and often given with few digits, so that efficiencies which are
equal differ by their rounding.
"""


def find_signs(cells: Cells, growth: Values, *, least_growth: float = 0.0) -> Numbers:
    """-1, 0 or 1 per cell; growth of at most `least_growth`, or LEAST_GROWTH, is none."""
    highest = np.max((cells.e11, cells.e12, cells.e21, cells.e22), axis=0)
    is_none = np.abs(growth) <= np.maximum(least_growth, LEAST_GROWTH * highest)
    return np.where(is_none, 0, np.sign(growth)).astype(np.int64)


def find_parts(cells: Cells, signs: Numbers) -> Numbers:
    """The part each cell belongs to, from 1 by first cell.

    Cells of a part have the same sign and are joined by common borders.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    one, other = _neighbors(cells)
    is_same = signs[one] == signs[other]
    one, other = one[is_same], other[is_same]
    joined = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(len(cells), len(cells)))
    _, labels = connected_components(joined, directed=False)
    _, first, label = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label] + 1


def _neighbors(cells: Cells) -> tuple[Numbers, Numbers]:
    """Pairs of cells that share some length of a border."""
    beside = _touching(cells.right, cells.left, cells.bottom, cells.top)
    above = _touching(cells.top, cells.bottom, cells.left, cells.right)
    return np.concatenate((beside[0], above[0])), np.concatenate((beside[1], above[1]))


def _touching(
    ends: Numbers, begins: Numbers, lower: Numbers, upper: Numbers
) -> tuple[Numbers, Numbers]:
    """Pairs of cells: the second starts where the first ends, and both overlap sideways."""
    lines = int(upper.max(initial=0)) + 1
    order = np.lexsort((lower, ends))
    key = ends[order] * lines
    first = np.searchsorted(key + upper[order], begins * lines + lower, side="right")
    last = np.searchsorted(key + lower[order], begins * lines + upper, side="left")
    counts = np.maximum(last - first, 0)
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat(first, counts) + offset], np.repeat(np.arange(len(ends)), counts)
