"""How far a run can be trusted: what its trace lacks, and whether that is too much."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.errors import QueryError, UntrustedTraceError
from pipeline.reports.material import Material
from pipeline.reports.sections import trace_quality
from pipeline.reports.tables import TableSpec, fetch
from pipeline.reports.terminal import print_section
from pipeline.shell import Format, print_rows

if TYPE_CHECKING:
    import duckdb
    from rich.console import Console

    from pipeline.store import Run

ANY = "any"
"""The expression that holds if anything at all was noticed."""
_ALL_ROWS = 1 << 62
_BY_LOCATION = TableSpec(
    query="quality_by_location",
    title="Where",
    row_limit=1_000,
    silent={"thread": 0, "time_ns": None},
    hidden=frozenset({"location_id", "detail"}),
)


@dataclass(frozen=True)
class Verdict:
    """Whether a condition on the counts holds, and the counts by name."""

    holds: bool
    counts: dict[str, int]


def print_quality(run: "Run", format: Format, console: "Console") -> None:
    """Print in words and tables, or row by row, what is missing or doubtful in a run's trace."""
    connection = run.connect()
    try:
        if format != "table":
            names, rows = fetch(connection, _BY_LOCATION.query, _ALL_ROWS)
            print_rows(names, rows, format, console)
            return
        print_section(
            trace_quality.build(Material(connection, run.manifest), _BY_LOCATION), console
        )
    finally:
        connection.close()


def refuse_if(run: "Run", expression: str) -> None:
    """Raise UntrustedTraceError if an expression about the counts holds for a run.

    Raises QueryError if it is none, with the names that it can be about.
    """
    verdict = judge(run, expression)
    if verdict.holds:
        named = {name: verdict.counts[name] for name in _names_in(expression, verdict.counts)}
        told = ", ".join(f"{name} = {count:,}" for name, count in named.items())
        raise UntrustedTraceError(f"{run.label}: {expression} holds: {told}")


def judge(run: "Run", expression: str) -> Verdict:
    """Whether an expression of SQL about the counts of a run holds, or `any`."""
    from pipeline.store.database import connect

    connection = run.connect()
    try:
        names, (row,) = fetch(connection, "quality_counts")
    finally:
        connection.close()
    counts = {name: int(str(count)) for name, count in zip(names, row, strict=True)}
    # A database of its own that holds nothing but the counts, for it runs whatever is given.
    with connect(threads=1) as alone:
        return Verdict(_holds(alone, _condition(expression), counts), counts)


def _condition(expression: str) -> str:
    return "findings > 0" if expression.strip().lower() == ANY else expression


def _holds(
    connection: "duckdb.DuckDBPyConnection", expression: str, counts: dict[str, int]
) -> bool:
    import duckdb

    view = pa.table({name: [count] for name, count in counts.items()})
    try:
        relation = connection.from_arrow(view)
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        condition = duckdb.SQLExpression(expression).cast("BOOLEAN")
        return len(relation.filter(condition).fetchall()) > 0
    except duckdb.Error as error:
        names = ", ".join(counts)
        what = str(error).splitlines()[0]
        raise QueryError(
            f"--fail-on {expression}: {what}: give a condition such as 'clock_violations > 10', "
            f"or any; names: {names}"
        ) from error


def _names_in(expression: str, counts: dict[str, int]) -> list[str]:
    """The counts that an expression names; those that are not zero if it names none."""
    words = set(re.findall(r"\w+", expression.lower()))
    named = [name for name in counts if name in words]
    return named or [name for name, count in counts.items() if count]
