"""Formats of traces: which one a path holds, and a source that reads it."""

from pathlib import Path

from tracemill.base.errors import MissingInputError, NotATraceError
from tracemill.base.near import near_path
from tracemill.readers.common.source import Trace


def open_source(path: Path, *, uses_library: bool = False) -> Trace:
    """Open the trace at a path: an OTF2 archive, or files in CSV (or call graphs in Parquet).

    Both are given by a file or a folder. With `uses_library` the official library reads archives.
    Raises MissingInputError, NotATraceError, UnsupportedTraceError, DamagedTraceError or
    MissingLibraryError.
    """
    if not path.exists():
        advice = near_path(path) or "check the path of the trace"
        raise MissingInputError(f"{path}: no such file or directory; {advice}")
    try:
        return _open(path, uses_library)
    except NotATraceError as refusal:
        from tracemill.readers.wrong_input import explain_refusal

        raise explain_refusal(path, refusal) from refusal


def _open(path: Path, uses_library: bool) -> Trace:
    from tracemill.readers.otf2.anchor import find_anchor, is_anchor

    if _is_archive(path) or (path.is_file() and is_anchor(path)):
        from tracemill.readers.otf2.source import Otf2Source

        return Otf2Source(find_anchor(path), uses_library=uses_library)
    from tracemill.readers.csv.source import CsvSource

    return CsvSource(path)


def _is_archive(path: Path) -> bool:
    """Whether the names say that this is an OTF2 archive, or nothing says that it is none."""
    if path.is_file():
        return path.suffix == ".otf2"
    if any(path.glob("*.otf2")):
        return True
    from tracemill.readers.csv.files import looks_like_text

    return not looks_like_text(path)
