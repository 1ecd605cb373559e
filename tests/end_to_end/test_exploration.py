"""What can be explored in a page adds up to what the tables and exports say."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest

from tracemill.engine.analyze import Analysis
from tracemill.reports.exploring import Exploration, explore
from tracemill.reports.material import Material
from tracemill.sql.query_files import create_views, load_query
from tracemill.store.runs import Run

# What is in no call path, or is not explored: of imbalance only the overload is.
APART = ("imbalance", "idle", "idle_waiting", "overhead_idle_threads", "overhead_outside_visits")
Cell = tuple[str, int, int]


@pytest.fixture(scope="module")
def run(analysis_of: Callable[[str], Analysis]) -> Run:
    return analysis_of("m29_hybrid").run


def explore_run(run: Run, most_cells: int = 10**6) -> Exploration:
    connection = run.connect()
    try:
        found = explore(Material(connection, run.manifest), most_cells)
    finally:
        connection.close()
    assert found is not None
    return found


def whole_cells(found: Exploration) -> dict[Cell, float]:
    """Every metric with its parts, per place of the call path and of the location."""
    metrics, count = found.data["metrics"], found.data["locationCount"]
    cells: dict[Cell, float] = defaultdict(float)
    for metric in metrics:
        above = metric
        while True:
            for key, value in zip(metric["keys"], metric["values"], strict=True):
                cells[above["name"], int(key) // count, int(key) % count] += float(value)
            if above["parent"] < 0:
                break
            above = metrics[above["parent"]]
    return cells


def test_cells_hold_what_is_exported(run: Run) -> None:
    connection = run.connect()
    create_views(connection, load_query("severity_cells").inputs)
    exported = connection.sql(
        f"""SELECT metric, call_path_id, location_id, sum(if(unit = 'ns', value * 1e9, value))
        FROM ({load_query("severity_cells").statement}) AS cells
        INNER JOIN metrics USING (metric)
        INNER JOIN call_paths ON cells.call_path = call_paths.path
        INNER JOIN locations USING (rank, thread)
        GROUP BY ALL"""
    ).fetchall()
    connection.close()
    expected = {
        (metric, path, location): value
        for metric, path, location, value in exported
        if metric not in APART
        and (not metric.startswith("imbalance") or metric == "imbalance_above")
    }
    found = whole_cells(explore_run(run))
    for cell, value in expected.items():
        assert found[cell] == pytest.approx(value, rel=1e-6, abs=1), cell
    surplus = {cell[0] for cell in found if cell not in expected and found[cell]}
    wholes = {"all_waiting", "all_causes", "pop_losses"}
    lost = {metric for metric in surplus if metric.endswith("_ns")}
    assert surplus - lost <= {"idle_thread", "idle_absent"} | wholes
    assert lost == {
        "load_imbalance_ns", "serialization_ns", "transfer_ns", "openmp_serialization_ns",
        "openmp_load_imbalance_ns", "openmp_scheduling_ns",
    }  # fmt: skip


def test_waiting_causes_and_losses_are_those_of_the_tables(run: Run) -> None:
    whole: dict[str, float] = defaultdict(float)
    for (metric, _, _), value in whole_cells(explore_run(run)).items():
        whole[metric] += value
    with run.connect() as connection:
        ((waiting,),) = connection.sql(
            "SELECT sum(wait_ns) FROM wait_states WHERE NOT is_completion"
        ).fetchall()
        ((caused,),) = connection.sql(
            "SELECT sum(direct_ns + passed_on_ns) FROM root_causes WHERE kind <> 'ompidle'"
        ).fetchall()
    assert whole["all_waiting"] == pytest.approx(waiting, rel=1e-6)
    assert whole["all_causes"] == pytest.approx(caused, rel=1e-6)
    # 12 threads, a run of 355.302 ms, of which each computes 120.001 ms on average (POP).
    assert whole["pop_losses"] == pytest.approx(12 * (355_302_475 - 120_000_696.583), rel=1e-6)


def test_what_is_left_out_is_small_and_never_a_whole_without_its_part(run: Run) -> None:
    every, few = whole_cells(explore_run(run)), whole_cells(explore_run(run, 100))
    cut = explore_run(run, 100)
    assert cut.is_cut
    assert sum(len(metric["keys"]) for metric in cut.data["metrics"]) <= 100
    assert all(value >= 0 for metric in cut.data["metrics"] for value in metric["values"])
    kept = [value for (metric, *_), value in few.items() if metric == "computation"]
    left = [value for cell, value in every.items() if cell[0] == "computation" and cell not in few]
    assert kept
    assert left
    assert max(left) <= min(kept)


def test_trees_have_their_wholes_before_their_parts(run: Run) -> None:
    data = explore_run(run).data
    parents = (
        [metric["parent"] for metric in data["metrics"]],
        data["paths"]["parent"],
        data["system"]["parent"],
    )
    for each in parents:
        assert np.all(np.array(each) < np.arange(len(each)))


def test_threads_lie_below_their_process_and_node(run: Run) -> None:
    system = explore_run(run).data["system"]
    names, parent = system["names"], system["parent"]
    assert names[:3] == ["machine Linux", "node vm", "MPI Rank 0"]
    below = [name for name, above in zip(names, parent, strict=True) if above == 2]
    assert below == ["Master thread", "OMP thread 1", "OMP thread 2"]
