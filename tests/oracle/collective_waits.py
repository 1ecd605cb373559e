"""Waits in collectives, found by looking at every member of every instance, as they are defined."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    call: int
    start: int
    wait: int
    cause: int
    is_beyond_reference: bool
    confidence: int


@dataclass(frozen=True)
class Member:
    """What a process did; `call` is when the call was entered that ended its part."""

    location: int
    rank: int
    side: int
    call: int
    begin: int
    end: int
    sent: int
    received: int
    is_root: bool = False
    is_test: bool = False


@dataclass
class Instance:
    """A collective over all its members."""

    operation: str
    is_inter: bool = False
    is_nonblocking: bool = False
    is_neighbourhood: bool = False
    is_doubtful: bool = False
    members: list[Member] = field(default_factory=list)

    @property
    def is_beyond_reference(self) -> bool:
        return (
            self.is_nonblocking
            or self.is_neighbourhood
            or self.operation in ("alltoallv", "alltoallw")
        )

    def awaited_by(self, member: Member) -> list[Member]:
        """Those whom it could wait for: all members, or those of the other side."""
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


def find_nonblocking_waits(instances: Iterable[Instance]) -> Found:
    """One wait per completing call: the longest, of equals that of the first instance."""
    by_call: dict[tuple[int, int], Found] = defaultdict(list)
    for instance in instances:
        if instance.is_nonblocking and len(instance.members) > 1:
            for wait in _waits(instance):
                by_call[wait.location, wait.call].append(wait)
    return [max(waits, key=lambda each: each.wait) for waits in by_call.values()]


def find_finalize_waits(members: Sequence[Member]) -> Found:
    return [
        wait
        for member in members
        for wait in _wait("mpi_finalize_wait", Instance("finalize"), member, _last(members))
    ]


def find_init_completions(members: Sequence[Member]) -> Found:
    found = []
    for member in members:
        found += _completion(
            "mpi_init_completion", Instance("init"), member, _first_out(members), _last(members)
        )
    return found


def _waits(instance: Instance) -> Found:
    found = []
    for member, last in _synchronised(instance):
        if not member.is_test:
            found += _wait(_name(instance), instance, member, last)
    return found


def _name(instance: Instance) -> str:
    if instance.is_neighbourhood or instance.operation in N_TO_N:
        return "mpi_wait_nxn"
    if instance.operation in ONE_TO_N:
        return "mpi_latebroadcast"
    if instance.operation in N_TO_ONE:
        return "mpi_earlyreduce"
    return "mpi_earlyscan" if instance.operation in SCANS else "mpi_barrier_wait"


def _completions(instance: Instance) -> Found:
    is_barrier = instance.operation == "barrier"
    if instance.is_neighbourhood or not (is_barrier or instance.operation in N_TO_N):
        return []
    name = "mpi_barrier_completion" if is_barrier else "mpi_nxn_completion"
    together = _synchronised(instance)
    found = []
    for member, last in together:
        first = _first_out([each for each, _ in together])
        found += _completion(name, instance, member, first, last)
    return found


def _wait(name: str, instance: Instance, member: Member, last: Member) -> Found:
    """[min(B_last, X_i) - B_i]+, and not before the completing call."""
    start = max(member.begin, member.call)
    wait = min(last.begin, member.end) - start
    return _stored(name, instance, member, start, wait, last.location, last)


def _completion(
    name: str, instance: Instance, member: Member, first: Member, last: Member
) -> Found:
    """[X_i - max(min X, min(B_last, X_i))]+; who began later than all it waits for is the last."""
    start = max(first.end, min(max(last.begin, member.begin), member.end))
    return _stored(name, instance, member, start, member.end - start, first.location, last)


def _stored(
    name: str, instance: Instance, member: Member, start: int, wait: int, cause: int, last: Member
) -> Found:
    if wait <= 0:
        return []
    is_unsure = instance.is_neighbourhood or last.begin > member.end
    confidence = 50 if is_unsure else 75 if instance.is_doubtful else 100
    beyond = instance.is_beyond_reference
    return [Wait(name, member.location, member.call, start, wait, cause, beyond, confidence)]


def _synchronised(instance: Instance) -> list[tuple[Member, Member]]:
    """Members that had to wait for others, each with the one that began last."""
    if instance.is_neighbourhood:
        return _among_neighbours(instance)
    if instance.operation in N_TO_N:
        return _all_to_all(instance)
    pairs = []
    for member in instance.members:
        others = [other for other in instance.awaited_by(member) if _is_needed(instance, other)]
        if instance.operation in SCANS:
            others = [other for other in others if other.rank <= member.rank]
        if others and _needs_others(instance, member):
            pairs.append((member, _last(others)))
    return pairs


def _is_needed(instance: Instance, member: Member) -> bool:
    if instance.operation == "barrier":
        return True
    return member.sent > 0 and (member.is_root or instance.operation not in ONE_TO_N)


def _needs_others(instance: Instance, member: Member) -> bool:
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
            pairs.append((member, _last(others)))
        senders = [other for other in others if other.sent > 0]
        if senders and not is_overlapping:
            last = _last(senders)
            if member is last or (member.received > 0 and member.begin < last.begin):
                pairs.append((member, last))
    return pairs


def _among_neighbours(instance: Instance) -> list[tuple[Member, Member]]:
    """Every sender that began before the member ended may have been a neighbour."""
    pairs = []
    for member in instance.members:
        others = [m for m in instance.members if m.sent > 0 and m.begin < member.end]
        if member.received > 0 and others:
            pairs.append((member, _last(others)))
    return pairs


def _last(members: Sequence[Member]) -> Member:
    return max(members, key=lambda member: (member.begin, -member.rank))


def _first_out(members: Sequence[Member]) -> Member:
    return min(members, key=lambda member: (member.end, member.rank))
