"""How far a run can be trusted: what its trace lacks, and whether that is too much."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from tracemill.base.errors import UntrustedTraceError
from tracemill.reports.material import Material
from tracemill.reports.sections import trace_quality
from tracemill.reports.tables import TableSpec, fetch
from tracemill.reports.terminal import print_section
from tracemill.shell import Format, print_rows
from tracemill.sql.conditions import ConditionError, UnknownNameError, evaluate, refusal
from tracemill.sql.query_files import load_query

if TYPE_CHECKING:
    from rich.console import Console

    from tracemill.store import Run

ANY = "any"
"""The expression that holds if anything at all was noticed."""
_HOW = (
    "compare counts and numbers with = <> < <= > >=, such as 'clock_violations > 10', and join "
    "with and, or, not, + - * / ( ); or give any"
)
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


def judge(run: "Run", expression: str) -> Mapping[str, int] | None:
    """The counts of a run that a condition names, or None if it does not hold.

    `any` holds if anything was noticed. Raises UsageError for a text that is not a condition.
    """
    connection = run.connect(tables=())
    try:
        for name in load_query(_COUNTS).inputs:
            run.provide(connection, name)
        _, rows = fetch(connection, _COUNTS)
    finally:
        connection.close()
    counts = {str(name): int(str(count)) for _, name, count in rows}
    known = counts | {str(kind): counts[str(name)] for kind, name, _ in rows if kind is not None}
    try:
        is_any = expression.strip().lower() == ANY
        (holds,), names = evaluate("findings > 0" if is_any else expression, [known])
    except UnknownNameError as error:
        names_known = f"counts: {', '.join(counts)}; or kinds as quality prints them"
        raise refusal("--fail-on", expression, f"{error}: {names_known}") from error
    except ConditionError as error:
        raise refusal("--fail-on", expression, f"{error}: {_HOW}") from error
    return {name: known[name] for name in names} if holds else None


def refuse(run: "Run", expression: str, named: Mapping[str, int]) -> None:
    """Raise UntrustedTraceError with the counts for which a condition holds."""
    counts = ", ".join(f"{name} = {count:,}" for name, count in named.items())
    raise UntrustedTraceError(f"{run.label}: {expression} holds: {counts}")
