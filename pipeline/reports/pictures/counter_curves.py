"""Curves of counters over the time of the run."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.pictures.drawing import SERIES, drawn, new_figure, to_svg

MOST_CURVES = 8


@dataclass(frozen=True, kw_only=True)
class CounterCurve:
    """A counter of a part of the system in the middle of every bin (s).

    `is_as_recorded`: the values are those of the trace, not their differences.
    """

    counter: str
    part: str
    unit: str
    seconds: tuple[float, ...]
    values: tuple[float, ...]
    is_derived: bool
    is_as_recorded: bool

    @property
    def family(self) -> str:
        """The name with * in place of the number of a device."""
        return re.sub(r"((?:device|gpu|socket|core|hwmon)=?)\d+", r"\1*", self.counter)

    @property
    def label(self) -> str:
        """Counter and part of the system."""
        return f"{self.counter} ({self.part})"


@drawn
def draw_counters(curves: Sequence[CounterCurve], name: str) -> str:
    """The first curves in one figure."""
    figure = new_figure(640, 260)
    axes = figure.add_subplot()
    for number, curve in enumerate(curves[:MOST_CURVES]):
        axes.plot(
            curve.seconds, curve.values, linewidth=1.2,
            color=SERIES[number % len(SERIES)], label=curve.label,
        )  # fmt: skip
    axes.set_xlabel("time in s")
    axes.set_ylabel(curves[0].unit)
    axes.grid(visible=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize="small")
    return to_svg(figure, name)
