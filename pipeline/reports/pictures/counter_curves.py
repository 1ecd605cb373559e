"""Curves of counters over the time of the run, as SVG text without a library for drawing."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from tracemill.reports.pictures.drawing import SERIES

MOST_CURVES = 8
_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _BOTTOM = 76, 12, 36
_LINE = 14
_TICKS = 5


@dataclass(frozen=True, kw_only=True)
class CounterCurve:
    """A counter of a part of the system in the middle of every bin (s).

    `is_as_recorded`: the values are those of the trace, not their differences.
    """

    counter: str
    part: str
    unit: str
    seconds: tuple[float, ...]
    values: tuple[float, ...]
    is_derived: bool
    is_as_recorded: bool

    @property
    def family(self) -> str:
        """The name with * in place of the number of a device."""
        return re.sub(r"((?:device|gpu|socket|core|hwmon)=?)\d+", r"\1*", self.counter)

    @property
    def label(self) -> str:
        """Counter and part of the system."""
        return f"{self.counter} ({self.part})"


def draw_counters(curves: Sequence[CounterCurve]) -> str:
    """The first curves in one figure: their names, below them the plot with its axes."""
    curves = curves[:MOST_CURVES]
    top = float(_LINE * len(curves) + 16)
    seconds, x = _axis([time for curve in curves for time in curve.seconds], _LEFT, _WIDTH - _RIGHT)
    bottom = top + _HEIGHT - _BOTTOM
    heights, y = _axis([value for curve in curves for value in curve.values], bottom, top)
    body = [
        *(_line(_LEFT, _WIDTH - _RIGHT, y(at), y(at), name) for at, name in _named(heights)),
        *(_line(x(at), x(at), top, bottom, name) for at, name in _named(seconds)),
        _text(2, top - 5, curves[0].unit, "start"),
        _text(_WIDTH / 2, bottom + 2 * _LINE + 4, "time in s", "middle"),
    ]
    for number, (curve, color) in enumerate(zip(curves, SERIES, strict=False)):
        places = zip(curve.seconds, curve.values, strict=True)
        points = " ".join(f"{x(time):.1f},{y(value):.1f}" for time, value in places)
        body.append(f'<polyline points="{points}" stroke="{color}" stroke-width="1.2"/>')
        body += _legend(number, curve.label, color)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + _BOTTOM}" '
        f'width="{_WIDTH}" fill="none" font-family="sans-serif" font-size="11">'
        f"{''.join(body)}</svg>"
    )


def _axis(
    numbers: Sequence[float], begin: float, end: float
) -> tuple[list[float], Callable[[float], float]]:
    """Round numbers to write at an axis that holds all numbers, and the place of a number."""
    low, high = min(numbers), max(numbers)
    scale = (end - begin) / (high - low or 1.0)
    return _round_ticks(low, high), lambda number: begin + (number - low) * scale


def _legend(number: int, name: str, color: str) -> Iterator[str]:
    at = _LINE * (number + 0.6)
    yield f'<path d="M{_LEFT} {at:.1f}h18" stroke="{color}" stroke-width="2"/>'
    yield _text(_LEFT + 24, at + 4, name, "start")


def _line(left: float, right: float, top: float, bottom: float, name: str) -> str:
    """A line of the grid with its value: beside a level one, below an upright one."""
    line = (
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
        'stroke="currentColor" stroke-opacity="0.18"/>'
    )
    if top == bottom:
        return line + _text(left - 5, top + 4, name, "end")
    return line + _text(left, bottom + _LINE, name, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="currentColor">{escape(text)}</text>'


def _round_ticks(low: float, high: float) -> list[float]:
    """Round numbers within a range: multiples of 1, 2 or 5 times a power of ten."""
    if high <= low:
        return [low]
    power = 10.0 ** floor(log10((high - low) / _TICKS))
    step = next(power * each for each in (1, 2, 5, 10) if power * each * _TICKS >= high - low)
    return [step * each for each in range(ceil(low / step), floor(high / step) + 1)] or [low]


def _named(ticks: Sequence[float]) -> Iterator[tuple[float, str]]:
    """Ticks with as many digits as neighbors need to differ, and at least 6."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 0.0
    most = max(map(abs, ticks))
    digits = max(6, 2 + floor(log10(most / step))) if step else 6
    yield from ((at, f"{at:.{digits}g}") for at in ticks)
