"""The call tree with its times as a profile for speedscope."""

import json
from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import duckdb

from tracemill.base.errors import MissingInputError
from tracemill.base.text import printable
from tracemill.base.version import VERSION
from tracemill.shell.exports.json_files import json_file, query_batches
from tracemill.shell.exports.severities import ExportedRun
from tracemill.sql.query_files import Value

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_FRAMES, _PATHS, _TIMES = "speedscope_frames", "speedscope_paths", "speedscope_times"
_NO_CALLER = -1
Row = tuple[Any, ...]


def export_speedscope(
    run: ExportedRun,
    output: Path,
    *,
    name: str,
    is_summed: bool = False,
    is_overwriting: bool = False,
) -> int:
    """Write a profile of all locations together and, unless `is_summed`, of each one.

    A sample is a call path, its weight the time there without callees. Samples are streamed; the
    call tree is kept. Returns the number of profiles. Raises UsageError for other suffixes than
    .json and .json.gz, MissingInputError for a run without visits, PipelineError if the file exists
    or cannot be written.
    """
    with json_file(output, is_overwriting=is_overwriting) as file:
        connection = run.connect()
        try:
            return _write(file, connection, name, is_summed)
        finally:
            connection.close()


def _write(file: IO[str], connection: duckdb.DuckDBPyConnection, name: str, is_summed: bool) -> int:
    head: dict[str, Any] = {
        "$schema": SCHEMA,
        "exporter": f"tracemill@{VERSION}",
        "name": printable(name),
    }
    frames = [
        {key: value for key, value in zip(("name", "file", "line"), row, strict=True) if value}
        for row in _rows(connection, _FRAMES)
    ]
    more = {"activeProfileIndex": 0, "shared": {"frames": frames}}
    file.write(f'{json.dumps(head | more)[:-1]}, "profiles": [')
    paths = list(_rows(connection, _PATHS))
    stacks = Stacks([parent for parent, _ in paths], [frame for _, frame in paths])
    count = 0
    times = _rows(connection, _TIMES, is_summed=is_summed)
    for (_, profile), rows in groupby(times, key=lambda row: row[:2]):
        file.write(",\n" if count else "\n")
        _write_profile(file, profile, rows, stacks)
        count += 1
    if not count:
        raise MissingInputError(f"{name}: no region was visited: there is no call tree to export")
    file.write("\n]}\n")
    return count


def _write_profile(file: IO[str], name: str, rows: Iterator[Row], stacks: "Stacks") -> None:
    """A profile of samples; the weights follow when all samples are written."""
    head = {"type": "sampled", "name": printable(name), "unit": "nanoseconds", "startValue": 0}
    file.write(f'{json.dumps(head)[:-1]}, "samples": [')
    weights = array("q")
    for _, _, call_path, time in rows:
        file.write(f"{',' if weights else ''}[{stacks.of(call_path)}]")
        weights.append(time)
    file.write(f'], "weights": {json.dumps(weights.tolist(), separators=(",", ":"))}')
    file.write(f', "endValue": {sum(weights)}}}')


class Stacks:
    """The frames of call paths, callers first, as the elements of a list in JSON.

    Call paths that follow each other share their callers, whose text is kept.
    """

    def __init__(self, parents: Sequence[int], frames: Sequence[int]) -> None:
        self._parents, self._frames = parents, frames
        self._above: list[tuple[int, str]] = []

    def of(self, call_path: int) -> str:
        callers = {path: place for place, (path, _) in enumerate(self._above)}
        new = []
        at = call_path
        while at != _NO_CALLER and at not in callers:
            new.append(at)
            at = self._parents[at]
        del self._above[callers.get(at, _NO_CALLER) + 1 :]
        for path in reversed(new):
            before = f"{self._above[-1][1]}," if self._above else ""
            self._above.append((path, f"{before}{self._frames[path]}"))
        return self._above[-1][1]


def _rows(connection: duckdb.DuckDBPyConnection, name: str, **given: Value) -> Iterator[Row]:
    for batch in query_batches(connection, name, given, "speedscope"):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
