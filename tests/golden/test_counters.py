"""Counters of call paths by mode: accumulated, relative and absolute values."""

import pytest

from tests.helpers.counters import count, counted_trace, counters_of

#          0    10   20   30   40   50
# main     [                        ]
# main/a        [         ]
TRACE = [("main", 0, 50), ("main/a", 10, 30)]
VALUES = "exclusive_value inclusive_value covered_ns method"
STRICT = [(0, 5), (10, 7), (30, 20), (50, 26)]


def test_values_are_in_the_declared_unit() -> None:
    """a: 20 - 7 = 13 thousands; main: 26 - 5 - 13 = 8."""
    tables = counted_trace(TRACE, STRICT, exponent=3)
    assert counters_of(tables, VALUES) == {
        "main": (8_000, 21_000, 30, "exact"),
        "main/a": (13_000, 13_000, 20, "exact"),
    }


def test_the_base_may_be_two() -> None:
    tables = counted_trace(TRACE, STRICT, base=2, exponent=-1)
    assert counters_of(tables, VALUES)["main/a"] == (6.5, 6.5, 20, "exact")


def test_a_missing_value_makes_the_counter_spread() -> None:
    """From 0 to 30: 15 in 30 ns, of them 20 ns in a. From 30 to 50: 6 in main."""
    tables = counted_trace(TRACE, [STRICT[0], *STRICT[2:]])
    assert counters_of(tables, VALUES) == {
        "main": (5 + 6, 21, 30, "spread"),
        "main/a": (10, 10, 20, "spread"),
    }


def test_nothing_is_known_before_the_first_and_after_the_last_value() -> None:
    """12 in 20 ns from 20 to 40: half in a."""
    tables = counted_trace(TRACE, [(20, 1), (40, 13)])
    assert counters_of(tables, VALUES) == {
        "main": (6, 12, 10, "spread"),
        "main/a": (6, 6, 10, "spread"),
    }


def test_a_falling_step_is_unknown_and_counted() -> None:
    """The counter falls in a; main has 7 - 5 and 26 - 2."""
    tables = counted_trace(TRACE, [(0, 5), (10, 7), (30, 2), (50, 26)])
    assert counters_of(tables, f"{VALUES} negative_steps") == {
        "main": (2 + 24, 26, 30, "exact", 0),
        "main/a": (0, 0, 0, "exact", 1),
    }


def test_a_step_with_a_flush_is_unknown() -> None:
    tables = counted_trace(TRACE, STRICT, gaps=[(35, 36)])
    assert counters_of(tables, VALUES) == {
        "main": (2, 15, 10, "exact"),
        "main/a": (13, 13, 20, "exact"),
    }


def test_relative_values_count_since_the_last_one() -> None:
    """6 from 0 to 20: half in a; 8 from 20 to 40: half in a. The first one has no begin."""
    values = [(0, 99), (20, 6), (40, 8)]
    for occurrence in ("last", "point"):
        tables = counted_trace(TRACE, values, mode=f"relative {occurrence}")
        assert counters_of(tables, VALUES) == {
            "main": (3 + 4, 14, 20, "spread"),
            "main/a": (3 + 4, 7, 20, "spread"),
        }


def test_relative_values_may_count_until_the_next_one() -> None:
    tables = counted_trace(TRACE, [(0, 6), (20, 8), (40, 99)], mode="relative next")
    assert counters_of(tables, "exclusive_value") == {"main": (7,), "main/a": (7,)}


@pytest.mark.parametrize("occurrence", ["point", "start", "next"])
def test_absolute_values_hold_until_the_next_one(occurrence: str) -> None:
    """100 W from 0 to 20, 400 W from 20 to 40: half of each time in a."""
    values = [(0, 100.0), (20, 400.0), (40, 0.0)]
    tables = counted_trace(TRACE, values, mode=f"absolute {occurrence}")
    columns = f"{VALUES} least_value greatest_value"
    assert counters_of(tables, columns) == {
        "main": (250, 250, 20, "mean", 100, 400),
        "main/a": (250, 250, 20, "mean", 100, 400),
    }


