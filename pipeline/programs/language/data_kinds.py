"""Programs of data on a grid of processes, as they are described."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression
from tracemill.programs.language.fields import choice, custom, declare, read_expression
from tracemill.programs.placed import COLLECTIVES

DescribedRange = tuple[Expression, Expression] | None
"""The first and the last index of a range; None is the range of a process's own part."""

DescribedWidth = tuple[Expression, Expression]
"""Widths (low, high) in an extent."""

WHOLE, BLOCK = "whole", "block"
RANGES = "list of `[first, last]`"
"""Form of fields with ranges of indices."""

WIDTHS = "list of `[low, high]`"
"""Form of fields with widths."""

_NAMES, _NUMBERS = "list of names", "list of whole numbers"


def _read_ranges(given: Any, where: str) -> tuple[DescribedRange, ...]:
    """Ranges `[first, last]` of indices, one for each extent; a flat pair is one range."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f"{where}: give [first, last] for each extent, not {given!r}")
    if len(given) == 2 and not any(isinstance(each, list) or each == "own" for each in given):
        given = [given]
    return tuple(_read_range(each, f"{where}: extent {n}") for n, each in enumerate(given, 1))


def _read_range(given: Any, where: str) -> DescribedRange:
    if given == "own":
        return None
    return _read_pair(given, where, "[first, last]")


def _read_section(given: Any, where: str) -> tuple[DescribedRange, ...]:
    """Ranges of indices, none of them that of the own part."""
    ranges = _read_ranges(given, where)
    if None in ranges:
        raise ProgramError(f'{where}: only the section of a remote access has ranges "own"')
    return ranges


def _read_widths(given: Any, where: str) -> tuple[DescribedWidth, ...]:
    """Widths `[low, high]`, one pair for each extent; a flat pair is one."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f"{where}: give [low, high] for each extent, not {given!r}")
    if not any(isinstance(each, list) for each in given):
        given = [given]
    return tuple(
        _read_pair(each, f"{where}: extent {n}", "[low, high]") for n, each in enumerate(given, 1)
    )


def _read_pair(given: Any, where: str, form: str) -> tuple[Expression, Expression]:
    if not isinstance(given, list) or len(given) != 2:
        raise ProgramError(f"{where}: give {form}, not {given!r}")
    return read_expression(given[0], where), read_expression(given[1], where)


def _is_whole(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _read_grid(given: Any, where: str) -> tuple[int, ...]:
    """Processes in each dimension."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f"{where}: give the processes in each dimension, as in [4, 4]")
    for each in given:
        if not _is_whole(each) or not 1 <= each <= 10**9:
            raise ProgramError(f"{where}: give whole numbers from 1, not {each!r}")
    return tuple(given)


def _read_numbers(given: Any, where: str) -> tuple[int, ...]:
    """Whole numbers from 0."""
    if not isinstance(given, list) or not all(_is_whole(each) and each >= 0 for each in given):
        raise ProgramError(f"{where}: give a list of whole numbers from 0, not {given!r}")
    return tuple(given)


def _read_offsets(given: Any, where: str) -> tuple[tuple[int, ...], ...]:
    """Offsets in the grid; numbers alone are offsets in a grid of one dimension."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f"{where}: give a list of offsets in the grid, as in [[-1, 0], [1, 0]]")
    offsets = [[each] if _is_whole(each) else each for each in given]
    for number, each in enumerate(offsets, 1):
        if not isinstance(each, list) or not each or not all(map(_is_whole, each)):
            raise ProgramError(f"{where}: offset {number}: give whole numbers, not {each!r}")
    return tuple(tuple(each) for each in offsets)


def _read_extents(given: Any, where: str) -> tuple[Expression, ...]:
    """Sizes of the extents of an array; a number alone is one extent."""
    given = given if isinstance(given, list) else [given]
    if not given:
        raise ProgramError(f"{where}: give at least one extent")
    return tuple(read_expression(each, f"{where} {n}") for n, each in enumerate(given, 1))


def read_distribution(given: Any, where: str) -> tuple[str, ...]:
    """Words of the distribution of an array, one for each extent."""
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list):
        raise ProgramError(f"{where}: give a word for each extent: block, block 1 or whole")
    for each in given:
        kind, _, dimension = each.partition(" ") if isinstance(each, str) else ("", "", "")
        is_block = kind == BLOCK and (dimension.isdecimal() or each == BLOCK)
        if not is_block and each != WHOLE:
            raise ProgramError(
                f"{where}: no {each!r}: one of block, block 1 (any dimension), whole"
            )
    return tuple(given)


