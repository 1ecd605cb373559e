"""From a figure to SVG text that a page can hold: its colors, no scripts, no references."""

import io
import re
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tracemill.base.errors import MissingLibraryError
from tracemill.reports.model import Drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Arguments = ParamSpec("Arguments")
Picture = TypeVar("Picture")

INK = "#010203"
"""Stands for the color of the text around the picture, light or dark."""
SERIES = ("#3b76af", "#ee8536", "#519e3e", "#c53a32", "#8d69b8", "#84584e", "#d57dbe", "#7f7f7f")
PAGE_LINK = "#@"
"""Begins links of a picture that lead to a place on the page, not within the picture."""
_POINTS_PER_INCH = 72
_DOTS_PER_INCH = 144
_STYLE: dict[Any, Any] = {
    # A region may be called $x$.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
    "grid.alpha": 0.18,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.frameon": False,
    "savefig.transparent": True,
}


NEEDED = (
    "pictures need matplotlib, which is not installed: make pictures, or pip install matplotlib"
)


def can_draw() -> bool:
    """True if the optional library is installed."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raises MissingLibraryError if pictures cannot be drawn."""
    if not can_draw():
        raise MissingLibraryError(NEEDED)


def drawn(draw: Callable[Arguments, Picture]) -> Callable[Arguments, Picture]:
    """Decorator: what the function draws is in the style of the page."""

    @wraps(draw)
    def styled(*args: Arguments.args, **named: Arguments.kwargs) -> Picture:
        require_matplotlib()
        from matplotlib import rc_context

        with rc_context(_STYLE):
            return draw(*args, **named)

    return styled


def new_figure(width: int, height: int) -> "Figure":
    """An empty figure of so many points; raises MissingLibraryError without matplotlib."""
    require_matplotlib()
    from matplotlib.figure import Figure

    size = width / _POINTS_PER_INCH, height / _POINTS_PER_INCH
    return Figure(figsize=size, layout="constrained")


def to_svg(figure: "Figure", name: str) -> str:
    """The figure as an element of a page; the same figure gives the same text.

    `name` makes its identifiers unlike those of other pictures on the page.
    """
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    identifier = re.sub(r"\W+", "-", name)
    svg = re.sub(r'(\bid="|url\(#|href="#(?!@))', rf"\g<1>{identifier}-", svg)
    # They stay in this tab; tables have the same links by name, for keys and screen readers.
    svg = re.sub(rf'href="{PAGE_LINK}([^"]*)" target="_blank"', r'href="#\1" tabindex="-1"', svg)
    return svg.replace(INK, "currentColor").strip()


def to_files(figure: "Figure", name: str) -> Drawn:
    """The figure on white, for files of its own; the same figure gives the same content."""
    from matplotlib import rc_context

    text, image = io.StringIO(), io.BytesIO()
    ground: dict[str, Any] = {"facecolor": "white", "transparent": False}
    with rc_context({"svg.hashsalt": name}):
        # Things are given their places once for both.
        if engine := figure.get_layout_engine():
            engine.execute(figure)
        figure.set_layout_engine("none")
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, **ground)
        figure.savefig(
            image, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None}, **ground
        )
    return Drawn(text.getvalue(), image.getvalue())


def standing_alone(svg: str) -> str:
    """The SVG of a page as one that is seen on white, outside any page."""
    return svg.replace("currentColor", INK).replace("<svg ", '<svg style="background: white" ', 1)
