"""Uneven work, found by comparing all locations at every call path."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from tests.oracle.teams import find_fork_join_times
from tracemill.schemas.overheads import overhead_id

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
COMPUTATION = overhead_id("user code")


def computational_imbalance(tables: Tables) -> list[Row]:
    """How the computation at each call path is spread over those that could take part in it."""
    rows = []
    for path, times in sorted(_computation(tables).items()):
        total = sum(times.values())
        if not total:
            continue
        scope = _scope_of(path, set(times), tables)
        deviations = find_deviations(times, _members_of(scope, tables))
        mean = next(times.get(place, 0) - each for place, each in deviations.items())
        rows.append(
            {
                "call_path_id": path,
                "scope": scope,
                "location_count": len(deviations),
                "visitor_count": len(times),
                "location_id": next(iter(times)) if len(times) == 1 else None,
                "exclusive_ns": total,
                "mean_ns": mean,
                "longest_ns": max(times.values()),
                "longest_to_mean": float(max(times.values()) * Fraction(len(deviations), total)),
                "overload_ns": sum(max(each, 0) for each in deviations.values()),
                "underload_ns": sum(max(-each, 0) for each in deviations.values()),
                "non_participation_ns": mean * (len(deviations) - len(times)),
            }
        )
    return rows


def location_imbalance(tables: Tables) -> list[Row]:
    """The same, summed by location."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for path, times in _computation(tables).items():
        members = _members_of(_scope_of(path, set(times), tables), tables)
        for place, deviation in find_deviations(times, members).items():
            row, is_single = found[place], len(times) == 1
            row["computation_ns"] += times.get(place, 0)
            row["overload_ns"] += max(deviation, 0)
            row["single_participant_ns"] += max(deviation, 0) * is_single
            row["underload_ns"] += max(-deviation, 0)
            if place not in times:
                row["non_participation_ns"] -= deviation
                row["singularity_ns"] -= deviation * is_single
    names = (
        "computation_ns", "overload_ns", "single_participant_ns", "underload_ns",
        "non_participation_ns", "singularity_ns",
    )  # fmt: skip
    places = sorted(row["location_id"] for row in tables["locations"])
    return [{"location_id": at} | {name: found[at][name] for name in names} for at in places]


def _computation(tables: Tables) -> dict[int, dict[int, int]]:
    """Time of computation by visited call path and location; other classes have none."""
    classes = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    is_computation = {
        row["call_path_id"]: classes[row["region_id"]] == COMPUTATION
        for row in tables["call_paths"]
    }
    times: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for visit in tables["visits"]:
        path = visit["call_path_id"]
        times[path][visit["location_id"]] += visit["exclusive_ns"] * is_computation[path]
    for (path, place), time in find_fork_join_times(tables).items():
        times[path][place] -= time * is_computation[path]
    return times


def _scope_of(path: int, visitors: set[int], tables: Tables) -> str:
    """The scope of a call path: locations that could take part in it."""
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    roles = {row["region_id"]: row["role"] for row in tables["regions"]}
    if visitors <= _members_of("streams", tables):
        return "streams"
    kind = paths[path]["kind"]
    at: int | None = path
    while at is not None:
        if kind == "task" or roles[paths[at]["region_id"]] == "parallel":
            return "threads"
        at = paths[at]["parent_call_path_id"]
    return "created threads" if kind == "thread" else "processes"


def _members_of(scope: str, tables: Tables) -> set[int]:
    if scope == "streams":
        return {row["location_id"] for row in tables["locations"] if row["kind"] == "gpu"}
    return {
        row["location_id"]
        for row in tables["locations"]
        if row["kind"] in ("cpu_thread", "unknown")
        and (scope == "threads" or (row["thread"] == 0) == (scope == "processes"))
    }


def find_deviations(times: Mapping[int, int], could: Collection[int]) -> dict[int, int]:
    """Time above the mean, negative if below, of each location that could take part or does.

    `times` are those of the locations that visit a call path. The mean is rounded.
    """
    locations = set(could) | set(times)
    mean = (Fraction(sum(times.values()), len(locations)) + Fraction(1, 2)).__floor__()
    return {place: times.get(place, 0) - mean for place in locations}
