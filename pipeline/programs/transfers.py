"""Transfers of an operation, and steps of a pipelined loop, as arrays over processes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.programs.placed import STORAGE

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOBODY = -1


class Transfers(NamedTuple):
    """Transfers, sorted by round, sender and receiver; of equals, the first in the description.

    A transfer waits until all that its sender receives in lower rounds has ended. Sender or
    receiver may be STORAGE; reading is a transfer from STORAGE that its receiver starts.
    """

    senders: Numbers
    receivers: Numbers
    sizes: Numbers
    rounds: Numbers


class Ring(NamedTuple):
    """In each round every member sends `size` bytes to the next, after what it got before."""

    rounds: int
    size: int


class AllPairs(NamedTuple):
    """Every member sends `size` bytes to every other one, at once."""

    size: int


@dataclass(frozen=True)
class Communication:
    """One operation on a grid.

    `members` take part in it, in ascending order. With `is_common_end` it is over for all at the
    same time, when all have started and all transfers have ended.
    """

    members: Numbers
    transfers: Transfers | Ring | AllPairs
    is_common_end: bool = False


class Computing(NamedTuple):
    """Computing time of each process (ns), and whether it is productive, not repeated."""

    times_ns: Numbers
    is_productive: Flags


class Edges(NamedTuple):
    """Edges of a pipelined loop over one dimension of the grid.

    Of each process: the one before and the one after it in running order (NOBODY: none with a
    part), and bytes that it sends on in a full step and in its last step. Along the steps, there
    is one edge after the last step, of `last_sizes`.
    """

    dimension: int
    predecessors: Numbers
    successors: Numbers
    sizes: Numbers
    last_sizes: Numbers


@dataclass(frozen=True)
class PipelineSteps:
    """Steps of a pipelined loop: of each process their number (0: not involved) and times (ns).

    `edges` are those of the cut extents other than the one the steps run along, in the order of
    the extents; `along` is the edge over that one, if it is cut.
    """

    steps: Numbers
    step_ns: Numbers
    last_step_ns: Numbers
    is_productive: Flags
    edges: tuple[Edges, ...]
    along: Edges | None
    quantum: int

    @property
    def is_operation(self) -> bool:
        """Whether anything is sent; otherwise the loop only computes."""
        edges = (*self.edges, *((self.along,) if self.along else ()))
        return any((each.predecessors != NOBODY).any() for each in edges)

    @property
    def work_ns(self) -> Numbers:
        """Computing time of each process."""
        times = (self.steps - 1) * self.step_ns + self.last_step_ns
        return np.where(self.steps > 0, times, 0)


__all__ = [
    "NOBODY", "STORAGE", "AllPairs", "Communication", "Computing", "Edges", "Flags", "Numbers",
    "PipelineSteps", "Ring", "Transfers",
]  # fmt: skip
