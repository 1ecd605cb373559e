"""A described cluster: cores joined by levels of channels."""

from dataclasses import dataclass, field
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import ProgramError
from tracemill.base.text import counted

ALGORITHMS = ("star", "tree", "recursive doubling", "ring")


@dataclass(frozen=True)
class Channel:
    """`count` channels alike: a transfer takes `latency_ns` + `ns_per_byte` × bytes."""

    count: int = 1
    latency_ns: float = 0.0
    ns_per_byte: float = 0.0


@dataclass(frozen=True)
class Level:
    """Units that join `units` units of the level below (cores at first) by channels.

    Without `contention`, channels are never taken. `links` into, and as many out of, each unit
    below; 0 is no limit.
    """

    name: str
    units: int
    channels: tuple[Channel, ...]
    contention: bool = True
    links: int = 0


@dataclass(frozen=True)
class UnitException:
    """Units of a level (or of `core`) with a factor on their speed, or other channels."""

    level: str
    units: tuple[int, ...]
    speed: float = 1.0
    channels: tuple[Channel, ...] = ()


@dataclass(frozen=True)
class Placement:
    """Which core runs which process; `cores` counts if given."""

    order: Literal["block", "cyclic"] = "block"
    level: str | None = None
    cores: tuple[int, ...] | None = None


@dataclass(frozen=True)
class CollectiveRule:
    """The algorithm of `operations` (empty: all) of at most `to_bytes`."""

    algorithm: str
    operations: tuple[str, ...] = ()
    to_bytes: float = inf


@dataclass(frozen=True)
class Cluster:
    """A cluster; `levels` from the innermost, the last is the whole cluster.

    `digest` identifies the content of the description.
    """

    name: str
    levels: tuple[Level, ...]
    speed: float = 1.0
    operations_per_s: float = 1e9
    overhead_ns: float = 0.0
    eager_limit_bytes: float = inf
    exceptions: tuple[UnitException, ...] = ()
    placement: Placement = field(default_factory=Placement)
    collectives: tuple[CollectiveRule, ...] = ()
    storage: tuple[Channel, ...] = ()
    digest: str = ""

    @property
    def core_count(self) -> int:
        """Number of cores."""
        return int(np.prod([level.units for level in self.levels], dtype=object))

    def cores_per_unit(self, level: int) -> int:
        """Cores in each unit of a level (by number)."""
        return int(np.prod([each.units for each in self.levels[: level + 1]], dtype=object))

    def cores(self, process_count: int) -> NDArray[np.int64]:
        """Core of each process. Raises ProgramError if there are too few."""
        available = self.core_count
        if self.placement.cores is not None:
            available = len(self.placement.cores)
        if process_count > available:
            places = "cores in its placement" if self.placement.cores is not None else "cores"
            raise ProgramError(
                f"cluster {self.name} has {available:,} {places}, too few for "
                f"{counted(process_count, 'process', 'processes')}"
            )
        if self.placement.cores is not None:
            return np.array(self.placement.cores[:process_count], np.int64)
        process = np.arange(process_count, dtype=np.int64)
        if self.placement.order == "block":
            return process
        names = [level.name for level in self.levels]
        size = self.cores_per_unit(names.index(str(self.placement.level)))
        units = self.core_count // size
        return process % units * size + process // units

    def core_speeds(self, cores: NDArray[np.int64]) -> NDArray[np.float64]:
        """Speed of the given cores: that of the cluster times the factors in their order."""
        speeds = np.full(len(cores), self.speed, np.float64)
        names = [level.name for level in self.levels]
        for exception in self.exceptions:
            size = (
                1 if exception.level == "core"
                else self.cores_per_unit(names.index(exception.level))
            )  # fmt: skip
            speeds[np.isin(cores // size, exception.units)] *= exception.speed
        return speeds

    def channels_of(self, level: int, unit: int) -> tuple[Channel, ...]:
        """Channels of a unit: those of the last exception that has some, or of its level."""
        name = self.levels[level].name
        for exception in reversed(self.exceptions):
            if exception.level == name and exception.channels and unit in exception.units:
                return exception.channels
        return self.levels[level].channels

    def algorithm(self, operation: str, size: float) -> str:
        """The algorithm of a collective of so many bytes: that of the first rule that fits."""
        for rule in self.collectives:
            if (not rule.operations or operation in rule.operations) and size <= rule.to_bytes:
                return rule.algorithm
        return "star"
