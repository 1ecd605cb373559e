"""What every location does when, found by cutting the run wherever anything begins or ends."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from schemas.overheads import overhead_id
from tests.oracle.teams import find_forked_visits

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
FORK_JOIN, IDLE, OUTSIDE = map(overhead_id, ("fork/join", "idle threads", "outside visits"))


def time_profile(tables: Tables, bin_count: int) -> list[Row]:
    """Time of all locations per class in equal bins of whole nanoseconds."""
    (run,) = tables["runs"]
    begin, end = run["begin_ns"], run["end_ns"]
    width = max(-(-(end - begin) // bin_count), 1)
    bins: Counter[tuple[int, int]] = Counter()
    for _, start, stop, overhead in _stretches(tables, range(begin, end, width)):
        bins[(start - begin) // width, overhead] += stop - start
    return [
        {"bin": number, "overhead_id": overhead, "time_ns": time}
        | {"begin_ns": begin + number * width, "end_ns": min(begin + (number + 1) * width, end)}
        for (number, overhead), time in sorted(bins.items())
    ]


def location_overheads(tables: Tables) -> dict[tuple[int, int], int]:
    """Time by location and class."""
    spent: Counter[tuple[int, int]] = Counter()
    for place, start, stop, overhead in _stretches(tables, ()):
        spent[place, overhead] += stop - start
    return dict(spent)


def _stretches(tables: Tables, cuts: Any) -> Iterator[tuple[int, int, int, int]]:
    """Location, begin, end and class of stretches in which nothing begins or ends."""
    (run,) = tables["runs"]
    workers = _workers(tables)
    for location in tables["locations"]:
        place = location["location_id"]
        visits = [row for row in tables["visits"] if row["location_id"] == place]
        tasks = [row for row in tables["task_fragments"] if row["location_id"] == place]
        forks = [(v, t) for v, t in find_forked_visits(tables) if v["location_id"] == place]
        edges = {run["begin_ns"], run["end_ns"], *cuts, *workers.get(place, ())}
        edges |= {time for row in visits for time in (row["enter_ns"], row["leave_ns"])}
        edges |= {time for row in tasks for time in (row["begin_ns"], row["end_ns"])}
        edges |= {time for _, row in forks for time in (row["fork_ns"], row["join_ns"])}
        kinds = {row["call_path_id"]: row["kind"] for row in tables["call_paths"]}
        classes = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
        for start, stop in pairwise(sorted(edges)):
            visit = _innermost(start, visits, tasks, kinds)
            if any(_is_between(start, *fork) for fork in forks):
                yield place, start, stop, FORK_JOIN
            elif visit:
                yield place, start, stop, classes[visit["region_id"]]
            else:
                first, last = workers.get(place, (0, 0))
                yield place, start, stop, IDLE if first <= start < last else OUTSIDE


def _innermost(time: int, visits: list[Row], tasks: list[Row], kinds: Any) -> Row | None:
    """The visit entered last; visits of tasks stand still while none runs.

    Where several tasks of a location have begun, that which began last is the one that runs.
    """
    is_task = any(row["begin_ns"] <= time < row["end_ns"] for row in tasks)
    inside = [
        row
        for row in visits
        if row["enter_ns"] <= time < row["leave_ns"]
        and (is_task or kinds[row["call_path_id"]] != "task")
    ]
    return max(inside, key=lambda row: row["visit_id"], default=None)


def _is_between(time: int, visit: Row, team: Row) -> bool:
    """Between a parallel region and its fork or join."""
    is_before = team["fork_ns"] <= time < visit["enter_ns"]
    return is_before or visit["leave_ns"] <= time < team["join_ns"]


def _workers(tables: Tables) -> dict[int, tuple[int, int]]:
    """First and last record of the process of each worker of a team."""
    spans: dict[int, list[int]] = defaultdict(list)
    for row in tables["locations"]:
        if row["begin_ns"] is not None:
            spans[row["location_group_id"]] += [row["begin_ns"], row["end_ns"]]
    members = {row["location_id"] for row in tables["thread_team_members"]}
    return {
        row["location_id"]: (min(spans[group]), max(spans[group]))
        for row in tables["locations"]
        if row["location_id"] in members and row["thread"] > 0
        for group in [row["location_group_id"]]
    }
