"""Turns report queries into the tables of a report."""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import QueryError
from tracemill.reports.meanings import meaning_of
from tracemill.reports.model import Column, Layout, ShownQuery, Table
from tracemill.reports.units import Value, unit_of
from tracemill.reports.wording import number
from tracemill.sql.query_files import load_query
from tracemill.store.database import parsed

# A share says of what: all time is that of all locations inside region visits, in the main part.
_TITLES = {
    "call_path_id": "Id",
    "caused_ns": "Caused to others",
    "cause_ns": "Cause's part",
    "collective_count": "Instances",
    "exclusive_ratio": "Of all time",
    "finding": "Wait state",
    "finding_count": "Count",
    "inclusive_ratio": "Of all time",
    "is_extended": "Extended",
    "is_nonblocking": "Non-blocking",
    "location_count": "Locations",
    "longest_ns": "Longest",
    "lower_bytes": "From",
    "mpi_ns": "MPI",
    "overhead_ratio": "Of its time",
    "path_ns": "On the path",
    "path_ratio": "Of the path",
    "message_ratio": "Of messages",
    "extended_ns": "Extended waiting",
    "bytes_ratio": "Of bytes",
    "outside_mpi_ns": "Outside MPI",
    "record_count": "Read",
    "time_ratio": "Of all time",
    "uncertain_ratio": "Part of it",
    "upper_bytes": "To",
    "wait_count": "Waits",
    "wait_ns": "Waiting",
    "wait_ratio": "Of all time",
    "confidence": "Confidence",
    "worst_ns": "Its time",
    "worst_rank": "Worst rank",
    "worst_thread": "Thread",
}
Bound = int | Sequence[str] | Sequence[int]
"""A value of a parameter."""
Fetched = tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]
"""Column names, and rows."""
Columns = dict[str, NDArray[Any]]
"""Arrays of the same length by name."""
_CHUNK_ROWS = 1_000_000
"""Rows of a chunk: arrays of several chunks would be copied."""
_ENDINGS = ("_ns", "_ratio", "_bytes")


@dataclass(frozen=True, kw_only=True)
class TableSpec:
    """A query of queries/reports/ and the presentation of its rows.

    `bars` are drawn in these columns. `silent` maps a column to the value that makes it
    uninteresting if all rows have it. Columns in `hidden_if_equal` are hidden if all rows have the
    same value, which the report shows elsewhere; `hidden` columns never appear. Columns in
    `explained` contain metrics that the report explains, those in `efficiencies` are colored, those
    in `paths` contain call paths whatever they are called. If
    `limited_per` names a column, the query returns `row_limit` rows for each of its values, the
    first ones unless it is not `is_ranked`. The limit of a tree is about its first bar.
    """

    query: str
    title: str
    note: str = ""
    row_limit: int | None = None
    limited_per: str | None = None
    is_ranked: bool = True
    layout: Layout = Layout.PLAIN
    bars: tuple[str, ...] = ()
    titles: dict[str, str] | None = None
    silent: dict[str, Value] | None = None
    hidden_if_equal: tuple[str, ...] = ("application",)
    hidden: frozenset[str] = frozenset()
    explained: tuple[str, ...] = ()
    efficiencies: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def fetched_limit(self) -> int | None:
        """One row more than is shown, to detect further rows."""
        return None if self.row_limit is None else self.row_limit + 1


def bind_values(sql: str, values: Mapping[str, int]) -> str:
    """The query with parameter values as literals."""
    return re.sub(r"\$(\w+)", lambda found: str(values.get(found[1], found[0])), sql)


def strip_header(sql: str) -> str:
    """The query without the comment block of its file."""
    return re.sub(r"\A(?:--[^\n]*\n)+", "", sql).strip()


def fetch(
    connection: duckdb.DuckDBPyConnection, query: str, row_limit: int | None = None
) -> Fetched:
    """Column names and rows of a report query.

    Raises QueryError with the query's name if the tables do not fit it.
    """
    with _run_query(connection, query, row_limit) as cursor:
        rows = tuple(cursor.fetchall())
    return tuple(column[0] for column in cursor.description or ()), rows


def fetch_arrays(
    connection: duckdb.DuckDBPyConnection, query: str, row_limit: int | None = None, **values: Bound
) -> Columns:
    """The same as arrays, for many rows; null integers are -1, other null numbers NaN.

    `values` are values of other parameters.
    """
    with (
        _run_query(connection, query, row_limit, values) as cursor,
        warnings.catch_warnings(action="ignore"),  # of a copy, which is faster than planning twice
    ):
        columns: pa.Table = cursor.to_arrow_table(_CHUNK_ROWS)
    return {name: _array(columns[name]) for name in columns.column_names}


def _array(column: pa.ChunkedArray) -> NDArray[Any]:
    """Texts are objects, equal ones the same; null is None."""
    if pa.types.is_string(column.type):
        coded = column.combine_chunks().dictionary_encode()
        texts = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
        return texts[coded.indices.fill_null(-1).to_numpy()]
    has_gaps = column.null_count and not pa.types.is_floating(column.type)
    return (column.fill_null(-1) if has_gaps else column).to_numpy()


def groups_of(columns: Columns, *names: str) -> Iterator[Columns]:
    """Each run of adjacent rows with the same values in the named columns."""
    changes = [columns[name][1:] != columns[name][:-1] for name in names]
    count = len(columns[names[0]])
    edges = np.flatnonzero([True, *np.logical_or.reduce(changes), True]) if count else ()
    for begin, end in pairwise(edges):
        yield {name: column[begin:end] for name, column in columns.items()}


