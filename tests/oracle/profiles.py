"""Profiles, found by walking up from every visit to its root."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]


def sum_call_tree(
    visits: Iterable[Row], fragments: Iterable[Row], call_paths: list[Row]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """(visits, inclusive, exclusive) by call path and location with visits at or below it."""
    parents = {row["call_path_id"]: row["parent_call_path_id"] for row in call_paths}
    totals: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    spent = [(row, 1, row["exclusive_ns"]) for row in visits]
    spent += [(row, int(row["is_first"]), row["end_ns"] - row["begin_ns"]) for row in fragments]
    for row, count, exclusive in spent:
        path, location = row["call_path_id"], row["location_id"]
        totals[path, location][0] += count
        totals[path, location][2] += exclusive
        while path is not None:
            totals[path, location][1] += exclusive
            path = parents[path]
    return {key: (count, total, own) for key, (count, total, own) in totals.items()}


def sum_regions(
    visits: Iterable[Row], fragments: Iterable[Row], call_paths: list[Row]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """(visits, inclusive, exclusive) by region and location, without stubs.

    Inclusive are only call paths above which the location visits no other one of the region.
    """
    visits = list(visits)
    parents = {row["call_path_id"]: row["parent_call_path_id"] for row in call_paths}
    regions = {row["call_path_id"]: row["region_id"] for row in call_paths}
    visited = {(row["call_path_id"], row["location_id"]) for row in visits}
    totals: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    tree = sum_call_tree(visits, fragments, call_paths)
    for path, location in visited:
        count, inclusive, exclusive = tree[path, location]
        above = parents[path]
        while above is not None and not (
            regions[above] == regions[path] and (above, location) in visited
        ):
            above = parents[above]
        total = totals[regions[path], location]
        total[0] += count
        total[1] += inclusive if above is None else 0
        total[2] += exclusive
    return {key: (count, total, own) for key, (count, total, own) in totals.items()}
