"""The time profile against a look at every nanosecond, on random calls, workers and tasks."""

from collections import Counter
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.otf2_archive import Event, Trace
from tests.helpers.otf2_reading import ReadTrace
from tests.helpers.running import run_queries, with_overheads
from tests.oracle.time_profile import Spent, classes_of, sum_bins
from tests.properties.test_otf2_walk import reading
from tracemill.schemas.overheads import TAXONOMY, overhead_id

OUTSIDE, IDLE = overhead_id("outside visits"), overhead_id("idle threads")
CLASSES = st.integers(0, len(TAXONOMY) - 1)
Path = tuple[int, ...]


def read_bins(tables: Tables, bin_count: int) -> tuple[Spent, Counter[int]]:
    """The time profile, and the time of each class over the whole run."""
    wanted = {"time_profile": "bin overhead_id time_ns", "overheads": "overhead_id time_ns"}
    profile, totals = run_queries(wanted, tables, bin_count=bin_count)
    spent = Counter({(place, overhead): time for place, overhead, time in profile})
    return spent, Counter(dict(totals))


@cache
def taxonomy() -> Tables:
    return with_overheads({})


def width_of(length: int, bin_count: int) -> int:
    return max(-(-length // bin_count), 1)


# --- Calls --------------------------------------------------------------------------------------


@st.composite
def programs(draw: st.DrawFn) -> Tables:
    """Nested calls of few regions, each of any class, on two masters and a worker.

    The worker may start below a call path of its master.
    """
    paths: dict[Path, Row] = {}
    visits: list[Row] = []
    locations = [_location(draw, number) for number in range(3)]
    for location in locations:
        below = [()] if location["thread"] == 0 else [(), *paths]
        _walk(draw, location, draw(st.sampled_from(below)), visits, paths)
    ordered = sorted(paths)
    for path, row in paths.items():
        row["call_path_id"] = ordered.index(path)
        row["parent_call_path_id"] = ordered.index(path[:-1]) if path[:-1] else None
        row["last_call_path_id"] = max(
            number for number, other in enumerate(ordered) if other[: len(path)] == path
        )
    for visit in visits:
        visit["call_path_id"] = paths[visit.pop("path")]["call_path_id"]
    regions = [{"region_id": number} for number in range(4)]
    worker = {"location_id": 2, "thread_team_id": 0}
    return taxonomy() | {
        "regions": regions,
        "runs": [{"begin_ns": 0, "end_ns": 40}],
        "locations": locations,
        "call_paths": [paths[path] for path in ordered],
        "visits": visits,
        "thread_team_members": [worker] if draw(st.booleans()) else [],
        "parallel_visits": [],
        "task_pauses": [],
        "region_classes": [row | {"overhead_id": draw(CLASSES)} for row in regions],
    }


def _location(draw: st.DrawFn, number: int) -> Row:
    """The first and second location are masters; the third is a thread of the second's process."""
    begin = draw(st.integers(0, 10))
    row = {"location_id": number, "location_group_id": min(number, 1), "thread": number // 2}
    return row | {"begin_ns": begin, "end_ns": draw(st.integers(begin, 40))}


def _walk(
    draw: st.DrawFn,
    location: Row,
    below: Path,
    visits: list[Row],
    paths: dict[Path, Row],
) -> None:
    time, stack = location["begin_ns"], []

    def leave() -> None:
        visit = stack.pop()
        visit["leave_ns"] = time
        visit["exclusive_ns"] += time - visit["enter_ns"]
        if stack:
            stack[-1]["exclusive_ns"] -= time - visit["enter_ns"]

    for wait, region in draw(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 3)))):
        time = min(time + wait, location["end_ns"])
        if region < 0:
            if stack:
                leave()
            continue
        path = (*(stack[-1]["path"] if stack else below), region)
        paths.setdefault(path, {"region_id": region, "depth": len(path) - 1})
        stack.append(
            {
                "visit_id": len(visits), "location_id": location["location_id"], "path": path,
                "parent_visit_id": stack[-1]["visit_id"] if stack else None,
                "region_id": region, "enter_ns": time, "exclusive_ns": 0, "is_closed": True,
            }
        )  # fmt: skip
        visits.append(stack[-1])
    while stack:
        leave()


