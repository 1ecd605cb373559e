"""Call paths that thread teams were forked from, resolved over all locations."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import NO_NODE, PathTree, add_node, find_node, new_tree, reserve
from tracemill.kernels.columns import each, empty
from tracemill.kernels.location_walk import no_teams
from tracemill.kernels.walk_state import Forks, Teams
from tracemill.readers.common.identifiers import Identifiers

if TYPE_CHECKING:
    from tracemill.readers.common.survey import LocationSurvey


def resolve_teams(
    identifiers: Identifiers, surveys: list["LocationSurvey"], damaged: frozenset[int]
) -> tuple[PathTree, list[Teams], Teams]:
    """Every fork with the call path it was made from, per location and for the whole trace.

    Returns the tree of forking call paths, the forks of each location's process, and all forks
    (in the order of their numbers); `node` counts in that tree. At the end of `damaged` locations
    forks may be missing.
    """
    owner = np.array(identifiers.group_of_location, np.int64)
    found = [(survey.location, survey.forks) for survey in surveys if survey.forks is not None]
    forks = Forks(*map(np.concatenate, zip(empty(Forks, 0), *(f for _, f in found), strict=True)))
    counts = [len(f.fork) for _, f in found]
    location = np.repeat(np.array([number for number, _ in found], np.int32), counts)
    teams = Teams(
        forks.team, forks.fork, forks.join, np.full(len(location), NO_NODE, np.int32), location,
        np.arange(len(location)), forks.is_joined & np.isin(location, list(damaged)),
    )  # fmt: skip
    prefixes = _resolve_outermost(new_tree(), teams, forks, surveys)
    prefixes = _resolve_nested(prefixes, teams, forks, owner, surveys)
    process = owner[location]
    by_process = {p: _sorted(teams, np.flatnonzero(process == p)) for p in np.unique(process)}
    return prefixes, [by_process.get(p, no_teams()) for p in owner], teams


def _resolve_outermost(
    prefixes: PathTree, teams: Teams, forks: Forks, surveys: list["LocationSurvey"]
) -> PathTree:
    """Fill in the nodes of forks made outside the teams of other locations."""
    for location in np.unique(teams.location):
        is_outermost = (teams.location == location) & (forks.base_team == ws.NONE)
        rows = np.flatnonzero(is_outermost)
        nodes, inverse = np.unique(forks.node[rows], return_inverse=True)
        found = np.empty(len(nodes), np.int32)
        for position, node in enumerate(nodes.tolist()):
            tree = surveys[location].tree
            prefixes, found[position] = _add_path(prefixes, tree, node, NO_NODE)
        teams.node[rows] = found[inverse]
    return prefixes


def _resolve_nested(
    prefixes: PathTree, teams: Teams, forks: Forks, owner: NDArray[np.int64],
    surveys: list["LocationSurvey"],
) -> PathTree:  # fmt: skip
    """Fill in the nodes of forks made inside a team, in order of time.

    They are below the call path of that team's own fork: the latest one before, whose node is
    already filled in.
    """
    if not (forks.base_team != ws.NONE).any():
        return prefixes
    latest: dict[tuple[int, int], int] = {}
    added: dict[tuple[int, int, int], int] = {}
    for number in np.argsort(teams.fork, kind="stable").tolist():
        location = int(teams.location[number])
        process = int(owner[location])
        if forks.base_team[number] != ws.NONE:
            outer = latest.get((process, int(forks.base_team[number])), NO_NODE)
            if outer >= 0 and teams.is_over[outer] and forks.base_begin[number] > teams.join[outer]:
                outer = NO_NODE
            base = int(teams.node[outer]) if outer >= 0 else NO_NODE
            key = (location, int(forks.node[number]), base)
            if key not in added:
                prefixes, added[key] = _add_path(prefixes, surveys[location].tree, key[1], base)
            teams.node[number] = added[key]
        latest[process, int(teams.team[number])] = number
    return prefixes


def _add_path(
    prefixes: PathTree, tree: PathTree | None, node: int, base: int
) -> tuple[PathTree, int]:
    """Add the call path of a location's node below `base`; returns its node."""
    assert tree is not None, "trees of locations with forks are kept"
    chain = []
    while node >= 0:
        chain.append(node)
        node = int(tree.parent[node])
    prefixes = reserve(prefixes, len(chain))
    for part in reversed(chain):
        key = (np.int32(base), tree.region[part], tree.is_stub[part])
        base = int(find_node(prefixes, *key))
        if base < 0:
            base = int(add_node(prefixes, *key, NO_NODE))
    return prefixes, base


def _sorted(teams: Teams, numbers: NDArray[np.int64]) -> Teams:
    order = numbers[np.lexsort((teams.fork[numbers], teams.team[numbers]))]
    return each(teams, lambda column: column[order])
