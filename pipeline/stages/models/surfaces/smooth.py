"""A smooth surface without a formula, with intervals: a Gaussian process.

log T is a power law of p and n plus a smooth deviation plus noise. The deviation is a Gaussian
process over log p and log n with a Matern kernel of order 5/2; the power law has a flat prior.
Length scales and noise are those of greatest restricted likelihood on a fixed grid, in which the
spread of repetitions counts, and the variance follows from them.

Source: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, chapters
2.7 and 5; Sekiguchi & Sato 1994 name Bayesian estimation for surfaces that formulas do not fit.
"""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.special import stdtrit

from tracemill.stages.models.surfaces.measurements import (
    Floats,
    Measurements,
    Numbers,
    UndeterminedError,
    scatter,
)
from tracemill.stages.models.surfaces.surface import Surface, Values, write_power, write_sum

_LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Length scales over the extent of log p, or of log n."""
_NOISES = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Variances of a run over that of the deviation."""
_MOST_FOR_SCALES = 120
_MOST = 400
"""Configurations from which length scales are found, and those that are used at all."""
_TOGETHER = 256
_LEAST_VARIANCE = 1e-18
_NOTHING = 1e-9
"""Exponents below are rounding."""
_ROOT_5 = float(np.sqrt(5))


class _Scales(NamedTuple):
    """Length scales per axis, and the variance of noise over that of the deviation."""

    lengths: Floats
    noise: float


@dataclass(frozen=True)
class _Axes:
    """Logarithms of p and n from 0 to 1; what does not vary is left out."""

    lowest: Floats
    extent: Floats
    is_varying: Floats

    def place(self, processes: Floats, sizes: Floats) -> Floats:
        logs = np.log(np.column_stack([processes, sizes]))
        return ((logs - self.lowest) / self.extent)[:, self.is_varying]


@dataclass(frozen=True)
class Smooth:
    """A Gaussian process that was conditioned on measurements."""

    axes: _Axes
    scales: _Scales
    points: Floats
    trend: Floats
    weights: Floats
    factor: Floats
    trend_factor: Floats
    across: Floats
    variance: float
    freedom: int
    parameter_count: int

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """The power law, the length scales in doublings, and the deviations of log T."""
        extent = self.axes.extent[self.axes.is_varying]
        names = np.array(["p", "n"])[self.axes.is_varying]
        powers = [(f"exponent of {n}", float(v)) for n, v in zip(names, self.powers, strict=True)]
        doublings = self.scales.lengths * extent / np.log(2)
        lengths = [
            (f"doublings of {name}", float(each))
            for name, each in zip(names, doublings, strict=True)
        ]
        return (
            ("factor", self.power_law_factor),
            *powers,
            *lengths,
            ("deviation of log T", float(np.sqrt(self.variance))),
            ("noise of log T", self.noise),
        )

    @property
    def powers(self) -> Floats:
        """Exponents of the power law, of p and n, or of what varies of them."""
        powers = self.trend[1:] / self.axes.extent[self.axes.is_varying]
        return np.where(np.abs(powers) > _NOTHING, powers, 0)

    @property
    def power_law_factor(self) -> float:
        lowest = self.axes.lowest[self.axes.is_varying]
        return float(np.exp(self.trend[0] - self.powers @ lowest))

    @property
    def noise(self) -> float:
        """Standard deviation of log T from run to run."""
        return float(np.sqrt(self.variance * self.scales.noise))

    def formula(self, size_name: str) -> str:
        names = np.array(["p", size_name])[self.axes.is_varying]
        powers = [write_power(name, power) for name, power in zip(names, self.powers, strict=True)]
        law = write_sum([(self.power_law_factor, "*".join(filter(None, powers)))])
        return f"{law} * smooth deviation"

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        """The median of T, and its slopes."""
        mean, by_axis = np.empty(len(processes)), np.zeros((2, len(processes)))
        for rows in _blocks(len(processes)):
            at = self.axes.place(processes[rows], sizes[rows])
            kernel, slopes = _kernel(at, self.points, self.scales.lengths)
            mean[rows] = _trend(at) @ self.trend + kernel @ self.weights
            by_axis[self.axes.is_varying, rows] = (self.trend[1:] + slopes @ self.weights).T
        time = np.exp(mean)
        by_log = time * by_axis / self.axes.extent[:, np.newaxis]
        return Values(time, by_log[0] / processes, by_log[1] / sizes)

    def interval(self, processes: Floats, sizes: Floats) -> tuple[Floats, Floats]:
        """Between which times 95 % of further runs are expected."""
        parts = [self._interval(processes[r], sizes[r]) for r in _blocks(len(processes))]
        return np.concatenate([low for low, _ in parts]), np.concatenate([up for _, up in parts])

    def _interval(self, processes: Floats, sizes: Floats) -> tuple[Floats, Floats]:
        at = self.axes.place(processes, sizes)
        kernel, _ = _kernel(at, self.points, self.scales.lengths)
        mean = _trend(at) @ self.trend + kernel @ self.weights
        known = solve_triangular(self.factor, kernel.T, lower=True)
        unknown_trend = _trend(at).T - self.across.T @ known
        spread = solve_triangular(self.trend_factor, unknown_trend, lower=True)
        shares = 1 - np.square(known).sum(axis=0) + np.square(spread).sum(axis=0)
        variance = self.variance * (np.maximum(shares, 0) + self.scales.noise)
        reach = float(stdtrit(self.freedom, 0.975)) * np.sqrt(variance)
        return np.exp(mean - reach), np.exp(mean + reach)