def test_absolute_values_may_hold_since_the_last_one() -> None:
    """450 W from 0 to 20, 0 W from 20 to 50."""
    tables = counted_trace(TRACE, [(0, 100), (20, 450), (50, 0)], mode="absolute last")
    assert counters_of(tables, f"{VALUES} least_value greatest_value") == {
        "main": (450 * 10 / 30, 450 * 20 / 50, 30, "mean", 0, 450),
        "main/a": (225, 225, 20, "mean", 0, 450),
    }


def test_only_the_main_part_counts() -> None:
    """From 20 to 40: half of the 13 of a, half of the 6 after it. Only visits begun in it count."""
    tables = counted_trace(TRACE, STRICT, main_part=(20, 40))
    assert counters_of(tables, f"{VALUES} visit_count") == {
        "main": (3, 9.5, 10, "exact", 0),
        "main/a": (6.5, 6.5, 10, "exact", 0),
    }


@pytest.mark.parametrize("scope", ["process", "node", "group"])
def test_a_counter_of_a_wider_scope_belongs_to_no_call_path(scope: str) -> None:
    found = count(counted_trace(TRACE, STRICT, scope=scope), counter_bin_count=5)
    assert found["call_path_counters"] == []
    profile = [(row["bin"], row["scope"], row["value"]) for row in found["counter_profile"]]
    assert profile == [
        (0, scope, 2), (1, scope, 6.5), (2, scope, 6.5), (3, scope, 3), (4, scope, 3)
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["accumulated start", "relative last", "absolute next"])
def test_a_location_without_visits_has_only_a_profile(mode: str) -> None:
    tables = counted_trace(TRACE, STRICT, mode=mode)
    no_visit = {"location_id": 1, "visit_id": None, "call_path_id": None}
    tables["counter_values"] = [row | no_visit for row in tables["counter_values"]]
    tables["locations"] += [{"location_id": 1, "location_group_id": 0}]
    found = count(tables)
    assert found["call_path_counters"] == []
    assert {row["scope_id"] for row in found["counter_profile"]} == {0}


def test_a_profile_has_the_mean_of_what_is_recorded_in_a_bin() -> None:
    """Two bins of 25: values 5 and 7, then 20 and, at the end of the run, 26."""
    found = count(counted_trace(TRACE, STRICT), counter_bin_count=2)["counter_profile"]
    assert [(row["value"], row["covered_ns"], row["recorded_mean"]) for row in found] == [
        (2 + 13 * 15 / 20, 25, 6),
        (13 * 5 / 20 + 6, 25, 23),
    ]


# A visit without duration: only the order of the values shows which one is at its enter.
def test_a_visit_without_duration_has_values_of_its_own() -> None:
    tables = counted_trace([("main", 0, 9), ("main/a", 4, 4)], [(0, 0), (9, 10)])
    path = {row["path"]: row["call_path_id"] for row in tables["call_paths"]}
    for sequence, (name, value) in enumerate((("main", 3), ("main/a", 8)), 10):
        row = tables["counter_values"][0] | {"sequence": sequence, "time_ns": 4}
        visit = next(v for v in tables["visits"] if v["call_path_id"] == path[name])
        row |= {"visit_id": visit["visit_id"], "call_path_id": path[name], "value_integer": value}
        tables["counter_values"].insert(-1, row)
    tables["counter_values"][-1]["sequence"] = 20
    assert counters_of(tables, VALUES) == {
        "main": (3 + 2, 10, 9, "exact"),
        "main/a": (5, 5, 0, "exact"),
    }


# The team of a is forked at 5 and joined at 40: 2 per ns, 35 ns in a and 15 ns in main.
def test_a_parallel_region_lasts_from_fork_to_join() -> None:
    tables = counted_trace(TRACE, [(0, 0), (50, 100)])
    a = next(row for row in tables["visits"] if row["parent_visit_id"] == 0)
    team = {"visit_id": a["visit_id"], "location_id": 0, "call_path_id": a["call_path_id"]}
    team |= {"thread_team_id": 0, "master_location_id": 0, "is_start": False}
    tables["parallel_visits"] = [
        team | {"fork_ns": 5, "enter_ns": 10, "leave_ns": 30, "join_ns": 40}
    ]
    assert counters_of(tables, VALUES) == {
        "main": (30, 100, 15, "spread"),
        "main/a": (70, 70, 35, "spread"),
    }
