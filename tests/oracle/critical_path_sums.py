"""The critical path as whole rows, and the sums over its segments and profile, one by one."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

from tests.oracle.critical_path import Cells, find_segments, impacts, profile, waiting_of, works
from tests.oracle.critical_path_points import by_rank
from tests.oracle.stretches import overlap
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


def critical_path_severities(tables: Tables) -> list[Row]:
    """The path and what it says, at its call paths and locations; nothing that rounds to zero."""
    impact = {row["call_path_id"]: row for row in tables["critical_path_impacts"]}
    imbalance = {row["call_path_id"]: row for row in tables["critical_path_imbalances"]}
    rows = []
    for row in tables["critical_path_profile"]:
        path, time = row["call_path_id"], row["path_ns"]
        values = {"critical_path": float(time)}
        if path in impact:
            whole = impact[path]["path_ns"]
            values["critical_imbalance_impact"] = impact[path]["impact_ns"] * time / whole
            values["inter_partition_imbalance"] = impact[path]["partition_impact_ns"] * time / whole
        if path in imbalance:
            values["critical_path_imbalance"] = imbalance[path]["imbalance_ratio"] * time
        cell = {"call_path_id": path, "location_id": row["location_id"]}
        for metric, value in values.items():
            rounded = floor(abs(value) + 0.5) * (1 if value > 0 else -1)
            rows += [{"metric": metric, "value": rounded} | cell] if rounded else []
    return rows


# --- Sums ---------------------------------------------------------------------------------------


def critical_path_locations(tables: Tables) -> list[Row]:
    """Segments, computation and communication of each location that the path visits."""
    segments = Counter(row["location_id"] for row in tables["critical_path_segments"])
    times = _times(tables)
    return [
        {"location_id": place, "segment_count": segments[place]}
        | {"computation_ns": times[place, False], "communication_ns": times[place, True]}
        for place in sorted(segments)
    ]


def critical_path_summary(tables: Tables) -> list[Row]:
    """The same of the whole path, with its begin and end."""
    segments, (run,), times = tables["critical_path_segments"], tables["runs"], _times(tables)
    if not segments:
        return []
    return [
        {
            "begin_ns": segments[0]["begin_ns"],
            "end_ns": segments[-1]["end_ns"],
            "wall_ns": run["end_ns"] - run["begin_ns"],
            "computation_ns": sum(time for (_, is_mpi), time in times.items() if not is_mpi),
            "communication_ns": sum(time for (_, is_mpi), time in times.items() if is_mpi),
            "segment_count": len(segments),
            "location_count": len({row["location_id"] for row in segments}),
            "is_whole": segments[0]["cause_location_id"] is None,
        }
    ]


def _times(tables: Tables) -> Counter[tuple[int, bool]]:
    """Time of the path by location, within MPI or not."""
    mpi = {row["region_id"] for row in tables["regions"] if row["paradigm"] == "mpi"}
    paths = {row["call_path_id"] for row in tables["call_paths"] if row["region_id"] in mpi}
    times: Counter[tuple[int, bool]] = Counter()
    for row in tables["critical_path_profile"]:
        times[row["location_id"], row["call_path_id"] in paths] += row["path_ns"]
    return times


def critical_path_partners(tables: Tables) -> list[Row]:
    """Passages of the path from one location to another."""
    passages: dict[tuple[int, int, str], list[Row]] = defaultdict(list)
    for row in tables["critical_path_segments"]:
        if row["cause_location_id"] is not None:
            passages[row["cause_location_id"], row["location_id"], row["kind"]].append(row)
    return [
        {"from_location_id": before, "to_location_id": place, "kind": kind}
        | {"jump_count": len(rows)}
        | {name: sum(row[name] for row in rows) for name in ("wait_ns", "completion_ns")}
        for (before, place, kind), rows in passages.items()
    ]


def critical_path_waits(tables: Tables) -> list[Row]:
    """Waiting that lies on the path, for the path did not go to whoever was waited for.

    A segment that begins in a wait has the path only after it.
    """
    stays: dict[int, list[tuple[int, int]]] = defaultdict(list)
    followed = set()
    for row in tables["critical_path_segments"]:
        stays[row["location_id"]].append((row["begin_ns"] + row["wait_ns"], row["end_ns"]))
        if row["wait_ns"]:
            followed.add(row["visit_id"])
    times: Counter[tuple[str, int, int, bool]] = Counter()
    for wait in tables["wait_states"]:
        is_followed = wait["visit_id"] in followed and not wait["is_extended"]
        if not wait["is_completion"] and not is_followed:
            begin, place = wait["start_ns"], wait["location_id"]
            key = (wait["property"], wait["call_path_id"], place, wait["is_extended"])
            times[key] += overlap(begin, begin + wait["wait_ns"], stays[place])
    names = ("property", "call_path_id", "location_id", "is_extended")
    return [
        dict(zip(names, key, strict=True)) | {"path_ns": time}
        for key, time in times.items()
        if time
    ]
