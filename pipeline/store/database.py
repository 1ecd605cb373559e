"""DuckDB over the store's Parquet files: connections and views."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from tracemill.base.errors import StoreError, UsageError
from tracemill.base.text import bytes_of, first_line
from tracemill.schemas import Table
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT8, INT16, INT32, INT64, STRING

AGAIN = "analyze the trace again with --force"
_SETTINGS = {"autoinstall_known_extensions": False, "parquet_metadata_cache": True}
# Optimizers for many rows: for few, they take a fifth of a query's time. Those that
# keep the cost of joins and filters in proportion stay on.
_FOR_MANY_ROWS = (
    "aggregate_function_rewriter", "aggregate_reuse", "common_aggregate", "common_subexpressions",
    "common_subplan", "compressed_materialization", "distinct_aggregate_rewrite",
    "duplicate_groups", "grouping_sets", "join_elimination", "join_filter_pushdown",
    "late_materialization", "outer_join_simplification", "partial_aggregate_pushdown",
    "partitioned_execution", "projection_placement", "projection_pullup", "redundant_order_keys",
    "remote_pushdown", "reorder_filter", "sampling_pushdown", "scalar_fn_pushdown",
    "statistics_propagation", "top_n_window_elimination", "type_pushdown", "window_rewriter",
    "window_self_join",
)  # fmt: skip
FEW_RECORDS = {"disabled_optimizers": ",".join(_FOR_MANY_ROWS)}
"""Settings of a database for a trace of few records."""
# They let a query skip parts of large tables, and sum up in arrays.
_FOR_LARGE_TABLES = {"join_filter_pushdown", "statistics_propagation"}
SHORT_QUERIES = {
    "disabled_optimizers": ",".join(
        each for each in _FOR_MANY_ROWS if each not in _FOR_LARGE_TABLES
    )
}
"""The same for many short queries, also over large tables, such as those of a report."""
# Statements by their text: more than all queries we ship, each some 50 kB.
_PARSED: dict[str, "duckdb.Statement"] = {}
_MOST_PARSED = 500
_LEAST_BYTES = 250_000_000
# Values of enumerations are text to queries.
_SQL_TYPES = {
    INT8: "TINYINT",
    INT16: "SMALLINT",
    INT32: "INTEGER",
    INT64: "BIGINT",
    FLOAT64: "DOUBLE",
    BOOL: "BOOLEAN",
    STRING: "VARCHAR",
    ENUM: "VARCHAR",
}


@dataclass(frozen=True)
class SmallTables:
    """A database with small tables of a run, as the analysis left it."""

    connection: duckdb.DuckDBPyConnection
    names: frozenset[str]


def connect(
    *, threads: int | None = None, lanes: int = 1, memory_limit: str = "", **settings: Any
) -> duckdb.DuckDBPyConnection:
    """A private in-memory database; raises UsageError for a wrong `memory_limit`.

    Each of the `lanes`, threads that run queries at once, is one of its `threads`.
    """
    connection = duckdb.connect()
    with suppress(duckdb.InvalidInputException):  # in Jupyter without ipywidgets there is no bar
        connection.execute("SET enable_progress_bar = false")
    chosen = _SETTINGS | settings
    if threads:
        chosen |= {"threads": threads, "external_threads": min(lanes, threads)}
    chosen |= {"memory_limit": memory_limit} if memory_limit else {}
    for name, value in chosen.items():
        try:
            connection.execute(f"SET {name} = $value", {"value": value})
        except duckdb.Error as error:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} {value}: {first_line(error)}") from error
    return connection


@contextmanager
def less_memory(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Limit a database to a quarter of its memory while others need it; the rest is given back.

    It keeps what queries that run meanwhile need.
    """
    ((limit,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    least = min(bytes_of(limit), _LEAST_BYTES)
    with suppress(duckdb.OutOfMemoryException):  # more than this quarter cannot be given back
        connection.execute(f"SET memory_limit = '{max(bytes_of(limit) / 4, least):.0f} bytes'")
    try:
        yield
    finally:
        connection.execute(f"SET memory_limit = '{limit}'")


def parsed(connection: duckdb.DuckDBPyConnection, text: str) -> "duckdb.Statement | str":
    """A statement, parsed once per process: for small traces, parsing takes a third of the time."""
    if (found := _PARSED.get(text)) is None:
        statements = connection.extract_statements(text)
        if len(statements) != 1:
            return text
        if len(_PARSED) >= _MOST_PARSED:
            _PARSED.clear()
        _PARSED[text] = found = statements[0]
    return found


def create_view(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    files: Sequence[Path],
    *,
    are_alike: bool = True,
) -> None:
    """Create a view of the Parquet files of a table; raises StoreError if they are not Parquet.

    Unless the files `are_alike`, columns that a file lacks are null.
    """
    scanned = scan(files) if are_alike else scan(files, "union_by_name = true")
    with _reading_errors():
        connection.execute(f"CREATE OR REPLACE VIEW {quoted(name)} AS FROM {scanned}")


def create_copy(connection: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path]) -> None:
    """Copy a table into memory: for small tables, queries are planned faster than on a view.

    It is no temporary table, because cursors of the connection do not see those.
    """
    with _reading_errors():
        connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS FROM {scan(files)}")


def copy_rows(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Copy rows into a table, which cursors of the connection see."""
    connection.register("given_rows", rows)
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS FROM given_rows")
    connection.unregister("given_rows")


def create_view_of_rows(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Create a view of rows in memory, which cursors of the connection see."""
    connection.from_arrow(rows).create_view(name)


def create_union_view(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    files: Sequence[Path],
    *,
    are_alike: bool = False,
) -> None:
    """Create a view of a table of many runs, with a first column run_id.

    Columns that a run lacks are null. If `are_alike`, only the first file is opened for its names.
    """
    run_id = r"regexp_extract(filename, '.*[\\/]run=([^\\/]+)[\\/]gen=[^\\/]+[\\/]', 1)"
    scanned = scan(files, f"union_by_name = {str(not are_alike).lower()}", "filename = true")
    columns = f"{run_id} AS run_id, * EXCLUDE (filename)"
    with _reading_errors():
        connection.execute(
            f"CREATE OR REPLACE VIEW {quoted(name)} AS SELECT {columns} FROM {scanned}"
        )


def create_empty(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Make a table without rows that has the columns and types of a declared one."""
    columns = (f"{quoted(column.name)} {_SQL_TYPES[column.type]}" for column in table.columns)
    connection.execute(f"CREATE TABLE {quoted(table.name)} ({', '.join(columns)})")


@contextmanager
def _reading_errors() -> Iterator[None]:
    """Turn what DuckDB says of a file that it cannot read into one line."""
    try:
        yield
    except (duckdb.IOException, duckdb.InvalidInputException) as error:
        raise StoreError(f"the store cannot be read: {first_line(error)}: {AGAIN}") from error


def scan(files: Iterable[Path], *settings: str) -> str:
    """The table function that reads `files`; folder names in their paths mean nothing to it."""
    names = ", ".join(literal(str(file)) for file in files)
    return f"read_parquet([{names}], {', '.join(('hive_partitioning = false', *settings))})"


def literal(text: str) -> str:
    """`text` as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """`name` as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
