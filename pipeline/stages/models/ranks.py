"""Average ranks of many rows at once, kept as integers: every rank times two."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def double_ranks(values: NDArray[np.number]) -> Floats:
    """Doubled ranks of each row, from 2; ties share their mean rank. All values are integers."""
    from scipy.stats import rankdata  # 0.6 s, and only if something is ranked

    doubled: Floats = 2 * rankdata(values, axis=1)
    return doubled
