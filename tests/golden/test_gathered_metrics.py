"""The metrics that a campaign gathers, by call path, over the locations of a run."""

import pytest

from tests.helpers.gathering import program, query_runs, rows_of
from tests.helpers.micro_trace import Tables

CLASSES = ("user code", "point-to-point", "scheduling", "fork/join", "outside visits")
METRICS = [
    {"metric": "time"},
    {"metric": "mpi_latesender"},
    {"metric": "bytes_sent", "unit": "bytes"},
    {"metric": "overhead_data_movement"},
    {"metric": "overhead_thread_management"},
    {"metric": "class_of_user_code"},
    {"metric": "class_of_messages", "parent_metric": "overhead_data_movement"},
    {"metric": "class_of_scheduling", "parent_metric": "overhead_thread_management"},
    {"metric": "class_of_forks", "parent_metric": "overhead_thread_management"},
    {"metric": "class_of_the_rest"},
]


def classified(times: dict[tuple[int, int], int]) -> Tables:
    """main calls MPI_Send and a parallel region, on as many processes as there are locations."""
    count = 1 + max(place for _, place in times)
    tables = program("main\n  MPI_Send\n  parallel", times, list(range(count)))
    own = [row for row in METRICS if str(row["metric"]).startswith("class")]
    tables["metrics"] = METRICS
    tables["location_overheads"] = []
    tables["overhead_classes"] = [
        {"overhead_id": number, "overhead_subclass": name, "metric": metric["metric"]}
        for number, (name, metric) in enumerate(zip(CLASSES, own, strict=True))
    ]
    tables["region_classes"] = [
        {"region_id": region, "overhead_id": region} for region in range(len(tables["regions"]))
    ]
    return tables


def metrics_of(tables: Tables) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for metric, key, value in rows_of("gathered_metrics", tables, "metric call_path_key value_ns"):
        found.setdefault(metric, {})[key] = value
    return found


def test_every_metric_is_summed_over_locations() -> None:
    tables = classified({(0, 0): 30, (0, 1): 10, (1, 0): 12, (1, 1): 5})
    tables["severities"] = [
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 0, "value": 8},
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 1, "value": 2},
        {"metric": "mpi_latesender", "call_path_id": 1, "location_id": 1, "value": 1,
         "is_extended": True},
        {"metric": "bytes_sent", "call_path_id": 1, "location_id": 0, "value": 4096},
    ]  # fmt: skip
    assert metrics_of(tables) == {
        "time": {100: 40, 101: 17},
        "class_of_user_code": {100: 40},
        "class_of_messages": {101: 17},
        "overhead_data_movement": {101: 17},
        "mpi_latesender": {101: 8 + 2 + 1},
    }


def test_time_around_parallel_regions_is_moved_to_its_class() -> None:
    tables = classified({(2, 0): 20, (2, 1): 26})
    tables["fork_join_times"] = [
        {"call_path_id": 2, "location_id": 0, "fork_join_ns": 4},
        {"call_path_id": 2, "location_id": 1, "fork_join_ns": 1},
    ]
    assert metrics_of(tables) == {
        "time": {102: 46},
        "class_of_scheduling": {102: 46 - 5},
        "class_of_forks": {102: 5},
        "overhead_thread_management": {102: 46},
    }


def test_time_in_no_call_path_has_a_key_of_its_own() -> None:
    tables = classified({(0, 0): 30})
    tables["location_overheads"] = [
        {"location_id": 0, "overhead_id": CLASSES.index("outside visits"), "time_ns": 7},
        {"location_id": 1, "overhead_id": CLASSES.index("outside visits"), "time_ns": 2},
        # The time of visits is already listed by call path.
        {"location_id": 0, "overhead_id": CLASSES.index("user code"), "time_ns": 30},
    ]
    assert metrics_of(tables)["class_of_the_rest"] == {0: 9}
    assert metrics_of(tables)["class_of_user_code"] == {100: 30}


def test_sums_of_zero_are_left_out() -> None:
    tables = classified({(0, 0): 0})
    tables["location_overheads"] = [
        {"location_id": 0, "overhead_id": CLASSES.index("outside visits"), "time_ns": 3},
        {"location_id": 1, "overhead_id": CLASSES.index("outside visits"), "time_ns": -3},
    ]
    assert metrics_of(tables) == {}


@pytest.mark.parametrize("relation", ["gathered_metrics", "gathered_call_sites"])
def test_keys_of_one_run_do_not_reach_another(relation: str) -> None:
    first, second = (classified({(0, 0): 30, (1, 0): time}) for time in (12, 5))
    for row in second["call_path_keys"]:
        row["call_path_key"] += 100
    together = query_runs(relation, {"first": first, "second": second})
    assert together == query_runs(relation, {"first": first}) + query_runs(
        relation, {"second": second}
    )
