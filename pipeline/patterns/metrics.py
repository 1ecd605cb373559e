"""All metrics: the shipped ones, and those that patterns of the user declare."""

import re
from collections.abc import Sequence

from tracemill.patterns.catalog import pattern_of
from tracemill.sql.metric_texts import Metric, shipped_metrics
from tracemill.sql.query_files import Query


def metrics_with(own: Sequence[Query] = ()) -> tuple[Metric, ...]:
    """All metrics by name, those of patterns of the user among them."""
    found = (*shipped_metrics().values(), *declared_metrics(own))
    return tuple(sorted(found, key=lambda metric: metric.name))


def declared_metrics(patterns: Sequence[Query]) -> tuple[Metric, ...]:
    """The metrics that patterns declare, in their order."""
    return tuple(metric for query in patterns for metric in pattern_of(query).metrics)


def spelling(name: str) -> str:
    """The letters and digits of a metric's name or title, for comparison with user input."""
    return re.sub(r"[^a-z0-9]", "", name.lower().replace("×", "x"))
