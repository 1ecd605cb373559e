"""Nesting of rows in depth-first order, each with its depth."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.units import Value

DEEPEST = 60


@dataclass(frozen=True)
class TreeRow:
    """A row at `position` of the table.

    `level` is its depth in the view; `closes` open branches end after it.
    """

    position: int
    level: int
    has_children: bool
    closes: int


def nest(depths: Sequence[Value]) -> list[TreeRow]:
    """Levels without gaps, so that rows without their callers still have a place.

    Branches deeper than DEEPEST stay on that level, because browsers limit the nesting depth.
    """
    levels = [min(level, DEEPEST) for level in _levels(depths)]
    following = [*levels, 0][1:]
    rows = []
    is_open = 0
    for position, (level, next_level) in enumerate(zip(levels, following, strict=True)):
        has_children = next_level > level
        is_open += has_children
        closes = max(0, is_open - next_level)
        is_open -= closes
        rows.append(TreeRow(position, level, has_children, closes))
    return rows


def _levels(depths: Sequence[Value]) -> list[int]:
    above: list[int] = []
    levels = []
    for value in depths:
        depth = int(value or 0)
        while above and above[-1] >= depth:
            above.pop()
        levels.append(len(above))
        above.append(depth)
    return levels
