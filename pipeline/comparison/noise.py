"""The change of the run time, with its noise."""

from collections.abc import Sequence

import numpy as np

from tracemill.comparison.changes import MetricChange
from tracemill.schemas.history import RUN_TIME
from tracemill.stages.models.welch import Floats, noise_of


def run_time_change(base_ns: Sequence[int], other_ns: Sequence[int]) -> MetricChange:
    """The change of the mean run time (ns); its noise is None with one run on each side."""
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
    """The variance of a sample, as an array of one value; nan for a single run."""
    return np.array([times.var(ddof=1) if len(times) > 1 else np.nan])
