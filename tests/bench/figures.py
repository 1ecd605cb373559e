"""The figures that README.md shows: measured once, kept beside this module, never typed."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.archives import ROOT
from tests.bench.report import TITLES

FIGURES = Path(__file__).with_name("figures.json")
README = ROOT / "README.md"
BEGIN, END = "<!-- figures: make bench ARGS=--record -->", "<!-- end of figures -->"
_SHOWN = ("library", "read", "analyze")
_COLUMNS = ("what", "events", "CPU s", "M events/CPU s", "× bare loop", "peak MB")


def record(document: Mapping[str, Any]) -> None:
    """Keep the measurements and show them in README.md."""
    FIGURES.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    README.write_text(with_figures(text, document), encoding="utf-8")


def with_figures(text: str, document: Mapping[str, Any]) -> str:
    """A text with the figures between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n" + "\n".join(figure_lines(document)) + f"\n\n{END}{after}"


def figure_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """The table, in Markdown, of what was measured on all archives."""
    bare_loop = next(cost for cost in document["others"] if cost["job"] == "bare_loop")
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "| --- |" + " ---: |" * (len(_COLUMNS) - 1)
    for archive in document["archives"]:
        threads = max(cost["threads"] for cost in archive["costs"])
        for cost in archive["costs"]:
            if cost["job"] in _SHOWN and cost["threads"] in (threads, 1):
                yield _line(cost, _rate(bare_loop))
    for cost in document["others"]:
        yield _line(cost, _rate(bare_loop))


def _line(cost: Mapping[str, Any], bare_rate: float) -> str:
    threads = f", {cost['threads']} threads" if cost["threads"] > 1 else ""
    cells = (
        TITLES[cost["job"]] + threads,
        f"{cost['events']:,}",
        f"{cost['cpu_seconds']:.2f}",
        f"{_rate(cost):.2f}",
        f"{_rate(cost) / bare_rate:.1f}",
        f"{cost['peak_bytes'] / 1e6:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _rate(cost: Mapping[str, Any]) -> float:
    """Million events per CPU-second."""
    return float(cost["events"] / cost["cpu_seconds"] / 1e6)
