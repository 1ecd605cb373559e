"""Explored call paths: a page shows those with the most time, so that it stays small."""

from collections.abc import Sequence

import pytest

from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import run_query

# Inclusive times: main 95, a 60, b 20, c 15, d 30, e 25; call paths are numbered in this order.
#
#            0    10   20   30   40   50   60   70   80   90 95
# main       [.................................................]
#   a        [.............................]
#     b         [........]
#       c          [.....]
#     d                     [..............]
#   e                                           [..........]
MAIN, A, B, C, D, E = range(6)
CALLERS = (None, MAIN, A, B, A, MAIN)
TIMES = (95, 60, 20, 15, 30, 25)


def tables_of(callers: Sequence[int | None], times: Sequence[int]) -> Tables:
    """The tables of a run in which one location visits each call path once."""
    return read_trace("0 0..1 a") | {
        "call_paths": [
            {"call_path_id": path, "parent_call_path_id": caller, "region_id": 0}
            for path, caller in enumerate(callers)
        ],
        "call_tree": [
            {"call_path_id": path, "location_id": 0, "visit_count": 1, "inclusive_ns": time}
            | dict.fromkeys(("exclusive_ns", "shortest_ns", "longest_ns"), 0)
            for path, time in enumerate(times)
        ],
    }


def shown(tables: Tables, limit: int) -> list[int]:
    found = run_query("explored_call_paths", tables, "call_path_id", row_limit=limit)
    return [path for (path,) in found]


def visits(limit: int) -> dict[int, int]:
    """Visits of the shown call paths, with those of others that count for them."""
    tables, columns = tables_of(CALLERS, TIMES), "metric_number call_path_id value"
    cells = run_query("explored_cells", tables, columns, row_limit=99, path_limit=limit)
    numbers = dict(run_query("page_metrics", tables, "metric metric_number"))
    return {path: value for number, path, value in cells if number == numbers["visits"]}


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        (6, [MAIN, A, B, C, D, E]),
        (5, [MAIN, A, B, D, E]),
        (4, [MAIN, A, D, E]),
        (3, [MAIN, A, D]),
        (1, [MAIN]),
    ],
)
def test_those_with_the_most_time_are_shown_in_the_order_of_the_tree(
    limit: int, left: list[int]
) -> None:
    assert shown(tables_of(CALLERS, TIMES), limit) == left


def test_each_value_of_the_others_counts_for_the_closest_shown_caller() -> None:
    assert visits(6) == dict.fromkeys([MAIN, A, B, C, D, E], 1)
    # b, and c below it, count for a.
    assert visits(4) == {MAIN: 1, A: 3, D: 1, E: 1}
    # e counts for main, although the call path before it is not main's.
    assert visits(2) == {MAIN: 2, A: 4}
    assert visits(1) == {MAIN: 6}


def test_values_of_locations_have_no_call_path_and_others_count_once() -> None:
    tables = tables_of(CALLERS, TIMES) | {
        "idle_times": [{"location_id": 0, "idle_thread_ns": 7, "absent_ns": 4}],
        "critical_path_work": [
            {"call_path_id": path, "location_id": 0, "path_ns": 3, "work_ns": 10} for path in (A, C)
        ],
        "severities": [
            {"metric": "mpi_latesender", "call_path_id": path, "location_id": 0, "value": 5}
            for path in (B, C, E)
        ],
    }
    columns = "metric_number call_path_id value"
    cells = run_query("explored_cells", tables, columns, row_limit=99, path_limit=4)
    names = dict(run_query("page_metrics", tables, "metric_number metric"))
    found = [(names[number], path, value) for number, path, value in cells]
    assert [each for each in found if each[0].startswith("idle_")] == [
        ("idle_absent", None, 4),
        ("idle_thread", None, 7),
    ]
    # b and c count for a.
    assert [each for each in found if "mpi_latesender" in each] == [
        ("mpi_latesender", A, 10),
        ("mpi_latesender", E, 5),
    ]
    assert [each[1:] for each in found if each[0] == "critical_path_activities"] == [(A, 6)]
    assert [each[1:] for each in found if each[0] == "non_critical_path_activities"] == [(A, 14)]


def test_of_equals_callers_are_shown() -> None:
    chain = tables_of((None, 0, 1, 2), (7, 7, 7, 7))
    assert shown(chain, 3) == [0, 1, 2]


def test_call_paths_without_visits_are_shown_last() -> None:
    # In a focus, nothing visits some call paths: here the first of two roots.
    tables = tables_of((None, None, 1), (7, 7, 7))
    visited = [row for row in tables["call_tree"] if row["call_path_id"] != 0]
    assert shown(tables | {"call_tree": visited}, 3) == [0, 1, 2]
    assert shown(tables | {"call_tree": visited}, 2) == [1, 2]


def test_a_metric_of_a_user_may_have_the_name_of_a_whole() -> None:
    """Else each of its values would count twice."""
    named = {"kind": "finding", "unit": "ns", "title": "Own", "meaning": "Own."}
    metrics = [named | {"metric": metric} for metric in ("time", "all_waiting")]
    found = run_query("page_metrics", {"metrics": metrics}, "metric title")
    assert [title for metric, title in found if metric == "all_waiting"] == ["Own"]
