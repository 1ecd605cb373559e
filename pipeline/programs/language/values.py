"""Values of expressions in descriptions, and sections of arrays."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, prod

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression, ExpressionError
from tracemill.programs.language.data_kinds import (
    BLOCK,
    WHOLE,
    ArrayTable,
    DescribedRange,
    DescribedWidth,
)
from tracemill.programs.placed import Array, Range, Section, Widths

_LARGEST = 1e18
"""Larger times and sizes do not fit into the clocks of the simulation."""
_EXACT = 2**53


@dataclass(frozen=True)
class Values:
    """Values of the names in expressions: parameters, and the grid once it is chosen."""

    names: Mapping[str, float]

    def number(self, expression: Expression, where: str) -> float:
        """A finite number from 0. Raises ProgramError."""
        try:
            value = expression.evaluate(self.names)
        except ExpressionError as error:
            raise ProgramError(f"{where}: {error}") from error
        if not math.isfinite(value):
            raise ProgramError(f"{where}: {self._said(expression)} has no value: it is {value}")
        if value < 0:
            raise ProgramError(f"{where}: {self._shown(expression, value)}: it must be 0 or more")
        check_size(value, f"{where}: {self._shown(expression, value)}")
        return value

    def whole(self, expression: Expression, where: str, minimum: int = 0) -> int:
        """A whole number from a minimum. Raises ProgramError."""
        value = self.number(expression, where)
        if value != floor(value) or value > _EXACT:
            raise ProgramError(
                f"{where}: {self._shown(expression, value)}: it must be a whole number"
            )
        if value < minimum:
            raise ProgramError(
                f"{where}: {self._shown(expression, value)}: it must be {minimum} or more"
            )
        return int(value)

    def bytes(self, expression: Expression, where: str) -> int:
        """A number of bytes, rounded. Raises ProgramError."""
        return floor(self.number(expression, where) + 0.5)

    def _said(self, expression: Expression) -> str:
        used = sorted(expression.names & self.names.keys())
        values = ", ".join(f"{name} = {self.names[name]:g}" for name in used)
        return f"{expression.text!r} with {values}" if values else repr(expression.text)

    def _shown(self, expression: Expression, value: float) -> str:
        """The expression with its value; a number alone is its value."""
        try:
            float(expression.text)
        except ValueError:
            return f"{self._said(expression)} is {value:.10g}"
        return expression.text


def check_size(value: float, what: str) -> None:
    """Raise ProgramError if a time or size is too large to be simulated."""
    if value > _LARGEST:
        raise ProgramError(f"{what}: it must be {_LARGEST:g} or less")


def section_of(
    array: Array, ranges: Sequence[DescribedRange] | None, values: Values, where: str
) -> Section:
    """A section without ranges of own parts; by default the whole array."""
    if ranges is None:
        return array.whole
    found = ranges_of(array, ranges, values, where)
    return tuple(each for each in found if each is not None)


def ranges_of(
    array: Array, ranges: Sequence[DescribedRange], values: Values, where: str
) -> tuple[Range | None, ...]:
    """Ranges in each extent of an array. Raises ProgramError if one lies outside."""
    check_length(array, ranges, "[first, last]", where)
    return tuple(
        None if each is None else _range_of(each, array, n, values, f"{where}: extent {n + 1}")
        for n, each in enumerate(ranges)
    )


def _range_of(
    described: tuple[Expression, Expression], array: Array, extent: int, values: Values, where: str
) -> Range:
    first, last = (values.whole(each, where) for each in described)
    size = array.extent[extent]
    if first > last or last >= size:
        raise ProgramError(
            f"{where}: no range [{first}, {last}] in {array.name}: indices go from 0 to {size - 1}"
        )
    return first, last


def check_length(array: Array, given: Sequence[object], form: str, where: str) -> None:
    """Raise ProgramError unless there is one of something for each extent of an array."""
    if len(given) != len(array.extent):
        count = len(array.extent)
        raise ProgramError(
            f"{where}: {len(given)} given, but {array.name} has {count} "
            f"extent{'s' if count > 1 else ''}: give {form} for each"
        )


def array_of(
    table: ArrayTable,
    distribution: Sequence[str] | None,
    dimensions: int,
    values: Values,
    where: str,
    spread: str,
) -> Array:
    """An array on a grid; `spread` is the place of its distribution."""
    extent = tuple(
        values.whole(e, f"{where}: extent {n}", 1) for n, e in enumerate(table.extent, 1)
    )
    array = Array(
        table.name,
        extent,
        values.whole(table.element_bytes, f"{where}: element_bytes", 1),
        (None,) * len(extent),
        ((1, 1),) * len(extent),
    )
    size = prod(extent) * array.element_bytes
    check_size(size, f"{where}: extent: the array has {size:.3g} bytes")
    shadow = widths_of(array, table.shadow, values, f"{where}: shadow")
    if distribution is None:
        return Array(array.name, extent, array.element_bytes, array.distribution, shadow)
    check_length(array, distribution, "a word", spread)
    lies_on = dimensions_of(distribution, dimensions, spread)
    return Array(array.name, extent, array.element_bytes, lies_on, shadow)


def widths_of(
    array: Array, given: Sequence[DescribedWidth] | None, values: Values, where: str
) -> Widths:
    """Widths in each extent; by default the shadow of the array."""
    if given is None:
        return array.shadow
    check_length(array, given, "[low, high]", where)
    return tuple(
        (values.whole(low, f"{where}: extent {n}"), values.whole(high, f"{where}: extent {n}"))
        for n, (low, high) in enumerate(given, 1)
    )


def dimensions_of(
    distribution: Sequence[str], dimensions: int, where: str
) -> tuple[int | None, ...]:
    """Dimension of the grid that each extent lies on, None if the extent is whole.

    `block` means the first dimension that no earlier extent lies on.
    """
    found: list[int | None] = []
    for word in distribution:
        free = (each for each in range(dimensions + 1) if each not in found)
        on = None if word == WHOLE else next(free) if word == BLOCK else int(word.split()[1])
        if on is not None and on >= dimensions:
            raise ProgramError(
                f"{where}: {word!r}: no dimension {on}: the grid has {dimensions}, from 0"
            )
        if on is not None and on in found:
            raise ProgramError(f"{where}: {word!r}: dimension {on} is taken by another extent")
        found.append(on)
    return tuple(found)
