"""Descriptions of programs to generate: TOML files, with checks of every field."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from math import isqrt
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tracemill.base.errors import MissingInputError, ProgramError
from tracemill.programs.operations import OPERATIONS

Described = TypeVar("Described")
_COMMUNICATORS = ("world", "rows", "columns", "halves")


def _number(default: Any, minimum: float, maximum: float = 10**12) -> Any:
    return field(default=default, metadata={"minimum": minimum, "maximum": maximum})


def _choice(default: str, *choices: str) -> Any:
    return field(default=default, metadata={"choices": choices})


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Fields of all phases; each phase computes before it communicates.

    A process computes for `size` × `cell_ns`, plus a share `imbalance`: proportional to the rank
    (`shape` slope), or on odd ranks only (`shape` odd). Each iteration varies by `jitter`, and
    visits `calls` functions. `bytes` is the size of messages, by default 8 for each cell on the
    edge of a square of `size` cells.
    """

    name: str = ""
    cell_ns: int = _number(10, 0, 10**9)
    imbalance: float = _number(0.0, -1, 1000)
    shape: str = _choice("slope", "slope", "odd")
    jitter: float = _number(0.0, 0, 1)
    calls: int = _number(0, 0, 10**6)
    bytes: int | None = _number(None, 0, 2**31)


@dataclass(frozen=True, kw_only=True)
class Work(Phase):
    """Computation only."""


@dataclass(frozen=True, kw_only=True)
class Stencil(Phase):
    """Neighbors on a line or grid exchange their edges."""

    dimensions: int = _number(1, 1, 2)
    exchange: str = _choice("nonblocking", "blocking", "sendrecv", "nonblocking")


@dataclass(frozen=True, kw_only=True)
class MasterWorker(Phase):
    """Rank 0 gives tasks to workers on request; before each answer it works for `serve_ns`."""

    tasks: int = _number(8, 0, 10**6)
    serve_ns: int = _number(0, 0, 10**9)


@dataclass(frozen=True, kw_only=True)
class Pipeline(Phase):
    """Each rank passes blocks on to the next one."""

    blocks: int = _number(4, 1, 10**6)
    synchronous: bool = False


@dataclass(frozen=True, kw_only=True)
class Messages(Phase):
    """Each rank sends to random ranks, and completes all messages in random order."""

    messages: int = _number(3, 0, 1000)
    communicator: str = _choice("world", *_COMMUNICATORS)
    completion: str = _choice("waitall", "wait", "waitall", "receive")
    synchronous: bool = False


@dataclass(frozen=True, kw_only=True)
class Collectives(Phase):
    """Collective operations, one after the other.

    `root` is a rank of the program; in a smaller communicator it is taken modulo its size.
    """

    operations: list[str] = field(
        default_factory=lambda: ["allreduce"], metadata={"choices": tuple(OPERATIONS)}
    )
    communicator: str = _choice("world", *_COMMUNICATORS)
    nonblocking: bool = False
    root: int = _number(0, 0)
    silent: float = _number(0.0, 0, 1)


@dataclass(frozen=True, kw_only=True)
class Rma(Phase):
    """Puts, gets and accumulates on remote memory.

    Targets are the next ranks in turn between fences, the next `partners` in epochs (post, start,
    complete, wait), and one of the first `partners` of the window with locks. `lazy` calls that
    begin epochs or take locks do not wait; later calls do. A share `exclusive` of the processes
    takes exclusive locks. With `flush`, operations are completed before the release of the lock,
    which lasts until the target enters MPI.
    """

    puts: int = _number(2, 0, 10**6)
    gets: int = _number(0, 0, 10**6)
    accumulates: int = _number(0, 0, 10**6)
    communicator: str = _choice("world", *_COMMUNICATORS)
    synchronization: str = _choice("fences", "fences", "epochs", "locks")
    partners: int = _number(1, 1, 65_536)
    lazy: bool = False
    exclusive: float = _number(1.0, 0, 1)
    flush: bool = False


@dataclass(frozen=True, kw_only=True)
class Files(Phase):
    """A common file that all processes access collectively, and a file of each process."""

    writes: int = _number(1, 0, 1000)
    reads: int = _number(0, 0, 1000)
    own_writes: int = _number(1, 0, 1000)
    own_reads: int = _number(0, 0, 1000)
    communicator: str = _choice("world", *_COMMUNICATORS)


@dataclass(frozen=True, kw_only=True)
class Threads(Phase):
    """The first `team` threads of a process (0: all) share its computation, with barriers.

    Before each barrier every thread takes a `lock` `locked` times, for `locked_ns` each.
    """

    barriers: int = _number(0, 0, 8)
    thread_imbalance: float = _number(0.0, 0, 1000)
    team: int = _number(0, 0, 64)
    locked: int = _number(0, 0, 1000)
    locked_ns: int = _number(1_000, 0, 10**9)
    lock: str = _choice("critical", "critical", "api", "mutex")


