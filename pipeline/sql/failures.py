"""Failures of DuckDB in words that name the stage and say what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from tracemill.base.errors import PipelineError, QueryError, StoreError
from tracemill.base.text import first_line
from tracemill.store.failures import UnwritableStoreError

# As the system says ENOSPC and EDQUOT.
_FULL = ("No space left", "quota exceeded")


class StreamError(Exception):
    """A query failed while its rows were being fetched; Arrow has hidden DuckDB's own error."""


@contextmanager
def stage_errors(stage: str, file: Path | None = None) -> Iterator[None]:
    """Turn any error of DuckDB in the block into one line that names the stage.

    `file` is that of a query which the user wrote.
    """
    try:
        yield
    except (duckdb.Error, StreamError, MemoryError) as error:
        raise query_error(stage, error, file) from error


def query_error(stage: str, error: Exception, file: Path | None = None) -> PipelineError:
    """The error for users that an error of DuckDB means."""
    text, reason = str(error), first_line(error)
    if any(words in text for words in _FULL):
        return UnwritableStoreError(
            f"the store is full: {stage}: {reason}: free some space or name another folder with "
            "--store"
        )
    is_short = isinstance(error, MemoryError) or "Out of Memory Error" in text
    if is_short and "offload" in text:
        return StoreError(
            f"no room for intermediate data: {stage}: {reason}: free disk space, or allow more "
            "memory with --memory-limit"
        )
    if is_short:
        return QueryError(
            f"{stage}: not enough memory: {reason}: allow more with --memory-limit, or use fewer "
            "--threads"
        )
    where = f"{file}: " if file else ""
    return QueryError(f"{stage}: the query failed: {where}{reason}")


def batches_of(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The rows of a query in batches; raises StreamError if the query fails halfway."""
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (OSError, pa.ArrowException) as error:
            raise StreamError(str(error)) from error
        yield batch