@settings(deadline=None, max_examples=40)
@given(programs(), st.integers(1, 50))
def test_bins_are_those_of_every_nanosecond(tables: Tables, bin_count: int) -> None:
    overhead = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    expected: Spent = Counter()
    for location in tables["locations"]:
        number = location["location_id"]
        base = dict.fromkeys(range(40), OUTSIDE)
        if number == 2 and tables["thread_team_members"]:
            begin = min(row["begin_ns"] for row in tables["locations"][1:])
            end = max(row["end_ns"] for row in tables["locations"][1:])
            base |= dict.fromkeys(range(begin, end), IDLE)
        visits = [row for row in tables["visits"] if row["location_id"] == number]
        classes = base | {
            time: found
            for time, found in classes_of(visits, overhead, -1, range(40)).items()
            if found >= 0
        }
        expected += sum_bins(classes, 0, width_of(40, bin_count))
    spent, totals = read_bins(tables, bin_count)
    assert spent == expected
    assert totals == sum_classes(expected)


def sum_classes(spent: Spent) -> Counter[int]:
    totals: Counter[int] = Counter()
    for (_, overhead), time in spent.items():
        totals[overhead] += time
    return totals


# --- Tasks --------------------------------------------------------------------------------------

TASK_REGIONS = {"main": "user code", "a": "barrier", "b": "scheduling", "task": "wait"}
TASK_TEAM, TASK_THREAD = 5, 0


class Thread:
    """A thread that works on tasks, each with a stack of regions; task 0 is main.

    `classes` are those of every nanosecond so far.
    """

    def __init__(self) -> None:
        self.stacks: dict[int, list[str]] = {0: []}
        self.taken_up_at = {0: 0}
        self.current = 0
        self.events: list[Event] = []
        self.classes: dict[int, int] = {}

    @property
    def now(self) -> int:
        return len(self.classes)

    def pass_time(self, length: int) -> None:
        overhead = overhead_id(TASK_REGIONS[self.stacks[self.current][-1]])
        self.classes |= dict.fromkeys(range(self.now, self.now + length), overhead)

    def enter(self, region: str) -> None:
        self.stacks[self.current].append(region)
        self.events.append(Event(self.now, "Enter", (region,)))

    def leave(self) -> None:
        self.events.append(Event(self.now, "Leave", (self.stacks[self.current].pop(),)))
        if self.current and not self.stacks[self.current]:
            del self.stacks[self.current]
            self.current = self.taken_up_at[self.current]

    def record_switch(self, task: int) -> None:
        self.events.append(Event(self.now, "ThreadTaskSwitch", (TASK_TEAM, TASK_THREAD, task)))

    def switch(self, task: int) -> None:
        self.record_switch(task)
        self.taken_up_at[task], self.current = self.current, task
        if task not in self.stacks:
            self.stacks[task] = []
            self.enter("task")


@st.composite
def threads(draw: st.DrawFn) -> Thread:
    """Any task may be left for a new one or for main; from main, one that was left goes on.

    Regions a and b are entered and left (L), tasks begin or go on (T) and end, with a record of
    what goes on then (E) or without (e); some are left for main (M), and some never end.
    """
    thread = Thread()
    thread.enter("main")
    steps = st.tuples(st.integers(1, 4), st.sampled_from("abLEeMTTT"), st.integers(1, 3))
    for wait, step, task in draw(st.lists(steps, min_size=5, max_size=40)):
        thread.pass_time(wait)
        current = thread.current
        if step in "ab":
            thread.enter(step)
        elif step == "L" and len(thread.stacks[current]) > 1:
            thread.leave()
        elif step in "Ee" and current:
            while thread.current == current:
                thread.leave()
            if step == "E":
                thread.record_switch(thread.current)
        elif step == "M" and current:
            thread.switch(0)
        elif step == "T" and (task not in thread.stacks or current == 0):
            thread.switch(task)
    thread.pass_time(1)
    if thread.current:
        thread.switch(0)
    while thread.stacks[0]:
        thread.pass_time(1)
        thread.leave()
    return thread


@settings(deadline=None, max_examples=25)
@given(threads(), st.integers(1, 30))
def test_suspended_tasks_stand_still(thread: Thread, bin_count: int) -> None:
    trace = Trace()
    trace.region("task", role="task", paradigm="openmp")
    trace.location(thread.events)
    trace.team(TASK_TEAM, [0])
    with reading(trace) as read:
        tables = read_tables(read)
    spent, totals = read_bins(tables, bin_count)
    assert spent == sum_bins(thread.classes, 0, width_of(thread.now, bin_count))
    assert totals == Counter(thread.classes.values())


def read_tables(read: ReadTrace) -> dict[str, Any]:
    names = (
        "runs", "locations", "regions", "call_paths", "visits", "call_tree", "task_fragments",
        "thread_events", "thread_teams", "thread_team_members",
    )  # fmt: skip
    tables = with_overheads({name: read.records(name) for name in names})
    for row in tables["regions"]:
        if row["name"] in TASK_REGIONS:
            found = next(c for c in tables["region_classes"] if c["region_id"] == row["region_id"])
            found["overhead_id"] = overhead_id(TASK_REGIONS[row["name"]])
    return tables
