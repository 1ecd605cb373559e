"""Waits in collectives, by their definition for each member of each instance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Found = list["Wait"]

N_TO_N = {
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "allreduce", "reduce_scatter",
    "reduce_scatter_block",
}  # fmt: skip
ONE_TO_N = {"bcast", "scatter", "scatterv"}
N_TO_ONE = {"reduce", "gather", "gatherv"}
SCANS = {"scan", "exscan"}


@dataclass(frozen=True)
class Wait:
    """A wait state; `call` is when the call that waited was entered."""

    property: str
    location: int
    call: int | None
    start: int
    wait: int
    cause: int
    is_extended: bool
    confidence: int


@dataclass(frozen=True)
class Member:
    """The part of a process; `call` is the time of entering the call that ended it, if any.

    `visit` is that call, `begin_visit` the one in which its part began.
    """

    location: int
    rank: int
    side: int
    call: int | None
    begin: int
    end: int
    sent: int
    received: int
    is_root: bool = False
    is_test: bool = False
    visit: int | None = None
    call_path: int | None = None
    begin_visit: int | None = None


@dataclass
class Instance:
    """A collective over all its members."""

    operation: str
    is_inter: bool = False
    is_nonblocking: bool = False
    is_neighborhood: bool = False
    is_doubtful: bool = False
    neighbors: Mapping[int, set[int]] | None = None
    """Of each rank; None if unknown."""
    members: list[Member] = field(default_factory=list)

    @property
    def is_extended(self) -> bool:
        return (
            self.is_nonblocking
            or self.is_neighborhood
            or self.operation in ("alltoallv", "alltoallw")
        )

    @property
    def family(self) -> str:
        """Which members depend on which; empty if none do for sure."""
        if self.is_neighborhood:
            return "neighbourhood"
        if self.operation in SCANS:
            return "" if self.is_inter else "scan"
        for family, operations in (
            ("barrier", {"barrier"}),
            ("n_to_n", N_TO_N),
            ("one_to_n", ONE_TO_N),
            ("n_to_one", N_TO_ONE),
        ):
            if self.operation in operations:
                return family
        return ""

    @property
    def property(self) -> str:
        """The wait state of waiting for the last one."""
        names = {"barrier": "barrier_wait", "one_to_n": "latebroadcast", "scan": "earlyscan"}
        names |= {"n_to_one": "earlyreduce"}
        return f"mpi_{names.get(self.family, 'wait_nxn')}"

    def confidence_of(self, member: Member, last: Member) -> int:
        """How sure it is that a member waited for the last one."""
        if last.begin > member.end:
            return 50
        is_guessed = self.is_neighborhood and self.neighbors is None
        return 75 if self.is_doubtful or is_guessed else 100

    def awaited_by(self, member: Member) -> list[Member]:
        """Members it can wait for: all, or those of the other side."""
        if self.is_inter and self.operation in SCANS:
            return []
        if self.is_inter:
            return [other for other in self.members if other.side != member.side]
        return self.members


def find_collective_waits(instances: Iterable[Instance]) -> Found:
    """Waits in blocking collectives, completion included."""
    return [
        wait
        for instance in instances
        if not instance.is_nonblocking and len(instance.members) > 1
        for wait in [*_waits(instance), *_completions(instance)]
    ]


def find_finalize_waits(members: Sequence[Member]) -> Found:
    return [
        wait
        for member in members
        for wait in _wait("mpi_finalize_wait", Instance("finalize"), member, last_of(members))
    ]


def find_init_completions(members: Sequence[Member]) -> Found:
    found = []
    for member in members:
        found += _completion(
            "mpi_init_completion", Instance("init"), member, first_out(members), last_of(members)
        )
    return found


def _waits(instance: Instance) -> Found:
    found = []
    for member, last in _in_calls(instance):
        if not member.is_test:
            found += _wait(instance.property, instance, member, last)
    return found


def _completions(instance: Instance) -> Found:
    if instance.family not in ("barrier", "n_to_n"):
        return []
    is_barrier = instance.family == "barrier"
    name = "mpi_barrier_completion" if is_barrier else "mpi_nxn_completion"
    together = _in_calls(instance)
    found = []
    for member, last in together:
        first = first_out([each for each, _ in together])
        found += _completion(name, instance, member, first, last)
    return found


def _in_calls(instance: Instance) -> list[tuple[Member, Member]]:
    """Members outside any call do not wait and are not waited for."""
    pairs = synchronized(instance)
    return [(each, last) for each, last in pairs if None not in (each.call, last.call)]


def _wait(name: str, instance: Instance, member: Member, last: Member) -> Found:
    """[min(B_last, X_i) - B_i]+, and not before the completing call."""
    start = max(member.begin, member.call or member.begin)
    wait = min(last.begin, member.end) - start
    return _stored(name, instance, member, start, wait, last.location, last)


def _completion(
    name: str, instance: Instance, member: Member, first: Member, last: Member
) -> Found:
    """[X_i - max(min X, min(B_last, X_i))]+; a member after all awaited ones is the last."""
    start = max(first.end, min(max(last.begin, member.begin), member.end))
    return _stored(name, instance, member, start, member.end - start, first.location, last)


def _stored(
    name: str, instance: Instance, member: Member, start: int, wait: int, cause: int, last: Member
) -> Found:
    if wait <= 0:
        return []
    confidence = instance.confidence_of(member, last)
    beyond = instance.is_extended
    return [Wait(name, member.location, member.call, start, wait, cause, beyond, confidence)]


def synchronized(instance: Instance) -> list[tuple[Member, Member]]:
    """Members that had to wait for others, each with the one that began last."""
    if instance.is_neighborhood:
        return _among_neighbors(instance)
    if instance.operation in N_TO_N:
        return _all_to_all(instance)
    pairs = []
    for member in instance.members:
        others = [other for other in instance.awaited_by(member) if is_awaited(instance, other)]
        if instance.operation in SCANS:
            others = [other for other in others if other.rank <= member.rank]
        if others and is_waiting(instance, member):
            pairs.append((member, last_of(others)))
    return pairs


def is_awaited(instance: Instance, member: Member) -> bool:
    if instance.operation == "barrier":
        return True
    return member.sent > 0 and (member.is_root or instance.operation not in ONE_TO_N)


def is_waiting(instance: Instance, member: Member) -> bool:
    if instance.operation == "barrier":
        return True
    if instance.operation in SCANS:
        return member.sent > 0 or member.received > 0
    return member.received > 0 and member.is_root == (instance.operation in N_TO_ONE)


def _all_to_all(instance: Instance) -> list[tuple[Member, Member]]:
    taking = [member for member in instance.members if member.sent or member.received]
    if not taking:
        return []
    is_overlapping = min(each.end for each in taking) > max(each.begin for each in taking)
    pairs = []
    for member in taking:
        others = [other for other in instance.awaited_by(member) if other in taking]
        if is_overlapping and others:
            pairs.append((member, last_of(others)))
        senders = [other for other in others if other.sent > 0]
        if senders and not is_overlapping:
            last = last_of(senders)
            if member is last or (member.received > 0 and member.begin < last.begin):
                pairs.append((member, last))
    return pairs


def _among_neighbors(instance: Instance) -> list[tuple[Member, Member]]:
    """The last of the neighbors; if they are unknown, the first of all others."""
    pairs = []
    for member in instance.members:
        senders = [other for other in instance.members if other.sent > 0]
        if instance.neighbors is not None:
            neighbors = instance.neighbors[member.rank]
            awaited = [last_of([m for m in senders if m.rank in neighbors] or [member])]
            awaited = awaited if any(m.rank in neighbors for m in senders) else []
        else:
            others = [other for other in senders if other is not member]
            awaited = sorted(others, key=lambda other: (other.begin, other.rank))
        if member.received > 0 and awaited:
            pairs.append((member, awaited[0]))
    return pairs


def last_of(members: Sequence[Member]) -> Member:
    return max(members, key=lambda member: (member.begin, -member.rank))


def first_out(members: Sequence[Member]) -> Member:
    return min(members, key=lambda member: (member.end, member.rank))
