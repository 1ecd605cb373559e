"""Reads traces in CSV into memory."""

from pathlib import Path

import pytest

from tests.helpers.otf2_reading import ReadTrace, read_archive
from tracemill.base.errors import DamagedTraceError


def read_text(
    text: str | bytes, folder: Path, *, threads: int = 1, allow_damaged: bool = False,
    detail: str = "full",
) -> ReadTrace:  # fmt: skip
    """Read a trace given as the text of its file."""
    file = folder / "trace.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_archive(file, folder, threads=threads, allow_damaged=allow_damaged, detail=detail)


def read_damaged(text: str | bytes, folder: Path) -> tuple[str, ReadTrace]:
    """The message that refuses a damaged trace, and the trace read with damage allowed."""
    with pytest.raises(DamagedTraceError) as raised:
        read_text(text, folder)
    lenient = folder / "lenient"
    lenient.mkdir()
    return str(raised.value), read_text(text, lenient, allow_damaged=True)
