"""Errors of query files, metric texts and patterns: one line with name, problem, path, advice."""

from pathlib import Path

from tracemill.base.errors import PatternError, QueryError


def wrong(file: Path, what: str, advice: str) -> QueryError:
    """The error of a shipped file."""
    return QueryError(f"{file.stem}: {what}: {file}: {advice}")


def refused(file: Path, what: str, advice: str) -> PatternError:
    """The error of a user pattern."""
    return PatternError(f"{file.stem}: {what}: {file}: {advice}")
