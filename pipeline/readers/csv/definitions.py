"""Definitions of a CSV trace; its rows imply those that are missing."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.walk_state import Code
from tracemill.readers.common.call_sites import CallSites
from tracemill.readers.common.definitions import UNDEFINED_32, UNDEFINED_64, Definitions
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import TraceOrigin
from tracemill.readers.common.survey import region_code
from tracemill.readers.csv.region_kinds import kind_of
from tracemill.readers.csv.rows import Definition, RowMaker
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.definitions import LOCATION_GROUP_KINDS, LOCATION_KINDS, REGION_ROLES
from tracemill.schemas.named_values import (
    ACCUMULATION_MODES,
    COUNTER_KINDS,
    OCCURRENCES,
    PARAMETER_KINDS,
)

_MPI = PARADIGMS.index("mpi")
_COMM_LOCATIONS, _COMM_GROUP, _COMM_SELF = 4, 5, 6
_GLOBAL_MEMBERS = 1
_IDS = range(UNDEFINED_32)
_RANK_LIMIT = 1 << 24
_FIRST_TEXT = 1 << 31
"""Texts of definitions have numbers from here on, texts of values lower ones."""

Properties = Mapping[str, Any]


@dataclass(frozen=True)
class Defined:
    """All definitions, and the numbers by which records refer to them.

    `location_numbers` are the numbers of RowMaker in the order of the defined locations.
    """

    sites: CallSites
    origin: TraceOrigin
    code: Code
    location_numbers: list[int]


def define(made: RowMaker, counts: NDArray[np.int64], *, merge_call_sites: bool) -> Defined:
    """Definitions of a trace after all rows are read; `counts` are the rows by location number."""
    return _Builder(made, counts).build(merge_call_sites=merge_call_sites)


class _Builder:
    """Makes definitions in the form of OTF2."""

    def __init__(self, made: RowMaker, counts: NDArray[np.int64]) -> None:
        self._made, self._counts = made, counts
        self._defs = Definitions()
        self._texts: dict[str, int] = {}
        self._rows: dict[str, list[Definition]] = {}
        for definition in made.definitions or _assumed(made):
            self._rows.setdefault(definition.kind, []).append(definition)
        self._findings: Counter[str] = made.findings
        self._process_refs: dict[int, int] = {}
        self._taken_groups: dict[int, int] = {}
        self._taken_locations: dict[int, int] = {}
        self._location_refs: dict[int, int] = {}

    def build(self, *, merge_call_sites: bool) -> Defined:
        origin = self._origin()
        numbers = self._locations()
        labels = self._regions()
        self._communicators()
        self._others()
        for text, number in self._made.texts.numbers.items():
            self._defs["String"][number] = (text,)
        sites = CallSites(Identifiers(self._defs), merge_call_sites)
        return Defined(sites, origin, self._code(sites, labels), numbers)

    # --- Values of properties --------------------------------------------------------------------

    def _text(self, text: object) -> int:
        if text is None:
            return UNDEFINED_32
        word = self._word(text)
        number = self._texts.setdefault(word, _FIRST_TEXT + len(self._texts))
        self._defs["String"][number] = (word,)
        return number

    def _word(self, text: object) -> str:
        """A text from JSON, where surrogates that have no pair are escaped and counted."""
        word = str(text)
        try:
            word.encode()
        except UnicodeEncodeError:
            self._defs.invalid_text += 1
            return word.encode("utf-8", "backslashreplace").decode()
        return word

    def _integer(
        self, properties: Properties, name: str, absent: int = UNDEFINED_32,
        possible: range = range(-(1 << 63), 1 << 64),
    ) -> int:  # fmt: skip
        """An integer; `absent` without it or, counted as a finding, if it is not possible."""
        value = properties.get(name)
        if value is None:
            return absent
        if type(value) is not int or value not in possible:
            self._findings["impossible_id"] += 1
            return absent
        return value

    def _each(self, kind: str) -> list[tuple[int, Definition]]:
        """Definitions of a kind with their identifiers, by default their positions."""
        return [
            (self._integer(each.properties, "id", position, _IDS), each)
            for position, each in enumerate(self._rows.get(kind, []))
        ]

    def _free(self, wanted: int, taken: dict[int, int]) -> int:
        """The wanted identifier or, counted as repeated, the next one that is not taken.

        `taken` maps an identifier to the next candidate, which keeps the search short.
        """
        ref = wanted
        while ref in taken:
            ref = taken[ref]
        self._defs.repeated += ref != wanted
        taken[wanted] = taken[ref] = (ref + 1) % (1 << 64)
        return ref

    def _first(self, kind: str, key: Callable[[Definition], int]) -> dict[int, Definition]:
        found: dict[int, Definition] = {}
        rows = self._rows.get(kind, [])
        for each in rows:
            found.setdefault(key(each), each)
        self._defs.repeated += len(rows) - len(found)
        return found

    # --- Run and locations -----------------------------------------------------------------------

    def _origin(self) -> TraceOrigin:
        rows = self._rows.get("Trace", [])
        found = rows[0].properties if rows else {}
        self._defs.repeated += max(len(rows) - 1, 0)
        resolution = self._integer(found, "timer_resolution", 1_000_000_000)
        self._defs.clock = (
            resolution if 0 < resolution < 1 << 63 else 1_000_000_000,
            self._integer(found, "global_offset_ticks", 0) % (1 << 64),
            0,
            self._integer(found, "started_at_ns", UNDEFINED_64) % (1 << 64),
        )
        names = ("trace_id", "creator", "machine_name")
        texts = [self._word(found.get(name) or "") for name in names]
        return TraceOrigin("csv", *texts)

    def _locations(self) -> list[int]:
        """Add processes and locations: defined ones in their order, then the others."""
        seen = self._made.location_numbers
        defined = self._first("Thread", lambda each: (each.process << 32) | each.thread)
        keys = [*defined, *sorted(key for key in seen if key not in defined)]
        self._processes(keys)
        numbers = []
        for key in keys:
            process, thread = key >> 32, key & 0xFFFFFFFF
            found = defined.get(key)
            properties = found.properties if found else {}
            ref = self._integer(properties, "id", key, range(UNDEFINED_64))
            name = found.name if found else f"thread {thread}"
            number = seen.get(key, len(self._counts))
            count = int(self._counts[number]) if number < len(self._counts) else 0
            kind = _code(properties.get("kind", "cpu_thread"), LOCATION_KINDS)
            ref = self._free(ref, self._taken_locations)
            group = self._process_refs[process]
            self._defs["Location"][ref] = (self._text(name), kind, count, group)
            self._location_refs[key] = ref
            numbers.append(number)
        self._world()
        return numbers

    def _processes(self, keys: list[int]) -> None:
        self._defined_processes = defined = self._first("Process", lambda each: each.process)
        numbers = [*defined, *sorted({key >> 32 for key in keys} - set(defined))]
        for number in numbers:
            properties = defined[number].properties if number in defined else {}
            wanted = self._integer(properties, "id", number, _IDS)
            self._process_refs[number] = self._free(wanted, self._taken_groups)
        for number in numbers:
            found = defined.get(number)
            properties = found.properties if found else {}
            self._defs["LocationGroup"][self._process_refs[number]] = (
                self._text(found.name if found else f"process {number}"),
                _code(properties.get("kind", "process"), LOCATION_GROUP_KINDS),
                self._integer(properties, "place"),
                self._integer(properties, "creator"),
            )

    def _world(self) -> None:
        """Add the group of MPI ranks: the first location of each process."""
        first: dict[int, int] = {}
        for key, ref in self._location_refs.items():
            first.setdefault(key >> 32, ref)
        defined = self._defined_processes
        ranks = {key: self._integer(each.properties, "rank", -1) for key, each in defined.items()}
        created = {
            key for key, each in defined.items() if each.properties.get("creator") is not None
        }
        members: dict[int, int] = {}
        for position, (process, location) in enumerate(first.items()):
            rank = ranks.get(process, position)
            if process not in created and 0 <= rank < _RANK_LIMIT:
                members.setdefault(rank, location)
        size = max(members, default=-1) + 1
        listed = tuple(members.get(rank, UNDEFINED_64) for rank in range(size))
        self._group = 0
        self._defs["Group"][0] = (UNDEFINED_32, _COMM_LOCATIONS, _MPI, 0, listed)

    # --- Code ------------------------------------------------------------------------------------

    def _regions(self) -> dict[str, int]:
        """Add regions; returns the identifier of each label."""
        labels: dict[str, int] = {}
        for ref, each in self._each("Region"):
            if each.name in labels or ref in self._defs["Region"]:
                self._defs.repeated += 1
                continue
            labels[each.name] = ref
            self._defs["Region"][ref] = self._region(each.name, each.properties)
        first_ref = max(labels.values(), default=-1) + 1
        undefined = sorted(set(self._made.regions.numbers) - set(labels))
        for ref, name in enumerate(undefined, first_ref):
            labels[name] = ref
            self._defs["Region"][ref] = self._region(name, {})
        return labels

    def _region(self, label: str, properties: Properties) -> tuple[Any, ...]:
        name = str(properties.get("name", label))
        role, paradigm = kind_of(name)
        codes = (
            _code(properties.get("role", role), REGION_ROLES),
            _code(properties.get("paradigm", paradigm), PARADIGMS),
        )
        lines = [self._integer(properties, key, 0, _IDS) for key in ("begin_line", "end_line")]
        canonical = properties.get("canonical_name", name)
        file = self._text(properties.get("file"))
        return (self._text(name), self._text(canonical), UNDEFINED_32, *codes, 0, file, *lines)

    def _code(self, sites: CallSites, labels: Mapping[str, int]) -> Code:
        """Regions by the numbers of their labels; times are in nanoseconds."""
        numbering = sites.identifiers["Region"]
        ids = [numbering[labels[name]] for name in self._made.regions.numbers]
        return region_code(sites)._replace(
            refs=np.arange(len(ids), dtype=np.uint32),
            ids=np.array(ids, np.int32),
            clock=np.array([0, 1_000_000_000], np.int64),
        )

    # --- Communicators ---------------------------------------------------------------------------

    def _communicators(self) -> None:
        found = self._each("Communicator")
        for ref, each in found:
            if ref in self._defs["Comm"] or ref in self._defs["InterComm"]:
                self._defs.repeated += 1
                continue
            self._communicator(ref, each)
        if not found and len(self._defs["LocationGroup"]):
            members = self._defs["Group"][0][-1]
            group = self._new_group(_COMM_GROUP, _MPI, members)
            self._defs["Comm"][0] = (self._text("MPI_COMM_WORLD"), group, UNDEFINED_32, 0)

    def _communicator(self, ref: int, each: Definition) -> None:
        properties = each.properties
        paradigm = _code(properties.get("paradigm"), PARADIGMS, _MPI)
        parent = self._integer(properties, "parent")
        kind = properties.get("kind", "group")
        group = UNDEFINED_32
        if kind != "unknown":
            shape = _COMM_SELF if kind == "self" else _COMM_GROUP
            group = self._new_group(shape, paradigm, self._members(properties.get("members")))
        name = self._text(each.name)
        if kind == "inter":
            members = self._members(properties.get("remote_members"))
            other = self._new_group(_COMM_GROUP, paradigm, members)
            self._defs["InterComm"][ref] = (name, group, other, parent, 0)
        else:
            self._defs["Comm"][ref] = (name, group, parent, 0)
        if properties.get("grid") is not None:
            self._grid(ref, properties["grid"])

    def _grid(self, communicator: int, listed: object) -> None:
        """Add the grid of a communicator: [size, is periodic] of each dimension."""
        dimensions = self._defs["CartDimension"]
        found: list[Any] = listed if isinstance(listed, list) else [None]
        for each in found:
            if not (isinstance(each, list) and [type(part) for part in each] == [int, bool]):
                self._findings["impossible_id"] += 1
                return
        first = len(dimensions)
        for size, is_periodic in found:
            size = min(max(size, 0), UNDEFINED_32)
            dimensions[len(dimensions)] = (UNDEFINED_32, size, int(is_periodic))
        numbers = tuple(range(first, len(dimensions)))
        self._defs["CartTopology"][communicator] = (UNDEFINED_32, communicator, numbers)

    def _new_group(self, kind: int, paradigm: int, members: tuple[int, ...]) -> int:
        self._group += 1
        values = (UNDEFINED_32, kind, paradigm, _GLOBAL_MEMBERS, members)
        self._defs["Group"][self._group] = values
        return self._group

    def _members(self, listed: object) -> tuple[int, ...]:
        if not isinstance(listed, list):
            return ()
        return tuple(self._member(member) for member in listed)

    def _member(self, member: Any) -> int:
        """Identifier of the location of a process, or of [process, thread]."""
        is_pair = isinstance(member, list) and len(member) == 2
        process, thread = member if is_pair else (member, 0)
        if not isinstance(process, int) or not isinstance(thread, int):
            if member is not None:
                self._findings["impossible_id"] += 1
            return UNDEFINED_64
        return self._location_refs.get((process << 32) | thread, UNDEFINED_64)

    # --- Other definitions -----------------------------------------------------------------------

    def _others(self) -> None:
        makers: dict[str, tuple[str, Callable[[int, Definition], tuple[Any, ...]]]] = {
            "Place": ("SystemTreeNode", self._place),
            "Window": ("RmaWin", self._window),
            "Counter": ("MetricMember", self._counter),
            "Parameter": ("Parameter", self._parameter),
            "Attribute": ("Attribute", self._attribute),
            "Source": ("SourceCodeLocation", self._source),
            "Context": ("CallingContext", self._context),
            "Handle": ("IoHandle", self._handle),
        }
        for kind, (target, make) in makers.items():
            for ref, each in self._each(kind):
                values = make(ref, each)
                self._defs.repeated += ref in self._defs[target]
                self._defs[target].setdefault(ref, values)

    def _place(self, ref: int, each: Definition) -> tuple[Any, ...]:
        class_name = self._text(each.properties.get("class_name", ""))
        return (self._text(each.name), class_name, self._integer(each.properties, "parent"))

    def _window(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), self._integer(each.properties, "communicator"), 0)

    def _counter(self, ref: int, each: Definition) -> tuple[Any, ...]:
        properties = each.properties
        self._defs["MetricClass"][ref] = ((ref,), 0, 0)
        mode = _code(properties.get("accumulation"), ACCUMULATION_MODES, 1)
        occurrence = _code(properties.get("occurrence"), OCCURRENCES)
        return (
            self._text(each.name), UNDEFINED_32, _code(properties.get("kind"), COUNTER_KINDS),
            mode | occurrence << 4, 0,
            0 if properties.get("base") == 2 else 1,
            self._integer(properties, "exponent", 0, range(-(1 << 63), 1 << 63)),
            self._text(properties.get("unit", "")),
        )  # fmt: skip

    def _parameter(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), _code(each.properties.get("kind"), PARAMETER_KINDS))

    def _attribute(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), self._text(each.properties.get("description", "")), 0)

    def _source(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), self._integer(each.properties, "line", 0, _IDS))

    def _context(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return tuple(
            self._integer(each.properties, name) for name in ("region", "source", "parent")
        )

    def _handle(self, ref: int, each: Definition) -> tuple[Any, ...]:
        properties = each.properties
        file = paradigm = UNDEFINED_32
        if properties.get("file") is not None:
            file = ref
            self._defs["IoRegularFile"][ref] = (self._text(properties["file"]), UNDEFINED_32)
        if properties.get("io_paradigm") is not None:
            paradigm = ref
            self._defs["IoParadigm"][ref] = (UNDEFINED_32, self._text(properties["io_paradigm"]))
        communicator = self._integer(properties, "communicator")
        parent = self._integer(properties, "parent")
        return (self._text(each.name), file, paradigm, 0, communicator, parent)


def _assumed(made: RowMaker) -> list[Definition]:
    """Communicators that records name, with the processes that use them as members."""
    every = {key >> 32 for key in made.location_numbers}
    found = [
        Definition("Communicator", f"Comm {properties['id']}", 0, 0, properties)
        for properties in made.communicators.properties(every)
    ]
    made.findings["assumed_communicator"] += len(found)
    return found


def _code(value: object, names: tuple[str, ...], other: int = 0) -> int:
    """Position of a word among `names`, which is its number in OTF2; `other` if not there."""
    return names.index(str(value)) if value in names else other
