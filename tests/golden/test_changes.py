"""Changes between two sets of runs, by metric, call path and rank."""

from typing import Any

from tests.helpers.gathering import Found, program, query_runs
from tests.helpers.micro_trace import Tables

# Call paths have the keys 100, 101 and 102; locations are the processes of the same number.
OUTLINE = "main\n  MPI_Send\n  MPI_Recv"
SEND, RECEIVE = 101, 102


def run(times: dict[tuple[int, int], int], waits: dict[int, int] | None = None) -> Tables:
    """A run with exclusive times by call path and process, and Late Sender by process."""
    count = 1 + max(place for _, place in times)
    tables = program(OUTLINE, times, list(range(count)))
    for place in tables["locations"]:
        place["rank"] = place["location_group_id"]
    tables["runs"] = [{"run_id": "x", "process_count": count}]
    tables["metrics"] = [
        {"metric": "time", "unit": "ns"},
        {"metric": "mpi_latesender", "unit": "ns"},
        {"metric": "messages", "unit": "ns"},
        {"metric": "moving", "unit": "ns", "parent_metric": "messages"},
    ]
    tables["overhead_classes"] = [
        {"overhead_id": 0, "overhead_subclass": "user code", "metric": "messages"},
        {"overhead_id": 1, "overhead_subclass": "outside visits", "metric": "moving"},
    ]
    tables["region_classes"] = [{"region_id": 2, "overhead_id": 0}]
    tables["location_overheads"] = []
    tables["severities"] = [
        {"metric": "mpi_latesender", "call_path_id": 2, "location_id": place, "value": wait}
        for place, wait in (waits or {}).items()
    ]
    return tables


def changes(base: list[Tables], other: list[Tables], **more: Any) -> Found:
    runs = {f"base{number}": tables for number, tables in enumerate(base)}
    others = {f"other{number}": tables for number, tables in enumerate(other)}
    return query_runs(
        "changes", runs | others, base_runs=",".join(runs), other_runs=",".join(others), **more
    )


def changes_of(found: Found, metric: str) -> list[tuple[Any, ...]]:
    """Key, and rank where there is one, then the values of both sides and the change."""
    return [
        (
            row["call_path_key"],
            *([] if row["rank"] is None else [row["rank"]]),
            row["base_value"],
            row["other_value"],
            row["change_value"],
        )
        for row in found
        if row["metric"] == metric
    ]


#            rank 0              rank 1
# base       main 100 send 10    main 90  recv 30, 12 of them waiting
# other      main 100 send 10    main 95  recv 50, 31 of them waiting
BASE = run({(0, 0): 100, (1, 0): 10, (0, 1): 90, (2, 1): 30}, {1: 12})
OTHER = run({(0, 0): 100, (1, 0): 10, (0, 1): 95, (2, 1): 50}, {1: 31})


def test_metrics_are_compared_as_a_whole_and_by_call_path_the_largest_change_first() -> None:
    found = changes([BASE], [OTHER])
    assert changes_of(found, "time") == [
        (None, 100 + 10 + 90 + 30, 100 + 10 + 95 + 50, 5 + 20),
        (RECEIVE, 30, 50, 20),
        (100, 190, 195, 5),
        (SEND, 10, 10, 0),
    ]
    assert changes_of(found, "mpi_latesender") == [(None, 12, 31, 19), (RECEIVE, 12, 31, 19)]
    assert changes_of(found, "visits")[0] == (None, 4, 4, 0)
    assert changes_of(found, "messages") == [(None, 30, 50, 20), (RECEIVE, 30, 50, 20)]


def test_a_run_compared_with_itself_has_no_changes() -> None:
    found = changes([BASE], [BASE])
    assert {row["change_value"] for row in found} == {0}


def test_sides_are_means_of_their_runs_and_a_run_without_a_metric_counts_as_0() -> None:
    """Late Sender of three runs: 12, 0 and 30; mean 14, variance (4 + 196 + 256) / 2."""
    never = run({(0, 0): 100, (2, 0): 30})
    often = run({(0, 0): 100, (2, 0): 30}, {0: 30})
    found = changes([BASE, never, often], [OTHER])
    row = next(row for row in found if row["metric"] == "mpi_latesender")
    assert (row["base_value"], row["other_value"], row["change_value"]) == (14, 31, 17)
    assert row["base_variance"] == (4 + 196 + 256) / 2
    assert row["other_variance"] is None


def test_only_requested_metrics_are_split_by_rank() -> None:
    found = changes([BASE], [OTHER], places=f"time {RECEIVE},time 100,mpi_latesender all")
    assert changes_of(found, "time") == [(RECEIVE, 1, 30, 50, 20), (100, 1, 90, 95, 5),
                                   (100, 0, 100, 100, 0)]  # fmt: skip
    assert changes_of(found, "mpi_latesender") == [(None, 1, 12, 31, 19)]
    assert {row["metric"] for row in found} == {"time", "mpi_latesender"}


def test_growing_and_falling_ranks_have_separate_limits() -> None:
    base = run({(0, 0): 10, (0, 1): 20, (0, 2): 30, (0, 3): 40})
    other = run({(0, 0): 11, (0, 1): 25, (0, 2): 27, (0, 3): 33})
    found = changes([base], [other], places="time 100", rank_limit=1)
    assert changes_of(found, "time") == [(100, 3, 40, 33, -7), (100, 1, 20, 25, 5)]


def test_sums_over_processes_are_compared_if_their_numbers_differ() -> None:
    wide = run({(0, 0): 100, (0, 1): 100, (0, 2): 100, (0, 3): 140, (2, 3): 20}, {3: 8})
    found = changes([BASE], [wide])
    assert changes_of(found, "time")[0] == (None, 230, 460, 230)
    assert changes_of(found, "mpi_latesender")[0] == (None, 12, 8, -4)
    ranks = changes([BASE], [wide], places="time 100")
    assert changes_of(ranks, "time")[0] == (100, 3, 0, 140, 140)


def test_call_paths_of_one_side_only_are_listed() -> None:
    other = run({(0, 0): 100, (2, 0): 7})
    for name in ("call_paths", "call_path_keys"):
        other[name] = [row for row in other[name] if row["call_path_id"] != 1]
    other["call_path_keys"][-1]["call_path_key"] = 900
    found = [row for row in changes([BASE], [other]) if row["metric"] == "time"]
    sides = {row["call_path_key"]: (row["is_in_base"], row["is_in_other"]) for row in found}
    assert sides == {
        None: (True, True), 100: (True, True), SEND: (True, False), RECEIVE: (True, False),
        900: (False, True),
    }  # fmt: skip


def test_time_in_no_call_path_has_the_key_zero() -> None:
    base, other = run({(0, 0): 10}), run({(0, 0): 10})
    for tables, time in ((base, 5), (other, 9)):
        tables["location_overheads"] = [{"location_id": 0, "overhead_id": 1, "time_ns": time}]
    found = changes([base], [other])
    assert changes_of(found, "moving") == [(None, 5, 9, 4), (0, 5, 9, 4)]
    assert changes_of(found, "messages") == changes_of(found, "moving")
