"""Instructions of one process of a program."""

from collections.abc import Sequence

from tracemill.kernels.simulation import layout as at
from tracemill.programs.program import MPI, OPENMP, USER, WORLD, Program

_TAGS_OF_PHASE = 100
# As in Score-P; calls that complete requests or use windows or files are functions.
_ROLES_OF_FAMILIES = {
    at.BARRIER: "barrier", at.ONE_TO_N: "coll_one2all", at.N_TO_ONE: "coll_all2one",
    at.N_TO_N: "coll_all2all", at.RING: "coll_all2all", at.SCAN: "coll_other",
}  # fmt: skip


class Process:
    """Writes the instructions of one process, in order."""

    def __init__(self, program: Program, rank: int) -> None:
        self.program, self.rank = program, rank
        self._code, self._stack = program.code[rank], [-1]
        self._used_slots, self._used_collective_slots, self._first_tag = 0, 0, 0

    # --- Structure ---

    def begin(self, region: str) -> int:
        """Enter a region and return its call path."""
        path = self._below(self.program.region(region))
        self._add(at.ENTER_REGION, path)
        self._stack.append(path)
        return path

    def end(self) -> None:
        """Leave the innermost region."""
        self._add(at.LEAVE_REGION, self._stack.pop())

    def here(self) -> int:
        """Position of the next instruction."""
        return len(self._code)

    def repeat(self, start: int, count: int, *, register: int) -> None:
        """Jump back to `start`, so that the loop runs `count` times."""
        self._add(at.LOOP, target=start, amount=count, slot=register)

    def jump(self, target: int) -> None:
        self._add(at.JUMP, target=target)

    def jump_if_tag(self, tag: int) -> int:
        """Jump after a message with that tag; pass the result to `land`."""
        self._add(at.JUMP_IF_TAG, tag=self._first_tag + tag)
        return self.here() - 1

    def land(self, jump: int) -> None:
        """Set the target of a jump to this position."""
        self._code[jump][at.TARGET] = self.here()

    def branch(self, first_share: int, count: int) -> int:
        """Choose one of `count` alternatives; returns the first of as many jumps to `land`."""
        self._add(at.BRANCH, slot=first_share, count=count)
        first = self.here()
        for _ in range(count):
            self.jump(first)
        return first

    def finish(self) -> None:
        self._add(at.END)

    # --- Computing ---

    def work(
        self, region: str, ns: int, *, jitter_ppm: int = 0, calls: int = 0, is_task: bool = False
    ) -> None:
        """Compute in a region; a task takes the same time on all processes."""
        path = self.begin(region)
        if calls:
            self.program.functions_below(path)
            self._needs(most_calls=calls)
        target = at.BY_TASK if is_task else 0
        self._add(at.WORK, path, amount=ns, mode=jitter_ppm, count=calls, target=target)
        self.end()

    def work_here(self, ns: int) -> None:
        """Compute in the innermost region."""
        self._add(at.WORK, self._stack[-1], amount=ns)

    def team(
        self, region: str, ns: int, *, jitter_ppm: int, imbalance_ppm: int, period: int,
        barriers: int, calls: int, members: int, lock: int, locked: int, locked_ns: int,
    ) -> None:  # fmt: skip
        """Compute on `members` threads; each has `imbalance_ppm` more work than the one before.

        The imbalance starts again after `period` threads. Before each barrier, each thread takes
        the lock `locked` times.
        """
        program = self.program
        parallel = program.region("!$omp parallel", OPENMP, "parallel")
        path = self._below(parallel)
        if path == len(program.paths) - 1:
            program.new_paths(
                path,
                (
                    program.region(region),
                    program.region("!$omp barrier", OPENMP, "barrier"),
                    program.region("!$omp implicit barrier", OPENMP, "implicit_barrier"),
                ),
            )
        if calls:
            program.functions_below(path + 1)
        self._needs(most_calls=calls, most_parts=barriers + 1, most_locked=locked)
        self._add(
            at.TEAM, path, amount=ns, mode=jitter_ppm, slot=imbalance_ppm, count=barriers,
            peer=calls, target=period, tag=members, comm=lock, received=locked, size=locked_ns,
            lock_path=program.lock_path(path, lock) if locked else 0,
        )  # fmt: skip

    # --- Messages; peers are processes, requests are numbers that `new_slot` gives ---

    def new_slot(self, count: int = 1) -> int:
        """The first of `count` new request slots."""
        first = self._used_slots
        self._used_slots += count
        self._needs(slot_count=self._used_slots)
        return first

    def begin_phase(self) -> None:
        """Begin to use new tags; the request slots are free again."""
        self._first_tag += _TAGS_OF_PHASE
        self._used_slots, self._used_collective_slots = 0, 0

    def begin_operation(self) -> None:
        """Begin to use another tag."""
        self._first_tag += 1

    def send(
        self, peer: int, *, size: int, tag: int = 0, comm: int = WORLD, mode: int = at.STANDARD,
        numbers_task: bool = False,
    ) -> None:  # fmt: skip
        name = {at.STANDARD: "MPI_Send", at.SYNCHRONOUS: "MPI_Ssend", at.BUFFERED: "MPI_Bsend"}
        self._message(
            at.SEND, name[mode], peer, tag, comm, size=size, mode=mode, target=int(numbers_task)
        )

    def isend(
        self, peer: int, slot: int, *, size: int, tag: int = 0, comm: int = WORLD,
        mode: int = at.STANDARD, delay: int = 0, stride: int = 0, register: int = 0,
    ) -> None:  # fmt: skip
        """MPI_Isend; in round n of the loop of a register its request is `slot` + n × `stride`."""
        name = {at.STANDARD: "MPI_Isend", at.SYNCHRONOUS: "MPI_Issend", at.BUFFERED: "MPI_Ibsend"}
        self._message(
            at.ISEND, name[mode], peer, tag, comm, size=size, mode=mode, slot=slot, delay=delay,
            received=stride, count=register,
        )  # fmt: skip

    def receive(self, peer: int, *, tag: int = 0, comm: int = WORLD, delay: int = 0) -> None:
        self._message(at.RECV, "MPI_Recv", peer, tag, comm, delay=delay)

    def ireceive(
        self, peer: int, slot: int, *, tag: int = 0, comm: int = WORLD, delay: int = 0
    ) -> None:
        self._message(at.IRECV, "MPI_Irecv", peer, tag, comm, slot=slot, delay=delay)

    def exchange(self, to: int, source: int, *, size: int, tag: int = 0, comm: int = WORLD) -> None:
        """MPI_Sendrecv."""
        self._message(at.SENDRECV, "MPI_Sendrecv", to, tag, comm, size=size, target=source)

    def wait(self, slot: int) -> None:
        self._add(at.WAIT, self._mpi("MPI_Wait"), slot=slot, count=1)

    def wait_all(self, first: int, count: int) -> None:
        self._add(at.WAIT, self._mpi("MPI_Waitall"), slot=first, count=count)

    def _message(
        self, kind: int, name: str, peer: int, tag: int, comm: int, *, size: int = 0,
        mode: int = at.STANDARD, slot: int = 0, target: int = 0, delay: int = 0,
        received: int = 0, count: int = 0,
    ) -> None:  # fmt: skip
        self._add(
            kind, self._mpi(name, "point2point"), peer=peer, tag=self._tag(tag), comm=comm,
            size=size, mode=mode, slot=slot, target=target, delay=delay, received=received,
            count=count,
        )  # fmt: skip

    # --- Collectives ---

    def collective(
        self, name: str, family: int, operation: int, *, comm: int = WORLD, root: int = at.NOBODY,
        sent: int = 0, received: int = 0, sender_count: int = 0, request: int | None = None,
        is_beyond: bool = False, schedule: int | None = None, delay: int = 0,
    ) -> None:  # fmt: skip
        """A collective call; with a `request` slot a non-blocking one.

        With a `schedule` it lasts as long as its transfers; else members wait for each other.
        """
        if family == at.RING and comm not in self.program.rings:
            self.program.rings.append(comm)
        if request is not None:
            self._used_collective_slots += 1
            self._needs(collective_slot_count=self._used_collective_slots)
        self._add(
            at.COLLECTIVE if request is None else at.ICOLLECTIVE,
            self._mpi(name, _ROLES_OF_FAMILIES.get(family, "function")),
            peer=root, comm=comm, size=sent, received=received, slot=operation,
            count=sender_count, amount=request or 0, mode=family, delay=delay,
            target=at.BEYOND if is_beyond else 0, schedule=0 if schedule is None else 1 + schedule,
        )  # fmt: skip

    # --- One-sided communication ---

    def on_window(
        self, name: str, operation: int, window: int, *, size: int = 0, completed: int = 0
    ) -> None:
        """A collective call that creates or frees a window, or a fence.

        It completes `completed` requests, of `size` bytes in total.
        """
        self._needs(most_completed=completed)
        self._add(
            at.COLLECTIVE, self._mpi(name), comm=self.program.windows[window].communicator,
            size=size, slot=operation, count=completed, amount=window, mode=at.WINDOW,
            target=at.BEYOND,
        )  # fmt: skip

    def remote(
        self, name: str, kind: int, window: int, ns: int, *, size: int, first_request: int,
        partners: int, target: int = at.NOBODY, mode: int = at.IN_FENCE,
    ) -> None:  # fmt: skip
        """Put, get or accumulate; `first_request` counts from the open requests.

        It accesses the `target` (a rank of the window), or the next `partners` in turn.
        """
        self._on_memory(
            at.REMOTE, name, window, "atomic" if kind == at.ON_ATOMIC else "rma", size=size,
            slot=kind, amount=ns, target=first_request, count=partners, received=target, mode=mode,
        )  # fmt: skip

    def in_epoch(
        self, name: str, kind: int, window: int, partners: Sequence[int], *, lazy: bool = False,
        completed: int = 0, accessed: int = 0,
    ) -> None:  # fmt: skip
        """Begin or end an epoch (`kind` is POST, START, COMPLETE or EXPOSE) with some processes.

        It completes `completed` requests, at `accessed` of the partners.
        """
        self._needs(most_completed=completed)
        self._on_memory(
            kind, name, window, tag=self.program.group(partners), count=len(partners),
            mode=at.LAZY if lazy else 0, amount=completed, slot=accessed,
        )  # fmt: skip

    def on_lock(
        self, name: str, kind: int, window: int, target: int, *, lock: int = at.EXCLUSIVE,
        lazy: bool = False, completed: int = 0,
    ) -> None:  # fmt: skip
        """Take, release or flush the lock of a rank; `target` is that rank."""
        self._needs(most_completed=completed)
        self._on_memory(
            kind, name, window, received=target, slot=lock, mode=at.LAZY if lazy else 0,
            amount=completed,
        )  # fmt: skip

    def _on_memory(
        self, kind: int, name: str, window: int, role: str = "function", **values: int
    ) -> None:
        comm = self.program.windows[window].communicator
        self._add(kind, self._mpi(name, role), peer=window, comm=comm, **values)

    # --- Files ---

    def on_file(
        self, name: str, operation: int, file: int, *, size: int = 0, mode: int = at.READING,
        schedule: int | None = None, delay: int = 0, request: int | None = None,
        is_independent: bool = False,
    ) -> None:  # fmt: skip
        """A collective call that opens, accesses or closes a file.

        With a `request` slot it is a non-blocking access, which members may do independently.
        """
        if request is not None:
            self._used_collective_slots += 1
            self._needs(collective_slot_count=self._used_collective_slots)
        self._add(
            at.COLLECTIVE if request is None else at.ICOLLECTIVE, self._mpi(name),
            comm=self.program.files[file].communicator, size=size, slot=operation, count=mode,
            amount=file if request is None else request, mode=at.FILE, tag=file, delay=delay,
            target=0 if is_independent else at.BEYOND,
            schedule=0 if schedule is None else 1 + schedule,
        )  # fmt: skip

    def access_stored(self, name: str, file: int, *, size: int, mode: int, delay: int) -> None:
        """Read or write by one process over the channels of the storage."""
        path = self._mpi(name, "file_io")
        self._add(at.TRANSFER, path, peer=file, size=size, count=mode, target=1, delay=delay)

    def access(self, name: str, file: int, ns: int, *, size: int, mode: int) -> None:
        """Read or write by one process."""
        path = self._below(self.program.region(name, USER, "file_io"))
        self._add(at.TRANSFER, path, peer=file, size=size, count=mode, amount=ns)

    # --- Rows ---

    def _needs(self, **counts: int) -> None:
        """Raise the maxima that determine the sizes of tables."""
        for name, count in counts.items():
            setattr(self.program, name, max(getattr(self.program, name), count))

    def _tag(self, tag: int) -> int:
        return tag if tag == at.ANY else self._first_tag + tag

    def _mpi(self, name: str, role: str = "function") -> int:
        return self._below(self.program.region(name, MPI, role))

    def _below(self, region: int) -> int:
        return self.program.path(self._stack[-1], region)

    def _add(
        self, code: int, path: int = 0, *, peer: int = at.NOBODY, comm: int = 0, tag: int = 0,
        size: int = 0, received: int = 0, slot: int = 0, count: int = 0, amount: int = 0,
        mode: int = 0, target: int = 0, lock_path: int = 0, delay: int = 0, schedule: int = 0,
    ) -> None:  # fmt: skip
        self._code.append(
            [code, path, peer, comm, tag, size, received, slot, count, amount, mode, target,
             lock_path, delay, schedule]
        )  # fmt: skip