class _Data(NamedTuple):
    """Mean log T of configurations, how often each was run, and the spread within them."""

    points: Floats
    values: Floats
    counts: Numbers
    spread: float
    repetitions: int

    def keep(self, chosen: Numbers) -> "_Data":
        return self._replace(
            points=self.points[chosen], values=self.values[chosen], counts=self.counts[chosen]
        )


class _Conditioned(NamedTuple):
    """A Cholesky factor of the covariance over the variance, and what follows from it."""

    factor: Floats
    across: Floats
    trend_factor: Floats
    trend: Floats
    rest: Floats
    variance: float
    freedom: int
    likelihood: float


def fit_smooth(measured: Measurements, start: Surface | None = None) -> Smooth:
    """A Gaussian process with the scales of `start`, a fit to similar measurements.

    Raises UndeterminedError if there are too few configurations.
    """
    axes = _axes(measured)
    data = _data(measured, axes)
    least = 1 + int(axes.is_varying.sum())
    if len(data.values) <= least:
        raise UndeterminedError(f"needs {least + 1} configurations: there are {len(data.values)}")
    order = scatter(len(data.values))
    data = data.keep(np.sort(order[:_MOST]))
    scales = start.scales if isinstance(start, Smooth) else None
    if scales is None or len(scales.lengths) != data.points.shape[1]:
        scales = _find_scales(data.keep(np.sort(scatter(len(data.values))[:_MOST_FOR_SCALES])))
    known = _condition(data, scales)
    weights = solve_triangular(known.factor, known.rest, lower=True, trans="T")
    inverse = cho_solve((known.factor, True), np.eye(len(data.values)))
    spread = solve_triangular(known.trend_factor, _trend(data.points).T @ inverse, lower=True)
    unexplained = np.diag(inverse) - np.square(spread).sum(axis=0)
    fitted = len(data.values) - scales.noise * float((unexplained / data.counts).sum())
    return Smooth(
        axes=axes,
        scales=scales,
        points=data.points,
        trend=known.trend,
        weights=weights,
        factor=known.factor,
        trend_factor=known.trend_factor,
        across=known.across,
        variance=known.variance,
        freedom=known.freedom,
        parameter_count=int(np.ceil(fitted)) + len(scales.lengths) + 2,
    )


def _axes(measured: Measurements) -> _Axes:
    logs = np.log(np.column_stack([measured.processes, measured.sizes]))
    extent = np.ptp(logs, axis=0)
    return _Axes(logs.min(axis=0), np.where(extent > 0, extent, 1), extent > 0)


def _data(measured: Measurements, axes: _Axes) -> _Data:
    logs = np.log(measured.times)
    means = measured.mean_by_configuration(logs)
    single = measured.shortest()
    return _Data(
        axes.place(single.processes, single.sizes),
        means,
        np.bincount(measured.configuration),
        float(np.square(logs - means[measured.configuration]).sum()),
        len(logs) - len(means),
    )


def _find_scales(data: _Data) -> _Scales:
    grid = product(*([_LENGTHS] * data.points.shape[1]), _NOISES)
    candidates = [_Scales(np.array(each[:-1]), each[-1]) for each in grid]
    return max(candidates, key=lambda scales: _likelihood(data, scales))


def _likelihood(data: _Data, scales: _Scales) -> float:
    try:
        return _condition(data, scales).likelihood
    except LinAlgError:
        return -np.inf


def _condition(data: _Data, scales: _Scales) -> _Conditioned:
    """Restricted likelihood with the variance that makes it greatest (Rasmussen & Williams)."""
    kernel, _ = _kernel(data.points, data.points, scales.lengths)
    kernel[np.diag_indices_from(kernel)] += scales.noise / data.counts
    factor = np.tril(cho_factor(kernel, lower=True)[0])
    across = solve_triangular(factor, _trend(data.points), lower=True)
    trend_factor = np.linalg.cholesky(across.T @ across)
    values = solve_triangular(factor, data.values, lower=True)
    trend = cho_solve((trend_factor, True), across.T @ values)
    rest = values - across @ trend
    freedom = len(values) - len(trend) + data.repetitions
    variance = float(rest @ rest + data.spread / scales.noise) / freedom
    variance = max(variance, _LEAST_VARIANCE)
    penalty = 2 * np.log(np.diag(factor)).sum() + 2 * np.log(np.diag(trend_factor)).sum()
    penalty += freedom * np.log(variance) + data.repetitions * np.log(scales.noise)
    return _Conditioned(
        factor, across, trend_factor, trend, rest, variance, freedom, -float(penalty) / 2
    )


def _blocks(count: int) -> list[slice]:
    """Points that are evaluated together, so that memory is bounded."""
    return [slice(first, first + _TOGETHER) for first in range(0, max(count, 1), _TOGETHER)]


def _trend(points: Floats) -> Floats:
    return np.column_stack([np.ones(len(points)), points])


def _kernel(at: Floats, points: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """Matern kernel between two sets of points, and its slopes: (at, axis, points)."""
    steps = (at[:, np.newaxis] - points) / lengths
    distance = _ROOT_5 * np.sqrt(np.square(steps).sum(axis=2))
    decay = np.exp(-distance)
    slopes = -(5 / 3) * steps / lengths * ((1 + distance) * decay)[..., np.newaxis]
    return (1 + distance + distance**2 / 3) * decay, np.swapaxes(slopes, 1, 2)
