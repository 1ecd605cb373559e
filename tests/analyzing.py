"""Analyses many small traces one after the other: the queries are planned only once."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from tests.hand_made import RowsInMemory
from tests.memory_sink import MemorySink
from tests.planned_queries import PlannedQueries, with_values
from tracemill.engine.graph import has_needed_rows
from tracemill.engine.recipe import standard_recipe
from tracemill.patterns.catalog import known_tables
from tracemill.patterns.results import statement_of
from tracemill.readers import open_source
from tracemill.sql.query_files import Query
from tracemill.stages.stage import PythonStage
from tracemill.store.database import create_empty

Row = tuple[Any, ...]
NO_SPILL = Path("/nowhere")


def _made_by(maker: Query | PythonStage) -> list[str]:
    if isinstance(maker, Query):
        return [maker.relation]
    return [table.name for table in maker.outputs]


def read_into_memory(trace: Path, spill: Path = NO_SPILL) -> dict[str, pa.Table]:
    """The tables of a trace; text needs a folder where it may `spill`."""
    source, sink = open_source(trace), MemorySink(spill)
    source.read(
        sink,  # type: ignore[arg-type]
        run_id="run",
        threads=1,
        allow_damaged=False,
        report=lambda count: None,
    )
    return {table.name: sink.table(table) for table in source.tables}


class Analyst:
    """Computes some relations of one trace after the other, in tables that stay.

    Like the engine, it leaves out what cannot have rows, unless it `computes_all`.
    """

    def __init__(self, *relations: str, computes_all: bool = False) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1")
        # With so few rows, optimizing takes longer than computing.
        self._connection.execute("PRAGMA disable_optimizer")
        self._queries = PlannedQueries(self._connection)
        recipe = standard_recipe()
        self._makers: dict[str, Query | PythonStage] = {
            query.relation: query for query in recipe.queries if query.is_stage
        }
        for stage in recipe.python_stages:
            self._makers |= {table.name: stage for table in stage.outputs}
        self._given: list[str] = []
        self._order: list[Query | PythonStage] = []
        self._provided: set[str] = set()
        self._row_counts: dict[str, int] = {}
        self._is_filled = False
        self._computes_all = computes_all
        for relation in relations:
            self._provide(relation)

    def _provide(self, name: str) -> None:
        """Make an empty table for a relation and for what it needs, in the order of computing."""
        if name in self._provided:
            return
        maker = self._makers.get(name)
        for needed in maker.inputs if maker else ():
            self._provide(needed)
        made = maker.outputs if isinstance(maker, PythonStage) else (known_tables()[name],)
        for table in made:
            self._queries.make_table(table)
            self._provided.add(table.name)
        if maker:
            self._order.append(maker)
        else:
            self._given.append(name)

    def analyze(self, anchor: Path) -> None:
        """Read an archive and compute the relations; what was there before is forgotten."""
        self.compute(read_into_memory(anchor))

    def analyze_tables(self, read: Mapping[str, pa.Table]) -> dict[str, list[dict[str, Any]]]:
        """Compute the relations of what was read; gives back all rows, also of the tables read."""
        self.compute(read)
        return {name: self._all_rows(name) for name in sorted(self._provided)}

    def _all_rows(self, name: str) -> list[dict[str, Any]]:
        if not self._row_counts[name]:
            return []
        found = self._queries.run(f"FROM {name}", {})
        columns = [column for column, *_ in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]

    def compute(self, read: Mapping[str, pa.Table]) -> None:
        """Compute the relations of what was read; what was there before is forgotten."""
        if self._is_filled:
            self._connection.rollback()
        self._connection.begin()
        self._is_filled = True
        for name in self._given:
            self._fill(name, read[name])
        for maker in self._order:
            has_rows = has_needed_rows(maker.needed_rows, self._row_counts.__getitem__)
            if not has_rows and not self._computes_all:
                self._row_counts |= dict.fromkeys(_made_by(maker), 0)
            elif isinstance(maker, PythonStage):
                self._run_stage(maker)
            else:
                self._run_query(maker)

    def _run_query(self, query: Query) -> None:
        made = self._queries.run(
            f"INSERT INTO {query.relation} {statement_of(query)}", query.bind({})
        )
        ((self._row_counts[query.relation],),) = made.fetchall()

    def _run_stage(self, stage: PythonStage) -> None:
        names = stage.inputs
        if stage.skips_empty:
            names = tuple(filter(self._row_counts.__getitem__, names))
        inputs: dict[str, Any] = {name: self._connection.table(name) for name in names}
        for name in stage.walked:
            inputs[name] = RowsInMemory(inputs[name].to_arrow_table())
        results = stage.compute(**inputs, **stage.parameters)
        results = results if isinstance(results, tuple) else (results,)
        for table, rows in zip(stage.outputs, results, strict=True):
            is_table = isinstance(rows, pa.Table)
            self._fill(table.name, rows if is_table else rows.read_all())

    def _fill(self, name: str, rows: pa.Table) -> None:
        self._queries.fill(name, rows)
        self._row_counts[name] = rows.num_rows

    def count(self, relation: str) -> int:
        """How many rows a relation has."""
        return self._row_counts[relation]

    def count_without(self, relation: str, emptied: Iterable[str]) -> int:
        """How many rows a relation has if some tables have none, and all others what they have."""
        for name in emptied:  # temporary tables hide others of their name
            create_empty(self._connection, known_tables()[name])
        maker = self._makers[relation]
        if isinstance(maker, Query):
            found = self._connection.execute(with_values(statement_of(maker), maker.bind({})))
            count = len(found.fetchall())
        else:
            made = maker.compute(**{name: self._connection.table(name) for name in maker.inputs})
            count = (made if isinstance(made, pa.Table) else made.read_all()).num_rows
        for name in emptied:
            self._connection.execute(f"DROP TABLE temp.{name}")
        return count

    def rows(self, query: str) -> list[Row]:
        """Rows of a query over the tables, sorted."""
        return sorted(self._connection.sql(query).fetchall(), key=repr)

    def in_order(self, query: str) -> list[Row]:
        """Rows of a query over the tables, as it orders them."""
        return self._connection.sql(query).fetchall()
