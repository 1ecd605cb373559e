"""What a pattern's query gives, held against what it has to give, and completed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import PatternError
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
_SURE = 100
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
    type.
    """
    table = table_of(query)
    result = connection.table(RESULT)
    _check_columns(query, table, dict(zip(result.columns, map(str, result.types), strict=True)))
    if pattern_of(query).kind != FINDING:
        return result.select(*table.column_names).order("property, visit_id")
    connection.register(_TEMPLATE, table.empty())
    only = metrics[0] if len(metrics) == 1 else ""
    return connection.sql(load_query(COMPLETED).statement, params={"metric": only})


def checked(
    batches: Iterable[pa.RecordBatch], query: Query, metrics: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The completed rows as they come, of which none may hold what cannot be.

    Raises PatternError for rows without place, amount or confidence, with one that cannot be, or
    of a metric that is none of `metrics`.
    """
    for batch in filter(len, batches):
        _check_amounts(query, batch)
        _check_places(query, batch)
        _check_metrics(query, batch, metrics)
        yield batch


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


def _check_amounts(query: Query, batch: pa.RecordBatch) -> None:
    """Findings of zero are none, and left out; waits of zero are not to be given at all."""
    is_finding = pattern_of(query).kind == FINDING
    amount, least = ("value", 0) if is_finding else ("wait_ns", 1)
    if batch[amount].null_count:
        raise _wrong_rows(query, f"with no {amount}")
    if _extremes(batch[amount])["min"] < least:
        too_small = "a negative value" if is_finding else "a wait of zero or less"
        raise _wrong_rows(query, f"with {too_small}")


def _check_places(query: Query, batch: pa.RecordBatch) -> None:
    for name in ("call_path_id", "location_id", "confidence"):
        if batch[name].null_count:
            raise _wrong_rows(query, f"without {name}")
    confidence = _extremes(batch["confidence"])
    if confidence["min"] < 0 or confidence["max"] > _SURE:
        raise _wrong_rows(query, "with a confidence beyond 0 to 100")


def _check_metrics(query: Query, batch: pa.RecordBatch, metrics: Sequence[str]) -> None:
    unknown = sorted({name or "" for name in pc.unique(batch["property"]).to_pylist()} - {*metrics})
    if unknown:
        what = f"of property {unknown[0]}" if unknown[0] else "without property"
        declared = f"the header declares {', '.join(metrics)}"
        raise refused(query.path, f"there are rows {what}", declared)


def _extremes(values: pa.Array) -> dict[str, int]:
    """The least and the greatest of some numbers, of which there is at least one."""
    return dict(pc.min_max(values).as_py())


def _wrong_rows(query: Query, what: str) -> PatternError:
    return refused(query.path, f"there are rows {what}", "leave them out")
