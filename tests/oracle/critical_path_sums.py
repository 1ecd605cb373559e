"""The segments of the critical path, its profile, and what the others lose beside it."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.oracle.critical_path import Cells, find_segments, impacts, profile, waiting_of, works
from tests.oracle.critical_path_points import by_rank
from tests.oracle.teams import (
    are_tasks_whole,
    find_fork_join_times,
    from_fork_to_join,
    team_barriers,
    team_endings,
)

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def _walk(tables: Tables) -> list[Row]:
    """The segments, if there is a path; explicit tasks that are suspended have none yet."""
    if not are_tasks_whole(tables):
        return []
    return find_segments(tables["synchronization_points"], by_rank(tables))


def critical_path_segments(tables: Tables) -> list[Row]:
    """The path, walked backwards from its end."""
    visits = from_fork_to_join(tables)
    spans = {row["location_id"]: row for row in tables["location_spans"]}
    rows = []
    for ordinal, segment in enumerate(_walk(tables)):
        point, begin, end = segment["wait"], segment["begin"], segment["end"]
        span = spans[segment["location_id"]]
        rows.append(
            {"ordinal": ordinal, "location_id": segment["location_id"]}
            | {"begin_ns": begin, "end_ns": end, "end_visit_id": segment["end_visit_id"]}
            | {"kind": point["kind"] if point else None}
            | {"cause_location_id": point["cause_location_id"] if point else None}
            | {"visit_id": point["visit_id"] if point else span["begin_visit_id"]}
            | {"call_path_id": point["call_path_id"] if point else span["begin_call_path_id"]}
            | {"wait_ns": waiting_of(segment, visits)}
            | {"completion_ns": _completion(point, begin, end)}
        )
    return rows


def _completion(point: Row | None, begin: int, end: int) -> int:
    """What is left of a call after its wait, as far as the segment goes."""
    if point is None or point["kind"] == "fork":
        return 0
    return max(int(min(point["leave_ns"], end)) - begin - int(point["wait_ns"]), 0)


def critical_path_profile(tables: Tables) -> list[Row]:
    """Time of the path by call path and location."""
    return _cells("path_ns", profile(_walk(tables), from_fork_to_join(tables)))


def _cells(name: str, cells: Cells) -> list[Row]:
    return [
        {"call_path_id": path, "location_id": place, name: time}
        for (path, place), time in cells.items()
    ]


def _profile_of(tables: Tables) -> Cells:
    return {
        (row["call_path_id"], row["location_id"]): row["path_ns"]
        for row in tables["critical_path_profile"]
    }


def _lengths(tables: Tables) -> Counter[int]:
    """Length of the path at each call path."""
    lengths: Counter[int] = Counter()
    for (path, _), time in _profile_of(tables).items():
        lengths[path] += time
    return lengths


# --- The work of others -------------------------------------------------------------------------


def critical_path_work(tables: Tables) -> list[Row]:
    """Time of every process and thread of a team without waiting, up to where it meets nobody."""
    if not tables["critical_path_profile"]:
        return []
    partings = {row["visit_id"] for row in team_barriers(tables) if row["is_parting"]}
    points = [p for p in tables["synchronization_points"] if p["visit_id"] not in partings]
    endings = {
        (row["call_path_id"], row["location_id"]): row["ending_ns"] for row in team_endings(tables)
    }
    lengths = _lengths(tables)
    found = works(from_fork_to_join(tables), points, _workers(tables), endings)
    return [row | {"path_ns": lengths[row["call_path_id"]]} for row in _cells("work_ns", found)]


def _workers(tables: Tables) -> list[int]:
    return [row["location_id"] for row in tables["location_spans"] if row["is_worker"]]


def critical_path_impacts(tables: Tables) -> list[Row]:
    """What the others lose by having less of a call path than the critical path."""
    path, workers = _profile_of(tables), _workers(tables)
    work = {
        (row["call_path_id"], row["location_id"]): row["work_ns"]
        for row in tables["critical_path_work"]
    }
    impact, partition = (
        impacts(path, work, workers, is_partition=is_partition, is_strict=True)
        for is_partition in (False, True)
    )
    return [
        {"call_path_id": number, "path_ns": length}
        | {"impact_ns": float(impact.get(number, 0))}
        | {"partition_impact_ns": float(partition.get(number, 0))}
        for number, length in _lengths(tables).items()
        if length > 0
    ]


def critical_path_imbalances(tables: Tables) -> list[Row]:
    """Share of the path at a call path and below that evenly spread work would not need.

    Each location works (time - lost) / locations in the mean. Lost is what the reference knows as
    waiting, and the time between forks, parallel regions and joins.
    """
    workers = set(_workers(tables))
    lost = [(row["call_path_id"], row["location_id"], row["wait_ns"]) for row in _known(tables)]
    lost += [(*cell, time) for cell, time in find_fork_join_times(tables).items()]
    rows = []
    for number in _lengths(tables):
        below = _subtree(number, tables)
        length = sum(time for path, time in _lengths(tables).items() if path in below)
        time = sum(
            visit["exclusive_ns"]
            for visit in tables["visits"]
            if visit["call_path_id"] in below and visit["location_id"] in workers
        )
        # Where tasks were scheduled, too, their time counts.
        time += sum(
            task["end_ns"] - task["begin_ns"]
            for task in tables["task_fragments"]
            if task["call_path_id"] in below and task["location_id"] in workers
        )
        time -= sum(each for path, place, each in lost if path in below and place in workers)
        if length > 0 and length * len(workers) > time:
            ratio = 1 - Fraction(time, length * len(workers))
            rows.append({"call_path_id": number, "imbalance_ratio": float(ratio)})
    return rows


def _known(tables: Tables) -> list[Row]:
    return [
        row for row in tables["wait_states"] if not row["is_completion"] and not row["is_extended"]
    ]


def _subtree(path: int, tables: Tables) -> set[int]:
    """A call path and all below it."""
    below = {path}
    while True:
        more = {
            row["call_path_id"]
            for row in tables["call_paths"]
            if row["parent_call_path_id"] in below
        }
        if more <= below:
            return below
        below |= more
