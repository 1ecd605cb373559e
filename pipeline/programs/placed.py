"""A program of data on a grid of processes: every expression has its value.

Index ranges (first, last) include both ends and count from 0. Dimensions of the grid and of arrays
count from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

STORAGE = -1
"""Number of the storage, beside those of processes."""

COLLECTIVES = (
    "bcast", "scatter", "gather", "reduce", "allgather", "allreduce", "alltoall", "barrier"
)  # fmt: skip
"""Operations of collectives."""

Range = tuple[int, int]
Section = tuple[Range, ...]
Widths = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Array:
    """An array; `distribution` is the dimension of the grid that each extent lies on, or None.

    `shadow` has the widths (low, high) of its edges in each extent.
    """

    name: str
    extent: tuple[int, ...]
    element_bytes: int
    distribution: tuple[int | None, ...]
    shadow: Widths

    @property
    def whole(self) -> Section:
        """The section of all elements."""
        return tuple((0, extent - 1) for extent in self.extent)


@dataclass(frozen=True)
class Work:
    """Time of a part on one process in ns, or its number of operations.

    For times of an iteration, `amount` is that of all iterations: `iteration_ns * iterations`.
    """

    amount: float
    is_operations: bool = False


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A part or operation; its default name is its kind."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Serial(Phase):
    """Run by all, by the first process, or by those who have a part of the section `over`."""

    work: Work
    on: Literal["all", "first", "section"] = "all"
    array: str | None = None
    over: Section | None = None


@dataclass(frozen=True, kw_only=True)
class Parallel(Phase):
    """Iterations are the elements of `over`; their owners run them. No array: shared evenly."""

    work: Work
    array: str | None = None
    over: Section | None = None


@dataclass(frozen=True, kw_only=True)
class Operation(Phase):
    """Communication, storing or reading; non-blocking ones are completed by a Wait."""

    nonblocking: bool = False


@dataclass(frozen=True, kw_only=True)
class Exchange(Operation):
    """Shadow edges of arrays; `widths` of each array and extent, (low, high)."""

    arrays: tuple[str, ...]
    widths: tuple[Widths, ...]
    corners: bool = False


@dataclass(frozen=True, kw_only=True)
class Reduction(Operation):
    """Over all processes, or over those with a part of the array."""

    bytes: int = 8
    array: str | None = None


@dataclass(frozen=True, kw_only=True)
class Copy(Operation):
    """Section to section of one shape, without extents of 1.

    `order[i]` is the extent of the source section for the i-th one of the target; both count only
    extents longer than 1.
    """

    source: str
    target: str
    from_section: Section
    to_section: Section
    order: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Remote(Operation):
    """Every process with a part of the array `by` gets the section.

    None as a range is the range of the process's own part of `by` in the same extent.
    """

    array: str
    section: tuple[Range | None, ...]
    by: str


@dataclass(frozen=True, kw_only=True)
class Io(Operation):
    """Reads or writes a section of an array, or a number of bytes.

    Mode `one` goes through process 0; in mode `each` every process accesses its own part.
    """

    operation: Literal["read", "write"]
    array: str | None = None
    section: Section | None = None
    bytes: int | None = None
    mode: Literal["one", "each"] = "one"


@dataclass(frozen=True, kw_only=True)
class Neighbours(Operation):
    """A message to the process at each offset in the grid."""

    offsets: tuple[tuple[int, ...], ...]
    bytes: int
    periodic: bool = False


@dataclass(frozen=True, kw_only=True)
class Collective(Operation):
    """A collective of all processes; `bytes` is what one gives or gets."""

    operation: str
    bytes: int
    root: int = 0


@dataclass(frozen=True, kw_only=True)
class Pipelined(Phase):
    """A parallel loop whose iterations depend on those before (low) or after (high) them."""

    work: Work
    array: str
    over: Section
    widths: Widths
    along: int | None = None
    quantum: int | None = None


@dataclass(frozen=True, kw_only=True)
class Loop(Phase):
    """A serial outer loop."""

    iterations: int
    phases: tuple[Phase, ...]


@dataclass(frozen=True)
class Alternative:
    """Phases that are run with a probability."""

    probability: float
    phases: tuple[Phase, ...]


@dataclass(frozen=True, kw_only=True)
class Branch(Phase):
    """One of the alternatives, or with the rest of the probability nothing."""

    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, kw_only=True)
class Interval(Phase):
    """A part whose characteristics are wanted."""

    phases: tuple[Phase, ...]


@dataclass(frozen=True, kw_only=True)
class Wait(Phase):
    """Completes the operation `of` that was started before in the same list.

    Of several of that name, it is the first one that is not completed yet.
    """

    of: str


@dataclass(frozen=True)
class PlacedProgram:
    """A program, or one of its variants, on a grid; `speed` is that of the measured machine."""

    name: str
    variant: str
    grid: tuple[int, ...]
    speed: float
    arrays: Mapping[str, Array]
    phases: tuple[Phase, ...]

    @property
    def process_count(self) -> int:
        """Number of processes."""
        return prod(self.grid)


def section_size(section: Section) -> int:
    """The number of elements of a section."""
    return prod(last - first + 1 for first, last in section)
