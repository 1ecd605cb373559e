"""Orders of programs by their marks, and how far two orders agree."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

FEWEST_PROGRAMS = 3


def rank_ascending(values: Values) -> Values:
    """Positions in ascending order from 1; equal values share the mean, NaN has none (NaN)."""
    ranks = np.full(len(values), np.nan)
    is_known = ~np.isnan(values)
    _, place, count = np.unique(values[is_known], return_inverse=True, return_counts=True)
    ranks[is_known] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks


def correlate_orders(one: Values, other: Values) -> tuple[int, float | None]:
    """How many programs have both values, and Spearman's rank correlation of these.

    There is none for fewer than three programs, nor where one of the values is always the same.
    """
    is_known = ~(np.isnan(one) | np.isnan(other))
    count = int(is_known.sum())
    if count < FEWEST_PROGRAMS:
        return count, None
    first, second = (rank_ascending(values[is_known]) for values in (one, other))
    first, second = first - first.mean(), second - second.mean()
    spread = float(np.sqrt((first @ first) * (second @ second)))
    if spread == 0:
        return count, None
    return count, float(np.clip(first @ second / spread, -1, 1))
