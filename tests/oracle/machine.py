"""The generator's machine once more, slow and obvious, for programs in which nothing is drawn.

Every process is a generator of conditions: functions that say when it can go on, or None as long
as nobody knows. Of those that can, the earliest goes on, of equals the lowest rank.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import NamedTuple

from tracemill.kernels.simulation import layout as at
from tracemill.programs.program import Program
from tracemill.programs.spec import MachineSpec

Instruction = list[int]
Condition = Callable[[], int | None]
Factor = Callable[[str, int], Fraction]
"""How many times as long computing in a region takes on a rank."""

POSTING = (at.ISEND, at.IRECV, at.ICOLLECTIVE)
SENDING = (at.SEND, at.ISEND, at.SENDRECV)
RECEIVING = (at.RECV, at.IRECV, at.SENDRECV)
GATHERING = (at.COLLECTIVE, at.ICOLLECTIVE)


@dataclass
class Message:
    """A message that was sent, asked for, or both; ANY sender or tag fits all."""

    communicator: int
    tag: int
    sender: int
    size: int = 0
    sent_ns: int | None = None
    asked_ns: int | None = None

    def fits(self, other: "Message") -> bool:
        pairs = ((self.tag, other.tag), (self.sender, other.sender))
        return self.communicator == other.communicator and all(
            own == its or at.ANY in (own, its) for own, its in pairs
        )


class Member(NamedTuple):
    """What a process brings into a collective, and when."""

    begin_ns: int
    code: Instruction


class Pending(NamedTuple):
    """Something to wait for: when it is done, and the message received by that."""

    done_ns: Condition
    received: Message | None = None


class Simulation:
    """One run of a program; `run_ns` is how long it takes."""

    def __init__(self, program: Program, machine: MachineSpec, factor: Factor) -> None:
        assert (machine.noise, machine.start_ns) == (False, 0)
        self._program, self._machine, self._factor = program, machine, factor
        self._sent: dict[int, list[Message]] = defaultdict(list)
        self._asked: dict[int, list[Message]] = defaultdict(list)
        self._numbers: dict[tuple[int, int], int] = defaultdict(int)
        self._members: dict[tuple[int, int], dict[int, Member]] = defaultdict(dict)
        self.run_ns = self._run()

    def _run(self) -> int:
        processes = [self._process(rank) for rank in range(self._program.process_count)]
        conditions = {rank: next(process) for rank, process in enumerate(processes)}
        now = 0
        while conditions:
            known = {rank: condition() for rank, condition in conditions.items()}
            now, rank = min((time, rank) for rank, time in known.items() if time is not None)
            try:
                conditions[rank] = processes[rank].send(now)
            except StopIteration:
                del conditions[rank]
        return now

    def _process(self, rank: int) -> Generator[Condition, int, None]:
        code, number, last = self._program.code[rank], 0, Message(0, 0, 0)
        rounds: dict[int, int] = defaultdict(int)
        requests: dict[int, Pending] = {}
        now = yield _at(0)
        while (row := code[number])[at.CODE] != at.END:
            kind, number = row[at.CODE], number + 1
            if kind == at.LOOP:
                rounds[number] = (rounds[number] + 1) % row[at.AMOUNT]
                number = row[at.TARGET] if rounds[number] else number
            elif kind == at.JUMP or (kind == at.JUMP_IF_TAG and last.tag == row[at.TAG]):
                number = row[at.TARGET]
            elif kind in (at.WORK, at.TEAM):
                now = yield _at(now + self._computing_ns(rank, row))
            elif kind not in (at.ENTER_REGION, at.LEAVE_REGION, at.JUMP_IF_TAG):
                pending = self._begin(rank, now, row, last)
                if kind in POSTING:
                    slot = row[at.AMOUNT if kind == at.ICOLLECTIVE else at.SLOT]
                    (requests[slot],), pending = pending, []
                elif kind == at.WAIT:
                    pending = [requests.pop(row[at.SLOT] + n) for n in range(row[at.COUNT])]
                now = yield self._leaving(now, row, [each.done_ns for each in pending])
                for each in pending:
                    last = each.received or last

    def _computing_ns(self, rank: int, row: Instruction) -> int:
        is_team = row[at.CODE] == at.TEAM
        path = self._program.paths[row[at.PATH] + is_team]
        factor = self._factor(self._program.regions[path.region].name, rank)
        if not is_team:
            return floor(row[at.AMOUNT] * factor)
        shares = [
            floor(floor(row[at.AMOUNT] * (1 + Fraction(more, 10**6))) * factor)
            for more in (n % row[at.TARGET] * row[at.SLOT] for n in range(row[at.TAG]))
        ]
        # Threads begin 1 ns after the fork, leave a barrier 1 ns after the last has come, the
        # region another 1 ns later, and end in 3 ns more.
        begin = 1
        for _ in range(row[at.COUNT] + 1):
            begin = max(_take_turns([begin + share for share in shares], row)) + 1
        return begin + 1 + 3

    # --- Calls ---

    def _leaving(self, enter: int, row: Instruction, done: list[Condition]) -> Condition:
        """When a call is left that was entered, and has to wait for all of `done`."""
        overhead = self._machine.overhead_ns
        least = row[at.AMOUNT] if row[at.CODE] in (at.REMOTE, at.TRANSFER) else overhead
        tail = 0 if row[at.CODE] == at.COLLECTIVE and row[at.MODE] >= at.INIT else overhead // 2

        def left() -> int | None:
            times = [each() for each in done]
            known = [time + tail for time in times if time is not None]
            return max([enter + least, *known]) if len(known) == len(times) else None

        return left

    def _begin(self, rank: int, now: int, row: Instruction, last: Message) -> list[Pending]:
        """Do what a call does when it is entered; what there is to wait for."""
        kind, pending = row[at.CODE], []
        if kind in SENDING:
            receiver = last.sender if row[at.PEER] == at.LAST else row[at.PEER]
            pending.append(self._send(rank, receiver, now, row))
        if kind in RECEIVING:
            sender = row[at.TARGET if kind == at.SENDRECV else at.PEER]
            pending.append(self._receive(rank, sender, now, row))
        if kind in GATHERING:
            pending.append(self._gather(rank, now, row))
        return pending

    def _send(self, rank: int, receiver: int, now: int, row: Instruction) -> Pending:
        sent = Message(row[at.COMM], row[at.TAG], rank)
        message = _take(self._asked[receiver], sent)
        if message is None:
            self._sent[receiver].append(message := sent)
        message.sender, message.tag = rank, row[at.TAG]
        message.size, message.sent_ns = row[at.BYTES], now
        is_small = row[at.BYTES] <= self._machine.eager_limit
        if row[at.MODE] == at.BUFFERED or (row[at.MODE] == at.STANDARD and is_small):
            return Pending(_at(now))
        return Pending(lambda: self._there_ns(message))

    def _receive(self, rank: int, sender: int, now: int, row: Instruction) -> Pending:
        asked = Message(row[at.COMM], row[at.TAG], sender)
        message = _take(self._sent[rank], asked)
        if message is None:
            self._asked[rank].append(message := asked)
        message.asked_ns = now
        return Pending(lambda: self._there_ns(message), message)

    def _there_ns(self, message: Message) -> int | None:
        if message.sent_ns is None or message.asked_ns is None:
            return None
        return max(message.sent_ns, message.asked_ns) + self._transfer_ns(message.size)

    def _transfer_ns(self, size: int) -> int:
        return self._machine.latency_ns + size * self._machine.ns_per_kib // 1024

    # --- Collectives ---

    def _gather(self, rank: int, now: int, row: Instruction) -> Pending:
        comm = row[at.COMM]
        number, self._numbers[comm, rank] = self._numbers[comm, rank], self._numbers[comm, rank] + 1
        members = self._members[comm, number]
        ranks = self._program.communicators[comm].members
        is_at_once = row[at.CODE] == at.ICOLLECTIVE or row[at.MODE] >= at.INIT
        own = ranks.index(rank)
        members[own] = Member(now if is_at_once else now + 1, row)
        size = max(row[at.BYTES], row[at.RECEIVED])
        rounds = (len(ranks) - 1).bit_length()
        cost = 1 + rounds * self._machine.latency_ns + self._transfer_ns(size)

        def ended() -> int | None:
            needed = _needed(own, members, len(ranks))
            return None if needed is None else max(needed) + cost

        return Pending(ended)


def _at(time: int) -> Condition:
    """That a time has come."""
    return lambda: time


def _take_turns(times: list[int], row: Instruction) -> list[int]:
    """When threads are done that come to a lock at some times, each as often as the others.

    The thread that comes first, of equals the lowest, is the next to have it, 1 ns after it was
    given back. A critical section is one call, which is left 2 ns after the work in it and 1 ns
    after the lock is given back; of other locks, the call that takes them ends 1 ns after it has.
    """
    times, turns = list(times), [row[at.RECEIVED]] * len(times)
    free_ns = 0
    while any(turns):
        _, thread = min((time, n) for n, time in enumerate(times) if turns[n])
        taken = max(times[thread], free_ns) + 1 + (row[at.COMM] != at.CRITICAL)
        free_ns, times[thread] = taken + row[at.BYTES] + 1, taken + row[at.BYTES] + 3
        turns[thread] -= 1
    return times


def _take(queue: list[Message], wanted: Message) -> Message | None:
    """Take the oldest fitting message out of a queue."""
    for message in queue:
        if message.fits(wanted):
            queue.remove(message)
            return message
    return None


def _needed(own: int, members: dict[int, Member], count: int) -> list[int] | None:
    """When those that a member needs began, itself included; None if some have not come yet."""
    begin, code = members[own]
    family, root = code[at.MODE], code[at.PEER]
    is_receiver = code[at.RECEIVED] > 0
    senders = [member for member in members.values() if member.code[at.BYTES] > 0]
    needed, is_complete = [], True
    if (family == at.N_TO_N and is_receiver) or (family == at.N_TO_ONE and own == root):
        needed, is_complete = senders, len(senders) == code[at.COUNT]
    elif family == at.ONE_TO_N and own != root and is_receiver:
        needed, is_complete = [members[root]] if root in members else [], root in members
    elif family == at.SCAN:
        needed = [member for rank, member in members.items() if rank < own]
        is_complete = len(needed) == own
    elif family == at.RING and is_receiver:
        neighbors = {(own - 1) % count, (own + 1) % count}
        needed = [members[rank] for rank in neighbors if rank in members]
        is_complete = len(needed) == len(neighbors)
    elif family in (at.BARRIER, at.WINDOW, at.INIT, at.FINALIZE, at.FILE):
        needed, is_complete = list(members.values()), len(members) == count
    return [begin, *(member.begin_ns for member in needed)] if is_complete else None
