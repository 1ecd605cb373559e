"""Operations of programs of data as MPI calls.

exchange, copy, remote, neighbours    MPI_Irecv, MPI_Isend, MPI_Waitall
reduction                             MPI_Allreduce
collective                            MPI_Bcast, MPI_Gather, …
io                                    MPI_File_write_all (one), MPI_File_write_at (each)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tracemill.kernels.simulation import layout as at
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.communication import communication_of
from tracemill.programs.operations import OPERATIONS
from tracemill.programs.placed import (
    STORAGE,
    Branch,
    Collective,
    Interval,
    Io,
    Loop,
    Operation,
    Phase,
    PlacedProgram,
    Reduction,
    Wait,
)
from tracemill.programs.process import Process
from tracemill.programs.program import WORLD
from tracemill.programs.transfers import Communication, Numbers, Transfers


@dataclass(frozen=True)
class Started:
    """A started operation: the first request of each process, and their number."""

    requests: dict[int, tuple[int, int]]


class Operations:
    """Writes the calls of operations; the first call of each lasts `delay` ns longer."""

    def __init__(
        self, placed: PlacedProgram, cluster: Cluster, processes: Sequence[Process], delay: int
    ) -> None:
        self.delay = delay
        self._placed, self._cluster = placed, cluster
        self._processes, self._program = processes, processes[0].program
        self._files: dict[tuple[str, int], int] = {}
        self._known: dict[int, tuple[Operation, Communication]] = {}

    # --- Files ---

    def open_files(self, phases: Sequence[Phase]) -> None:
        """Open the files of all accesses in a list, one for each name and group of processes."""
        for phase in accesses(phases):
            members = self._communication(phase).members
            comm = self._communicator(members)
            if (phase.name, comm) not in self._files:
                name = f"{phase.name}.dat" if comm == WORLD else f"{phase.name}.{comm}.dat"
                self._files[phase.name, comm] = self._program.file(name, comm)
                self._on_files([self._files[phase.name, comm]], "MPI_File_open", at.OPENING)

    def close_files(self) -> None:
        """Close all files."""
        self._on_files(list(self._files.values()), "MPI_File_close", at.CLOSING)

    def _on_files(self, files: Sequence[int], call: str, operation: int) -> None:
        for file in files:
            comm = self._program.files[file].communicator
            members = self._program.communicators[comm].members
            meeting = self.meeting(np.array(members, np.int64))
            for member in members:
                self._processes[member].on_file(call, operation, file, schedule=meeting)

    def meeting(self, members: Numbers) -> int:
        """The schedule of a call in which members only wait for each other."""
        nothing = Transfers(*(np.empty(0, np.int64) for _ in range(4)))
        return self._schedule(Communication(members, nothing, is_common_end=True))

    # --- Starting and waiting ---

    def start(self, phase: Operation) -> Started:
        """Start an operation, and complete it unless it is non-blocking."""
        found = self._communication(phase)
        for process in self._processes:
            process.begin_operation()
        requests: dict[int, tuple[int, int]] = {}
        if isinstance(phase, Io):
            self._access(phase, found, requests)
        elif isinstance(phase, Collective | Reduction):
            self._collective(phase, found, requests)
        else:
            assert isinstance(found.transfers, Transfers)
            self._messages(phase, found.transfers, requests)
        return Started(requests)

    def wait(self, phase: Wait, started: Started) -> None:
        """Complete a non-blocking operation."""
        for rank, (first, count) in started.requests.items():
            process = self._processes[rank]
            process.begin(phase.name)
            _complete(process, first, count)
            process.end()

    def _communication(self, phase: Operation) -> Communication:
        """Members and transfers of an operation; found once."""
        if id(phase) not in self._known:
            found = communication_of(phase, self._placed, self._cluster)
            self._known[id(phase)] = phase, found
        return self._known[id(phase)][1]

    def _communicator(self, members: Numbers) -> int:
        if len(members) == len(self._processes):
            return WORLD
        name = f"{len(members)} processes from {int(members[0])}"
        return self._program.communicator(name, members.tolist())

    def _messages(
        self, phase: Operation, transfers: Transfers, requests: dict[int, tuple[int, int]]
    ) -> None:
        """Receive and send what an operation transfers, in one round."""
        listed = list(zip(*(each.tolist() for each in transfers[:3]), strict=True))
        sources: dict[int, list[int]] = {}
        targets: dict[int, list[tuple[int, int]]] = {}
        for sender, receiver, size in listed:
            sources.setdefault(receiver, []).append(sender)
            targets.setdefault(sender, []).append((receiver, size))
        for rank in sorted(sources.keys() | targets.keys()):
            process = self._processes[rank]
            process.begin(phase.name)
            receives, sends = sources.get(rank, []), targets.get(rank, [])
            first = process.new_slot(len(receives) + len(sends))
            delays = [self.delay] + [0] * (len(receives) + len(sends))
            for place, sender in enumerate(receives):
                process.ireceive(sender, first + place, delay=delays[place])
            for place, (receiver, size) in enumerate(sends, len(receives)):
                process.isend(receiver, first + place, size=size, delay=delays[place])
            requests[rank] = first, len(receives) + len(sends)
            if not phase.nonblocking:
                _complete(process, *requests[rank])
            process.end()

    def _collective(
        self, phase: Collective | Reduction, found: Communication,
        requests: dict[int, tuple[int, int]],
    ) -> None:  # fmt: skip
        name = phase.operation if isinstance(phase, Collective) else "allreduce"
        root = phase.root if isinstance(phase, Collective) else 0
        operation, comm = OPERATIONS[name], self._communicator(found.members)
        schedule = self._schedule(found)
        count, silent = len(found.members), frozenset[int]()
        sizes = [operation.sizes(each, count, root, phase.bytes, silent) for each in range(count)]
        has_root = operation.family in (at.ONE_TO_N, at.N_TO_ONE)
        for rank, member in enumerate(found.members.tolist()):
            process = self._processes[member]
            process.begin(phase.name)
            if phase.nonblocking:
                requests[member] = process.new_slot(), 1
            process.collective(
                operation.call(is_nonblocking=phase.nonblocking),
                operation.family,
                operation.code,
                comm=comm,
                root=root if has_root else at.NOBODY,
                sent=sizes[rank][0],
                received=sizes[rank][1],
                sender_count=sum(sent > 0 for sent, _ in sizes),
                request=requests[member][0] if phase.nonblocking else None,
                is_beyond=phase.nonblocking,
                schedule=schedule,
                delay=self.delay,
            )
            process.end()

    def _access(
        self, phase: Io, found: Communication, requests: dict[int, tuple[int, int]]
    ) -> None:
        """Access a file through process 0 (collectively), or each process its own part."""
        file = self._files[phase.name, self._communicator(found.members)]
        is_writing, is_each = phase.operation == "write", phase.mode == "each"
        mode = at.WRITING if is_writing else at.READING
        call = f"MPI_File_{'i' if phase.nonblocking else ''}{phase.operation}"
        sizes = _accessed_bytes(found, len(self._processes), is_each=is_each)
        is_scheduled = phase.nonblocking or not is_each
        schedule = self._schedule(found) if is_scheduled else None
        for member in found.members.tolist():
            process, size = self._processes[member], int(sizes[member])
            process.begin(phase.name)
            if phase.nonblocking:
                requests[member] = process.new_slot(), 1
            if is_scheduled:
                process.on_file(
                    f"{call}_{'at' if is_each else 'all'}", at.ACCESSING, file, size=size,
                    mode=mode, schedule=schedule, delay=self.delay, is_independent=is_each,
                    request=requests[member][0] if phase.nonblocking else None,
                )  # fmt: skip
            else:
                process.access_stored(f"{call}_at", file, size=size, mode=mode, delay=self.delay)
            process.end()

    def _schedule(self, found: Communication) -> int:
        self._program.schedules.append(found)
        return len(self._program.schedules) - 1


def accesses(phases: Sequence[Phase]) -> Iterator[Io]:
    """All accesses to files in a list of phases, nested ones too."""
    for phase in phases:
        match phase:
            case Io():
                yield phase
            case Loop() | Interval():
                yield from accesses(phase.phases)
            case Branch():
                for each in phase.alternatives:
                    yield from accesses(each.phases)


def _accessed_bytes(found: Communication, process_count: int, *, is_each: bool) -> Numbers:
    """Bytes that each process writes or reads; those of process 0 are the rest of the whole."""
    assert isinstance(found.transfers, Transfers)
    senders, receivers, sizes, _ = found.transfers
    is_stored = (senders == STORAGE) | (receivers == STORAGE)
    owners = np.where(senders == STORAGE, receivers, senders)
    own = np.zeros(process_count, np.int64)
    np.add.at(own, owners[is_stored], sizes[is_stored])
    if not is_each:
        passed = ~is_stored
        others = np.where(receivers[passed] == 0, senders[passed], receivers[passed])
        np.add.at(own, others, sizes[passed])
        own[0] = max(int(own[0]) - int(sizes[passed].sum()), 0)
    return own


def _complete(process: Process, first: int, count: int) -> None:
    if count == 1:
        process.wait(first)
    elif count:
        process.wait_all(first, count)
