"""Profiles, found by walking up from every visit to its root."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, Iterable[Row]]


def with_profile(tables: Tables) -> dict[str, Any]:
    """The tables with the sums of the reader: the call tree, and the caller of each call path."""
    paths = {row["call_path_id"]: dict(row) for row in tables.get("call_paths", ())}
    visits = [row for row in tables.get("visits", ()) if row["call_path_id"] in paths]
    visited = {row["call_path_id"] for row in visits}
    for row in paths.values():
        parent = row.get("parent_call_path_id")
        caller = paths[parent]["region_id"] if parent in visited else None
        row["caller_region_id"] = caller
    found = call_tree(visits, tables.get("task_fragments", ()), paths)
    return {"call_tree": found, **tables, "call_paths": list(paths.values())}


def call_tree(visits: list[Row], fragments: Iterable[Row], paths: dict[int, Row]) -> list[Row]:
    lengths: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in visits:
        lengths[row["call_path_id"], row["location_id"]].append(
            row["leave_ns"] - row.get("enter_ns", 0)
        )
    return [
        {
            "location_id": location,
            "call_path_id": path,
            "visit_count": count,
            "inclusive_ns": inclusive,
            "exclusive_ns": exclusive,
            "shortest_ns": min(lengths.get((path, location), ()), default=None),
            "longest_ns": max(lengths.get((path, location), ()), default=None),
            "is_recursive": _is_below(paths, path, location, lengths, ("region_id",)),
            "is_repeated": _is_below(
                paths, path, location, lengths, ("region_id", "caller_region_id")
            ),
        }
        for (path, location), (count, inclusive, exclusive) in sorted(
            sum_call_tree(visits, fragments, list(paths.values())).items(),
            key=lambda found: found[0][::-1],
        )
    ]


def _is_below(
    paths: dict[int, Row], path: int, location: int, visited: Container[Any], names: tuple[str, ...]
) -> bool:
    """Above the call path, the location visits one that agrees with it in the named columns."""
    wanted = [paths[path][name] for name in names]
    above = paths[path].get("parent_call_path_id")
    while above is not None and not (
        (above, location) in visited and [paths[above][name] for name in names] == wanted
    ):
        above = paths[above].get("parent_call_path_id")
    return above is not None and None not in wanted


def sum_call_tree(
    visits: Iterable[Row], fragments: Iterable[Row], call_paths: list[Row]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """(visits, inclusive, exclusive) by call path and location with visits at or below it."""
    parents = {row["call_path_id"]: row.get("parent_call_path_id") for row in call_paths}
    totals: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    spent = [(row, 1, row.get("exclusive_ns", 0)) for row in visits]
    spent += [(row, int(row["is_first"]), row["end_ns"] - row["begin_ns"]) for row in fragments]
    for row, count, exclusive in spent:
        path, location = row["call_path_id"], row.get("location_id", 0)
        totals[path, location][0] += count
        totals[path, location][2] += exclusive
        while path is not None:
            totals[path, location][1] += exclusive
            path = parents[path]
    return {key: (count, total, own) for key, (count, total, own) in totals.items()}