def rows_at(rows: Columns, places: NDArray[Any]) -> Columns:
    """Some of the rows."""
    return {name: column[places] for name, column in rows.items()}


def largest_of(values: NDArray[Any], numbers: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Places of the `most` largest values; of equal ones, those with the smallest numbers."""
    if values.size <= most:
        return np.arange(values.size)
    least = np.partition(values, -most)[-most]
    is_kept = values > least
    ties = np.flatnonzero(values == least)
    first = np.argsort(numbers[ties], kind="stable")[: most - np.count_nonzero(is_kept)]
    is_kept[ties[first]] = True
    return np.flatnonzero(is_kept)


@contextmanager
def _run_query(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    row_limit: int | None,
    values: Mapping[str, Bound] | None = None,
) -> Iterator[duckdb.DuckDBPyConnection]:
    parameters = dict(values or {}) | ({} if row_limit is None else {"row_limit": row_limit})
    try:
        statement = parsed(connection, load_query(query).statement)
        yield connection.execute(statement, parameters)
    except duckdb.Error as error:
        raise QueryError(f"report query {query}: {str(error).splitlines()[0]}") from error


def read_table(fetch_rows: Callable[[str, int | None], Fetched], spec: TableSpec) -> Table:
    """Run the query of a table; the result includes a text that returns the same rows elsewhere."""
    names, rows, is_cut = _fetch_limited(fetch_rows, spec)
    columns = tuple(
        _column(name, tuple(row[position] for row in rows), spec)
        for position, name in enumerate(names)
    )
    return Table(
        name=spec.query,
        title=spec.title,
        note=spec.note,
        columns=columns,
        rows=rows,
        sql=read_source(spec.query, spec.row_limit).sql,
        layout=spec.layout,
        hidden=_silent_columns(names, rows, spec) | spec.hidden,
        is_cut=is_cut,
    )


def _fetch_limited(
    fetch_rows: Callable[[str, int | None], Fetched], spec: TableSpec
) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...], bool]:
    """Column names, rows, and whether there are more rows than the limit."""
    names, rows = fetch_rows(spec.query, spec.fetched_limit)
    if spec.row_limit is None or not rows:
        return names, rows, False
    if _most_rows(names, rows, spec.limited_per) <= spec.row_limit:
        return names, rows, False
    if not spec.is_ranked:
        return *fetch_rows(spec.query, spec.row_limit), True
    return names, tuple(_first_rows(names, rows, spec.row_limit, spec)), True


def _first_rows(
    names: tuple[str, ...], rows: tuple[tuple[Value, ...], ...], row_limit: int, spec: TableSpec
) -> Iterator[tuple[Value, ...]]:
    """The rows within the limit, of those that the query returns for one more."""
    if spec.layout is Layout.TREE:
        sizes = [number(row[names.index(spec.bars[0])]) for row in rows]
        last = len(rows) - 1 - sizes[::-1].index(min(sizes))
        yield from rows[:last] + rows[last + 1 :]
    elif spec.limited_per is None:
        yield from rows[:row_limit]
    else:
        position = names.index(spec.limited_per)
        counts: Counter[Value] = Counter()
        for row in rows:
            counts[row[position]] += 1
            if counts[row[position]] <= row_limit:
                yield row


def _most_rows(
    names: tuple[str, ...], rows: tuple[tuple[Value, ...], ...], limited_per: str | None
) -> int:
    """The number of rows; per value of the column, if limits are per value."""
    if limited_per is None:
        return len(rows)
    position = names.index(limited_per)
    return max(Counter(row[position] for row in rows).values(), default=0)


def read_source(query: str, row_limit: int | None = None, **values: int) -> ShownQuery:
    """A query for readers to run: without its header, with its limit and values as literals."""
    if row_limit is not None:
        values["row_limit"] = row_limit
    return ShownQuery(query, strip_header(bind_values(load_query(query).statement, values)))


def _column(name: str, values: tuple[Value, ...], spec: TableSpec) -> Column:
    return Column(
        name=name,
        title=(spec.titles or {}).get(name, title_of(name)),
        unit=unit_of(name, values),
        has_bar=name in spec.bars,
        is_path=holds_paths(name) or name in spec.paths,
        meaning=meaning_of(spec.query, name),
        is_explained=name in spec.explained,
        is_efficiency=name in spec.efficiencies,
    )


def holds_paths(column: str) -> bool:
    """True for a column of call paths by its name."""
    return column.endswith("call_path")


def title_of(column: str) -> str:
    """Heading of a column: its name without the unit, because each value has its unit."""
    if column in _TITLES:
        return _TITLES[column]
    if column.endswith("_count"):
        column = f"{column.removesuffix('_count')}s"
    for ending in _ENDINGS:
        column = column.removesuffix(ending)
    words = column.removeprefix("is_").replace("_", " ")
    return words[:1].upper() + words[1:]


def _silent_columns(
    names: tuple[str, ...], rows: tuple[tuple[Value, ...], ...], spec: TableSpec
) -> frozenset[str]:
    silent = dict(spec.silent or {})
    if rows:
        first = dict(zip(names, rows[0], strict=True))
        silent |= {name: first[name] for name in spec.hidden_if_equal if name in first}
    return frozenset(
        name
        for position, name in enumerate(names)
        if name in silent and all(row[position] == silent[name] for row in rows)
    )
