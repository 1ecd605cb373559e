"""Phases as instructions: what each kind of program does in one iteration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from pipeline.generator.kernels import layout as at
from pipeline.generator.operations import OPERATIONS
from pipeline.generator.program import Process, Program
from pipeline.generator.spec import (
    Collectives,
    Files,
    MasterWorker,
    Messages,
    Phase,
    Pipeline,
    Rma,
    Spec,
    Stencil,
    Threads,
    Work,
)

_REQUEST_TAG, _TASK_TAG, _STOP_TAG = 1, 2, 3
_PPM = 1_000_000
_BYTES_PER_NS = 64


def build_program(spec: Spec) -> Program:
    """The program that a description stands for."""
    program = Program(spec.processes, spec.threads)
    processes = [Process(program, rank) for rank in range(spec.processes)]
    windows = _windows_by_rank(spec, program)
    starts = []
    for process in processes:
        process.begin("main")
        process.collective("MPI_Init", at.INIT, 0)
        for window in windows[process.rank]:
            process.on_window("MPI_Win_create", at.CREATING, window)
        starts.append(process.here())
        process.begin("step")
    for number, phase in enumerate(spec.phases):
        random = np.random.default_rng([spec.seed, 4, number])
        for process in processes:
            process.begin(phase.name)
            process.begin_phase()
        _BUILDERS[type(phase)](phase, spec, processes, random)
        for process in processes:
            process.end()
    for process, start in zip(processes, starts, strict=True):
        process.end()
        process.repeat(start, spec.iterations, register=0)
        for window in windows[process.rank]:
            process.on_window("MPI_Win_free", at.FREEING, window)
        process.collective("MPI_Finalize", at.FINALIZE, 0)
        process.end()
        process.finish()
    return program


def work_ns(phase: Phase, spec: Spec, rank: int) -> int:
    """How long a rank computes, without jitter."""
    share = rank % 2 if phase.shape == "odd" else rank / max(spec.processes - 1, 1)
    return round(spec.size * phase.cell_ns * (1 + phase.imbalance * share))


def region_of(phase: Phase) -> str:
    """The region in which a phase computes."""
    return f"compute_{phase.name}"


def _work(phase: Phase, spec: Spec, process: Process, *, share: int = 1, **options: Any) -> None:
    ns = work_ns(phase, spec, process.rank) // share
    process.work(
        region_of(phase), ns, jitter_ppm=round(phase.jitter * _PPM), calls=phase.calls, **options
    )


def _build_work(phase: Work, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    for process in processes:
        _work(phase, spec, process)


def _grid(count: int) -> tuple[int, int]:
    """Rows and columns of the squarest grid of processes."""
    rows = isqrt(count)
    while count % rows:
        rows -= 1
    return rows, count // rows


# --- Stencil -------------------------------------------------------------------------------------


def _build_stencil(
    phase: Stencil, spec: Spec, processes: Sequence[Process], random: Any
) -> None:  # fmt: skip
    rows, columns = (1, spec.processes) if phase.dimensions == 1 else _grid(spec.processes)
    size = spec.bytes_of(phase)
    for process in processes:
        _work(phase, spec, process)
        row, column = divmod(process.rank, columns)
        if columns > 1:
            line = [row * columns + other for other in range(columns)]
            _exchange(phase.exchange, process, line, column, size, tag=0)
        if rows > 1:
            line = [other * columns + column for other in range(rows)]
            _exchange(phase.exchange, process, line, row, size, tag=10)


def _exchange(
    how: str, process: Process, line: Sequence[int], place: int, size: int, *, tag: int
) -> None:
    """Give and take an edge on both sides, on a line of processes closed to a ring."""
    after, before = line[(place + 1) % len(line)], line[place - 1]
    if how == "sendrecv":
        process.exchange(after, before, size=size, tag=tag)
        process.exchange(before, after, size=size, tag=tag + 1)
    elif how == "nonblocking":
        first = process.new_slot(4)
        process.ireceive(before, first, tag=tag)
        process.ireceive(after, first + 1, tag=tag + 1)
        process.isend(after, first + 2, size=size, tag=tag)
        process.isend(before, first + 3, size=size, tag=tag + 1)
        process.wait_all(first, 4)
    else:
        # The first of a ring receives first, so that somebody always does.
        steps = [(after, before, tag), (before, after, tag + 1)]
        for to, source, own_tag in steps:
            if place == 0:
                process.receive(source, tag=own_tag)
                process.send(to, size=size, tag=own_tag)
            else:
                process.send(to, size=size, tag=own_tag)
                process.receive(source, tag=own_tag)


# --- Master and workers, pipeline ----------------------------------------------------------------


def _build_master_worker(
    phase: MasterWorker, spec: Spec, processes: Sequence[Process], random: Any
) -> None:
    master, *workers = processes
    size = spec.bytes_of(phase)
    if phase.tasks:
        start = master.here()
        _take_request(phase, master)
        master.send(at.LAST, size=size, tag=_TASK_TAG, numbers_task=True)
        master.repeat(start, phase.tasks, register=1)
    start = master.here()
    _take_request(phase, master)
    master.send(at.LAST, size=0, tag=_STOP_TAG)
    master.repeat(start, len(workers), register=1)
    for worker in workers:
        start = worker.here()
        worker.send(0, size=0, tag=_REQUEST_TAG)
        worker.receive(0, tag=at.ANY)
        stop = worker.jump_if_tag(_STOP_TAG)
        _work(phase, spec, worker, is_task=True)
        worker.jump(start)
        worker.land(stop)


def _take_request(phase: MasterWorker, master: Process) -> None:
    """Receive a request, and work on it before it is answered."""
    master.receive(at.ANY, tag=_REQUEST_TAG)
    if phase.serve_ns:
        master.work(f"serve_{phase.name}", phase.serve_ns)


def _build_pipeline(
    phase: Pipeline, spec: Spec, processes: Sequence[Process], random: Any
) -> None:  # fmt: skip
    size, last = spec.bytes_of(phase), len(processes) - 1
    mode = at.SYNCHRONOUS if phase.synchronous else at.STANDARD
    for process in processes:
        start = process.here()
        if process.rank > 0:
            process.receive(process.rank - 1)
        _work(phase, spec, process, share=phase.blocks)
        if process.rank < last:
            process.send(process.rank + 1, size=size, mode=mode)
        process.repeat(start, phase.blocks, register=1)


# --- Messages between any ------------------------------------------------------------------------


def _build_messages(
    phase: Messages, spec: Spec, processes: Sequence[Process], random: Any
) -> None:  # fmt: skip
    program = processes[0].program
    sends: list[list[tuple[int, int, int, int]]] = [[] for _ in processes]
    receives: list[list[tuple[int, int, int]]] = [[] for _ in processes]
    mode = at.SYNCHRONOUS if phase.synchronous else at.STANDARD
    for comm in _communicators(phase.communicator, program):
        members = program.communicators[comm].members
        for sender in members:
            others = [other for other in members if other != sender]
            for _ in range(phase.messages if others else 0):
                receiver, tag = int(random.choice(others)), int(random.integers(0, 3))
                size = int(random.choice((0, 1, 2, 100))) * spec.bytes_of(phase)
                sends[sender].append((receiver, tag, comm, size))
                receives[receiver].append((sender, tag, comm))
    for process in processes:
        mine = receives[process.rank]
        order = [mine[place] for place in random.permutation(len(mine))]
        _send_and_receive(phase, spec, process, sends[process.rank], order, mode, random)


def _send_and_receive(
    phase: Messages, spec: Spec, process: Process, sends: Sequence[tuple[int, int, int, int]],
    receives: Sequence[tuple[int, int, int]], mode: int, random: Any,
) -> None:  # fmt: skip
    """Post everything, compute, and complete it in the way that the phase says."""
    is_posted_early = phase.completion != "receive"
    first = process.new_slot(len(sends) + len(receives))
    if is_posted_early:
        for place, (sender, tag, comm) in enumerate(receives):
            process.ireceive(sender, first + len(sends) + place, tag=tag, comm=comm)
    for place, (receiver, tag, comm, size) in enumerate(sends):
        _work(phase, spec, process, share=2 * len(sends))
        process.isend(receiver, first + place, size=size, tag=tag, comm=comm, mode=mode)
    _work(phase, spec, process, share=2)
    if phase.completion == "waitall":
        process.wait_all(first, len(sends) + len(receives))
    elif phase.completion == "wait":
        for place in random.permutation(len(sends) + len(receives)):
            process.wait(first + int(place))
    else:
        for sender, tag, comm in receives:
            process.receive(sender, tag=tag, comm=comm)
        process.wait_all(first, len(sends))


# --- Collectives ---------------------------------------------------------------------------------


def _communicators(which: str, program: Program) -> list[int]:
    """Numbers of the communicators of a kind, which together have every process once."""
    count = program.process_count
    if which == "world":
        return [0]
    if which == "halves":
        parts = [list(range(first, -1, -2)) for first in (count - 1, count - 2)]
    else:
        rows, columns = _grid(count)
        every = np.arange(count).reshape(rows, columns)
        parts = (every if which == "rows" else every.T).tolist()
    return [
        program.communicator(f"{which} {number}", part) for number, part in enumerate(parts) if part
    ]


def _build_collectives(
    phase: Collectives, spec: Spec, processes: Sequence[Process], random: Any
) -> None:  # fmt: skip
    program = processes[0].program
    for comm in _communicators(phase.communicator, program):
        members = program.communicators[comm].members
        is_silent = random.random(len(members)) < phase.silent
        silent = frozenset(np.flatnonzero(is_silent).tolist())
        for rank, member in enumerate(members):
            process = processes[member]
            if phase.nonblocking:
                first = process.new_slot(len(phase.operations))
                _work(phase, spec, process, share=2)
                for place, name in enumerate(phase.operations):
                    _collective(phase, spec, process, comm, rank, name, silent, first + place)
                _work(phase, spec, process, share=2)
                process.wait_all(first, len(phase.operations))
            else:
                for name in phase.operations:
                    _work(phase, spec, process, share=len(phase.operations))
                    _collective(phase, spec, process, comm, rank, name, silent, None)


def _collective(
    phase: Collectives, spec: Spec, process: Process, comm: int, rank: int, name: str,
    silent: frozenset[int], request: int | None,
) -> None:  # fmt: skip
    operation = OPERATIONS[name]
    count = len(process.program.communicators[comm].members)
    root, size = phase.root % count, spec.bytes_of(phase)
    sizes = [operation.sizes(each, count, root, size, silent) for each in range(count)]
    process.collective(
        operation.call(is_nonblocking=request is not None),
        operation.family,
        operation.code,
        comm=comm,
        root=root if operation.family in (at.ONE_TO_N, at.N_TO_ONE) else at.NOBODY,
        sent=sizes[rank][0],
        received=sizes[rank][1],
        sender_count=sum(sent > 0 for sent, _ in sizes),
        request=request,
        is_beyond=operation.is_beyond or request is not None,
    )


# --- One-sided, threads --------------------------------------------------------------------------


def _windows_by_rank(spec: Spec, program: Program) -> list[list[int]]:
    """Numbers of the windows that each rank takes part in."""
    phases = [phase for phase in spec.phases if isinstance(phase, Rma)]
    found: list[list[int]] = [[] for _ in range(spec.processes)]
    for window in {window: None for phase in phases for window in _windows_of(phase, program)}:
        for rank in program.communicators[program.windows[window].communicator].members:
            found[rank].append(window)
    return found


def _windows_of(phase: Rma, program: Program) -> list[int]:
    """Numbers of a phase's windows, which together have every process once."""
    return [
        program.window(phase.name, comm) for comm in _communicators(phase.communicator, program)
    ]


