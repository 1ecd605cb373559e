"""Colors of parts of the time, by names defined in the style sheet of the page."""

import re
from functools import cache
from pathlib import Path

_PART_STYLES = {
    "computation": "k0",
    "point-to-point": "k1",
    "collective": "k2",
    "barrier": "k3",
    "initialise/finalise": "k4",
    "I/O": "k5",
    "put/get": "k6",
    "lock": "k7",
    "wait": "k7",
    "condition": "k7",
    "fork/join": "k8",
    "idle threads": "k8",
    "process/thread management": "k4",
    "waiting": "w",
    "extended waiting": "w2",
    "productive": "k0",
    "insufficient parallelism": "k4",
    "communication": "k2",
    "idle": "w",
}
_OTHER = "k9"
COMPUTING_STYLES = (_PART_STYLES["computation"], "c1", "c2", "c3")
"""Shades of computation for its regions; no other part uses them."""


def style_of(part: str) -> str:
    """The style of a part by its name before any comma; unknown names share one style."""
    return _PART_STYLES.get(part.partition(",")[0], _OTHER)


def color_of(part: str) -> str:
    """The color of a part on a light background, such as "#5b7f95", from the style sheet."""
    return _colors()[style_of(part)]


@cache
def _colors() -> dict[str, str]:
    """The first color of each name: the colors of the light page come first."""
    sheet = (Path(__file__).parent / "templates" / "report.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): (#[0-9a-f]{6})", sheet)
    colors = dict(reversed(found))
    return colors | {"w": colors["wait"], "w2": colors["wait2"]}
