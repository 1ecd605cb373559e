"""Runs queries and stages on rows that a test gives."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tests.helpers.computing import Computation, computed
from tests.helpers.hand_made import make_table
from tests.helpers.micro_trace import Row, Tables, read_trace
from tests.oracle.profiles import with_profile
from tracemill.patterns.catalog import known_tables
from tracemill.schemas import Table
from tracemill.sql.query_files import Query, Value, all_queries, create_views, stored_inputs
from tracemill.stages.overhead_classes import OVERHEAD_CLASSES_STAGE
from tracemill.stages.stage import PythonStage

Rows = Sequence[Mapping[str, Any]]
Found = list[tuple[Any, ...]]

# Columns of a wait.
WAIT = "location_id start_ns wait_ns cause_location_id"


def run_query(
    relation: str, tables: Mapping[str, Rows] | str, columns: str = "", **parameters: Value
) -> Found:
    """Rows of a relation, of the named columns, or of all; those of transient tables by their key.

    Tables that the relation is computed from are those of `tables`, or of a trace as text, else
    computed, else empty; the call tree, which reading makes, is summed up from the visits.
    Columns that a table leaves out are null or have the least value.
    """
    (found,) = run_queries({relation: columns}, tables, **parameters)
    return found


def run_queries(
    relations: Mapping[str, str], tables: Mapping[str, Rows] | str, **parameters: Value
) -> list[Found]:
    """Rows of several relations, each with the wanted columns; all are computed at once."""
    found = query_tables(relations, tables, **parameters)
    return [[tuple(row.values()) for row in rows] for rows in found.values()]


def query_rows(
    relation: str, tables: Mapping[str, Rows], columns: str = "", **parameters: Value
) -> list[Row]:
    """The same rows as of run_query, by column."""
    return query_tables({relation: columns}, tables, **parameters)[relation]


def query_tables(
    relations: Mapping[str, str], tables: Mapping[str, Rows] | str, **parameters: Value
) -> Tables:
    """The same rows as of run_queries, by relation and column."""
    tables = read_trace(tables) if isinstance(tables, str) else tables
    answers = {query.relation: query for query in all_queries() if not query.is_stage}
    needed = [
        name
        for relation in relations
        for name in (stored_inputs([answers[relation]]) if relation in answers else (relation,))
    ]
    with computed(needed, given_tables(tables, relations), **parameters) as computation:
        return {
            relation: _rows(computation, relation, answers.get(relation), names, parameters)
            for relation, names in relations.items()
        }


def _rows(
    computation: Computation,
    relation: str,
    answer: Query | None,
    names: str,
    parameters: Mapping[str, Value],
) -> list[Row]:
    source, values = relation, {}
    for name in (relation,) if answer is None else stored_inputs([answer]):
        computation.provide(name)
    if answer is not None:
        create_views(computation.connection, answer.inputs)
        source, values = f"({answer.statement})", answer.bind(parameters)
    elif (table := known_tables()[relation]).is_transient:  # it has no order of its own
        source = f"{relation} ORDER BY {', '.join(table.key) or 'ALL'}"
    columns = ", ".join(names.split()) or "*"
    found = computation.connection.execute(f"SELECT {columns} FROM {source}", values)
    named = [column[0] for column in found.description]
    return [dict(zip(named, row, strict=True)) for row in found.fetchall()]


def run_stage(stage: PythonStage, tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    outputs = [table.name for table in stage.outputs]
    with computed(outputs, given_tables(tables, outputs), **parameters) as computation:
        return {name: computation.records(name) for name in outputs}


def with_overheads(tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    """The tables with the taxonomy of overheads, and the class of every region."""
    return dict(tables) | run_stage(OVERHEAD_CLASSES_STAGE, tables, **parameters)


def given_tables(tables: Mapping[str, Rows], without: Iterable[str] = ()) -> dict[str, pa.Table]:
    """Rows of declared tables as the engine takes them; rows without a number are numbered."""
    known = known_tables()
    return {
        name: make_table(known[name], _numbered(known[name], _as_stored(name, rows)))
        for name, rows in with_profile(tables).items()
        if name in known and name not in without
    }


def _as_stored(name: str, rows: Rows) -> Rows:
    """Visits in the order in which they are left, a callee before its caller."""
    if name != "visits" or not all("visit_id" in row for row in rows):
        return rows
    return sorted(
        rows,
        key=lambda row: (
            row.get("location_id", 0), row["leave_ns"], -row["enter_ns"], -row["visit_id"],
        ),
    )  # fmt: skip


def _numbered(table: Table, rows: Rows) -> Rows:
    key = table.key[0] if len(table.key) == 1 else ""
    is_number = key and pa.types.is_integer(table.arrow_schema.field(key).type)
    if not is_number or any(key in row for row in rows):
        return rows
    return [{key: number} | row for number, row in enumerate(rows)]
