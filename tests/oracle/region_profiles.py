"""Regions and who calls them, found by walking up from every stretch of time to its root."""

from collections.abc import Iterator, Mapping
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def flat_profile(tables: Tables) -> list[Row]:
    """Time and visits of every region on every location; a stretch counts once for each region."""
    profile: dict[tuple[int, int], Row] = {}
    for visit in tables["visits"]:
        key = (visit["region_id"], visit["location_id"])
        length = visit["leave_ns"] - visit["enter_ns"]
        row = profile.setdefault(
            key,
            {"region_id": key[0], "location_id": key[1]}
            | {"visit_count": 0, "inclusive_ns": 0, "exclusive_ns": 0}
            | {"shortest_ns": length, "longest_ns": length},
        )
        row["visit_count"] += 1
        row["exclusive_ns"] += visit["exclusive_ns"]
        row["shortest_ns"] = min(row["shortest_ns"], length)
        row["longest_ns"] = max(row["longest_ns"], length)
    region_of = {row["call_path_id"]: row["region_id"] for row in tables["call_paths"]}
    for location, line, time in _stretches(tables):
        for region in {region_of[path] for path in line}:
            profile[region, location]["inclusive_ns"] += time
    return [profile[key] for key in sorted(profile)]


def region_graph_nodes(tables: Tables) -> list[Row]:
    """The regions over all locations; an entry is one that nobody called somewhere."""
    callers = _callers(tables)
    nodes: dict[int, Row] = {}
    for row in flat_profile(tables):
        region = row["region_id"]
        node = nodes.setdefault(
            region,
            {"region_id": region, "visit_count": 0, "inclusive_ns": 0, "exclusive_ns": 0}
            | {"is_entry": False},
        )
        for name in ("visit_count", "inclusive_ns", "exclusive_ns"):
            node[name] += row[name]
    for visit in tables["visits"]:
        if callers[visit["call_path_id"]] is None:
            nodes[visit["region_id"]]["is_entry"] = True
    return [nodes[region] for region in sorted(nodes)]


def region_graph_edges(tables: Tables) -> list[Row]:
    """Calls over all locations; a stretch counts once for each pair of caller and callee."""
    region_of = {row["call_path_id"]: row["region_id"] for row in tables["call_paths"]}
    callers = _callers(tables)
    edges: dict[tuple[int, int], Row] = {}
    for visit in tables["visits"]:
        caller, callee = callers[visit["call_path_id"]], visit["region_id"]
        if caller is None:
            continue
        edge = edges.setdefault(
            (caller, callee),
            {"caller_region_id": caller, "callee_region_id": callee}
            | {"visit_count": 0, "inclusive_ns": 0, "exclusive_ns": 0},
        )
        edge["visit_count"] += 1
        edge["exclusive_ns"] += visit["exclusive_ns"]
    for _, line, time in _stretches(tables):
        for caller, callee in {(callers[path], region_of[path]) for path in line}:
            if caller is not None:
                edges[caller, callee]["inclusive_ns"] += time
    return [edges[key] for key in sorted(edges)]


def _callers(tables: Tables) -> dict[int, int | None]:
    """The region that calls each call path; none where nobody visits the one above."""
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    visited = {visit["call_path_id"] for visit in tables["visits"]}
    return {
        path: paths[row["parent_call_path_id"]]["region_id"]
        if row["parent_call_path_id"] in visited
        else None
        for path, row in paths.items()
    }


def _stretches(tables: Tables) -> Iterator[tuple[int, list[int], int]]:
    """Location, call paths that it visits there and above, and time; tasks also as scheduled."""
    parents = {row["call_path_id"]: row["parent_call_path_id"] for row in tables["call_paths"]}
    visited = {(visit["location_id"], visit["call_path_id"]) for visit in tables["visits"]}
    spent = [(row, row["exclusive_ns"]) for row in tables["visits"]]
    spent += [(row, row["end_ns"] - row["begin_ns"]) for row in tables["task_fragments"]]
    for row, time in spent:
        line, path = [], row["call_path_id"]
        while path is not None:
            if (row["location_id"], path) in visited:
                line.append(path)
            path = parents[path]
        yield row["location_id"], line, time
