"""The patterns told in the terminal."""

from collections.abc import Sequence

from pipeline.console import results
from pipeline.patterns.catalogue import catalogue, metrics_of, pattern_of
from pipeline.reports.grid import Grid
from pipeline.reports.terminal import draw
from pipeline.sql import QUERIES, Query


def print_patterns(own: Sequence[Query]) -> None:
    """List the patterns of the catalogue, then those of the user, with metrics and places."""
    patterns = (*catalogue(), *own)
    rows = tuple(
        (
            0,
            (
                query.relation,
                pattern_of(query).kind,
                ", ".join(metric.name for metric in metrics_of(query, patterns)),
                query.description,
                _place(query),
            ),
        )
        for query in patterns
    )
    titles = ("pattern", "kind", "metrics", "what it looks for", "file")
    results().print(draw(Grid(titles, (False,) * len(titles), rows)))


def _place(query: Query) -> str:
    root = QUERIES.parent
    return str(query.path.relative_to(root) if root in query.path.parents else query.path)