def _read_distributions(given: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise ProgramError(f'{where}: give a table, as in {{ A = ["block", "whole"] }}')
    return {name: read_distribution(each, f"{where}: {name}") for name, each in given.items()}


def _read_names(given: Any, where: str) -> tuple[str, ...]:
    """Names; a text alone is one name."""
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ProgramError(f"{where}: give a list of names, not {given!r}")
    return tuple(given)


def _names(default: Any, meaning: str) -> Any:
    return custom(default, _read_names, _NAMES, meaning)


def _section(meaning: str, *, has_own: bool = False) -> Any:
    return custom(None, _read_ranges if has_own else _read_section, RANGES, meaning)


def _widths(meaning: str) -> Any:
    return custom(None, _read_widths, WIDTHS, meaning)


@dataclass(frozen=True, kw_only=True)
class DataPhase:
    """Fields of all phases."""

    name: str = declare("", "for reports, `wait` and `serial`; default: the kind")


@dataclass(frozen=True, kw_only=True)
class Timed(DataPhase):
    """A part with exactly one time."""

    time_ns: Expression | None = declare(None, "time on one process of the measured machine")
    operations: Expression | None = declare(None, "number of operations, instead of a time")
    iteration_ns: Expression | None = declare(None, "time of each iteration of a loop over `array`")


@dataclass(frozen=True, kw_only=True)
class Startable(DataPhase):
    """An operation that a later `wait` can complete."""

    nonblocking: bool = declare(False, "only starts; a `wait` in the same list completes it")


@dataclass(frozen=True, kw_only=True)
class Serial(Timed):
    """Computation that is not shared."""

    on: str | None = choice(
        None, "all", "first", meaning="run by all processes (default) or by process 0"
    )
    array: str | None = declare(None, "run by those who have any of the section `over`")
    over: tuple[DescribedRange, ...] | None = _section("section of `array`; default: all of it")


@dataclass(frozen=True, kw_only=True)
class Parallel(Timed):
    """A loop over elements of an array, run by their owners; without `array` shared evenly."""

    array: str | None = declare(None, "the array")
    over: tuple[DescribedRange, ...] | None = _section("section of `array`; default: all of it")


@dataclass(frozen=True, kw_only=True)
class Exchange(Startable):
    """Neighbors in the grid exchange shadow edges, those of all arrays in one operation."""

    arrays: tuple[str, ...] = _names(MISSING, "the arrays")
    width: tuple[DescribedWidth, ...] | None = _widths(
        "`[low, high]` for each extent; default: the shadow of each array"
    )
    corners: bool = declare(False, "also with neighbors in several dimensions")


@dataclass(frozen=True, kw_only=True)
class Reduction(Startable):
    """All processes combine their values, and get the result."""

    bytes: Expression = declare(Expression("8"), "size of the values")
    array: str | None = declare(None, "only processes with a part of this array")


@dataclass(frozen=True, kw_only=True)
class Copy(Startable):
    """Copies a section to another one of the same shape; extents of 1 do not count."""

    source: str = declare(meaning="array to read", key="from")
    target: str = declare(meaning="array to write", key="to")
    from_section: tuple[DescribedRange, ...] | None = _section("default: all of `from`")
    to_section: tuple[DescribedRange, ...] | None = _section("default: all of `to`")
    order: tuple[int, ...] | None = custom(
        None, _read_numbers, _NUMBERS,
        "extent of the source for each extent of the target, from 0, without extents of 1; "
        "default: the same",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Remote(Startable):
    """Every process with a part of an array gets a section."""

    array: str = declare(meaning="array to read")
    section: tuple[DescribedRange, ...] | None = _section(
        'default: all of the array; `"own"` as a range is that of the own part of `by`',
        has_own=True,
    )
    by: str | None = declare(None, "array whose owners get the section; default: `array`")


@dataclass(frozen=True, kw_only=True)
class Io(Startable):
    """Reads or writes a file."""

    operation: str = choice(MISSING, "read", "write", meaning="direction")
    array: str | None = declare(None, "array that is read or written")
    section: tuple[DescribedRange, ...] | None = _section("section of `array`; default: all of it")
    bytes: Expression | None = declare(None, "number of bytes, instead of an array")
    mode: str = choice(
        "one", "one", "each", meaning="through process 0, or each process its own part"
    )


@dataclass(frozen=True, kw_only=True)
class Pipelined(Timed):
    """A loop whose iterations depend on others; processes pass edges on step by step."""

    array: str = declare(meaning="the array")
    over: tuple[DescribedRange, ...] | None = _section("section of `array`; default: all of it")
    width: tuple[DescribedWidth, ...] | None = _widths(
        "`[low, high]` for each extent: iterations depend on those `low` before or `high` after; "
        "one of both is 0; default: the shadow of the array"
    )
    along: Expression | None = declare(
        None, "extent that the steps run along, from 0; default: the last one that is not cut"
    )
    quantum: Expression | None = declare(None, "indices in each step; default: the best")


@dataclass(frozen=True, kw_only=True)
class Neighbours(Startable):
    """Every process sends a message to the processes at given offsets in the grid."""

    offsets: tuple[tuple[int, ...], ...] = custom(
        MISSING,
        _read_offsets,
        "list of offsets",
        "offset in each dimension of the grid: `[[-1, 0], [1, 0]]`",
    )
    bytes: Expression = declare(meaning="size of each message")
    periodic: bool = declare(False, "the grid is a torus")


@dataclass(frozen=True, kw_only=True)
class Collective(Startable):
    """A collective operation of all processes."""

    operation: str = choice(MISSING, *COLLECTIVES, meaning="MPI name without MPI_")
    bytes: Expression = declare(Expression("0"), "bytes that one process gives or gets")
    root: Expression = declare(Expression("0"), "process that gives or gets the data")


@dataclass(frozen=True, kw_only=True)
class Loop(DataPhase):
    """A serial loop around phases."""

    iterations: Expression = declare(meaning="how often its phases are run, at least once")
    phases: tuple[DataPhase, ...] = declare(meaning="phases in order", key="phase")


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Phases that are run with a probability."""

    probability: Expression = declare(meaning="from 0 to 1; all together at most 1")
    phases: tuple[DataPhase, ...] = declare(meaning="phases in order", key="phase")


@dataclass(frozen=True, kw_only=True)
class Branch(DataPhase):
    """One of several alternatives, or with the rest of the probability nothing."""

    alternatives: tuple[Alternative, ...] = declare(meaning="alternatives", key="alternative")


@dataclass(frozen=True, kw_only=True)
class Interval(DataPhase):
    """Phases with characteristics of their own in reports; may be nested."""

    phases: tuple[DataPhase, ...] = declare(meaning="phases in order", key="phase")


@dataclass(frozen=True, kw_only=True)
class Wait(DataPhase):
    """Completes an operation that was started earlier in the same list."""

    started: str = declare(meaning="its name; the first one if several are started", key="for")


DATA_KINDS: Mapping[str, type[DataPhase]] = {
    "serial": Serial, "parallel": Parallel, "exchange": Exchange, "reduction": Reduction,
    "copy": Copy, "remote": Remote, "io": Io, "pipelined": Pipelined, "neighbours": Neighbours,
    "collective": Collective, "loop": Loop, "branch": Branch, "interval": Interval, "wait": Wait,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ArrayTable:
    """An array and the way it lies on the grid."""

    name: str = declare(meaning="name")
    extent: tuple[Expression, ...] = custom(
        MISSING,
        _read_extents,
        "list of expressions",
        "size of each extent, an expression of parameters",
    )
    element_bytes: Expression = declare(Expression("8"), "size of an element, of parameters only")
    distribution: tuple[str, ...] | None = custom(
        None, read_distribution, "list of words",
        "a word for each extent: `block` on the next free dimension of the grid, `block 1` on that "
        "one (from 0), or `whole`; default: all `whole`",
    )  # fmt: skip
    shadow: tuple[DescribedWidth, ...] | None = _widths(
        "widths of the edges in each extent, of parameters only; default: `[1, 1]` each"
    )


@dataclass(frozen=True, kw_only=True)
class VariantTable:
    """Another way to spread the program over processes."""

    name: str = declare(meaning="name")
    grid: tuple[int, ...] | None = custom(
        None, _read_grid, _NUMBERS, "processes in each dimension; default: that of the program"
    )
    distribution: Mapping[str, tuple[str, ...]] = custom(
        {}, _read_distributions, "table", 'by array: `{ A = ["block", "whole"] }`'
    )
    serial: tuple[str, ...] = _names((), "parallel loops that all processes run as a whole")


def _read_parameters(given: Any, where: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise ProgramError(f"{where}: give a table [parameters], not {given!r}")
    return {name: _read_parameter(name, each, where) for name, each in given.items()}


def _read_parameter(name: str, given: Any, where: str) -> float:
    if not name.isidentifier() or is_grid_name(name):
        reason = "p, p1, p2, … are the grid" if is_grid_name(name) else "it is no name"
        raise ProgramError(f"{where}: {name}: {reason}: give another name")
    if not isinstance(given, int | float) or isinstance(given, bool):
        raise ProgramError(f"{where}: {name}: give a number, not {given!r}")
    return read_expression(given, f"{where}: {name}").evaluate({})


def is_grid_name(name: str) -> bool:
    """Whether a name is p, p1, p2, …: the processes of the grid."""
    return name == "p" or (name[0] == "p" and name[1:].isdecimal())


@dataclass(frozen=True, kw_only=True)
class DataTable:
    """A program of data on a grid of processes: its phases in order, `iterations` times."""

    name: str = declare("", "for reports; default: the name of the file")
    speed: float = declare(1.0, "speed of the machine that times are measured on", above=0)
    grid: tuple[int, ...] = custom(
        MISSING, _read_grid, _NUMBERS, "processes in each dimension; the values are a default"
    )
    iterations: Expression = declare(Expression("1"), "how often all phases are run")
    parameters: Mapping[str, float] = custom(
        {}, _read_parameters, "table", "numbers for expressions"
    )
    arrays: tuple[ArrayTable, ...] = declare((), "arrays", key="array")
    variants: tuple[VariantTable, ...] = declare((), "variants", key="variant")
    phases: tuple[DataPhase, ...] = declare(meaning="phases in order", key="phase")


def lists_of_phases(phase: DataPhase) -> Sequence[tuple[str, tuple[DataPhase, ...]]]:
    """The lists of phases in a phase, with the place of each for errors."""
    if isinstance(phase, Loop | Interval):
        return [("", phase.phases)]
    if isinstance(phase, Branch):
        return [(f": alternative {n}", a.phases) for n, a in enumerate(phase.alternatives, 1)]
    return []
