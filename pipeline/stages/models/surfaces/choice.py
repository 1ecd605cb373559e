"""Choose the best model of a surface: all are fitted and cross-validated.

Errors are |fitted/measured - 1|, averaged over repetitions, then over configurations. Each
configuration is predicted by a fit without it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tracemill.schemas.surfaces import NOISE_NOT_KNOWN, NOT_EXPLAINED, REJECTED, WITHIN_NOISE
from tracemill.stages.models.surfaces.amdahl import fit_amdahl
from tracemill.stages.models.surfaces.composed import fit_composed
from tracemill.stages.models.surfaces.measurements import (
    Floats,
    Measurements,
    UndeterminedError,
    scatter,
)
from tracemill.stages.models.surfaces.normal_form import fit_normal_form
from tracemill.stages.models.surfaces.separable import fit_in_two_steps, fit_jointly
from tracemill.stages.models.surfaces.smooth import fit_smooth
from tracemill.stages.models.surfaces.surface import Surface
from tracemill.stages.models.surfaces.two_parts import fit_with_overlap, fit_without_overlap

MOST_FOLDS = 24
"""With more configurations several are left out together: each once."""
LARGEST_ERROR = 0.25
"""A model with a larger cross-validated error, beyond noise, does not describe the measurements."""
NOISES = 2.0
"""A model whose error is up to so many times the noise of repetitions is as good as can be."""
LEAST_NOISE = 0.01
SMOOTH = "smooth"
READABLE = 2.0
"""A smooth surface is no formula: one whose error is up to so many times as large is preferred."""
_TIE = 1.02
_EXACT = 1e-9

_MOST_TERMS = 3
_WIDTH = 6

FITS: dict[str, Callable[[Measurements, Surface | None], Surface]] = {
    "two steps": lambda measured, start: fit_in_two_steps(measured, is_relative=False),
    "two steps, relative": lambda measured, start: fit_in_two_steps(measured, is_relative=True),
    "joint": fit_jointly,
    "without overlap": fit_without_overlap,
    "with overlap": fit_with_overlap,
    "Amdahl": lambda measured, start: fit_amdahl(measured),
    "normal form": lambda measured, start: fit_normal_form(
        measured, most_terms=_MOST_TERMS, width=_WIDTH
    ),
    "composed": lambda measured, start: fit_composed(measured),
    SMOOTH: fit_smooth,
}
"""Models by name, simpler ones first."""


@dataclass(frozen=True)
class Fit:
    """A model with its errors; `reason` says what is missing and why.

    `noise` is that of the measurements, if known.
    """

    model: str
    surface: Surface | None = None
    error: float | None = None
    cross_error: float | None = None
    rank: int | None = None
    reason: str = ""
    noise: float | None = None

    @property
    def verdict(self) -> str | None:
        """How its error compares with noise; None if it has no cross-validated error."""
        return None if self.cross_error is None else judge(self.cross_error, self.noise)

    @property
    def is_chosen(self) -> bool:
        """True if it is the first, and describes the measurements."""
        return self.rank == 1 and self.verdict != REJECTED


def judge(error: float, noise: float | None) -> str:
    """The verdict on a model with a cross-validated error, given the noise of repetitions."""
    if noise is not None and error <= NOISES * max(noise, LEAST_NOISE):
        return WITHIN_NOISE
    if error > LARGEST_ERROR:
        return REJECTED
    return NOISE_NOT_KNOWN if noise is None else NOT_EXPLAINED


def fit_all(measured: Measurements) -> list[Fit]:
    """Every model, fitted where possible, ranked by cross-validated error.

    Errors within 2 % of the least are ties: the model with fewest parameters wins. A formula that
    describes the measurements ranks before a smooth surface of half its error or more.
    """
    fits = [_fit(model, measured) for model in FITS]
    judged = [fit for fit in fits if fit.cross_error is not None]
    chosen = _choose(judged)
    order = sorted(judged, key=lambda fit: (fit is not chosen, _cross_error(fit)))
    ranks = {fit.model: rank for rank, fit in enumerate(order, 1)}
    return [replace(fit, rank=ranks.get(fit.model), noise=measured.noise) for fit in fits]


def _choose(judged: list[Fit]) -> Fit | None:
    first = _simplest_of_best(judged)
    if first is None or first.model != SMOOTH:
        return first
    largest = min(_cross_error(first) * READABLE, LARGEST_ERROR)
    formulas = [fit for fit in judged if fit.model != SMOOTH and _cross_error(fit) <= largest]
    return _simplest_of_best(formulas) or first


def _simplest_of_best(judged: list[Fit]) -> Fit | None:
    least = min((_cross_error(fit) for fit in judged), default=0) * _TIE + _EXACT
    ties = [fit for fit in judged if _cross_error(fit) <= least]
    return min(ties, key=_parameter_count, default=None)


def _fit(model: str, measured: Measurements) -> Fit:
    try:
        surface = FITS[model](measured, None)
        _check(surface, measured)
    except UndeterminedError as error:
        return Fit(model, reason=str(error))
    fit = Fit(model, surface, float(_relative_errors(surface, measured).mean()))
    try:
        errors = [
            _relative_errors(FITS[model](seen, surface), unseen)
            for seen, unseen in _folds(measured)
        ]
    except UndeterminedError as error:
        return replace(
            fit, reason=f"not cross-validated: a fit without one of the configurations {error}"
        )
    return replace(fit, cross_error=float(np.concatenate(errors).mean()))


def _folds(measured: Measurements) -> Iterator[tuple[Measurements, Measurements]]:
    """The fitted and the left-out part, for every part of the configurations."""
    count = len(measured.firsts)
    if count < 2:
        raise UndeterminedError("has none to be fitted to")
    folds = np.empty(count, np.int64)
    folds[scatter(count)] = np.arange(count) % min(count, MOST_FOLDS)
    of_runs = folds[measured.configuration]
    for fold in range(int(folds.max()) + 1):
        yield measured.keep(of_runs != fold), measured.keep(of_runs == fold)


def _check(surface: Surface, measured: Measurements) -> None:
    time = surface.evaluate(measured.processes, measured.sizes).time
    bad = np.flatnonzero(~(np.isfinite(time) & (time > 0)))
    if len(bad):
        p, n = measured.processes[bad[0]], measured.sizes[bad[0]]
        raise UndeterminedError(f"gives a time that is not positive at p = {p:g}, size {n:g}")


def _relative_errors(surface: Surface, measured: Measurements) -> Floats:
    """One value per configuration."""
    time = surface.evaluate(measured.processes, measured.sizes).time
    return measured.mean_by_configuration(np.abs(time / measured.times - 1))


def _cross_error(fit: Fit) -> float:
    assert fit.cross_error is not None
    return fit.cross_error


def _parameter_count(fit: Fit) -> int:
    assert fit.surface is not None
    return fit.surface.parameter_count
