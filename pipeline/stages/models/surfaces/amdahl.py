"""Amdahl's law per size: T(p, s) = T_par(s)/p + T_seq(s), both not negative."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import nnls

from tracemill.stages.models.surfaces.measurements import Floats, Measurements, UndeterminedError
from tracemill.stages.models.surfaces.surface import Values, write_sum

_NOTHING = 1e-12
"""Smaller parts of the time are rounding."""
_WRITTEN = 3
"""Sizes whose formula is written."""


@dataclass(frozen=True)
class Amdahl:
    """Parallel and sequential time in seconds at the sizes measured with two process counts.

    Between sizes both follow a monotone cubic, beyond them its tangent, not below 0.
    """

    sizes: Floats
    parallel: Floats
    sequential: Floats

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        return tuple(
            (f"{name}({size:.10g})", float(value))
            for size, *values in zip(self.sizes, self.parallel, self.sequential, strict=True)
            for name, value in zip(("T_par", "T_seq"), values, strict=True)
        )

    @property
    def parameter_count(self) -> int:
        return 2 * len(self.sizes)

    def formula(self, size_name: str) -> str:
        written = [
            f"{write_sum([(parallel, '/p'), (sequential, '')])} at {size_name} = {size:.10g}"
            for size, parallel, sequential in zip(
                self.sizes[:_WRITTEN],
                self.parallel[:_WRITTEN],
                self.sequential[:_WRITTEN],
                strict=True,
            )
        ]
        return "; ".join(written + ["..."] * (len(self.sizes) > _WRITTEN))

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        parallel, parallel_slope = self._along(self.parallel, sizes)
        sequential, sequential_slope = self._along(self.sequential, sizes)
        return Values(
            parallel / processes + sequential,
            -parallel / processes**2,
            parallel_slope / processes + sequential_slope,
        )

    def largest_speed_up(self, size: float) -> float | None:
        """T_par/T_seq + 1, which no number of processes exceeds; None without a bound."""
        at = np.flatnonzero(self.sizes == size)
        if not len(at) or self.sequential[at[0]] == 0:
            return None
        return float(self.parallel[at[0]] / self.sequential[at[0]] + 1)

    def _along(self, values: Floats, sizes: Floats) -> tuple[Floats, Floats]:
        if len(self.sizes) == 1:
            return np.full(len(sizes), values[0]), np.zeros(len(sizes))
        curve = PchipInterpolator(self.sizes, values)
        nearest = np.clip(sizes, self.sizes[0], self.sizes[-1])
        slope = curve(nearest, 1)
        value = curve(nearest) + slope * (sizes - nearest)
        return np.maximum(value, 0), np.where(value > 0, slope, 0)


def fit_amdahl(measured: Measurements) -> Amdahl:
    """Both times at every size by least relative errors.

    Raises UndeterminedError if no size was measured with two process counts.
    """
    rows = []
    for size in measured.distinct_sizes:
        runs = measured.keep(measured.sizes == size)
        if len(runs.process_counts) < 2:
            continue
        design = np.column_stack([1 / runs.processes, np.ones_like(runs.processes)])
        scaled = design / runs.times[:, np.newaxis]
        found, _ = nnls(scaled, np.ones(len(runs.times)))
        found[found * scaled.max(axis=0) < _NOTHING] = 0
        rows.append((size, *found))
    if not rows:
        raise UndeterminedError("needs one size with two numbers of processes")
    sizes, parallel, sequential = np.array(rows).T
    return Amdahl(sizes, parallel, sequential)
