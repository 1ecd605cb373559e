"""Counters in lanes of the timeline: of parts of the system, and of all parts together."""

from typing import Any

import pytest

from tests.helpers.running import run_query

Row = dict[str, Any]


def of(counter: int, scope: str, scope_id: int, *values: float, **others: Any) -> list[Row]:
    """Values in bins of 10 ns, each known for 10 ns."""
    return [
        {"counter_id": counter, "scope": scope, "scope_id": scope_id, "value": value, "bin": at}
        | {"begin_ns": 10 * at, "end_ns": 10 * at + 10, "covered_ns": 10, "method": "exact"}
        | others
        for at, value in enumerate(values)
    ]


def shown(
    profile: list[Row],
    names: dict[int, str],
    falling: int = -1,
    row_limit: int = 99,
    derived: list[Row] | None = None,
) -> list[tuple[Any, ...]]:
    tables = {
        "derived_counters": derived or [],
        "counters": [{"counter_id": at, "name": name, "unit": "u"} for at, name in names.items()],
        "counter_recordings": [
            {"recording_id": at, "counter_id": at, "value_count": 1}
            | {"negative_steps": int(at == falling)}
            for at in names
        ],
        "counter_profile": profile,
        "location_groups": [{"location_group_id": at, "name": f"P{at}"} for at in (0, 1)],
        "system_tree_nodes": [{"system_tree_node_id": 4, "name": "alpha", "class_name": "node"}],
    }
    columns = "counter is_mean part begin_ns value"
    return run_query("timeline_counters", tables, columns, row_limit=row_limit)


INSTRUCTIONS = of(0, "location", 0, 10, 30) + of(0, "location", 1, 20, 40)


def test_values_of_all_processes_are_added() -> None:
    assert shown(INSTRUCTIONS, {0: "ins"}) == [
        ("ins", False, "the run", 0, 30),
        ("ins", False, "the run", 10, 70),
        ("ins", False, "P0", 0, 10),
        ("ins", False, "P0", 10, 30),
        ("ins", False, "P1", 0, 20),
        ("ins", False, "P1", 10, 40),
    ]


# (100 · 10 + 200 · 30) / 40 = 175
def test_means_are_weighted_by_the_time_for_which_they_are_known() -> None:
    profile = [
        *of(0, "process", 0, 100, method="mean"),
        *of(0, "process", 1, 200, method="mean", covered_ns=30),
    ]
    assert shown(profile, {0: "memory"})[0] == ("memory", True, "the run", 0, 175)


def test_a_counter_of_one_node_has_no_sum_and_a_constant_one_no_lane() -> None:
    profile = of(0, "node", 4, 5, 6) + of(1, "node", 4, 7, 7)
    assert shown(profile, {0: "load", 1: "constant"}) == [
        ("load", False, "alpha", 0, 5),
        ("load", False, "alpha", 10, 6),
    ]


def test_a_falling_accumulated_counter_shows_its_recorded_values() -> None:
    first, second = of(0, "node", 4, 1, 2)
    profile = [first | {"recorded_mean": 50.0}, second | {"recorded_mean": 40.0}]
    assert shown(profile, {0: "freq"}, falling=0) == [
        ("freq", True, "alpha", 0, 50),
        ("freq", True, "alpha", 10, 40),
    ]


def test_power_comes_first_the_most_varied_before_others() -> None:
    profile = [
        row
        for at, values in enumerate([(1, 9), (1, 3), (1, 7)])
        for row in of(at, "node", 4, *values)
    ]
    found = shown(profile, {0: "ins", 1: "Power idle", 2: "Power busy"})
    assert list(dict.fromkeys(row[0] for row in found)) == ["Power busy", "Power idle", "ins"]


IPC = {"name": "IPC", "numerator": "ins", "denominator": "cyc", "factor": 1, "unit": "ins/cycle"}


# P0: 10 / 5 and 30 / 60, P1: 20 / 20 and 40 / 10. The run: 30 / 25 and 70 / 70.
def test_a_derived_counter_has_a_lane_before_recorded_ones() -> None:
    cycles = of(1, "location", 0, 5, 60) + of(1, "location", 1, 20, 10)
    found = shown(INSTRUCTIONS + cycles, {0: "ins", 1: "cyc"}, derived=[IPC])
    assert found[:6] == [
        ("IPC", False, "the run", 0, 1.2),
        ("IPC", False, "the run", 10, 1),
        ("IPC", False, "P0", 0, 2),
        ("IPC", False, "P0", 10, 0.5),
        ("IPC", False, "P1", 0, 1),
        ("IPC", False, "P1", 10, 4),
    ]
    assert list(dict.fromkeys(row[0] for row in found)) == ["IPC", "ins", "cyc"]


# 10 and 30 instructions in 10 ns of P0, 20 and 40 in 10 ns of P1: 30 and 70 in 20 ns.
def test_a_rate_is_that_of_a_location_on_average() -> None:
    rate = IPC | {"name": "rate", "denominator": "time", "factor": 1e-9}
    found = shown(INSTRUCTIONS, {0: "ins"}, derived=[rate])
    assert [row[4] for row in found[:4]] == pytest.approx([1.5, 3.5, 1, 3])


def test_a_derived_counter_is_unknown_where_one_of_its_counters_is() -> None:
    cycles = of(1, "location", 0, 5) + of(1, "location", 1, 10, 0)
    found = shown(INSTRUCTIONS + cycles, {0: "ins", 1: "cyc"}, derived=[IPC])
    assert [row[2:] for row in found if row[0] == "IPC"] == []  # 2 is its only value
    found = shown(INSTRUCTIONS + cycles[:-1] + of(1, "location", 1, 10, 8)[1:],
                  {0: "ins", 1: "cyc"}, derived=[IPC])  # fmt: skip
    assert [row[2:] for row in found if row[0] == "IPC"] == [
        ("the run", 0, 2), ("the run", 10, 5), ("P0", 0, 2), ("P1", 0, 2), ("P1", 10, 5)
    ]  # fmt: skip


@pytest.mark.parametrize(("row_limit", "parts"), [(4, 3), (3, 1)])
def test_too_many_values_of_parts_leave_those_of_the_run(row_limit: int, parts: int) -> None:
    found = shown(INSTRUCTIONS, {0: "ins"}, row_limit=row_limit)
    assert len({row[2] for row in found}) == parts
