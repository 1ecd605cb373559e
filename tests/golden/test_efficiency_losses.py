"""Efficiency losses: the time of each thread without computation, by the efficiency it lowers."""

from typing import Any

from tests.helpers.running import query_rows

LOSSES = "load_imbalance_ns serialization_ns transfer_ns communication_ns"
OF_TEAMS = "openmp_serialization_ns openmp_load_imbalance_ns openmp_scheduling_ns"


def metrics_of(
    run: int, ideal: int, communication: float, *, is_valid: bool = True, has_teams: bool = False
) -> list[dict[str, Any]]:
    found = {
        ("times", "run_time"): run,
        ("times", "ideal_run_time"): ideal,
        ("multiplicative", "communication_efficiency"): communication,
    }
    if has_teams:
        found["multiplicative", "openmp_efficiency"] = 0.5
    return [
        {"interval": "whole", "convention": convention, "metric": metric, "value": float(value)}
        | {"is_valid": is_valid}
        for (convention, metric), value in found.items()
    ]


def times_of(**classes: tuple[int, ...]) -> list[dict[str, Any]]:
    count = len(classes["useful_ns"])
    return [
        {
            "interval": "whole",
            "location_id": at,
            **{name: each[at] for name, each in classes.items()},
        }
        for at in range(count)
    ]


def losses(metrics: list[dict[str, Any]], times: list[dict[str, Any]], columns: str) -> list[Any]:
    tables = {"pop_metrics": metrics, "pop_locations": times}
    rows = query_rows("efficiency_losses", tables, f"location_id {columns}")
    return [tuple(row.values())[1:] for row in sorted(rows, key=lambda row: row["location_id"])]


#         0   10   20   30   40   50   60   70   80   90  100
# rank 0  [====================================][wait ][MPI]    useful 80, of a run of 100
# rank 1  [==============][wait            ][MPI           ]    useful 30
# ideal   the longest computes 80, and waits 5 that no network saves: 85
def test_losses_of_a_process_are_its_time_without_computation() -> None:
    found = losses(metrics_of(100, 85, 0.8), times_of(useful_ns=(80, 30)), LOSSES)
    assert found == [(0, 5, 15, None), (50, 5, 15, None)]
    assert [sum(each[:3]) for each in found] == [100 - 80, 100 - 30]


def test_an_impossible_ideal_run_leaves_serialization_and_transfer_together() -> None:
    metrics = metrics_of(100, 70, 0.8, is_valid=False)
    found = losses(metrics, times_of(useful_ns=(80, 30)), LOSSES)
    assert found == [(0, None, None, 20), (50, None, None, 20)]


# Two threads of one process, of a run of 100: 10 in MPI, where the worker is idle, too.
#
# master  [== 50 ==][barrier 20][serial 15][other 5][MPI 10]
# worker  [== 60 ==][barrier 10][outside 15][other 5][MPI 10]
def test_teams_lose_what_is_outside_of_mpi() -> None:
    metrics = metrics_of(100, 90, 0.9, has_teams=True)
    times = times_of(
        useful_ns=(65, 60), barrier_wait_ns=(20, 10), outside_ns=(0, 15), other_ns=(5, 5),
        mpi_ns=(10, 10),
    )  # fmt: skip
    found = losses(metrics, times, f"{LOSSES} {OF_TEAMS}")
    assert found == [(0, 0, 10, None, 0, 20, 5), (0, 0, 10, None, 15, 10, 5)]
    assert [sum(filter(None, each)) for each in found] == [100 - 65, 100 - 60]
