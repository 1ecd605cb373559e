"""Timelines: the activity of every location over the run as stripes."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracemill.reports.model import Drawn
from tracemill.reports.pictures.drawing import drawn, new_figure, to_files

_MOST_TICKS = 32


@drawn
def draw_timeline(
    names: Sequence[str],
    stripes: NDArray[np.int64],
    span: tuple[float, float],
    legend: Mapping[str, str],
    name: str,
) -> Drawn:
    """A stripe for each name; `stripes` has the part of every name and bin of a span (s).

    Parts are positions in the legend, which has their colors; -1 is none.
    """
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    figure = new_figure(760, 90 + min(640, max(60, 14 * len(names))))
    axes = figure.add_subplot()
    colors = np.array([*map(to_rgb, legend.values()), (1.0, 1.0, 1.0)])  # -1 is the last: white
    extent = (*span, len(names) - 0.5, -0.5)
    axes.imshow(colors[stripes], aspect="auto", interpolation="nearest", extent=extent)
    ticks = range(0, len(names), max(1, -(-len(names) // _MOST_TICKS)))
    axes.set_yticks(list(ticks), [names[at] for at in ticks])
    axes.set_xlabel("time (s)")
    axes.set_ylabel("rank.thread" if any("." in each.split()[0] for each in names) else "rank")
    axes.spines[["top", "right"]].set_visible(False)
    patches = [Patch(color=color, label=part) for part, color in legend.items()]
    axes.legend(handles=patches, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return to_files(figure, name)
