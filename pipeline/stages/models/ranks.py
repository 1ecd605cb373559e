"""Average ranks of many rows at once, kept as integers: every rank times two."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def double_ranks(values: NDArray[np.number]) -> Floats:
    """Rank each row of a matrix without NaN from 2, in steps of two; ties share their mean rank.

    A rank is at most the number of columns and a mean of ranks at most half-integral, so that
    doubled ranks, their products and sums of these are exact.
    """
    from scipy.stats import rankdata  # 0.6 s, and only if something is ranked

    doubled: Floats = 2 * rankdata(values, axis=1)
    return doubled
