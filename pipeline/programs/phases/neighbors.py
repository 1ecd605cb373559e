"""Exchange with neighbors: edges on all sides, or blocks from each rank to the next."""

from collections.abc import Sequence
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Pipeline, Spec, Stencil
from tracemill.programs.phases.computing import compute
from tracemill.programs.phases.groups import grid
from tracemill.programs.process import Process


def build_stencil(phase: Stencil, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Exchange edges on a line or a grid of processes."""
    rows, columns = (1, spec.processes) if phase.dimensions == 1 else grid(spec.processes)
    size = spec.bytes_of(phase)
    for process in processes:
        compute(phase, spec, process)
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
    """Exchange edges with both neighbors in a ring of processes."""
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
        # The first process receives first, which avoids a deadlock.
        steps = [(after, before, tag), (before, after, tag + 1)]
        for to, source, own_tag in steps:
            if place == 0:
                process.receive(source, tag=own_tag)
                process.send(to, size=size, tag=own_tag)
            else:
                process.send(to, size=size, tag=own_tag)
                process.receive(source, tag=own_tag)


def build_pipeline(phase: Pipeline, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Receive each block from the rank before, and send it to the next one."""
    size, last = spec.bytes_of(phase), len(processes) - 1
    mode = at.SYNCHRONOUS if phase.synchronous else at.STANDARD
    for process in processes:
        start = process.here()
        if process.rank > 0:
            process.receive(process.rank - 1)
        compute(phase, spec, process, share=phase.blocks)
        if process.rank < last:
            process.send(process.rank + 1, size=size, mode=mode)
        process.repeat(start, phase.blocks, register=1)
