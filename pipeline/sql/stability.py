"""Functions that are not deterministic or have effects, from DuckDB's catalog."""

from collections.abc import Set
from functools import cache

import duckdb

from tracemill.sql.reads import TIMES_OF_DAY, reads_of

# DuckDB lists the time of day under names it is not called by, or as if it were always the same.
_UNLISTED = frozenset({*TIMES_OF_DAY, "current_localtime", "current_localtimestamp", "sample"})
# It fails, whenever it does, for its argument.
_STABLE = frozenset({"error"})


@cache
def unstable_functions() -> Set[str]:
    """Lower-case names of functions and macros that are not deterministic or have an effect."""
    listed = duckdb.execute(
        "SELECT lower(function_name), stability, macro_definition FROM duckdb_functions()"
        " WHERE function_type IN ('scalar', 'aggregate', 'macro')"
    ).fetchall()
    unstable = {name for name, stability, _ in listed if stability not in (None, "CONSISTENT")}
    unstable |= _UNLISTED
    unstable -= _STABLE
    calls = {
        name: {call.lower() for call in reads_of(f"SELECT {definition}").calls}
        for name, _, definition in listed
        if definition
    }
    while more := {name for name, called in calls.items() if called & unstable} - unstable:
        unstable |= more
    return unstable
