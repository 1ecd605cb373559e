"""Changes of a metric between two sides: in total, in a call path, on a process."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """The values of both sides, each the mean of its runs, in the `unit` of the metric.

    `noise_value` is the largest difference explained by chance (95 %); None without repetitions.
    """

    metric: str
    title: str
    unit: str
    base_value: float
    other_value: float
    noise_value: float | None = None

    @property
    def change_value(self) -> float:
        """The other value minus the base value."""
        return self.other_value - self.base_value

    @property
    def change_ratio(self) -> float:
        """The change as a fraction of the base; infinite if the base is 0, and 0 without change."""
        if not self.change_value:
            return 0.0
        if not self.base_value:
            return math.copysign(math.inf, self.change_value)
        return self.change_value / abs(self.base_value)

    @property
    def is_beyond_noise(self) -> bool | None:
        """Whether the change is larger than the noise; None if the noise is unknown."""
        return None if self.noise_value is None else abs(self.change_value) > self.noise_value


@dataclass(frozen=True, kw_only=True)
class MetricChange(Change):
    """A metric in total; `parent_metric` includes it."""

    parent_metric: str | None = None


@dataclass(frozen=True, kw_only=True)
class EfficiencyChange:
    """An efficiency on both sides, each the mean of its runs; None if no run has it."""

    metric: str
    title: str
    base_ratio: float | None
    other_ratio: float | None

    @property
    def change_ratio(self) -> float | None:
        """The other ratio minus the base ratio."""
        if self.base_ratio is None or self.other_ratio is None:
            return None
        return self.other_ratio - self.base_ratio


@dataclass(frozen=True, kw_only=True)
class CallPathChange(Change):
    """A metric in a call path, without callees. The key is 0 outside of call paths."""

    call_path_key: int
    call_path: str
    is_in_base: bool = True
    is_in_other: bool = True


@dataclass(frozen=True, kw_only=True)
class RankChange(Change):
    """A metric in a call path on a process; without a key, in all call paths."""

    call_path_key: int | None
    call_path: str
    rank: int


@dataclass(frozen=True, kw_only=True)
class Cause(CallPathChange):
    """A change that explains others: the deepest such metric, its call path and its process.

    `critical_path_ns` is the change of the critical path in that call path, and
    `critical_path_noise_ns` its noise. `rank` has the largest change in the same direction. If it
    `is_decisive`, it determines the run time, and the critical path says whether it exceeds noise.
    """

    critical_path_ns: float
    critical_path_noise_ns: float | None = None
    rank: int | None
    rank_change_value: float
    is_waiting: bool
    is_decisive: bool

    @property
    def is_beyond_noise(self) -> bool | None:
        """Whether the change that makes it a cause is larger than its noise; None if unknown."""
        if not self.is_decisive:
            return super().is_beyond_noise
        noise = self.critical_path_noise_ns
        return None if noise is None else abs(self.critical_path_ns) > noise
