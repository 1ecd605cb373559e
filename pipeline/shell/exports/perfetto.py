"""A run, or a window of it, in the Chrome trace event format, which Perfetto and others open."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import duckdb

from tracemill.reports.windows import Window
from tracemill.shell.exports.json_files import json_file, query_batches
from tracemill.shell.exports.severities import ExportedRun

MEMORY_LIMIT = "1GB"
_THREADS = 2
_EVER = Window(-(2**62), 2**62)
# Flows begin and end in events that precede them.
_QUERIES = (
    "perfetto_names", "perfetto_visits", "perfetto_messages", "perfetto_waits", "perfetto_path",
    "perfetto_course", "perfetto_counters",
)  # fmt: skip


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
    with json_file(output, is_overwriting=is_overwriting) as file:
        connection = run.connect(threads=_THREADS, memory_limit=memory_limit or MEMORY_LIMIT)
        try:
            return _write(file, _batches(connection, window or _EVER))
        finally:
            connection.close()


def _batches(connection: duckdb.DuckDBPyConnection, window: Window) -> Iterator[list[str]]:
    """The events as JSON texts, some at a time."""
    given = {"window_begin_ns": window.begin_ns, "window_end_ns": window.end_ns}
    for name in _QUERIES:
        for batch in query_batches(connection, name, dict(given), "perfetto"):
            yield batch.column(0).to_pylist()


def _write(file: IO[str], batches: Iterator[list[str]]) -> int:
    file.write('{"displayTimeUnit":"ns","traceEvents":[')
    count = 0
    for events in batches:
        if events:
            file.write(("\n" if not count else ",\n") + ",\n".join(events))
            count += len(events)
    file.write("\n]}\n")
    return count
