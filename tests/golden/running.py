"""Running queries on tables that a test gives."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from pipeline.sql import Query, Value, all_queries
from schemas import BY_NAME
from tests.hand_made import make_table
from tests.oracle.profiles import with_profile

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
    planned = _planned(tuple(relations), frozenset(given.keys() & _queries().keys()))
    return planned.run(given, tuple(relations.values()), parameters)


@cache
def _queries() -> dict[str, Query]:
    return {query.relation: query for query in all_queries()}


@cache
def _planned(relations: tuple[str, ...], given: frozenset[str]) -> "_Planned":
    return _Planned(relations, given)


class _Planned:
    """Relations over tables that stay, so that their queries are planned once for many tests.

    `given` are relations whose rows tests give although there are queries for them.
    """

    def __init__(self, relations: tuple[str, ...], given: frozenset[str]) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1")
        # It would plan for tables that are empty.
        self._connection.execute("PRAGMA disable_optimizer")
        self._given = given
        self._filled: list[str] = []
        self._computed: list[Query] = []
        self._wanted = [_queries()[relation] for relation in relations]
        provided: set[str] = set()
        for query in self._wanted:
            self._provide_inputs(query, provided)
            self._connection.execute(f"PREPARE {query.relation}_wanted AS {query.text}")

    def _provide_inputs(self, query: Query, provided: set[str]) -> None:
        for name in query.inputs:
            if name not in provided:
                provided.add(name)
                self._provide(name, provided)

    def _provide(self, name: str, provided: set[str]) -> None:
        is_filled = name in self._given or name not in _queries()
        if not is_filled:
            self._provide_inputs(_queries()[name], provided)
        self._connection.register("none", make_table(BY_NAME[name], ()))
        self._connection.execute(f"CREATE TABLE {name} AS FROM none")
        if is_filled:
            self._filled.append(name)
        else:
            query = _queries()[name]
            self._connection.execute(f"PREPARE {name}_made AS INSERT INTO {name} {query.text}")
            self._computed.append(query)

    def run(
        self, tables: Mapping[str, Rows], columns: Sequence[str], parameters: Mapping[str, Value]
    ) -> list[Found]:
        """Rows of the relations for some tables, which are then forgotten."""
        self._connection.begin()
        try:
            for name in self._filled:
                if tables.get(name):
                    self._fill(name, make_table(BY_NAME[name], tables[name]))
            for query in self._computed:
                self._execute(f"{query.relation}_made", query.bind(parameters))
            return [
                self._rows(query, names.split(), parameters)
                for query, names in zip(self._wanted, columns, strict=True)
            ]
        finally:
            self._connection.rollback()

    def _fill(self, name: str, rows: pa.Table) -> None:
        """Put rows into a table; making a view of them would make all queries planned anew."""
        assert rows is not None
        self._connection.execute(f"INSERT INTO {name} BY NAME FROM rows")

    def _rows(self, query: Query, names: list[str], parameters: Mapping[str, Value]) -> Found:
        self._execute(f"{query.relation}_wanted", query.bind(parameters))
        known = [name for name, *_ in self._connection.description or ()]
        places = [known.index(name) for name in names or known]
        return [tuple(row[place] for place in places) for row in self._connection.fetchall()]

    def _execute(self, name: str, values: Mapping[str, Value]) -> None:
        told = ", ".join(f"{each} := {_literal(value)}" for each, value in values.items())
        self._connection.execute(f"EXECUTE {name}({told})" if told else f"EXECUTE {name}")


def _literal(value: Value) -> str:
    """A value as EXECUTE takes it, which takes no parameters itself."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"{value!r}::DOUBLE" if isinstance(value, float) else repr(value)
