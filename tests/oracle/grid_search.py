"""The search for the best grid, slowly: every class is looked up among all grids at every step."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, prod

Grid = tuple[int, ...]
Judged = tuple[float, float]
"""Time and efficiency."""


def slow_search(
    evenness: Mapping[Grid, Fraction],
    evaluate: Callable[[Grid], Judged],
    bound: Callable[[Grid], Judged],
    min_efficiency: float,
) -> dict[Grid, str]:
    """The fate of each grid."""
    fates = {grid: "empty process" if ratio == 0 else "" for grid, ratio in evenness.items()}
    judged: dict[Grid, Judged] = {}
    for net in range(20, 0, -1):
        while left := [g for g in fates if fates[g] == "" and ceil(20 * evenness[g]) == net]:
            counts = sorted({prod(grid) for grid in left})
            now = sorted(g for g in left if prod(g) == counts[len(counts) // 2])
            for grid in now:
                best = min(
                    (judged[g][0] for g in judged if fates[g] == "evaluated"
                     and judged[g][1] >= min_efficiency),
                    default=float("inf"),
                )  # fmt: skip
                is_excluded = bound(grid)[0] > best
                fates[grid] = "bound" if is_excluded else "evaluated"
                judged[grid] = (bound if is_excluded else evaluate)(grid)
            for grid in fates:
                if fates[grid] == "" and _is_dropped(grid, now, judged, min_efficiency):
                    fates[grid] = "class"
    return fates


def _is_dropped(
    grid: Grid, now: list[Grid], judged: Mapping[Grid, Judged], min_efficiency: float
) -> bool:
    """Whether a grid lies beside the neighbors of the best one in a class with a grid of `now`."""
    for at in range(len(grid)):
        members = {g[at]: judged[g] for g in judged if _differ_only(g, grid, at)}
        if not any(_differ_only(g, grid, at) for g in now):
            continue
        good = {
            x: time for x, (time, efficiency) in members.items() if efficiency >= min_efficiency
        }
        if not good:
            if grid[at] > min(members):
                return True
            continue
        best = min(good, key=lambda x: (good[x], x))
        below = [x for x in good if x < best]
        above = [x for x in members if x > best]
        if below and grid[at] < max(below):
            return True
        if above and grid[at] > min(above):
            return True
    return False


def _differ_only(one: Grid, other: Grid, at: int) -> bool:
    return all(x == y for place, (x, y) in enumerate(zip(one, other, strict=True)) if place != at)
