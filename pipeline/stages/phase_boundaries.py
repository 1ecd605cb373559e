"""Boundaries of phases: where curves of activity change most, as in IPS-2 (Miller et al. 1990)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Curve = NDArray[np.float64]
_DIGITS = 12
"""Digits of strengths and steps that count; the others are noise of floating point."""


class Boundary(NamedTuple):
    """The bin that begins a phase, and the strength of the change there (0–1)."""

    bin: int
    strength: float


def smooth(curve: Curve, width: int) -> Curve:
    """The centered mean over `width` bins, at the ends over those that exist."""
    half = width // 2
    sums = np.concatenate(([0.0], np.cumsum(curve)))
    at = np.arange(len(curve))
    first, last = np.maximum(at - half, 0), np.minimum(at + half + 1, len(curve))
    return (sums[last] - sums[first]) / (last - first)


def change_strengths(curve: Curve) -> Curve:
    """How much each bin belongs to a large change of the curve; sums to its range.

    Within a monotone stretch, from extremum to extremum, the strength of a step is its height times
    the height of the stretch.
    """
    steps = np.diff(curve, prepend=curve[:1])
    steps[np.abs(steps) < 10.0**-_DIGITS] = 0.0
    heights = np.zeros_like(curve)
    begin, direction = 0, 0.0
    for at in range(1, len(curve) + 1):
        sign = np.sign(steps[at]) if at < len(curve) else -direction
        if at < len(curve) and sign in (0.0, direction):
            continue
        if direction:
            heights[begin:at] = abs(curve[at - 1] - curve[begin - 1])
        begin, direction = at, sign
    products = heights * np.abs(steps)
    total = products.sum()
    return products / total * np.ptp(curve) if total > 0 else products


def find_candidates(strengths: Curve, reach: int) -> list[Boundary]:
    """The bins whose strength is the greatest within `reach` bins on both sides.

    The middle one counts of equal ones. Strengths are relative to the greatest.
    """
    peak = strengths.max(initial=0.0)
    if peak <= 0:
        return []
    relative = np.round(strengths / peak, _DIGITS)
    padded = np.pad(relative, reach)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    places = np.flatnonzero((relative > 0) & (relative >= around))
    return [
        Boundary(group[len(group) // 2], float(relative[group[len(group) // 2]]))
        for group in _group(places.tolist(), reach)
    ]


def _group(places: Sequence[int], reach: int) -> list[list[int]]:
    """Groups of places that are at most `reach` bins after the first one of their group."""
    groups: list[list[int]] = []
    for at in places:
        if groups and at - groups[-1][0] <= reach:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def find_boundaries(
    curves: Sequence[Curve], weights: Sequence[float], *, width: int
) -> list[Boundary]:
    """Candidates for boundaries of the curves, over which `width` bins are smoothed."""
    strengths = sum(
        (
            weight * change_strengths(smooth(curve, width))
            for curve, weight in zip(curves, weights, strict=True)
        ),
        np.zeros(len(curves[0])),
    )
    return find_candidates(strengths, width)
