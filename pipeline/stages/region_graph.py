"""The dynamic region call graph, with the work that was forked inside each region."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.profiles import EDGE_KINDS, REGION_GRAPH_EDGES, REGION_GRAPH_NODES
from tracemill.stages.arrays import (
    CallTree,
    Flags,
    Numbers,
    Relation,
    coded,
    group_by,
    place,
    read_call_tree,
    read_columns,
    sum_by,
)
from tracemill.stages.located_paths import (
    LocatedPaths,
    find_outermost,
    read_located_paths,
    sum_of_paths,
)
from tracemill.stages.stage import PythonStage

_CALL, _FORK, _CREATE, _TASK = range(len(EDGE_KINDS))
_NO_CALLER = -1


class _Edges(NamedTuple):
    """Contributions to edges; rows of the same regions and kind are summed."""

    caller: Numbers
    callee: Numbers
    kind: Numbers
    visit_count: Numbers
    inclusive: Numbers
    exclusive: Numbers
    total: Numbers
    forked: Numbers


def make_region_graph(
    call_tree: Relation, call_paths: Relation, region_classes: Relation, thread_events: Relation
) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges of the graph (Truong and Fahringer 2001: DRG = (R, E, s)); times in ns.

    The total of a region is the exclusive time of all call paths at or below it, each once. The
    threads of a team hang below the call path that forked the team. Tasks and created threads are
    entries: edges to them count how often they were started, and have no total.
    """
    tree = read_call_tree(call_paths, region_classes)
    paths = read_located_paths(call_tree, call_paths, tree)
    caller = place(
        *read_columns(
            call_paths, "call_path_id::BIGINT", f"coalesce(caller_region_id, {_NO_CALLER})::BIGINT"
        )
    )
    below = sum_of_paths(paths, tree)
    edges = [
        _visited_edges(paths, tree, caller),
        _total_edges(paths, tree, caller, below),
        _task_edges(paths, tree, caller),
        _created_edges(paths, tree, caller, thread_events),
    ]
    return _make_nodes(paths, tree, caller, below), _make_edges(edges)


def _make_nodes(paths: LocatedPaths, tree: CallTree, caller: Numbers, below: Numbers) -> pa.Table:
    size = int(tree.region.max(initial=-1)) + 1
    is_visited = paths.is_visited & ~tree.is_stub[paths.path]
    path, region = paths.path[is_visited], tree.region[paths.path[is_visited]]
    visited = np.flatnonzero(np.bincount(path, minlength=len(tree.last)))
    outermost = find_outermost(tree.region, tree, visited)
    total = sum_by(tree.region[outermost], below[outermost], size)
    outer = paths.is_outermost
    of_outer = tree.region[paths.path[outer]]
    here = sum_by(of_outer, paths.inclusive[outer], size)
    order, starts = group_by(region, paths.location[is_visited])
    visitors = np.bincount(region[order[starts]], minlength=size)
    is_entry = np.zeros(size, np.bool_)
    is_entry[region[caller[path] == _NO_CALLER]] = True
    rows = np.flatnonzero(visitors)
    columns = {
        "visit_count": sum_by(region, paths.visit_count[is_visited], size),
        "location_count": visitors,
        "inclusive_ns": sum_by(of_outer, paths.recorded[outer], size),
        "exclusive_ns": sum_by(region, paths.exclusive[is_visited], size),
        "total_ns": total,
        "forked_ns": total - here,
        "is_entry": is_entry,
    }
    return pa.table(
        {"region_id": rows.astype(np.int32)} | {name: each[rows] for name, each in columns.items()}
    )


def _visited_edges(paths: LocatedPaths, tree: CallTree, caller: Numbers) -> _Edges:
    """Visits and times of visits, by call path and location."""
    is_edge = paths.is_visited & ~tree.is_stub[paths.path]
    rows = np.flatnonzero(is_edge & (caller[paths.path] != _NO_CALLER))
    path = paths.path[rows]
    nothing = np.zeros(len(rows), np.int64)
    return _Edges(
        caller[path],
        tree.region[path],
        np.where(paths.is_started[rows], _FORK, _CALL),
        paths.visit_count[rows],
        paths.recorded[rows] * paths.is_unrepeated[rows],
        paths.exclusive[rows],
        nothing,
        nothing,
    )


