"""Counters of random calls and values, compared with a sum over every nanosecond."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.counters import Visit, counted_trace, counters_of
from tests.oracle.counters import spread_counters

MODES = (
    "accumulated start", "relative last", "relative point", "relative next", "absolute last",
    "absolute next", "absolute point",
)  # fmt: skip


@st.composite
def nested_visits(draw: st.DrawFn, end: int = 40) -> list[Visit]:
    """Calls below main, in the order of entering; visits may have no duration."""
    visits: list[Visit] = [("main", 0, end)]

    def call(path: str, begin: int, end: int, depth: int) -> None:
        for _ in range(draw(st.integers(0, 3 - depth))):
            enter = draw(st.integers(begin, end))
            leave = draw(st.integers(enter, end))
            name = f"{path}/{draw(st.sampled_from('ab'))}"
            visits.append((name, enter, leave))
            call(name, enter, leave, depth + 1)
            begin = leave

    call("main", 0, end, 0)
    return visits


@st.composite
def recordings(draw: st.DrawFn) -> dict[str, Any]:
    times = sorted(draw(st.sets(st.integers(0, 40), min_size=1, max_size=8)))
    values = draw(st.lists(st.integers(0, 1000), min_size=len(times), max_size=len(times)))
    begin = draw(st.integers(0, 39))
    flush = draw(st.integers(0, 40))
    return {
        "values": list(zip(times, values, strict=True)),
        "mode": draw(st.sampled_from(MODES)),
        "main_part": (begin, draw(st.integers(begin + 1, 40))),
        "gaps": draw(st.sampled_from([[], [(flush, flush + 3)]])),
    }


@settings(max_examples=60)
@given(nested_visits(), recordings())
def test_counters_are_those_of_every_nanosecond(
    visits: list[Visit], recording: dict[str, Any]
) -> None:
    tables = counted_trace(visits, **recording)
    found = counters_of(tables, "exclusive_value inclusive_value covered_ns")
    expected = spread_counters(visits, **recording)
    known = {path: row for path, row in found.items() if row[1:] != (0, 0) or path in expected}
    assert known.keys() == expected.keys()
    for path, (own, below, time) in expected.items():
        assert known[path][2] == time
        assert known[path][1] == pytest.approx(float(below), rel=1e-9, abs=1e-9)
        if time:
            assert known[path][0] == pytest.approx(float(own), rel=1e-9, abs=1e-9)


@settings(max_examples=30)
@given(nested_visits())
def test_values_at_every_enter_and_leave_are_differences(visits: list[Visit]) -> None:
    """The value is the number of the enter or leave, squared: all differences are different."""
    tables = counted_trace(visits, [(0, 0)])
    events: list[tuple[int | None, bool]] = []
    _append_events(tables["visits"], None, events)
    rows = {row["visit_id"]: row for row in tables["visits"]}
    inclusive: dict[int, int] = {}
    tables["counter_values"] = []
    for at, (visit, is_enter) in enumerate(events):
        row = rows[visit]
        inclusive[visit] = at * at - inclusive.get(visit, 0)
        around = rows.get(row["parent_visit_id"], {}) if is_enter else row
        tables["counter_values"].append(
            {"location_id": 0, "sequence": at, "counter_id": 0, "value_integer": at * at}
            | {"visit_id": around.get("visit_id"), "call_path_id": around.get("call_path_id")}
            | {"time_ns": row["enter_ns" if is_enter else "leave_ns"]}
        )
    found = counters_of(tables, "exclusive_value inclusive_value method")
    names = {row["call_path_id"]: row["path"] for row in tables["call_paths"]}
    own: dict[str, int] = {}
    total: dict[str, int] = {}
    for visit, value in inclusive.items():
        path = names[rows[visit]["call_path_id"]]
        total[path] = total.get(path, 0) + value
        below = sum(
            inclusive[each] for each, row in rows.items() if row["parent_visit_id"] == visit
        )
        own[path] = own.get(path, 0) + value - below
    assert found == {path: (own[path], total[path], "exact") for path in own}


def _append_events(
    visits: list[dict[str, Any]], parent: int | None, events: list[tuple[Any, bool]]
) -> None:
    """Enters and leaves below a visit; visits are numbered in the order of entering."""
    below = [row["visit_id"] for row in visits if row["parent_visit_id"] == parent]
    for visit in sorted(below):
        events.append((visit, True))
        _append_events(visits, visit, events)
        events.append((visit, False))
