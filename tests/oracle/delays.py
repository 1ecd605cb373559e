"""Root causes of waiting: each wait with both sides since they last met, call path by call path.

Böhme et al. 2016, "Identifying the root causes of wait states in large-scale parallel
applications".
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.stored_runs import Tables
from tests.oracle.stretches import times_between
from tests.oracle.teams import from_fork_to_join

Row = dict[str, Any]
Costs = Counter[tuple[str, int, int, int]]
KINDS = {
    "late_sender": "latesender", "late_receiver": "latereceiver", "barrier": "barrier",
    "n_to_n": "n2n", "one_to_n": "12n", "n_to_one": "n21", "team_barrier": "ompbarrier",
}  # fmt: skip
MESSAGES = ("late_sender", "late_receiver")
TEAM = ("fork", "team_barrier")


@dataclass
class Run:
    """The points of every location in order, and the visits, parallel regions from the fork on."""

    visits: list[Row]
    by_location: dict[int, list[Row]]
    names: dict[int, set[int]]
    shares: defaultdict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    direct: Costs = field(default_factory=Counter)
    passed_on: Costs = field(default_factory=Counter)
    indirect: Counter[int] = field(default_factory=Counter)
    propagating: Counter[int] = field(default_factory=Counter)


def root_causes(tables: Tables) -> list[Row]:
    """Every charge, by kind, call path, location that delayed and location that waited."""
    run = charged(tables)
    names = ("kind", "call_path_id", "location_id", "victim_location_id")
    return [
        dict(zip(names, key, strict=True))
        | {"direct_ns": float(run.direct[key]), "passed_on_ns": float(run.passed_on[key])}
        for key in run.direct.keys() | run.passed_on.keys()
    ]


def indirect_waits(tables: Tables) -> list[Row]:
    """Waits with a part that other waits cause, or that causes other waits."""
    run = charged(tables)
    found: defaultdict[tuple[str, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for point in tables["delay_points"]:
        number = point["point_id"]
        parts = run.indirect[number], run.propagating[number]
        if point["kind"] in KINDS and any(parts):
            place = KINDS[point["kind"]], point["call_path_id"], point["location_id"]
            found[place] = [one + more for one, more in zip(found[place], parts, strict=True)]
    return [
        {"kind": kind, "call_path_id": path, "location_id": place}
        | {"indirect_ns": indirect, "propagating_ns": propagating}
        for (kind, path, place), (indirect, propagating) in found.items()
    ]


def charged(tables: Tables) -> Run:
    """All waits charged to their causes, the one that ended last first."""
    points = {row["point_id"]: row for row in tables["delay_points"]}
    by_location: defaultdict[int, list[Row]] = defaultdict(list)
    for _, point in sorted(points.items()):
        by_location[point["location_id"]].append(point)
    # The time before a task begins counts where it is recorded.
    visits = [visit for visit in from_fork_to_join(tables) if "exclusive_ns" in visit]
    run = Run(visits, by_location, named(points))

    def end(point: Row) -> tuple[int, int]:
        return point["boundary_ns" if point["idle_count"] else "leave_ns"], point["point_id"]

    for point in sorted(points.values(), key=end, reverse=True):
        cause = points.get(point["cause_point_id"])
        if point["idle_count"]:
            charge_idle(run, point)
        elif point["wait_ns"] > 0 and cause is not None and point["kind"] in KINDS:
            charge_wait(run, point, cause)
    return run


def named(points: dict[int, Row]) -> dict[int, set[int]]:
    """The locations that each point of processes names: whom it waited for, who waited for it."""
    groups: defaultdict[int, set[int]] = defaultdict(set)
    for point in points.values():
        if point["group_id"] is not None:
            groups[point["group_id"]].add(point["location_id"])
    names: defaultdict[int, set[int]] = defaultdict(set)
    for number, point in points.items():
        if point["group_id"] is not None:
            names[number] |= groups[point["group_id"]]
        elif point["cause_point_id"] is not None and point["kind"] not in TEAM:
            cause = points[point["cause_point_id"]]
            names[number].add(cause["location_id"])
            names[cause["point_id"]].add(point["location_id"])
    return names


def before(run: Run, point: Row) -> list[Row]:
    """The points of the location before one, the last first."""
    found = [each for each in run.by_location[point["location_id"]]
             if each["point_id"] < point["point_id"]]  # fmt: skip
    return found[::-1]


def last_meeting(run: Run, point: Row, other: Row) -> Row | None:
    """Where the interval of a wait begins on one side."""
    for each in before(run, point):
        if point["kind"] in TEAM:
            if each["kind"] in TEAM:
                return each
        elif other["location_id"] in run.names[each["point_id"]]:
            return each
    return None


def inside(run: Run, since: Row | None, point: Row) -> list[Row]:
    """The points strictly between two of a location."""
    return [
        each for each in before(run, point) if since is None or each["point_id"] > since["point_id"]
    ]


def delay_map(run: Run, since: Row | None, point: Row) -> Counter[int]:
    """Time by call path without waiting; the first call counts with its completion only."""
    place = point["location_id"]
    visits = [visit for visit in run.visits if visit["location_id"] == place]
    begin = min(visit["enter_ns"] for visit in visits) if since is None else since["boundary_ns"]
    times = times_between(visits, place, begin, point["boundary_ns"])
    for each in inside(run, since, point):
        times[each["call_path_id"]] -= each["wait_ns"]
    times = Counter({path: max(time, 0) for path, time in times.items()})
    if since is not None:
        rest = times[since["call_path_id"]] - since["duration_ns"] + since["completion_ns"]
        times[since["call_path_id"]] = max(rest, 0)
    return times


def charge_wait(run: Run, point: Row, cause: Row) -> None:
    """Charge a wait, and its shares of later waits, to what took longer on the other side."""
    since = last_meeting(run, cause, point)
    delays = delay_map(run, since, cause)
    delays.subtract(delay_map(run, last_meeting(run, point, cause), point))
    delays = Counter({path: delay for path, delay in delays.items() if delay > 0})
    waits = [each for each in inside(run, since, cause) if each["wait_ns"] > 0]
    waited = sum(each["wait_ns"] for each in waits)
    whole = delays.total() + waited
    if not whole:
        return
    factor, kind = point["wait_ns"] / whole, KINDS[point["kind"]]
    run.indirect[point["point_id"]] = min(factor, 1) * waited
    if point["kind"] in MESSAGES:
        factor = min(factor, 1)
        for each in waits:
            number = each["point_id"]
            run.propagating[number] = max(run.propagating[number], factor * each["wait_ns"])
    shares = run.shares[point["point_id"]]
    places = cause["location_id"], point["location_id"]
    for path, delay in delays.items():
        run.direct[kind, path, *places] += factor * delay
        for way, share in shares.items():
            run.passed_on[way, path, *places] += share / whole * delay
    for each in waits:
        inherited = run.shares[each["point_id"]]
        inherited[kind] += factor * each["wait_ns"]
        for way, share in shares.items():
            inherited[way] += share / whole * each["wait_ns"]


def charge_idle(run: Run, point: Row) -> None:
    """Charge the time since the last join, or the begin, once for every idle thread."""
    joins = (each for each in before(run, point) if each["kind"] == "join")
    since = next(joins, None)
    place, threads = point["location_id"], point["idle_count"]
    for path, time in delay_map(run, since, point).items():
        if time:
            run.direct["ompidle", path, place, place] += threads * time
    for each in inside(run, since, point):
        run.shares[each["point_id"]]["ompidle"] += threads * each["wait_ns"]
