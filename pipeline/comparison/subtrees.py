"""Finds the subtree of the call tree that contains a change."""

from collections import defaultdict
from dataclasses import dataclass

import polars as pl

# Least share of a change in a call path and its callees.
HOLDING = 0.8


@dataclass(frozen=True)
class Subtree:
    """A call path with its change, without and with callees."""

    call_path: str
    exclusive_value: float
    inclusive_value: float


def holding_subtree(rows: pl.DataFrame, metric: str) -> Subtree | None:
    """The deepest call path, except roots, that includes nearly all of a metric's change."""
    placed = rows.drop_nulls("call_path_key")
    above = dict(placed.select("call_path_key", "parent_call_path_key").unique().iter_rows())
    own = {
        key: (path or "", change)
        for key, path, change in placed.filter(pl.col("metric") == metric)
        .select("call_path_key", "call_path", "change_value")
        .iter_rows()
    }
    inclusive: dict[int, float] = defaultdict(float)
    for key, (_, change) in own.items():
        place: int | None = key
        while place is not None:
            inclusive[place] += change
            place = above.get(place)
    total = sum(change for _, change in own.values())
    holding = {key for key, value in inclusive.items() if total and value / total >= HOLDING}
    inner = holding - {above.get(key) for key in holding}
    inner = {key for key in inner if above.get(key) is not None}
    if not inner:
        return None
    deepest = max(inner, key=lambda key: (_depth(key, above), inclusive[key] / total, -key))
    paths = dict(placed.select("call_path_key", "call_path").unique().iter_rows())
    return Subtree(paths[deepest] or "", own.get(deepest, ("", 0.0))[1], inclusive[deepest])


def _depth(key: int, above: dict[int, int | None]) -> int:
    depth, place = 0, above.get(key)
    while place is not None:
        depth, place = depth + 1, above.get(place)
    return depth
