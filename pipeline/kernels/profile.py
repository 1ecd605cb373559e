"""The profile of a location: time and visits of its call paths, summed during reading."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.call_tree import PathTree, add_node, find_node, reserve
from tracemill.kernels.columns import each, empty
from tracemill.kernels.compiled import kernel, piece

# Columns of the totals of a node.
VISITS, EXCLUSIVE, SHORTEST, LONGEST = 0, 1, 2, 3
TOTAL_COLUMNS = 4
_NO_NODE = -1
_NO_TIME = np.iinfo(np.int64).max


class ProfileRows(NamedTuple):
    """Call paths that a location visits, and their ancestors, in canonical order; times in ns.

    `shortest` and `longest` are -1 for call paths without visits. `is_recursive`: a visited
    ancestor has the same region; `is_repeated`: a visited ancestor has the same region and caller.
    """

    node: NDArray[np.int32]
    visits: NDArray[np.int64]
    inclusive: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    shortest: NDArray[np.int64]
    longest: NDArray[np.int64]
    is_recursive: NDArray[np.bool_]
    is_repeated: NDArray[np.bool_]


@piece
def begin_total(totals: Any, node: Any) -> None:
    """Totals of a new node."""
    totals[node, VISITS] = totals[node, EXCLUSIVE] = 0
    totals[node, SHORTEST], totals[node, LONGEST] = _NO_TIME, -1


@piece
def add_visit(totals: Any, node: Any, exclusive: Any, duration: Any) -> None:
    """Add a visit to the totals of its node."""
    totals[node, VISITS] += 1
    totals[node, EXCLUSIVE] += exclusive
    totals[node, SHORTEST] = min(totals[node, SHORTEST], duration)
    totals[node, LONGEST] = max(totals[node, LONGEST], duration)


@piece
def add_stretch(totals: Any, node: Any, is_first: Any, duration: Any) -> None:
    """Add an interval of a task to the totals of its stub."""
    totals[node, VISITS] += is_first
    totals[node, EXCLUSIVE] += duration
    totals[node, SHORTEST] = 0  # marks the node as used


@kernel
def begin_totals(totals: Any, count: Any) -> None:
    """Totals of the first nodes."""
    for node in range(count):
        begin_total(totals, node)


def profile_of(
    tree: PathTree, region_of: NDArray[np.int32], order: NDArray[np.int32],
    totals: NDArray[np.int64], calls: PathTree, roots: int,
) -> tuple[ProfileRows, PathTree]:  # fmt: skip
    """The profile of a location from its tree with canonical numbers; `order` is depth first.

    `region_of` are the regions of callees. `calls` are pairs of caller and called region; it is
    returned because it may grow. Regions `roots` (TASKS) and `roots` + 1 (THREADS) call nothing.
    """
    count = int(tree.size[0])
    calls = reserve(calls, count)
    rows = empty(ProfileRows, count)
    regions = region_of[tree.region[:count]]
    used = _fold(
        tree, regions, totals, order, calls, np.zeros(roots + 2, np.int64),
        np.zeros(len(calls.parent), np.int64), np.full(count, _NO_NODE, np.int32),
        np.zeros(count, np.int64), np.zeros(count, np.bool_), rows, roots,
    )  # fmt: skip
    return each(rows, lambda column: column[:used].copy()), calls


@kernel
def _fold(
    tree: Any, regions: Any, totals: Any, order: Any, calls: Any, open_regions: Any,
    open_calls: Any, call_of: Any, inclusive: Any, is_used: Any, rows: Any, roots: Any,
) -> Any:  # fmt: skip
    """Sum up the tree, then visit it depth first and count the open regions above each node."""
    for node in range(len(order) - 1, -1, -1):  # children appear after their parents
        inclusive[node] += totals[node, EXCLUSIVE]
        is_used[node] |= totals[node, SHORTEST] < _NO_TIME
        parent = tree.parent[node]
        if parent >= 0:
            inclusive[parent] += inclusive[node]
            is_used[parent] |= is_used[node]
            if regions[parent] < roots:
                call_of[node] = _call(calls, regions[parent], regions[node])
    used, last = 0, np.int64(_NO_NODE)
    for node in order:
        while last != tree.parent[node]:
            _count(regions, totals, call_of, open_regions, open_calls, last, -1)
            last = np.int64(tree.parent[last])
        last = node
        if is_used[node]:
            region, call = regions[node], call_of[node]
            is_visited = totals[node, LONGEST] >= 0
            rows.node[used], rows.visits[used] = tree.number[node], totals[node, VISITS]
            rows.inclusive[used], rows.exclusive[used] = inclusive[node], totals[node, EXCLUSIVE]
            rows.shortest[used] = totals[node, SHORTEST] if is_visited else -1
            rows.longest[used] = totals[node, LONGEST]
            rows.is_recursive[used] = open_regions[region] > 0
            rows.is_repeated[used] = call >= 0 and open_calls[call] > 0
            used += 1
        _count(regions, totals, call_of, open_regions, open_calls, node, 1)
    return used


@piece
def _count(
    regions: Any, totals: Any, call_of: Any, open_regions: Any, open_calls: Any, node: Any,
    change: Any,
) -> None:  # fmt: skip
    if totals[node, LONGEST] >= 0:
        open_regions[regions[node]] += change
        if call_of[node] >= 0:
            open_calls[call_of[node]] += change


@piece
def _call(calls: Any, caller: Any, callee: Any) -> Any:
    found = find_node(calls, caller, callee, False)
    return found if found >= 0 else add_node(calls, caller, callee, False, _NO_NODE)
