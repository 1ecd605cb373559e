"""Teams of threads, found by asking every member what it does between its begin and end there.

Teams within teams are not known here.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
WAITS = {"barrier": "omp_ebarrier_wait", "implicit_barrier": "omp_ibarrier_wait"}


def find_barrier_waits(tables: Tables) -> list[Row]:
    """Waits of members that came to a barrier of their team before the last one did."""
    roles = {row["region_id"]: row["role"] for row in tables["regions"]}
    found = []
    for visits in _meetings(tables, roles):
        last = max(visits, key=lambda visit: (visit["enter_ns"], -visit["location_id"]))
        for visit in visits:
            begin, end = visit["enter_ns"], last["enter_ns"]
            wait = end - begin - _task_time(tables, visit["location_id"], begin, end)
            if wait > 0:
                found.append(
                    {name: visit[name] for name in ("location_id", "visit_id", "call_path_id")}
                    | {"property": WAITS[roles[visit["region_id"]]]}
                    | {"start_ns": begin, "wait_ns": wait}
                    | {"cause_location_id": last["location_id"]}
                    | {"cause_visit_id": last["visit_id"]}
                )
    return sorted(found, key=lambda row: (row["property"], row["visit_id"]))


def _meetings(tables: Tables, roles: Mapping[int, str]) -> Iterator[list[Row]]:
    """The visits of each barrier: the n-th ones of all members of a team."""
    openmp = {row["region_id"] for row in tables["regions"] if row["paradigm"] == "openmp"}
    meetings: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for member in tables["thread_team_members"]:
        barriers = [
            visit
            for visit in _visits_of(tables, member)
            if visit["region_id"] in openmp and roles[visit["region_id"]] in WAITS
        ]
        for number, visit in enumerate(barriers):
            meetings[member["thread_team_id"], number].append(visit)
    yield from meetings.values()


def _task_time(tables: Tables, location: int, begin: int, end: int) -> int:
    return sum(
        max(min(row["end_ns"], end) - max(row["begin_ns"], begin), 0)
        for row in tables["task_fragments"]
        if row["location_id"] == location
    )


def find_fork_join_times(tables: Tables) -> dict[tuple[int, int], int]:
    """Time between parallel regions and their fork and join, by call path and location."""
    found: dict[tuple[int, int], int] = defaultdict(int)
    for visit, team in find_forked_visits(tables):
        before = max(visit["enter_ns"] - team["fork_ns"], 0)
        after = max(team["join_ns"] - visit["leave_ns"], 0)
        found[visit["call_path_id"], visit["location_id"]] += before + after
    return {cell: time for cell, time in found.items() if time}


def find_forked_visits(tables: Tables) -> list[tuple[Row, Row]]:
    """The parallel region that each member of a team enters first, with its team."""
    roles = {row["region_id"]: row["role"] for row in tables["regions"]}
    teams = {row["thread_team_id"]: row for row in tables["thread_teams"]}
    found = []
    for member in tables["thread_team_members"]:
        parallel = [v for v in _visits_of(tables, member) if roles[v["region_id"]] == "parallel"]
        found += [(visit, teams[member["thread_team_id"]]) for visit in parallel[:1]]
    return found


def _visits_of(tables: Tables, member: Row) -> list[Row]:
    """Visits of a member while it works in the team, in the order of entering."""
    visits = [
        visit
        for visit in tables["visits"]
        if visit["location_id"] == member["location_id"]
        and member["begin_ns"] <= visit["enter_ns"] <= visit["leave_ns"] <= member["end_ns"]
    ]
    return sorted(visits, key=lambda visit: (visit["enter_ns"], -visit["leave_ns"]))
