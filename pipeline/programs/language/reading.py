"""Descriptions of programs, of processes or of data: TOML files, with checks of every field."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.programs.language.data_kinds import DATA_KINDS, DataPhase, DataTable
from tracemill.programs.language.data_program import DataProgram, make_data_program
from tracemill.programs.language.fields import Kinds, TableReader, read_toml
from tracemill.programs.language.process_kinds import KINDS, Spec, parse_spec

_DATA = Kinds(
    DataPhase, DATA_KINDS, frozenset(KINDS), "is for programs with processes, this one has grid"
)


def read_program(path: Path) -> Spec | DataProgram:
    """Read and check a description: of processes (`processes`), or of data (`grid`).

    Raises MissingInputError, or ProgramError that names the field.
    """
    return parse_program(read_toml(path), str(path), path.stem)


def parse_program(
    given: Mapping[str, Any], source: str = "program", name: str = "program"
) -> Spec | DataProgram:
    """Check a description given as nested dictionaries; `name` is the default name."""
    if "processes" in given and "grid" in given:
        raise ProgramError(
            f"{source}: processes and grid are given: give processes for a program of processes, "
            "or grid for one of data on a grid"
        )
    if "grid" in given:
        table = TableReader(_DATA).build(DataTable, given, source)
        return make_data_program(table, source, name)
    if "processes" in given:
        return parse_spec(given, source)
    raise ProgramError(
        f"{source}: neither processes nor grid is given: give processes for a program of "
        "processes, or grid for one of data on a grid"
    )


def read_data_program(path: Path) -> DataProgram:
    """Read a program of data. Raises MissingInputError or ProgramError."""
    program = read_program(path)
    if isinstance(program, DataProgram):
        return program
    raise ProgramError(f"{path}: this needs a program of data: give grid, not processes")
