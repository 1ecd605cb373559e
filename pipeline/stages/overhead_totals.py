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
from tracemill.stages.located_paths import LocatedPaths, find_outermost, read_located_paths
from tracemill.stages.stage import PythonStage

_FORK_JOIN = overhead_id("fork/join")


def sum_overheads(
    call_tree: Relation, fork_join_times: Relation, call_paths: Relation, region_classes: Relation
) -> tuple[pa.Table, pa.Table]:
    """Time per overhead class of all call paths and of all regions, over all locations.

    Inclusive time of a call path excludes tasks that ran inside a scheduling point. Inclusive time
    of a region counts its outermost call paths, so that recursion counts once.
    """
    tree = read_call_tree(call_paths, region_classes)
    paths = read_located_paths(call_tree, call_paths, tree)
    size = len(tree.last)
    fork_join = _place_fork_join(paths, fork_join_times, size)
    is_visited = np.zeros(size, np.bool_)
    is_visited[paths.path[paths.is_visited]] = True
    return _sum_by_class(tree, paths, fork_join, is_visited & ~tree.is_stub)


def _place_fork_join(paths: LocatedPaths, fork_join_times: Relation, size: int) -> Numbers:
    """Time between fork and join of each row, outside of the parallel region."""
    path, location, time = read_columns(
        fork_join_times, "call_path_id::BIGINT", "location_id::BIGINT", "fork_join_ns"
    )
    found = np.zeros(len(paths.path), np.int64)
    key = paths.location * max(size, 1) + paths.path
    np.add.at(found, np.searchsorted(key, location * max(size, 1) + path), time)
    return found


def _sum_by_class(
    tree: CallTree, paths: LocatedPaths, fork_join: Numbers, is_visited: Flags
) -> tuple[pa.Table, pa.Table]:
    size = len(tree.last)
    outermost = find_outermost(tree.region, tree, np.flatnonzero(is_visited))
    outer_regions = tree.region[outermost]
    region_count = int(tree.region.max(initial=-1)) + 1
    of_paths = [_rows("call_path_id", _FORK_JOIN, *[np.empty(0, np.int64)] * 2)]
    of_regions = [_region_rows(_FORK_JOIN, *[np.empty(0, np.int64)] * 3)]
    own_times = sum_by(paths.path, paths.exclusive - fork_join, size)
    in_forks = sum_by(paths.path, fork_join, size)
    for overhead, own, inclusive in _each_class(tree, own_times, in_forks, is_visited):
        of_paths.append(_rows("call_path_id", overhead, own, inclusive))
        all_of_regions = sum_by(outer_regions, inclusive[outermost], region_count)
        here = _sum_here(tree, paths, fork_join, overhead, region_count)
        own_of_regions = sum_by(tree.region, own, region_count)
        of_regions.append(_region_rows(overhead, own_of_regions, all_of_regions, here))
    return pa.concat_tables(of_paths), pa.concat_tables(of_regions)


def _sum_here(
    tree: CallTree, paths: LocatedPaths, fork_join: Numbers, overhead: int, region_count: int
) -> Numbers | None:
    """Time of a class by region on locations that are in the region; None: all of its time."""
    if not paths.is_started.any():
        return None
    times = (paths.exclusive - fork_join) * (tree.overhead[paths.path] == overhead)
    if overhead == _FORK_JOIN:
        times += fork_join
    outer = paths.is_outermost
    regions = tree.region[paths.path[outer]]
    return sum_by(regions, paths.sum_below(times)[outer], region_count)


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


def _region_rows(
    overhead: int, exclusive: Numbers, inclusive: Numbers, here: Numbers | None
) -> pa.Table:
    """Rows of regions that took time, with the part that was forked."""
    forked = np.zeros(len(inclusive), np.int64) if here is None else inclusive - here
    rows = _rows("region_id", overhead, exclusive, inclusive)
    return rows.append_column("forked_ns", pa.array(forked[np.flatnonzero(inclusive)]))


OVERHEAD_TOTALS_STAGE = PythonStage(
    name="overhead_totals", outputs=(CALL_PATH_OVERHEADS, REGION_OVERHEADS), compute=sum_overheads
)
