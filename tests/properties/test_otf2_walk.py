"""Reading random traces, against a slow stack of calls, and laws of time."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.otf2_archive import Event, Trace
from tests.helpers.otf2_reading import ReadTrace, read_archive
from tests.oracle.profiles import with_profile
from tracemill.readers.common import survey

REGIONS = ("main", "a", "b", "MPI_Wait")
READING = settings(max_examples=40, deadline=None)


# --- The slow way -------------------------------------------------------------------------------


@dataclass
class Call:
    """A region visit; `children` are the times of the visits made from it."""

    number: int
    path: tuple[int, ...]
    parent: "Call | None"
    enter: int
    leave: int = 0
    is_closed: bool = False
    children: list[int] = field(default_factory=list)

    def end(self, time: int, *, is_closed: bool) -> None:
        self.leave, self.is_closed = time, is_closed
        if self.parent:
            self.parent.children.append(time - self.enter)

    @property
    def exclusive(self) -> int:
        return self.leave - self.enter - sum(self.children)


def follow(events: list[Event], numbers: Iterator[int], found: Counter[str]) -> list[Call]:
    """The calls of a location, with a list for a stack."""
    calls: list[Call] = []
    stack: list[Call] = []

    def end_top(time: int, *, is_closed: bool) -> None:
        stack.pop().end(time, is_closed=is_closed)
        found["unclosed_visit"] += not is_closed

    for event in events:
        if event.name == "Enter":
            region = REGIONS.index(event.arguments[0])
            caller = stack[-1] if stack else None
            path = (*(caller.path if caller else ()), region)
            stack.append(Call(next(numbers), path, caller, event.time))
            calls.append(stack[-1])
        elif event.name == "Leave":
            region = REGIONS.index(event.arguments[0])
            is_expected = bool(stack) and stack[-1].path[-1] == region
            found["mismatched_leave"] += not is_expected
            if any(call.path[-1] == region for call in stack):
                while stack[-1].path[-1] != region:
                    end_top(event.time, is_closed=False)
                end_top(event.time, is_closed=True)
    while stack:
        end_top(events[-1].time, is_closed=False)
    return calls


# --- Random traces ------------------------------------------------------------------------------


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """Mostly nested visits; some leaves are lost, or leave what is not open."""
    steps = draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.sampled_from("EEELLLLXM"), st.sampled_from(REGIONS)),
            max_size=40,
        )
    )
    time, stack, events = draw(st.integers(0, 10)), [], []
    for wait, kind, region in steps:
        time += wait
        if kind == "E":
            stack.append(region)
            events.append(Event(time, "Enter", (region,)))
        elif kind == "L" and stack:
            events.append(Event(time, "Leave", (stack.pop(),)))
        elif kind == "X":
            events.append(Event(time, "Leave", (region,)))
        elif kind == "M":
            events.append(Event(time, "MpiRequestTest", (time,)))
    return events


@contextmanager
def reading(trace: Trace, *, threads: int = 1, block_records: int = 100) -> Iterator[ReadTrace]:
    usual, survey.BLOCK_RECORDS = survey.BLOCK_RECORDS, block_records
    try:
        with TemporaryDirectory() as folder:
            anchor = trace.write(Path(folder) / "archive")
            yield read_archive(anchor, Path(folder) / "store", threads=threads)
    finally:
        survey.BLOCK_RECORDS = usual


@READING
@given(
    locations=st.lists(streams(), max_size=4),
    threads=st.integers(1, 3),
    block_records=st.sampled_from([1, 30, 1_000_000]),
)
def test_visits_and_call_tree_are_those_of_a_slow_stack(
    locations: list[list[Event]], threads: int, block_records: int
) -> None:
    trace = Trace()
    for name in REGIONS:
        trace.region(name, paradigm="mpi" if name.startswith("MPI_") else "compiler")
    for events in locations:
        trace.location(events)
    numbers = count()
    findings = [Counter() for _ in locations]
    slow = [
        follow(events, numbers, found) for events, found in zip(locations, findings, strict=True)
    ]
    paths = sorted({call.path for calls in slow for call in calls})  # depth first, as it happens

    with reading(trace, threads=threads, block_records=block_records) as tables:
        assert tables.rows("call_paths", "path parent_call_path_id depth") == [
            (
                "/".join(REGIONS[region] for region in path),
                paths.index(path[:-1]) if len(path) > 1 else None,
                len(path) - 1,
            )
            for path in paths
        ]
        columns = "visit_id location_id parent_visit_id call_path_id enter_ns leave_ns exclusive_ns"
        assert tables.visits(f"{columns} is_closed") == [
            (
                call.number, location, call.parent.number if call.parent else None,
                paths.index(call.path), call.enter, call.leave, call.exclusive, call.is_closed,
            )
            for location, calls in enumerate(slow)
            for call in calls
        ]  # fmt: skip
        check_call_tree(tables)
        assert tables.findings() == {
            (kind, location): number
            for location, found in enumerate(findings)
            for kind, number in found.items()
            if number
        }


def check_call_tree(tables: ReadTrace) -> None:
    """The sums of the reader equal sums over all visits."""
    names = ("call_paths", "visits", "task_fragments")
    given = with_profile({name: tables.records(name) for name in names})
    assert sorted(tables.records("call_tree"), key=place) == sorted(given["call_tree"], key=place)
    assert tables.records("call_paths") == given["call_paths"]


def place(row: dict[str, Any]) -> tuple[int, int]:
    return row["location_id"], row["call_path_id"]


# --- Tasks --------------------------------------------------------------------------------------


@st.composite
def task_streams(draw: st.DrawFn) -> list[Event]:
    """Inside main, a thread begins, resumes and ends tasks in any order.

    After a task ends, the thread is where it began the task, with or without a record.
    """
    steps = draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.integers(1, 4)), max_size=60)
    )
    time, current, regions, before = 0, 0, {0: ["main"]}, {}
    events = [Event(0, "Enter", ("main",))]

    def switch(number: int) -> None:
        events.append(Event(time, "ThreadTaskSwitch", (5, 0, number)))

    def leave() -> None:
        events.append(Event(time, "Leave", (regions[current].pop(),)))

    for wait, choice, number in steps:
        time += wait
        if choice <= 1:
            regions[current].append("ab"[choice])
            events.append(Event(time, "Enter", ("ab"[choice],)))
        elif choice <= 3 and len(regions[current]) > 1:
            leave()
        elif choice <= 5 and current:
            if current in before.values():
                continue  # another task is inside this one
            while regions[current]:
                leave()
            del regions[current]
            current = before.pop(current)
            if choice == 5:
                switch(current)
        elif number != current:
            switch(number)
            if number:
                before[number] = current
            if number not in regions:
                regions[number] = ["task"]
                events.append(Event(time, "Enter", ("task",)))
            current = number
    time += 1
    if current:
        switch(0)
        current = 0
    while regions[0]:
        time += 1
        leave()
    return events


@READING
@given(task_streams())
def test_times_of_a_location_with_tasks_sum_to_what_passed(events: list[Event]) -> None:
    trace = Trace()
    trace.region("task", role="task", paradigm="openmp")
    trace.location(events)
    trace.team(5, [0])
    entered = sum(event.name == "Enter" for event in events)
    with reading(trace) as tables:
        times = tables.visits("exclusive_ns enter_ns leave_ns")
        assert len(times) == entered
        assert sum(exclusive for exclusive, *_ in times) == events[-1].time
        assert all(0 <= exclusive <= leave - enter for exclusive, enter, leave in times)
        check_call_tree(tables)
        stretches = sorted(tables.rows("task_fragments", "begin_ns end_ns"))
        assert all(one[1] <= other[0] for one, other in pairwise(stretches))
