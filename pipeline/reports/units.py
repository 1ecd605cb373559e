"""Values as short text: times, amounts, counts and shares."""

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from math import isfinite

from tracemill.base.names import make_visible, shorten

ABSENT = "–"
_TIME_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))
# Numbers below it would lose digits to the zeros before them.
_SMALL = 0.1
# Fractions of larger amounts do not matter.
_LARGE = 1_000
# Larger whole numbers are counts, such as those of counters; smaller ones may be ratios.
_WHOLE = 10
# Efficiencies below them are bad, or need attention.
BAD, FAIR = 0.5, 0.8
# From ten times as much on, percents only make numbers longer.
LARGE_CHANGE = 9.0
_MOST_KEPT = 10_000
"""Formatted values that are kept: page and text of a report show the same ones."""
_SIZE_STEPS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

Value = str | int | float | bool | None


class Unit(StrEnum):
    """The content of a report column, derived from the end of its name."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    PROBLEM = "problem size"
    TIME = "time"
    SIZE = "bytes"
    COUNT = "count"
    SHARE = "ratio"
    PERCENT = "percent"
    TIME_CHANGE = "change of time"
    SIZE_CHANGE = "change of bytes"
    AMOUNT_CHANGE = "change of amount"
    SHARE_CHANGE = "change by a ratio"
    POINTS = "change of a ratio"

    @property
    def is_additive(self) -> bool:
        """Amounts that a bar can show; not names, ranks or shares."""
        return self in (Unit.TIME, Unit.SIZE, Unit.COUNT)


_UNIT_OF_ENDING = {
    "ns": Unit.TIME,
    "bytes": Unit.SIZE,
    "count": Unit.COUNT,
    "ratio": Unit.SHARE,
    "size": Unit.PROBLEM,
}


def unit_of(column: str, values: tuple[Value, ...]) -> Unit:
    """Unit of a column by the naming rules of the tables, else by its values."""
    if column == "confidence":
        return Unit.PERCENT
    unit = _UNIT_OF_ENDING.get(column.rsplit("_", 1)[-1])
    if unit:
        return unit
    is_number = all(isinstance(value, int | float | None) for value in values)
    return Unit.NUMBER if values and is_number else Unit.TEXT


def format_value(value: Value, unit: Unit) -> str:
    """Text of a cell; null is a dash."""
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return shorten(make_visible(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _format(value or abs(value), unit)  # zero without a sign


@lru_cache(_MOST_KEPT, typed=True)
def _format(value: float, unit: Unit) -> str:
    return _FORMATS[unit](value) if isfinite(value) else ABSENT


def format_time(nanoseconds: float) -> str:
    """Time in the unit with one to three digits before the point: '12.3 ms'."""
    size = abs(nanoseconds)
    for step, name in _TIME_STEPS:
        # 999.96 µs rounds to 1000 µs and is better shown as 1.00 ms.
        if size >= step * 0.99995:
            digits = 4 if step == _TIME_STEPS[0][0] else 3
            return f"{_significant(nanoseconds / step, digits)} {name}"
    return "0 s"


def format_size(size: float) -> str:
    """Bytes with binary prefixes: '1.50 MiB'."""
    power = 0
    while abs(size) >= 1023.95 and power < len(_SIZE_STEPS) - 1:
        size, power = size / 1024, power + 1
    text = f"{size:.0f}" if power == 0 else _significant(size, 3)
    return f"{text} {_SIZE_STEPS[power]}"


def format_count(count: float) -> str:
    """A count: '1,234'."""
    return f"{count:,.0f}"


def format_share(share: float) -> str:
    """A share in percent; small shares stay visible: '<0.01%'.

    Without a space, because terminals would break the line there.
    """
    percent = share * 100
    if percent == 0:
        return "0%"
    if abs(percent) < 0.01:
        return "<0.01%"
    return f"{percent:.2f}%" if abs(percent) < 0.995 else f"{percent:.1f}%"


def grade_of(efficiency: Value) -> str:
    """The grade of an efficiency, which names its color; empty without a number."""
    if not isinstance(efficiency, int | float) or not isfinite(efficiency):
        return ""
    return "bad" if efficiency < BAD else "fair" if efficiency < FAIR else "good"


def with_sign(change: float, format: Callable[[float], str]) -> str:
    """A change with its sign, including plus."""
    return f"+{format(change)}" if change > 0 else format(change)


def format_share_change(share: float) -> str:
    """A relative change: '+12.3%', or '×37' if it is large; 'new' if it was zero."""
    if not isfinite(share):
        return "new"
    if share >= LARGE_CHANGE:
        return f"×{_significant(share + 1, 3)}"
    return with_sign(share, format_share) if abs(share) >= 0.0001 else format_share(share)


def _significant(value: float, digits: int) -> str:
    whole = len(str(int(abs(float(f"{value:.{digits}g}")))))
    return f"{value:,.{max(0, digits - whole)}f}"


def _format_number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if value.is_integer() and abs(value) >= _WHOLE:
        return f"{value:,.0f}"
    return f"{value:.3g}" if 0 < abs(value) < _SMALL else _significant(value, 4)


def _format_amount(value: float) -> str:
    """All digits of a whole amount: '1,048,576'; else whole ones from 1,000 on: '27,035'."""
    if float(value).is_integer():
        return f"{value:,.12g}"
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.4g}"


def _format_problem(value: float) -> str:
    """A problem size as people write it: whole ones entirely, '8,900' for the estimate 8,867.2."""
    if float(value).is_integer() or abs(value) < _LARGE:
        return _format_amount(value)
    return f"{float(f'{value:.2g}'):,.12g}"


def _format_points(points: float) -> str:
    """A change in percentage points with its sign, or '0.0'."""
    rounded = round(points, 1)
    return f"{rounded:+.1f}" if rounded else "0.0"


_FORMATS: dict[Unit, Callable[[float], str]] = {
    Unit.TEXT: _format_number,
    Unit.NUMBER: _format_number,
    Unit.AMOUNT: _format_amount,
    Unit.PROBLEM: _format_problem,
    Unit.TIME: format_time,
    Unit.SIZE: format_size,
    Unit.COUNT: format_count,
    Unit.SHARE: format_share,
    Unit.PERCENT: lambda value: f"{value}%",
    Unit.TIME_CHANGE: lambda value: with_sign(value, format_time),
    Unit.SIZE_CHANGE: lambda value: with_sign(value, format_size),
    Unit.AMOUNT_CHANGE: lambda value: with_sign(value, _FORMATS[Unit.AMOUNT]),
    Unit.SHARE_CHANGE: format_share_change,
    Unit.POINTS: lambda value: _format_points(100 * value),
}
