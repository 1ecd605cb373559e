"""Completion of SQL: commands, tables, columns, keywords."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tracemill.shell.commands import NAMES

KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN",
    "USING", "ON", "AS", "AND", "OR", "NOT", "IN", "IS", "NULL", "LIKE", "BETWEEN", "DESC", "ASC",
    "DISTINCT", "CASE", "WHEN", "THEN", "ELSE", "END", "WITH", "UNION ALL", "QUALIFY", "OVER",
    "PARTITION BY", "FILTER", "ALL", "CREATE TABLE", "DESCRIBE", "SUMMARIZE", "COPY", "EXPLAIN",
    "count", "sum", "avg", "min", "max", "median", "quantile_cont", "arg_max", "arg_min",
    "coalesce", "round", "row_number", "histogram",
)  # fmt: skip
_OF_TABLES = (".describe", ".schema")
_LAST_WORD = re.compile(r"[\w.]*\Z")
_WORD = re.compile(r"\w+")
# After these a table comes, perhaps one of several.
_BEFORE_TABLE = re.compile(r"\b(from|join|describe|summarize)\s+(\w+\s*,\s*)*\w*\Z", re.IGNORECASE)
_ALIAS = r"\b(\w+)(?:\s+as)?\s+{}\b"


@dataclass(frozen=True)
class Catalog:
    """Names that a line may hold: columns by table, and examples."""

    columns: Mapping[str, Sequence[str]]
    examples: Sequence[str] = field(default=())


def complete(line: str, statement: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Completions of the end of `line`, each with the text it replaces, likeliest first.

    `line` ends at the cursor; columns of tables in the whole `statement` come first.
    """
    word = (_LAST_WORD.search(line) or [""])[0]
    head, _, last = word.rpartition(".")
    candidates = _candidates(line, word, head, statement, catalog)
    typed = last if head else word
    for name in dict.fromkeys(candidates):
        if name.lower().startswith(typed.lower()) and name != typed:
            yield name, typed


def _candidates(line: str, word: str, head: str, statement: str, catalog: Catalog) -> Iterable[str]:
    command, *arguments = line.lstrip().split(" ")
    if command.startswith("."):
        return _of_command(command, arguments, catalog)
    if head:
        return catalog.columns.get(_table_called(head, statement, catalog), ())
    if _BEFORE_TABLE.search(line):
        return sorted(catalog.columns)
    if not word:
        return ()
    named = set(_WORD.findall(statement))
    likely = [c for table in catalog.columns if table in named for c in catalog.columns[table]]
    others = sorted({name for names in catalog.columns.values() for name in names})
    return [*likely, *KEYWORDS, *sorted(catalog.columns), *others]


def _of_command(command: str, arguments: Sequence[str], catalog: Catalog) -> Iterable[str]:
    if not arguments:
        return NAMES
    if len(arguments) > 1:
        return ()
    if command in _OF_TABLES:
        return sorted(catalog.columns)
    return catalog.examples if command == ".examples" else ()


def _table_called(name: str, statement: str, catalog: Catalog) -> str:
    """The table that `name` is, or is another name of: visits in FROM visits AS v."""
    if name in catalog.columns:
        return name
    found = re.findall(_ALIAS.format(re.escape(name)), statement, re.IGNORECASE)
    return next((each for each in found if each in catalog.columns), "")
