"""Time cut wherever anything begins or ends, so that nothing changes in between."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Row = Mapping[str, Any]


def times_between(visits: Sequence[Row], place: int, begin: int, end: int) -> Counter[int]:
    """Time per call path on a location: that of the visit entered last, stretch by stretch."""
    touched = [
        visit
        for visit in visits
        if visit["location_id"] == place and visit["enter_ns"] < end and visit["leave_ns"] > begin
    ]
    edges = {begin, end} if begin < end else set()
    for visit in touched:
        edges |= {min(max(visit[name], begin), end) for name in ("enter_ns", "leave_ns")}
    found: Counter[int] = Counter()
    for start, stop in pairwise(sorted(edges)):
        inside = [each for each in touched if each["enter_ns"] <= start < each["leave_ns"]]
        if inside:
            innermost = max(inside, key=lambda visit: visit["visit_id"])
            found[innermost["call_path_id"]] += stop - start
    return found


def overlap(begin: int, end: int, stays: Sequence[tuple[int, int]]) -> int:
    """How much of a stretch lies in any of the stays."""
    edges = {begin, end} | {time for stay in stays for time in stay if begin < time < end}
    return sum(
        stop - start
        for start, stop in pairwise(sorted(edges))
        if any(first <= start < last for first, last in stays)
    )
