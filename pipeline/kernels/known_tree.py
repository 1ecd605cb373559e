"""The call tree of a location whose call paths are known before the walk over its records.

The children of a node are adjacent, in order of region, so a child is found without a hash map. All
data needed to descend from a node is in one row, because large trees do not fit into the cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.call_tree import PathTree, clear, reserve
from tracemill.kernels.compiled import kernel, piece

# Columns of a layout: begin and end of the children, region, canonical number. The first row is the
# root, then there is one per node.
BEGIN, _END, REGION, NUMBER = 0, 1, 2, 3
LAYOUT_COLUMNS = 4
_FEW = 8
_NO_NODE = -1


def know(
    tree: PathTree, canonical: PathTree, numbers: NDArray[np.int32], spare: int
) -> tuple[PathTree, NDArray[np.int32], NDArray[np.int32]]:
    """The tree of a location in the memory of `tree`, its layout, and its nodes depth first.

    `numbers` are the canonical numbers of its nodes, in any order. There is room for `spare` more
    nodes. The hash map is empty (`index_nodes` fills it).
    """
    ordered = np.sort(numbers)
    count = len(ordered)
    tree = reserve(clear(tree, None), count + spare)
    layout = np.zeros((count + 1, LAYOUT_COLUMNS), np.int32)
    depth_first = np.empty(count, np.int32)
    # All at once, because each is elsewhere in memory.
    parents, regions = canonical.parent.take(ordered), canonical.region.take(ordered)
    above, free = np.empty(count, np.int32), np.zeros(count + 2, np.int32)
    _lay_out(tree, ordered, parents, regions, above, free, depth_first, layout)
    return tree, layout, depth_first


@kernel
def _lay_out(
    tree: Any, ordered: Any, parents: Any, regions: Any, above: Any, free: Any, depth_first: Any,
    layout: Any,
) -> None:  # fmt: skip
    """Give each node the next free place among the children of its parent.

    `above` is the position of the parent in depth-first order. Row 0 of the layout and of `free` is
    the root, so rows of nodes are one more than their numbers.
    """
    last = np.int64(_NO_NODE)
    for position in range(len(ordered)):
        while last >= 0 and ordered[last] != parents[position]:
            last = np.int64(above[last])
        above[position] = last
        free[last + 2] += 1
        last = np.int64(position)
    for position in range(2, len(free)):
        free[position] += free[position - 1]
    layout[0, _END] = free[1]
    for position in range(len(ordered)):
        number, parent = ordered[position], above[position]
        node = free[parent + 1]
        free[parent + 1] += 1
        depth_first[position] = node
        tree.parent[node] = depth_first[parent] if parent >= 0 else _NO_NODE
        tree.region[node], tree.is_stub[node] = regions[position], False
        tree.number[node] = number
        layout[node + 1, BEGIN], layout[node + 1, _END] = free[position + 1], free[position + 2]
        layout[node + 1, REGION], layout[node + 1, NUMBER] = regions[position], number
    tree.size[0] = len(ordered)


@piece
def child_of(layout: Any, parent: Any, region: Any) -> Any:
    """The child of a node for a region, or -1."""
    child, end = layout[parent + 1, BEGIN], layout[parent + 1, _END]
    while end - child > _FEW:
        middle = (child + end) // 2
        if layout[middle + 1, REGION] > region:
            end = middle
        else:
            child = middle
    while child < end and layout[child + 1, REGION] != region:
        child += 1
    return child if child < end else np.int32(_NO_NODE)
