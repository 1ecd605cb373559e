"""The reference of described programs, generated from the declared fields."""

from collections.abc import Iterator
from inspect import getdoc

from tracemill.base.expressions import FUNCTIONS
from tracemill.programs.language import data_kinds as data
from tracemill.programs.language import process_kinds as processes
from tracemill.reference.fields import describe_fields


def describe_programs() -> str:
    """The whole document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Descriptions of programs"
    yield ""
    yield "Generated from `pipeline/programs/language/` by `make docs`; do not edit."
    yield ""
    yield (
        "A program is a TOML file: some fields, then one table `[[phase]]` for each phase, whose "
        "`kind` determines its fields. There are two languages. A program with `grid` describes "
        "data on a grid of processes; it can be forecast on any "
        "[described cluster](clusters.md). A program with `processes` describes what each "
        "process does; see [Programs with known results](../guide/generate.md). A program has "
        "exactly one of these two fields, and only phases of its language."
    )
    yield ""
    yield "Errors name the file, the number of the table and the field."
    yield from _programs_of_data()
    yield from _programs_of_processes()


def _programs_of_data() -> Iterator[str]:
    yield ""
    yield "## Programs of data"
    yield ""
    yield (
        "All processes run the same phases in order. The distribution of arrays determines the "
        "share of each process. [jacobi.toml](../../data/programs/jacobi.toml) and "
        "[cfd.toml](../../data/programs/cfd.toml) are commented examples."
    )
    yield from describe_fields(data.DataTable)
    yield from _expressions()
    yield from _parts_of_arrays()
    yield from _table("[[array]]", data.ArrayTable)
    yield from _table("[[variant]]", data.VariantTable)
    yield from _common_fields()
    for name, kind in data.DATA_KINDS.items():
        yield from _kind(name, kind)


def _expressions() -> Iterator[str]:
    functions = ", ".join(f"`{name}`" for name in FUNCTIONS)
    yield ""
    yield "### Expressions"
    yield ""
    yield (
        'An expression is a number, or a text such as `"2 * n**2 / p"` with numbers, names, '
        "`+ - * / // **`, parentheses and the functions "
        f"{functions}. `log` is the natural logarithm; `min` and `max` have two or more arguments. "
        "Names are those of `[parameters]`; besides, `p` is the number of processes, and `p1`, "
        "`p2`, … are the dimensions of the grid. Arrays use parameters only. A value must be "
        "finite and not negative. Bytes are rounded; all other counts must be whole numbers."
    )


def _parts_of_arrays() -> Iterator[str]:
    yield ""
    yield "### Parts of arrays"
    yield ""
    yield (
        "Over r processes, an extent of e elements has blocks of ceil(e / r) elements; the last "
        "blocks can be smaller or empty. Over dimensions of the grid that an array does not lie "
        "on, it is repeated. Ranks count the last dimension fastest. A range `[first, last]` "
        "counts from 0 and includes both ends. A field with one pair for each extent also accepts "
        "a single pair if the array has one extent."
    )


def _common_fields() -> Iterator[str]:
    yield ""
    yield "### Fields of several phases"
    yield ""
    yield "All phases:"
    yield from describe_fields(data.DataPhase)
    yield ""
    yield (
        "Parts with computation (`serial`, `parallel`, `pipelined`) have exactly one time. Times "
        "and operations are those of the whole part, before it is shared:"
    )
    yield from describe_fields(data.Timed, without=data.DataPhase)
    yield ""
    startable = [
        f"`{n}`" for n, kind in data.DATA_KINDS.items() if issubclass(kind, data.Startable)
    ]
    yield f"Operations ({', '.join(startable)}):"
    yield from describe_fields(data.Startable, without=data.DataPhase)
    yield ""
    yield ("Every operation with `nonblocking` needs one `wait` later in the same list of phases.")


def _kind(name: str, kind: type) -> Iterator[str]:
    """A kind of phases of data, with the fields that only it has."""
    yield ""
    yield f"### {name}"
    yield ""
    yield _doc(kind)
    bases = [base for base in (data.Timed, data.Startable) if issubclass(kind, base)]
    yield from describe_fields(kind, without=bases[0] if bases else data.DataPhase)
    if kind is data.Branch:
        yield ""
        yield "Fields of `[[phase.alternative]]`:"
        yield from describe_fields(data.Alternative)


def _programs_of_processes() -> Iterator[str]:
    yield ""
    yield "## Programs of processes"
    yield ""
    yield (
        "`tracemill generate` simulates them and writes a trace. "
        "[stencil.toml](../../data/programs/stencil.toml) and "
        "[hybrid.toml](../../data/programs/hybrid.toml) are commented examples."
    )
    yield from describe_fields(processes.Spec)
    yield from _table("[machine]", processes.MachineSpec)
    yield from _table("[clocks]", processes.ClockSpec)
    yield from _table("[[what_if]]", processes.WhatIf)
    yield from _table("Fields of all phases of processes", processes.Phase)
    for name, kind in processes.KINDS.items():
        yield ""
        yield f"### {name}"
        yield ""
        yield _doc(kind)
        yield from describe_fields(kind, without=processes.Phase)


def _table(title: str, kind: type) -> Iterator[str]:
    yield ""
    yield f"### {title}"
    yield ""
    yield _doc(kind)
    yield from describe_fields(kind)


def _doc(kind: type) -> str:
    """The docstring of a class."""
    return getdoc(kind) or ""
