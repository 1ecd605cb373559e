"""Cycles: a pattern must not read tables that are made from its own rows."""

from collections.abc import Mapping, Sequence, Set
from functools import cache

from tracemill.patterns.catalog import pattern_of
from tracemill.patterns.stages import pattern_stages
from tracemill.schemas.patterns import FINDINGS
from tracemill.schemas.wait_states import WAIT_STATES
from tracemill.sql.pattern_declaration import FINDING
from tracemill.sql.query_files import Query, all_queries
from tracemill.stages import PYTHON_STAGES


def is_made_of(table: str, pattern: Query, others: Sequence[Query]) -> bool:
    """True if a table needs rows of `pattern`, among `others` of the user."""
    seen: set[str] = set()
    waiting = [table]
    while waiting:
        name = waiting.pop()
        if name == pattern.relation:
            return True
        if name not in seen:
            seen.add(name)
            waiting += _needs(name, (*others, pattern))
    return False


def _needs(table: str, own: Sequence[Query]) -> Set[str]:
    """The tables that one is made of, those of the user's patterns among them."""
    found = {
        query.relation
        for query in own
        if table == (FINDINGS if pattern_of(query).kind == FINDING else WAIT_STATES).name
    }
    read = {name for query in own if query.relation == table for name in query.inputs}
    return {*_needs_of_tracemill().get(table, ()), *found, *read}


@cache
def _needs_of_tracemill() -> Mapping[str, Sequence[str]]:
    """The inputs of each table that is not read from the trace."""
    by_python = (*PYTHON_STAGES, *pattern_stages())
    return {
        **{query.relation: query.inputs for query in all_queries() if query.is_stage},
        **{output.name: stage.inputs for stage in by_python for output in stage.outputs},
    }
