"""The measurements as tables for people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.table import Table

from tests.bench.measuring import Cost, growth_exponent, marginal_rate, slope
from tests.bench.results import Measured, Results

TITLES = {
    "generate": "generating",
    "library": "C library alone",
    "columns": "our decoder, to columns",
    "read": "archive to Parquet",
    "analyze": "whole analysis with report",
    "analyze_calls": "whole analysis with report, detail calls",
    "analyze_profile": "whole analysis with report, detail profile",
    "report": "part of analyze: report",
    "command": "tracemill analyze, from start to end",
    "graph": "part of analyze: graph, slack, POP, gains",
    "replay": "replay of activities",
    "forecast_run": "forecast of the run",
    "read_text": "CSV to Parquet",
    "forecast": "forecast, 10,000 processes",
    "bare_loop": "official Python reader, bare loop",
    "otf2_print": "otf2-print",
}
_COLUMNS = (
    "events",
    "what",
    "threads",
    "CPU s",
    "loops",
    "wall s",
    "M/CPU s",
    "× bare loop",
    "marginal",
    "growth",
    "peak MB",
    "bytes/event",
    "start-up CPU s",
)
_STAGE_COLUMNS = (
    "stage",
    "CPU s",
    "M events/CPU s",
    "wall s",
    "growth",
    "rows",
    "MB",
    "bytes/event",
    "peak MB",
)
_SHOWN_STAGES = 16
# What reads the archives: only this can be compared with the bare loop.
_READING = (
    "library",
    "otf2_print",
    "columns",
    "read",
    "analyze",
    "analyze_calls",
    "analyze_profile",
    "command",
    "bare_loop",
)


@dataclass(frozen=True)
class Row:
    """A cost, and what it means beside that of the next smaller trace and the bare loop.

    None where the ratio has no meaning.
    """

    cost: Cost
    smaller: Cost | None
    bare_loop: Cost
    fixed_loop_seconds: float

    @property
    def loops(self) -> float | None:
        """CPU time in units of the fixed loop of Python."""
        unit = self.fixed_loop_seconds
        return self.cost.cpu_seconds / unit if unit else None

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the bare loop."""
        return self.cost.rate / self.bare_loop.rate if self.cost.job in _READING else None

    @property
    def growth(self) -> float | None:
        return growth_exponent(self.smaller, self.cost) if self.smaller else None

    @property
    def marginal_rate(self) -> float | None:
        return marginal_rate(self.smaller, self.cost) if self.smaller else None

    @property
    def bytes_per_event(self) -> float | None:
        """Of what is written."""
        return self.cost.bytes / self.cost.events if self.cost.bytes else None


def rows_of(results: Results) -> Iterator[Row]:
    """All costs: trace by trace, each from the smallest to the largest, then the other readers."""
    for smaller, each in results.with_smaller():
        for cost in each.costs:
            before = smaller.find(cost.job, cost.threads) if smaller else None
            yield _row(results, cost, before)
    for cost in results.others:
        yield _row(results, cost)


def real_rows(results: Results) -> Iterator[tuple[str, Row]]:
    """All costs of traces of real programs and of levels of detail, with the name of the trace."""
    for each in (*results.real, *results.levels):
        for cost in each.costs:
            yield each.name, _row(results, cost)


def _row(results: Results, cost: Cost, smaller: Cost | None = None) -> Row:
    return Row(cost, smaller, results.bare_loop, results.fixed_loop_seconds)


def cost_table(results: Results) -> Table:
    """A row per trace and job."""
    table = _table("Cost without start-up (imports)", *_COLUMNS, texts=(1,))
    table.caption = (
        "growth: exponent of CPU seconds over events since the size before, 1 if linear; "
        "marginal: M/CPU s of the events added since; bytes: those written"
    )
    last = 0
    for row in rows_of(results):
        if row.cost.events != last:
            table.add_section()
        last = row.cost.events
        table.add_row(*_cells(row))
    return table


def real_table(results: Results) -> Table:
    """A row per real trace and job, peers first."""
    table = _table(
        "Traces of real programs, and levels of detail", "trace", *_COLUMNS, texts=(0, 2)
    )
    table.caption = "loops: CPU time in units of a fixed loop of Python, which machines share"
    last = ""
    for name, row in real_rows(results):
        if name != last:
            table.add_section()
        last = name
        table.add_row(name, *_cells(row))
    return table


def stage_tables(results: Results) -> Iterator[Table]:
    """The costliest stages of the whole analysis, for each archive."""
    smaller: Cost | None = None
    for each in results.archives:
        for cost in each.costs:
            if cost.stages:
                yield _stage_table(cost, smaller)
                smaller = cost


def describe_size(measured: Measured) -> str:
    """How large a trace is for what it holds."""
    return f"{measured.name}: {measured.byte_count / measured.events:.2f} bytes per event on disk"


def _stage_table(cost: Cost, smaller: Cost | None) -> Table:
    title = f"Stages, {cost.events:,} events, threads: {cost.threads}"
    table = _table(title, *_STAGE_COLUMNS, texts=(0,))
    names = sorted(cost.stages, key=lambda name: (-cost.stages[name].cpu_seconds, name))
    for name in names[:_SHOWN_STAGES]:
        before = smaller.stages.get(name) if smaller else None
        growth = None
        if smaller and before:
            seconds = cost.stages[name].cpu_seconds
            growth = slope(smaller.events, before.cpu_seconds, cost.events, seconds)
        table.add_row(name, *_stage_cells(cost, (name,), growth))
    others = names[_SHOWN_STAGES:]
    if others:
        table.add_row(f"{len(others)} others", *_stage_cells(cost, others, None))
    table.caption = "rows and bytes: of the stored tables; peak: of the process"
    return table


def _stage_cells(cost: Cost, names: Iterable[str], growth: float | None) -> tuple[str, ...]:
    """Of one stage or of several together."""
    stages = [cost.stages[name] for name in names]
    seconds = sum(stage.cpu_seconds for stage in stages)
    byte_count = sum(stage.bytes for stage in stages)
    return (
        f"{seconds:.2f}",
        _number(cost.events / seconds / 1e6 if seconds else None, ".1f"),
        f"{sum(stage.wall_seconds for stage in stages):.2f}",
        _number(growth, ".2f"),
        f"{sum(stage.rows for stage in stages):,}",
        _number(byte_count / 1e6 or None, ".2f"),
        _number(byte_count / cost.events or None, ".2f"),
        f"{max(stage.peak_bytes for stage in stages) / 1e6:.0f}",
    )


def _cells(row: Row) -> tuple[str, ...]:
    cost = row.cost
    return (
        f"{cost.events:,}",
        TITLES[cost.job],
        str(cost.threads),
        f"{cost.cpu_seconds:.2f}",
        _number(row.loops, ".2f"),
        f"{cost.wall_seconds:.2f}",
        f"{cost.rate:.2f}",
        _number(row.ratio, ".1f"),
        _number(row.marginal_rate, ".2f"),
        _number(row.growth, ".2f"),
        f"{cost.peak_bytes / 1e6:.0f}",
        _number(row.bytes_per_event, ".2f"),
        f"{cost.start_up_cpu_seconds:.2f}",
    )


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _table(title: str, *columns: str, texts: tuple[int, ...]) -> Table:
    """A table whose columns are numbers, except those numbered in `texts`."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    for number, column in enumerate(columns):
        is_text = number in texts
        table.add_column(column, justify="left" if is_text else "right", no_wrap=is_text)
    return table
