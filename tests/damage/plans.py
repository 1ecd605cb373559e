"""Which ways to damage a trace are to be tried."""

from dataclasses import dataclass
from pathlib import Path

from tests.damage.mutators import OTF2


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which ways to try with a trace: those from `first` up to `last` that follow from the seed.

    Every so many copies one is `analyzed` as a whole; none if that is 0.
    """

    trace: Path
    last: int
    first: int = 0
    seed: int = 1
    analyzed: int = 0
    format: str = OTF2
