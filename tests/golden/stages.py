"""Running Python stages on tables that a test gives."""

from collections.abc import Mapping
from typing import Any

from pipeline.graph import PythonStage
from pipeline.patterns.catalogue import known_tables
from pipeline.sql import Value, all_queries
from pipeline.stages.overhead_classes import OVERHEAD_CLASSES_STAGE
from tests.fresh_database import fresh_database
from tests.golden.micro_trace import Row, Tables
from tests.golden.running import Rows, run_query
from tests.hand_made import RowsInMemory, make_table
from tests.oracle.profiles import with_profile


def run_stage(stage: PythonStage, tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    """The rows of every table that a stage makes.

    What it reads is taken from `tables`, else computed by its query, else empty.
    """
    given = with_profile(tables)
    with fresh_database() as connection:
        for name in stage.inputs:
            rows = given[name] if name in given else _compute(name, given)
            connection.register("given", make_table(known_tables()[name], rows))
            connection.execute(f"CREATE TABLE {name} AS FROM given")
        inputs: dict[str, Any] = {name: connection.table(name) for name in stage.inputs}
        for name in stage.walked:
            inputs[name] = RowsInMemory(inputs[name].to_arrow_table())
        results = stage.compute(**inputs, **(dict(stage.parameters) | parameters))
    made = results if isinstance(results, tuple) else (results,)
    return {
        table.name: table.conform(result).to_pylist()
        for table, result in zip(stage.outputs, made, strict=True)
    }


def with_overheads(tables: Mapping[str, Rows], **parameters: Value) -> Tables:
    """The tables with the taxonomy of overheads, and the class of every region."""
    return dict(tables) | run_stage(OVERHEAD_CLASSES_STAGE, tables, **parameters)


def _compute(name: str, tables: Mapping[str, Rows]) -> list[Row]:
    if name not in {query.relation for query in all_queries()}:
        return []
    columns = known_tables()[name].column_names
    return [dict(zip(columns, row, strict=True)) for row in run_query(name, tables)]
