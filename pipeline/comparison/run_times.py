"""How much longer some runs take than others, as a whole."""

from collections.abc import Sequence

import numpy as np

from tracemill.comparison.changes import MetricChange
from tracemill.comparison.noise import Floats, noise_of
from tracemill.schemas.history import RUN_TIME


def run_time_change(base_ns: Sequence[int], other_ns: Sequence[int]) -> MetricChange:
    """The change of the mean run time (ns) from some runs to others, at least one on each side.

    Runs of a side are repetitions of each other: their variance tells the noise, which is None if
    there is a single run on both sides.
    """
    base, other = np.array(base_ns, np.float64), np.array(other_ns, np.float64)
    noise = noise_of(
        _variance(base), _variance(other), base_count=len(base), other_count=len(other)
    ).item()
    return MetricChange(
        metric=RUN_TIME,
        title="Run time",
        unit="ns",
        base_value=float(base.mean()),
        other_value=float(other.mean()),
        noise_value=None if np.isnan(noise) else noise,
    )


def _variance(times: Floats) -> Floats:
    """That of the sample, as an array of one; nan of a single run."""
    return np.array([times.var(ddof=1) if len(times) > 1 else np.nan])
