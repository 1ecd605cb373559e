"""The region call graph, from every piece of exclusive time and the chain of regions above it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Row = Mapping[str, Any]
Chain = tuple[int, ...]


def chains_of(call_paths: Sequence[Row]) -> dict[int, Chain]:
    """The call paths from the root to each call path."""
    chains: dict[int, Chain] = {}
    for row in call_paths:
        above = row.get("parent_call_path_id")
        chains[row["call_path_id"]] = (*chains.get(above, ()), row["call_path_id"])
    return chains


def node_totals(
    call_paths: Sequence[Row], visits: Sequence[Row]
) -> dict[int, tuple[int, int, int]]:
    """Total and forked time (ns) and number of locations of each visited region."""
    region = {row["call_path_id"]: row["region_id"] for row in call_paths}
    chains = chains_of(call_paths)
    visited = {(row["call_path_id"], row["location_id"]) for row in visits}
    total: dict[int, int] = defaultdict(int)
    forked: dict[int, int] = defaultdict(int)
    for row in visits:
        chain = chains[row["call_path_id"]]
        for each in {region[path] for path in chain}:
            total[each] += row["exclusive_ns"]
            open_paths = [path for path in chain if region[path] == each]
            if not any((path, row["location_id"]) in visited for path in open_paths):
                forked[each] += row["exclusive_ns"]
    locations = defaultdict(set)
    for path, location in visited:
        locations[region[path]].add(location)
    return {each: (total[each], forked[each], len(locations[each])) for each in locations}


def edge_totals(
    call_paths: Sequence[Row], visits: Sequence[Row]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Total and forked time (ns) of each pair of regions of which one follows the other."""
    region = {row["call_path_id"]: row["region_id"] for row in call_paths}
    chains = chains_of(call_paths)
    visited = {(row["call_path_id"], row["location_id"]) for row in visits}
    total: dict[tuple[int, int], int] = defaultdict(int)
    forked: dict[tuple[int, int], int] = defaultdict(int)
    for row in visits:
        chain = chains[row["call_path_id"]]
        callers: dict[tuple[int, int], list[int]] = defaultdict(list)
        for above, below in pairwise(chain):
            callers[region[above], region[below]].append(above)
        for edge, above in callers.items():
            total[edge] += row["exclusive_ns"]
            if (above[0], row["location_id"]) not in visited:
                forked[edge] += row["exclusive_ns"]
    return {edge: (total[edge], forked[edge]) for edge in total}
