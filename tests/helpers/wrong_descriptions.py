"""Wrong descriptions of programs of data, and how they are explained."""

from pathlib import Path

import pytest

from tracemill.base.errors import ProgramError
from tracemill.programs.language.reading import read_program

HEAD = """
grid = [2, 2]
[parameters]
n = 10
[[array]]
name = "A"
extent = ["n", 20]
distribution = ["block", "block"]
[[array]]
name = "V"
extent = 4
"""


def explain(folder: Path, text: str) -> str:
    """The error of a description, without its folder."""
    path = folder / "a.toml"
    path.write_text(text)
    with pytest.raises(ProgramError) as error:
        read_program(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def phases(*texts: str) -> str:
    """A description with phases, each written as `kind; field = value; …`."""
    return HEAD + "".join(map(phase, texts))


def phase(text: str, table: str = "phase") -> str:
    """A table written as `kind; field = value; …`."""
    kind, *fields = text.split("; ")
    return "\n".join((f"[[{table}]]", f"kind = '{kind}'", *fields, ""))
