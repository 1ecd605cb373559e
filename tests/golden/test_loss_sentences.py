"""Sentences on call paths that lose efficiency in cells of the grid."""

from typing import Any

from tests.helpers.running import query_rows, run_query
from tracemill.reports.campaign_sections.drill_down import describe_worst

Row = dict[str, Any]


def site(call_path: str, loss_processes: float, loss_size: float, processes: int = 2) -> Row:
    """A call path of the cell from so many processes to twice as many."""
    return {
        "application": "x", "lower_processes": processes, "upper_processes": 2 * processes,
        "lower_size": 10, "upper_size": 20, "call_path": call_path,
        "call_path_key": 1 + sum(map(ord, call_path)), "place": "a.f:7",
        "loss_processes": loss_processes, "loss_size": loss_size,
    }  # fmt: skip


def tables_of(*sites: Row) -> dict[str, list[Row]]:
    cells = {(each["lower_processes"], each["upper_processes"]) for each in sites}
    cell = {"application": "x", "lower_size": 10, "upper_size": 20, "size_axis": "size"}
    return {
        "cell_call_sites": list(sites),
        "grid_cells": [
            cell | {"lower_processes": low, "upper_processes": high} for low, high in sorted(cells)
        ],
    }


def sentences_of(tables: dict[str, list[Row]]) -> list[str]:
    return list(describe_worst(query_rows("worst_losses", tables)))


def test_the_worst_cell_is_named_even_after_many_others() -> None:
    """The table holds 500 rows of fewer processes; the worst is at the most."""
    sites = [site(f"main/{at}", 0.01, 0, at) for at in range(1, 601)]
    assert sentences_of(tables_of(*sites, site("main/MPI_Wait", 0.5, 0, 1024))) == [
        'x: the largest loss is in "main/MPI_Wait" (a.f:7), from 1,024 to 2,048 processes '
        "(50.0% of the time with fewer); it has no waiting."
    ]


def test_losses_with_size_alone_are_named() -> None:
    tables = tables_of(site("main/work", -0.02, 0.1), site("main/other", -0.01, 0.05))
    assert sentences_of(tables) == [
        'x: the largest loss is in "main/work" (a.f:7), from size 10 to 20 (10.0% of the time at '
        "the smaller size, per unit of computation; no loss with processes); it has no "
        "waiting."
    ]


def test_the_longest_wait_of_the_cell_is_named_with_its_run() -> None:
    worst = site("main/MPI_Wait", 0.5, 0)
    key = {"call_path_key": worst["call_path_key"]}
    runs = [{"campaign_run_id": at, "application": "x", "run_id": f"run{at}"} for at in (0, 1)]
    waits = ((0, "mpi_latesender", 20), (1, "mpi_latesender", 30), (1, "mpi_latesender_wo", 25))
    tables = tables_of(worst) | {
        "campaign_runs": runs,
        "efficiency_grid": [
            {
                "application": "x",
                "processes": p,
                "size": 10,
                "efficiency": 0.5,
                "campaign_run_id": at,
            }
            for at, p in enumerate((2, 4))
        ],
        "run_call_paths": [{"campaign_run_id": at, "exclusive_ns": 40} | key for at in (0, 1)],
        "run_metrics": [
            {"campaign_run_id": at, "metric": metric, "value_ns": value} | key
            for at, metric, value in waits
        ],
    }
    (sentence,) = sentences_of(tables)
    assert sentence.endswith(
        "; Late Sender is 75.0% of its time. For causes: tracemill report run1"
    )


def test_call_paths_that_lose_with_size_alone_are_among_the_three_of_a_cell() -> None:
    few = [site(f"main/{name}", 0.01, 0) for name in "abc"]
    tables = tables_of(*few, site("main/large", -0.1, 0.3))
    found = run_query("losing_call_paths", tables, "call_path", row_limit=9)
    assert found == [("main/large",), ("main/a",), ("main/b",)]
