"""Programs of processes, as they are described."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from math import isqrt
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.fields import Kinds, TableReader, choice, number
from tracemill.programs.operations import OPERATIONS

_COMMUNICATORS = ("world", "rows", "columns", "halves")


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Fields of all phases; each phase computes before it communicates.

    A process computes for `size` × `cell_ns`, plus a share `imbalance`: proportional to the rank
    (`shape` slope), or on odd ranks only (`shape` odd). Each iteration varies by `jitter`, and
    visits `calls` functions. `bytes` is the size of messages, by default 8 for each cell on the
    edge of a square of `size` cells.
    """

    name: str = ""
    cell_ns: int = number(10, 0, 10**9)
    imbalance: float = number(0.0, -1, 1000)
    shape: str = choice("slope", "slope", "odd")
    jitter: float = number(0.0, 0, 1)
    calls: int = number(0, 0, 10**6)
    bytes: int | None = number(None, 0, 2**31)


@dataclass(frozen=True, kw_only=True)
class Work(Phase):
    """Computation only."""


@dataclass(frozen=True, kw_only=True)
class Stencil(Phase):
    """Neighbors on a line or grid exchange their edges."""

    dimensions: int = number(1, 1, 2)
    exchange: str = choice("nonblocking", "blocking", "sendrecv", "nonblocking")


@dataclass(frozen=True, kw_only=True)
class MasterWorker(Phase):
    """Rank 0 gives tasks to workers on request; before each answer it works for `serve_ns`."""

    tasks: int = number(8, 0, 10**6)
    serve_ns: int = number(0, 0, 10**9)


@dataclass(frozen=True, kw_only=True)
class Pipeline(Phase):
    """Each rank passes blocks on to the next one."""

    blocks: int = number(4, 1, 10**6)
    synchronous: bool = False


@dataclass(frozen=True, kw_only=True)
class Messages(Phase):
    """Each rank sends to random ranks, and completes all messages in random order."""

    messages: int = number(3, 0, 1000)
    communicator: str = choice("world", *_COMMUNICATORS)
    completion: str = choice("waitall", "wait", "waitall", "receive")
    synchronous: bool = False


@dataclass(frozen=True, kw_only=True)
class Collectives(Phase):
    """Collective operations, one after the other.

    `root` is a rank of the program; in a smaller communicator it is taken modulo its size.
    """

    operations: list[str] = field(
        default_factory=lambda: ["allreduce"], metadata={"choices": tuple(OPERATIONS)}
    )
    communicator: str = choice("world", *_COMMUNICATORS)
    nonblocking: bool = False
    root: int = number(0, 0)
    silent: float = number(0.0, 0, 1)


@dataclass(frozen=True, kw_only=True)
class Rma(Phase):
    """Puts, gets and accumulates on remote memory.

    Targets are the next ranks in turn between fences, the next `partners` in epochs (post, start,
    complete, wait), and one of the first `partners` of the window with locks. `lazy` calls that
    begin epochs or take locks do not wait; later calls do. A share `exclusive` of the processes
    takes exclusive locks. With `flush`, operations are completed before the release of the lock,
    which lasts until the target enters MPI.
    """

    puts: int = number(2, 0, 10**6)
    gets: int = number(0, 0, 10**6)
    accumulates: int = number(0, 0, 10**6)
    communicator: str = choice("world", *_COMMUNICATORS)
    synchronization: str = choice("fences", "fences", "epochs", "locks")
    partners: int = number(1, 1, 65_536)
    lazy: bool = False
    exclusive: float = number(1.0, 0, 1)
    flush: bool = False


@dataclass(frozen=True, kw_only=True)
class Files(Phase):
    """A common file that all processes access collectively, and a file of each process."""

    writes: int = number(1, 0, 1000)
    reads: int = number(0, 0, 1000)
    own_writes: int = number(1, 0, 1000)
    own_reads: int = number(0, 0, 1000)
    communicator: str = choice("world", *_COMMUNICATORS)


@dataclass(frozen=True, kw_only=True)
class Threads(Phase):
    """The first `team` threads of a process (0: all) share its computation, with barriers.

    Before each barrier every thread takes a `lock` `locked` times, for `locked_ns` each.
    """

    barriers: int = number(0, 0, 8)
    thread_imbalance: float = number(0.0, 0, 1000)
    team: int = number(0, 0, 64)
    locked: int = number(0, 0, 1000)
    locked_ns: int = number(1_000, 0, 10**9)
    lock: str = choice("critical", "critical", "api", "mutex")


