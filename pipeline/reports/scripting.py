"""The scripts and styles of a page: those of its widgets and their common parts."""

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from tracemill.reports.model import Report

WIDGETS = Path(__file__).parent / "widgets"
SHARED = ("core", "filter", "tables", "cells", "tree")
LAST = "start"


@dataclass(frozen=True)
class Scripting:
    """Scripts in execution order, their styles, and the security policy of the page."""

    scripts: tuple[str, ...]
    styles: tuple[str, ...]

    @property
    def policy(self) -> str:
        """The content security policy: only these scripts, and no loading."""
        hashes = " ".join(f"'sha256-{_digest(script)}'" for script in self.scripts)
        allowed = f"; script-src {hashes}" if hashes else ""
        return f"default-src 'none'; style-src 'unsafe-inline'{allowed}"


def scripting_of(report: Report) -> Scripting:
    """The scripts that every page has, and those of the widgets of a report."""
    used = {widget.name for section in report.sections for widget in section.widgets}
    names = (*SHARED, *(part for name in sorted(used) for part in _parts(name)), LAST)
    return Scripting(
        scripts=tuple(_read(f"{name}.js") for name in names),
        styles=tuple(style for name in names if (style := _read(f"{name}.css"))),
    )


def _parts(name: str) -> tuple[str, ...]:
    """The scripts of a widget: its parts, named name_part, then the widget itself."""
    return (*sorted(path.stem for path in WIDGETS.glob(f"{name}_*.js")), name)


@cache
def _read(name: str) -> str:
    path = WIDGETS / name
    if path.suffix == ".css" and not path.exists():
        return ""
    return path.read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode("ascii")
