"""Empty databases for tests: all of one DuckDB, which takes 20 ms to begin.

Its settings, like threads and memory, are those of all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count

import duckdb

_NUMBERS = count()


@contextmanager
def fresh_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to an empty database, which is forgotten afterwards."""
    name, connection = _attach()
    try:
        with connection:
            yield connection
    finally:
        _duckdb().execute(f"DETACH {name}")


def lasting_database() -> duckdb.DuckDBPyConnection:
    """A connection to an empty database that lasts as long as the process."""
    _, connection = _attach()
    return connection


def fresh_connection() -> duckdb.DuckDBPyConnection:
    """A connection that knows no table, for those that are temporary or registered with it.

    They are forgotten when it is closed.
    """
    return _duckdb().cursor()


def _attach() -> tuple[str, duckdb.DuckDBPyConnection]:
    name = f"fresh_{next(_NUMBERS)}"
    connection = _duckdb().cursor()
    connection.execute(f"ATTACH ':memory:' AS {name}; USE {name}")
    return name, connection


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})
