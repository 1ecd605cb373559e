"""Separable surfaces T(p, n) = t(n) * (alpha/p + beta) with t(n) = c1 n + c2 n^2 + c3 n^3.

Source: Sekiguchi & Sato 1994, where t is fitted first, then alpha and beta. Only the product is
determined: the factors are scaled so that p * (alpha/p + beta) is 1 on the average.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from tracemill.stages.models.surfaces.measurements import Floats, Measurements, UndeterminedError
from tracemill.stages.models.surfaces.surface import Surface, Values, write_sum

_POWERS = (1, 2, 3)
_TOLERANCE = 1e-14
_NOTHING = 1e-12
"""Coefficients of a smaller share of their factor are rounding."""


@dataclass(frozen=True)
class Separable:
    """T(p, n) in seconds by c1, c2, c3, alpha and beta."""

    size_coefficients: tuple[float, ...]
    alpha: float
    beta: float

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        named = [(f"c{power}", c) for power, c in zip(_POWERS, self.size_coefficients, strict=True)]
        return (*named, ("alpha", self.alpha), ("beta", self.beta))

    @property
    def parameter_count(self) -> int:
        """Four, as the scales of the two factors are one."""
        return len(_POWERS) + 1

    def formula(self, size_name: str) -> str:
        powers = (size_name, f"{size_name}^2", f"{size_name}^3")
        sizes = write_sum(zip(self.size_coefficients, powers, strict=True))
        return f"({sizes}) * ({write_sum([(self.alpha, '/p'), (self.beta, '')])})"

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        c1, c2, c3 = self.size_coefficients
        by_size = sizes * (c1 + sizes * (c2 + sizes * c3))
        share = self.alpha / processes + self.beta
        return Values(
            by_size * share,
            -by_size * self.alpha / processes**2,
            (c1 + sizes * (2 * c2 + sizes * 3 * c3)) * share,
        )


def fit_in_two_steps(measured: Measurements, *, is_relative: bool) -> Separable:
    """Least squares of p T by t(n), then of T / t(n) by alpha/p + beta.

    `is_relative` weighs each error by the time. Raises UndeterminedError for fewer than three sizes
    or two process counts.
    """
    _check(measured)
    processes, times = measured.processes, measured.times
    scale = measured.sizes.max()
    powers = _powers(measured.sizes / scale)
    work = processes * times
    weight = 1 / work if is_relative else np.ones_like(work)
    coefficients = _solve(powers * weight[:, np.newaxis], work * weight)
    by_size = powers @ coefficients
    if not (by_size > 0).all():
        raise UndeterminedError("t(n) fitted in the first step is not positive at every size")
    ratio = times / by_size
    weight = 1 / ratio if is_relative else np.ones_like(ratio)
    shares = np.column_stack([1 / processes, np.ones_like(processes)])
    alpha, beta = _solve(shares * weight[:, np.newaxis], ratio * weight)
    return _scaled(coefficients, scale, float(alpha), float(beta), measured)


def fit_jointly(measured: Measurements, start: Surface | None = None) -> Separable:
    """All parameters by least relative errors, from a fit `start`; raises UndeterminedError."""
    _check(measured)
    if not isinstance(start, Separable):
        start = fit_in_two_steps(measured, is_relative=True)
    scale, fewest = measured.sizes.max(), measured.processes.min()
    powers = _powers(measured.sizes / scale) / measured.times[:, np.newaxis]
    shares = np.column_stack([fewest / measured.processes, np.ones_like(measured.times)])

    def residuals(values: Floats) -> Floats:
        by_size, share = powers @ values[:3], shares @ [np.cos(values[3]), np.sin(values[3])]
        return by_size * share - 1

    def slopes(values: Floats) -> Floats:
        by_size, share = powers @ values[:3], shares @ [np.cos(values[3]), np.sin(values[3])]
        turned = shares @ [-np.sin(values[3]), np.cos(values[3])]
        return np.column_stack([powers * share[:, np.newaxis], by_size * turned])

    first = np.array(start.size_coefficients) * scale ** np.array(_POWERS)
    length = np.hypot(start.alpha / fewest, start.beta)
    angle = np.arctan2(start.beta, start.alpha / fewest)
    found = least_squares(
        residuals,
        [*(first * length), angle],
        jac=slopes,
        x_scale="jac",
        ftol=_TOLERANCE,
        xtol=_TOLERANCE,
        gtol=_TOLERANCE,
        max_nfev=200,
    ).x
    alpha, beta = float(np.cos(found[3]) * fewest), float(np.sin(found[3]))
    return _scaled(found[:3], scale, alpha, beta, measured)


def _check(measured: Measurements) -> None:
    sizes, counts = len(measured.distinct_sizes), len(measured.process_counts)
    if sizes < len(_POWERS) or counts < 2:
        raise UndeterminedError(
            f"needs 3 sizes and 2 numbers of processes: there are {sizes} and {counts}"
        )


def _powers(sizes: Floats) -> Floats:
    return np.column_stack([sizes, sizes**2, sizes**3])


def _solve(design: Floats, values: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(design, values, rcond=None)[0], np.float64)


def _scaled(
    coefficients: Sequence[float] | Floats,
    scale: float,
    alpha: float,
    beta: float,
    measured: Measurements,
) -> Separable:
    if abs(alpha) < _NOTHING * abs(beta) * measured.processes.min():
        alpha = 0.0
    if abs(beta) * measured.processes.max() < _NOTHING * abs(alpha):
        beta = 0.0
    ratio = alpha + beta * measured.processes.mean()
    if ratio == 0 or not np.isfinite(ratio):
        raise UndeterminedError("alpha and beta do not determine a scale")
    parts = np.asarray(coefficients) * ratio
    parts[np.abs(parts) < _NOTHING * np.abs(parts).max()] = 0
    sizes = parts / scale ** np.array(_POWERS)
    return Separable(tuple(sizes.tolist()), alpha / ratio, beta / ratio)
