"""Finds the causes of a change: call paths where the critical path or the time changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

from tracemill.reports.explanation import all_metrics
from tracemill.schemas.history import RUN_TIME
from tracemill.schemas.overheads import TAXONOMY

TIME, CRITICAL_PATH = "time", "critical_path"
_SETUP, _OUTSIDE = "overhead_initialise_finalise", "overhead_outside_visits"
_IDLE = "overhead_idle_threads"
# A part of a metric explains its change if it has at least this share of it.
EXPLAINING = 0.5
# Least share of the change of the critical path for a call path that decides the run time.
DECIDING = 0.05
CLASSES = frozenset(each.metric for each in TAXONOMY)
# Smaller shares of the largest change explain nothing.
LEAST_SHARE = 0.01
_WAITING = ("wait state", "completion")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Explained:
    """A row of `changes` that explains others, and that of the critical path there, if any."""

    row: Row
    path: Row | None
    is_waiting: bool
    is_decisive: bool

    @property
    def critical_path_ns(self) -> float:
        """The change of the critical path there."""
        return self.path["change_value"] if self.path else 0.0


def find_causes(
    rows: pl.DataFrame, metric: str, direction: float, limit: int, *, processes: int | None = 1
) -> list[Explained]:
    """The main causes of the change of a metric, at most `limit`, worst first.

    `rows` are changes by call path, and `direction` is the sign of the change to explain. Causes of
    the run time are call paths where the critical path changed, or the mean time of a process
    (`rows` are sums over `processes`); waiting and small changes follow. With different numbers of
    `processes` (None) no mean is comparable: only the critical path, if there is one, decides. Of
    nested metrics, a cause names the deepest one with at least half of the change.
    """
    rows = rows.drop_nulls("call_path_key")
    if metric != RUN_TIME:
        return list(_changed(rows, metric, direction, limit))
    decided = _deciding(rows, direction, limit)
    changed = list(_changed(rows, TIME, direction, limit))

    def effect(each: Explained) -> float:
        amount = each.row["change_value"] / (processes or 1)
        return abs(each.critical_path_ns if each.is_decisive else amount)

    found = {_place(each) for each in decided}
    working = [each for each in changed if not (each.is_waiting or _place(each) in found)]
    if processes is None and decided:
        working = []
    largest = max(map(effect, (*decided, *working)), default=0.0)
    first = [*decided, *(each for each in working if effect(each) >= DECIDING * largest)]
    unique: dict[tuple[str, int], Explained] = {}
    for each in (*sorted(first, key=effect, reverse=True), *changed):
        unique.setdefault(_place(each), each)
    return list(unique.values())[:limit]


def without_setup(rows: pl.DataFrame) -> pl.DataFrame:
    """The changes outside of calls that start or end MPI.

    If a region such as main makes these calls, what is outside of all regions is before or after
    it, and is left out too. Otherwise it may be the program's own work. Threads that are idle while
    another one sets up MPI are left out with all idle time: it is not divided by part of the run.
    """
    key = pl.col("call_path_key")
    calls = rows.filter((pl.col("metric") == _SETUP) & (key != 0))
    is_setup = key.is_in(calls["call_path_key"].unique().to_list())
    if calls.height:
        is_setup |= (key == 0) & (pl.col("metric") == _IDLE)
    if calls["parent_call_path_key"].count():
        is_setup |= (key == 0) & (pl.col("metric") == _OUTSIDE)
    return rows.filter(~is_setup)


@cache
def _metric_parts() -> tuple[Mapping[str, list[str]], frozenset[str]]:
    """The parts of each metric of time, and the metrics of waiting.

    Time divides into overheads, these into their classes, and these include waiting.
    """
    times = {metric.name: metric for metric in all_metrics() if metric.unit == "ns"}
    parts: dict[str, list[str]] = {name: [] for name in times}
    roots = [metric for metric in times.values() if metric.parent is None]
    for metric in times.values():
        if metric.parent in parts:
            parts[metric.parent].append(metric.name)
    parts[TIME] = [metric.name for metric in roots if metric.kind == "overhead"]
    waiting = frozenset(name for name, metric in times.items() if metric.kind in _WAITING)
    for name in CLASSES & set(parts):
        parts[name] = [metric.name for metric in roots if metric.name in waiting]
    return parts, waiting


def _deciding(rows: pl.DataFrame, direction: float, limit: int) -> list[Explained]:
    """Call paths where the critical path changed so, with the class of their time."""
    on_path = rows.filter(pl.col("metric") == CRITICAL_PATH)
    amount = pl.col("change_value") * direction
    least = abs(float(on_path["change_value"].sum())) * DECIDING
    chosen = (
        on_path.filter((amount > 0) & (amount >= least)).sort(-amount, "call_path_key").head(limit)
    )
    classes = _by_place(rows.filter(pl.col("metric").is_in(CLASSES)), chosen)
    found = []
    for row in chosen.iter_rows(named=True):
        own = [each for (_, key), each in classes.items() if key == row["call_path_key"]]
        if own:
            most = max(own, key=lambda each: (_size(each), each["metric"]))
            found.append(Explained(most, row, is_waiting=False, is_decisive=True))
    return found


def _changed(rows: pl.DataFrame, metric: str, direction: float, limit: int) -> Iterator[Explained]:
    """Call paths where a metric changed in this direction, each with its deepest main part."""
    # Time outside of call paths is in its class only, not in the metric time.
    outside = (pl.col("call_path_key") == 0) & pl.col("metric").is_in(CLASSES)
    is_start = (pl.col("metric") == metric) | (outside if metric == TIME else pl.lit(value=False))
    amount = pl.col("change_value") * direction
    starts = rows.filter(is_start)
    largest = starts.select(pl.col("change_value").abs().max().fill_null(0.0)).item()
    grown = starts.filter((amount > 0) & (amount >= LEAST_SHARE * largest))
    chosen = grown.sort(-amount, "metric", "call_path_key").head(limit)
    by_place, (parts, waiting) = _by_place(rows, chosen), _metric_parts()
    for row in chosen.iter_rows(named=True):
        deepest = _descend(row, by_place, parts)
        path = by_place.get((CRITICAL_PATH, row["call_path_key"]))
        yield Explained(deepest, path, is_waiting=deepest["metric"] in waiting, is_decisive=False)


def _descend(
    row: Row, by_place: Mapping[tuple[str, int], Row], parts: Mapping[str, list[str]]
) -> Row:
    """The deepest part of a metric with most of its change, in the same call path."""
    key, change = row["call_path_key"], row["change_value"]
    own = [by_place[part, key] for part in parts.get(row["metric"], ()) if (part, key) in by_place]
    for part in sorted(own, key=lambda each: -abs(each["change_value"])):
        if part["change_value"] / change >= EXPLAINING:
            return _descend(part, by_place, parts)
    return row


def _by_place(rows: pl.DataFrame, chosen: pl.DataFrame) -> dict[tuple[str, int], Row]:
    """Rows of some call paths by metric and key."""
    kept = rows.filter(pl.col("call_path_key").is_in(chosen["call_path_key"].to_list()))
    return {(row["metric"], row["call_path_key"]): row for row in kept.iter_rows(named=True)}


def _place(explained: Explained) -> tuple[str, int]:
    return explained.row["metric"], explained.row["call_path_key"]


def _size(row: Row) -> float:
    return max(abs(row["base_value"]), abs(row["other_value"]))
