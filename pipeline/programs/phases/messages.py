"""Messages between random processes, completed in any order."""

from collections.abc import Sequence
from typing import Any

from tracemill.kernels.simulation import layout as at
from tracemill.programs.language.process_kinds import Messages, Spec
from tracemill.programs.phases.computing import compute
from tracemill.programs.phases.groups import communicators_of
from tracemill.programs.process import Process


def build_messages(phase: Messages, spec: Spec, processes: Sequence[Process], random: Any) -> None:
    """Draw receivers and sizes of messages, and the order of receives."""
    program = processes[0].program
    sends: list[list[tuple[int, int, int, int]]] = [[] for _ in processes]
    receives: list[list[tuple[int, int, int]]] = [[] for _ in processes]
    mode = at.SYNCHRONOUS if phase.synchronous else at.STANDARD
    for comm in communicators_of(phase.communicator, program):
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
    """Post all messages, compute, and complete them as the phase says."""
    is_posted_early = phase.completion != "receive"
    first = process.new_slot(len(sends) + len(receives))
    if is_posted_early:
        for place, (sender, tag, comm) in enumerate(receives):
            process.ireceive(sender, first + len(sends) + place, tag=tag, comm=comm)
    for place, (receiver, tag, comm, size) in enumerate(sends):
        compute(phase, spec, process, share=2 * len(sends))
        process.isend(receiver, first + place, size=size, tag=tag, comm=comm, mode=mode)
    compute(phase, spec, process, share=2)
    if phase.completion == "waitall":
        process.wait_all(first, len(sends) + len(receives))
    elif phase.completion == "wait":
        for place in random.permutation(len(sends) + len(receives)):
            process.wait(first + int(place))
    else:
        for sender, tag, comm in receives:
            process.receive(sender, tag=tag, comm=comm)
        process.wait_all(first, len(sends))
