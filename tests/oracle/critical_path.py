"""The critical path, walked call by call and stretch by stretch."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import duckdb

from tests.helpers.hand_made import make_table
from tests.oracle.stretches import times_between
from tracemill.schemas.critical_path import CRITICAL_PATH_JUMPS

Row = Mapping[str, Any]
Rows = Sequence[Row]
Cells = dict[tuple[int, int], int]

# Numbers the steps backwards; a circle ends after as many steps as there are points.
WALK = """
WITH RECURSIVE walk (step, point_id) AS (
    SELECT 0, max(point_id) FROM jumps HAVING count(*) > 0
    UNION ALL
    SELECT walk.step + 1, jumps.predecessor_id
    FROM walk
    INNER JOIN jumps USING (point_id)
    WHERE jumps.predecessor_id IS NOT NULL AND walk.step < (SELECT count(*) FROM jumps)
)
SELECT point_id FROM walk GROUP BY point_id ORDER BY min(step) DESC
"""


def walk_by_recursion(jumps: Rows) -> list[int]:
    """Points of the path in the order of the program, by a recursive query."""
    with duckdb.connect() as connection:
        connection.register("jumps", make_table(CRITICAL_PATH_JUMPS, jumps))
        return [point for (point,) in connection.sql(WALK).fetchall()]


def find_segments(points: Rows, spans: Rows) -> list[dict[str, Any]]:
    """Segments from first to last, each with the point in which it begins, or None.

    Of processes that end at the same time the first of the spans counts.
    """
    processes = [span for span in spans if span["is_process"]]
    if not processes:
        return []
    last = max(processes, key=lambda span: span["end_ns"])
    place, before, end = last["location_id"], last["end_visit_id"], last["end_ns"]
    begins = {span["location_id"]: span["begin_ns"] for span in spans}
    segments: list[dict[str, Any]] = []
    passed: list[Row] = []
    while True:
        waits = [
            point
            for point in points
            if point["location_id"] == place
            and is_followed(point)
            and (before is None or point["visit_id"] < before)
        ]
        wait = max(
            waits, key=lambda p: (p["visit_id"], p["wait_ns"], p["cause_visit_id"]), default=None
        )
        begin = begins[place] if wait is None else wait["enter_ns"]
        segments.insert(0, {"location_id": place, "begin": begin, "end": end, "wait": wait,
                            "end_visit_id": before})  # fmt: skip
        if wait is None or wait in passed:
            return segments
        passed.append(wait)
        place, before = wait["cause_location_id"], wait["cause_visit_id"]
        end = wait["cause_enter_ns"]


def is_followed(point: Row) -> bool:
    """The path goes back to whoever was waited for, and from a thread to the one that forked it."""
    if point["kind"] in ("fork", "finalize"):
        return bool(point["kind"] == "fork")
    return bool(point["wait_ns"] > 0)


def waiting_of(segment: Row, visits: Rows) -> int:
    """Waiting subtracted from a segment: at most the time at the call path that waited."""
    wait = segment["wait"]
    if wait is None:
        return 0
    times = times_between(visits, segment["location_id"], segment["begin"], segment["end"])
    return int(min(wait["wait_ns"], times[wait["call_path_id"]]))


def profile(segments: Rows, visits: Rows) -> Cells:
    """Time of the path per call path and location, zeros left out."""
    cells: Counter[tuple[int, int]] = Counter()
    for segment in segments:
        place = segment["location_id"]
        for path, time in times_between(visits, place, segment["begin"], segment["end"]).items():
            cells[path, place] += time
        if segment["wait"]:
            cells[segment["wait"]["call_path_id"], place] -= waiting_of(segment, visits)
    return {cell: time for cell, time in cells.items() if time}


def within(segments: Rows, visits: Rows, begin: int, end: int) -> Rows:
    """What is left of segments after their waiting, within a time."""
    rests = [
        {"location_id": each["location_id"], "wait": None, "end": min(each["end"], end)}
        | {"begin": max(each["begin"] + waiting_of(each, visits), begin)}
        for each in segments
    ]
    return [rest for rest in rests if rest["begin"] < rest["end"]]


def works(visits: Rows, points: Rows, processes: Sequence[int]) -> Cells:
    """l_p(c): time of each process per call path without waiting, zeros left out."""
    cells: Cells = {}
    for place in processes:
        own = [visit for visit in visits if visit["location_id"] == place]
        begin = min((visit["enter_ns"] for visit in own), default=0)
        end = max((visit["leave_ns"] for visit in own), default=0)
        for path, time in times_between(own, place, begin, end).items():
            waits = (
                point["wait_ns"]
                for point in points
                if (point["call_path_id"], point["location_id"]) == (path, place)
            )
            cells[path, place] = time - min(time, sum(waits))
    return {cell: time for cell, time in cells.items() if time}


def impacts(
    path: Cells, work: Cells, processes: Sequence[int], *, is_partition: bool, is_strict: bool
) -> dict[int, Fraction]:
    """I(c): what all processes lose by having less of a call path than the critical path."""
    lengths = _by_call_path(path)
    total: dict[int, Fraction] = defaultdict(Fraction)
    for place in processes:
        own = {c: time for (c, p), time in work.items() if p == place}
        if is_partition:
            lost = sum(lengths.values()) - sum(max(own[c], lengths[c]) for c in own)
            lacks = {c: lengths[c] for c in lengths if c not in own}
        else:
            lost = sum(lengths.values()) - sum(own.values())
            lacks = {c: max(lengths[c] - own.get(c, 0), 0) for c in lengths}
        everything = sum(lacks.values())
        if everything == 0 and is_strict:
            return {}
        for c, lack in lacks.items():
            total[c] += Fraction(lost * lack, everything) if everything else 0
    return {c: impact for c, impact in total.items() if impact > 0}


def imbalance_ratio(
    path: Cells, visits: Rows, waits: Rows, subtree: set[int], process_count: int
) -> Fraction:
    """Share of the path below a call path that evenly spread work would not need."""
    length = sum(time for (c, _), time in path.items() if c in subtree)
    places = {visit["location_id"] for visit in visits}
    times = [times_between(visits, p, 0, max(v["leave_ns"] for v in visits)) for p in places]
    time = sum(count for each in times for c, count in each.items() if c in subtree)
    waiting = sum(wait["wait_ns"] for wait in waits if wait["call_path_id"] in subtree)
    if length <= 0:
        return Fraction(0)
    return max(1 - Fraction(time - waiting, length * process_count), Fraction(0))


def _by_call_path(cells: Cells) -> Counter[int]:
    lengths: Counter[int] = Counter()
    for (path, _), time in cells.items():
        lengths[path] += time
    return lengths
