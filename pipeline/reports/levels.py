"""Values of metrics on one level of a program, perhaps only those inside an entity."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import duckdb
from rich.console import Console

from tracemill.base.errors import UsageError
from tracemill.base.names import format_path
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.text import join_words
from tracemill.reports.tables import Fetched, fetch
from tracemill.reports.terminal import print_grid
from tracemill.reports.units import Unit, Value, format_value
from tracemill.reports.wording import Row, group_by, start
from tracemill.schemas.levels import LEVELS
from tracemill.sql.query_files import create_views, load_query, stored_inputs

_CELLS = "level_cells"
_QUERY = load_query("level_values")
TABLES = stored_inputs([_QUERY])
_MOST_NAMED = 20
_OPTIONS = tuple(level.replace(" ", "-") for level in LEVELS)
_MAIN_METRICS = "*_ns"
"""Times of activities, and on the critical path."""
_MOST_ROWS, _MOST_CHOSEN_ROWS = 10, 1_000
_UNITS = {"ns": Unit.TIME, "bytes": Unit.SIZE, "visits": Unit.COUNT, "occurrences": Unit.COUNT}


def find_level(name: str, option: str = "--level", given: str = "") -> str:
    """The level of a name such as call-path; raises UsageError if there is none.

    The message names the option with the text that was `given`, if that is more than the name.
    """
    spelled = {level.replace(" ", ""): level for level in LEVELS}
    level = spelled.get("".join(filter(str.isalpha, name.lower())))
    if level is None:
        advice = _advice(name, _OPTIONS, join_words(_OPTIONS))
        raise UsageError(f"{option} {given or name}: no such level: {advice}")
    return level


def _advice(name: str, known: Sequence[str], listed: str) -> str:
    """The known names most like a name, or else all."""
    return did_you_mean(near_matches(name, known)) or f"there are {listed}"


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
        advice = _advice(metric, list(metrics), ", ".join(metrics))
        raise UsageError(f"--metric {metric}: no metric fits: {advice}")
    return columns, tuple(_plain(row) for row in rows if row[at["metric"]] in fitting)


def print_level(found: Fetched, console: Console, *, is_chosen: bool) -> bool:
    """Print rows of a level for people; returns whether there are more.

    Without a chosen metric, only times, each with its first rows.
    """
    columns, values = found
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    shown = [
        row
        for metric, of_metric in group_by("metric", rows).items()
        if is_chosen or fnmatchcase(metric, _MAIN_METRICS)
        for row in of_metric[: _MOST_CHOSEN_ROWS if is_chosen else _MOST_ROWS]
    ]
    level = str(rows[0]["level"])
    has_parent = level in ("process", "thread")
    titles = (start(level), *("Part of",) * has_parent, "Metric", "Value", "Share")
    cells = [tuple(_cells(row, has_parent=has_parent)) for row in shown]
    print_grid(console, titles, cells, numeric=("Value", "Share"))
    return len(shown) < len(rows)


def _cells(row: Row, *, has_parent: bool) -> Iterator[str]:
    yield format_path(str(row["entity"]))
    if has_parent:
        yield format_value(row["parent_entity"], Unit.TEXT)
    yield str(row["metric"])
    unit = str(row["unit"])
    value = format_value(row["value"], _UNITS.get(unit, Unit.NUMBER))
    yield value if unit in _UNITS else f"{value} {unit}"
    yield format_value(row["share"], Unit.SHARE)


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
