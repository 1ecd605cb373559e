"""The time profile of random tasks, compared with the class of every nanosecond."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Tables
from tests.helpers.otf2_archive import Event, Trace
from tests.helpers.otf2_reading import ReadTrace
from tests.helpers.running import run_queries, with_overheads
from tests.properties.test_otf2_walk import reading
from tracemill.schemas.overheads import overhead_id

Spent = Counter[tuple[int, int]]
"""Nanoseconds by bin and class of overhead."""


def read_bins(tables: Tables, bin_count: int) -> tuple[Spent, Counter[int]]:
    """The time profile, and the time of each class over the whole run."""
    wanted = {"time_profile": "bin overhead_id time_ns", "overheads": "overhead_id time_ns"}
    profile, totals = run_queries(wanted, tables, bin_count=bin_count)
    spent = Counter({(place, overhead): time for place, overhead, time in profile})
    return spent, Counter(dict(totals))


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
    """Any task may be left for a new task or for main; main resumes tasks.

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
    width = -(-thread.now // bin_count)
    assert spent == Counter((time // width, each) for time, each in thread.classes.items())
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
