"""Rows of a pattern's query: checked, and completed to all columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.base.errors import PatternError
from tracemill.patterns.catalog import catalog, completing, metrics_of, pattern_of, table_of
from tracemill.schemas.patterns import NEEDED_OF_FINDINGS
from tracemill.schemas.table import BOOL, STRING, Column, Table
from tracemill.schemas.wait_states import NEEDED_OF_WAITS
from tracemill.sql.pattern_declaration import FINDING
from tracemill.sql.query_files import Query
from tracemill.sql.refusals import refused
from tracemill.store.database import parsed

RESULT = "pattern_result"
_METRIC = "pattern_metric"
WORKING_TABLES = (RESULT, _METRIC)
"""Names of tables that exist while a pattern is looked for."""
_SURE = 100
_LONGEST = 2**63 - 1
_TABLES_BY_ID = {
    "call_path_id": "call_paths",
    "location_id": "locations",
    "cause_location_id": "locations",
    "visit_id": "visits",
    "cause_visit_id": "visits",
}
"""Tables of the trace whose rows are numbered from 0 on, by the columns that refer to them."""
_INTEGERS = frozenset({
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
})  # fmt: skip


def statement_of(query: Query) -> str:
    """The statement of a query; that of a shipped pattern gives all columns of its table."""
    if query.pattern is None:
        return query.statement
    metrics = [metric.name for metric in metrics_of(query, catalog())]
    given = f"{RESULT} AS (\n{query.statement}\n)"
    return f"WITH {_only(metrics)},\n{given}\n{completing(query).statement}"


def _only(metrics: Sequence[str]) -> str:
    """The metric of rows that name none, which must be the only one, for the completing query."""
    only = metrics[0] if len(metrics) == 1 else ""
    return f"{_METRIC} AS (SELECT '{only}' AS metric)"


def complete_rows(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    metrics: Sequence[str],
    row_count: Callable[[str], int],
) -> duckdb.DuckDBPyRelation:
    """The rows of the table `RESULT` with all columns of the pattern's table, in a total order.

    `metrics` are those that the pattern may find; `row_count` returns the number of rows of a
    table. Raises PatternError for missing or unknown columns, wrong types, and impossible numbers.
    """
    table = table_of(query)
    result = connection.table(RESULT)
    _check_columns(query, table, dict(zip(result.columns, map(str, result.types), strict=True)))
    _check_numbers(query, result, row_count)
    if pattern_of(query).kind != FINDING:
        _check_nulls(query, table, result)
    order = ", ".join(table.key) or "ALL"
    statement = f"WITH {_only(metrics)}\n{completing(query).statement}\nORDER BY {order}"
    return connection.sql(parsed(connection, statement))


def checked(
    batches: Iterable[pa.RecordBatch], query: Query, metrics: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The completed rows; raises PatternError for unknown metrics and impossible values."""
    needed = [column.name for column in table_of(query).columns if not column.is_nullable]
    for batch in filter(len, batches):
        _check_metrics(query, batch, metrics)
        for name in needed:
            if batch[name].null_count:
                raise _wrong_rows(query, f"without {name}")
        yield batch


def _check_columns(query: Query, table: Table, given: Mapping[str, str]) -> None:
    """Hold the names and types of what a query gives against the columns of its table."""
    is_finding = pattern_of(query).kind == FINDING
    needed = NEEDED_OF_FINDINGS if is_finding else NEEDED_OF_WAITS
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
    """The required type of a column in words, and the DuckDB types that fit."""
    if column.type == STRING:
        return "VARCHAR", {"VARCHAR"}
    if column.type == BOOL:
        return "BOOLEAN", {"BOOLEAN"}
    return "an integer", _INTEGERS


def _check_numbers(
    query: Query, result: duckdb.DuckDBPyRelation, row_count: Callable[[str], int]
) -> None:
    """Check the range of each column before its numbers are cast to the types of the table."""
    for name, (least, greatest) in _extremes(query, result).items():
        if _TABLES_BY_ID.get(name) == "visits" and row_count("visit_sums"):
            continue  # visits are numbered as if none were summed
        if name in _TABLES_BY_ID:
            _check_ids(query, name, (least, greatest), row_count(_TABLES_BY_ID[name]))
        elif name == "confidence" and (least < 0 or greatest > _SURE):
            raise _wrong_rows(query, "with a confidence beyond 0 to 100")
        elif name == "value" and least < 0:
            raise _wrong_rows(query, "with a negative value")
        elif name == "wait_ns" and least <= 0:
            raise _wrong_rows(query, "with a wait of zero or less")
        elif name.endswith("_id") and least < 0:
            raise _wrong_rows(query, f"of {name} {least}")
        elif greatest > _LONGEST or least < -_LONGEST:
            raise _wrong_rows(query, f"with a {name} beyond 64 bits")


def _check_ids(query: Query, name: str, given: tuple[int, int], count: int) -> None:
    wrong = [number for number in given if not 0 <= number < count]
    if wrong:
        there = f"0 to {count - 1}" if count else "none"
        raise refused(
            query.path, f"there are rows of {name} {wrong[0]}, which is not there",
            f"{_TABLES_BY_ID[name]} has {there}",
        )  # fmt: skip


def _check_nulls(query: Query, table: Table, result: duckdb.DuckDBPyRelation) -> None:
    """A wait has no null instead of what may be left out, which completing would fill."""
    for column in table.columns:
        if column.name in result.columns and not column.is_nullable:
            nulls = result.filter(duckdb.ColumnExpression(column.name).isnull())
            if nulls.limit(1).fetchall():
                raise _wrong_rows(query, f"without {column.name}")


def _extremes(query: Query, result: duckdb.DuckDBPyRelation) -> dict[str, tuple[int, int]]:
    """The least and the greatest number of each column of integers that has any."""
    types = {column.name: column.type for column in table_of(query).columns}
    names = [name for name in result.columns if types[name] not in (STRING, BOOL)]
    functions = [
        duckdb.FunctionExpression(function, duckdb.ColumnExpression(name))
        for name in names
        for function in ("min", "max")
    ]
    (found,) = result.aggregate(functions).fetchall()
    pairs = dict(zip(names, zip(found[::2], found[1::2], strict=True), strict=True))
    return {name: pair for name, pair in pairs.items() if pair[0] is not None}


def _check_metrics(query: Query, batch: pa.RecordBatch, metrics: Sequence[str]) -> None:
    unknown = sorted({name or "" for name in pc.unique(batch["property"]).to_pylist()} - {*metrics})
    if unknown:
        what = f"of property {unknown[0]}" if unknown[0] else "without property"
        declared = f"the header declares {', '.join(metrics)}"
        raise refused(query.path, f"there are rows {what}", declared)


def _wrong_rows(query: Query, what: str) -> PatternError:
    return refused(query.path, f"there are rows {what}", "leave them out")
