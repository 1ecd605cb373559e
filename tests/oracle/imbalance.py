"""Uneven work and idle time, found by asking every location about every call path."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.oracle.overheads import find_deviations
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
    """Who could take part in a call path."""
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


def imbalance_scopes(tables: Tables) -> list[Row]:
    """Who could take part in call paths of each scope."""
    return [
        {"scope": scope, "location_id": place}
        for scope in ("processes", "threads", "created threads", "streams")
        for place in _members_of(scope, tables)
    ]


def idle_times(tables: Tables) -> list[Row]:
    """Waiting, without work, or not there while the run lasts."""
    (run,) = tables["runs"]
    duration = run["end_ns"] - run["begin_ns"]
    members = {row["location_id"] for row in tables["thread_team_members"]}
    rows = []
    for location in sorted(tables["locations"], key=lambda row: row["location_id"]):
        place, group = location["location_id"], location["location_group_id"]
        waits = [w for w in tables["wait_states"] if w["location_id"] == place]
        wait = sum(w["wait_ns"] for w in waits if not w["is_completion"])
        begin, end, idle = location["begin_ns"], location["end_ns"], 0
        if place in members and location["thread"] > 0:
            process = [row for row in tables["locations"] if row["location_group_id"] == group]
            begin = min(row["begin_ns"] for row in process)
            end = max(row["end_ns"] for row in process)
            visits = [v for v in tables["visits"] if v["location_id"] == place]
            idle = max(end - begin - sum(v["exclusive_ns"] for v in visits), 0)
        absent = duration - (0 if begin is None else end - begin)
        row = {"location_id": place, "location_group_id": group, "wait_ns": wait}
        row |= {"idle_thread_ns": idle, "absent_ns": absent, "idle_ns": wait + idle + absent}
        rows.append(row | {"idle_ratio": _ratio(row["idle_ns"], duration)})
    return rows


def process_idle_times(tables: Tables) -> list[Row]:
    """The same of all locations of a process together."""
    (run,) = tables["runs"]
    duration = run["end_ns"] - run["begin_ns"]
    by_group: dict[int, list[Row]] = defaultdict(list)
    for row in idle_times(tables):
        by_group[row["location_group_id"]].append(row)
    rows = []
    for group, own in sorted(by_group.items()):
        names = ("wait_ns", "idle_thread_ns", "absent_ns", "idle_ns")
        row = {name: sum(each[name] for each in own) for name in names}
        ratio = _ratio(row["idle_ns"], duration * len(own))
        rows.append(
            {"location_group_id": group, "location_count": len(own)} | row | {"idle_ratio": ratio}
        )
    return rows


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
