"""Completeness of a trace: all its records are in the tables of its run."""

import pyarrow.parquet as pq

from tracemill.base.errors import StoreError
from tracemill.store.runs import Run

_TABLE, _COLUMN = "trace_quality", "is_loss"


def is_complete(run: Run) -> bool:
    """True if no finding about the trace of a run is a loss.

    Raises StoreError if an earlier version, which did not record losses, made the tables.
    """
    if not _has_column(run):
        raise StoreError("made by an earlier version: analyze the trace again")
    return not any(run.read(_TABLE, [_COLUMN])[_COLUMN].to_pylist())


def _has_column(run: Run) -> bool:
    """True also for an unreadable file; reading it raises the reason."""
    try:
        return _COLUMN in pq.read_schema(run.files(_TABLE)[0]).names
    except (OSError, ValueError):
        return True
