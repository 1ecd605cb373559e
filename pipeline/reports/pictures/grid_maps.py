"""Maps of the grids of a search: evaluated ones, and those dropped by kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.pictures.drawing import INK, SERIES, drawn, new_figure, to_svg

_COLORS = (SERIES[0], SERIES[1], SERIES[7], SERIES[3])
_LEAST_SIZE, _LARGEST_SIZE = 5.0, 40.0
_SHADE = 0.45


@dataclass(frozen=True)
class Dots:
    """Grids with the same fate at their places; `is_main` ones stand out."""

    name: str
    places: tuple[tuple[float, float], ...]
    is_main: bool = False


@drawn
def draw_grid_map(
    kinds: Sequence[Dots],
    best: tuple[float, float] | None,
    labels: tuple[str, str],
    name: str,
    *,
    has_linear_height: bool = False,
) -> str:
    """Grids at their places, colored by kind, with a ring around the best one.

    The first of up to four kinds is drawn last. Axes are logarithmic.
    """
    figure = new_figure(560, 400)
    axes = figure.add_subplot()
    count = sum(len(kind.places) for kind in kinds)
    size = min(_LARGEST_SIZE, max(_LEAST_SIZE, 6000 / max(count, 1)))
    for height, (kind, color) in enumerate(zip(reversed(kinds), reversed(_COLORS), strict=True), 3):
        if kind.places:
            across, up = zip(*kind.places, strict=True)
            axes.scatter(
                across, up, s=3 * size if kind.is_main else size, color=color, linewidths=0,
                alpha=1.0 if kind.is_main else _SHADE, zorder=height,
                label=f"{kind.name} ({len(kind.places):,})",
            )  # fmt: skip
    if best is not None:
        axes.scatter(
            *best, s=160, facecolors="none", edgecolors=INK, linewidths=1.6, zorder=9, label="best"
        )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    if not has_linear_height:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(visible=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), reverse=True)
    return to_svg(figure, name)
