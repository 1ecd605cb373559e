"""Changes of means over runs, with their noise."""

from collections.abc import Sequence

import numpy as np

from tracemill.comparison.changes import MetricChange
from tracemill.schemas.history import RUN_TIME
from tracemill.stages.models.welch import Floats, noise_of


def run_time_change(base_ns: Sequence[int], other_ns: Sequence[int]) -> MetricChange:
    """The change of the mean run time (ns)."""
    return measured_change(base_ns, other_ns, metric=RUN_TIME, title="Run time", unit="ns")


def measured_change(
    base_values: Sequence[float], other_values: Sequence[float], *, metric: str, title: str,
    unit: str,
) -> MetricChange:  # fmt: skip
    """The change of the mean of some values; its noise is None with one run on each side."""
    base, other = np.array(base_values, np.float64), np.array(other_values, np.float64)
    noise = noise_of(
        _variance(base), _variance(other), base_count=len(base), other_count=len(other)
    ).item()
    return MetricChange(
        metric=metric,
        title=title,
        unit=unit,
        base_value=float(base.mean()),
        other_value=float(other.mean()),
        noise_value=None if np.isnan(noise) else noise,
    )


def _variance(values: Floats) -> Floats:
    """The variance of a sample, as an array of one value; nan for a single run."""
    return np.array([values.var(ddof=1) if len(values) > 1 else np.nan])
