"""What a pattern's query gives, held against what it has to give, and completed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pipeline.errors import PatternError
from pipeline.patterns.catalogue import pattern_of, table_of
from pipeline.patterns.declaration import FINDING
from pipeline.sql import COMPLETED, Query, load_query
from schemas.patterns import NEEDED_OF_FINDINGS
from schemas.table import BOOL, STRING, Table

if TYPE_CHECKING:
    import duckdb

RESULT = "pattern_result"
_TEMPLATE = "pattern_template"
_TEXTS = {"VARCHAR"}
_INTEGERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}


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
    is_finding = pattern_of(query).kind == FINDING
    needed = NEEDED_OF_FINDINGS if is_finding else table.column_names
    for name in needed:
        if name not in given:
            raise PatternError(
                f"{query.relation}: the query gives no column {name}: {query.path}: "
                f"it needs {', '.join(needed)}"
            )
    known = {column.name: column for column in table.columns}
    for name, type_name in given.items():
        if name not in known:
            raise PatternError(
                f"{query.relation}: the query gives a column {name} that patterns do not have: "
                f"{query.path}: they have {', '.join(known)}"
            )
        if known[name].type == STRING:
            wanted, allowed = "VARCHAR", _TEXTS
        elif known[name].type == BOOL:
            wanted, allowed = "BOOLEAN", {"BOOLEAN"}
        else:
            wanted, allowed = "an integer", _INTEGERS
        if type_name not in allowed:
            raise PatternError(
                f"{query.relation}: column {name} is {type_name}, not {wanted}: {query.path}: "
                "cast it in the query, times to nanoseconds"
            )


def _check_amounts(query: Query, result: "duckdb.DuckDBPyRelation") -> None:
    """Findings of zero are none; waits of zero are not to be given at all."""
    is_finding = pattern_of(query).kind == FINDING
    amount, least = ("value", 0) if is_finding else ("wait_ns", 1)
    smallest = "a negative value" if is_finding else "a wait of zero or less"
    wrong = {f"no {amount}": f"{amount} IS NULL", smallest: f"{amount} < {least}"}
    for what, condition in wrong.items():
        if result.filter(condition).limit(1).fetchall():
            raise PatternError(
                f"{query.relation}: there are rows with {what}: {query.path}: leave them out"
            )


def _check_values(query: Query, found: "duckdb.DuckDBPyRelation", metrics: Sequence[str]) -> None:
    wrong = {
        "without call_path_id": "call_path_id IS NULL",
        "without location_id": "location_id IS NULL",
        "with a confidence beyond 0 to 100": "confidence NOT BETWEEN 0 AND 100",
    }
    for what, condition in wrong.items():
        if found.filter(condition).limit(1).fetchall():
            raise PatternError(
                f"{query.relation}: there are rows {what}: {query.path}: leave them out"
            )
    named = {name for (name,) in found.select("property").distinct().fetchall()}
    unknown = sorted(named - set(metrics))
    if unknown:
        given = f"of property {unknown[0]}" if unknown[0] else "without property"
        raise PatternError(
            f"{query.relation}: there are rows {given}: {query.path}: the header declares "
            f"{', '.join(metrics)}"
        )
