"""Files with collective access, and files of each process."""

from collections.abc import Sequence
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Files, Spec
from tracemill.programs.phases.computing import compute, moving_ns
from tracemill.programs.phases.groups import communicators_of
from tracemill.programs.process import Process


def build_files(phase: Files, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Open a common file, access it and the own one, compute in between, and close it."""
    program, size = processes[0].program, spec.bytes_of(phase)
    ns = moving_ns(spec, size)
    both = ("write", at.WRITING), ("read", at.READING)
    shares = 1 + phase.writes + phase.reads
    for comm in communicators_of(phase.communicator, program):
        shared = program.file(f"{phase.name}.dat", comm)
        for member in program.communicators[comm].members:
            process = processes[member]
            own = program.file(f"{phase.name}.{member}.log")
            process.on_file("MPI_File_open", at.OPENING, shared)
            for (name, mode), count in zip(both, (phase.own_writes, phase.own_reads), strict=True):
                for _ in range(count):
                    process.access(name, own, ns, size=size, mode=mode)
            compute(phase, spec, process, share=shares)
            for (name, mode), count in zip(both, (phase.writes, phase.reads), strict=True):
                for _ in range(count):
                    call = f"MPI_File_{name}_all"
                    process.on_file(call, at.ACCESSING, shared, size=size, mode=mode)
                    compute(phase, spec, process, share=shares)
            process.on_file("MPI_File_close", at.CLOSING, shared)
