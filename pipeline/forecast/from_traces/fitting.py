"""Fit times and sizes of several runs to the number of processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

LEAST_SHARE = 0.01
"""Terms that are below this share of the time at every number of processes are left out."""


@dataclass(frozen=True)
class TimeModel:
    """Time per process: shared / p + replicated + logarithmic · log2 p (ns).

    `r_squared` is the explained share of the variance, None if there is no variance.
    """

    shared: float
    replicated: float
    logarithmic: float
    r_squared: float | None

    def at(self, processes: float) -> float:
        """Time per process (ns)."""
        logarithm = self.logarithmic * log2(processes)
        return self.shared / processes + self.replicated + logarithm


@dataclass(frozen=True)
class SizeModel:
    """Bytes: factor · p ** exponent."""

    factor: float
    exponent: float

    def at(self, processes: float) -> float:
        """Bytes."""
        return float(self.factor * processes**self.exponent)


def fit_times(processes: Sequence[int], times_ns: Sequence[float]) -> TimeModel:
    """Least squares with weights 1 / m², no term negative; small terms are left out.

    Times of 0 have no weight and are not used.
    """
    used = [(p, m) for p, m in zip(processes, times_ns, strict=True) if m > 0]
    if not used:
        return TimeModel(0.0, 0.0, 0.0, None)
    counts, times = np.array(used, np.float64).T
    terms = np.column_stack([1 / counts, np.ones(len(counts)), np.log2(counts)])
    factors = _solve(terms, times, np.ones(3, bool))
    is_large = np.any(terms * factors >= LEAST_SHARE * times[:, None], axis=0)
    factors = _solve(terms, times, is_large)
    variance = float(np.sum((times - times.mean()) ** 2))
    residual = float(np.sum((times - terms @ factors) ** 2))
    has_variance = variance > 1e-18 * float(np.sum(times**2))
    shared, replicated, logarithmic = factors.tolist()
    explained = 1 - residual / variance if has_variance else None
    return TimeModel(shared, replicated, logarithmic, explained)


def _solve(
    terms: NDArray[np.float64], times: NDArray[np.float64], is_used: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Factors of the terms in use, 0 for others."""
    factors = np.zeros(terms.shape[1])
    if is_used.any():
        factors[is_used] = nnls(terms[:, is_used] / times[:, None], np.ones(len(times)))[0]
    return factors


def fit_sizes(processes: Sequence[int], sizes: Sequence[float]) -> SizeModel:
    """Least squares of logarithms; with one number of processes the exponent is 0."""
    used = [(p, size) for p, size in zip(processes, sizes, strict=True) if size > 0]
    if not used:
        return SizeModel(0.0, 0.0)
    counts, values = np.log(np.array(used, np.float64)).T
    spread = counts - counts.mean()
    square = float(np.sum(spread**2))
    exponent = float(np.sum(spread * values)) / square if square > 1e-12 else 0.0
    if abs(exponent) < 1e-9:
        exponent = 0.0
    return SizeModel(float(np.exp(values.mean() - exponent * counts.mean())), exponent)
