"""Bootstrap intervals of rank correlations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.rank_correlation import correlate_ranks
from tracemill.stages.models.ranks import Flags, Floats

SEED = 20010613
"""Every call draws alike, so that results do not depend on what was computed before."""


class Intervals(NamedTuple):
    """One element per series; where `is_defined` is False both ends are 0 and mean nothing."""

    low: Floats
    high: Floats
    is_defined: Flags


class _Draws(NamedTuple):
    """The number of times that each draw (row) takes each value (column).

    For the reference: its doubled ranks times that, and the sum of squares of its ranks.
    """

    weights: Floats
    weighted_ranks: Floats
    squares: Floats


def bootstrap_intervals(
    reference: NDArray[np.number],
    series: NDArray[np.number],
    *,
    resamples: int = 1000,
    level: float = 0.95,
) -> Intervals:
    """Percentile intervals of Spearman's ρ of each row of `series` with `reference`.

    Pairs are drawn with replacement and ranked anew; all series share the draws. Draws with a
    constant side are left out; a series without other draws has no interval. SciPy's bootstrap
    takes 900 times as long. Efron and Tibshirani, "An Introduction to the Bootstrap", 13.3.
    """
    rows, count = series.shape
    found = Intervals(np.zeros(rows), np.zeros(rows), np.zeros(rows, np.bool_))
    if not rows or count < 2 or resamples < 1:
        return found
    draws = _draw(np.asarray(reference), resamples)
    tail = (1 - level) / 2
    for row, values in enumerate(series):
        ranks = _ranks_in_draws(values, draws.weights)
        products = np.einsum("ij,ij->i", draws.weighted_ranks, ranks)
        squares = np.einsum("ij,ij,ij->i", draws.weights, ranks, ranks)
        rho, is_defined = correlate_ranks(products, squares, draws.squares, count)
        if is_defined.any():
            low, high = np.quantile(rho[is_defined], [tail, 1 - tail])
            found.low[row], found.high[row], found.is_defined[row] = low, high, True
    return found


def _draw(reference: NDArray[np.number], resamples: int) -> _Draws:
    count = len(reference)
    drawn = np.random.default_rng(SEED).integers(0, count, (resamples, count))
    places = drawn + count * np.arange(resamples)[:, None]
    counts = np.bincount(places.ravel(), minlength=resamples * count)
    weights = counts.reshape(resamples, count).astype(np.float64)
    ranks = _ranks_in_draws(reference, weights)
    return _Draws(weights, weights * ranks, np.einsum("ij,ij,ij->i", weights, ranks, ranks))


def _ranks_in_draws(values: NDArray[np.number], weights: Floats) -> Floats:
    """Doubled average ranks of the values in every draw; arbitrary for values not drawn."""
    order = np.argsort(values, kind="stable")
    is_new = np.append(True, np.diff(values[order]) != 0)
    together = np.add.reduceat(weights[:, order], np.flatnonzero(is_new), axis=1)
    doubled = 2 * np.cumsum(together, axis=1) - together + 1
    group = np.empty(len(values), np.int64)
    group[order] = np.cumsum(is_new) - 1
    return doubled[:, group]
