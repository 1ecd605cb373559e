"""The search for the best grid of a program, or a variant of it, on a cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from tracemill.base.errors import ProgramError
from tracemill.base.text import hash_of
from tracemill.forecast.grids import Grid, grid_evenness, grids_within, largest_array
from tracemill.forecast.search import Evaluation, Mode, Search, search_grids
from tracemill.forecast.search_bounds import computing_bound
from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.language.data_program import DataProgram, format_grid
from tracemill.programs.placed import Array, PlacedProgram


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Which grids may be best: their efficiency, and whether all processes must be used."""

    min_efficiency: float = 0.0
    is_exact: bool = False
    mode: Mode = "auto"


@dataclass(frozen=True)
class Contender:
    """A program, or a variant of it."""

    program: DataProgram
    variant: str | None = None

    @property
    def name(self) -> str:
        """Program and variant, such as jacobi/rows."""
        return f"{self.program.name}/{self.variant}" if self.variant else self.program.name

    @property
    def dimensions(self) -> int:
        """Dimensions of its grids."""
        return self.program.dimensions(self.variant)

    def place(self, grid: Grid | None = None) -> PlacedProgram:
        """The contender on a grid. Raises ProgramError, which names the grid."""
        try:
            return self.program.place(grid, self.variant)
        except ProgramError as error:
            where = f" (on grid {format_grid(grid)})" if grid else ""
            raise ProgramError(f"{error}{where}") from error


def contenders_of(programs: Sequence[DataProgram], variants: Sequence[str] = ()) -> list[Contender]:
    """The variants of programs, or those that are named; a program without variants is itself one.

    Raises ProgramError for a name that no program has.
    """
    found = [
        Contender(program, variant)
        for program in programs
        for variant in program.variants or (None,)
    ]
    missing = [name for name in variants if all(each.variant != name for each in found)]
    if missing:
        there = ", ".join(each.variant for each in found if each.variant) or "none"
        raise ProgramError(f"no variant {missing[0]!r}: variants are {there}")
    return [each for each in found if not variants or each.variant in variants]


@dataclass
class Evaluator:
    """Simulates a contender on a cluster, once for each grid.

    `is_evaluated` is called before each simulation with the grid.
    """

    contender: Contender
    cluster: Cluster
    is_evaluated: Callable[[Grid], None] = lambda _: None
    _known: dict[Grid, Evaluation] = field(default_factory=dict)
    _bounds: dict[Grid, Evaluation] = field(default_factory=dict)

    def evaluate(self, grid: Grid) -> Evaluation:
        """Run time in ns and efficiency on a grid."""
        if grid not in self._known:
            self.is_evaluated(grid)
            outcome = simulate(
                self.contender.place(grid), self.cluster, shortcuts="loops", intervals="user"
            )
            program = outcome.intervals[0]
            self._known[grid] = Evaluation(outcome.time_ns, program.efficiency)
        return self._known[grid]

    def bound(self, grid: Grid) -> Evaluation:
        """The least run time in ns, and the efficiency with it."""
        if grid not in self._bounds:
            self._bounds[grid] = computing_bound(self.contender.place(grid), self.cluster)
        return self._bounds[grid]

    def evenness(self, grid: Grid) -> Fraction:
        """Evenness of the largest array."""
        return grid_evenness(self._array, grid)

    @cached_property
    def _array(self) -> Array | None:
        return largest_array(self.contender.place().arrays.values())


@dataclass(frozen=True, kw_only=True)
class ProgramSearch:
    """The search for the best grid of a contender with at most `max_processes` on a cluster."""

    contender: Contender
    cluster: Cluster
    max_processes: int
    limits: Limits
    search: Search

    @cached_property
    def search_id(self) -> str:
        """The hash of all that the search follows from."""
        given = (
            self.contender.program.table,
            self.contender.program.name,
            self.contender.variant,
            replace(self.cluster, digest=""),
            self.max_processes,
            self.limits,
        )
        return hash_of("\n".join(map(repr, given)))


def search_program(evaluator: Evaluator, max_processes: int, limits: Limits) -> ProgramSearch:
    """Search the best grid. Raises ProgramError, also if the cluster is too small."""
    evaluator.cluster.cores(max_processes)
    contender = evaluator.contender
    search = search_grids(
        grids_within(contender.dimensions, max_processes, exactly=limits.is_exact),
        evenness=evaluator.evenness,
        evaluate=evaluator.evaluate,
        bound=evaluator.bound,
        min_efficiency=limits.min_efficiency,
        mode=limits.mode,
    )
    return ProgramSearch(
        contender=contender,
        cluster=evaluator.cluster,
        max_processes=max_processes,
        limits=limits,
        search=search,
    )