KINDS: Mapping[str, type[Phase]] = {
    "work": Work, "stencil": Stencil, "master_worker": MasterWorker, "pipeline": Pipeline,
    "messages": Messages, "collectives": Collectives, "rma": Rma, "files": Files,
    "threads": Threads,
}  # fmt: skip
_KINDS = Kinds(
    Phase, KINDS, frozenset(DATA_KINDS), "is for programs with grid, this one has processes"
)


@dataclass(frozen=True, kw_only=True)
class MachineSpec:
    """Speed of calls and messages, in ns. Processes start within `start_ns`.

    `noise` adds random delays to collectives and threads.
    """

    overhead_ns: int = number(200, 8, 10**9)
    latency_ns: int = number(1_000, 100, 10**9)
    ns_per_kib: int = number(100, 0, 10**6)
    eager_limit: int = number(8_192, 0, 2**31)
    start_ns: int = number(5_000, 0, 10**9)
    noise: bool = True


@dataclass(frozen=True, kw_only=True)
class ClockSpec:
    """Errors of the clocks; the archive holds their corrections."""

    offset_ns: int = number(0, 0)
    drift_ppm: float = number(0.0, 0, 100_000)


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """A part that takes `factor` times as long: computation in a region, on a rank, or both."""

    factor: float = number(MISSING, 0, 1000)
    region: str | None = None
    rank: int | None = number(None, 0)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A program: its `phases` in order, `iterations` times."""

    processes: int = number(MISSING, 1, 65_536)
    threads: int = number(1, 1, 64)
    iterations: int = number(1, 1, 10**9)
    size: int = number(10_000, 0, 10**9)
    seed: int = number(0, 0, 2**62)
    id_maps: bool = False
    machine: MachineSpec = field(default_factory=MachineSpec)
    clocks: ClockSpec = field(default_factory=ClockSpec)
    phases: tuple[Phase, ...] = field(default=MISSING, metadata={"key": "phase"})
    what_if: tuple[WhatIf, ...] = ()

    @property
    def lonely_phases(self) -> list[str]:
        """Names of the phases that only compute, because there is one process."""
        exchange = [each for each in self.phases if isinstance(each, (Stencil, Pipeline, Messages))]
        return [phase.name for phase in exchange] if self.processes == 1 else []

    def bytes_of(self, phase: Phase) -> int:
        """Size of a phase's messages."""
        return 8 * isqrt(self.size) if phase.bytes is None else phase.bytes


def parse_spec(given: Mapping[str, Any], source: str = "program") -> Spec:
    """Check a description given as nested dictionaries. Raises ProgramError."""
    spec = TableReader(_KINDS).build(Spec, given, source)
    if not spec.phases:
        raise ProgramError(f"{source}: no phases: give at least one [[phase]] with its kind")
    for position, phase in enumerate(spec.phases, 1):
        _check_phase(phase, spec, f"{source}: phase {position}")
    for position, what_if in enumerate(spec.what_if, 1):
        where = f"{source}: what_if {position}"
        if what_if.region is None and what_if.rank is None:
            raise ProgramError(f"{where}: name a region, a rank or both")
        if what_if.rank is not None:
            _check_rank(what_if.rank, spec, where)
    return spec


def _check_phase(phase: Phase, spec: Spec, where: str) -> None:
    """Raise ProgramError if a phase does not fit the processes or threads."""
    if isinstance(phase, Collectives):
        _check_rank(phase.root, spec, f"{where} (collectives): root")
    if isinstance(phase, Threads) and phase.team > spec.threads:
        raise ProgramError(f"{where} (threads): team: a process has {spec.threads} threads")
    if isinstance(phase, MasterWorker) and spec.processes == 1:
        raise ProgramError(f"{where} (master_worker): nobody works: give 2 processes or more")


def _check_rank(rank: int, spec: Spec, where: str) -> None:
    if rank >= spec.processes:
        raise ProgramError(f"{where}: no rank {rank}: ranks go from 0 to {spec.processes - 1}")
