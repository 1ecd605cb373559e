"""The measurements as tables for people."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from tests.bench.measuring import Cost, growth_exponent, marginal_rate, slope

TITLES = {
    "library": "C library alone",
    "callbacks": "C library, our callbacks",
    "read": "archive to Parquet",
    "analyze": "whole analysis",
    "bare_loop": "bare Python loop",
    "otf2_print": "otf2-print",
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
STAGE_COLUMNS = ("stage", "CPU s", "wall s", "M/CPU s", "growth", "peak MB")
SHOWN_STAGES = 16


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


def cost_table(measured: Sequence[Measured], others: Sequence[Cost]) -> Table:
    """A row per archive and job, then the other readers over the first archive.

    The first of these is the official Python reader's bare loop.

    The marginal rate and the growth (the slope of CPU time over events, both as logarithms; 1 is
    linear) compare with the next smaller archive.
    """
    table = _table("Cost without start-up (imports)", *COLUMNS, text=1)
    for number, each in enumerate(measured):
        smaller = measured[number - 1] if number else None
        for cost in each.costs:
            table.add_row(*_cells(cost, smaller, others[0]))
        table.add_section()
    for cost in others:
        table.add_row(*_cells(cost, None, others[0]))
    return table


def stage_table(measured: Sequence[Measured], threads: int) -> Table:
    """The costliest stages of the whole analysis on the largest archive.

    Growth compares with the next smaller archive; memory is that of the whole process.
    """
    found = [cost for each in measured if (cost := each.find("analyze", threads))]
    largest, smaller = found[-1], found[-2] if len(found) > 1 else None
    title = f"Stages, {largest.events:,} events, threads: {threads}"
    table = _table(title, *STAGE_COLUMNS, text=0)
    names = sorted(largest.stages, key=lambda name: -largest.stages[name].cpu_seconds)
    for name in names[:SHOWN_STAGES]:
        table.add_row(name, *_stage_cells(name, largest, smaller))
    others = [largest.stages[name] for name in names[SHOWN_STAGES:]]
    seconds = sum(cost.cpu_seconds for cost in others)
    walls = sum(cost.wall_seconds for cost in others)
    table.add_row(f"{len(others)} others", f"{seconds:.2f}", f"{walls:.2f}", "", "", "")
    return table


def _stage_cells(name: str, cost: Cost, smaller: Cost | None) -> tuple[str, ...]:
    stage = cost.stages[name]
    before = smaller.stages.get(name) if smaller else None
    growth = ""
    if smaller and before and before.cpu_seconds > 0 and stage.cpu_seconds > 0:
        exponent = slope(smaller.events, before.cpu_seconds, cost.events, stage.cpu_seconds)
        growth = f"{exponent:.2f}"
    return (
        f"{stage.cpu_seconds:.2f}",
        f"{stage.wall_seconds:.2f}",
        f"{cost.events / stage.cpu_seconds / 1e6:.1f}" if stage.cpu_seconds > 0 else "",
        growth,
        f"{stage.peak_bytes / 1e6:.0f}",
    )


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
