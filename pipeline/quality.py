"""How far a run can be trusted: what its trace lacks, and whether that is too much."""

from functools import partial
from typing import TYPE_CHECKING

from pipeline import conditions
from pipeline.conditions import Verdict
from pipeline.errors import UntrustedTraceError
from pipeline.reports.material import Material
from pipeline.reports.sections import trace_quality
from pipeline.reports.tables import TableSpec, fetch
from pipeline.reports.terminal import print_section
from pipeline.shell import Format, print_rows
from pipeline.sql import load_query

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.store import Run

ANY = "any"
"""The expression that holds if anything at all was noticed."""
_ALL_ROWS = 1 << 62
_COUNTS = "quality_counts"
_BY_LOCATION = TableSpec(
    query="quality_by_location",
    title="Where",
    row_limit=1_000,
    silent={"thread": 0, "time_ns": None},
    hidden=frozenset({"location_id", "is_loss", "detail"}),
)


def print_quality(run: "Run", format: Format, console: "Console") -> None:
    """Print in words and tables, or row by row, what is missing or doubtful in a run's trace."""
    connection = run.connect(tables=())
    try:
        material = Material(connection, run.manifest, provide=partial(run.provide, connection))
        if format == "table":
            print_section(trace_quality.build(material, _BY_LOCATION), console)
        else:
            print_rows(*material.ask(_BY_LOCATION.query, _ALL_ROWS), format, console)
    finally:
        connection.close()


def judge(run: "Run", expression: str) -> Verdict:
    """Whether a condition on the counts of a run holds, or `any`.

    Raises UsageError if it is none, with the names that it can be about.
    """
    connection = run.connect(tables=())
    try:
        for name in load_query(_COUNTS).inputs:
            run.provide(connection, name)
        _, rows = fetch(connection, _COUNTS)
        counts = {str(name): int(str(count)) for _, name, count in rows}
        kinds = {str(kind): str(name) for kind, name, _ in rows if kind is not None}
        condition = "findings > 0" if expression.strip().lower() == ANY else expression
        return conditions.judge(connection, condition, counts, aliases=kinds)
    finally:
        connection.close()


def refuse(run: "Run", expression: str, verdict: Verdict) -> None:
    """Raise UntrustedTraceError if a condition on the counts of a run holds."""
    if verdict.holds:
        told = ", ".join(f"{name} = {count:,}" for name, count in verdict.named.items())
        raise UntrustedTraceError(f"{run.label}: {expression} holds: {told}")
