"""The texts of shipped metrics; the front matter of each declares its metric.

    ---
    title: Wrong Order, Same Source
    parent: mpi_latesender_wo
    kind: wait state
    unit: ns
    meaning: The message left waiting came from the awaited process.
    ---

`parent` is optional. Markdown follows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tracemill.base.errors import MissingInputError
from tracemill.sql.folders import QUERIES
from tracemill.sql.refusals import wrong

TEXTS = QUERIES / "metrics"
_FENCE = "---"
_NEEDED = ("title", "kind", "unit", "meaning")
_FIELDS = ("title", "parent", "kind", "unit", "meaning")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric as the table `metrics` lists it; one with a parent is part of that."""

    name: str
    title: str
    parent: str | None
    kind: str
    unit: str
    meaning: str


@cache
def shipped_metrics(folder: Path = TEXTS) -> Mapping[str, Metric]:
    """The metrics that the texts of a folder declare, by name, in the order of their names."""
    return {path.stem: _declared(path) for path in sorted(folder.glob("*.md"))}


def read_text(metric: str, folder: Path = TEXTS) -> str:
    """The text about a metric, in Markdown, without the front matter."""
    return _split(folder / f"{metric}.md")[1]


def _declared(path: Path) -> Metric:
    fields = dict(_field(path, line) for line in _split(path)[0].splitlines())
    for name in _NEEDED:
        if name not in fields:
            raise wrong(path, f"the front matter lacks {name}", f"add a line {name}: …")
    return Metric(
        name=path.stem,
        title=fields["title"],
        parent=fields.get("parent"),
        kind=fields["kind"],
        unit=fields["unit"],
        meaning=fields["meaning"],
    )


def _split(path: Path) -> tuple[str, str]:
    """The lines of the front matter, and the text below it."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise MissingInputError(
            f"no text explains {path.stem}: {path}: {error.strerror}: write one"
        ) from error
    before, opening, rest = text.partition(f"{_FENCE}\n")
    front, closing, body = rest.partition(f"\n{_FENCE}\n")
    if before or not opening or not closing:
        raise wrong(path, "the text has no front matter", f"begin it with lines between {_FENCE}")
    return front, body.lstrip("\n")


def _field(path: Path, line: str) -> tuple[str, str]:
    name, colon, value = line.partition(": ")
    if not colon or name not in _FIELDS or not value.strip():
        fields = ", ".join(_FIELDS)
        raise wrong(
            path, f"the front matter has a line {line!r}", f"write field: value of {fields}"
        )
    return name, value.strip()
