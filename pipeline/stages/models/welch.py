"""How far two means may differ by chance, estimated from repetitions."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def noise_of(
    base_variance: Floats, other_variance: Floats, *, base_count: int, other_count: int
) -> Floats:
    """Half the width of the confidence interval (95 %) of the difference of two means.

    Variances are those of samples of `base_count` and `other_count` runs. A single run has none, so
    that of the other side is used. With one run on each side the noise is nan.
    Source: Welch 1947, with degrees of freedom after Welch and Satterthwaite.
    """
    if base_count < 2 and other_count < 2:
        return np.full(len(base_variance), np.nan)
    if base_count < 2 or other_count < 2:
        variance = other_variance if base_count < 2 else base_variance
        error = variance * (1 / base_count + 1 / other_count)
        freedom = np.full(len(error), float(max(base_count, other_count) - 1))
    else:
        of_base, of_other = base_variance / base_count, other_variance / other_count
        error = of_base + of_other
        weighed = of_base**2 / (base_count - 1) + of_other**2 / (other_count - 1)
        # Without variance the interval has width 0 for any degrees of freedom.
        freedom = np.divide(error**2, weighed, out=np.ones(len(error)), where=weighed > 0)
    quantile: Floats = stdtrit(freedom, 0.5 + CONFIDENCE / 2)
    return quantile * np.sqrt(error)
