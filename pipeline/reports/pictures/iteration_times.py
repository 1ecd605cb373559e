"""Times of iterations: the mean and the longest of the processes, with outliers marked."""

from collections.abc import Sequence

from tracemill.reports.model import Drawn
from tracemill.reports.pictures.drawing import SERIES, drawn, new_figure, to_files

MOST_POINTS = 2_000
_MEAN, _LONGEST, _OUTLIER = SERIES[0], SERIES[1], SERIES[3]


@drawn
def draw_iterations(
    mean: Sequence[float], longest: Sequence[float], outliers: Sequence[int], name: str
) -> Drawn:
    """Times in s over the number of the iteration; of many iterations, the longest of each block.

    `outliers` are numbers of iterations.
    """
    figure = new_figure(720, 240)
    axes = figure.add_subplot()
    width = -(-len(mean) // MOST_POINTS)
    places = range(0, len(mean), width)
    for values, color, label in ((longest, _LONGEST, "maximum"), (mean, _MEAN, "mean")):
        points = [max(values[at : at + width]) for at in places]
        axes.plot(list(places), points, color=color, linewidth=1.2, label=label)
    marked = outliers[:MOST_POINTS]
    if marked:
        heights = [mean[at] for at in marked]
        axes.plot(marked, heights, "o", color=_OUTLIER, markersize=3.5, label="outlier")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("iteration")
    axes.set_ylabel("time (s)")
    axes.grid(visible=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return to_files(figure, name)
