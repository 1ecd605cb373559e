"""The call tree of every location as arrays: sums below call paths, and who started them."""

from typing import NamedTuple

import numpy as np

from tracemill.stages.arrays import (
    VISITED,
    CallTree,
    Flags,
    Numbers,
    Relation,
    read_columns,
    sum_by,
)


class LocatedPaths(NamedTuple):
    """Call paths of locations, sorted by location and call path; stubs of tasks have no time.

    `inclusive` is the time below without stubs, `recorded` the same with them (ns). `is_outermost`
    marks visited call paths without a visited one of the same region above. `is_unrepeated` marks
    visited call paths without one of the same region and caller above. `is_started` marks visited
    call paths whose parent the location does not visit: their threads were forked there.
    `is_below_parent`: the location visits the parent. `after` is the row after the last one below.
    A location also visits call paths that it visits outside of a focus.
    """

    path: Numbers
    location: Numbers
    is_visited: Flags
    visit_count: Numbers
    exclusive: Numbers
    inclusive: Numbers
    recorded: Numbers
    is_outermost: Flags
    is_unrepeated: Flags
    is_started: Flags
    is_below_parent: Flags
    after: Numbers

    def sum_below(self, values: Numbers) -> Numbers:
        """The sum of values at and below each row, on its location."""
        running = np.concatenate([[0], np.cumsum(values)])
        found: Numbers = running[self.after] - running[:-1]
        return found


def read_located_paths(call_tree: Relation, call_paths: Relation, tree: CallTree) -> LocatedPaths:
    """Read the call tree of all locations."""
    path, location, is_found, count, exclusive, recorded, is_recursive, is_repeated = read_columns(
        call_tree,
        "call_path_id::BIGINT",
        "location_id::BIGINT",
        VISITED,
        "visit_count",
        "exclusive_ns",
        "inclusive_ns",
        "is_recursive",
        "is_repeated",
    )
    size = max(len(tree.last), 1)
    key = location * size + path
    order = np.argsort(key, kind="stable")
    key, path, location = key[order], path[order], location[order]
    is_visited = is_found[order] & ~tree.is_stub[path]
    exclusive = np.where(tree.is_stub[path], 0, exclusive[order])
    parents = _read_parents(call_paths)
    wanted = np.where(parents[path] < 0, -1, location * size + parents[path])
    below_parent = _find_visited(key, is_visited, wanted)
    after = np.searchsorted(key, location * size + tree.last[path], side="right")
    paths = LocatedPaths(
        path,
        location,
        is_found[order],
        count[order],
        exclusive,
        exclusive,
        recorded[order],
        is_visited & ~is_recursive[order],
        is_visited & ~is_repeated[order],
        is_visited & ~below_parent & (parents[path] >= 0),
        below_parent,
        after,
    )
    return paths._replace(inclusive=paths.sum_below(exclusive))


def _read_parents(call_paths: Relation) -> Numbers:
    """The parent of each call path; -1: none, or one that no location visits."""
    path, parent = read_columns(
        call_paths,
        "call_path_id::BIGINT",
        "if(caller_region_id IS NULL, -1, parent_call_path_id)::BIGINT",
    )
    parents = np.full(path.max(initial=-1) + 1, -1)
    parents[path] = parent
    return parents


def _find_visited(key: Numbers, is_visited: Flags, wanted: Numbers) -> Flags:
    """Marks wanted keys that occur and are visited; the keys are sorted."""
    if not len(key):
        return np.zeros(0, np.bool_)
    place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    found: Flags = (key[place] == wanted) & is_visited[place]
    return found


def sum_of_paths(paths: LocatedPaths, tree: CallTree) -> Numbers:
    """Time at and below each call path on all locations (ns), without stubs of tasks."""
    size = len(tree.last)
    running = np.zeros(size + 1, np.int64)
    np.cumsum(sum_by(paths.path, paths.exclusive, size), out=running[1:])
    return running[tree.last + 1] - running[:-1]


def find_outermost(key: Numbers, tree: CallTree, chosen: Numbers) -> Numbers:
    """The chosen call paths without a chosen ancestor of the same key.

    Subtrees are nested or disjoint: a call path lies below an earlier one of its key if the last
    ids reach so far. Multiples of the tree's size separate keys.
    """
    order = np.argsort(key[chosen], kind="stable")
    paths = chosen[order]
    offset = key[paths] * len(tree.last)
    reach = np.maximum.accumulate(offset + tree.last[paths])
    is_outermost = np.ones(len(paths), np.bool_)
    is_outermost[1:] = reach[:-1] < (offset + paths)[1:]
    return paths[is_outermost]
