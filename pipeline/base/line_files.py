"""Files that users write line by line: CSV with a fixed first row, comments and empty lines."""

import csv
from collections.abc import Iterator
from pathlib import Path

from tracemill.base.errors import MissingInputError, UsageError


def read_text(path: Path, content: str) -> str:
    """The text of a file with this content; raises MissingInputError or UsageError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a text in UTF-8: save it as such") from error
    except OSError as error:
        kind = MissingInputError if isinstance(error, FileNotFoundError) else UsageError
        raise kind(f"cannot read {content}: {path}: {error.strerror or error}") from error


def parse_lines(
    text: str, header: tuple[str, ...], *, source: str
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Number and fields of every line after the header; raises UsageError that names the line."""
    columns = ",".join(header)
    lines = _fields(text, source)
    number, first = next(lines, (1, ()))
    if first != header:
        raise UsageError(f"{source}:{number}: the first row must be {columns}")
    for number, fields in lines:
        if len(fields) != len(header):
            raise UsageError(
                f"{source}:{number}: {len(fields)} fields instead of {len(header)}: write {columns}"
            )
        yield number, fields


def _fields(text: str, source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            (fields,) = csv.reader([line], strict=True)
        except csv.Error as error:
            raise UsageError(f"{source}:{number}: {error}: close what is quoted") from error
        yield number, tuple(field.strip() for field in fields)
