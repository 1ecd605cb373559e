"""Running queries on tables that a test gives."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from tests.fresh_database import lasting_database
from tests.hand_made import make_table
from tests.oracle.profiles import with_profile
from tests.planned_queries import PlannedQueries
from tracemill.engine.graph import has_needed_rows
from tracemill.patterns.catalog import known_tables
from tracemill.patterns.results import statement_of
from tracemill.patterns.stages import pattern_stages
from tracemill.sql.query_files import Query, Value, all_queries
from tracemill.stages.stage import PythonStage

Rows = Sequence[Mapping[str, Any]]
Found = list[tuple[Any, ...]]

# Columns that tell what a wait is.
WAIT = "location_id start_ns wait_ns cause_location_id"


def run_query(
    relation: str, tables: Mapping[str, Rows], columns: str = "", **parameters: Value
) -> Found:
    """Rows of a relation, of the named columns, or of all.

    What the relation reads is taken from `tables`, else computed by its own query, else empty;
    the call tree, which reading makes, is summed up from the visits.
    Columns that a table leaves out are null or say nothing.
    """
    (found,) = run_queries({relation: columns}, tables, **parameters)
    return found


def run_queries(
    relations: Mapping[str, str], tables: Mapping[str, Rows], **parameters: Value
) -> list[Found]:
    """Rows of several relations, each with the columns wanted; what they share runs once."""
    given = with_profile(tables)
    planned = _planned(tuple(relations), frozenset(given.keys() & _makers().keys()))
    return planned.run(given, tuple(relations.values()), parameters)


@cache
def _makers() -> dict[str, Query | PythonStage]:
    """What makes each relation; what stages in Python make is empty, but for those of patterns."""
    queries: dict[str, Query | PythonStage] = {query.relation: query for query in all_queries()}
    return queries | {table.name: stage for stage in pattern_stages() for table in stage.outputs}


@cache
def _planned(relations: tuple[str, ...], given: frozenset[str]) -> "_Planned":
    return _Planned(relations, given)


class _Planned:
    """Relations over tables that stay, so that their queries are planned once for many tests.

    As in an analysis, what they are computed from is left out where it cannot have rows.

    `given` are relations whose rows tests give although there are queries for them.
    """

    def __init__(self, relations: tuple[str, ...], given: frozenset[str]) -> None:
        self._connection = lasting_database()
        # It would plan for tables that are empty.
        self._connection.execute("PRAGMA disable_optimizer")
        self._queries = PlannedQueries(self._connection)
        self._given = given
        self._filled: list[str] = []
        self._computed: list[Query | PythonStage] = []
        self._provided: set[str] = set()
        self._row_counts: dict[str, int] = {}
        self._wanted = [_makers()[relation] for relation in relations]
        for relation, maker in zip(relations, self._wanted, strict=True):
            if isinstance(maker, PythonStage):
                self._provide(relation)
            else:
                self._provide_inputs(maker)

    def _provide_inputs(self, maker: Query | PythonStage) -> None:
        for name in maker.inputs:
            if name not in self._provided:
                self._provide(name)

    def _provide(self, name: str) -> None:
        maker = None if name in self._given else _makers().get(name)
        made = [known_tables()[name]]
        if maker is None:
            self._filled.append(name)
        else:
            self._provide_inputs(maker)
            made = list(maker.outputs) if isinstance(maker, PythonStage) else made
        for table in made:
            self._provided.add(table.name)
            self._queries.make_table(table)
        if maker is not None:
            self._computed.append(maker)

    def run(
        self, tables: Mapping[str, Rows], columns: Sequence[str], parameters: Mapping[str, Value]
    ) -> list[Found]:
        """Rows of the relations for some tables, which are then forgotten."""
        self._connection.begin()
        try:
            self._row_counts = dict.fromkeys(self._provided, 0)
            for name in self._filled:
                if tables.get(name):
                    self._fill(name, make_table(known_tables()[name], tables[name]))
            for maker in self._computed:
                if not has_needed_rows(maker.needed_rows, self._row_counts.__getitem__):
                    continue
                if isinstance(maker, PythonStage):
                    self._run_stage(maker)
                else:
                    self._run_query(maker, parameters)
            return [
                self._rows(maker, names.split(), parameters)
                for maker, names in zip(self._wanted, columns, strict=True)
            ]
        finally:
            self._connection.rollback()

    def _fill(self, name: str, rows: pa.Table) -> None:
        self._queries.fill(name, rows)
        self._row_counts[name] = rows.num_rows

    def _run_query(self, query: Query, parameters: Mapping[str, Value]) -> None:
        text, values = f"INSERT INTO {query.relation} {statement_of(query)}", query.bind(parameters)
        ((self._row_counts[query.relation],),) = self._queries.run(text, values).fetchall()

    def _run_stage(self, stage: PythonStage) -> None:
        names = stage.inputs
        if stage.skips_empty:
            names = tuple(filter(self._row_counts.__getitem__, names))
        inputs = {name: self._connection.table(name) for name in names}
        results = stage.compute(**inputs, **stage.parameters)
        results = results if isinstance(results, tuple) else (results,)
        for table, rows in zip(stage.outputs, results, strict=True):
            is_table = isinstance(rows, pa.Table)
            self._fill(table.name, rows if is_table else rows.read_all())

    def _rows(
        self, maker: Query | PythonStage, names: list[str], parameters: Mapping[str, Value]
    ) -> Found:
        if isinstance(maker, PythonStage):
            self._connection.execute(f"FROM {maker.name}")
        elif maker in self._computed and self._row_counts[maker.relation]:
            # Others that are wanted read it.
            self._queries.run(f"FROM {maker.relation}", {})
        else:
            self._queries.run(statement_of(maker), maker.bind(parameters))
        known = [name for name, *_ in self._connection.description or ()]
        places = [known.index(name) for name in names or known]
        return [tuple(row[place] for place in places) for row in self._connection.fetchall()]
