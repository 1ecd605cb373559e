"""Nodes of the location's call tree and their canonical numbers."""

from typing import Any

import numpy as np

from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import add_node, find_node
from tracemill.kernels.compiled import step
from tracemill.kernels.profile import begin_total


@step
def node_of(walk: Any, parent: Any, region: Any, is_stub: Any) -> Any:
    """Node of a region below another node, added if it is new."""
    node = find_node(walk.tree, parent, region, is_stub)
    if node >= 0:
        return node
    return _new_node(walk, parent, region, is_stub)


@step
def _new_node(walk: Any, parent: Any, region: Any, is_stub: Any) -> Any:
    """Add a node to the location's tree; with rows to write, find its canonical number.

    Nodes appear in the same order as in the survey, so its numbers need no lookup. A node has no
    number if the records differ from those of the survey.
    """
    number, place = np.int32(ws.NONE), walk.tree.size[0]
    if place < len(walk.numbers):
        number = walk.numbers[place]
    elif walk.state[ws.WRITES_ROWS] and len(walk.canonical.table):
        above = parent if parent < 0 else walk.tree.number[parent]
        number = find_node(walk.canonical, above, region, is_stub)
    if walk.state[ws.WRITES_ROWS] and (number < 0 or walk.canonical.region[number] != region):
        walk.state[ws.LOST_NODES] += 1
        number = np.int32(0)
    if walk.state[ws.WRITES_ROWS]:
        begin_total(walk.totals, place)
    return add_node(walk.tree, parent, region, is_stub, number)


@step
def number_of(walk: Any, node: Any) -> Any:
    """Canonical number of a node of the location's tree, or NONE."""
    return walk.tree.number[node] if node >= 0 else np.int32(ws.NONE)
