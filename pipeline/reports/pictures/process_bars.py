"""Stacked bars of the parts of the time of each process, as plain SVG.

Matplotlib would take longer than all other parts of the page: a page has many of these pictures.
"""

from collections.abc import Iterator, Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from tracemill.reports.part_styles import style_of
from tracemill.reports.units import format_time

WIDTH, HEIGHT = 900.0, 150.0
MOST_BARS = 200
SPACED_BARS = 64
_GAP, _LEGEND_GAP, _LINE = 0.25, 26, 22


def draw_process_bars(parts: Mapping[str, NDArray[np.int64]]) -> str:
    """The picture of parts of the time in ns, each with a value for each process.

    More processes than fit are drawn as means of adjacent processes.
    """
    count = len(next(iter(parts.values())))
    merged = {part: _merge(values) for part, values in parts.items()}
    peak = max(float(sum(merged.values()).max()), 1.0)  # type: ignore[union-attr]
    low = np.zeros(len(next(iter(merged.values()))))
    drawn = []
    for part, values in merged.items():
        high = low + values / peak * HEIGHT
        drawn.append(
            f'<path class="{style_of(part)}" d="{"".join(_bars(low, high))}"><title>'
            f"{escape(part)}</title></path>"
        )
        low = high
    height = HEIGHT + 2 * _LINE
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" width="100%" font-size="13">'
        f"{''.join(drawn)}{_axis(count, peak)}{''.join(_legend(list(parts)))}</svg>"
    )


def _merge(values: NDArray[np.int64]) -> NDArray[np.float64]:
    size = -(-len(values) // MOST_BARS)
    starts = np.arange(0, len(values), size)
    lengths = np.diff(np.append(starts, len(values)))
    means: NDArray[np.float64] = np.add.reduceat(values.astype(np.float64), starts) / lengths
    return means


def _bars(low: NDArray[np.float64], high: NDArray[np.float64]) -> Iterator[str]:
    """A rectangle for each bar with a height; y grows downward."""
    step = WIDTH / len(low)
    width = step * (1 - _GAP) if len(low) <= SPACED_BARS else step
    for number, (bottom, top) in enumerate(zip(low, high, strict=True)):
        if top > bottom:
            x, y = number * step, HEIGHT - top
            yield f"M{x:.1f} {y:.1f}h{width:.1f}v{top - bottom:.1f}h-{width:.1f}z"


def _axis(count: int, peak: float) -> str:
    y = HEIGHT + _LINE - 6
    last = f"process {count - 1}" if count > 1 else ""
    return (
        f'<g fill="currentColor" opacity=".75"><text x="0" y="{y}">process 0</text>'
        f'<text x="{WIDTH / 2}" y="{y}" text-anchor="middle">height: '
        f"{format_time(peak)}</text>"
        f'<text x="{WIDTH}" y="{y}" text-anchor="end">{last}</text></g>'
    )


def _legend(parts: list[str]) -> Iterator[str]:
    x, y = 0.0, HEIGHT + 2 * _LINE - 6
    for part in parts:
        yield f'<rect class="{style_of(part)}" x="{x:.0f}" y="{y - 10}" width="11" height="11"/>'
        yield f'<text x="{x + 16:.0f}" y="{y}" fill="currentColor">{escape(part)}</text>'
        x += 16 + 7.2 * len(part) + _LEGEND_GAP
