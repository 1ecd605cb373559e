"""Time per class of overhead: of call paths and regions, with and without what they call."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tracemill.schemas.overheads import CALL_PATH_OVERHEADS, REGION_OVERHEADS, overhead_id
from tracemill.stages.arrays import (
    CallTree,
    Flags,
    Numbers,
    Relation,
    read_call_tree,
    read_columns,
    sum_by,
)
from tracemill.stages.stage import PythonStage

_FORK_JOIN = overhead_id("fork/join")
_SHORT = 1 << 16
"""Numbers below it are sorted several times faster."""


def sum_overheads(
    call_tree: Relation, fork_join_times: Relation, call_paths: Relation, region_classes: Relation
) -> tuple[pa.Table, pa.Table]:
    """Time per overhead class of all call paths and of all regions, over all locations.

    Inclusive time of a call path excludes tasks that ran inside a scheduling point. Inclusive time
    of a region counts its outermost call paths, so that recursion counts once.
    """
    tree = read_call_tree(call_paths, region_classes)
    size = len(tree.last)
    visits = call_tree.filter("visit_count > 0")
    path, time = read_columns(visits, "call_path_id::BIGINT", "exclusive_ns")
    parallel, since_fork = read_columns(fork_join_times, "call_path_id::BIGINT", "fork_join_ns")
    fork_join = sum_by(parallel, since_fork, size)
    exclusive = sum_by(path, time, size) - fork_join
    exclusive[tree.is_stub] = 0
    is_visited = np.zeros(size, np.bool_)
    is_visited[path] = True
    return _sum_by_class(tree, exclusive, fork_join, is_visited & ~tree.is_stub)


def _sum_by_class(
    tree: CallTree, exclusive: Numbers, fork_join: Numbers, is_visited: Flags
) -> tuple[pa.Table, pa.Table]:
    outermost = _find_outermost(tree, np.flatnonzero(is_visited))
    outer_regions = tree.region[outermost]
    region_count = int(tree.region.max(initial=-1)) + 1
    of_paths = [_rows("call_path_id", _FORK_JOIN, exclusive[:0], exclusive[:0])]
    of_regions = [_rows("region_id", _FORK_JOIN, exclusive[:0], exclusive[:0])]
    for overhead, own, inclusive in _each_class(tree, exclusive, fork_join, is_visited):
        of_paths.append(_rows("call_path_id", overhead, own, inclusive))
        own_of_regions = sum_by(tree.region, own, region_count)
        all_of_regions = sum_by(outer_regions, inclusive[outermost], region_count)
        of_regions.append(_rows("region_id", overhead, own_of_regions, all_of_regions))
    return pa.concat_tables(of_paths), pa.concat_tables(of_regions)


def _each_class(
    tree: CallTree, exclusive: Numbers, fork_join: Numbers, is_visited: Flags
) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Each class with exclusive and inclusive times, which are overwritten by the next one."""
    size = len(exclusive)
    after = tree.last + 1
    own, inclusive = np.empty(size, np.int64), np.empty(size, np.int64)
    running = np.zeros(size + 1, np.int64)
    classes = set(np.flatnonzero(np.bincount(tree.overhead[is_visited])).tolist())
    for overhead in sorted(classes | ({_FORK_JOIN} if fork_join.any() else set())):
        np.multiply(exclusive, tree.overhead == overhead, out=own)
        if overhead == _FORK_JOIN:
            own += fork_join
        # What lies below a call path follows it: its time is a difference of running sums.
        np.cumsum(own, out=running[1:])
        np.take(running, after, out=inclusive)
        inclusive -= running[:-1]
        yield overhead, own, inclusive


def _rows(key: str, overhead: int, exclusive: Numbers, inclusive: Numbers) -> pa.Table:
    """Rows of those that took time."""
    rows = np.flatnonzero(inclusive)
    return pa.table(
        {
            "overhead_id": np.full(len(rows), overhead, np.int32),
            key: rows.astype(np.int32),
            "exclusive_ns": exclusive[rows],
            "inclusive_ns": inclusive[rows],
        }
    )


def _find_outermost(tree: CallTree, visited: Numbers) -> Numbers:
    """The visited call paths without a visited ancestor of the same region.

    Subtrees are nested or disjoint: a call path lies below an earlier one of its region if the last
    ids reach so far. Multiples of the tree's size separate regions.
    """
    region = tree.region[visited]
    is_short = region.max(initial=0) < _SHORT
    order = np.argsort(region.astype(np.uint16) if is_short else region, kind="stable")
    paths = visited[order]
    offset = tree.region[paths] * len(tree.last)
    reach = np.maximum.accumulate(offset + tree.last[paths])
    offset += paths
    is_outermost = np.ones(len(paths), np.bool_)
    is_outermost[1:] = reach[:-1] < offset[1:]
    return paths[is_outermost]


OVERHEAD_TOTALS_STAGE = PythonStage(
    name="overhead_totals", outputs=(CALL_PATH_OVERHEADS, REGION_OVERHEADS), compute=sum_overheads
)
