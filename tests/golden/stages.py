"""Running Python stages on tables that a test gives."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import duckdb

from tests.fresh_database import lasting_database
from tests.golden.micro_trace import Row, Tables
from tests.golden.running import Rows, run_query
from tests.hand_made import RowsInMemory, make_table
from tests.oracle.profiles import with_profile
from tests.planned_queries import PlannedQueries
from tracemill.patterns.catalog import known_tables
from tracemill.sql.query_files import Value, all_queries
from tracemill.stages.overhead_classes import OVERHEAD_CLASSES_STAGE
from tracemill.stages.stage import PythonStage


def run_stage(stage: PythonStage, tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    """The rows of every table that a stage makes.

    What it reads is taken from `tables`, else computed by its query, else empty.
    """
    given = with_profile(tables)
    connection, queries = _tables_that_stay(stage.inputs)
    connection.begin()
    try:
        for name in stage.inputs:
            rows = given[name] if name in given else _compute(name, given)
            queries.fill(name, make_table(known_tables()[name], rows))
        inputs: dict[str, Any] = {name: connection.table(name) for name in stage.inputs}
        for name in stage.walked:
            inputs[name] = RowsInMemory(inputs[name].to_arrow_table())
        results = stage.compute(**inputs, **(dict(stage.parameters) | parameters))
        made = results if isinstance(results, tuple) else (results,)
        return {
            table.name: table.conform(result).to_pylist()
            for table, result in zip(stage.outputs, made, strict=True)
        }
    finally:
        connection.rollback()


@cache
def _tables_that_stay(names: tuple[str, ...]) -> tuple[duckdb.DuckDBPyConnection, PlannedQueries]:
    """Empty tables, which are filled for a while."""
    connection = lasting_database()
    queries = PlannedQueries(connection)
    for name in names:
        queries.make_table(known_tables()[name])
    return connection, queries


def with_overheads(tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    """The tables with the taxonomy of overheads, and the class of every region."""
    return dict(tables) | run_stage(OVERHEAD_CLASSES_STAGE, tables, **parameters)


def _compute(name: str, tables: Mapping[str, Rows]) -> list[Row]:
    if name not in {query.relation for query in all_queries()}:
        return []
    columns = known_tables()[name].column_names
    return [dict(zip(columns, row, strict=True)) for row in run_query(name, tables)]
