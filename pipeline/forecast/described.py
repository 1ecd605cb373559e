"""The program that a command names: a file with its description, a run, or a campaign."""

import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.forecast.from_traces.campaigns import Choice
from tracemill.forecast.from_traces.making import Options, parse_data_program
from tracemill.forecast.from_traces.sources import program_text
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import read_data_program
from tracemill.store.finding import existing_store, open_run
from tracemill.store.runs import Run, Store

Grid = tuple[int, ...]

_GRID = re.compile(r"[1-9]\d{0,8}(x[1-9]\d{0,8})*")
_SUFFIX = ".toml"
_MOST_LISTED = 5


def parse_grid(text: str) -> Grid:
    """Processes in each dimension of a grid such as "4x4". Raises UsageError."""
    written = text.replace("×", "x")
    if not _GRID.fullmatch(written):
        raise UsageError(
            f"--grid {text}: give the processes in each dimension, joined by x, such as 4x4"
        )
    return tuple(int(each) for each in written.split("x"))


@dataclass(frozen=True)
class FoundProgram:
    """A program; `note` says how it was made from traces, if it was."""

    program: DataProgram
    note: str = ""


def find_program(name: str, store: Path, grid: Grid | None) -> FoundProgram | Run:
    """The program of a TOML file, or the one made from a campaign, or from a run for a grid.

    Without a grid a run is returned itself. Raises MissingInputError, UsageError or ProgramError.
    """
    if Path(name).suffix.lower() == _SUFFIX:
        return FoundProgram(read_data_program(Path(name)))
    source = find_source(name, store, others=("a description (a file *.toml)",))
    if grid is None and source.source.format != "campaign":
        return source
    return _program_from(source, existing_store(store), grid)


def find_source(name: str, store: Path, others: tuple[str, ...] = ()) -> Run:
    """The campaign of that name, or the run.

    Raises MissingInputError; it names campaigns and the `others` that could be given instead.
    """
    opened = existing_store(store)
    place = str(Path(name).absolute())
    campaigns = opened.campaigns.runs()
    for campaign in campaigns:
        if name in (campaign.label, campaign.run_id) or campaign.source.path == place:
            return campaign
    try:
        return open_run(store, name)
    except MissingInputError as error:
        known = [f"campaign {campaign.run_id}" for campaign in campaigns[:_MOST_LISTED]]
        message = str(error).replace(f"no run {name}", f"no run or campaign {name}", 1)
        raise MissingInputError(_with_choices(message, [*known, *others])) from error


def _with_choices(message: str, choices: list[str]) -> str:
    """A message that ends with more names to choose from, as part of its question if it has one."""
    if not choices:
        return message
    listed = " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
    if message.endswith("?"):
        return f"{message.removesuffix('?')}, {'' if len(choices) > 1 else 'or '}{listed}?"
    return f"{message}; or give {listed}"


def _program_from(source: Run, store: Store, grid: Grid | None) -> FoundProgram:
    """The program made from a run or campaign, with the comment at its top."""
    options = Options(dimensions=None if grid is None else len(grid))
    text = program_text(source, store, options, Choice())
    comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
    note = " ".join(line.lstrip("# ") for line in comment)
    return FoundProgram(parse_data_program(text, source.label), note)
