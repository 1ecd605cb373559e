"""Transfers of operations, as lists: who sends how much to whom, and after the end of which."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product

from tests.oracle.forecast.parts import Parts, section_count
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.placed import (
    STORAGE,
    Collective,
    Copy,
    Exchange,
    Io,
    Neighbours,
    Operation,
    Reduction,
    Remote,
)

TOGETHER = ("allreduce", "allgather", "barrier")
"""Collectives that are over for all members at the same time."""


@dataclass(eq=False)
class Planned:
    """A transfer, and those of the same operation that end before it is ready."""

    sender: int
    receiver: int
    bytes: int
    after: list["Planned"] = field(default_factory=list)


@dataclass
class Plan:
    """An operation; all of `members` take part even without transfers."""

    kind: str
    transfers: list[Planned]
    members: list[int] = field(default_factory=list)
    is_together: bool = False

    @property
    def participants(self) -> set[int]:
        """The processes that send, receive, or are members."""
        ends = {rank for each in self.transfers for rank in (each.sender, each.receiver)}
        return (ends | set(self.members)) - {STORAGE}


def plan(phase: Operation, parts: Parts, cluster: Cluster) -> Plan:
    """The transfers of an operation."""
    match phase:
        case Exchange():
            return Plan("exchange", list(_exchange(phase, parts)))
        case Neighbours():
            return Plan("exchange", list(_neighbours(phase, parts)))
        case Copy():
            return Plan("copy", list(_copy(phase, parts)))
        case Remote():
            return Plan("remote", list(_remote(phase, parts)))
        case Io():
            return Plan("io", _access(phase, parts))
        case Reduction():
            members = [
                rank
                for rank in range(parts.grid.count)
                if phase.array is None or parts.own_count(phase.array, rank)
            ]
            transfers = collect("allreduce", phase.bytes, members, cluster)
            return Plan("reduction", transfers, members, is_together=True)
        case Collective():
            count = parts.grid.count
            members = [(phase.root + index) % count for index in range(count)]
            size = 0 if phase.operation == "barrier" else phase.bytes
            transfers = collect(phase.operation, size, members, cluster)
            return Plan("collective", transfers, members, phase.operation in TOGETHER)
    raise TypeError(phase)


def _exchange(phase: Exchange, parts: Parts) -> Iterable[Planned]:
    for name, widths in zip(phase.arrays, phase.widths, strict=True):
        array = parts.arrays[name]
        cut = [extent for extent, at in enumerate(array.distribution) if at is not None]
        for rank in range(parts.grid.count):
            own = parts.own(name, rank)
            for offsets in product((-1, 0, 1), repeat=len(cut)):
                distance = sum(map(abs, offsets))
                if distance == 0 or (distance > 1 and not phase.corners):
                    continue
                moves = {array.distribution[e] or 0: o for e, o in zip(cut, offsets, strict=True)}
                neighbor = parts.grid.moved(rank, moves)
                if neighbor is None:
                    continue
                its = parts.own(name, neighbor)
                size = array.element_bytes
                by_extent = dict(zip(cut, offsets, strict=True))
                for extent, (low, high) in enumerate(widths):
                    offset = by_extent.get(extent, 0)
                    size *= (
                        len(own[extent]) if offset == 0
                        else min(low if offset < 0 else high, len(its[extent]))
                    )  # fmt: skip
                if size:
                    yield Planned(neighbor, rank, size)


def _neighbours(phase: Neighbours, parts: Parts) -> Iterable[Planned]:
    for rank, place in enumerate(parts.grid.places):
        sent: Counter[int] = Counter()
        for offset in phase.offsets:
            target = [x + o for x, o in zip(place, offset, strict=True)]
            if phase.periodic:
                target = [x % size for x, size in zip(target, parts.grid.sizes, strict=True)]
            to = parts.grid.ranks.get(tuple(target))
            if to is not None and to != rank:
                sent[to] += phase.bytes
        for to, size in sent.items():
            yield Planned(rank, to, size)


def _elements(ranges: Iterable[range]) -> Iterable[tuple[int, ...]]:
    return product(*ranges)


def _lacking(
    name: str, wanted: dict[int, list[tuple[int, ...]]], parts: Parts
) -> Iterable[Planned]:
    """Transfers of elements to those who want them and do not have them."""
    for rank, elements in wanted.items():
        sizes: Counter[int] = Counter()
        for element in elements:
            sizes[parts.holder(name, element, rank)] += parts.arrays[name].element_bytes
        for holder, size in sorted(sizes.items()):
            if holder != rank:
                yield Planned(holder, rank, size)


def _remote(phase: Remote, parts: Parts) -> Iterable[Planned]:
    wanted = {}
    for rank in range(parts.grid.count):
        own = parts.own(phase.by, rank)
        if not all(own):
            continue
        ranges = []
        for extent, given in enumerate(phase.section):
            ranges.append(own[extent] if given is None else range(given[0], given[1] + 1))
        wanted[rank] = list(_elements(ranges))
    return _lacking(phase.array, wanted, parts)


def _copy(phase: Copy, parts: Parts) -> Iterable[Planned]:
    source = [extent for extent, (a, b) in enumerate(phase.from_section) if b > a]
    target = [extent for extent, (a, b) in enumerate(phase.to_section) if b > a]
    wanted: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for rank in range(parts.grid.count):
        for element in _elements(parts.own(phase.target, rank, phase.to_section)):
            found = [first for first, _ in phase.from_section]
            for number, extent in enumerate(target):
                offset = element[extent] - phase.to_section[extent][0]
                found[source[phase.order[number]]] += offset
            wanted[rank].append(tuple(found))
    return _lacking(phase.source, wanted, parts)


def _access(phase: Io, parts: Parts) -> list[Planned]:
    everybody = range(parts.grid.count)
    is_write = phase.operation == "write"
    if phase.array is None:
        whole = phase.bytes or 0
        sizes = dict.fromkeys(everybody, whole)
        if is_write and phase.mode == "one":
            sizes = {0: whole}
    else:
        name, section = phase.array, phase.section or parts.arrays[phase.array].whole
        element = parts.arrays[name].element_bytes
        whole = section_count(section) * element
        sizes = {rank: parts.own_count(name, rank, section) * element for rank in everybody}
        sizes = {
            rank: size
            for rank, size in sizes.items()
            if size and (not is_write or parts.first_of_equals(name, rank))
        }
    if phase.mode == "each":
        ends = {rank: (rank, STORAGE) if is_write else (STORAGE, rank) for rank in sizes}
        return [Planned(*ends[rank], size) for rank, size in sizes.items()]
    others = {rank: size for rank, size in sizes.items() if rank != 0}
    if is_write:
        sent = [Planned(rank, 0, size) for rank, size in others.items()]
        return [*sent, Planned(0, STORAGE, whole, sent)]
    read = Planned(STORAGE, 0, whole)
    return [read, *(Planned(0, rank, size, [read]) for rank, size in others.items())]


def collect(operation: str, size: int, members: list[int], cluster: Cluster) -> list[Planned]:
    """Transfers of a collective of members that count from the root."""
    count = len(members)
    if operation == "alltoall":
        return [
            Planned(members[i], members[j], size)
            for i in range(count)
            for j in range(count)
            if i != j
        ]
    algorithm = find_algorithm(operation, size, cluster)
    goes_up = operation not in ("bcast", "scatter")
    goes_down = operation not in ("reduce", "gather")
    if algorithm == "ring" and operation in TOGETHER:
        return _ring(operation, size, members)
    if algorithm == "recursive doubling" and operation in ("allreduce", "barrier"):
        return _double(size, members)
    pairs = _star_pairs(count) if algorithm == "star" else _tree_pairs(count)
    beyond = _members_beyond(pairs, count)
    up_sizes = {
        child: size * (beyond[child] if operation in ("gather", "allgather") else 1)
        for _, child in pairs
    }
    down_sizes = {
        child: size * {"scatter": beyond[child], "allgather": count}.get(operation, 1)
        for _, child in pairs
    }
    up = [(child, parent, up_sizes[child]) for parent, child in reversed(pairs)]
    down = [(parent, child, down_sizes[child]) for parent, child in pairs]
    return _send_in_order(up * goes_up + down * goes_down, members)


def find_algorithm(operation: str, size: int, cluster: Cluster) -> str:
    """The algorithm of the first table that fits."""
    for rule in cluster.collectives:
        if rule.operations and operation not in rule.operations:
            continue
        if size <= rule.to_bytes:
            return rule.algorithm
    return "star"


def _star_pairs(count: int) -> list[tuple[int, int]]:
    return [(0, index) for index in range(1, count)]


def _tree_pairs(count: int) -> list[tuple[int, int]]:
    """Parent and child in the order of rounds downwards."""
    pairs, step = [], 1
    while step < count:
        pairs += [(index, index + step) for index in range(step) if index + step < count]
        step *= 2
    return pairs


def _members_beyond(pairs: list[tuple[int, int]], count: int) -> list[int]:
    """Number of members that are reached through each member, with itself."""
    beyond = [1] * count
    for parent, child in reversed(pairs):
        beyond[parent] += beyond[child]
    return beyond


def _send_in_order(ways: list[tuple[int, int, int]], members: list[int]) -> list[Planned]:
    """Transfers; each is sent after all that its sender received before."""
    received: dict[int, list[Planned]] = defaultdict(list)
    transfers = []
    for sender, receiver, size in ways:
        sent = Planned(members[sender], members[receiver], size, list(received[sender]))
        received[receiver].append(sent)
        transfers.append(sent)
    return transfers


def _double(size: int, members: list[int]) -> list[Planned]:
    count, most = len(members), 1
    while most * 2 <= count:
        most *= 2
    received: dict[int, list[Planned]] = defaultdict(list)
    rounds = [[(most + index, index) for index in range(count - most)]]
    step = 1
    while step < most:
        rounds.append([(index, index ^ step) for index in range(most)])
        step *= 2
    rounds.append([(index, most + index) for index in range(count - most)])
    transfers = []
    for pairs in rounds:
        sent = [
            (to, Planned(members[by], members[to], size, list(received[by]))) for by, to in pairs
        ]
        for to, each in sent:
            received[to].append(each)
            transfers.append(each)
    return transfers


def _ring(operation: str, size: int, members: list[int]) -> list[Planned]:
    count = len(members)
    rounds = count - 1 if operation == "allgather" else 2 * (count - 1)
    piece = size if operation == "allgather" else -(-size // count)
    transfers: list[Planned] = []
    before: dict[int, Planned] = {}
    for _ in range(rounds):
        now = {}
        for index in range(count):
            to = (index + 1) % count
            after = [before[index]] if index in before else []
            now[to] = Planned(members[index], members[to], piece, after)
        before = now
        transfers += now.values()
    return transfers
