"""The figures in docs/reference/performance.md: measured once, kept beside this module."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.places import DOCUMENT, FIGURES
from tests.bench.report import TITLES, Row, rows_of
from tests.bench.results import Measured, Results

BEGIN, END = "<!-- figures: make bench ARGS=--record -->", "<!-- end of figures -->"
_SHOWN = (
    "generate", "library", "read", "analyze", "graph", "replay", "forecast_run",
    "read_text", "forecast", "bare_loop",
)  # fmt: skip
_COLUMNS = (
    "what",
    "events",
    "CPU s",
    "wall s",
    "M events/CPU s",
    "× bare loop",
    "peak MB",
    "growth",
    "bytes/event",
)


def record(results: Results, *, figures: Path = FIGURES, document: Path = DOCUMENT) -> None:
    """Write the measurements into the document, and into `figures` without their stages."""
    text = with_figures(document.read_text(encoding="utf-8"), results)
    archives = tuple(_without_stages(each) for each in results.archives)
    kept = replace(results, archives=archives)
    figures.write_text(kept.to_json(indent=1), encoding="utf-8")
    document.write_text(text, encoding="utf-8")


def _without_stages(measured: Measured) -> Measured:
    return replace(measured, costs=tuple(replace(cost, stages={}) for cost in measured.costs))


def with_figures(text: str, results: Results) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n" + "\n".join(figure_lines(results)) + f"\n\n{END}{after}"


def figure_lines(results: Results) -> Iterator[str]:
    """The table, in Markdown, and on what it was measured."""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "| --- |" + " ---: |" * (len(_COLUMNS) - 1)
    shown = (row for row in rows_of(results) if row.cost.job in _SHOWN)
    for row in sorted(shown, key=_place):
        yield f"| {' | '.join(_cells(row))} |"
    yield ""
    yield _describe_circumstances(results)


def _place(row: Row) -> tuple[int, int, int]:
    """By job, then threads, then size."""
    return _SHOWN.index(row.cost.job), row.cost.threads, row.cost.events


def _cells(row: Row) -> tuple[str, ...]:
    cost = row.cost
    threads = f", {cost.threads} threads" if cost.threads > 1 else ""
    ratio, growth, size = (
        "" if value is None else format(value, form)
        for value, form in ((row.ratio, ".1f"), (row.growth, ".2f"), (row.bytes_per_event, ".1f"))
    )
    return (
        TITLES[cost.job] + threads,
        f"{cost.events:,}",
        f"{cost.cpu_seconds:.2f}",
        f"{cost.wall_seconds:.2f}",
        f"{cost.rate:.2f}",
        ratio,
        f"{cost.peak_bytes / 1e6:.0f}",
        growth,
        size,
    )


def _describe_circumstances(results: Results) -> str:
    machine = results.machine
    processor = f" ({machine.processor})" if machine.processor else ""
    return (
        f"Measured on {results.measured_at[:10]}: {machine.system}, "
        f"{machine.processors} processors{processor}."
    )
