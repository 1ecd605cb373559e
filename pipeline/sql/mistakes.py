"""Error messages for typed SQL: one line with advice."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import duckdb

from tracemill.base.errors import QueryError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.schemas import BY_NAME
from tracemill.schemas.replay import QUERIED
from tracemill.sql.failures import StreamError
from tracemill.sql.folders import QUERIES
from tracemill.sql.query_files import all_queries

READ_ONLY = (
    "the tables of a run are read-only: change a copy, such as CREATE TABLE mine AS FROM visits"
)
SEE = "(see `tracemill tables` or `.tables`)"
# What DuckDB says of statements that would change a view, which the tables of a run are.
_IS_VIEW = re.compile(r"base table|is not an table|modify view|is of type View|View with name")
_NO_TABLE = re.compile(r"Table with name (\w+) does not exist!")
_ONE_WORD = re.compile(r"\s*(\w+)\s*;?\s*")

_MOST_NEAR = 5


@contextmanager
def statement_errors(connection: duckdb.DuckDBPyConnection, script: str = "") -> Iterator[None]:
    """Turn a DuckDB error of the block, which runs a script, into a QueryError of one line."""
    try:
        yield
    except (duckdb.Error, StreamError) as error:
        raise QueryError(describe_mistake(error, script, _tables(connection))) from error


def _tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Names of tables and views; none if a transaction has failed."""
    with suppress(duckdb.Error):
        return [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    return []


def describe_mistake(error: Exception, script: str = "", tables: Sequence[str] = ()) -> str:
    """DuckDB's message without the excerpt of the query, or a better one; with a hint."""
    said = str(error).split("\n\nLINE ")[0]
    line = " ".join(part.strip() for part in said.splitlines() if part.strip())
    word, unknown = _ONE_WORD.fullmatch(script), _NO_TABLE.search(line)
    if isinstance(error, duckdb.ParserException) and word:
        return f"{word[1]} is no statement{hint(word[1], tables)} {SEE}"
    if unknown:
        return f"no table {unknown[1]}{hint(unknown[1], tables)} {SEE}"
    if _IS_VIEW.search(line):
        return READ_ONLY
    if isinstance(error, duckdb.CatalogException):
        return f"{line} {SEE}"
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"{line} (aggregate or LIMIT the rows)"
    return line


def hint(
    name: str, tables: Iterable[str], columns: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Advice for the unknown name of a table, or an empty text; columns are those of each table."""
    answers = {path.stem: path for path in (QUERIES / "reports").glob("*.sql")}
    if name in tables:
        return f": FROM {name} shows that table"
    if name in answers:
        return f": it is a query of reports, in {answers[name].relative_to(QUERIES.parent)}"
    if name in QUERIED:
        return ": add --graph to compute it"
    if name in {*BY_NAME, *(query.relation for query in all_queries() if query.is_stage)}:
        return ": it exists only during an analysis"
    close = did_you_mean(
        near_matches(name, sorted(tables), most=_MOST_NEAR) or near_matches(name, sorted(answers))
    )
    holders: dict[str, str] = {}
    for table, names in (columns or {}).items():
        holders |= dict.fromkeys(set(names) - set(holders), table)
    named = near_matches(name, sorted(holders), most=_MOST_NEAR)
    listed = ", ".join(f"{holders[each]}.{each}" for each in named)
    advice = " ".join(filter(None, (close, f"columns: {listed}" if listed else "")))
    return f": {advice}" if advice else ""