def _build_rma(phase: Rma, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    build = {"fences": _build_fences, "epochs": _build_epochs, "locks": _build_locks}
    program = processes[0].program
    for window in _windows_of(phase, program):
        members = program.communicators[program.windows[window].communicator].members
        for rank, member in enumerate(members):
            is_shared = bool(random.random() >= phase.exclusive)
            own = _Own(phase, spec, processes[member], window, members, rank, is_shared)
            build[phase.synchronisation](own)


@dataclass(frozen=True)
class _Own:
    """The part of one process in a phase of one-sided communication."""

    phase: Rma
    spec: Spec
    process: Process
    window: int
    members: tuple[int, ...]
    rank: int
    is_shared: bool

    @property
    def partners(self) -> int:
        return min(self.phase.partners, len(self.members) - 1)

    def group(self, step: int) -> list[int]:
        """The partners after the own rank, or before it."""
        places = ((self.rank + step * (1 + number)) for number in range(self.partners))
        return [self.members[place % len(self.members)] for place in places]

    def operate(self, partners: int, *, target: int = at.NOBODY, mode: int) -> int:
        """All operations; returns how many requests they make."""
        phase, first = self.phase, 0
        size = self.spec.bytes_of(phase)
        ns = self.spec.machine.overhead_ns + size // _BYTES_PER_NS
        for name, kind, count in (
            ("MPI_Put", at.ON_PUT, phase.puts), ("MPI_Get", at.ON_GET, phase.gets),
            ("MPI_Accumulate", at.ON_ATOMIC, phase.accumulates),
        ):  # fmt: skip
            if count:
                start = self.process.here()
                self.process.remote(
                    name, int(kind), self.window, ns, size=size, first_request=first,
                    partners=partners, target=target, mode=mode,
                )  # fmt: skip
                self.process.repeat(start, count, register=1)
            # What is done to a rank more than once in one way shares a request.
            first += min(count, partners)
        return first


def _build_fences(own: _Own) -> None:
    phase, size = own.phase, own.spec.bytes_of(own.phase)
    own.process.on_window("MPI_Win_fence", at.FENCING, own.window)
    _work(phase, own.spec, own.process)
    completed = own.operate(len(own.members), mode=at.IN_FENCE)
    own.process.on_window(
        "MPI_Win_fence", at.FENCING, own.window, completed=completed,
        size=(phase.puts + phase.gets + phase.accumulates) * size,
    )  # fmt: skip


def _build_epochs(own: _Own) -> None:
    """Expose the own memory, access that of others, and compute before each of it."""
    phase, process, partners = own.phase, own.process, own.partners
    lazy = at.LAZY if phase.lazy else 0
    origins, targets = own.group(-1), own.group(1)
    _work(phase, own.spec, process, share=4)
    process.in_epoch("MPI_Win_post", at.POST, own.window, origins)
    process.in_epoch("MPI_Win_start", at.START, own.window, targets, lazy=phase.lazy)
    _work(phase, own.spec, process, share=4)
    completed = own.operate(partners, mode=at.IN_EPOCH + lazy) if partners else 0
    _work(phase, own.spec, process, share=4)
    counts = (phase.puts, phase.gets, phase.accumulates)
    process.in_epoch(
        "MPI_Win_complete", at.COMPLETE, own.window, targets, completed=completed,
        accessed=min(max(counts), partners),
    )  # fmt: skip
    process.in_epoch("MPI_Win_wait", at.EXPOSE, own.window, origins)


def _build_locks(own: _Own) -> None:
    phase, process = own.phase, own.process
    target = own.rank % min(phase.partners, len(own.members))
    lock, lazy = int(own.is_shared), at.LAZY if phase.lazy else 0
    _work(phase, own.spec, process, share=2)
    process.on_lock(
        "MPI_Win_lock", at.LOCK, own.window, target, lock=lock, lazy=phase.lazy
    )  # fmt: skip
    completed = own.operate(1, target=target, mode=at.IN_LOCK + lazy)
    _work(phase, own.spec, process, share=2)
    if phase.flush and completed:
        process.on_lock("MPI_Win_flush", at.FLUSH, own.window, target, completed=completed)
        completed = 0
    process.on_lock(
        "MPI_Win_unlock", at.UNLOCK, own.window, target, lock=lock, completed=completed
    )  # fmt: skip


def _build_files(phase: Files, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    program, size = processes[0].program, spec.bytes_of(phase)
    ns = spec.machine.overhead_ns + size // _BYTES_PER_NS
    both = ("write", at.WRITING), ("read", at.READING)
    shares = 1 + phase.writes + phase.reads
    for comm in _communicators(phase.communicator, program):
        shared = program.file(f"{phase.name}.dat", comm)
        for member in program.communicators[comm].members:
            process = processes[member]
            own = program.file(f"{phase.name}.{member}.log")
            process.on_file("MPI_File_open", at.OPENING, shared)
            for (name, mode), count in zip(both, (phase.own_writes, phase.own_reads), strict=True):
                for _ in range(count):
                    process.access(name, own, ns, size=size, mode=mode)
            _work(phase, spec, process, share=shares)
            for (name, mode), count in zip(both, (phase.writes, phase.reads), strict=True):
                for _ in range(count):
                    call = f"MPI_File_{name}_all"
                    process.on_file(call, at.ACCESSING, shared, size=size, mode=mode)
                    _work(phase, spec, process, share=shares)
            process.on_file("MPI_File_close", at.CLOSING, shared)


def _build_threads(
    phase: Threads, spec: Spec, processes: Sequence[Process], random: Any
) -> None:  # fmt: skip
    members = phase.team or spec.threads
    for process in processes:
        process.team(
            region_of(phase),
            work_ns(phase, spec, process.rank) // (members * (phase.barriers + 1)),
            jitter_ppm=round(phase.jitter * _PPM),
            imbalance_ppm=round(phase.thread_imbalance * _PPM),
            period=2 if phase.shape == "odd" else members,
            barriers=phase.barriers,
            calls=phase.calls,
            members=members,
            lock=at.LOCK_KINDS.index(phase.lock),
            locked=phase.locked,
            locked_ns=phase.locked_ns,
        )


_BUILDERS: dict[type[Phase], Callable[..., None]] = {
    Work: _build_work,
    Stencil: _build_stencil,
    MasterWorker: _build_master_worker,
    Pipeline: _build_pipeline,
    Messages: _build_messages,
    Collectives: _build_collectives,
    Rma: _build_rma,
    Files: _build_files,
    Threads: _build_threads,
}
