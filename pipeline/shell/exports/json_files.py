"""JSON files that are written as a stream: whole or not at all, and perhaps compressed."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import duckdb
import pyarrow as pa

from tracemill.base.errors import QueryError, UsageError
from tracemill.base.files import check_free, replacing
from tracemill.base.text import first_line
from tracemill.sql.query_files import Value, load_query

_BATCH_ROWS = 10_000
_FORMATS = {".json": "", ".gz": ".json"}


@contextmanager
def json_file(output: Path, *, is_overwriting: bool) -> Iterator[IO[str]]:
    """A text file to write; it appears when it is complete.

    Raises UsageError for other suffixes than .json and .json.gz, PipelineError if the file exists
    or cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in _FORMATS or not output.stem.lower().endswith(_FORMATS[suffix]):
        raise UsageError(f"cannot export to {output}: use the suffix .json or .json.gz")
    check_free(output, is_overwriting=is_overwriting)
    with replacing(output) as beside, _open(beside, is_compressed=suffix == ".gz") as file:
        yield file


@contextmanager
def _open(path: Path, *, is_compressed: bool) -> Iterator[IO[str]]:
    """A text file; if compressed, without name and time, so that bytes are reproducible."""
    with path.open("wb") as file:
        if not is_compressed:
            with TextIOWrapper(file, encoding="utf-8") as text:
                yield text
            return
        with (
            gzip.GzipFile("", "wb", compresslevel=5, fileobj=file, mtime=0) as packed,
            TextIOWrapper(packed, encoding="utf-8") as text,
        ):
            yield text


def query_batches(
    connection: duckdb.DuckDBPyConnection, name: str, given: dict[str, Value], export: str
) -> Iterator[pa.RecordBatch]:
    """The rows of a query, some at a time. Raises QueryError that names the export."""
    query = load_query(name)
    values: dict[str, Any] = query.bind(given)
    try:
        rows = connection.sql(query.statement, params=values)
        yield from rows.to_arrow_reader(_BATCH_ROWS)
    except duckdb.Error as error:
        raise QueryError(f"export {export}: {name}: {first_line(error)}") from error
