"""One-sided communication: with fences, epochs or locks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Rma, Spec
from tracemill.programs.phases.computing import compute, moving_ns
from tracemill.programs.phases.groups import communicators_of
from tracemill.programs.process import Process
from tracemill.programs.program import Program


def windows_by_rank(spec: Spec, program: Program) -> list[list[int]]:
    """Numbers of the windows of each rank."""
    phases = [phase for phase in spec.phases if isinstance(phase, Rma)]
    found: list[list[int]] = [[] for _ in range(spec.processes)]
    for window in {window: None for phase in phases for window in _windows_of(phase, program)}:
        for rank in program.communicators[program.windows[window].communicator].members:
            found[rank].append(window)
    return found


def _windows_of(phase: Rma, program: Program) -> list[int]:
    """Numbers of the windows of a phase; each process is in one of them."""
    return [
        program.window(phase.name, comm) for comm in communicators_of(phase.communicator, program)
    ]


def build_rma(phase: Rma, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Access remote memory in the windows of a phase."""
    build = {"fences": _build_fences, "epochs": _build_epochs, "locks": _build_locks}
    program = processes[0].program
    for window in _windows_of(phase, program):
        members = program.communicators[program.windows[window].communicator].members
        for rank, member in enumerate(members):
            is_shared = bool(random.random() >= phase.exclusive)
            own = _Own(phase, spec, processes[member], window, members, rank, is_shared)
            build[phase.synchronization](own)


@dataclass(frozen=True)
class _Own:
    """One process in a phase of one-sided communication."""

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
        """The partners after the own rank (`step` 1), or before it (-1)."""
        places = ((self.rank + step * (1 + number)) for number in range(self.partners))
        return [self.members[place % len(self.members)] for place in places]

    def operate(self, partners: int, *, target: int = at.NOBODY, mode: int) -> int:
        """Add all operations; returns the number of their requests."""
        phase, first = self.phase, 0
        size = self.spec.bytes_of(phase)
        ns = moving_ns(self.spec, size)
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
            # Operations of one kind on the same rank share a request.
            first += min(count, partners)
        return first


def _build_fences(own: _Own) -> None:
    phase, size = own.phase, own.spec.bytes_of(own.phase)
    own.process.on_window("MPI_Win_fence", at.FENCING, own.window)
    compute(phase, own.spec, own.process)
    completed = own.operate(len(own.members), mode=at.IN_FENCE)
    own.process.on_window(
        "MPI_Win_fence", at.FENCING, own.window, completed=completed,
        size=(phase.puts + phase.gets + phase.accumulates) * size,
    )  # fmt: skip


def _build_epochs(own: _Own) -> None:
    """Expose the own memory and access remote memory, with computation before each step."""
    phase, process, partners = own.phase, own.process, own.partners
    lazy = at.LAZY if phase.lazy else 0
    origins, targets = own.group(-1), own.group(1)
    compute(phase, own.spec, process, share=4)
    process.in_epoch("MPI_Win_post", at.POST, own.window, origins)
    process.in_epoch("MPI_Win_start", at.START, own.window, targets, lazy=phase.lazy)
    compute(phase, own.spec, process, share=4)
    completed = own.operate(partners, mode=at.IN_EPOCH + lazy) if partners else 0
    compute(phase, own.spec, process, share=4)
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
    compute(phase, own.spec, process, share=2)
    process.on_lock("MPI_Win_lock", at.LOCK, own.window, target, lock=lock, lazy=phase.lazy)
    completed = own.operate(1, target=target, mode=at.IN_LOCK + lazy)
    compute(phase, own.spec, process, share=2)
    if phase.flush and completed:
        process.on_lock("MPI_Win_flush", at.FLUSH, own.window, target, completed=completed)
        completed = 0
    process.on_lock("MPI_Win_unlock", at.UNLOCK, own.window, target, lock=lock, completed=completed)
