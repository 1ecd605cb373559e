"""Forecasts of recorded runs: laws, and figures that an independent implementation found."""

from functools import cache
from pathlib import Path

import pytest

from tests.reference.recorded import SHARED, analyzed, rows_of
from tracemill.forecast.replayed.fitted import fit_cluster
from tracemill.forecast.replayed.forecasting import forecast_on
from tracemill.forecast.replayed.report import describe_forecast
from tracemill.forecast.replayed.storing import RunForecast
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.clusters.reading import read_cluster

# Damaged.
LEFT_OUT = frozenset({"x01_truncated_evt"})
TRACES = sorted(path.name for path in (SHARED / "traces").glob("*/") if path.name not in LEFT_OUT)
ZERO = Cluster("zero", (Level("node", 1_000, (Channel(),)),))
DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("trace", TRACES)
def test_a_network_without_costs_is_the_ideal_one(trace: str) -> None:
    run = analyzed(f"traces/{trace}")
    made = forecast_on(run, ZERO)
    query = f"""
        SELECT value::BIGINT FROM pop_metrics
        WHERE metric = 'ideal_run_time' AND interval = '{made.outcome.interval}'
    """
    assert rows_of(run, query) == [(made.outcome.time,)]
    assert made.outcome.ideal == made.measured.ideal == made.outcome.time


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("cluster", ["fat-tree", "mvs-15k", "numa-node"])
def test_processes_compute_pay_and_wait_all_of_the_time(trace: str, cluster: str) -> None:
    on = read_cluster(DATA / "clusters" / f"{cluster}.toml")
    found = forecast_on(analyzed(f"traces/{trace}"), on).outcome
    spent = found.computation + found.overhead + found.waiting
    assert spent.tolist() == (found.end - found.begin).tolist()
    assert (found.waiting >= 0).all()
    assert int(found.waits.sum()) == int(found.waiting.sum())
    assert found.time >= found.ideal


@cache
def fitted(trace: str) -> RunForecast:
    run = analyzed(f"traces/{trace}")
    return forecast_on(run, fit_cluster(run).cluster, "fitted")


@pytest.mark.parametrize(
    ("trace", "percent"),
    [("m01_late_sender", -0.01), ("m18_master_worker", -1.0), ("m23_delay_chain", 0.13)],
)
def test_the_fitted_network_explains_the_run(trace: str, percent: float) -> None:
    assert abs(fitted(trace).error) < 0.02
    assert 100 * fitted(trace).error == pytest.approx(percent, abs=0.15)


def test_a_run_on_shared_cores_is_not_explained_by_a_network() -> None:
    made = fitted("n_lu_S_4")
    assert round(100 * made.error) == -71
    assert "it cannot be reproduced by a network model" in " ".join(describe_forecast(made))
    assert "network model" not in " ".join(describe_forecast(fitted("m01_late_sender")))


def test_the_network_of_a_recorded_run() -> None:
    found = fit_cluster(analyzed("traces/n_lu_S_4"))
    assert round(found.fits[False].line.latency_ns) == 2_365
    assert found.fits[False].line.ns_per_byte == pytest.approx(0.522, abs=0.0005)
    assert found.cluster.eager_limit_bytes == 5_760 - 1
    assert [level.name for level in found.cluster.levels] == ["node", "cluster"]
    assert found.cluster.levels[0].units == 4


def test_one_sided_operations_are_transfers() -> None:
    on = read_cluster(DATA / "clusters" / "mvs-15k.toml")
    run = analyzed("traces/z01_otf2v3_nbc_rma")
    ((accesses, size),) = rows_of(
        run,
        "SELECT count(*), sum(bytes)::BIGINT FROM rma_operations "
        "WHERE kind IN ('put', 'get', 'atomic')",
    )
    levels = forecast_on(run, on).outcome.levels
    assert sum(each.transfers for each in levels) >= accesses > 0
    assert sum(each.bytes for each in levels) >= size
