"""Formats of traces: which one a path holds, and a source that reads it."""

from pathlib import Path

from pipeline.source import Source


def open_source(path: Path) -> Source:
    """Open the trace at a path, given as an anchor file or an archive directory.

    Raises MissingInputError, NotATraceError, UnsupportedTraceError, DamagedTraceError or
    MissingLibraryError.
    """
    from pipeline.readers.otf2.archive import find_anchor
    from pipeline.readers.otf2.source import Otf2Source

    return Otf2Source(find_anchor(path))
