"""Explored call paths: a page shows those with the most time, so that it stays small."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.helpers.explored import make_run
from tests.helpers.running import Rows, run_query
from tracemill.reports.exploring import Exploration, explore
from tracemill.reports.material import Material

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


NOTHING = dict.fromkeys(("severities", "idle_times", "critical_path_work", "setup_times"), ())


def explored(
    limit: int,
    callers: Sequence[int | None] = CALLERS,
    times: Sequence[int | None] = TIMES,
    **tables: Rows,
) -> Exploration:
    """What a page shows of a run in which one location visits each call path that has a time."""
    paths = [
        {"call_path_id": path, "parent_call_path_id": caller, "region_id": 0}
        for path, caller in enumerate(callers)
    ]
    tree = [
        {"call_path_id": path, "location_id": 0, "visit_count": 1, "inclusive_ns": time}
        | dict.fromkeys(("exclusive_ns", "shortest_ns", "longest_ns"), 0)
        for path, time in enumerate(times)
        if time is not None
    ]
    run = make_run(**NOTHING | {"call_paths": paths, "call_tree": tree} | tables)
    with run.connect() as connection:
        found = explore(Material(connection, run.manifest), most_paths=limit)
    assert found is not None
    return found


def shown(
    limit: int, callers: Sequence[int | None] = CALLERS, times: Sequence[int | None] = TIMES
) -> list[int]:
    ids: Any = explored(limit, callers, times).data["paths"]
    return [path for path in ids["id"].tolist() if path >= 0]


def values_of(found: Exploration, metric: str) -> dict[int, float]:
    """The values of a metric by call path, -1 for those outside; there is one location in use."""
    metrics: Any = found.data["metrics"]
    paths: Any = found.data["paths"]
    count: Any = found.data["locationCount"]
    (row,) = [each for each in metrics if each["name"] == metric]
    ids = paths["id"][row["keys"] // count].tolist()
    return dict(zip(ids, row["values"].tolist(), strict=True))


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
    assert shown(limit) == left


def test_each_value_of_the_others_counts_for_the_closest_shown_caller() -> None:
    def visits(limit: int) -> dict[int, float]:
        return values_of(explored(limit), "visits")

    assert visits(6) == dict.fromkeys([MAIN, A, B, C, D, E], 1)
    # b, and c below it, count for a.
    assert visits(4) == {MAIN: 1, A: 3, D: 1, E: 1}
    # e counts for main, although the call path before it is not main's.
    assert visits(2) == {MAIN: 2, A: 4}
    assert visits(1) == {MAIN: 6}


def test_values_of_locations_have_no_call_path_and_others_count_once() -> None:
    found = explored(
        4,
        idle_times=[{"location_id": 0, "idle_thread_ns": 7, "absent_ns": 4}],
        critical_path_work=[
            {"call_path_id": path, "location_id": 0, "path_ns": 3, "work_ns": 10} for path in (A, C)
        ],
        severities=[
            {"metric": "mpi_latesender", "call_path_id": path, "location_id": 0, "value": 5}
            for path in (B, C, E)
        ],
    )
    assert values_of(found, "idle_thread") == {-1: 7}
    assert values_of(found, "idle_absent") == {-1: 4}
    # b and c count for a.
    assert values_of(found, "mpi_latesender") == {A: 10, E: 5}
    assert values_of(found, "critical_path_activities") == {A: 6}
    assert values_of(found, "non_critical_path_activities") == {A: 14}


def test_time_of_a_stub_is_in_no_class() -> None:
    tree = [
        {"call_path_id": path, "location_id": 0, "visit_count": 1, "exclusive_ns": 5}
        | dict.fromkeys(("inclusive_ns", "shortest_ns", "longest_ns"), 5)
        for path in (0, 1)
    ]
    paths = [
        {"call_path_id": 0, "region_id": 0},
        {"call_path_id": 1, "parent_call_path_id": 0, "region_id": 0, "kind": "task_stub"},
    ]
    found = explored(9, call_paths=paths, call_tree=tree)
    assert values_of(found, "computation") == {0: 5}
    assert values_of(found, "visits") == {0: 1, 1: 1}


def test_values_below_a_hidden_root_are_outside() -> None:
    found = explored(1, (None, 0, None), (5, 5, 7))
    assert values_of(found, "visits") == {2: 1, -1: 2}


def test_of_equals_callers_are_shown() -> None:
    assert shown(3, (None, 0, 1, 2), (7, 7, 7, 7)) == [0, 1, 2]


def test_call_paths_without_visits_are_shown_last() -> None:
    # In a focus, nothing visits some call paths: here the first of two roots.
    assert shown(3, (None, None, 1), (None, 7, 7)) == [0, 1, 2]
    assert shown(2, (None, None, 1), (None, 7, 7)) == [1, 2]


def test_a_metric_of_a_user_may_have_the_name_of_a_whole() -> None:
    """Else each of its values would count twice."""
    named = {"kind": "finding", "unit": "ns", "title": "Own", "meaning": "Own."}
    metrics = [named | {"metric": metric} for metric in ("time", "all_waiting")]
    found = run_query("page_metrics", {"metrics": metrics}, "metric title")
    assert [title for metric, title in found if metric == "all_waiting"] == ["Own"]
