"""Programs of data: read once, placed on any grid of processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression, ExpressionError
from tracemill.programs import placed
from tracemill.programs.language import data_kinds as described
from tracemill.programs.language.fields import declared
from tracemill.programs.language.placing import Placing, phase_place
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
                f"{self.source}: grid {format_grid(chosen)} has {len(chosen)} dimensions: "
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
        if name is None:
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
                place = f"{self._variant_place(variant)}: distribution: {table.name}"
            elif variant is not None:
                place += f" (of variant {variant.name})"
            distribution = own.get(table.name, table.distribution)
            arrays[table.name] = array_of(table, distribution, dimensions, values, where, place)
        return arrays

    def _variant_place(self, variant: described.VariantTable) -> str:
        number = self.table.variants.index(variant) + 1
        return f"{self.source}: variant {number} ({variant.name})"

    def check(self) -> None:
        """Raise ProgramError for mistakes that no grid can mend."""
        self._check_names()
        self._check_expressions()
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

    def _check_names(self) -> None:
        for what, tables in (("array", self.table.arrays), ("variant", self.table.variants)):
            names = [each.name for each in tables]
            for number, name in enumerate(names, 1):
                if name in names[: number - 1]:
                    where = f"{self.source}: {what} {number} ({name})"
                    raise ProgramError(f"{where}: name: another {what} is named {name}")
        loops = [
            each.name
            for each in all_phases(self.table.phases)
            if isinstance(each, described.Parallel | described.Pipelined)
        ]
        arrays = [each.name for each in self.table.arrays]
        for variant in self.table.variants:
            where = self._variant_place(variant)
            for name in variant.distribution:
                if name not in arrays:
                    there = ", ".join(arrays) or "none"
                    raise ProgramError(
                        f"{where}: distribution: no array {name!r}: arrays are {there}"
                    )
            for name in variant.serial:
                if name not in loops:
                    there = ", ".join(dict.fromkeys(loops)) or "none"
                    raise ProgramError(
                        f"{where}: serial: no parallel loop {name!r}: they are {there}"
                    )

    def _grid_names(self) -> set[str]:
        most = max(map(self.dimensions, (None, *self.variants)))
        return {"p", *(f"p{number}" for number in range(1, most + 1))}

    def _expressions(self) -> Iterator[tuple[Expression, str]]:
        """Expressions of the phases and of `iterations`, with their places."""
        yield self.table.iterations, f"{self.source}: iterations"
        yield from _expressions_of_phases(self.table.phases, self.source)

    def _check_expressions(self) -> None:
        names = {*self.table.parameters, *self._grid_names()}
        for expression, where in self._expressions():
            try:
                expression.check(names)
            except ExpressionError as error:
                raise ProgramError(f"{where}: {error}") from error


def grid_values(grid: Sequence[int]) -> dict[str, float]:
    """Values of p, p1, p2, … of a grid."""
    return {"p": prod(grid), **{f"p{number}": each for number, each in enumerate(grid, 1)}}


def format_grid(grid: Sequence[int]) -> str:
    """A grid as text, such as 4x4."""
    return "x".join(map(str, grid))


def all_phases(phases: Sequence[described.DataPhase]) -> Iterator[described.DataPhase]:
    """Phases with all nested ones."""
    for phase in phases:
        yield phase
        for _, inner in described.lists_of_phases(phase):
            yield from all_phases(inner)


def _expressions_of_phases(
    phases: Sequence[described.DataPhase], where: str
) -> Iterator[tuple[Expression, str]]:
    for number, phase in enumerate(phases, 1):
        place = phase_place(where, number, phase)
        yield from _expressions_in(phase, place)
        if isinstance(phase, described.Branch):
            for n, each in enumerate(phase.alternatives, 1):
                yield from _expressions_in(each, f"{place}: alternative {n}")
        for inner_place, inner in described.lists_of_phases(phase):
            yield from _expressions_of_phases(inner, place + inner_place)


def _expressions_in(table: Any, where: str) -> Iterator[tuple[Expression, str]]:
    for name, each in declared(type(table)).items():
        value = getattr(table, each.name)
        if isinstance(value, Expression):
            yield value, f"{where}: {name}"
        elif each.metadata.get("form") == described.RANGES and value is not None:
            for number, pair in enumerate(value, 1):
                for expression in pair or ():
                    yield expression, f"{where}: {name}: extent {number}"


def started_names(phases: Sequence[described.DataPhase]) -> frozenset[str]:
    """Names of all operations that are only started."""
    return frozenset(
        each.name
        for each in all_phases(phases)
        if isinstance(each, described.Startable) and each.nonblocking
    )


def check_lists(
    phases: Sequence[described.DataPhase], where: str, everywhere: frozenset[str]
) -> None:
    """Raise ProgramError unless every operation that is only started is completed, once.

    Both stand in the same list of phases, which is not empty. `everywhere` are the names of all
    operations of the program that are only started.
    """
    if not phases:
        raise ProgramError(f"{where}: no phases: give at least one table with its kind")
    started: dict[str, list[str]] = {}
    for number, phase in enumerate(phases, 1):
        place = phase_place(where, number, phase)
        if isinstance(phase, described.Startable) and phase.nonblocking:
            started.setdefault(phase.name, []).append(place)
        if isinstance(phase, described.Wait):
            _complete(phase.started, started, place, everywhere)
        for inner_place, inner in described.lists_of_phases(phase):
            check_lists(inner, place + inner_place, everywhere)
    for name, places in started.items():
        for place in places:
            raise ProgramError(
                f"{place}: nonblocking: nothing waits for {name!r}: add a wait to this list"
            )


def _complete(
    name: str, started: dict[str, list[str]], where: str, everywhere: frozenset[str]
) -> None:
    """Take the first operation of a name from those that are started. Raises ProgramError."""
    if started.get(name):
        del started[name][0]
        return
    reason = "no operation of that name is started with nonblocking = true"
    if name in started:
        reason = "it is completed already"
    elif name in everywhere:
        reason = "it is not started earlier in this list"
    running = ", ".join(each for each, places in started.items() if places) or "none"
    raise ProgramError(f"{where}: for: {name!r}: {reason}: started operations are {running}")


def make_data_program(table: described.DataTable, source: str, name: str) -> DataProgram:
    """A program from its description; `name` is the default name. Raises ProgramError."""
    program = DataProgram(table.name or name, table, source)
    program.check()
    return program
