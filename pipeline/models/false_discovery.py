"""P-values of many tests, adjusted so that few of those called significant are false."""

import numpy as np

from pipeline.models.ranks import Floats


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Least false discovery rate at which each test is still called significant.

    Holds for tests that are independent or depend on each other positively. Benjamini and
    Hochberg 1995; as adjusted p-values, Yekutieli and Benjamini 1999.
    """
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * (count / np.arange(1, count + 1))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1)


def benjamini_yekutieli(p_values: Floats) -> Floats:
    """The same for tests that depend on each other in any way.

    Shares of a whole do so negatively: where one grows, others must shrink. The price is a
    factor of 1 + 1/2 + … + 1/n. Benjamini and Yekutieli 2001.
    """
    harmonic = (1 / np.arange(1, len(p_values) + 1)).sum()
    return np.minimum(benjamini_hochberg(p_values * harmonic), 1)
