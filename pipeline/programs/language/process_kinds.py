"""Programs of processes, as they are described."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from math import isqrt
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.base.text import counted
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.fields import Kinds, TableReader, choice, declare, number, words
from tracemill.programs.operations import OPERATIONS


def _communicator() -> Any:
    return choice(
        "world", "world", "rows", "columns", "halves",
        meaning="all processes, or rows, columns or halves of them",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Fields of all phases; each phase computes before it communicates.

    A process computes for `size` × `cell_ns`, plus a share `imbalance`: proportional to the rank
    (`shape` slope), or on odd ranks only (`shape` odd). Each iteration varies by `jitter`, and
    visits `calls` functions. `bytes` is the size of messages, by default 8 for each cell on the
    edge of a square of `size` cells.
    """

    name: str = declare("", "name of the phase; default: the kind")
    cell_ns: int = number(10, 0, 10**9, "computation per cell")
    imbalance: float = number(0.0, -1, 1000, "additional computation: 0.5 is 50% more")
    shape: str = choice(
        "slope", "slope", "odd", meaning="imbalance proportional to the rank, or on odd ranks only"
    )
    jitter: float = number(0.0, 0, 1, "share by which iterations vary")
    calls: int = number(0, 0, 10**6, "function calls within the computation")
    bytes: int | None = number(
        None, 0, 2**31, "size of messages; default: 8 for each cell on an edge"
    )


@dataclass(frozen=True, kw_only=True)
class Work(Phase):
    """Computation only."""


@dataclass(frozen=True, kw_only=True)
class Stencil(Phase):
    """Neighbors on a line or grid exchange their edges."""

    dimensions: int = number(1, 1, 2, "dimensions of the grid")
    exchange: str = choice(
        "nonblocking", "blocking", "sendrecv", "nonblocking", meaning="calls that are used"
    )


@dataclass(frozen=True, kw_only=True)
class MasterWorker(Phase):
    """Rank 0 gives tasks to workers on request; there are at least two processes."""

    tasks: int = number(8, 0, 10**6, "number of tasks")
    serve_ns: int = number(0, 0, 10**9, "work of rank 0 before each answer")


@dataclass(frozen=True, kw_only=True)
class Pipeline(Phase):
    """Each rank passes blocks on to the next one."""

    blocks: int = number(4, 1, 10**6, "number of blocks")
    synchronous: bool = declare(False, "sends wait for their receiver")


@dataclass(frozen=True, kw_only=True)
class Messages(Phase):
    """Each rank sends to random ranks, and completes all messages in random order."""

    messages: int = number(3, 0, 1000, "messages of each rank")
    communicator: str = _communicator()
    completion: str = choice(
        "waitall", "wait", "waitall", "receive", meaning="calls that complete the messages"
    )
    synchronous: bool = declare(False, "sends wait for their receiver")


@dataclass(frozen=True, kw_only=True)
class Collectives(Phase):
    """Collective operations, one after the other."""

    operations: list[str] = words(("allreduce",), *OPERATIONS, meaning="operations in order")
    communicator: str = _communicator()
    nonblocking: bool = declare(False, "non-blocking operations")
    root: int = number(
        0, 0, meaning="a rank of the program; taken modulo the size of a smaller communicator"
    )
    silent: float = number(0.0, 0, 1, "share of the processes that send no data")


@dataclass(frozen=True, kw_only=True)
class Rma(Phase):
    """Puts, gets and accumulates on remote memory.

    Targets are the next ranks in turn between fences, the next `partners` in epochs (post, start,
    complete, wait), and one of the first `partners` of the window with locks.
    """

    puts: int = number(2, 0, 10**6, "number of puts")
    gets: int = number(0, 0, 10**6, "number of gets")
    accumulates: int = number(0, 0, 10**6, "number of accumulates")
    communicator: str = _communicator()
    synchronization: str = choice(
        "fences", "fences", "epochs", "locks", meaning="kind of synchronization"
    )
    partners: int = number(1, 1, 65_536, "number of targets in epochs and with locks")
    lazy: bool = declare(False, "calls that begin epochs or take locks do not wait; later calls do")
    exclusive: float = number(1.0, 0, 1, "share of the processes that take exclusive locks")
    flush: bool = declare(
        False,
        "complete operations before the lock is released, which lasts until the target enters MPI",
    )


