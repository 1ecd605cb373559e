"""Collective operations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Collectives, Spec
from tracemill.programs.operations import OPERATIONS
from tracemill.programs.phases.computing import compute
from tracemill.programs.phases.groups import communicators_of
from tracemill.programs.process import Process


def build_collectives(
    phase: Collectives, spec: Spec, processes: Sequence[Process], random: Any
) -> None:
    """Compute a share before each operation, or between starting all of them and waiting."""
    program = processes[0].program
    for comm in communicators_of(phase.communicator, program):
        members = program.communicators[comm].members
        is_silent = random.random(len(members)) < phase.silent
        silent = frozenset(np.flatnonzero(is_silent).tolist())
        for rank, member in enumerate(members):
            process = processes[member]
            if phase.nonblocking:
                first = process.new_slot(len(phase.operations))
                compute(phase, spec, process, share=2)
                for place, name in enumerate(phase.operations):
                    _collective(phase, spec, process, comm, rank, name, silent, first + place)
                compute(phase, spec, process, share=2)
                process.wait_all(first, len(phase.operations))
            else:
                for name in phase.operations:
                    compute(phase, spec, process, share=len(phase.operations))
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
