"""An application's surfaces: what they are fitted to, and rows about the fits themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tracemill.schemas.surfaces import FITTED_MODELS
from tracemill.stages.campaign.rows import Row, known, nanoseconds
from tracemill.stages.models.surfaces.choice import Fit, fit_all
from tracemill.stages.models.surfaces.measurements import (
    Flags,
    Floats,
    Measurements,
    UndeterminedError,
    measurements,
)
from tracemill.stages.models.surfaces.smooth import Smooth
from tracemill.stages.models.surfaces.surface import Surface

_NS = 1e-9
_MOST_PAIRS = 4096


class TimedRun(NamedTuple):
    """A run that was measured."""

    processes: int
    size: float
    computation_size: float
    time_ns: int


@dataclass(frozen=True)
class Pairs:
    """Numbers of processes and sizes, by size, and whether such a configuration was run."""

    processes: Floats
    sizes: Floats
    is_measured: Flags


@dataclass(frozen=True)
class Surveyed:
    """An application with all models; without measurements each model has a reason.

    `amounts` are the amounts of computation of the configurations.
    """

    application: str
    size_name: str
    expression: str
    measured: Measurements | None
    amounts: Floats
    fits: Sequence[Fit]

    @property
    def fitted(self) -> Iterator[tuple[Fit, Surface]]:
        """Models that could be fitted."""
        return ((fit, fit.surface) for fit in self.fits if fit.surface is not None)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs that may be shown; those that were run alone if there are too many."""
        assert self.measured is not None
        run = self.measured.shortest()
        counts, sizes = run.process_counts, run.distinct_sizes
        if len(counts) * len(sizes) > _MOST_PAIRS:
            return Pairs(run.processes, run.sizes, np.ones(len(run.sizes), np.bool_))
        grid = np.zeros((len(sizes), len(counts)), np.bool_)
        grid[np.searchsorted(sizes, run.sizes), np.searchsorted(counts, run.processes)] = True
        return Pairs(np.tile(counts, len(sizes)), np.repeat(sizes, len(counts)), grid.ravel())


def survey(
    application: str, size_name: str, expression: str, *, runs: Sequence[TimedRun]
) -> Surveyed:
    """Fit all models to the times of the runs."""
    columns = [(run.processes, run.size, run.time_ns * _NS) for run in runs]
    processes, sizes, times = np.array(columns, np.float64).reshape(-1, 3).T
    nothing = np.empty(0)
    try:
        measured = measurements(processes, sizes, times)
    except UndeterminedError as error:
        fits = [Fit(model, reason=str(error)) for model in FITTED_MODELS]
        return Surveyed(application, size_name, expression, None, nothing, fits)
    of = {(run.processes, run.size): run.computation_size for run in runs}
    single = measured.shortest()
    pairs = zip(single.processes.tolist(), single.sizes.tolist(), strict=True)
    amounts = np.array([of[pair] for pair in pairs])
    return Surveyed(application, size_name, expression, measured, amounts, fit_all(measured))


def fit_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of surface_fits."""
    measured = surveyed.measured
    counts = (len(measured.firsts), len(measured.times)) if measured else (0, 0)
    for fit in surveyed.fits:
        surface = fit.surface
        yield (
            surveyed.application,
            fit.model,
            surface and surface.formula(surveyed.size_name),
            surface and surface.parameter_count,
            *counts,
            known(fit.error),
            known(fit.cross_error),
            fit.rank,
            fit.is_chosen,
            fit.reason or None,
        )


def parameter_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of surface_parameters."""
    for fit, surface in surveyed.fitted:
        for number, (name, value) in enumerate(surface.parameters):
            yield surveyed.application, fit.model, number, name, value


def point_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of surface_points."""
    if surveyed.measured is None:
        return
    pairs = surveyed.pairs
    measured: list[int | None] = [None] * len(pairs.sizes)
    medians = surveyed.measured.medians().times.tolist()
    for place, time in zip(np.flatnonzero(pairs.is_measured).tolist(), medians, strict=True):
        measured[place] = nanoseconds(time)
    for fit, surface in surveyed.fitted:
        fitted = surface.evaluate(pairs.processes, pairs.sizes).time
        nothing = np.full(len(fitted), np.nan)
        lower, upper = (
            surface.interval(pairs.processes, pairs.sizes)
            if isinstance(surface, Smooth)
            else (nothing, nothing)
        )
        columns = (pairs.processes, pairs.sizes, fitted, lower, upper)
        rows = zip(*(each.tolist() for each in columns), strict=True)
        for (processes, size, *times), median in zip(rows, measured, strict=True):
            times_ns = (nanoseconds(time) for time in times)
            yield surveyed.application, fit.model, int(processes), size, median, *times_ns
