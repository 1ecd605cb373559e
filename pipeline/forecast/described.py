"""Programs that a command names: files with their description, later also runs and campaigns."""

import re
from pathlib import Path

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.forecast.forecasting import Description
from tracemill.programs.language.reading import read_program

_GRID = re.compile(r"[1-9]\d*(x[1-9]\d*)*")
_SUFFIX = ".toml"


def parse_grid(text: str) -> tuple[int, ...]:
    """Processes in each dimension of a grid such as "4x4". Raises UsageError."""
    if not _GRID.fullmatch(text):
        raise UsageError(
            f"--grid {text}: give the processes in each dimension, joined by x, such as 4x4"
        )
    return tuple(int(each) for each in text.split("x"))


def find_description(name: str, store: Path, grid: tuple[int, ...] | None) -> Description:
    """The program of a TOML file, or the one made of a run or campaign of a store.

    Raises MissingInputError, UsageError or ProgramError.
    """
    path = Path(name)
    if path.suffix.lower() == _SUFFIX:
        if not path.exists():
            raise MissingInputError(f"no file: {name}")
        return read_program(path)
    raise UsageError(f"{name}")
