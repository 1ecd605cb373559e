"""Spearman's rank correlation of many series with one, and how likely it is by chance."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tracemill.stages.models.permutation import EXACT_LIMIT, permutation_p_values
from tracemill.stages.models.ranks import Flags, Floats, double_ranks

# Rows at a time: what is worked on stays in the cache.
_BLOCK_ROWS = 2048


class RankCorrelations(NamedTuple):
    """One element per series; `rho` is 0 and `p_value` 1 unless `is_defined`."""

    rho: Floats
    p_value: Floats
    is_defined: Flags


def spearman(reference: NDArray[np.number], series: NDArray[np.number]) -> RankCorrelations:
    """Rank correlation of each row of `series` with `reference`; neither contains NaN.

    Ties have average ranks. The p-value is two-sided. For up to nine values it is exact, by all
    permutations; for more, t = ρ √((n - 2) / (1 - ρ²)) follows Student's distribution with n - 2
    degrees of freedom. Spearman 1904; Kendall and Gibbons, "Rank Correlation Methods".
    """
    rows, count = series.shape
    if len(reference) != count:
        raise ValueError(f"{count} values per series, but {len(reference)} to compare with")
    found = RankCorrelations(np.zeros(rows), np.ones(rows), np.zeros(rows, np.bool_))
    if count < 2:
        return found
    reference_ranks = double_ranks(np.asarray(reference)[None, :])[0]
    for start in range(0, rows, _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        part = _correlate(reference_ranks, series[block])
        for whole, values in zip(found, part, strict=True):
            whole[block] = values
    return found


def is_exact(count: int) -> bool:
    """True if p-values of so many values are exact."""
    return count <= EXACT_LIMIT


def correlate_ranks(
    products: Floats, squares: Floats, reference_squares: Floats, count: int
) -> tuple[Floats, Flags]:
    """Spearman's ρ from sums over doubled ranks, and where it is defined (else ρ is 0).

    `count` doubled ranks sum to n (n + 1), so n² times the covariance is n Σxy - (n (n + 1))².
    """
    total = float(count * (count + 1)) ** 2
    covariance = count * products - total
    spread = (count * squares - total) * (count * reference_squares - total)
    is_defined = spread > 0
    rho = np.clip(covariance / np.sqrt(np.where(is_defined, spread, 1)), -1, 1)
    return np.where(is_defined, rho, 0), is_defined


def _correlate(reference: Floats, series: NDArray[np.number]) -> RankCorrelations:
    """The same for some rows and a reference that is ranked."""
    ranks = double_ranks(series)
    count = len(reference)
    products = ranks @ reference
    squares = np.einsum("ij,ij->i", ranks, ranks)
    rho, is_defined = correlate_ranks(products, squares, reference @ reference, count)
    if is_exact(count):
        p_value = permutation_p_values(reference, products, ranks)
    else:
        p_value = _student_p_values(rho, count)
    return RankCorrelations(rho, np.where(is_defined, p_value, 1), is_defined)


def _student_p_values(rho: Floats, count: int) -> Floats:
    """Two-sided p-values by the t approximation; 0 for a perfect correlation."""
    with np.errstate(divide="ignore"):
        t = np.abs(rho) * np.sqrt((count - 2) / ((1 + rho) * (1 - rho)))
    return np.minimum(2 * stdtr(count - 2, -t), 1)
