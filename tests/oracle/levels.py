"""Primitive activities of threads, from what is open in every piece of time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Row = Mapping[str, Any]


def activity_times(
    tables: Mapping[str, Sequence[Row]], activities: Mapping[int, str]
) -> Counter[tuple[int, int | None, str]]:
    """Time (ns) by location, call path and activity; `activities` are those of call paths."""
    found: Counter[tuple[int, int | None, str]] = Counter()
    (part,) = tables["main_part"]
    parallel = {row["visit_id"]: row for row in tables["parallel_visits"]}
    members = {row["location_id"] for row in tables["thread_team_members"]}
    for location in tables["locations"]:
        number = location["location_id"]
        visits = [row for row in tables["visits"] if row["location_id"] == number]
        spans = [_span(row, parallel) for row in visits]
        waits = [
            (row["visit_id"], row["start_ns"], row["start_ns"] + row["wait_ns"])
            for row in tables["wait_states"]
            if row["location_id"] == number and not row["is_completion"]
        ]
        limits = {part["begin_ns"], part["end_ns"]}
        limits |= {time for row in visits for time in (row["enter_ns"], row["leave_ns"])}
        limits |= {time for span in spans for time in span}
        limits |= {time for wait in waits for time in wait[1:]}
        outside = "idle" if location["thread"] > 0 and number in members else "unknown"
        for begin, end in pairwise(sorted(limits)):
            if part["begin_ns"] <= begin < part["end_ns"]:
                path, activity = _activity(visits, spans, waits, activities, begin, end)
                found[number, path, activity or outside] += end - begin
    return found


def _span(visit: Row, parallel: Mapping[int, Row]) -> tuple[int, int]:
    """From enter to leave; of a parallel region, from fork to join."""
    team = parallel.get(visit["visit_id"])
    if team is None:
        return visit["enter_ns"], visit["leave_ns"]
    return team["fork_ns"], team["join_ns"]


def _activity(
    visits: Sequence[Row], spans: Sequence[tuple[int, int]], waits: Sequence[tuple[int, int, int]],
    activities: Mapping[int, str], begin: int, end: int,
) -> tuple[int | None, str]:  # fmt: skip
    """The innermost call path in a piece of time, and what it does; '' outside visits."""
    inside = [at for at, span in enumerate(spans) if span[0] <= begin and end <= span[1]]
    if not inside:
        return None, ""
    visit = visits[max(inside, key=lambda at: visits[at]["visit_id"])]
    if not (visit["enter_ns"] <= begin and end <= visit["leave_ns"]):
        return visit["call_path_id"], "create/destroy"
    is_blocked = any(
        number == visit["visit_id"] and since <= begin and end <= until
        for number, since, until in waits
    )
    own = activities[visit["call_path_id"]]
    return visit["call_path_id"], "blocked" if is_blocked else own
