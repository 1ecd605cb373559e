"""The program that a command names: a file with its description, a run, or a campaign."""

import re
from pathlib import Path

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import read_data_program
from tracemill.store.finding import existing_store, open_run
from tracemill.store.runs import Run

Grid = tuple[int, ...]

_GRID = re.compile(r"[1-9]\d{0,8}(x[1-9]\d{0,8})*")
_SUFFIX = ".toml"


def parse_grid(text: str) -> Grid:
    """Processes in each dimension of a grid such as "4x4". Raises UsageError."""
    if not _GRID.fullmatch(text):
        raise UsageError(
            f"--grid {text}: give the processes in each dimension, joined by x, such as 4x4"
        )
    return tuple(int(each) for each in text.split("x"))


def find_program(name: str, store: Path, grid: Grid | None) -> DataProgram:
    """The program of a TOML file, or the one made from a run or campaign of a store.

    Raises MissingInputError, UsageError or ProgramError.
    """
    if Path(name).suffix.lower() == _SUFFIX:
        return read_data_program(Path(name))
    return _program_from(_find_source(name, store), grid)


def _find_source(name: str, store: Path) -> Run:
    """The run or campaign of that name."""
    try:
        return open_run(store, name)
    except MissingInputError as error:
        try:
            return existing_store(store).campaigns.open(name)
        except MissingInputError:
            advice = "a description is a file *.toml"
            raise MissingInputError(f"{error}; {advice}") from error


def _program_from(source: Run, grid: Grid | None) -> DataProgram:
    if grid is None and source.source.format != "campaign":
        raise UsageError(
            f"{source.label}: replays of traces are not available yet: give --grid, such as 4x4, "
            "to forecast the program made from the run"
        )
    raise UsageError(f"{source.label}: programs cannot be made from traces yet")
