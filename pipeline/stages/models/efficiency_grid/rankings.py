"""Orders by a value, and how far two orders agree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.rank_correlation import spearman

Values = NDArray[np.float64]

FEWEST_PAIRS = 3


class Agreement(NamedTuple):
    """Agreement of two orders: number of pairs, Spearman's ρ, and its p-value.

    ρ is None for fewer than three pairs or constant values.
    """

    pair_count: int
    rho: float | None
    p_value: float | None


def rank_ascending(values: Values) -> Values:
    """Positions in ascending order from 1; equal values share the mean, NaN has none (NaN)."""
    from scipy.stats import rankdata  # 0.6 s, and only if something is ranked

    ranks: Values = rankdata(values, nan_policy="omit")
    return ranks


def compare_orders(one: Values, other: Values) -> Agreement:
    """Rank correlation of two values over those that have both; NaN stands for none."""
    is_known = ~(np.isnan(one) | np.isnan(other))
    count = int(is_known.sum())
    if count < FEWEST_PAIRS:
        return Agreement(count, None, None)
    found = spearman(one[is_known], other[is_known][None, :])
    if not found.is_defined[0]:
        return Agreement(count, None, None)
    return Agreement(count, float(found.rho[0]), float(found.p_value[0]))
