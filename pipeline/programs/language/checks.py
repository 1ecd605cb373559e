"""Checks of programs of data that no grid is needed for: names, expressions and waits."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression, ExpressionError
from tracemill.programs.language import data_kinds as described
from tracemill.programs.language.fields import declared
from tracemill.programs.language.placing import phase_place


def check_names(table: described.DataTable, source: str) -> None:
    """Raise ProgramError for names that are used twice, or that variants use but nothing has."""
    arrays = [each.name for each in table.arrays]
    _check_distinct(arrays, "array", source)
    _check_distinct([each.name for each in table.variants], "variant", source)
    loops = [
        each.name
        for each in all_phases(table.phases)
        if isinstance(each, described.Parallel | described.Pipelined)
    ]
    for variant in table.variants:
        where = variant_place(source, table.variants, variant)
        _check_known(variant.distribution, arrays, "array", f"{where}: distribution")
        _check_known(variant.serial, loops, "parallel loop", f"{where}: serial")


def variant_place(
    source: str, variants: Sequence[described.VariantTable], variant: described.VariantTable
) -> str:
    """The place of a variant in errors."""
    return f"{source}: variant {variants.index(variant) + 1} ({variant.name})"


def _check_distinct(names: Sequence[str], what: str, source: str) -> None:
    for number, name in enumerate(names, 1):
        if name in names[: number - 1]:
            raise ProgramError(
                f"{source}: {what} {number} ({name}): name: another {what} is named {name}"
            )


def _check_known(names: Iterable[str], known: Sequence[str], what: str, where: str) -> None:
    for name in names:
        if name not in known:
            there = ", ".join(dict.fromkeys(known)) or "none"
            raise ProgramError(f"{where}: no {what} {name!r}: {what}s are {there}")


def check_expressions(
    expressions: Iterable[tuple[Expression, str]], names: Collection[str]
) -> None:
    """Raise ProgramError for an expression, given with its place, of other names."""
    for expression, where in expressions:
        try:
            expression.check(names)
        except ExpressionError as error:
            raise ProgramError(f"{where}: {error}") from error


def all_phases(phases: Sequence[described.DataPhase]) -> Iterator[described.DataPhase]:
    """Phases with all nested ones."""
    for phase in phases:
        yield phase
        for _, inner in described.lists_of_phases(phase):
            yield from all_phases(inner)


def expressions_of(
    phases: Sequence[described.DataPhase], where: str
) -> Iterator[tuple[Expression, str]]:
    """Expressions of phases with all nested ones, and their places."""
    for number, phase in enumerate(phases, 1):
        place = phase_place(where, number, phase)
        yield from _expressions_in(phase, place)
        if isinstance(phase, described.Branch):
            for n, each in enumerate(phase.alternatives, 1):
                yield from _expressions_in(each, f"{place}: alternative {n}")
        for inner_place, inner in described.lists_of_phases(phase):
            yield from expressions_of(inner, place + inner_place)


def _expressions_in(table: Any, where: str) -> Iterator[tuple[Expression, str]]:
    for name, each in declared(type(table)).items():
        value = getattr(table, each.name)
        if isinstance(value, Expression):
            yield value, f"{where}: {name}"
        elif each.metadata.get("form") in (described.RANGES, described.WIDTHS) and value:
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
