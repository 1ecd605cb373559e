"""Rank correlations of many series at once, their p-values, intervals and growth exponents."""

from itertools import permutations

import numpy as np
import pytest
import scipy.stats

from tracemill.stages.models.growth import fit_growth
from tracemill.stages.models.rank_bootstrap import SEED, bootstrap_intervals
from tracemill.stages.models.rank_correlation import RankCorrelations, spearman
from tracemill.stages.models.ranks import double_ranks


def random() -> np.random.Generator:
    """The same numbers in every test, whichever tests run."""
    return np.random.default_rng(7)


def correlate(reference: list[float], *series: list[float]) -> RankCorrelations:
    return spearman(np.array(reference), np.array(series))


def test_equal_values_share_their_mean_rank() -> None:
    # 10 has rank 1, three 20s share ranks 2, 3 and 4, and 30 has rank 5.
    assert double_ranks(np.array([[20, 10, 30, 20, 20]])).tolist() == [[6, 2, 10, 6, 6]]


@pytest.mark.parametrize("count", [3, 6, 9, 10, 25, 50])
@pytest.mark.parametrize("highest", [2, 5, 1_000_000])
def test_coefficients_equal_scipy(count: int, highest: int) -> None:
    rng = random()
    reference = rng.integers(0, highest, count)
    reference[:2] = 0, 1
    series = rng.integers(0, highest, (60, count)).astype(float)
    found = spearman(reference, series)
    for row, values in enumerate(series):
        if (values == values[0]).all():
            assert not found.is_defined[row]
            continue
        expected = scipy.stats.spearmanr(reference, values)
        assert found.rho[row] == pytest.approx(expected.statistic, abs=1e-12)
        if count >= 10:
            assert found.p_value[row] == pytest.approx(expected.pvalue, abs=1e-12)


def test_a_perfect_correlation_is_exactly_one() -> None:
    found = correlate([*range(40)], [x**3 for x in range(40)], [-x for x in range(40)])
    assert found.rho.tolist() == [1, -1]
    assert found.p_value.tolist() == [0, 0]


def test_a_constant_series_has_no_coefficient() -> None:
    assert correlate([1, 2, 3], [5, 5, 5], [1, 2, 3]).is_defined.tolist() == [False, True]
    assert correlate([4, 4, 4], [1, 2, 3]).is_defined.tolist() == [False]


def test_no_series_and_single_values_have_no_coefficient() -> None:
    assert len(spearman(np.arange(5), np.empty((0, 5))).rho) == 0
    assert correlate([1], [3]).is_defined.tolist() == [False]


# --- Exact p-values ------------------------------------------------------------------------------


# Of 3! = 6 orders one is ascending, one descending: as far from 0 as a perfect order are 2.
# Of 5! = 120 orders 5 have Σd² <= 2, which is ρ >= 0.9 (published tables: one-tailed 0.042).
# Of 5! the identity alone has ρ = 1 (0.0083).
@pytest.mark.parametrize(
    ("series", "rho", "p_value"),
    [([1, 2, 3], 1, 2 / 6), ([2, 1, 3, 4, 5], 0.9, 10 / 120), ([5, 4, 3, 2, 1], -1, 2 / 120)],
)
def test_p_values_of_few_runs_count_permutations(
    series: list[float], rho: float, p_value: float
) -> None:
    found = correlate([*range(len(series))], series)
    assert found.rho[0] == pytest.approx(rho, abs=1e-15)
    assert found.p_value[0] == pytest.approx(p_value, abs=1e-15)


# Two runs each on 2 and on 4 processes: of 4! = 24 orders, 2! 2! = 4 give the two smaller shares to
# the smaller runs, and 4 to the larger ones.
def test_ties_of_the_processes_count_in_the_p_value() -> None:
    assert correlate([2, 2, 4, 4], [1, 2, 3, 4]).p_value[0] == pytest.approx(8 / 24)


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_exact_p_values_equal_trying_all_orders(count: int) -> None:
    rng = random()
    for highest in (2, 3, 100):
        reference = rng.integers(0, highest, count)
        reference[:2] = 0, 1
        series = rng.integers(0, highest, (4, count))
        found = spearman(reference, series)
        for row, values in enumerate(series):
            if found.is_defined[row]:
                expected = try_all_orders(reference, values)
                assert found.p_value[row] == pytest.approx(expected, abs=1e-12)


