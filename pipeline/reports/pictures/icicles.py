"""A call tree to scale: boxes as wide as times, callees below their callers."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.base.names import shorten
from tracemill.reports.model import Drawn
from tracemill.reports.pictures.drawing import drawn, new_figure, to_files

WIDTH = 720
DEEPEST = 40
_LETTER = 5.2
_MARGIN = 24


@dataclass(frozen=True)
class Rectangle:
    """A call path from `begin` on, both in s; the roots have depth 0."""

    name: str
    depth: int
    begin: float
    width: float
    color: str


@drawn
def draw_icicle(boxes: Sequence[Rectangle], parts: dict[str, str]) -> Drawn:
    """The boxes down to a depth of DEEPEST; `parts` are what colors mean."""
    from matplotlib.patches import Patch

    shown = [box for box in boxes if box.depth <= DEEPEST]
    levels = max((box.depth for box in shown), default=0) + 1
    whole = max((box.begin + box.width for box in shown), default=1.0) or 1.0
    figure = new_figure(WIDTH, 70 + 18 * levels)
    axes = figure.add_subplot()
    axes.barh(
        [box.depth for box in shown], [box.width for box in shown], height=0.94,
        left=[box.begin for box in shown], color=[box.color for box in shown],
        edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    for box in shown:
        letters = int((box.width / whole * (WIDTH - _MARGIN) - 4) / _LETTER)
        if letters >= 3:
            text = shorten(box.name, letters)
            axes.text(
                box.begin + whole * 0.004, box.depth, text, va="center", color="white", fontsize=8
            )
    axes.set_xlim(0, whole)
    axes.set_ylim(levels - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_xlabel("time of all locations (s)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    handles = [Patch(color=color, label=part) for part, color in parts.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=5)
    return to_files(figure, "icicle")
