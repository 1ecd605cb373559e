"""Formats of rows: tables for people; CSV, JSON and Parquet for programs."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import IO, Any, Literal

import duckdb
from rich.console import Console
from rich.text import Text

from tracemill.base.console import messages
from tracemill.base.names import make_visible
from tracemill.reports.grid import TextGrid
from tracemill.reports.terminal import FittedGrid, fit
from tracemill.sql.failures import batches_of

Format = Literal["table", "csv", "json"]
RowFormat = Literal["table", "csv", "json", "parquet"]
Row = Sequence[Any]

ROWS_AT_ONCE = 10_000
LONGEST_TABLE = 1_000
# Columns of EXPLAIN, whose values are drawings in many lines.
_EXPLAINED = ["explain_key", "explain_value"]
# Several results one after the other are none in these.
OF_ONE_RESULT = ("json", "parquet")


@dataclass(frozen=True, kw_only=True)
class Output:
    """Destination of results: text to a console, Parquet to `binary`."""

    format: RowFormat
    console: "Console"
    binary: IO[bytes] | None = None

    @property
    def is_for_people(self) -> bool:
        return self.format == "table"


def write_rows(cursor: duckdb.DuckDBPyConnection, output: Output) -> None:
    """Write the rows of an executed statement as text."""
    assert output.format != "parquet"
    names = [column[0] for column in cursor.description or ()]
    print_rows(names, _rows(cursor), output.format, output.console)


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[Row]:
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield from rows


def write_parquet(relation: duckdb.DuckDBPyRelation, output: Output) -> None:
    """Write the rows of a query with DuckDB's own types: sums of integers stay exact."""
    import pyarrow.parquet as pq

    assert output.binary is not None
    reader = relation.to_arrow_reader(ROWS_AT_ONCE)
    with pq.ParquetWriter(output.binary, reader.schema, compression="zstd") as writer:
        for batch in batches_of(reader):
            writer.write_batch(batch)


def print_rows(
    names: Sequence[str], rows: Iterable[Row], format: Format, console: "Console"
) -> None:
    """Print rows in a format of text; CSV and JSON hold all of them, a table the first ones."""
    if format == "csv":
        _print_csv(names, rows, console.file)
    elif format == "json":
        _print_json(names, rows, console.file)
    else:
        _print_table(names, iter(rows), console)


def _print_csv(names: Sequence[str], rows: Iterable[Row], file: IO[str]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [str(value).lower() if isinstance(value, bool) else value for value in row] for row in rows
    )


def _print_json(names: Sequence[str], rows: Iterable[Row], file: IO[str]) -> None:
    separator = "[\n"
    for row in rows:
        record = {name: _plain(value) for name, value in zip(names, row, strict=True)}
        file.write(separator + json.dumps(record, ensure_ascii=False, default=str))
        separator = ",\n"
    file.write("[]\n" if separator == "[\n" else "\n]\n")


def _plain(value: Any) -> Any:
    """Numbers that JSON has: no NaN, no decimals with their own type."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print_table(names: Sequence[str], rows: Iterator[Row], console: Console) -> None:
    if list(names) == _EXPLAINED:
        for line in (line for _, drawing in rows for line in drawing.splitlines()):
            console.print(Text(make_visible(line)), soft_wrap=True)
        return
    shown = list(islice(rows, LONGEST_TABLE))
    grid = TextGrid(
        titles=tuple(names),
        is_numeric=tuple(_is_numeric(shown, at) for at in range(len(names))),
        rows=tuple((0, tuple(_text(value) for value in row)) for row in shown),
    )
    fitting, left_out = fit(grid, console.width)
    console.print(FittedGrid(fitting))
    if left_out:
        messages().print(f"in a wider terminal also: {', '.join(left_out)}")
    if next(rows, None) is not None:
        messages().print(f"only the first {LONGEST_TABLE:,} rows; --format csv prints all")


def _is_numeric(rows: Sequence[Row], at: int) -> bool:
    values = [row[at] for row in rows if row[at] is not None]
    return bool(values) and all(isinstance(value, int | float | Decimal) for value in values)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else make_visible(str(value))
