"""How metrics and call paths grow with the number of processes."""

from typing import Any

import pytest

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query, run_stage
from tracemill.schemas.call_sites import CONSTANT, ONE_PROCESS_COUNT
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE, METRIC_GROWTH_STAGE

WORK, WAIT = "main/work", "main/MPI_Wait"


# 64 ns of work are shared out; each of p processes waits for p ns.
def campaign(*counts: int, size: float = 1) -> list[MeasuredRun]:
    return [
        MeasuredRun(
            processes=p,
            spent={WORK: [64 // p] * p, WAIT: [p] * p},
            size=size,
            waits={WAIT: p * p // 2},
            path={WORK: 60 // p, WAIT: p},
        )
        for p in counts
    ]


def with_metrics(runs: list[MeasuredRun], **metrics: list[int]) -> Tables:
    """Metrics of the runs; each value is spread over two call paths."""
    tables = tables_of(runs)
    tables["run_metrics"] = [
        {"campaign_run_id": run, "metric": metric, "call_path_key": key, "value_ns": part}
        for metric, values in metrics.items()
        for run, value in enumerate(values)
        for key, part in ((1000, value // 4), (1001, value - value // 4))
    ]
    return tables


def growth_of(tables: Tables, columns: str, stage: Any = METRIC_GROWTH_STAGE) -> list[Any]:
    (found,) = run_stage(stage, tables).values()
    return [tuple(row[name] for name in columns.split()) for row in found]


# Location time is 64 + p²: 68, 80, 128; the critical path has 60 / p + p: 32, 19 and 15.
def test_metrics_are_shares_of_their_total() -> None:
    tables = with_metrics(campaign(2, 4, 8), mpi_latesender=[17, 40, 0], critical_path=[32, 19, 15])
    columns = "campaign_run_id metric value_ns share_of share"
    assert run_query("metric_times", tables, columns) == [
        (0, "critical_path", 32, "critical path", 1),
        (0, "mpi_latesender", 17, "time of all locations", 17 / 68),
        (1, "critical_path", 19, "critical path", 1),
        (1, "mpi_latesender", 40, "time of all locations", 40 / 80),
        (2, "critical_path", 15, "critical path", 1),
    ]


def test_the_growth_of_a_metric_is_fitted() -> None:
    # 4 p² of waiting; shares 16/68, 64/80, 256/128 grow.
    tables = with_metrics(campaign(2, 4, 8), mpi_latesender=[16, 64, 256])
    columns = "metric size run_count fitted_count growth_exponent spearman p_value"
    assert growth_of(tables, columns) == [
        ("mpi_latesender", None, 3, 3, pytest.approx(2), 1, pytest.approx(2 / 6))
    ]
    assert growth_of(tables, "smallest_share mean_share largest_share") == [
        (16 / 68, pytest.approx((16 / 68 + 64 / 80 + 2) / 3), 2)
    ]
    (error,) = growth_of(tables, "growth_error")[0]
    assert error == pytest.approx(0, abs=1e-9)


def test_runs_where_a_metric_is_0_count_in_its_share_but_not_in_its_exponent() -> None:
    tables = with_metrics(campaign(2, 4, 8), mpi_latesender=[0, 8, 16])
    columns = "fitted_count growth_exponent growth_error smallest_share spearman"
    # Shares are 0, 8/80 = 0.1 and 16/128 = 0.125.
    assert growth_of(tables, columns) == [(2, pytest.approx(1), None, 0, 1)]


def test_runs_of_one_process_are_left_out() -> None:
    tables = with_metrics(campaign(1, 2, 4, 8), computation=[64, 32, 64, 128])
    assert growth_of(tables, "smallest_processes growth_exponent") == [(2, pytest.approx(1))]


def test_setup_does_not_count() -> None:
    runs = campaign(2, 4, 8)
    started = [
        MeasuredRun(
            run.processes,
            {**run.spent, "main/MPI_Init": [1000 * (8 - run.processes)] * run.processes},
            path=dict(run.path) | {"main/MPI_Init": 500},
        )
        for run in runs
    ]
    assert [row[1:] for row in run_query("run_totals", tables_of(started))] == [
        (68, 0, 32), (80, 0, 19), (128, 0, 15)
    ]  # fmt: skip
    columns = "quantity call_path_key spearman largest_share"
    quantities = growth_of(tables_of(started), columns, CALL_PATH_GROWTH_STAGE)
    assert quantities[0] == ("exclusive time", 1000, -1, 64 / 128)
    tables = with_metrics(started, time=[68, 80, 128])
    tables["run_metrics"] += [
        {"campaign_run_id": run, "metric": "time", "call_path_key": 1002, "value_ns": 9999}
        for run in range(3)
    ]
    tables["run_metrics"].append(
        {"campaign_run_id": 2, "metric": "idle", "call_path_key": 0, "value_ns": 32}
    )
    assert run_query("metric_times", tables, "campaign_run_id metric share") == [
        (0, "time", 1), (1, "time", 1), (2, "idle", 0.25), (2, "time", 1)
    ]  # fmt: skip


def test_sizes_have_a_factor_of_their_own() -> None:
    runs = campaign(2, 4, 8) + campaign(2, 4, 8, size=2)
    tables = with_metrics(runs, computation=[2, 4, 8, 600, 1200, 2400])
    assert growth_of(tables, "size fitted_count growth_exponent") == [
        (None, 6, pytest.approx(1)),
        (1, 3, pytest.approx(1)),
        (2, 3, pytest.approx(1)),
    ]


def test_impossible_results_are_null_with_a_reason() -> None:
    columns = "growth_exponent growth_error spearman reason mean_share"
    tables = with_metrics(campaign(4, 4, 4), computation=[8, 8, 40])
    assert growth_of(tables, columns) == [
        (None, None, None, ONE_PROCESS_COUNT, pytest.approx(56 / 240))
    ]
    tables = with_metrics(campaign(2, 4, 8), computation=[68, 80, 128])
    assert growth_of(tables, "spearman reason") == [(None, CONSTANT)]


def test_the_growth_of_call_paths_is_fitted() -> None:
    tables = tables_of(campaign(2, 4, 8))
    columns = "quantity call_path_key growth_exponent spearman largest_share"
    work, wait = 1000, 1001
    assert growth_of(tables, columns, CALL_PATH_GROWTH_STAGE) == [
        # 64 ns over all processes, however many there are; waiting p².
        ("exclusive time", work, pytest.approx(0, abs=1e-12), -1, 64 / 128),
        ("exclusive time", wait, pytest.approx(2), 1, 64 / 128),
        ("waiting", wait, pytest.approx(2), 1, 32 / 128),
        # 30, 15 and 7 of 32, 19 and 15.
        ("critical path", work, pytest.approx(-1.05, abs=0.01), -1, 7 / 15),
        ("critical path", wait, pytest.approx(1), 1, 8 / 15),
    ]


def test_no_runs_give_no_rows() -> None:
    assert growth_of(tables_of([]), "metric") == []
    assert growth_of(tables_of([]), "quantity", CALL_PATH_GROWTH_STAGE) == []
