"""Running queries on tables that a test gives."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

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
    queries = {query.relation: query for query in all_queries()}
    tables = with_profile(tables)
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        made: set[str] = set()

        def provide(name: str) -> None:
            if name in made:
                return
            made.add(name)
            if name in tables or name not in queries:
                connection.register("given", make_table(BY_NAME[name], tables.get(name, ())))
                connection.execute(f"CREATE TABLE {name} AS FROM given")
            else:
                provide_inputs(queries[name])
                text = f"CREATE TABLE {name} AS {queries[name].text}"
                connection.sql(text, params=queries[name].bind(parameters))

        def provide_inputs(query: Query) -> None:
            for name in query.inputs:
                provide(name)

        results = []
        for relation, columns in relations.items():
            provide_inputs(queries[relation])
            query = queries[relation]
            result = connection.sql(query.text, params=query.bind(parameters))
            places = [result.columns.index(name) for name in columns.split() or result.columns]
            results.append([tuple(row[place] for place in places) for row in result.fetchall()])
        return results
