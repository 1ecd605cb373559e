"""Forks, joins, and the teams that threads work in."""

from typing import Any

from tracemill.kernels import walk_state as ws
from tracemill.kernels.compiled import step


@step
def _count_forks(teams: Any, team: Any, now: Any) -> Any:
    """Number of forks of lower teams, and of this team at or before a time."""
    low, high = 0, len(teams.team)
    while low < high:
        middle = (low + high) // 2
        if teams.team[middle] < team or (teams.team[middle] == team and teams.fork[middle] <= now):
            low = middle + 1
        else:
            high = middle
    return low


@step
def find_team(teams: Any, team: Any, now: Any) -> Any:
    """The latest fork of a team at or before a time, or NONE."""
    count = _count_forks(teams, team, now)
    return count - 1 if count > 0 and teams.team[count - 1] == team else ws.NONE


@step
def _find_begun_team(teams: Any, team: Any, now: Any) -> Any:
    """The fork of a team that begins work now, or NONE; the next fork if the last one has joined.

    Clocks of two cores may differ, so work may seem to begin before the fork.
    """
    found = find_team(teams, team, now)
    if found >= 0 and now <= teams.join[found]:
        return found
    following = _count_forks(teams, team, now)
    if following < len(teams.team) and teams.team[following] == team:
        return following
    return found


@step
def _is_for_later_fork(walk: Any, teams: Any, team: Any, now: Any) -> Any:
    """Whether work that begins now belongs to a fork that is not among the known ones.

    A location works for each fork once. The records of the forking location may end early.
    """
    return now > teams.join[team] and (teams.is_over[team] or walk.has_worked[team])


@step
def note_fork(walk: Any, teams: Any, now: Any, is_omp: Any) -> None:
    """Note a fork and its call path; the next record names its team."""
    state, forks = walk.state, walk.forks
    fork = state[ws.FORKS]
    forks.fork[fork], forks.join[fork], forks.is_joined[fork] = now, ws.PENDING, False
    forks.node[fork] = walk.frames.node[state[ws.TOP]] if state[ws.TOP] >= 0 else ws.NONE
    forks.team[fork] = ws.NONE
    forks.base_team[fork], forks.base_begin[fork] = state[ws.BASE_TEAM], state[ws.BASE_BEGIN]
    state[ws.FORKS] = fork + 1
    state[ws.OPEN_FORKS] += 1
    state[ws.AWAITS_TEAM] = 0 if is_omp else fork + 1
    if is_omp:  # no record says when the forker begins to work in the team
        state[ws.PENDING_TEAM] = find_team(teams, ws.NONE, now)


@step
def note_join(walk: Any, now: Any) -> None:
    """Close the latest fork that is still open."""
    forks = walk.forks
    if walk.state[ws.OPEN_FORKS] == 0:
        return
    walk.state[ws.OPEN_FORKS] -= 1
    fork = walk.state[ws.FORKS] - 1
    while fork >= 0 and forks.join[fork] != ws.PENDING:
        fork -= 1
    if fork >= 0:
        forks.join[fork], forks.is_joined[fork] = now, True
    walk.state[ws.PENDING_TEAM] = ws.NONE


@step
def begin_team(walk: Any, teams: Any, ref: Any, now: Any) -> Any:
    """Begin the work of a team; returns the number of the team, or NONE.

    The time since the fork is charged once, even if a damaged trace begins the work repeatedly.
    """
    state = walk.state
    is_forker = state[ws.AWAITS_TEAM] > 0
    if is_forker:
        walk.forks.team[state[ws.AWAITS_TEAM] - 1] = ref
        state[ws.AWAITS_TEAM] = 0
    elif state[ws.TOP] < 0:
        state[ws.BASE_TEAM], state[ws.BASE_BEGIN] = ref, now
        state[ws.WORKS_IN_TEAMS] = 1
    team = _find_begun_team(teams, ref, now)
    if team >= 0 and _is_for_later_fork(walk, teams, team, now):
        team = ws.NONE
    if team >= 0:
        if not walk.has_worked[team]:
            state[ws.PENDING_TEAM] = team
        walk.has_worked[team] = True
        if not is_forker and state[ws.TOP] < 0:
            state[ws.BASE_NODE] = teams.node[team]
    if state[ws.TEAM_DEPTH] < ws.MOST_TEAMS:
        walk.team_stack[state[ws.TEAM_DEPTH]] = team
    state[ws.TEAM_DEPTH] += 1
    return teams.number[team] if team >= 0 else ws.NONE


@step
def end_team(walk: Any, teams: Any) -> Any:
    """End the work of a team; returns the number of the team, or NONE."""
    state = walk.state
    state[ws.PENDING_TEAM] = ws.NONE
    if state[ws.TEAM_DEPTH] == 0:
        return ws.NONE
    state[ws.TEAM_DEPTH] -= 1
    if state[ws.TOP] < 0:
        state[ws.BASE_NODE] = state[ws.BASE_TEAM] = ws.NONE
    if state[ws.TEAM_DEPTH] >= ws.MOST_TEAMS:
        return ws.NONE
    team = walk.team_stack[state[ws.TEAM_DEPTH]]
    return teams.number[team] if team >= 0 else ws.NONE
