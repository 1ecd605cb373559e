"""Canonical numbers of definitions, and members of communicators."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracemill.readers.common.definitions import UNDEFINED_32, Definitions

_MPI, _THREAD_PARADIGMS = 4, frozenset({3, 7, 8, 9, 14, 15, 16, 17, 20})
_COMM_LOCATIONS, _COMM_GROUP, _COMM_SELF, _COMM_LOCATION_GROUPS = 4, 5, 6, 7
_PROCESS_GROUPS = frozenset({_COMM_LOCATIONS, _COMM_GROUP, _COMM_LOCATION_GROUPS})
_GLOBAL_MEMBERS, _CREATE_DESTROY_EVENTS = 1, 1
_CPU_THREAD, _GPU, _METRIC = 1, 2, 3
_ORDER = {_CPU_THREAD: 0, _GPU: 2, _METRIC: 3}
UNDEFINED_NUMBER = -1


class Numbering:
    """Dense numbers of identifiers, in definition order."""

    def __init__(self, refs: list[int]) -> None:
        self.refs = refs
        self._number = {ref: number for number, ref in enumerate(refs)}

    def __len__(self) -> int:
        return len(self.refs)

    def __getitem__(self, ref: int) -> int:
        """The number, or UNDEFINED_NUMBER."""
        return self._number.get(ref, UNDEFINED_NUMBER)

    def optional(self, ref: int) -> int | None:
        return self._number.get(ref)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        refs = np.array(self.refs, np.uint64)
        order = np.argsort(refs)
        return refs[order], order

    @cached_property
    def _is_dense(self) -> bool:
        """Whether the identifiers are the numbers, as in most traces."""
        return self.refs == list(range(len(self.refs)))

    def lookup(self, refs: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Numbers of many identifiers at once, UNDEFINED_NUMBER where there is none."""
        if self._is_dense:
            count = np.uint64(len(self.refs))
            return np.where(refs < count, refs.view(np.int64), UNDEFINED_NUMBER)
        sorted_refs, numbers = self._sorted
        position = np.minimum(np.searchsorted(sorted_refs, refs), len(sorted_refs) - 1)
        return np.where(sorted_refs[position] == refs, numbers[position], UNDEFINED_NUMBER)


@dataclass(frozen=True)
class Communicator:
    """Members of a communicator by rank, as locations; inter-communicators have two groups."""

    ref: int
    name: int
    parent: int
    paradigm: int
    kind: str
    groups: tuple[tuple[int, ...], ...]
    has_own_records: bool = False


