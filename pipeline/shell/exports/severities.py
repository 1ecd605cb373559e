"""Results as files that other tools compare or load."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import duckdb

from tracemill.base.errors import PipelineError, UsageError
from tracemill.base.files import ELSEWHERE, check_free, replacing
from tracemill.sql.query_files import create_views, load_query

SEVERITIES_QUERY = "severity_cells"
_COMPARABLE = "SELECT * EXCLUDE (extended) FROM ({}) WHERE NOT extended"
_OPTIONS = {".csv": "(FORMAT csv, HEADER true)", ".parquet": "(FORMAT parquet, COMPRESSION zstd)"}


class ExportedRun(Protocol):
    """A run as far as an export needs it: its tables as views."""

    def connect(
        self,
        *,
        threads: int | None = None,
        memory_limit: str = "",
        tables: Sequence[str] | None = None,
    ) -> duckdb.DuckDBPyConnection: ...


def export_severities(
    run: ExportedRun, output: Path, *, is_extended: bool = False, is_overwriting: bool = False
) -> int:
    """Write every metric per call path, rank and thread; returns the number of rows.

    The suffix of `output` selects CSV or Parquet. Times are in seconds. With `is_extended`, values
    that Scalasca lacks have rows of their own, marked in a column `extended`. Raises UsageError for
    other suffixes, PipelineError if the file exists or cannot be written.
    """
    options = _OPTIONS.get(output.suffix.lower())
    if options is None:
        raise UsageError(
            f"cannot export to {output}: the format is taken from the suffix: "
            f"use {' or '.join(_OPTIONS)}"
        )
    check_free(output, is_overwriting=is_overwriting)
    query = load_query(SEVERITIES_QUERY)
    cells = query.statement
    statement = cells if is_extended else _COMPARABLE.format(cells)
    connection = run.connect()
    try:
        create_views(connection, query.inputs)
        with replacing(output) as beside:
            return _copy(connection, statement, beside, output, options)
    finally:
        connection.close()


def _copy(
    connection: duckdb.DuckDBPyConnection, cells: str, beside: Path, output: Path, options: str
) -> int:
    statement = f"COPY ({cells}) TO $output {options}"
    try:
        copied = connection.execute(statement, {"output": str(beside)}).fetchone()
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0].replace(str(beside), str(output))
        raise PipelineError(f"cannot write {output}: {reason}: {ELSEWHERE}") from error
    return int(copied[0]) if copied else 0
