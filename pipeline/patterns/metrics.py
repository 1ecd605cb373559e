"""All metrics: those that are measured, and those that patterns declare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pipeline.patterns.catalogue import catalogue, pattern_of
from pipeline.sql import Query, load_query


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric as the table `metrics` lists it."""

    name: str
    parent: str | None
    kind: str
    title: str
    unit: str
    meaning: str


@cache
def measured_metrics() -> tuple[Metric, ...]:
    """The metrics that no pattern declares, by name."""
    import duckdb

    rows = duckdb.execute(load_query("measured_metrics").statement).fetchall()
    return tuple(
        Metric(name=name, parent=parent, kind=kind, title=title, unit=unit, meaning=meaning)
        for name, parent, kind, title, unit, meaning in rows
    )


def metrics_with(own: Sequence[Query] = ()) -> tuple[Metric, ...]:
    """All metrics, by name: measured ones, those of the catalogue, and those of your patterns."""
    found = (*measured_metrics(), *declared_metrics((*catalogue(), *own)))
    return tuple(sorted(found, key=lambda metric: metric.name))


def declared_metrics(patterns: Sequence[Query]) -> tuple[Metric, ...]:
    """The metrics that patterns declare, in their order."""
    return tuple(
        Metric(
            name=metric.name,
            parent=metric.parent,
            kind=pattern_of(query).kind,
            title=metric.title,
            unit=metric.unit,
            meaning=metric.meaning,
        )
        for query in patterns
        for metric in pattern_of(query).metrics
    )


def spelling(name: str) -> str:
    """What counts of a metric's name or title where users ask for it: its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower().replace("×", "x"))
