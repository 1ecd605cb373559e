"""Pipelined loops as MPI calls: in each step receive, compute, and send on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.pipelining import pipeline_steps
from tracemill.programs.placed import Pipelined, PlacedProgram
from tracemill.programs.process import Process
from tracemill.programs.transfers import NOBODY, Edges, PipelineSteps


def build_pipelined(
    phase: Pipelined, placed: PlacedProgram, cluster: Cluster, processes: Sequence[Process],
    delay: int, register: int,
) -> None:  # fmt: skip
    """Write the steps of a pipelined loop; `register` counts those between first and last."""
    steps = pipeline_steps(phase, placed, cluster)
    for process in processes:
        process.begin_operation()
        if steps.steps[process.rank]:
            process.begin(phase.name)
            _OwnSteps(process, steps, delay, register).build()
            process.end()


@dataclass(frozen=True)
class _Neighbors:
    """Before and after a process; what it sends in a full step and in the last (bytes)."""

    sources: list[int]
    targets: list[tuple[int, int, int]]


class _OwnSteps:
    """The steps of one process."""

    def __init__(self, process: Process, steps: PipelineSteps, delay: int, register: int) -> None:
        self._process, self._delay, self._register = process, delay, register
        rank = process.rank
        self._count = int(steps.steps[rank])
        self._times = int(steps.step_ns[rank]), int(steps.last_step_ns[rank])
        self._across = _neighbors(steps.edges, rank)
        self._along = _neighbors((steps.along,) if steps.along is not None else (), rank)
        edges = len(self._across.targets)
        self._request_count = edges * self._count + len(self._along.targets)
        self._first_request = process.new_slot(self._request_count)
        self._first_receive = process.new_slot(len(self._across.sources) + 1)

    def build(self) -> None:
        """Write all steps, and wait for what was sent."""
        edges = len(self._across.targets)
        if self._count > 1:
            self._step(0, 0, is_last=False, has_along=True)
        if self._count > 2:
            start = self._process.here()
            self._step(edges, edges, is_last=False, has_along=False)
            self._process.repeat(start, self._count - 2, register=self._register)
        self._step(edges * (self._count - 1), 0, is_last=True, has_along=self._count == 1)
        if self._request_count == 1:
            self._process.wait(self._first_request)
        elif self._request_count:
            self._process.wait_all(self._first_request, self._request_count)

    def _step(self, request: int, stride: int, *, is_last: bool, has_along: bool) -> None:
        """Write a step whose first request is that number; the next step's are `stride` further."""
        process, delays = self._process, self._delays()
        sources = (self._along.sources if has_along else []) + self._across.sources
        if len(sources) == 1:
            process.receive(sources[0], delay=next(delays))
        elif sources:
            for place, source in enumerate(sources):
                process.ireceive(source, self._first_receive + place, delay=next(delays))
            process.wait_all(self._first_receive, len(sources))
        process.work_here(self._times[is_last])
        targets = [(to, sizes[is_last]) for to, *sizes in self._across.targets]
        if is_last:
            targets += [(to, last) for to, _, last in self._along.targets]
        for place, (to, size) in enumerate(targets, self._first_request + request):
            process.isend(
                to, place, size=size, delay=next(delays), stride=stride, register=self._register
            )

    def _delays(self) -> Iterator[int]:
        """The overhead of the step, for its first call."""
        yield self._delay
        while True:
            yield 0


def _neighbors(edges: Sequence[Edges], rank: int) -> _Neighbors:
    sources = [int(each.predecessors[rank]) for each in edges]
    targets = [
        (int(each.successors[rank]), int(each.sizes[rank]), int(each.last_sizes[rank]))
        for each in edges
    ]
    return _Neighbors(
        [each for each in sources if each != NOBODY],
        [each for each in targets if each[0] != NOBODY],
    )
