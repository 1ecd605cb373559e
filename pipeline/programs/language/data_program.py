"""Programs of data: read once, placed on any grid of processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression
from tracemill.programs import placed
from tracemill.programs.language import data_kinds as described
from tracemill.programs.language.checks import (
    all_phases,
    check_expressions,
    check_lists,
    check_names,
    expressions_of,
    started_names,
    variant_place,
)
from tracemill.programs.language.placing import Placing
from tracemill.programs.language.values import Values, array_of
from tracemill.programs.placed import PlacedProgram


@dataclass(frozen=True)
class DataProgram:
    """A described program; `source` is its place in errors."""

    name: str
    table: described.DataTable
    source: str

    @property
    def speed(self) -> float:
        """Speed of the machine that times are measured on."""
        return self.table.speed

    @property
    def grid(self) -> tuple[int, ...]:
        """The default grid, without a variant."""
        return self.table.grid

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the variants, in their order."""
        return tuple(each.name for each in self.table.variants)

    def dimensions(self, variant: str | None = None) -> int:
        """Dimensions of the grids of a variant, or of the program itself."""
        return len(self.default_grid(variant))

    def default_grid(self, variant: str | None = None) -> tuple[int, ...]:
        """Grid of a variant, or of the program itself."""
        found = self._variant(variant)
        return self.table.grid if found is None or found.grid is None else found.grid

    def place(
        self, grid: tuple[int, ...] | None = None, variant: str | None = None
    ) -> PlacedProgram:
        """The program, or a variant, on a grid (default: its own). Raises ProgramError."""
        own = self.default_grid(variant)
        chosen = own if grid is None else tuple(grid)
        if len(chosen) != len(own):
            raise ProgramError(
                f"{self.source}: grid {format_grid(chosen)} has {len(chosen)} "
                f"dimension{'' if len(chosen) == 1 else 's'}: "
                f"{f'variant {variant}' if variant else 'the program'} needs {len(own)}"
            )
        if min(chosen) < 1:
            raise ProgramError(f"{self.source}: grid {format_grid(chosen)}: give 1 or more each")
        spread = self._variant(variant)
        arrays = self._arrays(spread, len(own))
        values = Values({**self.table.parameters, **grid_values(chosen)})
        placing = Placing(arrays, chosen, values, spread.serial if spread else ())
        phases = placing.phases(self.table.phases, self.source)
        iterations = values.whole(self.table.iterations, f"{self.source}: iterations", 1)
        if iterations > 1:
            phases = (placed.Loop(name="iterations", iterations=iterations, phases=phases),)
        return PlacedProgram(self.name, variant or "", chosen, self.speed, arrays, phases)

    def _variant(self, name: str | None) -> described.VariantTable | None:
        if not name:
            return None
        for each in self.table.variants:
            if each.name == name:
                return each
        there = ", ".join(self.variants) or "none"
        raise ProgramError(f"{self.source}: no variant {name!r}: variants are {there}")

    def _arrays(
        self, variant: described.VariantTable | None, dimensions: int
    ) -> dict[str, placed.Array]:
        values = Values(self.table.parameters)
        own = variant.distribution if variant else {}
        arrays = {}
        for number, table in enumerate(self.table.arrays, 1):
            where = f"{self.source}: array {number} ({table.name})"
            place = f"{where}: distribution"
            if variant is not None and table.name in own:
                where_own = variant_place(self.source, self.table.variants, variant)
                place = f"{where_own}: distribution: {table.name}"
            elif variant is not None:
                place += f" (of variant {variant.name})"
            distribution = own.get(table.name, table.distribution)
            arrays[table.name] = array_of(table, distribution, dimensions, values, where, place)
        return arrays

    def check(self) -> None:
        """Raise ProgramError for mistakes on every grid."""
        check_names(self.table, self.source)
        check_expressions(self._expressions(), {*self.table.parameters, *self._grid_names()})
        check_lists(self.table.phases, self.source, started_names(self.table.phases))
        for variant in (None, *self.variants):
            self._arrays(self._variant(variant), self.dimensions(variant))
        if not self._depends_on_grid():
            for variant in (None, *self.variants):
                self.place(None, variant)

    def _depends_on_grid(self) -> bool:
        """Whether values of the description are right on some grids only."""
        has_root = any(
            isinstance(each, described.Collective) and each.root != Expression("0")
            for each in all_phases(self.table.phases)
        )
        grid = self._grid_names()
        return has_root or any(each.names & grid for each, _ in self._expressions())

    def _grid_names(self) -> set[str]:
        most = max(map(self.dimensions, (None, *self.variants)))
        return {"p", *(f"p{number}" for number in range(1, most + 1))}

    def _expressions(self) -> Iterator[tuple[Expression, str]]:
        """Expressions of the phases and of `iterations`, with their places."""
        yield self.table.iterations, f"{self.source}: iterations"
        yield from expressions_of(self.table.phases, self.source)


def grid_values(grid: Sequence[int]) -> dict[str, float]:
    """Values of p, p1, p2, … of a grid."""
    return {"p": prod(grid), **{f"p{number}": each for number, each in enumerate(grid, 1)}}


def format_grid(grid: Sequence[int]) -> str:
    """A grid as text, such as 4x4."""
    return "x".join(map(str, grid))


def make_data_program(table: described.DataTable, source: str, name: str) -> DataProgram:
    """A program from its description; `name` is the default name. Raises ProgramError."""
    program = DataProgram(table.name or name, table, source)
    program.check()
    return program
