"""Imbalance of computation over the locations that could take part."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tracemill.schemas.imbalance import COMPUTATIONAL_IMBALANCE, LOCATION_IMBALANCE, SCOPES
from tracemill.schemas.overheads import overhead_id
from tracemill.stages.arrays import (
    VISITED,
    CallTree,
    Flags,
    Numbers,
    Relation,
    place,
    read_call_tree,
    read_columns,
    sum_by,
)
from tracemill.stages.stage import PythonStage

_COMPUTATION = overhead_id("user code")
_PROCESSES, _THREADS, _CREATED_THREADS, _STREAMS = range(len(SCOPES))


class _Visits(NamedTuple):
    """One element per call path and location that visits it; time is 0 if not computation."""

    path: Numbers
    location: Numbers
    time: Numbers


class _Spread(NamedTuple):
    """Statistics of each call path over all locations, and of each visit.

    `scope`: which locations could take part; `counted`: their number. Per visit: `expected` is the
    mean, `overload` the time above it; `uninvited` locations are outside the scope.
    """

    scope: Numbers
    counted: Numbers
    visitors: Numbers
    total: Numbers
    mean: Numbers
    expected: Numbers
    overload: Numbers
    uninvited: Numbers


def find_imbalance(
    call_tree: Relation,
    fork_join_times: Relation,
    call_paths: Relation,
    regions: Relation,
    region_classes: Relation,
    imbalance_scopes: Relation,
    locations: Relation,
) -> tuple[pa.Table, pa.Table]:
    """Deviations from the mean computation at a call path, by call path and by location.

    The mean includes all locations that could take part. It is rounded to nanoseconds; all else is
    exact, so that both tables have the same sum.
    """
    tree = read_call_tree(call_paths, region_classes)
    visits = _read_visits(call_tree, fork_join_times, tree)
    could = _find_scopes_of_locations(imbalance_scopes, locations)
    scope = _find_scopes_of_paths(tree, call_paths, regions)
    scope[_are_on_streams_only(visits, could, len(scope))] = _STREAMS
    spread = _spread(visits, scope, could)
    return _by_call_path(visits, spread), _by_location(visits, spread, could)


def _read_visits(call_tree: Relation, fork_join_times: Relation, tree: CallTree) -> _Visits:
    visited = call_tree.filter(VISITED)
    path, location, time = read_columns(
        visited, "call_path_id::BIGINT", "location_id::BIGINT", "exclusive_ns"
    )
    parts = read_columns(
        fork_join_times, "call_path_id::BIGINT", "location_id::BIGINT", "fork_join_ns"
    )
    spent = _without(_Visits(path, location, time), _Visits(*parts))
    is_computation = (tree.overhead == _COMPUTATION) & ~tree.is_stub
    return spent._replace(time=spent.time * is_computation[path])


def _without(visits: _Visits, parts: _Visits) -> _Visits:
    """The same visits without some time at some call paths and locations."""
    if not len(parts.path):
        return visits
    size = int(max(visits.location.max(initial=0), parts.location.max())) + 1
    keys = parts.path * size + parts.location
    order = np.argsort(keys)
    wanted = visits.path * size + visits.location
    found = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    part = np.where(keys[order][found] == wanted, parts.time[order][found], 0)
    return visits._replace(time=visits.time - part)


def _find_scopes_of_locations(imbalance_scopes: Relation, locations: Relation) -> Flags:
    """The scopes of each location: one row per scope, one column per location."""
    (number,) = read_columns(locations, "location_id::BIGINT")
    scopes = np.zeros((len(SCOPES), len(number)), np.bool_)
    for scope, location in imbalance_scopes.select("scope::VARCHAR, location_id").fetchall():
        scopes[SCOPES.index(scope), location] = True
    return scopes


def _find_scopes_of_paths(tree: CallTree, call_paths: Relation, regions: Relation) -> Numbers:
    path, is_task, is_created = read_columns(
        call_paths, "call_path_id::BIGINT", "kind = 'task'", "kind = 'thread'"
    )
    is_parallel = place(*read_columns(regions, "region_id::BIGINT", "role = 'parallel'"))
    # A call path lies in a parallel region if the subtree of one before it reaches so far.
    reach = np.where(is_parallel[tree.region], tree.last, -1)
    is_inside = np.maximum.accumulate(reach) >= np.arange(len(reach))
    return np.select(
        [place(path, is_task) | is_inside, place(path, is_created)],
        [_THREADS, _CREATED_THREADS],
        _PROCESSES,
    )


def _are_on_streams_only(visits: _Visits, could: Flags, size: int) -> Flags:
    if not could[_STREAMS].any():
        return np.zeros(size, np.bool_)
    on_stream = sum_by(visits.path, could[_STREAMS, visits.location], size)
    return (on_stream > 0) & (on_stream == np.bincount(visits.path, minlength=size))


def _find_uninvited(visits: _Visits, scope: Numbers, could: Flags) -> Numbers:
    """Marks visits by locations outside the scope of the call path."""
    is_used = np.bincount(scope, minlength=len(could)) > 0
    if could[is_used].all():
        return np.empty(0, np.int64)
    return np.flatnonzero(~could[scope[visits.path], visits.location])


def _spread(visits: _Visits, scope: Numbers, could: Flags) -> _Spread:
    """The mean of every call path over those that could take part and those that do."""
    size = len(scope)
    uninvited = _find_uninvited(visits, scope, could)
    counted = could.sum(axis=1)[scope] + np.bincount(visits.path[uninvited], minlength=size)
    total = sum_by(visits.path, visits.time, size)
    mean = (total + counted // 2) // np.maximum(counted, 1)
    visitors = np.bincount(visits.path, minlength=size)
    expected = mean[visits.path]
    overload = np.maximum(visits.time - expected, 0)
    return _Spread(scope, counted, visitors, total, mean, expected, overload, uninvited)


def _by_call_path(visits: _Visits, spread: _Spread) -> pa.Table:
    size = len(spread.mean)
    rows = np.flatnonzero(spread.total > 0)
    longest, visitor = np.zeros(size, np.int64), np.zeros(size, np.int32)
    np.maximum.at(longest, visits.path, visits.time)
    visitor[visits.path] = visits.location
    counted, visitors, total = spread.counted[rows], spread.visitors[rows], spread.total[rows]
    mean = spread.mean[rows]
    overload = sum_by(visits.path, spread.overload, size)[rows]
    scopes = pa.DictionaryArray.from_arrays(spread.scope[rows].astype(np.int8), SCOPES)
    return pa.table(
        {
            "call_path_id": rows.astype(np.int32),
            "scope": scopes,
            "location_count": counted,
            "visitor_count": visitors,
            "location_id": pa.array(visitor[rows], mask=visitors > 1),
            "exclusive_ns": total,
            "mean_ns": mean,
            "longest_ns": longest[rows],
            "longest_to_mean": np.maximum(longest[rows] / (total / counted), 1),
            "overload_ns": overload,
            # Times less means, summed over all that could take part, leave overload - underload.
            "underload_ns": overload - total + counted * mean,
            "non_participation_ns": (counted - visitors) * mean,
        }
    )


def _by_location(visits: _Visits, spread: _Spread, could: Flags) -> pa.Table:
    size = could.shape[1]
    location, uninvited = visits.location, spread.uninvited
    computation = sum_by(location, visits.time, size)
    overload = sum_by(location, spread.overload, size)
    expected = sum_by(location, spread.expected, size)
    is_single = spread.visitors == 1
    alone = np.flatnonzero(is_single[visits.path])
    uninvited_alone = np.intersect1d(alone, uninvited, assume_unique=True)

    def missing(mean: Numbers, visited: Numbers, uninvited: Numbers) -> Numbers:
        """The means of call paths that a location could take part in, but does not."""
        unexpected = sum_by(location[uninvited], spread.expected[uninvited], size)
        return sum_by(spread.scope, mean, len(SCOPES)) @ could - visited + unexpected

    non_participation = missing(spread.mean, expected, uninvited)
    expected_alone = sum_by(location[alone], spread.expected[alone], size)
    return pa.table(
        {
            "location_id": np.arange(size),
            "computation_ns": computation,
            "overload_ns": overload,
            "single_participant_ns": sum_by(location[alone], spread.overload[alone], size),
            "underload_ns": overload - computation + expected + non_participation,
            "non_participation_ns": non_participation,
            "singularity_ns": missing(spread.mean * is_single, expected_alone, uninvited_alone),
        }
    )


IMBALANCE_STAGE = PythonStage(
    name="imbalance", outputs=(COMPUTATIONAL_IMBALANCE, LOCATION_IMBALANCE), compute=find_imbalance
)
