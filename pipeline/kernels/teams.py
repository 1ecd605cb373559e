"""Forks, joins, and the teams that threads work in."""

from typing import Any

from tracemill.kernels.compiled import step
from tracemill.kernels.walk_state import (
    AWAITS_TEAM,
    BASE_BEGIN,
    BASE_NODE,
    BASE_TEAM,
    FORKS,
    MOST_TEAMS,
    NONE,
    OPEN_FORKS,
    PENDING,
    PENDING_TEAM,
    TEAM_DEPTH,
    TOP,
    WORKS_IN_TEAMS,
)


@step
def find_team(teams: Any, team: Any, now: Any) -> Any:
    """The latest fork of a team at or before a time."""
    low, high = 0, len(teams.team)
    while low < high:
        middle = (low + high) // 2
        if teams.team[middle] < team or (teams.team[middle] == team and teams.fork[middle] <= now):
            low = middle + 1
        else:
            high = middle
    if low > 0 and teams.team[low - 1] == team:
        return low - 1
    return NONE


@step
def _find_begun_team(teams: Any, team: Any, now: Any) -> Any:
    """The fork of a team that begins work now, rather the next one than one that has joined.

    Clocks of two cores may differ, so that work seems to begin before the fork.
    """
    found = find_team(teams, team, now)
    if found >= 0 and now <= teams.join[found]:
        return found
    following = found + 1 if found >= 0 else _first_fork(teams, team)
    if following < len(teams.team) and teams.team[following] == team:
        return following
    return found


@step
def _is_for_later_fork(walk: Any, teams: Any, team: Any, now: Any) -> Any:
    """Whether work that begins now was forked after the last fork that is known of its team.

    A location works for each fork once. The records of the forking location may end early.
    """
    return now > teams.join[team] and (teams.is_over[team] or walk.has_worked[team])


@step
def _first_fork(teams: Any, team: Any) -> Any:
    low, high = 0, len(teams.team)
    while low < high:
        middle = (low + high) // 2
        if teams.team[middle] < team:
            low = middle + 1
        else:
            high = middle
    return low


@step
def note_fork(walk: Any, teams: Any, now: Any, is_omp: Any) -> None:
    """Note a fork and the call path it was made from; its team is told by the next record."""
    state, forks = walk.state, walk.forks
    fork = state[FORKS]
    forks.fork[fork], forks.join[fork], forks.is_joined[fork] = now, PENDING, False
    forks.node[fork] = walk.frames.node[state[TOP]] if state[TOP] >= 0 else NONE
    forks.team[fork] = NONE
    forks.base_team[fork], forks.base_begin[fork] = state[BASE_TEAM], state[BASE_BEGIN]
    state[FORKS] = fork + 1
    state[OPEN_FORKS] += 1
    state[AWAITS_TEAM] = 0 if is_omp else fork + 1
    if is_omp:  # no record says when the forker begins to work in the team
        state[PENDING_TEAM] = find_team(teams, NONE, now)


@step
def note_join(walk: Any, now: Any) -> None:
    """Close the latest fork that is still open."""
    forks = walk.forks
    if walk.state[OPEN_FORKS] == 0:
        return
    walk.state[OPEN_FORKS] -= 1
    fork = walk.state[FORKS] - 1
    while fork >= 0 and forks.join[fork] != PENDING:
        fork -= 1
    if fork >= 0:
        forks.join[fork], forks.is_joined[fork] = now, True
    walk.state[PENDING_TEAM] = NONE


@step
def begin_team(walk: Any, teams: Any, ref: Any, now: Any) -> Any:
    """Begin of a team's work here; returns the number of the team, if it is known yet.

    What passed since the fork is charged once, however often a damaged trace begins the work.
    """
    state = walk.state
    is_forker = state[AWAITS_TEAM] > 0
    if is_forker:
        walk.forks.team[state[AWAITS_TEAM] - 1] = ref
        state[AWAITS_TEAM] = 0
    elif state[TOP] < 0:
        state[BASE_TEAM], state[BASE_BEGIN] = ref, now
        state[WORKS_IN_TEAMS] = 1
    team = _find_begun_team(teams, ref, now)
    if team >= 0 and _is_for_later_fork(walk, teams, team, now):
        team = NONE
    if team >= 0:
        if not walk.has_worked[team]:
            state[PENDING_TEAM] = team
        walk.has_worked[team] = True
        if not is_forker and state[TOP] < 0:
            state[BASE_NODE] = teams.node[team]
    if state[TEAM_DEPTH] < MOST_TEAMS:
        walk.team_stack[state[TEAM_DEPTH]] = team
    state[TEAM_DEPTH] += 1
    return teams.number[team] if team >= 0 else NONE


@step
def end_team(walk: Any, teams: Any) -> Any:
    """End of a team's work here; returns the number of the team, if it is known."""
    state = walk.state
    state[PENDING_TEAM] = NONE
    if state[TEAM_DEPTH] == 0:
        return NONE
    state[TEAM_DEPTH] -= 1
    if state[TOP] < 0:
        state[BASE_NODE] = state[BASE_TEAM] = NONE
    if state[TEAM_DEPTH] >= MOST_TEAMS:
        return NONE
    team = walk.team_stack[state[TEAM_DEPTH]]
    return teams.number[team] if team >= 0 else NONE
