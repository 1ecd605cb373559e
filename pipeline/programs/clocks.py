"""Clocks with errors, and their corrections in an archive."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_INTERVALS = 3


@dataclass(frozen=True)
class Clocks:
    """Corrections of the clocks: local times and offsets, and slopes between them.

    `knots` has the shape (location, 2, knot): local times and offsets in ns; `slopes` has
    (location, interval). Clocks that are not wrong show the true time.
    """

    knots: NDArray[np.int64]
    slopes: NDArray[np.float64]
    are_wrong: bool

    def corrections(self, location: int) -> Iterator[tuple[int, int]]:
        """Local time and offset of each correction of a location."""
        if self.are_wrong:
            times, offsets = self.knots[location].tolist()
            yield from zip(times, offsets, strict=True)


def true_clocks(location_count: int) -> Clocks:
    """Clocks that need no correction."""
    knots = np.zeros((location_count, 2, 2), np.int64)
    return Clocks(knots, np.zeros((location_count, 1)), are_wrong=False)


def skewed_clocks(
    location_count: int, *, end_ns: int, offset_ns: int, drift_ppm: float, seed: int
) -> Clocks:
    """Clocks that start up to `offset_ns` ahead and run fast, by up to `drift_ppm`.

    The rate changes twice during the run. Clocks are never slow: a slow clock shows the same time
    twice, and correction could not restore the true times.
    """
    random = np.random.default_rng([seed, 3])
    true = np.linspace(0, end_ns + 1, _INTERVALS + 1).astype(np.int64)
    ahead = np.empty((location_count, _INTERVALS + 1), np.int64)
    ahead[:, 0] = random.integers(0, offset_ns, location_count, endpoint=True)
    passed = np.diff(true) * drift_ppm * 1e-6
    gained = random.uniform(0, 1, (location_count, _INTERVALS)) * passed
    ahead[:, 1:] = ahead[:, :1] + np.cumsum(gained.astype(np.int64), axis=1)
    local = true + ahead
    slopes = -np.diff(ahead, axis=1) / np.diff(local, axis=1)
    return Clocks(np.stack([local, -ahead], axis=1), slopes, are_wrong=True)
