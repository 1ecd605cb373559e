"""Laws of rank correlations, and of the ranking of call sites, on random campaigns."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_stage
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE
from tracemill.stages.models.rank_correlation import spearman

SITES = ("main/MPI_Send", "main/MPI_Wait", "main/solve/MPI_Wait", "main/MPI_Init")


@st.composite
def samples(draw: st.DrawFn, least: int = 2, most: int = 14) -> tuple[np.ndarray, np.ndarray]:
    """Values to compare with, and some series; few different values, so that many are tied."""
    count = draw(st.integers(least, most))
    values = st.integers(0, draw(st.sampled_from([1, 3, 1000])))
    lists = st.lists(values, min_size=count, max_size=count)
    return np.array(draw(lists)), np.array(draw(st.lists(lists, min_size=1, max_size=4)))


@given(samples(least=10))
def test_many_values_are_as_in_scipy(sample: tuple[np.ndarray, np.ndarray]) -> None:
    reference, series = sample
    found = spearman(reference, series)
    for row, values in enumerate(series):
        is_constant = len(set(reference)) == 1 or len(set(values)) == 1
        assert found.is_defined[row] != is_constant
        if not is_constant:
            expected = scipy.stats.spearmanr(reference, values)
            assert found.rho[row] == pytest.approx(expected.statistic, abs=1e-12)
            assert found.p_value[row] == pytest.approx(expected.pvalue, abs=1e-12)


@given(samples())
def test_only_the_order_of_values_counts(sample: tuple[np.ndarray, np.ndarray]) -> None:
    reference, series = sample
    found = spearman(reference, series)
    rescaled = spearman(np.log(reference + 1.0), series.astype(float) ** 3 - 7)
    assert all((a == b).all() for a, b in zip(found, rescaled, strict=True))
    reversed_ = spearman(-reference, series)
    assert (reversed_.rho == -found.rho).all()
    assert (reversed_.p_value == found.p_value).all()


@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_count(
    sample: tuple[np.ndarray, np.ndarray], random: Any
) -> None:
    reference, series = sample
    order = list(range(len(reference)))
    random.shuffle(order)
    found, shuffled = spearman(reference, series), spearman(reference[order], series[:, order])
    assert all((a == b).all() for a, b in zip(found, shuffled, strict=True))


@st.composite
def campaigns(draw: st.DrawFn) -> list[MeasuredRun]:
    """Runs of few processes in which one process spends some time in some call sites."""
    runs = []
    for _ in range(draw(st.integers(1, 8))):
        processes = draw(st.sampled_from([1, 2, 3, 4]))
        times = {
            site: [draw(st.integers(0, 6)) for _ in range(processes)]
            for site in draw(st.sets(st.sampled_from(SITES)))
        }
        size = draw(st.sampled_from([10.0, 20.0]))
        runs.append(MeasuredRun(processes, {"main": [50] * processes} | times, size=size))
    return runs


def ranking_of(tables: Tables) -> list[Row]:
    (found,) = run_stage(CALL_SITE_RANKING_STAGE, tables, ranking_resamples=20).values()
    return found


@settings(max_examples=10)
@given(campaigns(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_ranking(runs: list[MeasuredRun], random: Any) -> None:
    tables = tables_of(runs)
    before = ranking_of(tables)
    for rows in tables.values():
        random.shuffle(rows)
    assert ranking_of(tables) == before


@settings(max_examples=10)
@given(campaigns(), st.integers(2, 1000))
def test_slower_runs_have_the_same_ranking(runs: list[MeasuredRun], factor: int) -> None:
    """Shares cancel how long a run took: every other run takes longer by a factor."""
    slower = [
        MeasuredRun(
            run.processes,
            {name: [time * factor**place for time in times] for name, times in run.spent.items()},
            size=run.size,
        )
        for place, run in zip([0, 1] * len(runs), runs, strict=False)
    ]
    assert ranking_of(tables_of(slower)) == ranking_of(tables_of(runs))


@settings(max_examples=10)
@given(campaigns())
def test_rankings_are_complete_and_in_order(runs: list[MeasuredRun]) -> None:
    ranking = ranking_of(tables_of(runs))
    for size in {row["size"] for row in ranking}:
        part = [row for row in ranking if row["size"] == size]
        assert [row["rank"] for row in part] == list(range(1, len(part) + 1))
        known = [row["spearman"] for row in part if row["spearman"] is not None]
        assert known == sorted(known, reverse=True)
        assert [row["spearman"] for row in part[: len(known)]] == known
        assert sum(row["mean_share"] or 0 for row in part) == pytest.approx(
            1 if part[0]["run_count"] else 0
        )
    for row in ranking:
        assert (row["reason"] is None) == (row["spearman"] is not None)
        if row["q_value"] is not None:
            assert row["p_value"] <= row["q_value"] <= row["q_value_any_dependence"]
