"""The patterns to look for, and the tables of what each of them finds."""

from collections.abc import Mapping, Sequence
from functools import cache

from tracemill.schemas import BY_NAME, Table
from tracemill.schemas.patterns import pattern_table
from tracemill.sql.metric_texts import Metric
from tracemill.sql.pattern_declaration import FINDING, Pattern
from tracemill.sql.query_files import Query, load_query, run_queries


@cache
def catalog() -> tuple[Query, ...]:
    """The patterns that Tracemill brings, by name."""
    patterns = (query for query in run_queries() if query.pattern)
    return tuple(sorted(patterns, key=lambda query: query.relation))


@cache
def known_tables() -> Mapping[str, Table]:
    """Every declared table by name, and those of the patterns of the catalog."""
    return {**BY_NAME, **{query.relation: table_of(query) for query in catalog()}}


def pattern_of(query: Query) -> Pattern:
    """The declaration of a pattern's query."""
    assert query.pattern is not None, query.relation
    return query.pattern


def table_of(query: Query) -> Table:
    """The table of a pattern's rows.

    Findings are stored, so that other patterns can use them. Shipped waits are only in wait_states.
    """
    pattern = pattern_of(query)
    return pattern_table(
        query.relation,
        kind=pattern.kind,
        meaning=query.description,
        grain=query.grain,
        is_transient=pattern.kind != FINDING and query in catalog(),
    )


def completing(query: Query) -> Query:
    """The query that adds the columns which the query of a pattern leaves out."""
    is_finding = pattern_of(query).kind == FINDING
    return load_query("completed_findings" if is_finding else "completed_waits")


def metrics_of(query: Query, patterns: Sequence[Query]) -> tuple[Metric, ...]:
    """The metrics a pattern finds: its own, or those of the pattern it shares them with."""
    pattern = pattern_of(query)
    if not pattern.shared:
        return pattern.metrics
    sharing = (each for each in patterns if each.relation == pattern.shared and each.pattern)
    return next((pattern_of(each).metrics for each in sharing), ())
