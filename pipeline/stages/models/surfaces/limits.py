"""Changes of sign along curves, within the measured range and beyond it."""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.measurements import Flags, Floats, Numbers

_STEPS = 64
"""Places, evenly in log t, at which signs are compared: so many in the range and beyond it."""
_HALVINGS = 42
_ZERO = 1e-9
"""Smaller values are rounding: neither positive nor negative."""

Course = Callable[[Numbers, Floats], Floats]
"""Values at some t, each of the curve whose number is given with it; NaN where there is none."""


class Ranges(NamedTuple):
    """The measured range of each curve, from `first` to `last`, and how far to look beyond."""

    first: Floats
    last: Floats
    farthest: Floats


class SignChange(NamedTuple):
    """A point where the values of a curve change from positive to negative, or back."""

    t: float
    is_falling: bool
    is_extrapolated: bool


class Signs(NamedTuple):
    """The changes of sign of a curve, its sign at first, and up to which t it has values.

    A curve without values has no sign.
    """

    changes: tuple[SignChange, ...]
    first: int | None
    known_to: float


def places_along(ranges: Ranges) -> Floats:
    """Points where signs are compared: a row per curve."""
    inside = np.geomspace(ranges.first, ranges.last, _STEPS + 1, axis=1)
    beyond = np.geomspace(ranges.last, ranges.farthest, _STEPS + 1, axis=1)
    return np.hstack([inside, beyond[:, 1:]])


def find_sign_changes(values: Floats, course: Course, ranges: Ranges) -> list[Signs]:
    """Signs and their changes along each curve, from its values at the places along it."""
    places = places_along(ranges)
    brackets = []
    for curve, row in enumerate(values):
        signed = np.flatnonzero(np.abs(row) > _ZERO)  # which NaN is not
        turns = np.flatnonzero(np.diff(np.sign(row[signed])))
        brackets += [(curve, signed[turn], signed[turn + 1]) for turn in turns]
    of_curve, before, after = np.array(brackets, np.int64).reshape(-1, 3).T
    is_falling = values[of_curve, before] > 0
    ends = places[of_curve, before], places[of_curve, after]
    found = _bisect(course, of_curve, *ends, is_falling)
    is_beyond = found > ranges.last[of_curve] * (1 + _ZERO)
    changes: dict[int, list[SignChange]] = defaultdict(list)
    columns = (of_curve, found, is_falling, is_beyond)
    for curve, *change in zip(*(each.tolist() for each in columns), strict=True):
        changes[curve].append(SignChange(*change))
    return [
        _describe(row, places[curve], tuple(changes[curve])) for curve, row in enumerate(values)
    ]


def _bisect(
    course: Course, curve: Numbers, before: Floats, after: Floats, is_falling: Flags
) -> Floats:
    """The change of sign in each bracket; undefined values count as behind."""
    for _ in range(_HALVINGS if len(curve) else 0):
        middle = np.sqrt(before * after)
        values = course(curve, middle)
        is_before = np.where(is_falling, values > 0, values < 0)
        before, after = np.where(is_before, middle, before), np.where(is_before, after, middle)
    return np.sqrt(before * after)


def _describe(values: Floats, places: Floats, changes: tuple[SignChange, ...]) -> Signs:
    is_known = np.isfinite(values)
    if not is_known.any():
        return Signs((), None, float(places[0]))
    signed = values[is_known][np.abs(values[is_known]) > _ZERO]
    first = int(np.sign(signed[0])) if len(signed) else 0
    return Signs(changes, first, float(places[is_known][-1]))
