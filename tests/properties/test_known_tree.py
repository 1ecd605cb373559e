"""The layout of a location's call tree, against a dictionary of the paths that were put in."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tracemill.kernels.call_tree import (
    NO_NODE,
    PathTree,
    add_node,
    find_node,
    index_nodes,
    new_tree,
    number_depth_first,
    reserve,
)
from tracemill.kernels.compiled import kernel
from tracemill.kernels.known_tree import child_of, know

Path = tuple[int, ...]

MOST_REGIONS = 40
# Few regions make deep trees of few children, many make nodes with more than a few children.
paths = st.integers(1, MOST_REGIONS).flatmap(
    lambda count: st.lists(st.lists(st.integers(0, count - 1), max_size=6), max_size=60)
)


@kernel
def child(layout: np.ndarray, parent: int, region: int) -> int:
    return child_of(layout, parent, region)


def with_prefixes(lists: list[list[int]]) -> list[Path]:
    """All paths and those above them, in order of appearance."""
    found = [tuple(path[:end]) for path in lists for end in range(1, len(path) + 1)]
    return list(dict.fromkeys(found))


def tree_of(paths_: list[Path]) -> tuple[PathTree, dict[Path, int]]:
    """The canonical tree of some paths, and the number of each."""
    grown, node = reserve(new_tree(), len(paths_)), {(): NO_NODE}
    for path in paths_:
        node[path] = add_node(grown, np.int32(node[path[:-1]]), np.int32(path[-1]), False, NO_NODE)
    canonical = number_depth_first(grown, can_find=False)
    return canonical, {path: int(grown.number[node[path]]) for path in paths_}


@settings(deadline=None)
@given(paths, paths)
def test_every_path_of_the_location_is_found(
    here: list[list[int]], elsewhere: list[list[int]]
) -> None:
    own = with_prefixes(here)
    canonical, number = tree_of(with_prefixes(elsewhere + here))
    numbers = np.array([number[path] for path in own], np.int32)
    tree, layout, depth_first = know(new_tree(), canonical, numbers, 1)
    index_nodes(tree)
    assert tree.number[depth_first].tolist() == sorted(numbers)
    node = {(): NO_NODE}
    for path in sorted(own):
        above, region = np.int32(node[path[:-1]]), np.int32(path[-1])
        node[path] = int(child(layout, above, region))
        assert tree.number[node[path]] == number[path]
        assert find_node(tree, above, region, False) == node[path]
    for path in ((), *own):
        for region in range(MOST_REGIONS):
            if (*path, region) not in node:
                assert child(layout, np.int32(node[path]), np.int32(region)) == NO_NODE
