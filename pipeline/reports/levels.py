"""Values of metrics on one level of a program, perhaps only those inside an entity."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import duckdb

from tracemill.base.errors import UsageError
from tracemill.base.text import join_words
from tracemill.reports.tables import Fetched, fetch
from tracemill.reports.units import Value
from tracemill.schemas.levels import LEVELS
from tracemill.sql.query_files import create_views, load_query, stored_inputs

_CELLS = "level_cells"
_QUERY = load_query("level_values")
TABLES = stored_inputs([_QUERY])
_MOST_NAMED = 20


def find_level(name: str, option: str = "--level", given: str = "") -> str:
    """The level of a name such as call-path; raises UsageError if there is none.

    The message names the option with the text that was `given`, if that is more than the name.
    """
    level = name.strip().lower().replace("-", " ").replace("_", " ")
    if level not in LEVELS:
        raise UsageError(f"{option} {given or name}: no such level: there are {join_words(LEVELS)}")
    return level


def fetch_level(
    connection: duckdb.DuckDBPyConnection, level: str, metric: str, of: str | None
) -> Fetched:
    """Columns and rows of a level, for the metrics that fit a pattern; of one entity, if given.

    The connection has `TABLES`. Raises UsageError if there is no such metric or entity.
    """
    chosen = find_level(level)
    create_views(connection, [_CELLS])
    if of is not None:
        _keep_entity(connection, of)
    create_views(connection, _QUERY.inputs, given={_CELLS})
    columns, found = fetch(connection, _QUERY.relation)
    at = {name: columns.index(name) for name in columns}
    rows = [row for row in found if row[at["level"]] == chosen]
    metrics = dict.fromkeys(str(row[at["metric"]]) for row in rows)
    fitting = {name for name in metrics if fnmatchcase(name.lower(), metric.lower())}
    if not fitting:
        raise UsageError(f"--metric {metric}: no metric fits: there are {', '.join(metrics)}")
    return columns, tuple(_plain(row) for row in rows if row[at["metric"]] in fitting)


def round_share(share: Value) -> Value:
    """A share with four decimals, for people."""
    return round(share, 4) if isinstance(share, float) else share


def _plain(row: Sequence[Value]) -> tuple[Value, ...]:
    """A row whose whole numbers are integers, so that they are printed without a fraction."""
    return tuple(
        int(value) if isinstance(value, float) and value.is_integer() else value for value in row
    )


def _keep_entity(connection: duckdb.DuckDBPyConnection, of: str) -> None:
    """Let the cells be those of an entity, written as process:3."""
    name, _, entity = of.partition(":")
    level = find_level(name, "--of", of)
    if level == LEVELS[0]:
        return
    column = level.replace(" ", "_")
    kept = f"CREATE TEMP TABLE kept_cells AS FROM {_CELLS} WHERE {column} = $entity"
    listed = f"SELECT DISTINCT {column} FROM {_CELLS} ORDER BY length({column}), {column}"
    connection.execute(kept, {"entity": entity})
    if not connection.execute("FROM kept_cells LIMIT 1").fetchall():
        known = [name for (name,) in connection.execute(listed).fetchall()]
        raise UsageError(f"--of {of}: no such {level}: there are {_names(known)}")
    connection.execute(f"DROP VIEW {_CELLS}")
    connection.execute(f"ALTER TABLE kept_cells RENAME TO {_CELLS}")


def _names(known: Sequence[str]) -> str:
    others = len(known) - _MOST_NAMED
    return ", ".join(known[:_MOST_NAMED]) + (f" and {others} others" if others > 0 else "")
