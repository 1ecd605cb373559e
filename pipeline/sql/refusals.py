"""Messages for unusable patterns."""

from pathlib import Path

from tracemill.base.errors import PatternError


def refused(file: Path, what: str, advice: str) -> PatternError:
    """The error that says in a line of which pattern what is wrong, where, and what to do."""
    return PatternError(f"{file.stem}: {what}: {file}: {advice}")
