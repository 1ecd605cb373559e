"""Meetings of processes and threads, the jumps of the critical path, and its segments."""

from typing import Any

from tests.oracle.collectives import framing_members
from tests.oracle.critical_path import find_segments, is_followed, profile, waiting_of, within
from tests.oracle.stored_runs import Tables
from tests.oracle.teams import (
    are_tasks_whole,
    from_fork_to_join,
    parallel_visits,
    task_calls,
    team_barriers,
)

Row = dict[str, Any]
NOBODY = {"cause_location_id": None, "cause_visit_id": None, "cause_enter_ns": None}
NOTHING = {"message_id": None, "collective_id": None, "partner_leave_ns": None}


def location_spans(tables: Tables) -> list[Row]:
    """From entering MPI_Init to entering MPI_Finalize; without them the whole location."""
    inits = framing_members(tables, "mpi_init", "mpi_init_thread")
    ends = framing_members(tables, "mpi_finalize")
    in_teams = {row["location_id"] for row in parallel_visits(tables)}
    spans = []
    for place in tables["locations"]:
        number = place["location_id"]
        is_process = place["thread"] == 0 and place["kind"] not in ("gpu", "metric")
        init = next((each for each in inits if each.location == number), None)
        end = next((each for each in ends if each.location == number), None)
        if place["begin_ns"] is not None:
            spans.append(
                {"location_id": number, "is_process": is_process}
                | {"is_worker": is_process or number in in_teams}
                | {"begin_visit_id": init.visit if init else None}
                | {"begin_call_path_id": init.call_path if init else None}
                | {"begin_ns": init.begin if init else place["begin_ns"]}
                | {"end_visit_id": end.visit if end else None}
                | {"end_ns": end.begin if end else place["end_ns"]}
            )
    return spans


# --- Points -------------------------------------------------------------------------------------


def synchronization_points(tables: Tables) -> list[Row]:
    """Calls that waited, or were waited for, each with its cause."""
    return [
        *_points_of_messages(tables),
        *_points_of_collectives(tables),
        *_points_of_frames(tables),
        *_points_of_threads(tables),
    ]


def _points_of_messages(tables: Tables) -> list[Row]:
    """The call that waited for a message, and the other one at its other end."""
    messages = {row["message_id"]: row for row in tables["messages"]}
    rows = []
    for kind, waiting, awaited in (
        ("late_sender", "receive_completion", "send_post"),
        ("late_receiver", "send_completion", "receive_post"),
    ):
        for wait in tables[kind]:
            message = messages[wait["message_id"]]
            own, other = _moment(message, waiting), _moment(message, awaited)
            cause = {f"cause_{name}": other[name] for name in ("location_id", "visit_id")}
            cause["cause_enter_ns"] = other["enter_ns"]
            about = NOTHING | {"kind": kind, "message_id": wait["message_id"]}
            waits = {"wait_ns": wait["wait_ns"], "partner_leave_ns": other["leave_ns"]}
            awaits = {"wait_ns": 0, "partner_leave_ns": own["leave_ns"]}
            rows.append(own | cause | about | waits)
            rows.append(other | NOBODY | about | awaits)
    return rows


def _moment(message: Row, moment: str) -> Row:
    side = "sender" if moment.startswith("send") else "receiver"
    names = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
    return {"location_id": message[f"{side}_location_id"]} | {
        name: message[f"{moment}_{name}"] for name in names
    }


def _points_of_collectives(tables: Tables) -> list[Row]:
    """All members of a barrier or N x N; else the members that waited, and their causes."""
    members = {
        (row["collective_id"], row["location_id"]): row for row in tables["collective_members"]
    }
    rows = []
    awaited = set()
    for row in tables["synchronized_members"]:
        key = (row["collective_id"], row["location_id"])
        last = (row["collective_id"], row["last_location_id"])
        if row["is_nonblocking"] or row["is_extended"]:
            continue
        is_together = row["family"] in ("barrier", "n_to_n")
        if is_together or (row["family"] in ("one_to_n", "n_to_one") and row["wait_ns"]):
            cause = _cause(members[last]) if row["wait_ns"] else NOBODY
            rows.append(_call(members[key], row) | cause | {"wait_ns": row["wait_ns"]})
        if row["family"] in ("one_to_n", "n_to_one") and row["wait_ns"] and last not in awaited:
            awaited.add(last)
            rows.append(_call(members[last], row) | NOBODY | {"wait_ns": 0})
    return rows


def _call(member: Row, row: Row) -> Row:
    names = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")
    about = NOTHING | {"kind": row["family"], "collective_id": row["collective_id"]}
    return {name: member[name] for name in names} | about


def _cause(visit: Row) -> Row:
    return {f"cause_{name}": visit[name] for name in ("location_id", "visit_id", "enter_ns")}


