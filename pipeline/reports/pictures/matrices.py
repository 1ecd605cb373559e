"""Amounts between ranks as a matrix, and amounts by size as bars."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tracemill.reports.model import Drawn
from tracemill.reports.pictures.drawing import INK, drawn, new_figure, to_files

_SHADES = "Blues"
_MOST_TICKS = 16


@drawn
def draw_matrix(
    amounts: Mapping[tuple[int, int], float],
    name: str,
    labels: tuple[str, str],
    write: Callable[[float], str],
    base: int = 10,
) -> Drawn:
    """Amounts by rank of row and column; `labels` say what rows and columns are.

    Amounts are written in units of powers of `base`. Shades follow the root of the amount, so that
    small ones differ from none.
    """
    from matplotlib.colors import PowerNorm

    ranks = sorted({rank for pair in amounts for rank in pair})
    places = {rank: place for place, rank in enumerate(ranks)}
    values = np.full((len(ranks), len(ranks)), np.nan)
    for (row, column), amount in amounts.items():
        values[places[row], places[column]] = amount
    side = min(560, 150 + 26 * len(ranks))
    figure = new_figure(side + 90, side)
    axes = figure.add_subplot()
    peak = float(np.nanmax(values)) if amounts else 1.0
    squares = axes.pcolormesh(
        np.ma.masked_invalid(values), cmap=_SHADES, norm=PowerNorm(0.5, 0, peak or 1.0), linewidth=0
    )
    axes.invert_yaxis()
    axes.set_aspect("equal")
    step = max(1, -(-len(ranks) // _MOST_TICKS))
    ticks = list(range(0, len(ranks), step))
    axes.set_xticks([at + 0.5 for at in ticks], [f"{ranks[at]}" for at in ticks])
    axes.set_yticks([at + 0.5 for at in ticks], [f"{ranks[at]}" for at in ticks])
    axes.set_ylabel(labels[0])
    axes.set_xlabel(labels[1])
    axes.spines[:].set_color(INK)
    bar = figure.colorbar(
        squares, ax=axes, ticks=_round_amounts(peak, base), format=lambda value, _: write(value)
    )
    bar.outline.set_visible(False)
    return to_files(figure, name)


def _round_amounts(peak: float, base: int) -> list[float]:
    """About five amounts from 0 to `peak`, round in the power of `base` that `peak` is shown in."""
    from matplotlib.ticker import MaxNLocator

    unit = float(base ** int(math.log(peak, base) + 1e-9)) if peak > 1 else 1.0
    rounded = MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(0, peak / unit)
    return [float(number) * unit for number in rounded if number * unit <= peak]


@drawn
def draw_bars(bars: Sequence[tuple[str, float]], name: str, labels: tuple[str, str]) -> Drawn:
    """A bar per class, in the given order; `labels` say what classes and bars are."""
    figure = new_figure(560, 260)
    axes = figure.add_subplot()
    axes.bar(range(len(bars)), [amount for _, amount in bars], color="#3b76af", width=0.85)
    step = max(1, -(-len(bars) // _MOST_TICKS))
    ticks = list(range(0, len(bars), step))
    axes.set_xticks(ticks, [bars[at][0] for at in ticks], rotation=45, ha="right")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.yaxis.grid(visible=True)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return to_files(figure, name)
