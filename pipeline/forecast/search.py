"""The search for the grid of processes on which a program takes the least time.

Klinov 2008: grids that leave a process without a part of the largest array are dropped; grids of
about equal evenness form nets; in each net the search proceeds from the middle of the process
counts, and each evaluated grid narrows the classes of grids that differ from it in one dimension.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, prod
from typing import Literal, NamedTuple

from tracemill.forecast.grids import Classes, Evenness, Grid

Fate = Literal["empty process", "class", "bound", "evaluated"]
Mode = Literal["auto", "exhaustive", "search"]

FEW_GRIDS = 200
"""So many grids are all evaluated unless a search is wanted."""
_NETS = 20


class Evaluation(NamedTuple):
    """Run time in ns and efficiency (0 to 1) of a program on a grid."""

    time_ns: float
    efficiency: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A grid and its fate in a search.

    `step` counts the rounds of evaluation from 1; grids with an empty process have 0. `bound_ns` is
    a time that the grid cannot be faster than. `time_ns` and `efficiency` are None if the grid was
    not evaluated.
    """

    grid: Grid
    evenness: Fraction
    fate: Fate
    step: int
    bound_ns: float
    time_ns: float | None = None
    efficiency: float | None = None

    @property
    def processes(self) -> int:
        """Number of processes."""
        return prod(self.grid)


@dataclass(frozen=True, kw_only=True)
class Search:
    """All grids of a search, and how they were chosen."""

    candidates: tuple[Candidate, ...]
    min_efficiency: float
    is_exhaustive: bool

    @cached_property
    def best(self) -> Candidate | None:
        """The fastest grid that is efficient enough; None if there is none."""
        return min(self.efficient, key=_order, default=None)

    @cached_property
    def efficient(self) -> list[Candidate]:
        """Evaluated grids that are efficient enough."""
        return [
            each
            for each in self.evaluated
            if each.efficiency is not None and each.efficiency >= self.min_efficiency
        ]

    @cached_property
    def evaluated(self) -> list[Candidate]:
        """Evaluated grids in the order of evaluation."""
        found = [each for each in self.candidates if each.fate == "evaluated"]
        return sorted(found, key=lambda each: each.step)

    @property
    def best_efficiency(self) -> float:
        """The largest efficiency of an evaluated grid; 0 without one."""
        return max((each.efficiency or 0.0 for each in self.evaluated), default=0.0)

    def count(self, fate: Fate) -> int:
        """Number of grids with a fate."""
        return sum(each.fate == fate for each in self.candidates)

    @cached_property
    def possible_loss(self) -> float:
        """Share of the best time that a grid dropped by its class can take less, at most."""
        bounds = [each.bound_ns for each in self.candidates if each.fate == "class"]
        if not bounds or self.best is None or not self.best.time_ns:
            return 0.0
        return max(0.0, 1 - min(bounds) / self.best.time_ns)


def _order(candidate: Candidate) -> tuple[float, int, Grid]:
    """Sorts by time, then fewer processes, then smaller coordinates."""
    assert candidate.time_ns is not None
    return candidate.time_ns, candidate.processes, candidate.grid


def search_grids(
    grids: Iterable[Grid],
    *,
    evenness: Evenness,
    evaluate: Callable[[Grid], Evaluation],
    bound: Callable[[Grid], Evaluation] | None = None,
    min_efficiency: float = 0.0,
    mode: Mode = "auto",
) -> Search:
    """Search the fastest of the grids whose efficiency is at least `min_efficiency`.

    `bound` gives the least possible time of a grid, and its efficiency if it took that time; grids
    that it excludes are not evaluated. Without it, nothing is excluded. By default, all grids are
    evaluated if there are at most FEW_GRIDS without an empty process.
    """
    even = {grid: evenness(grid) for grid in grids}
    usable = [grid for grid, ratio in even.items() if ratio > 0]
    is_exhaustive = mode == "exhaustive" or (mode == "auto" and len(usable) <= FEW_GRIDS)
    bounds = {grid: bound(grid) if bound else Evaluation(0.0) for grid in even}
    walk = _Walk(evaluate, bounds, min_efficiency)
    if is_exhaustive:
        walk.evaluate_all(usable)
    else:
        walk.run({grid: even[grid] for grid in usable}, is_bounded=bound is not None)
    found = (walk.candidate(grid, ratio) for grid, ratio in even.items())
    return Search(
        candidates=tuple(found), min_efficiency=min_efficiency, is_exhaustive=is_exhaustive
    )


