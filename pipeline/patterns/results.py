"""What a pattern's query gives, held against what it has to give, and completed."""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from pipeline.patterns.catalogue import pattern_of, table_of
from pipeline.patterns.declaration import FINDING
from pipeline.patterns.refusals import refused
from pipeline.sql import COMPLETED, Query, load_query
from schemas.patterns import NEEDED_OF_FINDINGS
from schemas.table import BOOL, STRING, Column, Table

if TYPE_CHECKING:
    import duckdb

RESULT = "pattern_result"
_TEMPLATE = "pattern_template"
WORKING_TABLES = (RESULT, _TEMPLATE)
"""Names of tables that exist while a pattern is looked for."""
_INTEGERS = frozenset({
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
})  # fmt: skip


def complete(
    connection: "duckdb.DuckDBPyConnection", query: Query, metrics: Sequence[str]
) -> "duckdb.DuckDBPyRelation":
    """The rows of the table `RESULT` with all columns of the pattern's table, in a total order.

    Columns that findings leave out are filled, findings of zero left out. `metrics` are those that
    the pattern may find. Raises PatternError for columns that are missing, unknown or of another
    type, and for values that cannot be.
    """
    table = table_of(query)
    result = connection.table(RESULT)
    _check_columns(query, table, dict(zip(result.columns, map(str, result.types), strict=True)))
    _check_amounts(query, result)
    if pattern_of(query).kind != FINDING:
        found = result.select(*table.column_names).order("property, visit_id")
    else:
        connection.register(_TEMPLATE, table.empty())
        only = metrics[0] if len(metrics) == 1 else ""
        found = connection.sql(load_query(COMPLETED).statement, params={"metric": only})
    _check_values(query, found, metrics)
    return found


def _check_columns(query: Query, table: Table, given: Mapping[str, str]) -> None:
    """Hold the names and types of what a query gives against the columns of its table."""
    is_finding = pattern_of(query).kind == FINDING
    needed = NEEDED_OF_FINDINGS if is_finding else table.column_names
    for name in needed:
        if name not in given:
            needs = f"it needs {', '.join(needed)}"
            raise refused(query.path, f"the query gives no column {name}", needs)
    known = {column.name: column for column in table.columns}
    for name, type_name in given.items():
        if name not in known:
            raise refused(
                query.path, f"the query gives a column {name} that patterns do not have",
                f"they have {', '.join(known)}",
            )  # fmt: skip
        wanted, allowed = _types_for(known[name])
        if type_name not in allowed:
            raise refused(
                query.path, f"column {name} is {type_name}, not {wanted}",
                "cast it in the query, times to nanoseconds",
            )  # fmt: skip


def _types_for(column: Column) -> tuple[str, Set[str]]:
    """What a column has to be, in words, and the types of DuckDB that are."""
    if column.type == STRING:
        return "VARCHAR", {"VARCHAR"}
    if column.type == BOOL:
        return "BOOLEAN", {"BOOLEAN"}
    return "an integer", _INTEGERS


def _check_amounts(query: Query, result: "duckdb.DuckDBPyRelation") -> None:
    """Findings of zero are none; waits of zero are not to be given at all."""
    is_finding = pattern_of(query).kind == FINDING
    amount, least = ("value", 0) if is_finding else ("wait_ns", 1)
    smallest = "a negative value" if is_finding else "a wait of zero or less"
    wrong = {f"with no {amount}": f"{amount} IS NULL", f"with {smallest}": f"{amount} < {least}"}
    _check_rows(query, result, wrong)


def _check_values(query: Query, found: "duckdb.DuckDBPyRelation", metrics: Sequence[str]) -> None:
    """Rows have a place, a confidence that is one, and a metric that the pattern declares."""
    wrong = {
        "without call_path_id": "call_path_id IS NULL",
        "without location_id": "location_id IS NULL",
        "with a confidence beyond 0 to 100": "confidence NOT BETWEEN 0 AND 100",
    }
    _check_rows(query, found, wrong)
    named = {name for (name,) in found.select("property").distinct().fetchall()}
    unknown = sorted(named - set(metrics))
    if unknown:
        what = f"of property {unknown[0]}" if unknown[0] else "without property"
        declared = f"the header declares {', '.join(metrics)}"
        raise refused(query.path, f"there are rows {what}", declared)


def _check_rows(query: Query, rows: "duckdb.DuckDBPyRelation", wrong: Mapping[str, str]) -> None:
    """No row may be one of the wrong ones, which are told by a condition each."""
    for what, condition in wrong.items():
        if rows.filter(condition).limit(1).fetchall():
            raise refused(query.path, f"there are rows {what}", "leave them out")
