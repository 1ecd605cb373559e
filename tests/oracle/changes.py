"""Changes between runs, run by run in plain Python: slow, and easy to check.

Overheads come from the tables that sum them by call path and by location.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, variance
from typing import Any

Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Place = tuple[str, int | None, int | None]
"""A metric, the key of a call path, and a rank; None for all of them together."""

ELSEWHERE = ("idle threads", "outside visits")
"""Classes of time that lies in no call path."""


def values_of(tables: Tables) -> dict[Place, int]:
    """Every metric of a run: as a whole, by call path, and by rank both as a whole and there."""
    keys = {row["call_path_id"]: row["call_path_key"] for row in tables["call_path_keys"]}
    stubs = {row["call_path_id"] for row in tables["call_paths"] if row["kind"] == "task_stub"}
    ranks = {row["location_id"]: row["rank"] for row in tables["locations"]}
    values: dict[Place, int] = defaultdict(int)

    def count(metric: str, path: int | None, location: int, value: int) -> None:
        key = 0 if path is None else keys[path]
        for where in (None, key):
            for rank in (None, ranks[location]):
                values[metric, where, rank] += value

    for row in tables["severities"]:
        count(row["metric"], row["call_path_id"], row["location_id"], row["value"])
    for row in tables["call_tree"]:
        if row["call_path_id"] not in stubs:
            count("time", row["call_path_id"], row["location_id"], row["exclusive_ns"])
            count("visits", row["call_path_id"], row["location_id"], row["visit_count"])
    for place, value in overheads_of(tables, keys, ranks).items():
        values[place] += value
    return values


def overheads_of(
    tables: Tables, keys: Mapping[int, int], ranks: Mapping[int, int]
) -> dict[Place, int]:
    """Classes of overhead and their parents; by rank for the whole run only."""
    classes = {row["overhead_id"]: row for row in tables["overhead_classes"]}
    parents = {row["metric"]: row["parent_metric"] for row in tables["metrics"]}
    values: dict[Place, int] = defaultdict(int)

    def count(overhead: int, places: Sequence[tuple[int | None, int | None]], value: int) -> None:
        metric = classes[overhead]["metric"]
        for name in filter(None, (metric, parents[metric])):
            for key, rank in places:
                values[name, key, rank] += value

    for row in tables["location_overheads"]:
        rank = ranks[row["location_id"]]
        places: list[tuple[int | None, int | None]] = [(None, None), (None, rank)]
        if classes[row["overhead_id"]]["overhead_subclass"] in ELSEWHERE:
            places += [(0, None), (0, rank)]
        count(row["overhead_id"], places, row["time_ns"])
    for row in tables["call_path_overheads"]:
        count(row["overhead_id"], [(keys[row["call_path_id"]], None)], row["exclusive_ns"])
    return values


def changes(
    base: Sequence[Mapping[Place, float]], other: Sequence[Mapping[Place, float]]
) -> dict[Place, tuple[float, float, float | None, float | None]]:
    """Means and variances of both sides where any run has something."""
    places = {place for values in (*base, *other) for place, value in values.items() if value}
    return {place: (*means(base, other, place), spread(base, place), spread(other, place))
            for place in places}  # fmt: skip


def means(
    base: Sequence[Mapping[Place, float]], other: Sequence[Mapping[Place, float]], place: Place
) -> tuple[float, float]:
    """The mean of each side; a run without a value counts as 0."""
    return (
        fmean(values.get(place, 0) for values in base),
        fmean(values.get(place, 0) for values in other),
    )


def spread(side: Sequence[Mapping[Place, float]], place: Place) -> float | None:
    """The variance of the runs of a side, if there are several."""
    found = [values.get(place, 0) for values in side]
    return variance(found) if len(found) > 1 else None
