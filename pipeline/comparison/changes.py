"""A change between two sides, of a metric, in a call path, on a process."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """A value of both sides, each the mean of its runs, in the `unit` of the metric.

    `noise_value` is how far apart the sides may be by chance; None if nothing was repeated.
    """

    metric: str
    title: str
    unit: str
    base_value: float
    other_value: float
    noise_value: float | None = None

    @property
    def change_value(self) -> float:
        """By how much the other side has more."""
        return self.other_value - self.base_value

    @property
    def change_ratio(self) -> float:
        """The change as a part of the base: infinite from zero, 0 if there is none."""
        if not self.change_value:
            return 0.0
        if not self.base_value:
            return math.copysign(math.inf, self.change_value)
        return self.change_value / abs(self.base_value)

    @property
    def is_beyond_noise(self) -> bool | None:
        """Whether chance does not explain it; None if that is not known."""
        return None if self.noise_value is None else abs(self.change_value) > self.noise_value


@dataclass(frozen=True, kw_only=True)
class MetricChange(Change):
    """A metric as a whole; `parent_metric` includes it."""

    parent_metric: str | None = None


@dataclass(frozen=True, kw_only=True)
class CallPathChange(Change):
    """A metric in a call path, without callees. What lies in no call path has the key 0."""

    call_path_key: int
    call_path: str
    is_in_base: bool = True
    is_in_other: bool = True


@dataclass(frozen=True, kw_only=True)
class RankChange(Change):
    """A metric in a call path on a process; without a call path, in all of them."""

    call_path_key: int | None
    call_path: str
    rank: int


@dataclass(frozen=True, kw_only=True)
class Cause(CallPathChange):
    """A change that explains others: the deepest metric that does, where, and on which process.

    `critical_path_ns` is what the critical path has more in that call path; `rank` changed most
    in the same direction, by `rank_change_value`. If it `is_decisive`, it decided how long the run
    took; other changes may follow from it, waiting above all.
    """

    critical_path_ns: float
    rank: int | None
    rank_change_value: float
    is_waiting: bool
    is_decisive: bool