KINDS: Mapping[str, type[Phase]] = {
    "work": Work, "stencil": Stencil, "master_worker": MasterWorker, "pipeline": Pipeline,
    "messages": Messages, "collectives": Collectives, "rma": Rma, "files": Files,
    "threads": Threads,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MachineSpec:
    """Speed of calls and messages, in ns. Processes start within `start_ns`.

    `noise` adds random delays to collectives and threads.
    """

    overhead_ns: int = _number(200, 8, 10**9)
    latency_ns: int = _number(1_000, 100, 10**9)
    ns_per_kib: int = _number(100, 0, 10**6)
    eager_limit: int = _number(8_192, 0, 2**31)
    start_ns: int = _number(5_000, 0, 10**9)
    noise: bool = True


@dataclass(frozen=True, kw_only=True)
class ClockSpec:
    """Errors of the clocks; the archive holds their corrections."""

    offset_ns: int = _number(0, 0)
    drift_ppm: float = _number(0.0, 0, 100_000)


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """A part that takes `factor` times as long: computation in a region, on a rank, or both."""

    factor: float = _number(MISSING, 0, 1000)
    region: str | None = None
    rank: int | None = _number(None, 0)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A program: its `phases` in order, `iterations` times."""

    processes: int = _number(MISSING, 1, 65_536)
    threads: int = _number(1, 1, 64)
    iterations: int = _number(1, 1, 10**9)
    size: int = _number(10_000, 0, 10**9)
    seed: int = _number(0, 0, 2**62)
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


def read_spec(path: Path) -> Spec:
    """Read and check a description.

    Raises MissingInputError, or ProgramError that names the field.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        return parse_spec(tomllib.loads(text), str(path))
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProgramError(f"{path}: not a TOML file: {error}") from error


def parse_spec(given: Mapping[str, Any], source: str = "program") -> Spec:
    """Check a description given as nested dictionaries. Raises ProgramError."""
    spec = _build(Spec, given, source)
    if not spec.phases:
        raise ProgramError(f"{source}: no phases: give at least one [[phase]] with its kind")
    for number, phase in enumerate(spec.phases, 1):
        _check_phase(phase, spec, f"{source}: phase {number}")
    for number, what_if in enumerate(spec.what_if, 1):
        where = f"{source}: what_if {number}"
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


def _build(kind: type[Described], given: Any, where: str) -> Described:
    if not isinstance(given, Mapping):
        raise ProgramError(f"{where}: give a table, not {given!r}")
    fields = {each.metadata.get("key", each.name): each for each in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in given:
        if name not in fields:
            raise ProgramError(f"{where}: unknown field {name}: fields are {', '.join(fields)}")
    types, values = get_type_hints(kind), {}
    for name, each in fields.items():
        if name in given:
            values[each.name] = _value(types[each.name], each.metadata, given[name],
                                       f"{where}: {name}")  # fmt: skip
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ProgramError(f"{where}: field {name} is missing")
    return kind(**values)


def _value(kind: Any, limits: Mapping[str, Any], given: Any, where: str) -> Any:
    """The value of a field, with checks of type and limits."""
    if get_origin(kind) is tuple:
        if not isinstance(given, list):
            raise ProgramError(f"{where}: give tables, as in [[{where.split()[-1]}]]")
        (inner, _) = get_args(kind)
        return tuple(_element(inner, each, f"{where} {n}") for n, each in enumerate(given, 1))
    if dataclasses.is_dataclass(kind):
        return _build(kind, given, where)  # type: ignore[arg-type]
    if get_origin(kind) is list:
        if not isinstance(given, list):
            raise ProgramError(f"{where}: give a list, not {given!r}")
        return [_value(str, limits, each, where) for each in given]
    accepted = [each for each in get_args(kind) or (kind,) if each is not type(None)]
    (wanted,) = accepted
    if wanted is float and isinstance(given, int) and not isinstance(given, bool):
        given = float(given)
    if not isinstance(given, wanted) or (wanted is int and isinstance(given, bool)):
        names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
        raise ProgramError(f"{where}: give {names[wanted]}, not {given!r}")
    _check_limits(limits, given, where)
    return given


def _element(kind: Any, given: Any, where: str) -> Any:
    """An element of a list of tables; `kind` determines the class of a phase."""
    if kind is not Phase:
        return _build(kind, given, where)
    named = given.get("kind") if isinstance(given, Mapping) else None
    if named is None:
        raise ProgramError(f"{where}: field kind is missing: kinds are {', '.join(KINDS)}")
    if not isinstance(named, str) or named not in KINDS:
        raise ProgramError(f"{where}: no kind {named!r}: kinds are {', '.join(KINDS)}")
    own = {name: value for name, value in given.items() if name != "kind"}
    phase = _build(KINDS[named], own, f"{where} ({named})")
    return phase if phase.name else dataclasses.replace(phase, name=named)


def _check_limits(limits: Mapping[str, Any], given: Any, where: str) -> None:
    if "choices" in limits and given not in limits["choices"]:
        raise ProgramError(f"{where}: no {given!r}: one of {', '.join(limits['choices'])}")
    if "minimum" in limits and not limits["minimum"] <= given <= limits["maximum"]:
        raise ProgramError(
            f"{where}: {given} is out of range: {limits['minimum']} to {limits['maximum']}"
        )
