"""The figures in docs/reference/performance.md: measured once, kept beside this module."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.places import DOCUMENT, FIGURES
from tests.bench.report import TITLES, Row, real_rows, rows_of
from tests.bench.results import Measured, Results

BEGIN, END = "<!-- figures: make bench ARGS=--record -->", "<!-- end of figures -->"
_SHOWN = (
    "generate", "library", "columns", "read", "analyze", "report", "graph", "replay",
    "forecast_run", "read_text", "forecast", "bare_loop",
)  # fmt: skip
_COLUMNS = (
    "what",
    "events",
    "CPU s",
    "loops",
    "wall s",
    "M events/CPU s",
    "× bare loop",
    "peak MB",
    "growth",
    "bytes/event",
)
_NUMBERS = frozenset(_COLUMNS[1:])


def record(results: Results, *, figures: Path = FIGURES, document: Path = DOCUMENT) -> None:
    """Write the measurements into the document, and into `figures` without their stages."""
    text = with_figures(document.read_text(encoding="utf-8"), results)
    archives, levels = (
        tuple(map(_without_stages, traces)) for traces in (results.archives, results.levels)
    )
    kept = replace(results, archives=archives, levels=levels)
    figures.write_text(kept.to_json(indent=1), encoding="utf-8")
    document.write_text(text, encoding="utf-8")


def _without_stages(measured: Measured) -> Measured:
    return replace(measured, costs=tuple(replace(cost, stages={}) for cost in measured.costs))


def with_figures(text: str, results: Results) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n" + "\n".join(figure_lines(results)) + f"\n\n{END}{after}"


def figure_lines(results: Results) -> Iterator[str]:
    """The tables, in Markdown, and on what they were measured."""
    shown = (row for row in rows_of(results) if row.cost.job in _SHOWN)
    yield from _table(_COLUMNS, (_cells(row) for row in sorted(shown, key=_place)))
    yield ""
    if results.real or results.levels:
        real = ((name, *_cells(row)) for name, row in real_rows(results))
        yield from _table(("trace", *_COLUMNS), real)
        yield ""
    yield _describe_circumstances(results)


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "| " + " | ".join("---:" if name in _NUMBERS else "---" for name in columns) + " |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


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
        "" if row.loops is None else f"{row.loops:.2f}",
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
        f"{machine.processors} processors{processor}; "
        f"the fixed loop takes {results.fixed_loop_seconds:.2f} s."
    )
