"""Analyses many small traces one after the other: the queries are planned only once."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pipeline.readers import open_source
from pipeline.sql import Query, all_queries
from pipeline.stages.critical_path import CRITICAL_PATH_STAGE
from schemas import BY_NAME, Table
from tests.hand_made import make_table

Row = tuple[Any, ...]


class _Part:
    """Takes the rows of one part of a table."""

    def __init__(self, parts: list[pa.Table]) -> None:
        self._parts = parts

    def write(self, rows: pa.Table) -> None:
        self._parts.append(rows)

    def close(self) -> None:
        pass


class _Memory:
    """Takes tables from a reader, in place of a store."""

    def __init__(self) -> None:
        self.parts: defaultdict[str, list[pa.Table]] = defaultdict(list)

    def part(self, table: Table, number: int) -> _Part:
        return _Part(self.parts[table.name])

    def write(self, table: Table, rows: pa.Table) -> None:
        self.parts[table.name].append(rows)


def read_into_memory(anchor: Path) -> dict[str, pa.Table]:
    """The tables of an archive."""
    source, memory = open_source(anchor), _Memory()
    source.read(
        memory,  # type: ignore[arg-type]
        run_id="run",
        threads=1,
        allow_damaged=False,
        report=lambda count: None,
    )
    return {
        table.name: pa.concat_tables(
            [table.empty(), *(table.conform(part) for part in memory.parts[table.name])]
        )
        for table in source.tables
    }


class Analyst:
    """Computes some relations of one trace after the other, in tables that stay."""

    def __init__(self, *relations: str) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1")
        # With so few rows, optimising takes longer than computing.
        self._connection.execute("PRAGMA disable_optimizer")
        self._queries = {query.relation: query for query in all_queries()}
        self._given: list[str] = []
        self._order: list[str] = []
        self._is_filled = False
        for relation in relations:
            self._provide(relation)

    def _provide(self, name: str) -> None:
        """Make an empty table for a relation and for what it needs, in the order of computing."""
        if name in self._given or name in self._order:
            return
        query = self._queries.get(name)
        if name == "critical_path_steps":
            for needed in CRITICAL_PATH_STAGE.inputs:
                self._provide(needed)
        for needed in query.inputs if query else ():
            self._provide(needed)
        self._connection.register("none", make_table(BY_NAME[name], ()))
        self._connection.execute(f"CREATE TABLE {name} AS FROM none")
        self._connection.unregister("none")
        if query:
            self._prepare(query)
        is_given = query is None and name != "critical_path_steps"
        (self._given if is_given else self._order).append(name)

    def _prepare(self, query: Query) -> None:
        name = query.relation
        self._connection.execute(f"PREPARE {name}_rows AS INSERT INTO {name} {query.text}")

    def analyse(self, anchor: Path) -> None:
        """Read an archive and compute the relations; what was there before is forgotten."""
        if self._is_filled:
            self._connection.rollback()
        self._connection.begin()
        self._is_filled = True
        read = read_into_memory(anchor)
        for name in self._given:
            self._fill(name, read[name])
        for name in self._order:
            if name == "critical_path_steps":
                inputs = {name: self._connection.table(name) for name in CRITICAL_PATH_STAGE.inputs}
                self._fill(name, CRITICAL_PATH_STAGE.compute(**inputs))
            else:
                query = self._queries[name]
                values = ", ".join(f"{key} := {value}" for key, value in query.bind({}).items())
                self._connection.execute(f"EXECUTE {name}_rows" + (f"({values})" if values else ""))

    def _fill(self, name: str, rows: pa.Table) -> None:
        """Put rows into a table; making a view of them would make all queries planned anew."""
        assert rows is not None
        self._connection.execute(f"INSERT INTO {name} BY NAME FROM rows")

    def rows(self, query: str) -> list[Row]:
        """Rows of a query over the tables, sorted."""
        return sorted(self._connection.sql(query).fetchall(), key=repr)

    def in_order(self, query: str) -> list[Row]:
        """Rows of a query over the tables, as it orders them."""
        return self._connection.sql(query).fetchall()