@dataclass(frozen=True, kw_only=True)
class Files(Phase):
    """A common file that all processes access collectively, and a file of each process."""

    writes: int = number(1, 0, 1000, "collective writes")
    reads: int = number(0, 0, 1000, "collective reads")
    own_writes: int = number(1, 0, 1000, "writes to the own file")
    own_reads: int = number(0, 0, 1000, "reads from the own file")
    communicator: str = _communicator()


@dataclass(frozen=True, kw_only=True)
class Threads(Phase):
    """OpenMP threads of a process share its computation, with barriers."""

    barriers: int = number(0, 0, 8, "barriers before the one at the end")
    thread_imbalance: float = number(0.0, 0, 1000, "as `imbalance`, for threads")
    team: int = number(0, 0, 64, "threads that compute; 0: all of the process")
    locked: int = number(0, 0, 1000, "locks that every thread takes before each barrier")
    locked_ns: int = number(1_000, 0, 10**9, "time in each lock")
    lock: str = choice("critical", "critical", "api", "mutex", meaning="kind of lock")


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
    """Speed of calls and messages."""

    overhead_ns: int = number(200, 8, 10**9, "time of each call")
    latency_ns: int = number(1_000, 100, 10**9, "time of a message without data")
    ns_per_kib: int = number(100, 0, 10**6, "time per KiB of a message")
    eager_limit: int = number(8_192, 0, 2**31, "sends of more bytes wait for their receiver")
    start_ns: int = number(5_000, 0, 10**9, "processes start within this time")
    noise: bool = declare(True, "random delays in collectives and threads")


@dataclass(frozen=True, kw_only=True)
class ClockSpec:
    """Errors of the clocks; the archive holds their corrections."""

    offset_ns: int = number(0, 0, meaning="largest offset")
    drift_ppm: float = number(0.0, 0, 100_000, "largest drift, in millionths")


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """A part that takes `factor` times as long: computation in a region, on a rank, or both."""

    factor: float = number(MISSING, 0, 1000, "0.5: half of the time")
    region: str | None = declare(None, "name of a region")
    rank: int | None = number(None, 0, meaning="a rank")


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A program: its `phases` in order, `iterations` times."""

    processes: int = number(MISSING, 1, 65_536, "number of processes")
    threads: int = number(1, 1, 64, "threads of each process")
    iterations: int = number(1, 1, 10**9, "how often all phases are run")
    size: int = number(10_000, 0, 10**9, "cells of each process")
    seed: int = number(0, 0, 2**62, "start of the random numbers")
    id_maps: bool = declare(False, "local identifiers differ from global ones")
    machine: MachineSpec = declare(MachineSpec(), "speed of calls and messages")
    clocks: ClockSpec = declare(ClockSpec(), "errors of the clocks")
    phases: tuple[Phase, ...] = declare(meaning="phases in order", key="phase")
    what_if: tuple[WhatIf, ...] = declare((), "run times of the program with a part scaled")

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
        raise ProgramError(
            f"{where} (threads): team: a process has {counted(spec.threads, 'thread')}"
        )
    if isinstance(phase, MasterWorker) and spec.processes == 1:
        raise ProgramError(f"{where} (master_worker): nobody works: give 2 processes or more")


def _check_rank(rank: int, spec: Spec, where: str) -> None:
    if rank >= spec.processes:
        raise ProgramError(f"{where}: no rank {rank}: ranks go from 0 to {spec.processes - 1}")
