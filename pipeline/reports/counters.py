"""Choice of counters by name."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import duckdb

from tracemill.base.errors import UsageError
from tracemill.reports.material import Material
from tracemill.reports.model import Table
from tracemill.reports.tables import Fetched, TableSpec, read_table
from tracemill.sql.query_files import load_query
from tracemill.stages.derived_counters import make_derived_counters

NO_COUNTERS = "The trace has no counters."
NO_ROWS = (
    "No values here. Counters of a process, a node or the run belong to no call path or thread; "
    "--by time shows them."
)
_OVER_TIME = "counters_over_time"
_INTERNAL = frozenset({"value", "recorded_mean", "negative_steps", "is_as_recorded", "is_derived"})
"""Of values over time: those of the curve are for people."""
_TITLES = {"curve_value": "Value", "covered_ns": "Known for", "negative_steps": "Falling steps"}
_MOST_ROWS = 1_000
_DERIVED, _FIGURES = "derived_counters", "counter_figures"


def derive_counters(
    connection: duckdb.DuckDBPyConnection, provide: Callable[[str], object], definitions: str
) -> Callable[[str], object]:
    """Derive counters by the text of a file; returns what provides all other tables."""
    query = load_query(_FIGURES)
    made = {*query.inputs, _FIGURES}
    for name in query.inputs:
        provide(name)
    table = make_derived_counters(connection.table("counters"), derived_counters=definitions)
    connection.register("own_definitions", table)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_DERIVED} AS FROM own_definitions")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_FIGURES} AS {query.statement}")
    return lambda name: None if name in made else provide(name)


def defined_counters(material: Material) -> list[str]:
    """Names of the counters of a run, and of those derived from them; empty without values."""
    rows = material.rows("defined_counters")
    if not any(row["has_values"] for row in rows):
        return []
    return list(dict.fromkeys(str(row["name"]) for row in rows))


def choose_rows(found: Fetched, pattern: str, defined: Sequence[str]) -> Fetched:
    """The rows whose first column fits; raises UsageError if no counter does."""
    chosen = {name for name in defined if fnmatchcase(name.lower(), pattern.lower())}
    if not chosen:
        names = ", ".join(defined)
        raise UsageError(f"--counter {pattern}: no counter fits: there are {names}")
    columns, rows = found
    return columns, tuple(row for row in rows if row[0] in chosen)


def table_of(query: str, found: Fetched) -> Table:
    """Rows of a query about counters for people: rounded, without internal columns."""
    spec = TableSpec(
        query=query,
        title="Counters",
        row_limit=_MOST_ROWS,
        titles=_TITLES,
        hidden=_INTERNAL if query == _OVER_TIME else frozenset(),
    )
    return read_table(lambda *_: found, spec)
