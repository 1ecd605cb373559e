"""Computation: on one thread of each process, or shared by a team."""

from collections.abc import Sequence
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Phase, Spec, Threads, Work
from tracemill.programs.process import Process

_PPM = 1_000_000
_BYTES_PER_NS = 64


def work_ns(phase: Phase, spec: Spec, rank: int) -> int:
    """Computation of a rank without jitter (ns)."""
    share = rank % 2 if phase.shape == "odd" else rank / max(spec.processes - 1, 1)
    return round(spec.size * phase.cell_ns * (1 + phase.imbalance * share))


def region_of(phase: Phase) -> str:
    """The region in which a phase computes."""
    return f"compute_{phase.name}"


def moving_ns(spec: Spec, size: int) -> int:
    """Time of a process to move data to a file or remote memory (ns)."""
    return spec.machine.overhead_ns + size // _BYTES_PER_NS


def compute(phase: Phase, spec: Spec, process: Process, *, share: int = 1, **options: Any) -> None:
    """Compute 1/`share` of the work of a rank."""
    ns = work_ns(phase, spec, process.rank) // share
    process.work(
        region_of(phase), ns, jitter_ppm=round(phase.jitter * _PPM), calls=phase.calls, **options
    )


def build_work(phase: Work, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Compute only."""
    for process in processes:
        compute(phase, spec, process)


def build_threads(phase: Threads, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Compute with a team of threads."""
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
