"""What every location does when, found by cutting the run wherever anything begins or ends."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

from tests.oracle.teams import find_forked_visits
from tracemill.schemas.overheads import overhead_id

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


def location_overheads(tables: Tables) -> list[Row]:
    """Time by location and class."""
    (run,) = tables["runs"]
    length = run["end_ns"] - run["begin_ns"]
    spent: Counter[tuple[int, int]] = Counter()
    for place, start, stop, overhead in _stretches(tables, ()):
        spent[place, overhead] += stop - start
    return [
        {"location_id": place, "overhead_id": overhead, "time_ns": time}
        | {"time_ratio": time / length}
        for (place, overhead), time in spent.items()
    ]


def overheads(tables: Tables) -> list[Row]:
    """The same of all locations; their mean is rounded."""
    times: dict[int, list[int]] = defaultdict(list)
    for row in location_overheads(tables):
        times[row["overhead_id"]].append(row["time_ns"])
    everything, count = sum(map(sum, times.values())), len(tables["locations"])
    return [
        {"overhead_id": overhead, "time_ns": sum(own), "time_ratio": sum(own) / everything}
        | {"mean_ns": floor(Fraction(sum(own), count) + Fraction(1, 2)), "longest_ns": max(own)}
        for overhead, own in times.items()
    ]


def location_bases(tables: Tables) -> list[Row]:
    """What time outside visits is: that of workers, from first to last record of their process."""
    (run,), workers = tables["runs"], _workers(tables)
    rows = []
    for row in tables["locations"]:
        place = row["location_id"]
        begin, end = workers.get(place, (run["begin_ns"], run["end_ns"]))
        rows.append(
            {"location_id": place, "overhead_id": IDLE if place in workers else OUTSIDE}
            | {"outside_id": OUTSIDE, "begin_ns": begin, "end_ns": end}
            | {"run_begin_ns": run["begin_ns"], "run_end_ns": run["end_ns"]}
        )
    return rows


# --- What visits alone do not say ---------------------------------------------------------------


def class_changes(tables: Tables) -> list[Row]:
    """By how much each class is more, or less, at a location than its visits alone say.

    A visit alone moves its location from the class of its caller, or that outside visits, to its
    own from the time it is entered to that it is left.
    """
    bases = {row["location_id"]: row["overhead_id"] for row in tables["location_bases"]}
    classes = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    own = {row["visit_id"]: classes[row["region_id"]] for row in tables["visits"]}
    said = []
    for row in tables["visits"]:
        place, caller = row["location_id"], row["parent_visit_id"]
        before = bases[place] if caller is None else own[caller]
        said.append((place, own[row["visit_id"]], row["enter_ns"], row["leave_ns"], -1))
        said.append((place, before, row["enter_ns"], row["leave_ns"], 1))
    said += [
        (place, overhead, start, stop, 1) for place, start, stop, overhead in _stretches(tables, ())
    ]
    return _steps(said)


def net_changes(rows: list[Row]) -> list[Row]:
    """Rows of class_changes in the same form: how they are cut does not matter."""
    changes = []
    for row in rows:
        times = (row["begin_ns"], row["end_ns"])
        changes.append((row["location_id"], row["overhead_id"], *times, row["change_count"]))
        if row["caller_overhead_id"] is not None:
            caller = row["caller_overhead_id"]
            changes.append((row["location_id"], caller, *times, -row["change_count"]))
    return _steps(changes)


def _steps(changes: Iterable[tuple[int, int, int, int, int]]) -> list[Row]:
    """Where the sum of changes becomes more or less, by location and class."""
    steps: Counter[tuple[int, int, int]] = Counter()
    for place, overhead, begin, end, count in changes:
        steps[place, overhead, begin] += count
        steps[place, overhead, end] -= count
    names = ("location_id", "overhead_id", "time_ns")
    return [dict(zip(names, at, strict=True)) | {"step": n} for at, n in steps.items() if n]


def task_stretches(tables: Tables) -> list[Row]:
    """Stretches in which tasks ran, with the classes around them; a number may be used again."""
    bases = {row["location_id"]: row["overhead_id"] for row in tables["location_bases"]}
    classes = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    begun: Counter[tuple[int, ...]] = Counter()
    rows = []
    for row in sorted(tables["task_fragments"], key=lambda row: (row["begin_ns"], row["end_ns"])):
        task = {name: row[name] for name in ("location_id", "thread", "number")}
        begun[tuple(task.values())] += row["is_first"]
        base = bases[row["location_id"]]
        scheduler = paths.get(paths[row["call_path_id"]]["parent_call_path_id"])
        rows.append(
            task
            | {"instance": begun[tuple(task.values())], "base_id": base}
            | {"begin_ns": row["begin_ns"], "end_ns": row["end_ns"]}
            | {"scheduler_class_id": classes[scheduler["region_id"]] if scheduler else base}
            | {"is_scheduled_by_task": scheduler is not None and scheduler["kind"] == "task"}
        )
    return rows


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
    """The visit entered last of the task that runs, or else of none.

    A visit within a task belongs to the one that ran when it was entered.
    """
    running = _running(time, tasks)
    inside = []
    for row in visits:
        if row["enter_ns"] <= time < row["leave_ns"]:
            is_of_task = kinds[row["call_path_id"]] == "task"
            owner = _running(row["enter_ns"], tasks) if is_of_task else None
            if owner == running:
                inside.append(row)
    return max(inside, key=lambda row: row["visit_id"], default=None)


def _running(time: int, tasks: list[Row]) -> tuple[int, ...] | None:
    """Thread and number of the task that runs, and how many of that number had begun."""
    for row in tasks:
        if row["begin_ns"] <= time < row["end_ns"]:
            same = [
                t for t in tasks if (t["thread"], t["number"]) == (row["thread"], row["number"])
            ]
            begun = [t for t in same if t["is_first"] and t["begin_ns"] <= time]
            return (row["thread"], row["number"], len(begun))
    return None


def _is_between(time: int, visit: Row, team: Row) -> bool:
    """Between a parallel region and its fork or join."""
    is_before = team["fork_ns"] <= time < visit["enter_ns"]
    return is_before or bool(visit["leave_ns"] <= time < team["join_ns"])


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
