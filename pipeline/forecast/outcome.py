"""Results of a simulation of a program on a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

CLASSES = ("io", "reduction", "remote", "exchange", "copy", "pipeline", "collective")
"""Classes of operations; `exchange` includes exchanges with neighbors in the grid."""


@dataclass(frozen=True)
class ClassOutcome:
    """Operations of a class in an interval, all processes together (ns).

    Branches count parts of operations. `before_ns` and `after_ns` are the desynchronization.
    """

    operation_count: float
    time_ns: int
    overlap_ns: int
    before_ns: int
    after_ns: int


@dataclass(frozen=True)
class IntervalOutcome:
    """An interval: its path of names, and time of each process (ns) with all nested intervals.

    `parent` is the number of the enclosing interval. `own_ns` is the sum of `productive_ns`,
    `insufficient_ns` and `communication_ns`.
    """

    path: str
    parent: int | None
    own_ns: NDArray[np.int64]
    productive_ns: NDArray[np.int64]
    insufficient_ns: NDArray[np.int64]
    communication_ns: NDArray[np.int64]
    classes: Mapping[str, ClassOutcome] = field(default_factory=dict)

    @property
    def time_ns(self) -> int:
        """The longest time of a process."""
        return int(self.own_ns.max())

    @property
    def total_ns(self) -> int:
        """Time of all processes, with idle time."""
        return self.time_ns * len(self.own_ns)

    @property
    def efficiency(self) -> float:
        """Share of productive time; 1 where there is no time."""
        return int(self.productive_ns.sum()) / self.total_ns if self.total_ns else 1.0


@dataclass(frozen=True)
class LevelOutcome:
    """Transfers over the channels of a level, or over those of the storage (`storage`).

    `busy_ratio` is busy time over run time × channels of the units that hold processes; 0 without
    contention.
    """

    level: str
    transfers: float
    bytes: float
    busy_ns: float
    busy_ratio: float


@dataclass(frozen=True)
class Outcome:
    """A simulated program: `intervals[0]` is the program, parents come before children.

    `ends_ns` is when each process ends. `skipped` says what shortcuts skipped, a sentence each.
    """

    ends_ns: NDArray[np.int64]
    intervals: tuple[IntervalOutcome, ...]
    levels: tuple[LevelOutcome, ...]
    skipped: tuple[str, ...] = ()

    @property
    def time_ns(self) -> int:
        """The run time: that of the longest process."""
        return int(self.ends_ns.max())