@dataclass
class _Walk:
    """The state of a search.

    `judged` has the times of evaluated grids, and the bounds of those that are not evaluated for
    their bound.
    """

    evaluate: Callable[[Grid], Evaluation]
    bounds: dict[Grid, Evaluation]
    min_efficiency: float
    left: set[Grid] = field(default_factory=set)
    judged: dict[Grid, Evaluation] = field(default_factory=dict)
    fates: dict[Grid, tuple[Fate, int]] = field(default_factory=dict)
    step: int = 0
    best_ns: float = float("inf")

    def evaluate_all(self, grids: Sequence[Grid]) -> None:
        """Evaluate every grid."""
        self.step = 1
        for grid in grids:
            self._judge(grid, is_bounded=False)

    def run(self, evenness: dict[Grid, Fraction], *, is_bounded: bool) -> None:
        """Go through the nets, from the most even one."""
        classes = Classes(evenness)
        self.left = set(evenness)
        nets: dict[int, list[Grid]] = {}
        for grid, ratio in evenness.items():
            nets.setdefault(ceil(_NETS * ratio), []).append(grid)
        for net in sorted(nets, reverse=True):
            while waiting := [grid for grid in nets[net] if grid in self.left]:
                self._advance(waiting, classes, is_bounded=is_bounded)

    def _advance(self, waiting: Sequence[Grid], classes: Classes, *, is_bounded: bool) -> None:
        """Judge the grids of the process count in the middle, then narrow their classes."""
        counts = sorted({prod(grid) for grid in waiting})
        middle = counts[len(counts) // 2]
        chosen = sorted(grid for grid in waiting if prod(grid) == middle)
        self.step += 1
        for grid in chosen:
            self._judge(grid, is_bounded=is_bounded)
        for grid in chosen:
            for dimension, members in classes.of(grid):
                self._narrow(dimension, members)

    def _judge(self, grid: Grid, *, is_bounded: bool) -> None:
        """Evaluate a grid unless its bound excludes it."""
        self.left.discard(grid)
        if is_bounded and self.bounds[grid].time_ns > self.best_ns:
            self.judged[grid] = self.bounds[grid]
            self.fates[grid] = ("bound", self.step)
            return
        self.judged[grid] = self.evaluate(grid)
        self.fates[grid] = ("evaluated", self.step)
        if self._is_efficient(grid):
            self.best_ns = min(self.best_ns, self.judged[grid].time_ns)

    def _narrow(self, dimension: int, members: Sequence[Grid]) -> None:
        """Drop the grids of a class that are not next to its best one.

        What lies between the judged neighbors of the best stays; the neighbor below must be
        efficient. If none is efficient, what lies below all judged ones stays.
        """
        judged = [grid for grid in members if grid in self.judged]
        efficient = [grid for grid in judged if self._is_efficient(grid)]
        low, high = 0, judged[0][dimension]
        if efficient:
            best = min(efficient, key=lambda grid: (self.judged[grid].time_ns, grid[dimension]))
            at = best[dimension]
            low = max((each[dimension] for each in efficient if each[dimension] < at), default=0)
            above = (each[dimension] for each in judged if each[dimension] > at)
            high = min(above, default=members[-1][dimension] + 1)
        for grid in members:
            if grid in self.left and not low < grid[dimension] < high:
                self.left.discard(grid)
                self.fates[grid] = ("class", self.step)

    def _is_efficient(self, grid: Grid) -> bool:
        return self.judged[grid].efficiency >= self.min_efficiency

    def candidate(self, grid: Grid, evenness: Fraction) -> Candidate:
        """The grid with its fate."""
        fate, step = self.fates.get(grid, ("empty process", 0))
        found = self.judged[grid] if fate == "evaluated" else None
        return Candidate(
            grid=grid,
            evenness=evenness,
            fate=fate,
            step=step,
            bound_ns=self.bounds[grid].time_ns,
            time_ns=found.time_ns if found else None,
            efficiency=found.efficiency if found else None,
        )