def try_all_orders(reference: np.ndarray, values: np.ndarray) -> float:
    """The share of all orders of the values whose |ρ| is at least as large, with scipy's ranks."""
    x, y = scipy.stats.rankdata(reference), scipy.stats.rankdata(values)
    centered = x - x.mean()
    found = abs(centered @ y)
    products = [abs(centered @ np.array(order)) for order in permutations(y)]
    return float(np.mean([product >= found - 1e-9 for product in products]))


# --- Intervals -----------------------------------------------------------------------------------


def test_intervals_are_quantiles_over_runs_drawn_again() -> None:
    rng = random()
    reference = np.repeat([2, 4, 8, 16], 3)
    series = rng.integers(0, 6, (3, 12)).astype(float)
    found = bootstrap_intervals(reference, series, resamples=150, level=0.9)
    draws = np.random.default_rng(SEED).integers(0, 12, (150, 12))
    for row, values in enumerate(series):
        rhos = [
            scipy.stats.spearmanr(reference[draw], values[draw]).statistic
            for draw in draws
            if len(set(reference[draw])) > 1 and len(set(values[draw])) > 1
        ]
        assert found.low[row] == pytest.approx(np.quantile(rhos, 0.05), abs=1e-12)
        assert found.high[row] == pytest.approx(np.quantile(rhos, 0.95), abs=1e-12)
    assert found.is_defined.all()


def test_intervals_do_not_depend_on_other_requests() -> None:
    rng = random()
    reference, series = np.arange(15), rng.random((5, 15))
    together = bootstrap_intervals(reference, series)
    alone = bootstrap_intervals(reference, series[3:4])
    assert (together.low[3], together.high[3]) == (alone.low[0], alone.high[0])


def test_a_constant_series_has_no_interval() -> None:
    assert not bootstrap_intervals(np.arange(5), np.ones((1, 5))).is_defined[0]


def test_most_intervals_hold_the_coefficient_of_the_whole_population() -> None:
    """In a bivariate normal population ρ = 6/π asin(r/2); nominal 90 %, small samples less."""
    rng = random()
    correlation, covered = 0.6, 0
    truth = 6 / np.pi * np.arcsin(correlation / 2)
    for _ in range(200):
        sample = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 40)
        found = bootstrap_intervals(sample[:, 0], sample[:, 1][None, :], resamples=200, level=0.9)
        covered += int(found.low[0] <= truth <= found.high[0])
    assert 0.8 < covered / 200 < 0.98


# --- Growth --------------------------------------------------------------------------------------


def grow(processes: list[int], groups: list[int], values: list[float]) -> tuple[float | None, ...]:
    found = fit_growth(np.array(processes), np.array(groups), np.array([values], float))
    return (
        float(found.exponent[0]) if found.is_defined[0] else None,
        float(found.error[0]) if found.has_error[0] else None,
        int(found.value_count[0]),
    )


def test_a_power_of_processes_is_found_whatever_the_factor_of_a_size() -> None:
    processes, groups = [2, 4, 8, 2, 4, 8], [0, 0, 0, 1, 1, 1]
    values = [(1 + 99 * group) * p**1.5 for p, group in zip(processes, groups, strict=True)]
    exponent, error, count = grow(processes, groups, values)
    assert exponent == pytest.approx(1.5)
    assert error == pytest.approx(0, abs=1e-12)
    assert count == 6


def test_exponent_and_error_equal_scipy() -> None:
    processes = [2, 4, 8, 16, 32]
    values = [10.0, 17.0, 44.0, 61.0, 150.0]
    expected = scipy.stats.linregress(np.log(processes), np.log(values))
    assert grow(processes, [0] * 5, values)[:2] == pytest.approx((expected.slope, expected.stderr))


def test_zeros_do_not_count_in_the_exponent() -> None:
    assert grow([2, 4, 8, 16], [0] * 4, [0, 4, 8, 0]) == (pytest.approx(1), None, 2)


def test_one_process_count_gives_no_exponent() -> None:
    assert grow([4, 4, 8], [0, 0, 1], [1, 2, 3]) == (None, None, 3)
    assert grow([2, 4], [0, 0], [0, 0]) == (None, None, 0)
