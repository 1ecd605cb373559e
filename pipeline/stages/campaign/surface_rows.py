"""An application's surfaces: what they are fitted to, and rows about the fits themselves."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tracemill.schemas.surfaces import FITTED_MODELS, OTHERS
from tracemill.stages.campaign.rows import Row, known, nanoseconds
from tracemill.stages.models.surfaces.choice import Fit, fit_all
from tracemill.stages.models.surfaces.composed import Composed
from tracemill.stages.models.surfaces.computation_size import function_of
from tracemill.stages.models.surfaces.measurements import (
    Flags,
    Floats,
    Measurements,
    UndeterminedError,
    measurements,
)
from tracemill.stages.models.surfaces.normal_form import FEWEST_CONFIGURATIONS
from tracemill.stages.models.surfaces.smooth import Smooth
from tracemill.stages.models.surfaces.surface import Surface

_NS = 1e-9
_MOST_PAIRS = 4096


Part = tuple[str, int]
"""A part of the critical path, with the key of its call path, or 0."""


class TimedRun(NamedTuple):
    """A run that was measured; `serial_ns` is the time in which one thread computes, if known."""

    run_id: int
    processes: int
    size: float
    computation_size: float
    time_ns: int
    serial_ns: int | None


@dataclass(frozen=True)
class Pairs:
    """Numbers of processes and sizes, by size, and whether such a configuration was run."""

    processes: Floats
    sizes: Floats
    is_measured: Flags


@dataclass(frozen=True)
class Surveyed:
    """An application with all models; without measurements each model has a reason.

    `amounts` are the amounts of computation of the configurations, `serial_shares` the measured
    shares of the time in which one thread computes, or NaN. `parts` are those of the critical path.
    """

    application: str
    size_name: str
    expression: str
    measured: Measurements | None
    amounts: Floats
    serial_shares: Floats
    parts: Sequence[Part]
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
    application: str,
    size_name: str,
    expression: str,
    *,
    runs: Sequence[TimedRun],
    times_of_parts: Mapping[int, Mapping[Part, int]],
) -> Surveyed:
    """Fit all models to the times of the runs, and to those of parts of their critical paths."""
    columns = [(run.processes, run.size, run.time_ns * _NS) for run in runs]
    processes, sizes, times = np.array(columns, np.float64).reshape(-1, 3).T
    nothing = np.empty(0)
    parts, seconds = _gather_parts(runs, times_of_parts)
    try:
        measured = measurements(processes, sizes, times, seconds)
    except UndeterminedError as error:
        fits = [Fit(model, reason=str(error)) for model in FITTED_MODELS]
        return Surveyed(application, size_name, expression, None, nothing, nothing, (), fits)
    of = {(run.processes, run.size): run.computation_size for run in runs}
    single = measured.shortest()
    pairs = list(zip(single.processes.tolist(), single.sizes.tolist(), strict=True))
    amounts = np.array([of[pair] for pair in pairs])
    shares = _measure_serial_shares(runs)
    serial = np.array([shares.get(pair, np.nan) for pair in pairs])
    fits = fit_all(measured)
    return Surveyed(application, size_name, expression, measured, amounts, serial, parts, fits)


def _measure_serial_shares(runs: Sequence[TimedRun]) -> dict[tuple[float, float], float]:
    """The median over repetitions, by processes and size."""
    shares: dict[tuple[float, float], list[float]] = defaultdict(list)
    for run in runs:
        if run.serial_ns is not None and run.time_ns > 0:
            shares[run.processes, run.size].append(run.serial_ns / run.time_ns)
    return {pair: float(np.median(values)) for pair, values in shares.items()}


def _gather_parts(
    runs: Sequence[TimedRun], times_of_parts: Mapping[int, Mapping[Part, int]]
) -> tuple[list[Part], Floats | None]:
    """Parts of the critical path, and their seconds in a row per run, if they are known for all.

    Parts that take time in too few configurations to leave one out are added to the others, which
    are not modeled if they do so, too.
    """
    own = [times_of_parts.get(run.run_id, {}) for run in runs]
    if not runs or not all(own):
        return [], None
    rest: Part = (OTHERS, 0)
    names = sorted({rest}.union(*own))
    seconds = np.array([[times.get(name, 0) for name in names] for times in own]) * _NS
    is_listed = _are_modeled(runs, seconds)
    at = names.index(rest)
    is_listed[at] = False
    seconds[:, at] = seconds[:, ~is_listed].sum(axis=1)
    is_listed[at] = _are_modeled(runs, seconds)[at]
    kept = np.flatnonzero(is_listed)
    return [names[number] for number in kept.tolist()], seconds[:, kept]


def _are_modeled(runs: Sequence[TimedRun], seconds: Floats) -> Flags:
    """Marks parts that have a median above 0 in enough configurations to leave one out."""
    rows: dict[tuple[int, float], list[int]] = defaultdict(list)
    for number, run in enumerate(runs):
        rows[run.processes, run.size].append(number)
    medians = np.array([np.median(seconds[own], axis=0) for own in rows.values()])
    return np.count_nonzero(medians > 0, axis=0) > FEWEST_CONFIGURATIONS


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
            fit.noise,
            fit.verdict,
            fit.reason or None,
        )


def parameter_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of surface_parameters."""
    for fit, surface in surveyed.fitted:
        for number, (name, value) in enumerate(surface.parameters):
            yield surveyed.application, fit.model, number, name, value


def term_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of composed_terms."""
    for surface in (found for _, found in surveyed.fitted if isinstance(found, Composed)):
        pairs = surveyed.pairs
        last = np.lexsort((pairs.sizes, pairs.processes))[-1:]
        place = int(pairs.processes[last[0]]), float(pairs.sizes[last[0]])
        at = pairs.processes[last], pairs.sizes[last]
        whole = float(surface.evaluate(*at).time[0])
        terms = [
            (form.evaluate(*at).time[0] / whole, part, key or None, form)
            for (part, key), form in zip(surveyed.parts, surface.forms, strict=True)
        ]
        terms.sort(key=lambda term: -term[0])
        for number, (share, part, key, form) in enumerate(terms):
            formula = form.formula(surveyed.size_name)
            described = number, part, key, formula, *place, float(share), form.cross_error
            yield surveyed.application, *described


def point_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of surface_points."""
    if surveyed.measured is None:
        return
    pairs = surveyed.pairs
    amounts = _amounts_of(surveyed, pairs)
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
        columns = (pairs.processes, pairs.sizes, amounts, fitted, lower, upper)
        rows = zip(*(each.tolist() for each in columns), strict=True)
        for (processes, size, amount, *times), median in zip(rows, measured, strict=True):
            times_ns = [nanoseconds(time) for time in times]
            rates = (_rate(amount, time) for time in (median, times_ns[0]))
            key = surveyed.application, fit.model, int(processes), size
            yield *key, median, *times_ns, *rates


def _amounts_of(surveyed: Surveyed, pairs: Pairs) -> Floats:
    """Amounts of computation, or NaN where the declared amount has no positive value."""
    try:
        function = function_of(surveyed.expression, surveyed.size_name)
        amounts = function.evaluate(pairs.processes, pairs.sizes).value
    except UndeterminedError:
        return np.full(len(pairs.sizes), np.nan)
    return np.where(amounts > 0, amounts, np.nan)


def _rate(amount: float, time_ns: int | None) -> float | None:
    """Amount per second."""
    return known(amount / time_ns / _NS) if time_ns else None
