"""Call trees as growing hash maps from (parent, region) to node, and their numbering."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, prefetch, step

NO_NODE = -1
_FIRST_NODES = 1 << 8
_TOGETHER = 128
EMPTY = np.int32(0)


class PathTree(NamedTuple):
    """A call tree; nodes are numbered in order of appearance, parents before their children.

    `region` is the callee of a node (Code in walk_state.py): a region, or a region at a call site.
    `is_stub` marks nodes that repeat a task where it was scheduled. `number` is the number of the
    node in another tree. `key` is parent, region and is_stub as one number. `table` is the hash map
    from keys to nodes: a slot holds a node plus one, or EMPTY; slots are small so that the map of a
    location stays in the cache. `size[0]` is the number of nodes.
    """

    parent: NDArray[np.int32]
    region: NDArray[np.int32]
    is_stub: NDArray[np.bool_]
    number: NDArray[np.int32]
    key: NDArray[np.uint64]
    table: NDArray[np.int32]
    size: NDArray[np.int64]


def new_tree(room: int = _FIRST_NODES) -> PathTree:
    """An empty tree with room for at least `room` nodes."""
    capacity = 1 << max(int(room - 1).bit_length(), 1)
    return PathTree(
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.bool_),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.uint64),
        np.zeros(2 * capacity, np.int32),
        np.zeros(1, np.int64),
    )


def reserve(tree: PathTree, more: int) -> PathTree:
    """A tree with the same nodes and room for `more`; the hash map stays at most half full."""
    count = int(tree.size[0])
    if count + more <= len(tree.parent):
        return tree
    grown = new_tree(count + more)
    _copy_nodes(tree, grown, count)
    grown.size[0] = count
    _fill_table(grown)
    return grown


def clear(tree: PathTree, other: PathTree | None) -> PathTree:
    """An empty tree, or a copy of `other`, in the memory of `tree`."""
    count = int(other.size[0]) if other is not None else 0
    if count > len(tree.parent):
        tree = new_tree(count)
    tree.table.fill(EMPTY)
    tree.size[0] = count
    if other is not None:
        _copy_nodes(other, tree, count)
        _fill_table(tree)
    return tree


def _copy_nodes(source: PathTree, target: PathTree, count: int) -> None:
    for name in ("parent", "region", "is_stub", "number", "key"):
        getattr(target, name)[:count] = getattr(source, name)[:count]


def copy_of(tree: PathTree) -> PathTree:
    """A copy of the tree that uses no more memory than needed."""
    return clear(new_tree(max(int(tree.size[0]), 2)), tree)


@step
def node_key(parent: Any, region: Any, is_stub: Any) -> Any:
    """The key of a node in the hash map."""
    above = np.uint64(np.int64(parent) + 1) << np.uint64(33)
    return above | (np.uint64(region) << np.uint64(1)) | np.uint64(is_stub)


@step
def parts_of(key: Any) -> Any:
    """Parent and region of a key."""
    return np.int64(key >> np.uint64(33)) - 1, np.int32(key >> np.uint64(1))


@step
def slot_of(last: Any, key: Any) -> Any:
    """First slot of a key, in a table whose last slot is `last`."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    return mixed & last


@kernel
def find_node(tree: Any, parent: Any, region: Any, is_stub: Any) -> Any:
    """Number of the node, or NO_NODE."""
    table = tree.table
    key = node_key(parent, region, is_stub)
    last = np.uint64(len(table) - 1)
    slot = slot_of(last, key)
    while table[slot] != EMPTY:
        node = table[slot] - np.int32(1)
        if tree.key[node] == key:
            return node
        slot = (slot + np.uint64(1)) & last
    return np.int32(NO_NODE)


@step
def _insert(table: Any, key: Any, node: Any) -> None:
    last = np.uint64(len(table) - 1)
    slot = slot_of(last, key)
    while table[slot] != EMPTY:
        slot = (slot + np.uint64(1)) & last
    table[slot] = node + 1


