"""Programs for the simulated machine: regions, call paths, communicators, instructions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.computation import DEPTH, FAN_OUT
from tracemill.programs.transfers import Communication

MPI, USER, OPENMP, PTHREAD = "mpi", "user", "openmp", "pthread"
WORLD = 0
Item = TypeVar("Item")
# Regions that acquire, hold and release a lock, by kind of lock.
_LOCK_REGIONS = (
    (("!$omp critical", OPENMP, "critical"), ("!$omp critical sblock", OPENMP, "critical_sblock")),
    (("omp_set_lock", OPENMP, "wrapper"), ("locked", USER), ("omp_unset_lock", OPENMP, "wrapper")),
    (
        ("pthread_mutex_lock", PTHREAD, "wrapper"), ("locked", USER),
        ("pthread_mutex_unlock", PTHREAD, "wrapper"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class ProgramRegion:
    """A named section of code, with paradigm and role as in OTF2."""

    name: str
    paradigm: str = USER
    role: str = "function"


@dataclass(frozen=True)
class CallPath:
    """A region called from the call path `parent` (NOBODY for the outermost)."""

    parent: int
    region: int


@dataclass(frozen=True)
class ProgramCommunicator:
    """A communicator: its processes by rank."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class ProgramWindow:
    """A window of remote memory of the members of a communicator (by number)."""

    name: str
    communicator: int


@dataclass(frozen=True)
class File:
    """A file that the members of a communicator (by number) open together, or one process."""

    name: str
    communicator: int = at.ALONE


@dataclass
class Program:
    """The instructions of each process; call paths and regions are common to all.

    `rings` are communicators with a ring topology, in the order of ranks. At most
    `collective_slot_count` of the `slot_count` request slots are for collectives. A call completes
    at most `most_completed` requests of a window. `schedules` are transfers of collectives,
    `shares` those of the alternatives of branches, one after the other. `machine` and
    `nodes` are the name of the described cluster and the node of each process, if there is one.
    """

    process_count: int
    thread_count: int = 1
    regions: list[ProgramRegion] = field(default_factory=list)
    paths: list[CallPath] = field(default_factory=list)
    communicators: list[ProgramCommunicator] = field(default_factory=list)
    windows: list[ProgramWindow] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    rings: list[int] = field(default_factory=list)
    groups: list[tuple[int, ...]] = field(default_factory=list)
    code: list[list[list[int]]] = field(default_factory=list)
    first_functions: dict[int, int] = field(default_factory=dict)
    lock_paths: dict[tuple[int, int], int] = field(default_factory=dict)
    slot_count: int = 0
    collective_slot_count: int = 0
    most_completed: int = 0
    most_calls: int = 0
    most_parts: int = 1
    most_locked: int = 0
    schedules: list[Communication] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    machine: str = ""
    nodes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.code = [[] for _ in range(self.process_count)]
        self.communicators.append(
            ProgramCommunicator("MPI_COMM_WORLD", tuple(range(self.process_count)))
        )

    def region(self, name: str, paradigm: str = USER, role: str = "function") -> int:
        """Number of a region."""
        return _number_in(self.regions, ProgramRegion(name, paradigm, role))

    def path(self, parent: int, region: int) -> int:
        """Number of a call path."""
        return _number_in(self.paths, CallPath(parent, region))

    def new_paths(self, parent: int, regions: Sequence[int]) -> int:
        """Number of the first of some consecutive new call paths."""
        first = len(self.paths)
        self.paths += [CallPath(parent, region) for region in regions]
        return first

    def functions_below(self, path: int) -> None:
        """Add call paths for the functions that computation in `path` calls."""
        level = [path]
        for depth in range(DEPTH):
            names = [f"function_{depth}{number}" for number in range(FAN_OUT)]
            regions = [self.region(name) for name in names]
            below = []
            for caller in level:
                if caller not in self.first_functions:
                    self.first_functions[caller] = self.new_paths(caller, regions)
                first = self.first_functions[caller]
                below += list(range(first, first + FAN_OUT))
            level = below

    def lock_path(self, parallel: int, kind: int) -> int:
        """Number of the call path that takes a lock in a parallel region.

        The next call path holds the lock; the one after it releases it, except for CRITICAL.
        """
        if (parallel, kind) not in self.lock_paths:
            names = _LOCK_REGIONS[kind]
            first, *others = [self.region(*each) for each in names]
            self.lock_paths[parallel, kind] = self.new_paths(parallel, [first])
            below = self.lock_paths[parallel, kind] if kind == at.CRITICAL else parallel
            self.new_paths(below, others)
        return self.lock_paths[parallel, kind]

    def communicator(self, name: str, members: Sequence[int]) -> int:
        """Number of a communicator."""
        return _number_in(self.communicators, ProgramCommunicator(name, tuple(members)))

    def window(self, name: str, communicator: int) -> int:
        """Number of a window."""
        return _number_in(self.windows, ProgramWindow(name, communicator))

    def file(self, name: str, communicator: int = at.ALONE) -> int:
        """Number of a file and of its handle."""
        return _number_in(self.files, File(name, communicator))

    def group(self, members: Sequence[int]) -> int:
        """Number of a group of processes."""
        return _number_in(self.groups, tuple(members))

    def path_name(self, path: int) -> str:
        """Names of the regions from the outermost one, joined by slashes."""
        found = self.paths[path]
        name = self.regions[found.region].name
        return name if found.parent < 0 else f"{self.path_name(found.parent)}/{name}"

    def instructions(self) -> tuple[NDArray[np.int64], list[int]]:
        """The instructions of all processes, and the first one of each process."""
        starts: list[int] = []
        rows: list[list[int]] = []
        for own in self.code:
            starts.append(len(rows))
            for row in own:
                moved = list(row)
                if row[at.CODE] in (at.LOOP, at.JUMP, at.JUMP_IF_TAG):
                    moved[at.TARGET] += starts[-1]
                rows.append(moved)
        return np.array(rows, np.int64), starts


def _number_in(items: list[Item], item: Item) -> int:
    """Position of an item in a list, appended if it is new."""
    if item not in items:
        items.append(item)
    return items.index(item)
