"""Stacked areas: parts of the time over the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.model import Drawn
from tracemill.reports.pictures.drawing import drawn, new_figure, to_files


@dataclass(frozen=True)
class Area:
    """A part of the time: its share of each stretch, 0-1, and its color."""

    name: str
    ratios: tuple[float, ...]
    color: str


@drawn
def draw_course(areas: Sequence[Area], times: Sequence[float], name: str) -> Drawn:
    """Areas over the stretches between `times` (s), of which there is one more."""
    figure = new_figure(720, 260)
    axes = figure.add_subplot()
    floor = [0.0] * (len(times) - 1)
    for area in areas:
        top = [low + max(0.0, ratio) for low, ratio in zip(floor, area.ratios, strict=True)]
        axes.stairs(
            top, times, baseline=floor, fill=True, color=area.color, linewidth=0, label=area.name
        )
        floor = top
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("time (s)")
    axes.set_ylabel("share of all locations")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), reverse=True)
    return to_files(figure, name)
