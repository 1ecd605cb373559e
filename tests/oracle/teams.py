"""Teams of threads, from the visits of every member between its begin and end."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from tests.oracle.stored_runs import processes
from tests.oracle.stretches import times_between

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
PROPERTIES = {True: "omp_ibarrier_wait", False: "omp_ebarrier_wait"}
BARRIERS = ("barrier", "implicit_barrier")


# --- Parallel regions ---------------------------------------------------------------------------


def parallel_visits(tables: Tables) -> list[Row]:
    """Visits of parallel regions that a team worked in, with its fork and join."""
    teams = {row["thread_team_id"]: row for row in tables["thread_teams"]}
    rows = []
    for visit, number in _teams_of_visits(tables):
        team = teams[number]
        rows.append(
            {name: visit[name] for name in ("visit_id", "location_id", "call_path_id")}
            | {"thread_team_id": number, "master_location_id": team["location_id"]}
            | {"is_start": visit["parent_visit_id"] is None}
            | {"fork_ns": min(team["fork_ns"], visit["enter_ns"])}
            | {"enter_ns": visit["enter_ns"], "leave_ns": visit["leave_ns"]}
            | {"join_ns": _join(team, visit)}
        )
    return rows


def _join(team: Row, visit: Row) -> int:
    """The join of a visit's team, or the visit's end where its leave is not recorded."""
    leave_ns = int(visit["leave_ns"])
    return max(int(team["join_ns"]), leave_ns) if visit["is_closed"] else leave_ns


def _teams_of_visits(tables: Tables) -> list[tuple[Row, int]]:
    """The parallel region that each member of a team enters first while it works there."""
    roles = {row["region_id"]: row["role"] for row in tables["regions"]}
    parallel = [row for row in tables["visits"] if roles[row["region_id"]] == "parallel"]
    parallel.sort(key=lambda visit: visit["visit_id"])
    nameless = [row for row in tables["thread_teams"] if row["communicator_id"] is None]
    stays = [(row["begin_ns"], row["end_ns"], row) for row in tables["thread_team_members"]]
    stays += [(row["fork_ns"], row["join_ns"], row) for row in nameless]
    claims: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for begin, end, row in stays:
        inside = (
            visit
            for visit in parallel
            if visit["location_id"] == row["location_id"] and begin <= visit["enter_ns"] <= end
        )
        for visit in [*inside][:1]:
            claims[visit["visit_id"]].append((begin, row["thread_team_id"]))
    # The innermost of teams within teams began last.
    found = {visit: max(teams)[1] for visit, teams in claims.items()}
    for visit in parallel:
        if visit["visit_id"] not in found and visit["parent_visit_id"] is None:
            found |= _nameless_team(visit, nameless, processes(tables))
    return [(visit, found[visit["visit_id"]]) for visit in parallel if visit["visit_id"] in found]


def _nameless_team(visit: Row, teams: list[Row], groups: Mapping[int, int]) -> dict[int, int]:
    """The last team of the process that was forked before, if it has not yet joined."""
    begun = [
        team
        for team in teams
        if groups[team["location_id"]] == groups[visit["location_id"]]
        and team["fork_ns"] <= visit["enter_ns"]
    ]
    last = max(begun, key=lambda t: (t["fork_ns"], t["thread_team_id"]), default=None)
    if last is None or last["join_ns"] < visit["enter_ns"]:
        return {}
    is_master = last["location_id"] == visit["location_id"]
    return {} if is_master else {visit["visit_id"]: last["thread_team_id"]}


def fork_join_times(tables: Tables) -> list[Row]:
    befores: Counter[tuple[int, int]] = Counter()
    afters: Counter[tuple[int, int]] = Counter()
    for row in parallel_visits(tables):
        cell = row["call_path_id"], row["location_id"]
        befores[cell] += row["enter_ns"] - row["fork_ns"]
        afters[cell] += row["join_ns"] - row["leave_ns"]
    return [
        {"call_path_id": path, "location_id": place, "fork_ns": before}
        | {"fork_join_ns": before + afters[path, place]}
        for (path, place), before in befores.items()
    ]


def find_fork_join_times(tables: Tables) -> dict[tuple[int, int], int]:
    """The same by call path and location, without zeros."""
    rows = fork_join_times(tables)
    cells = {(row["call_path_id"], row["location_id"]): row["fork_join_ns"] for row in rows}
    return {cell: time for cell, time in cells.items() if time}


# --- Barriers -----------------------------------------------------------------------------------


def team_barriers(tables: Tables) -> list[Row]:
    """Visits of barriers within a team: the n-th ones of all members meet."""
    meetings: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for (team, _), visits in _barriers_of_members(tables).items():
        for ordinal, visit in enumerate(visits):
            meetings[team, ordinal].append(visit)
    last_ordinals = dict(sorted(meetings))
    masters = {row["thread_team_id"]: row["location_id"] for row in tables["thread_teams"]}
    roles = {row["region_id"]: row["role"] for row in tables["regions"]}
    rows = []
    for (team, ordinal), visits in meetings.items():
        last = max(visits, key=lambda visit: (visit["enter_ns"], -visit["location_id"]))
        for visit in visits:
            place, enter, leave = visit["location_id"], visit["enter_ns"], visit["leave_ns"]
            wait = min(last["enter_ns"], leave) - enter - _task_time(tables, place, enter, leave)
            is_last = ordinal == last_ordinals[team]
            rows.append(
                {name: visit[name] for name in ("location_id", "visit_id", "call_path_id")}
                | {"thread_team_id": team, "ordinal": ordinal, "enter_ns": enter}
                | {"leave_ns": leave, "wait_ns": max(wait, 0)}
                | {"is_implicit": roles[visit["region_id"]] == "implicit_barrier"}
                | {"is_parting": is_last and place != masters[team]}
                | {"last_enter_ns": last["enter_ns"], "last_location_id": last["location_id"]}
                | {"last_visit_id": last["visit_id"]}
            )
    return rows


def _barriers_of_members(tables: Tables) -> dict[tuple[int, int], list[Row]]:
    """Barriers of each member of a team, by team and location, in their order.

    A barrier belongs to the innermost parallel region that it lies in.
    """
    regions = {row["region_id"]: row for row in tables["regions"]}
    teams = {row["visit_id"]: number for row, number in _teams_of_visits(tables)}
    parents = {row["visit_id"]: row["parent_visit_id"] for row in tables["visits"]}
    region_of = {row["visit_id"]: row["region_id"] for row in tables["visits"]}
    found: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for visit in sorted(tables["visits"], key=lambda row: row["visit_id"]):
        region = regions[visit["region_id"]]
        if region["paradigm"] != "openmp" or region["role"] not in BARRIERS:
            continue
        above = visit["parent_visit_id"]
        while above is not None and regions[region_of[above]]["role"] != "parallel":
            above = parents[above]
        if above in teams:
            found[teams[above], visit["location_id"]].append(visit)
    return found


def _task_time(tables: Tables, location: int, begin: int, end: int) -> int:
    return sum(
        max(min(row["end_ns"], end) - max(row["begin_ns"], begin), 0)
        for row in tables["task_fragments"]
        if row["location_id"] == location
    )


def team_barrier_waits(tables: Tables) -> list[Row]:
    """Members that came to a barrier of their team before the last one did."""
    names = ("location_id", "visit_id", "call_path_id", "wait_ns")
    return [
        {name: row[name] for name in names}
        | {"property": PROPERTIES[row["is_implicit"]], "start_ns": row["enter_ns"]}
        | {"cause_location_id": row["last_location_id"], "cause_visit_id": row["last_visit_id"]}
        | {"message_id": None, "collective_id": None, "is_synchronization": True}
        | {"is_extended": False}
        | {"confidence": 50 if row["last_enter_ns"] > row["leave_ns"] else 100}
        for row in team_barriers(tables)
        if row["wait_ns"] > 0
    ]


# --- Tasks and the order of events ---------------------------------------------------------------


def task_calls(tables: Tables) -> list[Row]:
    """Tasks that began and ended with the visit of their region, inside another visit."""
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    visits = {row["visit_id"]: row for row in tables["visits"]}
    rows = []
    for task in tables["task_fragments"]:
        scheduler = visits.get(task["scheduling_visit_id"])
        if scheduler is None or not task["is_first"]:
            continue
        own = [row for row in visits.values() if row["location_id"] == task["location_id"]]
        left = [row["leave_ns"] for row in own if row["leave_ns"] <= task["begin_ns"]]
        for visit in own:
            path = paths[visit["call_path_id"]]
            is_root = visit["parent_visit_id"] is None and path["kind"] == "task"
            span = (visit["enter_ns"], visit["leave_ns"])
            if is_root and span == (task["begin_ns"], task["end_ns"]):
                rows.append(
                    {name: visit[name] for name in ("location_id", "visit_id")}
                    | {"enter_ns": span[0], "leave_ns": span[1]}
                    | {"root_call_path_id": path["parent_call_path_id"]}
                    | {"scheduling_visit_id": scheduler["visit_id"]}
                    | {"scheduling_call_path_id": scheduler["call_path_id"]}
                    | {"since_ns": max([scheduler["enter_ns"], *left])}
                )
    return rows


def are_tasks_whole(tables: Tables) -> bool:
    """No task was suspended, nor lay outside any visit."""
    return len(task_calls(tables)) == len(tables["task_fragments"])


def from_fork_to_join(tables: Tables) -> list[Row]:
    """All visits, those of parallel regions from the fork to the join of their team.

    The time before a task begins is a visit of the call path of all tasks.
    """
    forked = {row["visit_id"]: row for row in parallel_visits(tables)}
    starts = [
        {"location_id": task["location_id"], "visit_id": task["visit_id"]}
        | {"call_path_id": task["root_call_path_id"]}
        | {"enter_ns": task["since_ns"], "leave_ns": task["enter_ns"]}
        for task in task_calls(tables)
    ]
    return starts + [
        visit
        | {
            "enter_ns": forked.get(visit["visit_id"], {}).get("fork_ns", visit["enter_ns"]),
            "leave_ns": forked.get(visit["visit_id"], {}).get("join_ns", visit["leave_ns"]),
        }
        for visit in tables["visits"]
    ]


def endings_of(tables: Tables) -> list[tuple[int, int, int]]:
    """Location, begin and end of workers' time after the last meeting with their team.

    That is from the last barrier on, or where there is none from the fork on, until the join.
    Traces with suspended tasks have none.
    """
    if not are_tasks_whole(tables):
        return []
    barriers = _barriers_of_members(tables)
    found = []
    for row in parallel_visits(tables):
        place, team = row["location_id"], row["thread_team_id"]
        if place != row["master_location_id"]:
            met = [visit["enter_ns"] for visit in barriers.get((team, place), ())]
            found.append((place, max(met, default=row["fork_ns"]), row["join_ns"]))
    return found


def team_endings(tables: Tables) -> list[Row]:
    """Time of workers in such endings, by call path."""
    visits = from_fork_to_join(tables)
    times: Counter[tuple[int, int]] = Counter()
    for place, begin, end in endings_of(tables):
        for path, time in times_between(visits, place, begin, end).items():
            times[path, place] += time
    return [
        {"call_path_id": path, "location_id": place, "ending_ns": time}
        for (path, place), time in times.items()
        if time
    ]