def _points_of_frames(tables: Tables) -> list[Row]:
    """All processes at MPI_Init, which has no waits, and at MPI_Finalize."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    rows = []
    for row in tables["framing_calls"]:
        wait = row["wait_ns"] if row["is_finalize"] else 0
        names = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")
        rows.append(
            {name: row[name] for name in names}
            | (_cause(visits[row["last_visit_id"]]) if wait else NOBODY)
            | NOTHING
            | {"kind": "finalize" if row["is_finalize"] else "init", "wait_ns": wait}
        )
    return rows


def _points_of_threads(tables: Tables) -> list[Row]:
    """Threads where another one forked them, and members of a team at its barriers."""
    names = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")
    visits = {row["visit_id"]: row for row in tables["visits"]}
    forked = parallel_visits(tables)
    rows = []
    for row in forked:
        for master in forked:
            is_of_team = master["thread_team_id"] == row["thread_team_id"]
            is_master = master["location_id"] == row["master_location_id"]
            if is_of_team and is_master and row["location_id"] != master["location_id"]:
                own = {name: row[name] for name in names} | {"enter_ns": row["fork_ns"]}
                cause = _cause(master) | {"cause_enter_ns": row["fork_ns"]}
                rows.append(own | cause | NOTHING | {"kind": "fork", "wait_ns": 0})
    tasks = task_calls(tables)
    for row in team_barriers(tables):
        cause = _cause(visits[row["last_visit_id"]]) if row["wait_ns"] else NOBODY
        own = {name: row[name] for name in (*names, "wait_ns")}
        inside = [t["leave_ns"] for t in tasks if t["scheduling_visit_id"] == row["visit_id"]]
        own["enter_ns"] = max(inside, default=row["enter_ns"])
        rows.append(own | cause | NOTHING | {"kind": "team_barrier"})
    return rows


# --- Ways back ----------------------------------------------------------------------------------


def critical_path_jumps(tables: Tables) -> list[Row]:
    """From each call that waited to the last one before that which it waited for."""
    if not are_tasks_whole(tables):
        return []
    points = [row for row in tables["synchronization_points"] if is_followed(row)]
    points.sort(key=lambda row: (row["visit_id"], row["wait_ns"], row["cause_visit_id"]))
    names = ("visit_id", "wait_ns", *NOBODY)
    jumps = [{name: point[name] for name in names} for point in points]
    ends = [span for span in by_rank(tables) if span["is_process"]]
    if ends:
        last = max(ends, key=lambda span: span["end_ns"])
        jumps.append(
            {"visit_id": None, "wait_ns": None, "cause_location_id": last["location_id"]}
            | {"cause_visit_id": last["end_visit_id"], "cause_enter_ns": last["end_ns"]}
        )
    for number, jump in enumerate(jumps):
        earlier = [
            place
            for place, point in enumerate(points)
            if point["location_id"] == jump["cause_location_id"]
            and (jump["cause_visit_id"] is None or point["visit_id"] < jump["cause_visit_id"])
        ]
        jump |= {"point_id": number, "predecessor_id": max(earlier, default=None)}
    return jumps


def by_rank(tables: Tables) -> list[Row]:
    """The spans of locations by rank, then by location."""
    ranks = {row["location_id"]: row["rank"] for row in tables["locations"]}
    spans = tables["location_spans"]
    return sorted(spans, key=lambda row: (ranks[row["location_id"]], row["location_id"]))


def critical_path_steps(tables: Tables) -> list[Row]:
    """The jumps from the program's end on, in the order of the program; none is taken twice."""
    earlier = {row["point_id"]: row["predecessor_id"] for row in tables["critical_path_jumps"]}
    taken: list[int] = []
    point = max(earlier, default=None)
    while point is not None and point not in taken:
        taken.insert(0, point)
        point = earlier[point]
    return [{"ordinal": number, "point_id": point} for number, point in enumerate(taken)]


# --- Segments and profile -------------------------------------------------------------------------


def _walk(tables: Tables) -> list[Row]:
    """The segments, if there is a path; explicit tasks that are suspended have none yet."""
    if not are_tasks_whole(tables):
        return []
    return find_segments(tables["synchronization_points"], by_rank(tables))


def critical_path_segments(tables: Tables) -> list[Row]:
    """The path, walked backwards from its end."""
    visits = from_fork_to_join(tables)
    spans = {row["location_id"]: row for row in tables["location_spans"]}
    rows = []
    for ordinal, segment in enumerate(_walk(tables)):
        point, begin, end = segment["wait"], segment["begin"], segment["end"]
        span = spans[segment["location_id"]]
        rows.append(
            {"ordinal": ordinal, "location_id": segment["location_id"]}
            | {"begin_ns": begin, "end_ns": end, "end_visit_id": segment["end_visit_id"]}
            | {"kind": point["kind"] if point else None}
            | {"cause_location_id": point["cause_location_id"] if point else None}
            | {"visit_id": point["visit_id"] if point else span["begin_visit_id"]}
            | {"call_path_id": point["call_path_id"] if point else span["begin_call_path_id"]}
            | {"wait_ns": waiting_of(segment, visits)}
            | {"completion_ns": _completion(point, begin, end)}
        )
    return rows


def _completion(point: Row | None, begin: int, end: int) -> int:
    """The rest of a call after its wait, within the segment."""
    if point is None or point["kind"] == "fork":
        return 0
    return max(int(min(point["leave_ns"], end)) - begin - int(point["wait_ns"]), 0)


def critical_path_profile(tables: Tables) -> list[Row]:
    """Time of the path by call path and location, and that of its main part."""
    segments, visits = _walk(tables), from_fork_to_join(tables)
    (part,) = tables["main_part"]
    inside = profile(within(segments, visits, part["begin_ns"], part["end_ns"]), visits)
    return [
        {"call_path_id": path, "location_id": place, "path_ns": time}
        | {"main_path_ns": inside.get((path, place), 0)}
        for (path, place), time in profile(segments, visits).items()
    ]
