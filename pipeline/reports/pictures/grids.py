"""Values over a grid of processes and sizes: as a heat map, and as a surface in space."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tracemill.reports.pictures.drawing import INK, PAGE_LINK, drawn, new_figure, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

MOST_WRITTEN = 150
_MOST_LABELS = 12
_SHADES = 41
_SEQUENTIAL, _DIVERGING = "viridis", "RdBu"

Links = Mapping[tuple[int, float], str]
"""Places on the page by processes and size."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A value per number of processes (columns) and size (rows); nan where there is none.

    `is_signed` values are colored by their sign, others from `low` to `high`.
    """

    processes: tuple[int, ...]
    sizes: tuple[float, ...]
    values: NDArray[np.float64]
    label: str
    size_label: str = "problem size"
    is_signed: bool = False
    is_percent: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class MarkedCell:
    """A cell between four points of a grid, by its corners, and what is written into it."""

    processes: tuple[int, int]
    sizes: tuple[float, float]
    text: str


@drawn
def draw_heat_map(
    grid: Grid, name: str, cells: Sequence[MarkedCell] = (), links: Links | None = None
) -> str:
    """The grid as colored squares with their values; what cells say stands on their corners.

    `links` are places that the squares lead to.
    """
    width, height = _size_of_map(grid)
    figure = new_figure(width, height)
    _draw_map(figure, figure.add_subplot(), grid, cells, links or {})
    return to_svg(figure, name)


@drawn
def draw_heat_maps(left: Grid, right: Grid, name: str, links: Links) -> str:
    """Two grids beside each other, as heat maps."""
    width, height = _size_of_map(left)
    figure = new_figure(min(2 * width, 980), height)
    for axes, grid in zip(figure.subplots(1, 2), (left, right), strict=True):
        _draw_map(figure, axes, grid, (), links)
    return to_svg(figure, name)


def _size_of_map(grid: Grid) -> tuple[int, int]:
    return min(150 + 62 * len(grid.processes), 760), min(90 + 34 * len(grid.sizes), 560)


def _draw_map(
    figure: "Figure", axes: "Axes", grid: Grid, cells: Sequence[MarkedCell], links: Links
) -> None:
    # Not as a picture element: a page that may load nothing shows none.
    squares = axes.pcolormesh(
        np.ma.masked_invalid(grid.values), cmap=_colors(grid), norm=_scale(grid), linewidth=0
    )
    _label(axes, grid)
    if grid.values.size <= MOST_WRITTEN:
        _write_values(axes, grid)
        _link_squares(axes, grid, links)
        _write_cells(axes, grid, cells)
    bar = figure.colorbar(squares, ax=axes)
    bar.set_label(grid.label)
    bar.solids.set_rasterized(False)  # type: ignore[union-attr]
    bar.outline.set_visible(False)


@drawn
def draw_surface(grid: Grid, name: str, points: Grid | None = None) -> str:
    """The grid as a surface in space; `points` are drawn as such, for instance as measured.

    Corners without a value are left out, which leaves a hole.
    """
    figure = new_figure(460, 360)
    axes = figure.add_subplot(projection="3d")
    x, y = np.meshgrid(np.log2(grid.processes), np.arange(len(grid.sizes)))
    scale = _scale(grid)
    axes.plot_surface(
        x, y, grid.values, cmap=_colors(grid), norm=scale, linewidth=0.4, edgecolor=INK,
        alpha=0.85, rcount=60, ccount=60,
    )  # fmt: skip
    if points is not None:
        _scatter(axes, points, grid.sizes)
    _label_space(axes, figure, grid)
    return to_svg(figure, name)


def _scatter(axes: "Axes", points: Grid, sizes: Sequence[float]) -> None:
    px, py = np.meshgrid(np.log2(points.processes), _between(points.sizes, sizes))
    is_there = ~np.isnan(points.values)
    axes.scatter(px[is_there], py[is_there], points.values[is_there], color=INK, s=9)  # type: ignore[misc]


def _between(values: Sequence[float], sizes: Sequence[float]) -> NDArray[np.float64]:
    """Positions of values among the sizes of an axis with equal steps."""
    return np.interp(values, sizes, np.arange(len(sizes)))


def _label_space(axes: "Axes", figure: "Figure", grid: Grid) -> None:
    ticks = _few(len(grid.processes)), _few(len(grid.sizes))
    axes.set_xticks([float(np.log2(grid.processes[i])) for i in ticks[0]])
    axes.set_xticklabels([f"{grid.processes[i]}" for i in ticks[0]])
    axes.set_yticks(ticks[1])
    axes.set_yticklabels([f"{grid.sizes[i]:g}" for i in ticks[1]])
    axes.set_xlabel("processes")
    axes.set_ylabel(grid.size_label)
    axes.set_zlabel(grid.label)  # type: ignore[attr-defined]
    axes.view_init(elev=25, azim=-50)  # type: ignore[attr-defined]
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):  # type: ignore[attr-defined]
        axis.pane.set_visible(False)  # type: ignore[union-attr]
    axes.set_box_aspect(None, zoom=0.85)  # type: ignore[call-arg]


def _colors(grid: Grid) -> "Colormap":
    from matplotlib import colormaps

    return colormaps[_DIVERGING if grid.is_signed else _SEQUENTIAL].resampled(_SHADES)


def _scale(grid: Grid) -> "Normalize":
    """Colors of values; the middle of signed ones is 0."""
    from matplotlib.colors import Normalize

    there = grid.values[~np.isnan(grid.values)]
    if grid.is_signed:
        reach = float(np.abs(there).max(initial=0.0)) or 1.0
        return Normalize(-reach, reach)
    low = grid.low if grid.low is not None else float(there.min(initial=0.0))
    high = grid.high if grid.high is not None else float(there.max(initial=low))
    return Normalize(low, high if high > low else low + 1.0)


def _label(axes: "Axes", grid: Grid) -> None:
    columns, rows = _few(len(grid.processes)), _few(len(grid.sizes))
    axes.set_xticks([i + 0.5 for i in columns], [f"{grid.processes[i]}" for i in columns])
    axes.set_yticks([i + 0.5 for i in rows], [f"{grid.sizes[i]:g}" for i in rows])
    axes.set_xlabel("processes")
    axes.set_ylabel(grid.size_label)
    axes.spines[:].set_visible(False)


def _few(count: int) -> list[int]:
    """Positions of at most twelve labels, evenly spread."""
    step = max(1, -(-count // _MOST_LABELS))
    return list(range(0, count, step))


def _write_values(axes: "Axes", grid: Grid) -> None:
    scale = _scale(grid)
    for row, column in np.ndindex(grid.values.shape):
        value = float(grid.values[row, column])
        if np.isnan(value):
            axes.text(column + 0.5, row + 0.5, "–", ha="center", va="center", color=INK)
            continue
        text = _percent(value) if grid.is_percent else f"{value:.3g}"
        shade = float(scale(value))
        is_dark = shade < 0.6 if not grid.is_signed else abs(shade - 0.5) > 0.3
        axes.text(
            column + 0.5, row + 0.5, text, ha="center", va="center",
            color="white" if is_dark else "black", fontsize=8,
        )  # fmt: skip


def _percent(share: float) -> str:
    """Whole percents; small shares stay visible."""
    return f"{share:.0%}" if share == 0 or abs(share) >= 0.005 else f"{100 * share:.1g}%"


def _link_squares(axes: "Axes", grid: Grid, links: Links) -> None:
    """Lay invisible squares with links over those that have one."""
    from matplotlib.patches import Rectangle

    for row, column in np.ndindex(grid.values.shape):
        link = links.get((grid.processes[column], grid.sizes[row]))
        if link:
            square = Rectangle((column, row), 1, 1, facecolor=INK, alpha=0.0, linewidth=0)
            square.set_url(f"{PAGE_LINK}{link}")
            axes.add_patch(square)


def _write_cells(axes: "Axes", grid: Grid, cells: Sequence[MarkedCell]) -> None:
    for cell in cells:
        x = sum(grid.processes.index(p) for p in cell.processes) / 2 + 0.5
        y = sum(grid.sizes.index(size) for size in cell.sizes) / 2 + 0.5
        axes.text(
            x, y, cell.text, ha="center", va="center", fontsize=7, color="black",
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "alpha": 0.85, "linewidth": 0},
        )  # fmt: skip
