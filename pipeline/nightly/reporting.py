"""What nights write for people; where that fails, the store has failed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracemill.base.errors import PipelineError, StoreError
from tracemill.reports.files import write_reports
from tracemill.reports.model import Report
from tracemill.store import Store
from tracemill.store.failures import store_error


def write_into(store: Store, report: Report) -> list[tuple[str, Path]]:
    """Write the files of a report, and return where page and text are. Raises StoreError."""
    with files_told_as_store_error(store):
        return write_reports(report, store.path)


@contextmanager
def files_told_as_store_error(store: Store) -> Iterator[None]:
    """Turn an error of files that the block writes into a store into that of the store."""
    try:
        yield
    except StoreError:
        raise
    except PipelineError as error:
        cause = error.__cause__
        if isinstance(cause, OSError):
            raise store_error(Path(cause.filename or store.path), cause) from error
        raise StoreError(str(error)) from error
