"""Builds the instructions of programs: all phases, in a loop."""

from collections.abc import Callable

import numpy as np

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language import process_kinds as described
from tracemill.programs.language.process_kinds import Phase, Spec
from tracemill.programs.phases.collectives import build_collectives
from tracemill.programs.phases.computing import build_threads, build_work
from tracemill.programs.phases.files import build_files
from tracemill.programs.phases.messages import build_messages
from tracemill.programs.phases.neighbors import build_pipeline, build_stencil
from tracemill.programs.phases.one_sided import build_rma, windows_by_rank
from tracemill.programs.phases.tasks import build_master_worker
from tracemill.programs.process import Process
from tracemill.programs.program import Program


def build_program(spec: Spec) -> Program:
    """The program of a description."""
    program = Program(spec.processes, spec.threads)
    processes = [Process(program, rank) for rank in range(spec.processes)]
    windows = windows_by_rank(spec, program)
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


_BUILDERS: dict[type[Phase], Callable[..., None]] = {
    described.Work: build_work,
    described.Stencil: build_stencil,
    described.MasterWorker: build_master_worker,
    described.Pipeline: build_pipeline,
    described.Messages: build_messages,
    described.Collectives: build_collectives,
    described.Rma: build_rma,
    described.Files: build_files,
    described.Threads: build_threads,
}