def _total_edges(paths: LocatedPaths, tree: CallTree, caller: Numbers, below: Numbers) -> _Edges:
    """Totals of the outermost call paths of each edge, divided into calls and forks.

    Locations that began at the call path belong to the fork, all others to the call.
    """
    size = len(tree.last)
    is_visited = paths.is_visited
    is_called = np.zeros(size, np.bool_)
    is_called[paths.path[is_visited & ~paths.is_started]] = True
    started = sum_by(paths.path, paths.inclusive * paths.is_started, size)
    here = sum_by(paths.path, paths.inclusive * paths.is_below_parent, size)
    forked = np.where(is_called, started, below)
    is_edge = ~tree.is_stub & (caller != _NO_CALLER)
    is_edge &= sum_by(paths.path, is_visited, size) > 0
    region_count = int(tree.region.max(initial=0)) + 1
    chosen = find_outermost(caller * region_count + tree.region, tree, np.flatnonzero(is_edge))
    both = np.concatenate([chosen, chosen])
    nothing = np.zeros(len(both), np.int64)
    total = np.concatenate([(below - forked)[chosen], forked[chosen]])
    at_caller = np.concatenate([(here * is_called)[chosen], (here * ~is_called)[chosen]])
    return _Edges(
        caller[both],
        tree.region[both],
        np.repeat([_CALL, _FORK], len(chosen)),
        nothing,
        nothing,
        nothing,
        total,
        total - at_caller,
    )


def _task_edges(paths: LocatedPaths, tree: CallTree, caller: Numbers) -> _Edges:
    """Tasks by the region that scheduled them, with the time of their stubs."""
    rows = np.flatnonzero(tree.is_stub[paths.path] & (caller[paths.path] != _NO_CALLER))
    path, nothing = paths.path[rows], np.zeros(len(rows), np.int64)
    return _Edges(
        caller[path],
        tree.region[path],
        np.full(len(rows), _TASK),
        paths.visit_count[rows],
        paths.recorded[rows],
        nothing,
        nothing,
        nothing,
    )


def _created_edges(
    paths: LocatedPaths, tree: CallTree, caller: Numbers, thread_events: Relation
) -> _Edges:
    """Created threads by the region that created them: each region where such a thread begins."""
    creators = {
        tuple(key): tree.region[path]
        for *key, path in thread_events.filter("kind = 'create' AND call_path_id IS NOT NULL")
        .select("communicator_id, number, call_path_id")
        .fetchall()
    }
    begun = thread_events.filter("kind = 'begin'").select("location_id, communicator_id, number")
    creator = {
        location: creators[tuple(key)]
        for location, *key in begun.fetchall()
        if tuple(key) in creators
    }
    rows = [row for row in _entry_rows(paths, tree, caller) if paths.location[row] in creator]
    path = paths.path[rows].astype(np.int64)
    nothing = np.zeros(len(rows), np.int64)
    return _Edges(
        np.array([creator[paths.location[row]] for row in rows], np.int64),
        tree.region[path],
        np.full(len(rows), _CREATE),
        paths.visit_count[rows],
        paths.recorded[rows],
        paths.exclusive[rows],
        nothing,
        nothing,
    )


def _entry_rows(paths: LocatedPaths, tree: CallTree, caller: Numbers) -> Iterator[int]:
    is_entry: Flags = paths.is_visited & (caller[paths.path] == _NO_CALLER)
    yield from np.flatnonzero(is_entry & ~tree.is_stub[paths.path]).tolist()


def _make_edges(parts: list[_Edges]) -> pa.Table:
    joined = _Edges(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    order, starts = group_by(*joined[:3])
    sums = [np.add.reduceat(each[order], starts) for each in joined[3:]]
    rows = np.flatnonzero(sums[0])
    caller, callee, kind = (each[order[starts[rows]]] for each in joined[:3])
    names = ("visit_count", "inclusive_ns", "exclusive_ns", "total_ns", "forked_ns")
    return pa.table(
        {
            "caller_region_id": caller.astype(np.int32),
            "callee_region_id": callee.astype(np.int32),
            "kind": coded(EDGE_KINDS, kind),
        }
        | {name: each[rows] for name, each in zip(names, sums, strict=True)}
    )


REGION_GRAPH_STAGE = PythonStage(
    name="region_graph_nodes",
    outputs=(REGION_GRAPH_NODES, REGION_GRAPH_EDGES),
    compute=make_region_graph,
)
