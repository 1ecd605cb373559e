"""Destination of rows of a script: standard output, or a file written whole or not at all."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracemill.base.console import messages, results, writing_to
from tracemill.base.errors import UsageError
from tracemill.base.files import check_folder, replacing
from tracemill.shell.formats import Output, RowFormat

_FORMAT_OF_SUFFIX: dict[str, RowFormat] = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
}


def choose_format(format: RowFormat | None, path: Path | None) -> RowFormat:
    """The given format, else that of the file's suffix, else a table; raises UsageError."""
    if format is not None or path is None:
        return format or "table"
    found = _FORMAT_OF_SUFFIX.get(path.suffix.lower())
    if found is None:
        raise UsageError(
            f"the suffix of {path} is no known format: use {', '.join(_FORMAT_OF_SUFFIX)} "
            "or give --format"
        )
    return found


@contextmanager
def opened(format: RowFormat, path: Path | None) -> Iterator[Output]:
    """A place to write rows to.

    Raises PipelineError if the file cannot be written, UsageError for Parquet in a terminal.
    """
    if path is None:
        yield _standard_output(format)
        return
    check_folder(path)
    with replacing(path) as beside:
        if format == "parquet":
            with beside.open("wb") as binary:
                yield Output(format=format, console=results(), binary=binary)
        else:
            with beside.open("w", encoding="utf-8", errors="replace") as text:
                yield Output(format=format, console=writing_to(text))
    messages().print(f"written to {path}", markup=False, soft_wrap=True)


def _standard_output(format: RowFormat) -> Output:
    if format != "parquet":
        return Output(format=format, console=results())
    if sys.stdout.isatty():
        raise UsageError("Parquet is nothing for a terminal: give --output FILE.parquet")
    return Output(format=format, console=results(), binary=sys.stdout.buffer)