@dataclass(frozen=True)
class Identifiers:
    """Numbers of definitions, ranks and threads of locations, members of communicators."""

    definitions: Definitions
    numberings: dict[str, Numbering] = field(init=False)

    def __post_init__(self) -> None:
        kinds = self.definitions.by_kind
        numberings = {kind: Numbering(list(found)) for kind, found in kinds.items()}
        communicators = sorted(kinds["Comm"].keys() | kinds["InterComm"].keys())
        numberings["Comm"] = Numbering(communicators)
        object.__setattr__(self, "numberings", numberings)

    def __getitem__(self, kind: str) -> Numbering:
        return self.numberings[kind]

    @cached_property
    def group_of_location(self) -> list[int]:
        """Location group of each location."""
        groups = self["LocationGroup"]
        return [groups[group] for *_, group in self.definitions["Location"].values()]

    @cached_property
    def rank_of_group(self) -> list[int]:
        """World rank of each location group; its position if MPI has none."""
        ranks = list(range(len(self["LocationGroup"])))
        for rank, location in enumerate(self._paradigm_locations.get(_MPI, ())):
            if location >= 0:
                ranks[self.group_of_location[location]] = rank
        for number, (*_, creator) in enumerate(self.definitions["LocationGroup"].values()):
            if creator != UNDEFINED_32 and self["LocationGroup"][creator] >= 0:
                ranks[number] = ranks[self["LocationGroup"][creator]]
        return ranks

    @cached_property
    def thread_of_location(self) -> list[int]:
        """Position of threads in their group, and of other locations behind those of their rank.

        CPU threads are first, accelerator streams and metric locations last.
        """
        kinds = [kind for _, kind, *_ in self.definitions["Location"].values()]
        order = sorted(range(len(kinds)), key=lambda number: (_ORDER.get(kinds[number], 1), number))
        used_in_group, used_in_rank = Counter[int](), Counter[int]()
        threads = [0] * len(kinds)
        for location in order:
            group = self.group_of_location[location]
            rank = self.rank_of_group[group]
            is_thread = kinds[location] not in (_GPU, _METRIC)
            threads[location] = used_in_group[group] if is_thread else used_in_rank[rank]
            used_in_group[group] += 1
            used_in_rank[rank] += 1
        return threads

    @cached_property
    def has_threads(self) -> bool:
        """Whether a process has several threads."""
        kinds = (kind for _, kind, *_ in self.definitions["Location"].values())
        numbered = zip(kinds, self.thread_of_location, strict=True)
        return any(thread for kind, thread in numbered if kind not in (_GPU, _METRIC))

    @cached_property
    def _paradigm_locations(self) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for _, kind, paradigm, _, members in self.definitions["Group"].values():
            if kind == _COMM_LOCATIONS:
                found.setdefault(paradigm, tuple(self["Location"][member] for member in members))
            elif kind == _COMM_LOCATION_GROUPS:
                found.setdefault(paradigm, tuple(self._first_location(group) for group in members))
        return found

    def _first_location(self, group_ref: int) -> int:
        return self._first_of_group.get(self["LocationGroup"][group_ref], UNDEFINED_NUMBER)

    @cached_property
    def _first_of_group(self) -> dict[int, int]:
        locations = list(enumerate(self.group_of_location))
        return {group: location for location, group in reversed(locations)}

    def _members(self, group_ref: int) -> tuple[tuple[int, ...], int, int]:
        """Members of a group as locations, its type and its paradigm."""
        definition = self.definitions["Group"].get(group_ref)
        if definition is None:
            return (), UNDEFINED_NUMBER, 0
        _, kind, paradigm, flags, members = definition
        if kind == _COMM_GROUP and not flags & _GLOBAL_MEMBERS:
            ranks = self._paradigm_locations.get(paradigm, ())
            resolved = (ranks[m] if m < len(ranks) else UNDEFINED_NUMBER for m in members)
            return tuple(resolved), kind, paradigm
        if kind == _COMM_LOCATION_GROUPS:
            return tuple(self._first_location(member) for member in members), kind, paradigm
        return tuple(self["Location"][member] for member in members), kind, paradigm

    @cached_property
    def process_groups(self) -> list[tuple[int, ...]]:
        """Members of every group of MPI processes, as locations; other groups are empty.

        All are empty without RMA windows, the only users of these groups.
        """
        if not self.definitions["RmaWin"]:
            return []
        found = (self._members(ref) for ref in self["Group"].refs)
        return [
            members if kind in _PROCESS_GROUPS and paradigm == _MPI else ()
            for members, kind, paradigm in found
        ]

    @cached_property
    def communicators(self) -> list[Communicator]:
        return [self._communicator(ref) for ref in self["Comm"].refs]

    def _communicator(self, ref: int) -> Communicator:
        intra = self.definitions["Comm"].get(ref)
        if intra is None:
            name, first, second, parent, flags = self.definitions["InterComm"][ref]
            (one, _, paradigm), (other, *_) = self._members(first), self._members(second)
            kind, groups = "inter", [one, other]
        else:
            name, group, parent, flags = intra
            members, group_kind, paradigm = self._members(group)
            named = {_COMM_SELF: "self", UNDEFINED_NUMBER: "unknown"}.get(group_kind, "group")
            kind = "thread_team" if paradigm in _THREAD_PARADIGMS else named
            groups = [members]
        has_own_records = bool(flags & _CREATE_DESTROY_EVENTS)
        return Communicator(ref, name, parent, paradigm, kind, tuple(groups), has_own_records)

    @cached_property
    def present(self) -> frozenset[str]:
        """Groups of records that the definitions make possible (`needs` in kernels/records.py)."""
        kinds = self.definitions.by_kind
        paradigms = {region[4] for region in kinds["Region"].values()}
        paradigms |= {communicator.paradigm for communicator in self.communicators}
        found = {
            "calling_contexts": bool(kinds["CallingContext"]),
            "attributes": bool(kinds["Attribute"]),
            "parameters": bool(kinds["Parameter"]),
            "metrics": bool(kinds["MetricClass"]),
            "rma": bool(kinds["RmaWin"]),
            "io": bool(kinds["IoHandle"]),
            "threads": bool(paradigms & _THREAD_PARADIGMS) or self.has_threads,
            "mpi": _MPI in paradigms or any(c.kind != "thread_team" for c in self.communicators),
            "communicators": any(c.has_own_records for c in self.communicators),
        }
        return frozenset(name for name, is_present in found.items() if is_present)


class Peers:
    """Resolves ranks of communicators to processes.

    One array contains the members of all communicators, then every process, then
    UNDEFINED_NUMBER. Where the members of a communicator begin depends on the location for
    inter-communicators (ranks count in the other group) and MPI_COMM_SELF (the own process).
    """

    def __init__(self, identifiers: Identifiers) -> None:
        self._owner = owner = identifiers.group_of_location
        members: list[int] = []
        # First member and size of each group of each communicator.
        self._spans: list[list[tuple[int, int]]] = []
        for communicator in identifiers.communicators:
            self._spans.append([])
            for group in communicator.groups:
                self._spans[-1].append((len(members), len(group)))
                members.extend(owner[m] if m >= 0 else UNDEFINED_NUMBER for m in group)
        self._first_process = len(members)
        processes = range(len(identifiers["LocationGroup"]))
        self._members = np.array([*members, *processes, UNDEFINED_NUMBER], np.int64)
        self._first_spans = np.array([spans[0] for spans in self._spans], np.int64).reshape(-1, 2)
        kinds = [communicator.kind for communicator in identifiers.communicators]
        self._selves = [number for number, kind in enumerate(kinds) if kind == "self"]
        self._processes_of_first = {
            number: frozenset(members[start : start + size])
            for number, kind in enumerate(kinds)
            if kind == "inter"
            for start, size in self._spans[number][:1]
        }

    def seen_from(self, location: int) -> "LocalPeers":
        """The peers of one location."""
        spans, process = self._first_spans.copy(), self._owner[location]
        for number in self._selves:
            spans[number] = self._first_process + process, 1
        for number, first in self._processes_of_first.items():
            if process in first:
                spans[number] = self._spans[number][1]
        return LocalPeers(spans[:, 0], spans[:, 1], self._members)


@dataclass(frozen=True)
class LocalPeers:
    """First of `members` and size of each communicator's remote group."""

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    members: NDArray[np.int64]

    def processes(
        self, communicators: NDArray[np.int64], ranks: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Location groups; UNDEFINED_NUMBER for a rank or communicator that does not exist."""
        if not len(self.starts):
            return np.full(len(ranks), UNDEFINED_NUMBER, np.int64)
        is_defined = (communicators >= 0) & (ranks >= 0)
        numbers = np.where(is_defined, communicators, 0)
        is_defined &= ranks < self.sizes[numbers]
        return self.members[np.where(is_defined, self.starts[numbers] + ranks, -1)]
