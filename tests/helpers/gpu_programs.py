"""Random programs that launch kernels on streams of accelerators, simulated and written as traces.

A kernel begins after its launch and the kernel before it on its stream, some latency later. A call
that synchronizes returns some time after all kernels that it waits for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tests.helpers.otf2_archive import TYPES, Event, Trace

NAMES = ("none", "call site", "stream")


class Step(NamedTuple):
    """A step of a process: work, a launch or a call that waits; `stream` is none for all of them.

    `own_ns` is the time of the host; a kernel begins after `latency_ns` and takes `kernel_ns`.
    """

    kind: str
    name: str
    own_ns: int
    stream: int | None = None
    latency_ns: int = 0
    kernel_ns: int = 0


@dataclass(frozen=True)
class GpuProgram:
    """The steps of each process, how many streams it has, and what names launches in the trace."""

    processes: Sequence[Sequence[Step]]
    streams: int
    named_by: str


class Visit(NamedTuple):
    """A call or a kernel; `stream` is where it ran, or the stream that it is about."""

    name: str
    enter: int
    leave: int
    stream: int | None


def random_program(seed: int) -> GpuProgram:
    """A program whose dependencies the trace shows: one stream, or launches with names."""
    random = Random(seed)
    named_by = random.choice(NAMES)
    streams = 1 if named_by == "none" else random.randint(1, 3)
    processes = []
    for _ in range(random.randint(1, 2)):
        # A kernel on every stream, so that all are awaited in the end.
        more = random.choices(range(streams), k=random.randint(0, 6))
        launched = [*range(streams), *more]
        steps = []
        for stream in launched:
            steps.append(Step("work", random.choice("fg"), 2 * random.randint(0, 20)))
            steps.append(
                Step(
                    "launch", random.choice("kl"), random.randint(1, 5), stream,
                    random.randint(0, 4), 2 * random.randint(1, 30),
                )
            )  # fmt: skip
            if random.random() < 0.4:
                is_one = named_by == "stream" and random.random() < 0.5
                steps.append(Step("wait", "", random.randint(1, 4), stream if is_one else None))
        steps.append(Step("wait", "", random.randint(1, 4)))
        steps.append(Step("work", random.choice("fg"), 2 * random.randint(0, 20)))
        processes.append(steps)
    return GpuProgram(processes, streams, named_by)


def simulate(
    steps: Sequence[Step], factors: Mapping[str, float]
) -> tuple[list[Visit], list[Visit]]:
    """Calls of the host and kernels, if regions of these names take their time by a factor."""
    calls, kernels, now = [], [], 1
    free: dict[int, int] = {}
    for step in steps:
        enter = now
        if step.kind == "work":
            now += round(step.own_ns * factors.get(step.name, 1))
            calls.append(Visit(step.name, enter, now, None))
        elif step.kind == "launch":
            assert step.stream is not None
            begin = max(enter, free.get(step.stream, 0)) + step.latency_ns
            end = begin + round(step.kernel_ns * factors.get(step.name, 1))
            free[step.stream] = end
            kernels.append(Visit(step.name, begin, end, step.stream))
            now += step.own_ns
            calls.append(Visit("cuLaunchKernel", enter, now, step.stream))
        else:
            awaited = [end for stream, end in free.items() if step.stream in (None, stream)]
            now = max([enter, *awaited]) + step.own_ns
            name = "cuCtxSynchronize" if step.stream is None else "cuStreamSynchronize"
            calls.append(Visit(name, enter, now, step.stream))
    return calls, kernels


def run_time(program: GpuProgram, factors: Mapping[str, float]) -> int:
    """From 0 to one after the last call of any process."""
    return max(simulate(steps, factors)[0][-1].leave + 1 for steps in program.processes)


def write_program(program: GpuProgram) -> Trace:
    """The trace of a program, as Score-P records CUDA."""
    trace = Trace()
    for name in ("cuLaunchKernel", "cuCtxSynchronize", "cuStreamSynchronize"):
        trace.region(name, role="wrapper", paradigm="cuda")
    for name in "kl":
        trace.region(name, role="kernel", paradigm="cuda")
    trace.define("Attribute", 0, "CUDA_STREAM_REF", "", TYPES["location"])
    trace.define("Parameter", 0, "callsite id", 2)
    hosts = len(program.processes)
    for process, steps in enumerate(program.processes):
        calls, kernels = simulate(steps, {})
        names = iter(kernel.name for kernel in kernels)
        events = [Event(0, "Enter", ("main",))]
        for call in calls:
            is_launch = call.name == "cuLaunchKernel"
            name = next(names) if is_launch else ""
            events += _records(program, call, _of_stream(call.stream, hosts + process), name)
        trace.location([*events, Event(calls[-1].leave + 1, "Leave", ("main",))], process=process)
        trace.accelerators[hosts + process] = process
    for process, steps in enumerate(program.processes):
        kernels = simulate(steps, {})[1]
        for stream in range(program.streams):
            events = [
                each
                for kernel in kernels
                if kernel.stream == stream
                for each in _records(program, kernel, {}, kernel.name)
            ]
            trace.location(events, process=hosts + process, kind="gpu", name=f"stream {stream}")
    return trace


def _of_stream(stream: int | None, process: int) -> dict[int, tuple[str, int]]:
    return {} if stream is None else {0: ("location", (stream << 32) + process)}


def _records(
    program: GpuProgram, visit: Visit, stream: dict[int, tuple[str, int]], launched: str
) -> list[Event]:
    """Records of a call or kernel; `launched` is the kernel, `stream` the attribute of a call."""
    attributes = stream if program.named_by == "stream" else {}
    at_enter = attributes if launched else {}
    records = [Event(visit.enter, "Enter", (visit.name,), at_enter)]
    if launched and program.named_by == "call site":
        site = 10 * ord(launched) + (visit.stream or 0)
        records.append(Event(visit.enter, "ParameterUnsignedInt", (0, site)))
    return [*records, Event(visit.leave, "Leave", (visit.name,), {} if launched else attributes)]
