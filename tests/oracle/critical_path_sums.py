"""Sums over the segments and the profile of the critical path, one by one."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.oracle.teams import find_fork_join_times

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def locations_of_path(tables: Tables) -> list[Row]:
    """Segments, computation and communication of each location that the path visits."""
    segments = Counter(row["location_id"] for row in tables["critical_path_segments"])
    times = _times(tables)
    return [
        {"location_id": place, "segment_count": segments[place]}
        | {"computation_ns": times[place, False], "communication_ns": times[place, True]}
        for place in sorted(segments)
    ]


def summary_of_path(tables: Tables) -> Row:
    """The same of the whole path, with its begin and end; `is_whole` is left out."""
    segments, (run,), times = tables["critical_path_segments"], tables["runs"], _times(tables)
    return {
        "begin_ns": segments[0]["begin_ns"],
        "end_ns": segments[-1]["end_ns"],
        "wall_ns": run["end_ns"] - run["begin_ns"],
        "computation_ns": sum(time for (_, is_mpi), time in times.items() if not is_mpi),
        "communication_ns": sum(time for (_, is_mpi), time in times.items() if is_mpi),
        "segment_count": len(segments),
        "location_count": len({row["location_id"] for row in segments}),
    }


def partners_of_path(tables: Tables) -> list[Row]:
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


def _times(tables: Tables) -> Counter[tuple[int, bool]]:
    """Time of the path by location, within MPI or not."""
    mpi = {row["region_id"] for row in tables["regions"] if row["paradigm"] == "mpi"}
    paths = {row["call_path_id"] for row in tables["call_paths"] if row["region_id"] in mpi}
    times: Counter[tuple[int, bool]] = Counter()
    for row in tables["critical_path_profile"]:
        times[row["location_id"], row["call_path_id"] in paths] += row["path_ns"]
    return times


def imbalance_of_path(tables: Tables) -> dict[tuple[int, int], float]:
    """Time of the path that evenly spread work would not need, by call path and location.

    Each location works (time - lost) / locations in the mean, at a call path and below it. Lost is
    what the reference knows as waiting, and the time between forks, parallel regions and joins.
    """
    lost = [(row["call_path_id"], row["wait_ns"]) for row in _known_waits(tables)]
    lost += [(path, time) for (path, _), time in find_fork_join_times(tables).items()]
    found = {}
    for row in tables["critical_path_profile"]:
        below = _subtree(row["call_path_id"], tables)
        length = sum(r["path_ns"] for r in _at(below, tables["critical_path_profile"]))
        time = sum(visit["exclusive_ns"] for visit in _at(below, tables["visits"]))
        time -= sum(each for path, each in lost if path in below)
        even = Fraction(time, len(tables["locations"]))
        if length > even:
            found[row["call_path_id"], row["location_id"]] = float(
                row["path_ns"] * (1 - even / length)
            )
    return found


def _known_waits(tables: Tables) -> list[Row]:
    return [
        row
        for row in tables["wait_states"]
        if not row["is_completion"] and not row["is_beyond_reference"]
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


def _at(paths: set[int], rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["call_path_id"] in paths]
