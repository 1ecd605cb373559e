"""Descriptions of tables and columns, from their declarations."""

from collections.abc import Iterable, Sequence

import pyarrow as pa
from rich.console import Console
from rich.segment import Segment, Segments

from tracemill.base.errors import MissingInputError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.patterns.catalog import known_tables
from tracemill.reports.terminal import print_grid
from tracemill.schemas import FORECAST_TABLES, TABLES, VIEWS, Column, Table

_MOST_NEAR = 5


def print_tables(console: Console, own: Sequence[Table] = ()) -> None:
    """List the stored tables of a run, views, `own` tables of user patterns, and forecasts."""
    stored = [table for table in (*TABLES, *VIEWS) if not table.is_transient]
    rows = [(table.name, table.grain, table.meaning) for table in (*stored, *own, *FORECAST_TABLES)]
    _print_rows(console, ("table", "grain", "meaning"), rows)


def print_table(table: Table, console: Console) -> None:
    """Show one table: its meaning, key, columns and rules."""
    console.print(f"[heading]{table.name}[/] – {table.meaning}")
    key = ", ".join(table.key) or "none"
    console.print(f"{table.grain}; key {key}", style="muted", markup=False)
    console.print()
    titles = ("column", "type", "unit", "meaning", "null", "allowed")
    _print_rows(console, titles, map(describe_column, table.columns))
    for rule in table.rules:
        console.print(f"rule: {rule.name}", markup=False)


def _print_rows(console: Console, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A grid in a terminal; elsewhere lines with tabs between the cells."""
    if console.is_terminal:
        print_grid(console, titles, rows)
        return
    lines = ["\t".join(row) + "\n" for row in (titles, *rows)]
    console.print(Segments(map(Segment, lines)), end="", soft_wrap=True)


def find_table(name: str, own: Sequence[Table] = ()) -> Table:
    """The table of that name, or of `own` patterns; raises MissingInputError with similar names."""
    known = {**known_tables(), **{table.name: table for table in own}}
    if name not in known:
        public = [
            table.name
            for table in (*TABLES, *VIEWS, *own, *FORECAST_TABLES)
            if not table.is_transient
        ]
        meant = did_you_mean(near_matches(name, public, most=_MOST_NEAR))
        raise MissingInputError(f"no table {name}: {meant or 'tracemill tables lists all'}")
    return known[name]


def describe_column(column: Column) -> tuple[str, ...]:
    """Name, type, unit, meaning, meaning of null, and allowed values."""
    return (
        column.name,
        type_name(column.type),
        column.unit,
        column.meaning,
        column.null_means,
        describe_values(column),
    )


def type_name(type: pa.DataType) -> str:
    """Short name of a column's type."""
    return "enum" if pa.types.is_dictionary(type) else str(type)


def describe_values(column: Column) -> str:
    """The allowed values or limits of a column; empty if all values are allowed."""
    if column.values:
        return ", ".join(column.values)
    if column.minimum is not None and column.maximum is not None:
        return f"{column.minimum} to {column.maximum}"
    if column.minimum is not None:
        return f"at least {column.minimum}"
    return "" if column.maximum is None else f"at most {column.maximum}"
