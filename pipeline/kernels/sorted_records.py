"""Records of many locations: sorted by location, and surveyed where visits nest."""

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
"""State of `look_at_nested`: the open node, number of visits, whether visits do not nest."""


@kernel
def sort_by_location(
    location: Any, time: Any, kind: Any, ref: Any, side: Any, place: Any, side_place: Any,
    side_first: Any, out_time: Any, out_kind: Any, out_ref: Any, out_side: Any,
) -> None:  # fmt: skip
    """Write records to the rows of their location, in their order.

    `place` and `side_place` are the next rows of records and arguments of each location; they are
    advanced. References to arguments count from `side_first` of their location.
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

    `ids` are the regions of the references, or NO_NODE. Returns the next row. Stops if the tree is
    full, visits do not nest, a region is undefined, or there are records of threads.
    """
    table, keys, last = tree.table, tree.key, np.uint64(len(tree.table) - 1)
    node, visits = np.int32(state[NODE]), state[VISITS]
    row, count = first, len(kinds)
    while row < count:
        kind = kinds[row]
        if kind <= LEAVE and (refs[row] >= len(ids) or ids[refs[row]] < 0):
            state[IS_IRREGULAR] = 1
            break
        if kind == ENTER:
            # Not in a function: the tree as an argument costs more than the search.
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
