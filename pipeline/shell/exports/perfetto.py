"""A run, or a window of it, in the Chrome trace event format, which Perfetto and others open."""

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO

import duckdb

from tracemill.base.errors import QueryError, UsageError
from tracemill.base.files import check_free, replacing
from tracemill.base.text import first_line
from tracemill.reports.windows import Window
from tracemill.shell.exports.severities import ExportedRun
from tracemill.sql.query_files import load_query

MEMORY_LIMIT = "1GB"
_THREADS = 2
_BATCH_ROWS = 10_000
_EVER = Window(-(2**62), 2**62)
# Flows begin and end in events that precede them.
_QUERIES = (
    "perfetto_names", "perfetto_visits", "perfetto_messages", "perfetto_waits", "perfetto_path",
    "perfetto_course", "perfetto_counters",
)  # fmt: skip
_FORMATS = {".json": "", ".gz": ".json"}


def export_perfetto(
    run: ExportedRun,
    output: Path,
    *,
    window: Window | None = None,
    memory_limit: str = "",
    is_overwriting: bool = False,
) -> int:
    """Write the events that overlap the window; returns their number.

    They are visits, messages, waits with their causes, the critical path, phases, iterations and
    values of counters.

    Events are streamed: memory does not depend on the run. `output` ends with .json or .json.gz.
    Raises UsageError for other suffixes, PipelineError if the file exists or cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in _FORMATS or not output.stem.lower().endswith(_FORMATS[suffix]):
        raise UsageError(f"cannot export to {output}: use the suffix .json or .json.gz")
    check_free(output, is_overwriting=is_overwriting)
    with ExitStack() as stack:
        connection = run.connect(threads=_THREADS, memory_limit=memory_limit or MEMORY_LIMIT)
        stack.callback(connection.close)
        beside = stack.enter_context(replacing(output))
        file = stack.enter_context(_open(beside, is_compressed=suffix == ".gz"))
        return _write(file, _batches(connection, window or _EVER))


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


def _batches(connection: duckdb.DuckDBPyConnection, window: Window) -> Iterator[list[str]]:
    """The events as JSON texts, some at a time."""
    given = {"window_begin_ns": window.begin_ns, "window_end_ns": window.end_ns}
    for name in _QUERIES:
        query = load_query(name)
        values = query.bind(given)
        try:
            events = connection.sql(query.statement, params=values)
            for batch in events.to_arrow_reader(_BATCH_ROWS):
                yield batch.column(0).to_pylist()
        except duckdb.Error as error:
            raise QueryError(f"export perfetto: {name}: {first_line(error)}") from error


def _write(file: IO[str], batches: Iterator[list[str]]) -> int:
    file.write('{"displayTimeUnit":"ns","traceEvents":[')
    count = 0
    for events in batches:
        if events:
            file.write(("\n" if not count else ",\n") + ",\n".join(events))
            count += len(events)
    file.write("\n]}\n")
    return count
