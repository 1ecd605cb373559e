"""Records of many locations: put in order of location, and looked at where visits nest."""

from typing import Any

import numpy as np

from tracemill.kernels.call_tree import EMPTY, NO_NODE, add_node, node_key, slot_of
from tracemill.kernels.compiled import kernel
from tracemill.kernels.records import (
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    ENTER,
    FORK,
    LEAVE,
    OMP_TASK_COMPLETE,
    SIDE_WIDTH,
)

NODE, VISITS, IS_IRREGULAR, SLOTS = 0, 1, 2, 3
"""What the look at nested visits keeps: the open node, visits so far, whether they do not nest."""


@kernel
def sort_by_location(
    location: Any, time: Any, kind: Any, ref: Any, side: Any, place: Any, side_place: Any,
    side_first: Any, out_time: Any, out_kind: Any, out_ref: Any, out_side: Any,
) -> None:  # fmt: skip
    """Put records where those of their location go, in the order in which they come.

    `place` and `side_place` tell, per location, where its next record and its next arguments
    go, and are moved on. References to arguments count from `side_first` of their location.
    """
    for row in range(len(location)):
        here = location[row]
        at = place[here]
        place[here] = at + 1
        out_time[at], out_kind[at], out_ref[at] = time[row], kind[row], ref[row]
        if kind[row] > LEAVE:
            side_at = side_place[here]
            side_place[here] = side_at + 1
            for column in range(SIDE_WIDTH):
                out_side[side_at, column] = side[ref[row], column]
            out_ref[at] = np.uint32(side_at - side_first[here])


@kernel
def look_at_nested(kinds: Any, refs: Any, ids: Any, tree: Any, state: Any, first: Any) -> Any:
    """Grow the call tree of a location whose visits nest, from row `first` on.

    `ids` are the regions of the references. Returns the row to go on from: it stops where the
    tree has no room, or where visits do not nest, or records of threads are met.
    """
    table, keys, last = tree.table, tree.key, np.uint64(len(tree.table) - 1)
    node, visits = np.int32(state[NODE]), state[VISITS]
    row, count = first, len(kinds)
    while row < count:
        kind = kinds[row]
        if kind == ENTER:
            # In one piece: handing the tree to a function costs more than finding a node.
            region = ids[refs[row]]
            key = node_key(node, region, False)
            slot = slot_of(last, key)
            while table[slot] != EMPTY and keys[table[slot] - 1] != key:
                slot = (slot + np.uint64(1)) & last
            if table[slot] == EMPTY:
                if tree.size[0] >= len(tree.parent):
                    break
                add_node(tree, node, region, False, NO_NODE)
            node = table[slot] - np.int32(1)
            visits += 1
        elif kind == LEAVE:
            if node < 0 or tree.region[node] != ids[refs[row]]:
                state[IS_IRREGULAR] = 1
                break
            node = tree.parent[node]
        elif FORK <= kind <= OMP_TASK_COMPLETE or kind == CONTEXT_ENTER or kind == CONTEXT_LEAVE:
            state[IS_IRREGULAR] = 1
            break
        row += 1
    state[NODE], state[VISITS] = node, visits
    return row
