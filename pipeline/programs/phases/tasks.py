"""Tasks of a master and its workers."""

from collections.abc import Sequence
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import MasterWorker, Spec
from tracemill.programs.phases.computing import compute
from tracemill.programs.process import Process

_REQUEST_TAG, _TASK_TAG, _STOP_TAG = 1, 2, 3


def build_master_worker(
    phase: MasterWorker, spec: Spec, processes: Sequence[Process], random: Any
) -> None:
    """Rank 0 sends tasks to workers on request, and then a stop message to each."""
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
        compute(phase, spec, worker, is_task=True)
        worker.jump(start)
        worker.land(stop)


def _take_request(phase: MasterWorker, master: Process) -> None:
    """Receive a request, and work before the answer."""
    master.receive(at.ANY, tag=_REQUEST_TAG)
    if phase.serve_ns:
        master.work(f"serve_{phase.name}", phase.serve_ns)
