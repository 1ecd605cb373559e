"""Which call path every thread team was forked from, resolved over all locations."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import NO_NODE, PathTree, add_node, find_node, new_tree, reserve
from tracemill.kernels.columns import each
from tracemill.kernels.location_walk import no_teams
from tracemill.kernels.walk_state import Teams
from tracemill.readers.common.identifiers import Identifiers

if TYPE_CHECKING:
    from tracemill.readers.common.survey import LocationSurvey


def resolve_teams(
    identifiers: Identifiers, looks: list["LocationSurvey"], damaged: frozenset[int]
) -> tuple[PathTree, list[Teams], Teams]:
    """Every fork with the call path it was made from, per location and for the whole trace.

    Returns the tree of forking call paths, the forks that concern each location, and all forks
    (in the order of their numbers); `node` counts in that tree. Of `damaged` locations forks may
    be missing at the end.
    """
    owner = np.array(identifiers.group_of_location, np.int64)
    columns = _all_forks(looks, damaged)
    prefixes = _resolve_outermost(new_tree(), columns, looks)
    prefixes = _resolve_nested(prefixes, columns, owner, looks)
    process = owner[columns.location]
    teams = {p: _sorted_teams(columns, np.flatnonzero(process == p)) for p in np.unique(process)}
    empty = no_teams()
    return prefixes, [teams.get(p, empty) for p in owner], columns


def _all_forks(looks: list["LocationSurvey"], damaged: frozenset[int]) -> Teams:
    """Forks of all locations, numbered by location, then by time; nodes are not known yet."""
    forks = [look.forks for look in looks if look.forks is not None]
    counts = [len(found.fork) for found in forks]
    places = [look.location for look in looks if look.forks is not None]
    total = sum(counts)
    is_joined = np.concatenate([np.empty(0, np.bool_), *(found.is_joined for found in forks)])
    is_damaged = np.repeat(np.array([place in damaged for place in places], np.bool_), counts)
    return Teams(
        np.concatenate([np.empty(0, np.int64), *(found.team for found in forks)]),
        np.concatenate([np.empty(0, np.int64), *(found.fork for found in forks)]),
        np.concatenate([np.empty(0, np.int64), *(found.join for found in forks)]),
        np.full(total, NO_NODE, np.int32),
        np.repeat(np.array(places, np.int32), counts),
        np.arange(total, dtype=np.int64),
        is_joined & is_damaged,
    )


def _resolve_outermost(
    prefixes: PathTree, columns: Teams, looks: list["LocationSurvey"]
) -> PathTree:
    """Fill in the nodes of forks made outside any other location's team."""
    for location in np.unique(columns.location):
        forks, tree = looks[location].forks, looks[location].tree
        assert forks is not None
        assert tree is not None
        is_outermost = forks.base_team == ws.NONE
        nodes, place = np.unique(forks.node[is_outermost], return_inverse=True)
        found = []
        for node in nodes.tolist():
            prefixes, prefix = _add_path(prefixes, tree, node, NO_NODE)
            found.append(prefix)
        mine = np.flatnonzero(columns.location == location)
        columns.node[mine[is_outermost]] = np.array(found, np.int32)[place]
    return prefixes


def _resolve_nested(
    prefixes: PathTree, columns: Teams, owner: NDArray[np.int64], looks: list["LocationSurvey"]
) -> PathTree:
    """Fill in the nodes of forks made inside a team, in order of time.

    They hang below the call path of that team's own fork, the latest one before them, which is
    therefore resolved already.
    """
    bases = [look.forks.base_team for look in looks if look.forks is not None]
    base_team = np.concatenate([np.empty(0, np.int64), *bases])
    if not (base_team != ws.NONE).any():
        return prefixes
    first = np.searchsorted(columns.location, np.arange(len(looks)))
    latest: dict[tuple[int, int], int] = {}
    known: dict[tuple[int, int, int], int] = {}
    for number in np.argsort(columns.fork, kind="stable").tolist():
        location = int(columns.location[number])
        process = int(owner[location])
        if base_team[number] != ws.NONE:
            outer = latest.get((process, int(base_team[number])), NO_NODE)
            forks, tree = looks[location].forks, looks[location].tree
            assert forks is not None
            assert tree is not None
            own = number - first[location]
            if (
                outer >= 0
                and columns.is_over[outer]
                and forks.base_begin[own] > columns.join[outer]
            ):
                outer = NO_NODE
            base = int(columns.node[outer]) if outer >= 0 else NO_NODE
            key = (location, int(forks.node[own]), base)
            if key not in known:
                prefixes, known[key] = _add_path(prefixes, tree, key[1], base)
            columns.node[number] = known[key]
        latest[process, int(columns.team[number])] = number
    return prefixes


def _add_path(prefixes: PathTree, tree: PathTree, node: int, base: int) -> tuple[PathTree, int]:
    """Add the call path of a location's node below `base`; returns its node."""
    chain = []
    while node >= 0:
        chain.append(node)
        node = int(tree.parent[node])
    prefixes = reserve(prefixes, len(chain))
    for part in reversed(chain):
        place = (np.int32(base), tree.region[part], tree.is_stub[part])
        base = int(find_node(prefixes, *place))
        if base < 0:
            base = int(add_node(prefixes, *place, NO_NODE))
    return prefixes, base


def _sorted_teams(columns: Teams, numbers: NDArray[np.int64]) -> Teams:
    order = numbers[np.lexsort((columns.fork[numbers], columns.team[numbers]))]
    return each(columns, lambda column: column[order])
