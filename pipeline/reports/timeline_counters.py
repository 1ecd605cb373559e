"""Counters of the run over time, for lanes of its timeline."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from tracemill.reports.material import Material
from tracemill.reports.tables import Columns, groups_of

QUERY = "timeline_counters"
MOST_VALUES = 100_000
"""If parts of the system have more values, lanes and pictures show only all parts together."""
MOST_COUNTERS = 60


def read_counters(material: Material, begin_ns: int) -> list[dict[str, object]]:
    """Counters with their series, power and derived ones first; times count from the run's begin.

    A series is that of a process, a node, or of all parts of the system together (`scope` group),
    in some of the `bins`.
    """
    return [
        _describe(rows, begin_ns) for rows in islice(counters_over_time(material), MOST_COUNTERS)
    ]


def counters_over_time(material: Material) -> Iterator[Columns]:
    """Values of each counter over the time of a run, by part of the system."""
    if not material.is_empty("counter_profile"):
        found = material.kept_arrays(QUERY, MOST_VALUES)
        yield from groups_of(found, "counter_id", "counter")


def _describe(rows: Columns, begin_ns: int) -> dict[str, object]:
    """A counter. Most series have the same bins, which are written once."""
    bins: dict[bytes, dict[str, object]] = {}
    series = []
    for part in groups_of(rows, "scope", "scope_id"):
        begin, end = part["begin_ns"] - begin_ns, part["end_ns"] - begin_ns
        key = begin.tobytes() + end.tobytes()
        bins.setdefault(key, {"begin": begin, "end": end})
        series.append(
            {
                "scope": str(part["scope"][0]),
                "id": int(part["scope_id"][0]),
                "part": str(part["part"][0]),
                "bins": list(bins).index(key),
                "value": part["value"].astype(np.float32),
            }
        )
    return {
        "name": str(rows["counter"][0]),
        "unit": str(rows["unit"][0]),
        "isMean": bool(rows["is_mean"][0]),
        "bins": list(bins.values()),
        "series": series,
    }
