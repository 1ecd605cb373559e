"""Rows on how the mean speed-up of fitted surfaces changes, and where it stops to grow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tracemill.base.errors import UsageError
from tracemill.schemas.surfaces import (
    CONSTRAINTS,
    EFFICIENCY,
    FIXED_PROCESSES,
    FIXED_SIZE,
    NOT_EXPLAINED,
    QUANTITIES,
    SCALED_SIZE,
)
from tracemill.stages.campaign.rows import Row
from tracemill.stages.campaign.surface_rows import Surveyed
from tracemill.stages.models.surfaces import limits
from tracemill.stages.models.surfaces.choice import Fit
from tracemill.stages.models.surfaces.computation_size import ComputationSize, computation_size
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.measurements import (
    Floats,
    Measurements,
    Numbers,
    UndeterminedError,
)
from tracemill.stages.models.surfaces.scalability import (
    Direction,
    Path,
    Scaling,
    fixed_processes,
    fixed_size,
    follow,
    scaled_size,
    scaling_at,
)
from tracemill.stages.models.surfaces.surface import Surface

_REACH = 16
"""How many times the measured range is searched."""
_CHANGE_OF_MEAN, _CHANGE_OF_GENERAL, _ = QUANTITIES
_SAME = 1e-9
_NOT_USED = "it changes beyond the measured range, where a model not explained by noise is not used"
_SIGNS = {1: "positive", 0: "zero", -1: "negative"}


def read_bounds(text: str) -> tuple[float, ...]:
    """Bounds of efficiency, largest first. Raises UsageError."""
    try:
        bounds = sorted({float(part) for part in text.split(",")}, reverse=True)
    except ValueError as error:
        raise UsageError(f"efficiency_bounds {text!r}: write them like 0.8, 0.5") from error
    if not all(0 < bound < 1 for bound in bounds):
        raise UsageError(f"efficiency_bounds {text!r}: each must lie between 0 and 1")
    return tuple(bounds)


def read_growth(text: str) -> Function:
    """The growth of the amount of computation with processes; raises UsageError."""
    growth = Function(text, {"p": 0, "processes": 0})
    try:
        value = growth.evaluate(np.array([1.0, 2.0, 4.0])).value
    except UndeterminedError as error:
        raise UsageError(f"scaled_size {text!r}: write an expression of p like p**1.5") from error
    if not (np.isfinite(value).all() and (value > 0).all()):
        raise UsageError(f"scaled_size {text!r}: it must be positive for any number of processes")
    return growth


def function_rows(surveyed: Surveyed, growth: Function) -> Iterator[Row]:
    """Rows of scalability_functions."""
    if surveyed.measured is None:
        return
    try:
        size = _size(surveyed)
    except UndeterminedError:
        return
    pairs = surveyed.pairs
    for fit, surface in surveyed.fitted:
        for constraint in CONSTRAINTS:
            if _missing(constraint, surveyed.measured):
                continue
            direction = _direction(constraint, size, growth, pairs.processes, pairs.sizes)
            found = scaling_at(surface, size, pairs.processes, pairs.sizes, direction)
            columns = (*found[:2], pairs.is_measured, *found[2:])
            kept = np.isfinite(found.change)
            rows = zip(*(column[kept].tolist() for column in columns), strict=True)
            for processes, *rest in rows:
                yield surveyed.application, fit.model, constraint, int(processes), *rest


def limit_rows(surveyed: Surveyed, growth: Function, bounds: Sequence[float]) -> Iterator[Row]:
    """Rows of scalability_limits."""
    measured = surveyed.measured
    if measured is None:
        return
    for constraint in CONSTRAINTS:
        try:
            if reason := _missing(constraint, measured):
                raise UndeterminedError(reason)
            curves = _Curves(constraint, measured, _size(surveyed), growth)
        except UndeterminedError as error:
            start = int(measured.process_counts[0]), float(measured.distinct_sizes[0])
            for fit, _ in surveyed.fitted:
                key = surveyed.application, fit.model, constraint, _CHANGE_OF_MEAN, 0.0
                yield *key, *start, 0, None, None, None, None, str(error)
            continue
        for fit, surface in surveyed.fitted:
            for row in _limits(curves, surface, bounds, is_used_beyond=is_extrapolating(fit)):
                yield surveyed.application, fit.model, constraint, *row


def is_extrapolating(fit: Fit) -> bool:
    """True if the model may be used beyond the measurements: nothing but noise is unexplained."""
    return fit.verdict != NOT_EXPLAINED


def _size(surveyed: Surveyed) -> ComputationSize:
    assert surveyed.measured is not None
    return computation_size(surveyed.expression, surveyed.size_name, surveyed.measured)


def _missing(constraint: str, measured: Measurements) -> str:
    """Why there is nothing to see along a constraint."""
    if constraint != FIXED_PROCESSES and len(measured.process_counts) < 2:
        return "all runs have the same number of processes"
    if constraint != FIXED_SIZE and len(measured.distinct_sizes) < 2:
        return "all runs have the same size"
    return ""


def _direction(
    constraint: str, size: ComputationSize, growth: Function, processes: Floats, sizes: Floats
) -> Direction:
    ones, nothing = np.ones_like(processes), np.zeros_like(processes)
    amounts = size.evaluate(processes, sizes).value
    if constraint == FIXED_SIZE:
        return Direction(ones, nothing, processes)
    if constraint == FIXED_PROCESSES:
        return Direction(nothing, ones, amounts)
    _, slopes = scaled_size(growth, processes, amounts).amounts(processes)
    return Direction(ones, slopes, processes)


class _Starts(NamedTuple):
    """The first and the last configuration of each curve."""

    processes: Floats
    sizes: Floats
    last_processes: Floats
    last_sizes: Floats


@dataclass(frozen=True)
class _Quantity:
    """A quantity and its bound; `reference` is the mean speed-up at the start of each curve."""

    name: str
    bound: float
    reference: Floats

    def value(self, scaling: Scaling, curve: Numbers) -> Floats:
        """Its distance above the bound, or a number of the same sign."""
        if self.name == EFFICIENCY:
            return scaling.mean_speed_up / self.reference[curve] - self.bound
        # The general speed-up is p times the mean one: it gains one more percent per percent.
        return scaling.elasticity + (self.name == _CHANGE_OF_GENERAL)


@dataclass(frozen=True)
class _Crossing:
    """A point where a quantity of a curve crosses its bound, or a note that it does not."""

    quantity: _Quantity
    curve: int
    ordinal: int
    t: float
    change: limits.SignChange | None
    note: str | None


class _Curves:
    """The curves of a constraint that begin at measured configurations."""

    def __init__(
        self, constraint: str, measured: Measurements, size: ComputationSize, growth: Function
    ) -> None:
        self.constraint, self.size = constraint, size
        self.largest_size = float(measured.distinct_sizes[-1])
        self.starts = starts = _starts(constraint, measured)
        amounts = size.evaluate(starts.processes, starts.sizes).value
        if constraint == FIXED_PROCESSES:
            last = size.evaluate(starts.processes, starts.last_sizes).value
            self.ranges = limits.Ranges(amounts, last, last * _REACH)
        else:
            last = starts.last_processes
            self.ranges = limits.Ranges(starts.processes, last, last * _REACH)
        self._amounts, self._growth = amounts, growth

    def path(self, curve: Numbers) -> Path:
        """The paths of some curves."""
        if self.constraint == FIXED_SIZE:
            return fixed_size(self._amounts[curve])
        if self.constraint == FIXED_PROCESSES:
            return fixed_processes(self.starts.processes[curve])
        return scaled_size(self._growth, self.starts.processes[curve], self._amounts[curve])

    def follow(self, surface: Surface, curve: Numbers, t: Floats) -> Scaling:
        return follow(surface, self.size, self.path(curve), t)


def _starts(constraint: str, measured: Measurements) -> _Starts:
    """A curve per number of processes, else per size; scaled ones go on to the most processes."""
    run = measured.shortest()
    rows = []
    if constraint == FIXED_PROCESSES:
        for count in run.process_counts:
            sizes = run.sizes[run.processes == count]
            rows.append((count, sizes.min(), count, sizes.max()))
    else:
        for each in run.distinct_sizes:
            counts = run.processes[run.sizes == each]
            last = run.process_counts[-1] if constraint == SCALED_SIZE else counts.max()
            rows.append((counts.min(), each, last, each))
    return _Starts(*np.array(rows, np.float64).T)


def _limits(
    curves: _Curves, surface: Surface, bounds: Sequence[float], *, is_used_beyond: bool
) -> Iterator[Row]:
    """Rows without application, model and constraint."""
    places = limits.places_along(curves.ranges)
    count = len(places)
    numbers = np.repeat(np.arange(count), places.shape[1])
    along = curves.follow(surface, numbers, places.ravel())
    reference = curves.follow(surface, np.arange(count), curves.ranges.first).mean_speed_up
    quantities = _quantities(curves.constraint, reference, bounds)

    # All quantities of all curves together: the model is evaluated the fewest times.
    def course(row: Numbers, t: Floats) -> Floats:
        curve = row % count
        found = curves.follow(surface, curve, t)
        values = np.array([quantity.value(found, curve) for quantity in quantities])
        return values[row // count, np.arange(len(row))]

    values = [quantity.value(along, numbers).reshape(places.shape) for quantity in quantities]
    ranges = limits.Ranges(*(np.tile(each, len(quantities)) for each in curves.ranges))
    signs = limits.find_sign_changes(np.vstack(values), course, ranges)
    for number, quantity in enumerate(quantities):
        of_quantity = signs[number * count : (number + 1) * count]
        crossings = list(_crossings(quantity, curves, of_quantity))
        yield from _limit_rows(crossings, curves, surface, is_used_beyond=is_used_beyond)


def _quantities(constraint: str, reference: Floats, bounds: Sequence[float]) -> list[_Quantity]:
    mean = _Quantity(_CHANGE_OF_MEAN, 0.0, reference)
    if constraint == FIXED_PROCESSES:
        return [mean]
    general = _Quantity(_CHANGE_OF_GENERAL, 0.0, reference)
    return [mean, general, *(_Quantity(EFFICIENCY, bound, reference) for bound in bounds)]


def _crossings(
    quantity: _Quantity, curves: _Curves, signs: Sequence[limits.Signs]
) -> Iterator[_Crossing]:
    for curve, found in enumerate(signs):
        changes = found.changes
        if quantity.name == EFFICIENCY:
            changes = tuple(each for each in changes if each.is_falling)[:1]
        for ordinal, change in enumerate(changes, 1):
            t = change.t
            if quantity.name == EFFICIENCY:
                t = float(np.floor(t * (1 + _SAME)))
            yield _Crossing(quantity, curve, ordinal, t, change, None)
        if not changes:
            note = _describe(quantity, curves, curve, found)
            start = float(curves.ranges.first[curve])
            yield _Crossing(quantity, curve, 0, start, None, note)


def _describe(quantity: _Quantity, curves: _Curves, curve: int, signs: limits.Signs) -> str:
    if signs.first is None:
        return "the model has no values along this curve"
    name = "computation" if curves.constraint == FIXED_PROCESSES else "processes"
    span = f"from {curves.ranges.first[curve]:.6g} to {signs.known_to:.6g} {name}"
    if quantity.name == EFFICIENCY:
        return f"it is at least {quantity.bound:g} {span}"
    return f"it is {_SIGNS[signs.first]} {span}"


def _limit_rows(
    crossings: Sequence[_Crossing], curves: _Curves, surface: Surface, *, is_used_beyond: bool
) -> Iterator[Row]:
    curve = np.array([crossing.curve for crossing in crossings])
    t = np.array([crossing.t for crossing in crossings])
    at = curves.follow(surface, curve, t)
    starts = curves.starts.processes[curve], curves.starts.sizes[curve]
    columns = (*starts, at.processes, at.sizes)
    places = zip(*(column.tolist() for column in columns), strict=True)
    for crossing, (first, least, processes, size) in zip(crossings, places, strict=True):
        quantity, change = crossing.quantity, crossing.change
        key = quantity.name, quantity.bound, int(first), least, crossing.ordinal
        if change is None:
            yield *key, None, None, None, None, crossing.note
            continue
        is_beyond = change.is_extrapolated or size > curves.largest_size * (1 + _SAME)
        if is_beyond and not is_used_beyond:
            yield *key, None, None, None, None, _NOT_USED
            continue
        yield *key, processes, float(f"{size:.12g}"), change.is_falling, is_beyond, None
