"""Parts of a time over the number of processes, as stacked bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.pictures.drawing import drawn, new_figure, to_svg
from tracemill.schemas.path_changes import VERDICTS

SHADES = dict(
    zip(
        VERDICTS,
        (
            ("#c53a32", "#e06f5f", "#f0a58f", "#f7cfc0"),
            ("#6f4fa0", "#9376bd", "#b7a1d6", "#d9cdea"),
            ("#2f6496", "#5a8fc0", "#8db6da", "#c0d7ec"),
        ),
        strict=True,
    )
)
"""Colors of parts by verdict, one after the other."""
GRAYS = ("#8a8a8a", "#c4c4c4")
LEAST_WRITTEN = 0.08
"""Smallest part of a bar, of the highest one, whose share is written into it."""


@dataclass(frozen=True)
class Part:
    """A named part of all bars, with its verdict, and its values by number of processes."""

    name: str
    verdict: str
    values: tuple[float, ...]


@drawn
def draw_stacks(processes: Sequence[int], parts: Sequence[Part], name: str) -> str:
    """A bar per number of processes, with the share of each large part of it."""
    figure = new_figure(520, 320)
    axes = figure.add_subplot()
    totals = [sum(part.values[at] for part in parts) for at in range(len(processes))]
    bottoms = [0.0] * len(processes)
    used = dict.fromkeys((*SHADES, ""), 0)
    for part in parts:
        shades = SHADES.get(part.verdict, GRAYS)
        color = shades[used[part.verdict] % len(shades)]
        used[part.verdict] += 1
        label = f"{part.name} ({part.verdict})" if part.verdict else part.name
        axes.bar(range(len(processes)), part.values, bottom=bottoms, color=color, label=label,
                 width=0.7)  # fmt: skip
        for at, value in enumerate(part.values):
            if value >= LEAST_WRITTEN * max(totals):
                axes.text(at, bottoms[at] + value / 2, f"{value / totals[at]:.0%}", ha="center",
                          va="center", color="white", fontsize=8)  # fmt: skip
        bottoms = [low + value for low, value in zip(bottoms, part.values, strict=True)]
    axes.set_xticks(range(len(processes)), [f"{p}" for p in processes])
    axes.set_xlabel("processes")
    axes.set_ylabel("critical path in s")
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
    return to_svg(figure, name)
