"""Programs for the simulated machine: regions, call paths, communicators, instructions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.computation import DEPTH, FAN_OUT

MPI, USER, OPENMP, PTHREAD = "mpi", "user", "openmp", "pthread"
WORLD = 0
# Regions that take a lock, have it and give it back, by kind of lock.
_LOCK_REGIONS = (
    (("!$omp critical", OPENMP, "critical"), ("!$omp critical sblock", OPENMP, "critical_sblock")),
    (("omp_set_lock", OPENMP, "wrapper"), ("locked", USER), ("omp_unset_lock", OPENMP, "wrapper")),
    (
        ("pthread_mutex_lock", PTHREAD, "wrapper"), ("locked", USER),
        ("pthread_mutex_unlock", PTHREAD, "wrapper"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Region:
    """A named piece of code: its paradigm and its role, as OTF2 calls them."""

    name: str
    paradigm: str = USER
    role: str = "function"


@dataclass(frozen=True)
class CallPath:
    """A region as called from another call path, which is NOBODY for the outermost."""

    parent: int
    region: int


@dataclass(frozen=True)
class Communicator:
    """Members by rank, as processes."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """Memory of the members of a communicator (by number) that all of them can reach."""

    name: str
    communicator: int


@dataclass(frozen=True)
class File:
    """A file that members of a communicator (by number) open together, or that one process has."""

    name: str
    communicator: int = at.ALONE


@dataclass
class Program:
    """What every process runs. Call paths and regions are shared, instructions are not.

    `rings` are the communicators whose members lie on one, in the order of their ranks. Of
    `slot_count` places for requests, `collective_slot_count` are for collectives at most. A call
    completes `most_completed` requests of a window at most.
    """

    process_count: int
    thread_count: int = 1
    regions: list[Region] = field(default_factory=list)
    paths: list[CallPath] = field(default_factory=list)
    communicators: list[Communicator] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
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

    def __post_init__(self) -> None:
        self.code = [[] for _ in range(self.process_count)]
        self.communicators.append(Communicator("MPI_COMM_WORLD", tuple(range(self.process_count))))

    def region(self, name: str, paradigm: str = USER, role: str = "function") -> int:
        """Number of a region."""
        wanted = Region(name, paradigm, role)
        if wanted not in self.regions:
            self.regions.append(wanted)
        return self.regions.index(wanted)

    def path(self, parent: int, region: int) -> int:
        """Number of a call path."""
        wanted = CallPath(parent, region)
        if wanted not in self.paths:
            self.paths.append(wanted)
        return self.paths.index(wanted)

    def new_paths(self, parent: int, regions: Sequence[int]) -> int:
        """Number of the first of call paths that follow each other."""
        first = len(self.paths)
        self.paths += [CallPath(parent, region) for region in regions]
        return first

    def functions_below(self, path: int) -> None:
        """Make room for the functions that computing in `path` calls."""
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

        The next one has the lock; where it is given back elsewhere, that is the one after it.
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
        wanted = Communicator(name, tuple(members))
        if wanted not in self.communicators:
            self.communicators.append(wanted)
        return self.communicators.index(wanted)

    def window(self, name: str, communicator: int) -> int:
        """Number of a window."""
        wanted = Window(name, communicator)
        if wanted not in self.windows:
            self.windows.append(wanted)
        return self.windows.index(wanted)

    def file(self, name: str, communicator: int = at.ALONE) -> int:
        """Number of a file, which is that of its handle."""
        wanted = File(name, communicator)
        if wanted not in self.files:
            self.files.append(wanted)
        return self.files.index(wanted)

    def group(self, members: Sequence[int]) -> int:
        """Number of a group of processes."""
        wanted = tuple(members)
        if wanted not in self.groups:
            self.groups.append(wanted)
        return self.groups.index(wanted)

    def path_name(self, path: int) -> str:
        """Regions from the outermost to this one, with slashes between."""
        found = self.paths[path]
        name = self.regions[found.region].name
        return name if found.parent < 0 else f"{self.path_name(found.parent)}/{name}"

    def instructions(self) -> tuple[NDArray[np.int64], list[int]]:
        """All instructions one after the other, and where those of each process begin."""
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