@kernel
def add_node(tree: Any, parent: Any, region: Any, is_stub: Any, number: Any) -> Any:
    """Append a new node; the caller has reserved room."""
    node = np.int32(tree.size[0])
    tree.size[0] += 1
    tree.parent[node] = parent
    tree.region[node] = region
    tree.is_stub[node] = is_stub
    tree.number[node] = number
    tree.key[node] = node_key(parent, region, is_stub)
    _insert(tree.table, tree.key[node], node)
    return node


@kernel
def _fill_table(tree: Any) -> None:
    for node in range(tree.size[0]):
        _insert(tree.table, tree.key[node], node)


@kernel
def index_nodes(tree: Any) -> None:
    """Add all nodes to the hash map, which is empty."""
    for node in range(tree.size[0]):
        tree.key[node] = node_key(tree.parent[node], tree.region[node], tree.is_stub[node])
        _insert(tree.table, tree.key[node], node)


@kernel
def _merge_nodes(tree: Any, other: Any, by_depth: Any, ends: Any, slots: Any) -> None:
    """Merge level by level, so that lookups in a tree larger than the cache do not wait.

    Nodes of one level are independent: many slots of the hash map are prefetched at once, then the
    nodes in them, then the nodes are looked up. With 64 locations of 50,000 call paths this takes a
    quarter of the time of single lookups.
    """
    last, begin = np.uint64(len(tree.table) - 1), 0
    for end in ends:
        for first in range(begin, end, _TOGETHER):
            stop = min(first + _TOGETHER, end)
            for place in range(first, stop):
                slot = slot_of(last, _key_in(other, by_depth[place]))
                slots[place - first] = slot
                prefetch(tree.table, np.int64(slot))
            for place in range(first, stop):
                prefetch(tree.key, max(tree.table[slots[place - first]] - 1, 0))
            for place in range(first, stop):
                _merge_node(tree, other, by_depth[place])
        begin = end


@step
def _key_in(other: Any, node: Any) -> Any:
    parent = other.parent[node]
    above = parent if parent < 0 else other.number[parent]
    return node_key(above, other.region[node], other.is_stub[node])


@step
def _merge_node(tree: Any, other: Any, node: Any) -> None:
    parent, region, is_stub = other.parent[node], other.region[node], other.is_stub[node]
    above = parent if parent < 0 else other.number[parent]
    here = find_node(tree, above, region, is_stub)
    if here < 0:
        here = add_node(tree, above, region, is_stub, NO_NODE)
    other.number[node] = here


def merge(tree: PathTree, other: PathTree) -> PathTree:
    """`tree` with the nodes of `other` added; sets `other.number` to their numbers in it."""
    count = int(other.size[0])
    tree = reserve(tree, count)
    slots = np.empty(_TOGETHER, np.uint64)
    depth = np.empty(count, np.int32)
    _fill_depths(other.parent[:count], depth)
    by_depth = _stable_order(depth, np.arange(count, dtype=np.int32))
    _merge_nodes(tree, other, by_depth, np.bincount(depth, minlength=1).cumsum(), slots)
    return tree


@kernel
def _fill_depths(parent: Any, depth: Any) -> None:
    """The number of nodes above each node; parents come before their children."""
    for node in range(len(parent)):
        above = parent[node]
        depth[node] = depth[above] + 1 if above >= 0 else 0


