"""The critical path against walking it nanosecond by nanosecond, on random traces."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import query_tables, run_queries, run_stage
from tests.oracle.critical_path import (
    Cells,
    find_segments,
    imbalance_ratio,
    impacts,
    profile,
    waiting_of,
    walk_by_recursion,
    within,
    works,
)
from tracemill.schemas.critical_path import KINDS
from tracemill.stages.critical_path import CRITICAL_PATH_STAGE

# main calls solve, which calls a wait that may call others, and waits itself.
PARENTS = (None, 0, 0, 0, 3, 4, 3)
MAIN, INIT, FINALIZE = 0, 1, 2
WAITING = (4, 6)
SUBTREES = ({0, 1, 2, 3, 4, 5, 6}, {1}, {2}, {3, 4, 5, 6}, {4, 5}, {5}, {6})
PLACES = range(3)
RESULTS = (
    "critical_path_segments", "critical_path_profile", "critical_path_work",
    "critical_path_impacts", "critical_path_imbalances", "critical_path_severities",
)  # fmt: skip
ROUNDING = 1e-9
LENGTHS = ("critical_path_profile", "critical_path_impacts", "critical_path_severities")


@dataclass
class Clock:
    """Draws how long something takes; ticks are few, so that many times are equal."""

    draw: st.DrawFn
    now: int = 0

    def tick(self) -> int:
        self.now += self.draw(st.integers(0, 3))
        return self.now


def visits_of(draw: st.DrawFn, place: int, first: int) -> list[Row]:
    """Visits of a location: MPI_Init, a few calls below solve, and MPI_Finalize."""
    clock = Clock(draw)
    visits: list[Row] = []

    def visit(path: int, parent: int | None, inside: Any) -> None:
        number = first + len(visits)
        row: Row = {"location_id": place, "visit_id": number, "parent_visit_id": parent}
        row |= {"call_path_id": path, "region_id": path, "enter_ns": clock.tick()}
        visits.append(row)
        inner = len(visits)
        for below in inside:
            visit(below, number, draw(st.lists(st.just(5), max_size=1)) if below == 4 else ())
        row["leave_ns"] = clock.tick()
        children = [each for each in visits[inner:] if each["parent_visit_id"] == number]
        times = sum(each["leave_ns"] - each["enter_ns"] for each in children)
        row["exclusive_ns"] = row["leave_ns"] - row["enter_ns"] - times

    def program() -> Iterator[tuple[int, list[int]]]:
        yield INIT, []
        for _ in range(draw(st.integers(1, 2))):
            yield 3, draw(st.lists(st.sampled_from(WAITING), max_size=4))
        yield FINALIZE, []

    root: Row = {"location_id": place, "visit_id": first, "parent_visit_id": None}
    root |= {"call_path_id": MAIN, "region_id": MAIN, "enter_ns": clock.tick()}
    visits.append(root)
    for path, inside in program():
        visit(path, first, inside)
    root["leave_ns"] = clock.tick()
    children = [each for each in visits if each["parent_visit_id"] == first]
    times = sum(each["leave_ns"] - each["enter_ns"] for each in children)
    root["exclusive_ns"] = root["leave_ns"] - root["enter_ns"] - times
    return visits


@st.composite
def points(draw: st.DrawFn, visits: list[Row]) -> list[Row]:
    """Calls that waited for any call of any location, be it later: clocks may contradict."""
    found: list[Row] = []
    causes = [each for each in visits if each["call_path_id"] in (3, *WAITING)]
    for visit in visits:
        length = visit["leave_ns"] - visit["enter_ns"]
        if visit["call_path_id"] not in WAITING or length == 0:
            continue
        for _ in range(draw(st.integers(0, 2))):
            cause = draw(st.sampled_from(causes))
            found.append(
                {name: visit[name] for name in ("location_id", "visit_id", "call_path_id")}
                | {"enter_ns": visit["enter_ns"], "leave_ns": visit["leave_ns"]}
                | {"kind": draw(st.sampled_from(KINDS[:6])), "message_id": len(found)}
                | {"wait_ns": draw(st.integers(0, length))}
                | {f"cause_{name}": cause[name] for name in ("location_id", "visit_id", "enter_ns")}
            )
    return found


@st.composite
def traces(draw: st.DrawFn) -> Tables:
    """Three processes; MPI_Init and MPI_Finalize may be missing."""
    visits: list[Row] = []
    for place in PLACES:
        visits += visits_of(draw, place, len(visits))
    ends = {row["location_id"]: row for row in visits if row["call_path_id"] == MAIN}
    framing = [
        {name: row[name] for name in ("location_id", "visit_id", "call_path_id", "enter_ns")}
        | {"is_finalize": row["call_path_id"] == FINALIZE, "leave_ns": row["leave_ns"]}
        for row in visits
        if row["call_path_id"] in (INIT, FINALIZE)
    ]
    synchronization_points = draw(points(visits))
    return {
        "locations": [
            {"location_id": place, "location_group_id": place, "rank": place}
            | {"begin_ns": ends[place]["enter_ns"], "end_ns": ends[place]["leave_ns"]}
            for place in PLACES
        ],
        "regions": [{"region_id": number} for number in range(len(PARENTS))],
        "call_paths": [
            {"call_path_id": number, "region_id": number, "parent_call_path_id": parent}
            | {"last_call_path_id": max(SUBTREES[number])}
            for number, parent in enumerate(PARENTS)
        ],
        "visits": visits,
        "framing_calls": framing if draw(st.booleans()) else [],
        "synchronization_points": synchronization_points,
        "wait_states": [
            {name: row[name] for name in ("location_id", "visit_id", "call_path_id", "wait_ns")}
            | {"property": f"wait {number}"}
            for number, row in enumerate(synchronization_points)
            if row["wait_ns"] > 0
        ],
        "main_part": [{"begin_ns": draw(st.integers(0, 9)), "end_ns": draw(st.integers(10, 40))}],
    }


def with_steps(tables: Tables) -> Tables:
    """The tables with where the path may go, and where it goes."""
    names = ("location_spans", "critical_path_jumps")
    tables = tables | query_tables(dict.fromkeys(names, ""), tables)
    return tables | run_stage(CRITICAL_PATH_STAGE, tables)


@settings(deadline=None, max_examples=30, phases=[__import__("hypothesis").Phase.generate])
@given(traces(), st.booleans())
def test_the_path_is_that_of_walking_call_by_call(tables: Tables, is_strict: bool) -> None:
    tables = with_steps(tables)
    names = dict.fromkeys(RESULTS, "")
    segments, path, work, impact, imbalance, severities = run_queries(
        names, tables, is_impact_strict=is_strict
    )
    steps = [row["point_id"] for row in tables["critical_path_steps"]]
    assert steps == walk_by_recursion(tables["critical_path_jumps"])
    visits, points = tables["visits"], tables["synchronization_points"]
    expected = find_segments(points, tables["location_spans"])
    assert [row[1:4] + row[8:9] for row in segments] == [
        (each["location_id"], each["begin"], each["end"], waiting_of(each, visits))
        for each in expected
    ]
    cells = profile(expected, visits)
    assert {(c, place): time for c, place, time, _ in path} == cells
    (part,) = tables["main_part"]
    inside = profile(within(expected, visits, part["begin_ns"], part["end_ns"]), visits)
    assert {(c, place): time for c, place, _, time in path} == {
        cell: inside.get(cell, 0) for cell in cells
    }
    own = works(visits, points, PLACES) if cells else {}  # a path of no length is none
    assert {(c, place): time for c, place, time, _ in work} == own
    check_impacts(impact, cells, own, is_strict=is_strict)
    ratios = {
        c: imbalance_ratio(cells, visits, tables["wait_states"], SUBTREES[c], len(PLACES))
        for c in {c for c, _ in cells}
    }
    assert dict(imbalance) == pytest.approx({c: float(r) for c, r in ratios.items() if r})
    values = {
        (c, place): value for metric, c, place, value in severities if metric == "critical_path"
    }
    assert values == cells


def check_impacts(
    found: list[tuple[Any, ...]], path: Cells, work: Cells, *, is_strict: bool
) -> None:
    for is_partition, place in ((False, 2), (True, 3)):
        expected = impacts(path, work, PLACES, is_partition=is_partition, is_strict=is_strict)
        shown = {c: float(impact) for c, impact in expected.items()}
        lengths = {row[0]: row[1] for row in found}
        assert {row[0]: row[place] for row in found if abs(row[place]) > ROUNDING} == pytest.approx(
            {c: impact for c, impact in shown.items() if c in lengths}
        )


@settings(deadline=None, max_examples=8)
@given(traces(), st.integers(-1000, 10**15), st.randoms(use_true_random=False))
def test_neither_all_clocks_nor_the_order_of_rows_matter(
    tables: Tables, by: int, random: Any
) -> None:
    names = dict.fromkeys(RESULTS, "")
    found = run_queries(names, with_steps(tables))
    mixed = {name: random.sample(rows, len(rows)) for name, rows in tables.items()}
    assert run_queries(names, with_steps(mixed)) == found
    lengths = dict.fromkeys(LENGTHS, "")
    assert run_queries(lengths, with_steps(shifted(tables, by))) == [
        rows for name, rows in zip(RESULTS, found, strict=True) if name in LENGTHS
    ]


def shifted(tables: Tables, by: int) -> Tables:
    """The same trace on clocks that are ahead by the given time."""
    return {
        name: [
            {
                key: value + by if key in ("enter_ns", "leave_ns", "begin_ns", "end_ns",
                                           "cause_enter_ns") else value
                for key, value in row.items()
            }
            for row in rows
        ]
        for name, rows in tables.items()
    }  # fmt: skip
