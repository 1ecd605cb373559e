"""Reads traces in CSV into memory."""

from pathlib import Path

from tests.helpers.otf2_reading import ReadTrace, read_archive


def read_text(
    text: str | bytes, folder: Path, *, threads: int = 1, allow_damaged: bool = False
) -> ReadTrace:
    """Read a trace given as the text of its file."""
    file = folder / "trace.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_archive(file, folder, threads=threads, allow_damaged=allow_damaged)
