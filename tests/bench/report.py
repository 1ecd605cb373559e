"""The measurements as tables for people."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from tests.bench.measuring import Cost, growth_exponent, marginal_rate

TITLES = {
    "library": "C library alone",
    "callbacks": "C library, our callbacks",
    "read": "archive to Parquet",
    "analyze": "whole analysis",
    "bare_loop": "bare Python loop",
}
COLUMNS = (
    "events",
    "what",
    "threads",
    "CPU s",
    "wall s",
    "M/CPU s",
    "× bare loop",
    "marginal M/CPU s",
    "growth",
    "peak MB",
    "bytes/event",
    "start-up CPU s",
)
SHOWN_STAGES = 14


@dataclass(frozen=True, kw_only=True)
class Measured:
    """All costs measured on one archive."""

    archive: str
    events: int
    archive_bytes: int
    costs: tuple[Cost, ...]

    def find(self, job: str, threads: int) -> Cost | None:
        """The cost of a job, if it was measured."""
        for cost in self.costs:
            if (cost.job, cost.threads) == (job, threads):
                return cost
        return None


def cost_table(measured: Sequence[Measured], bare_loop: Cost) -> Table:
    """A row per archive and job, then the bare loop over the first archive.

    The marginal rate and the growth (the slope of CPU time over events, both as logarithms; 1 is
    linear) compare with the next smaller archive.
    """
    table = _table("Cost without start-up (imports)", *COLUMNS, text=1)
    for number, each in enumerate(measured):
        smaller = measured[number - 1] if number else None
        for cost in each.costs:
            table.add_row(*_cells(cost, smaller, bare_loop))
        table.add_section()
    table.add_row(*_cells(bare_loop, None, bare_loop))
    return table


def stage_table(measured: Sequence[Measured], threads: int) -> Table:
    """Seconds of the slowest stages of the whole analysis, a column per archive."""
    found = [cost for each in measured if (cost := each.find("analyze", threads))]
    columns = [cost.stage_seconds for cost in found]
    events = [f"{cost.events:,}" for cost in found]
    table = _table(f"Stages, wall s, threads: {threads}", "stage", *events, text=0)
    names = sorted(columns[-1], key=lambda name: -columns[-1][name])
    shown, others = names[:SHOWN_STAGES], names[SHOWN_STAGES:]
    for name in shown:
        table.add_row(name, *(f"{seconds.get(name, 0):.2f}" for seconds in columns))
    rest = (sum(seconds.get(name, 0) for name in others) for seconds in columns)
    table.add_row(f"{len(others)} others", *(f"{seconds:.2f}" for seconds in rest))
    table.add_row("all", *(f"{sum(seconds.values()):.2f}" for seconds in columns))
    return table


def _cells(cost: Cost, smaller: Measured | None, bare_loop: Cost) -> tuple[str, ...]:
    before = smaller.find(cost.job, cost.threads) if smaller else None
    return (
        f"{cost.events:,}",
        TITLES[cost.job],
        str(cost.threads),
        f"{cost.cpu_seconds:.2f}",
        f"{cost.wall_seconds:.2f}",
        f"{cost.rate:.2f}",
        f"{cost.rate / bare_loop.rate:.1f}",
        f"{marginal_rate(before, cost):.2f}" if before else "",
        f"{growth_exponent(before, cost):.2f}" if before else "",
        f"{cost.peak_bytes / 1e6:.0f}",
        f"{cost.bytes / cost.events:.2f}" if cost.bytes else "",
        f"{cost.start_up_cpu_seconds:.2f}",
    )


def _table(title: str, *columns: str, text: int) -> Table:
    """A table whose columns are numbers, except the one numbered `text`."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        is_text = number == text
        table.add_column(column, justify="left" if is_text else "right", no_wrap=is_text)
    return table
