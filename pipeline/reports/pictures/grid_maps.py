"""Maps of the grids of a search: evaluated ones, and those dropped by kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.pictures.drawing import INK, SERIES, drawn, new_figure, to_svg


@dataclass(frozen=True)
class Dots:
    """Grids with the same fate at their places."""

    name: str
    places: tuple[tuple[float, float], ...]


_COLORS = (SERIES[0], SERIES[1], SERIES[7], SERIES[3])
_LEAST_SIZE, _LARGEST_SIZE = 4.0, 60.0


@drawn
def draw_grid_map(
    kinds: Sequence[Dots], best: tuple[float, float] | None, labels: tuple[str, str], name: str,
    *, is_upright_linear: bool = False,
) -> str:  # fmt: skip
    """Grids at their coordinates, colored by kind, with a ring around the best one."""
    figure = new_figure(520, 420)
    axes = figure.add_subplot()
    count = sum(len(kind.places) for kind in kinds)
    size = min(_LARGEST_SIZE, max(_LEAST_SIZE, 6000 / max(count, 1)))
    for kind, color in zip(kinds, _COLORS, strict=True):
        if kind.places:
            across, up = zip(*kind.places, strict=True)
            axes.scatter(
                across, up, s=size, color=color, marker="s", linewidths=0,
                label=f"{kind.name} ({len(kind.places):,})",
            )  # fmt: skip
    if best is not None:
        axes.scatter(*best, s=140, facecolors="none", edgecolors=INK, linewidths=1.6, label="best")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    if not is_upright_linear:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(visible=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return to_svg(figure, name)
