"""Patterns of the user: files of SQL in a folder, checked before anything is computed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import MissingInputError, PatternError, QueryError
from tracemill.patterns.checks import Others, check_pattern
from tracemill.sql.query_files import Query, read_query
from tracemill.sql.refusals import refused

FOLDER = "patterns"
"""Folder of a store whose patterns are looked for in every trace analyzed into it."""
# Files that editors and systems hide are no patterns.
_FILES = "[!.]*.sql"


@dataclass(frozen=True)
class OwnPatterns:
    """The patterns of some folders, by name, and what is wrong with those that cannot be used."""

    usable: tuple[Query, ...]
    errors: tuple[PatternError, ...]


def read_patterns(folders: Iterable[Path]) -> tuple[Query, ...]:
    """All patterns of some folders, by name.

    Raises MissingInputError for a missing folder, PatternError for the first unusable file.
    """
    found = survey_patterns(folders)
    if found.errors:
        raise found.errors[0]
    return found.usable


def survey_patterns(folders: Iterable[Path]) -> OwnPatterns:
    """The patterns of some folders, with all errors; raises MissingInputError."""
    distinct = {folder.resolve(): folder for folder in folders}.values()
    files = sorted((file for each in distinct for file in _files(each)), key=lambda file: file.stem)
    read, errors = _read_all(files)
    usable: list[Query] = []
    for query in read:
        others = Others(tuple(usable), tuple(read), frozenset(file.stem for file in files))
        try:
            check_pattern(query, others)
        except PatternError as error:
            errors.append(error)
        else:
            usable.append(query)
    return OwnPatterns(tuple(usable), tuple(sorted(errors, key=str)))


def patterns_of_store(store: Path) -> tuple[Path, ...]:
    """The folder of a store's own patterns, if it has one."""
    folder = store / FOLDER
    return (folder,) if folder.is_dir() else ()


def patterns_beside(store: Path, folder: Path | None) -> OwnPatterns:
    """The patterns of a store, if it exists, and of a folder; raises MissingInputError."""
    return survey_patterns((*patterns_of_store(store), *((folder,) if folder else ())))


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise MissingInputError(f"no folder of patterns: {folder}: name one that holds .sql files")
    return sorted(folder.glob(_FILES))


def _read_all(files: Sequence[Path]) -> tuple[list[Query], list[PatternError]]:
    read: list[Query] = []
    errors: list[PatternError] = []
    for file in files:
        try:
            read.append(_read(file))
        except PatternError as error:
            errors.append(error)
    return read, errors


def _read(file: Path) -> Query:
    try:
        query = read_query(file)
    except QueryError as error:
        raise PatternError(str(error)) from error
    if query.pattern is None:
        raise refused(
            file, "the header has neither Pattern nor Metrics", "add both, or move the file away"
        )
    return query
