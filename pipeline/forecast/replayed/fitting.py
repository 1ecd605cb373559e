"""Latency and time per byte of the links that messages of a run took."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.arrays import Numbers

LEAST_MESSAGES = 3
_LEAST_DISTANCE = 1_000
_RESAMPLINGS = 1_000
_SEED = 20_080_801
_INTERVAL = (2.5, 97.5)
Times = NDArray[np.float64]


class Line(NamedTuple):
    """Time of a transfer: `latency_ns` + `ns_per_byte` × bytes. A slope of None is unknown."""

    latency_ns: float
    ns_per_byte: float | None

    @property
    def slope(self) -> float:
        """Time per byte (ns), 0 if it is unknown."""
        return self.ns_per_byte or 0.0


class Typical(NamedTuple):
    """Sizes of messages, how many have that size, and their typical times (ns)."""

    sizes: Numbers
    counts: Numbers
    times: Times


class Fit(NamedTuple):
    """The line of a kind of link, with 95 % intervals of both values."""

    line: Line
    typical: Typical
    latency_interval: tuple[float, float]
    slope_interval: tuple[float, float]

    @property
    def messages(self) -> int:
        """Number of messages that the line comes from."""
        return int(self.typical.counts.sum())

    @property
    def size_count(self) -> int:
        """Number of their sizes."""
        return len(self.typical.sizes)


def fit_line(typical: Typical) -> Line:
    """The line through typical times of sizes, each of so many messages.

    The slope is the weighted median of those between sizes far enough apart; the latency the
    median of what is left. Neither is negative.
    """
    sizes, counts, times = typical
    pairs = [
        ((times[b] - times[a]) / (sizes[b] - sizes[a]), int(min(counts[a], counts[b])))
        for a in range(len(sizes))
        for b in range(a + 1, len(sizes))
        if abs(sizes[b] - sizes[a]) >= _LEAST_DISTANCE
    ]
    slope = max(0.0, _weighted_median(pairs)) if pairs else None
    return Line(max(0.0, float(np.median(times - (slope or 0.0) * sizes))), slope)


def _weighted_median(pairs: Iterable[tuple[float, int]]) -> float:
    """The first value at which half of the weight is reached."""
    values, weights = map(np.array, zip(*sorted(pairs), strict=True))
    reached = np.cumsum(weights)
    return float(values[np.searchsorted(reached, reached[-1] / 2)])


def fit_link(sizes: Numbers, times: Numbers) -> Fit | None:
    """The fit of the messages of a kind of link; None without enough of one size."""
    values, counts = np.unique(sizes, return_counts=True)
    kept = values[counts >= LEAST_MESSAGES]
    if not len(kept):
        return None
    groups = [times[sizes == size] for size in kept.tolist()]
    typical = _typical(kept, groups)
    draws = np.random.default_rng(_SEED)
    drawn = [
        fit_line(_typical(kept, [_again(group, draws) for group in groups]))
        for _ in range(_RESAMPLINGS)
    ]
    return Fit(
        fit_line(typical),
        typical,
        _interval([each.latency_ns for each in drawn]),
        _interval([each.slope for each in drawn]),
    )


def _typical(sizes: Numbers, groups: Sequence[Numbers]) -> Typical:
    """The lower quartile of each size: undisturbed, but not merely the fastest."""
    return Typical(
        sizes,
        np.array([len(group) for group in groups]),
        np.array([np.percentile(group, 25) for group in groups]),
    )


def _again(times: Numbers, draws: np.random.Generator) -> Numbers:
    return times[draws.integers(len(times), size=len(times))]


def _interval(values: list[float]) -> tuple[float, float]:
    low, high = np.percentile(values, _INTERVAL)
    return float(low), float(high)


def fit_links(columns: Mapping[str, NDArray[np.generic]]) -> dict[bool, Fit]:
    """The fits of links inside nodes (False) and between nodes (True), where there are any."""
    is_between = np.asarray(columns["is_between"]).astype(bool)
    sizes, times = (np.asarray(columns[name], np.int64) for name in ("bytes", "time_ns"))
    found = {
        each: fit_link(sizes[is_between == each], times[is_between == each])
        for each in (False, True)
    }
    return {each: fit for each, fit in found.items() if fit is not None}