def number_depth_first(tree: PathTree, *, can_find: bool = True) -> PathTree:
    """The same tree with nodes in depth-first order, children in order of region.

    The order does not depend on the order in which nodes appeared. Sets `tree.number` to the new
    numbers. Without `can_find` the result has no hash map, which is the larger part of a tree.
    """
    count = int(tree.size[0])
    parent, region, is_stub = tree.parent[:count], tree.region[:count], tree.is_stub[:count]
    siblings = region + is_stub * (region.max(initial=0) + 1)  # stubs after others
    by_region = _stable_order(siblings, np.arange(count, dtype=np.int32))
    by_place = _stable_order(parent + np.int32(1), by_region)
    order = _depth_first(parent, by_place)
    tree.number[order] = np.arange(count, dtype=np.int32)
    above = parent[order]
    ordered = PathTree(
        np.where(above < 0, np.int32(NO_NODE), tree.number[above]),
        region[order],
        is_stub[order],
        np.arange(count, dtype=np.int32),
        np.empty(count if can_find else 0, np.uint64),
        np.zeros(2 << max(count - 1, 1).bit_length() if can_find else 0, np.int32),
        np.array([count], np.int64),
    )
    if can_find:
        index_nodes(ordered)
    return ordered


def _stable_order(keys: NDArray[np.int32], before: NDArray[np.int32]) -> NDArray[np.int32]:
    """Positions sorted by small keys; equal keys stay in the order of `before`."""
    order = np.empty(len(keys), np.int32)
    _sort_stably(keys, before, np.zeros(keys.max(initial=-1) + 2, np.int32), order)
    return order


@kernel
def _sort_stably(keys: Any, before: Any, place: Any, order: Any) -> None:
    for position in range(len(keys)):
        place[keys[position] + 1] += 1
    for key in range(1, len(place)):
        place[key] += place[key - 1]
    for row in range(len(before)):
        position = before[row]
        key = keys[position]
        order[place[key]] = position
        place[key] += 1


def _depth_first(parent: NDArray[np.int32], by_place: NDArray[np.int32]) -> NDArray[np.int32]:
    """Pre-order of the nodes, given the nodes sorted by (parent, sibling order)."""
    count = len(parent)
    first, following = np.full(count + 1, NO_NODE, np.int32), np.full(count, NO_NODE, np.int32)
    order, pending = np.empty(count, np.int32), np.empty(count + 1, np.int32)
    _follow(parent, by_place, first, following, pending, order)
    return order


@kernel
def _follow(
    parent: Any, by_place: Any, first: Any, following: Any, pending: Any, order: Any
) -> None:
    count = len(parent)
    for position in range(count - 1, -1, -1):
        node = by_place[position]
        following[node] = first[parent[node] + 1]
        first[parent[node] + 1] = node
    pending[0] = first[0]
    waiting, done = 1 if count else 0, 0
    while waiting:
        waiting -= 1
        node = pending[waiting]
        if following[node] >= 0:
            pending[waiting] = following[node]
            waiting += 1
        order[done] = node
        done += 1
        if first[node + 1] >= 0:
            pending[waiting] = first[node + 1]
            waiting += 1


def describe_tree(
    parent: NDArray[np.int32], region: NDArray[np.int32], is_stub: NDArray[np.bool_], tasks: int,
    threads: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]:  # fmt: skip
    """Depth, last number of the subtree, and kind of each node in depth-first order.

    Kinds: 0 program, 1 below the region `tasks`, 2 below the region `threads`, 3 stub.
    """
    count = len(parent)
    depth, last = np.empty(count, np.int32), np.arange(count, dtype=np.int32)
    kind = np.zeros(count, np.int8)
    _fill_depths(parent, depth)
    _describe(parent, region, is_stub, tasks, threads, last, kind)
    return depth, last, kind


@kernel
def _describe(
    parent: Any, region: Any, is_stub: Any, tasks: Any, threads: Any, last: Any, kind: Any
) -> None:
    count = len(parent)
    for node in range(count):
        above = parent[node]
        if above >= 0:
            kind[node] = kind[above]
        elif region[node] == tasks:
            kind[node] = 1
        elif region[node] == threads:
            kind[node] = 2
        if is_stub[node]:
            kind[node] = 3
    for node in range(count - 1, -1, -1):
        above = parent[node]
        if above >= 0 and last[above] < last[node]:
            last[above] = last[node]
