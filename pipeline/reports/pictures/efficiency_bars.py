"""Efficiencies as bars, each below the one it is a factor of."""

from collections.abc import Sequence

from tracemill.reports.model import Bar, Drawn
from tracemill.reports.pictures.drawing import drawn, new_figure, to_files
from tracemill.reports.units import Unit, format_value, grade_of

_COLORS = {"bad": "#d0695a", "fair": "#dcb65e", "good": "#84b577"}
_INDENT = "    "
_HEIGHT, _FRAME = 24, 70


@drawn
def draw_efficiency_bars(bars: Sequence[Bar], name: str, caveat: str = "") -> Drawn:
    """A bar per efficiency, in the color of its grade, with its value at its end."""
    figure = new_figure(560, _FRAME + _HEIGHT * (len(bars) + bool(caveat)))
    axes = figure.add_subplot()
    places = range(len(bars))
    ratios = [bar.ratio for bar in bars]
    axes.barh(places, ratios, color=[_COLORS[grade_of(ratio)] for ratio in ratios], height=0.7)
    for place, ratio in zip(places, ratios, strict=True):
        text = format_value(ratio, Unit.SHARE)
        axes.annotate(
            text, (max(ratio, 0.0), place), xytext=(4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(list(places), [f"{_INDENT * bar.level}{bar.title}" for bar in bars], ha="left")
    axes.tick_params(axis="y", length=0, pad=150)
    axes.invert_yaxis()
    axes.set_xlim(0, max(1.0, *ratios))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel(caveat)
    axes.spines[["top", "right"]].set_visible(False)
    return to_files(figure, name)
