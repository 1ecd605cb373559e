"""Plots as SVG text in the colors of the page, without a library for drawing."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from math import log2

from tracemill.reports.pictures.curves import BAND, Curve
from tracemill.reports.pictures.stacks import GRAYS, SHADES, Part
from tracemill.reports.units import format_share, format_time

WIDTH, HEIGHT = 370, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 10, 12, 34
_LABELS = 128
"""Width of the names beside stacked bars."""
_LINE = 14
MOST_TICKS = 8
LONGEST_NAME = 13
LEAST_NAMED = 0.02
"""Smallest part of the last bar that has a name beside it."""
_NANOSECONDS = 1e9


def draw_speed_up(curves: Sequence[Curve], title: str) -> str:
    """Speed-up per curve over processes, both doubling, with the ideal and the band below it."""
    counts = sorted({count for curve in curves for count in curve.processes})
    values = [value for curve in curves for value in curve.values]
    low, high = float(counts[0]), float(max(counts[-1], *values, 2 * counts[0]))
    floor = min(low, *values)

    def x(count: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * _position(count, low, counts[-1])

    def y(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - _position(value, floor, high))

    first, last = (x(low), y(low)), (x(counts[-1]), y(counts[-1]))
    below = [(x(count), y(max(BAND * count, floor))) for count in (counts[-1], low)]
    body = [
        *(_grid_line(y(tick), f"{tick:g}") for tick in _doublings(floor, high)),
        *_ticks([(x(count), f"{count}") for count in _few(counts)]),
        f'<polygon class="band" points="{_points([first, last, *below])}"/>',
        f'<polyline class="ideal" points="{_points([first, last])}"/>',
    ]
    for number, curve in enumerate(curves):
        places = [(x(p), y(value)) for p, value in zip(curve.processes, curve.values, strict=True)]
        body += _curve(number, curve, places)
    names = ["ideal, and within 80% of it", *(curve.name for curve in curves)]
    return _svg(title, [*body, *_legend(names)])


def _position(value: float, low: float, high: float) -> float:
    """The place of a value between two others, 0–1, by its logarithm."""
    return log2(value / low) / log2(high / low) if high > low else 0.0


def _doublings(low: float, high: float) -> list[float]:
    """Powers of two within a range."""
    found = [2.0**power for power in range(-4, 24) if low <= 2.0**power <= high]
    return found[:: max(1, -(-len(found) // MOST_TICKS))]


def _few(counts: Sequence[int]) -> list[int]:
    step = max(1, -(-len(counts) // MOST_TICKS))
    return list(counts[::-1][::step])


def _curve(number: int, curve: Curve, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    style = f"s{number % 8}"
    yield f'<polyline class="curve {style}" points="{_points(places)}"/>'
    for (cx, cy), count, value in zip(places, curve.processes, curve.values, strict=True):
        said = escape(f"{curve.name}: {value:.3g} with {count}")
        yield (
            f'<circle class="{style}" cx="{cx:.1f}" cy="{cy:.1f}" r="3"><title>{said}</title>'
            "</circle>"
        )


def _legend(names: Sequence[str]) -> Iterator[str]:
    """The names of the curves in the upper left, where no curve is; the first is the ideal."""
    for number, name in enumerate(names):
        at = _TOP + 6 + number * _LINE
        style = "ideal" if number == 0 else f"curve s{(number - 1) % 8}"
        line = _points([(_LEFT + 8, at), (_LEFT + 26, at)])
        yield f'<polyline class="{style}" points="{line}"/>'
        yield f'<text x="{_LEFT + 31}" y="{at + 4}">{escape(name)}</text>'


def draw_stacks(processes: Sequence[int], parts: Sequence[Part], title: str) -> str:
    """A bar per number of processes, its parts one on the other, named beside the last bar."""
    totals = [sum(part.values[at] for part in parts) for at in range(len(processes))]
    depth = HEIGHT - _TOP - _BOTTOM - _LINE
    scale = depth / (max(totals) or 1.0)
    step = (WIDTH - _LABELS) / len(processes)
    wide = min(0.72 * step, 48)
    bottom = float(HEIGHT - _BOTTOM)
    body: list[str] = []
    for at, total in enumerate(totals):
        left = step * (at + 0.5) - wide / 2
        tops = accumulate((part.values[at] * scale for part in parts), initial=0.0)
        for (low, high), part, color in zip(pairwise(tops), parts, _colors(parts), strict=True):
            said = escape(f"{part.name}, {_describe(part, at, totals)}")
            body.append(
                f'<rect x="{left:.1f}" y="{bottom - high:.1f}" width="{wide:.1f}" '
                f'height="{high - low:.1f}" fill="{color}"><title>{said}</title></rect>'
            )
        text = format_time(total * _NANOSECONDS)
        if len(processes) <= MOST_TICKS:
            body.append(_text(left + wide / 2, bottom - total * scale - 4, text, "middle"))
    few = _few(processes)
    ticks = [(step * (at + 0.5), f"{p}") for at, p in enumerate(processes) if p in few]
    names = _names(parts, totals[-1], bottom, scale, WIDTH - _LABELS + 2)
    return _svg(title, [*body, *_ticks(ticks, (WIDTH - _LABELS) / 2), *names])


def _describe(part: Part, at: int, totals: Sequence[float]) -> str:
    share = part.values[at] / totals[at] if totals[at] else 0.0
    verdict = f", {part.verdict}" if part.verdict else ""
    return f"{format_time(part.values[at] * _NANOSECONDS)}, {format_share(share)}{verdict}"


def _colors(parts: Sequence[Part]) -> Iterator[str]:
    """Shades of the color of each verdict, one after the other."""
    used = dict.fromkeys((*SHADES, ""), 0)
    for part in parts:
        shades = SHADES.get(part.verdict, GRAYS)
        yield shades[used[part.verdict] % len(shades)]
        used[part.verdict] += 1


def _names(
    parts: Sequence[Part], total: float, bottom: float, scale: float, left: float
) -> Iterator[str]:
    """The names of the parts of the last bar, from below, none over another."""
    tops = accumulate((part.values[-1] for part in parts), initial=0.0)
    middles = [bottom - scale * (low + high) / 2 for low, high in pairwise(tops)]
    named = [
        (middle, part, color)
        for middle, part, color in zip(middles, parts, _colors(parts), strict=True)
        if total and part.values[-1] >= LEAST_NAMED * total
    ]
    lowest = bottom - 2
    for number, (middle, part, color) in enumerate(named):
        at = max(min(middle, lowest), _TOP + _LINE * (len(named) - number - 1))
        lowest = at - _LINE
        name = part.name if len(part.name) <= LONGEST_NAME else f"{part.name[: LONGEST_NAME - 1]}…"
        text = f"{name} {part.values[-1] / total:.0%}"
        yield f'<rect x="{left:.1f}" y="{at - 4:.1f}" width="8" height="8" fill="{color}"/>'
        yield _text(left + 12, at + 4, text, "start")


def _grid_line(y: float, name: str) -> str:
    line = f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return line + _text(_LEFT - 5, y + 4, name, "end")


def _ticks(places: Sequence[tuple[float, str]], middle: float = WIDTH / 2) -> Iterator[str]:
    """Process counts below the plot, and what they are."""
    for x, name in places:
        yield _text(x, HEIGHT - _BOTTOM + 15, name, "middle")
    yield _text(middle, HEIGHT - 4, "processes", "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _svg(title: str, body: Sequence[str]) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}"><title>{escape(title)}</title>'
        f"{''.join(body)}</svg>"
    )
