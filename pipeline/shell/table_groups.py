"""Tables by the questions that they answer, for the prompt."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import ModuleType

from rich.console import Console
from rich.text import Text

from tracemill import schemas
from tracemill.patterns.catalog import known_tables

FIRST = (
    "waits", "calls", "messages_by_rank", "iterations_by_rank", "efficiencies", "root_causes",
    "gains", "critical_path_profile", "hierarchy", "trace_quality",
)  # fmt: skip
"""The tables of a run to begin with."""


@dataclass(frozen=True)
class Group:
    """The tables of some modules, and the question that they answer."""

    name: str
    question: str
    modules: tuple[ModuleType, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables and views, those for questions first."""
        return tuple(
            table.name
            for module in self.modules
            for table in (*getattr(module, "VIEWS", ()), *getattr(module, "TABLES", ()))
        )


GROUPS = (
    Group("answers", "Names in place of numbers, seconds", (schemas.questions,)),
    Group("time", "Where does the time go?", (
        schemas.profiles, schemas.levels, schemas.main_part, schemas.metrics, schemas.overheads,
        schemas.time_profile, schemas.parallelism,
    )),
    Group("waiting", "Who waits, and for whom?", (
        schemas.wait_states, schemas.delays, schemas.threads, schemas.master_worker,
        schemas.imbalance,
    )),
    Group("fixing", "What decides the run time?", (
        schemas.critical_path, schemas.pop, schemas.replay,
    )),
    Group("exchange", "What do processes exchange?", (
        schemas.matching, schemas.collectives, schemas.communicators, schemas.one_sided,
        schemas.input_output,
    )),
    Group("course", "How does the run proceed?", (
        schemas.iterations, schemas.phases, schemas.timeline,
    )),
    Group("counters", "What was counted?", (schemas.counters,)),
    Group("trace", "What is in the trace, and is it right?", (
        schemas.definitions, schemas.events, schemas.named_values, schemas.clocks,
        schemas.perturbation,
    )),
    Group("scaling", "How does the program scale?", (
        schemas.campaigns, schemas.campaign_costs, schemas.campaign_efficiencies,
        schemas.scalability, schemas.rankings, schemas.call_sites, schemas.causes, schemas.growth,
        schemas.path_changes, schemas.cell_call_sites, schemas.configuration_overheads,
        schemas.surfaces, schemas.surface_scaling,
    )),
    Group("forecasts", "What would another machine bring?", (
        schemas.forecasts, schemas.forecast_runs, schemas.forecast_search,
    )),
    Group("nights", "How did the runs of a site change?", (schemas.history,)),
)  # fmt: skip

_FINDINGS = Group("findings", "What do patterns find?", ())
_OWN = Group("yours", "What did you or your patterns add?", ())


def print_groups(names: Collection[str], console: Console) -> None:
    """Print the tables to begin with, and a line for each question with tables among `names`."""
    known = known_tables()
    first = [name for name in FIRST if name in names]
    width = max(len(name) for name in (*first, *(group.name for group in GROUPS)))
    if first:
        console.print(Text("To begin with", style="section"))
    for name in first:
        _print_line(f"{name:<{width}}  ", known[name].meaning, console)
    console.print(Text("By question", style="section"))
    for group, tables in grouped(names):
        listed = f"{group.question}  {'  '.join(tables)}"
        _print_line(f"{group.name:<{width}}  ", listed, console)
    hint = ".tables NAME lists the tables of a question, or those with this in name, with meanings"
    console.print(Text(hint, style="muted"))


def grouped(names: Collection[str]) -> Iterator[tuple[Group, list[str]]]:
    """The groups that have some of the names; others are of patterns, or the user's own."""
    left = dict.fromkeys(sorted(names))
    for group in GROUPS:
        found = [name for name in dict.fromkeys(group.tables) if name in left]
        for name in found:
            del left[name]
        if found:
            yield group, found
    known = known_tables()
    for group, is_shipped in ((_FINDINGS, True), (_OWN, False)):
        found = [name for name in left if (name in known) is is_shipped]
        if found:
            yield group, found


def named_tables(word: str, names: Collection[str]) -> list[str]:
    """The tables of a question, else those whose names contain a word."""
    of_groups = {group.name: tables for group, tables in grouped(names)}
    return of_groups.get(word) or sorted(name for name in names if word.lower() in name.lower())


def _print_line(title: str, text: str, console: Console) -> None:
    """A line, cut at the width of the terminal."""
    line = Text.assemble((title, "title"), text)
    line.truncate(console.width, overflow="ellipsis")
    console.print(line, soft_wrap=True)
