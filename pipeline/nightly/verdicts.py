"""What became of the new runs of a night: which are worse than others, by how much, and why."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tracemill.nightly.history import PastRun
from tracemill.reports.model import Finding

if TYPE_CHECKING:
    from tracemill.comparison import Cause, MetricChange

FASTER = "faster"


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A run that is worse than `base`, the mean of some runs, and what explains it.

    `condition` holds of it, and `reason` says how. Values are those of its metric, in its `unit`;
    `noise_value` is how far they may be apart by chance, or None if that is not known.
    `explanations` are the causes in words, and `sql` the statements that they come from, to be run
    over all runs of the store: by call path, then by rank.
    """

    run: PastRun
    base: tuple[PastRun, ...]
    is_baseline: bool
    condition: str
    reason: str
    metric: str
    unit: str
    base_value: float
    value: float
    noise_value: float | None
    causes: "tuple[Cause, ...]" = ()
    explanations: tuple[Finding, ...] = ()
    sql: tuple[str, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """The change as a part of the base; None from nothing."""
        return (self.value - self.base_value) / abs(self.base_value) if self.base_value else None


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A new run and what it was held against: nothing if `base` is empty.

    `change` is that of the run time; it is different if that is worth telling, and beyond noise.
    """

    run: PastRun
    base: tuple[PastRun, ...] = ()
    change: "MetricChange | None" = None
    is_different: bool = False
    regressions: tuple[Regression, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """The change as a part of the others' run time; None without them, or from nothing."""
        ratio = self.change.change_ratio if self.change else None
        return ratio if ratio is not None and math.isfinite(ratio) else None

    @property
    def word(self) -> str:
        """What became of it in a word or two."""
        if self.regressions:
            return "worse"
        if self.change is None:
            return "first of its kind"
        if not self.is_different:
            return "as before"
        return FASTER if self.change.change_value < 0 else "longer, as is allowed"


@dataclass(frozen=True, kw_only=True)
class Unjudged:
    """A new run that could not be held against others, and why."""

    run_id: str
    label: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What became of the new runs, oldest first."""

    judged: tuple[Judged, ...]
    unjudged: tuple[Unjudged, ...]

    @property
    def worse(self) -> frozenset[str]:
        """Ids of the runs that are worse."""
        return frozenset(each.run.run_id for each in self.judged if each.regressions)

    @property
    def regressions(self) -> tuple[Regression, ...]:
        """Worst first: by the size of the change as a part of the base."""
        found = [each for judged in self.judged for each in judged.regressions]
        return tuple(sorted(found, key=_size_of, reverse=True))


def _size_of(found: Regression) -> float:
    return math.inf if found.change_ratio is None else abs(found.change_ratio)
