"""What a CSV trace defines, and what follows from its rows where it defines nothing."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.walk_state import Code
from tracemill.readers.common.definitions import UNDEFINED_32, UNDEFINED_64, Definitions
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import TraceOrigin
from tracemill.readers.common.survey import region_code
from tracemill.readers.csv.region_kinds import codes_of, kind_of
from tracemill.readers.csv.rows import Definition, RowMaker
from tracemill.schemas.columns import PARADIGMS

_MPI = PARADIGMS.index("mpi")
_COMM_LOCATIONS, _COMM_GROUP, _COMM_SELF = 4, 5, 6
_GLOBAL_MEMBERS = 1
_LOCATION_KINDS = {"cpu_thread": 1, "gpu": 2, "metric": 3}
_GROUP_KINDS = {"process": 1, "accelerator": 2}
_COUNTER_KINDS = ("other", "papi", "rusage", "user")
_ACCUMULATION = ("accumulated", "absolute", "relative")
_PARAMETER_KINDS = ("string", "int64", "uint64")
_OWN_TEXTS = 1 << 31
"""Texts of values have numbers below, those of definitions from here on."""


@dataclass(frozen=True)
class Defined:
    """Everything that is defined, and how the records refer to it.

    `places` are, in the order of the locations, the numbers that the row maker gave them.
    """

    identifiers: Identifiers
    origin: TraceOrigin
    code: Code
    places: list[int]


def define(made: RowMaker, counts: NDArray[np.int64]) -> Defined:
    """Definitions of a trace whose rows have all been read; `counts` are the rows of each place."""
    return _Builder(made, counts).build()


class _Builder:
    """Puts definitions together in the terms of OTF2."""

    def __init__(self, made: RowMaker, counts: NDArray[np.int64]) -> None:
        self._made, self._counts = made, counts
        self._defs = Definitions()
        self._texts: dict[str, int] = {}
        self._rows: dict[str, list[Definition]] = {}
        for definition in made.definitions:
            self._rows.setdefault(definition.kind, []).append(definition)
        self._findings: Counter[str] = made.findings
        self._process_refs: dict[int, int] = {}
        self._taken_groups: dict[int, int] = {}
        self._taken_locations: dict[int, int] = {}
        self._location_refs: dict[int, int] = {}

    def build(self) -> Defined:
        origin = self._origin()
        self._places()
        places = self._locations()
        labels = self._regions()
        self._communicators()
        self._others()
        for text, number in self._made.texts.numbers.items():
            self._defs["String"][number] = (text,)
        identifiers = Identifiers(self._defs)
        return Defined(identifiers, origin, self._code(identifiers, labels), places)

    # --- Values of properties --------------------------------------------------------------------

    def _text(self, text: object) -> int:
        if text is None:
            return UNDEFINED_32
        word = self._word(text)
        number = self._texts.setdefault(word, _OWN_TEXTS + len(self._texts))
        self._defs["String"][number] = (word,)
        return number

    def _word(self, text: object) -> str:
        """A text of JSON, which may hold halves of characters."""
        word = str(text)
        try:
            word.encode()
        except UnicodeEncodeError:
            self._defs.invalid_text += 1
            return word.encode("utf-8", "backslashreplace").decode()
        return word

    def _integer(self, properties: Mapping[str, Any], name: str, absent: int) -> int:
        value = properties.get(name)
        if value is None:
            return absent
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**64:
            self._findings["impossible_id"] += 1
            return absent
        return value

    def _position(self, properties: Mapping[str, Any], name: str, names: tuple[str, ...]) -> int:
        """Position of a word among those possible; beyond them for another."""
        value = properties.get(name)
        return names.index(value) if value in names else len(names)

    def _add(self, kind: str, ref: int, values: tuple[Any, ...]) -> None:
        if ref in self._defs[kind]:
            self._defs.repeated += 1
        else:
            self._defs[kind][ref] = values

    def _each(self, kind: str) -> list[tuple[int, Definition]]:
        """Definitions of a kind with their identifiers; without one, by position."""
        found = self._rows.get(kind, [])
        return [(self._identifier(each, at), each) for at, each in enumerate(found)]

    def _free(self, wanted: int, taken: dict[int, int]) -> int:
        """The wanted identifier or, counted as repeated, the next one that is not taken.

        `taken` holds where to look on, so that many of one identifier take no longer than others.
        """
        ref = wanted
        while ref in taken:
            ref = taken[ref]
        self._defs.repeated += ref != wanted
        taken[wanted] = taken[ref] = (ref + 1) % (1 << 64)
        return ref

    def _identifier(self, each: Definition, position: int) -> int:
        return self._within(each.properties, "id", position, range(UNDEFINED_32))

    def _within(
        self, properties: Mapping[str, Any], name: str, absent: int, possible: range
    ) -> int:
        """An integer among those possible; any other is counted, and as if it were absent."""
        value = self._integer(properties, name, absent)
        if value in possible:
            return value
        self._findings["impossible_id"] += 1
        return absent

    def _first(self, kind: str, key: Callable[[Definition], int]) -> dict[int, Definition]:
        """The first definition of each process or location."""
        found: dict[int, Definition] = {}
        rows = self._rows.get(kind, [])
        for each in rows:
            found.setdefault(key(each), each)
        self._defs.repeated += len(rows) - len(found)
        return found

    # --- Run and places --------------------------------------------------------------------------

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

    def _places(self) -> None:
        for ref, each in self._each("Place"):
            values = (
                self._text(each.name), self._text(each.properties.get("class_name", "")),
                self._integer(each.properties, "parent", UNDEFINED_32),
            )  # fmt: skip
            self._add("SystemTreeNode", ref, values)

    def _locations(self) -> list[int]:
        """Processes and locations: those defined, in their order, then the others."""
        seen = self._made.places
        defined = self._first("Thread", lambda each: (each.process << 32) | each.thread)
        keys = [*defined, *sorted(key for key in seen if key not in defined)]
        self._processes(keys)
        places = []
        for key in keys:
            process, thread = key >> 32, key & 0xFFFFFFFF
            found = defined.get(key)
            properties = found.properties if found else {}
            ref = self._within(properties, "id", key, range(UNDEFINED_64))
            name = found.name if found else f"thread {thread}"
            place = seen.get(key, -1)
            count = int(self._counts[place]) if 0 <= place < len(self._counts) else 0
            kind = _LOCATION_KINDS.get(str(properties.get("kind", "cpu_thread")), 0)
            ref = self._free(ref, self._taken_locations)
            self._defs["Location"][ref] = (
                self._text(name), kind, count, self._process_refs[process]
            )  # fmt: skip
            self._location_refs[key] = ref
            places.append(place if place >= 0 else len(self._counts))
        self._world()
        return places

    def _processes(self, keys: list[int]) -> None:
        self._defined_processes = defined = self._first("Process", lambda each: each.process)
        numbers = [*defined, *sorted({key >> 32 for key in keys} - set(defined))]
        for number in numbers:
            properties = defined[number].properties if number in defined else {}
            wanted = self._within(properties, "id", number, range(UNDEFINED_32))
            self._process_refs[number] = self._free(wanted, self._taken_groups)
        for number in numbers:
            found = defined.get(number)
            properties = found.properties if found else {}
            creator = self._integer(properties, "creator", UNDEFINED_32)
            self._defs["LocationGroup"][self._process_refs[number]] = (
                self._text(found.name if found else f"process {number}"),
                _GROUP_KINDS.get(str(properties.get("kind", "process")), 0),
                self._integer(properties, "place", UNDEFINED_32),
                creator,
            )

    def _world(self) -> None:
        """The locations that count as ranks of MPI: the first of each process."""
        first: dict[int, int] = {}
        for key, ref in self._location_refs.items():
            first.setdefault(key >> 32, ref)
        defined = self._defined_processes
        ranks = {
            process: self._integer(each.properties, "rank", -1) for process, each in defined.items()
        }
        creators = {
            process
            for process, each in defined.items()
            if each.properties.get("creator") is not None
        }
        members: dict[int, int] = {}
        for at, process in enumerate(first):
            rank = ranks.get(process, at)
            if process not in creators and 0 <= rank < 1 << 24:
                members.setdefault(rank, first[process])
        size = max(members, default=-1) + 1
        listed = tuple(members.get(rank, UNDEFINED_64) for rank in range(size))
        self._group = 0
        self._defs["Group"][0] = (UNDEFINED_32, _COMM_LOCATIONS, _MPI, 0, listed)

    # --- Code ------------------------------------------------------------------------------------

    def _regions(self) -> dict[str, int]:
        """Regions, and the identifier of each label."""
        labels: dict[str, int] = {}
        for ref, each in self._each("Region"):
            if each.name in labels or ref in self._defs["Region"]:
                self._defs.repeated += 1
                continue
            labels[each.name] = ref
            self._defs["Region"][ref] = self._region(each.name, each.properties)
        next_ref = max((ref for ref in labels.values()), default=-1) + 1
        for name in sorted(set(self._made.regions.numbers) - set(labels)):
            labels[name] = next_ref
            self._defs["Region"][next_ref] = self._region(name, {})
            next_ref += 1
        return labels

    def _region(self, label: str, properties: Mapping[str, Any]) -> tuple[Any, ...]:
        name = str(properties.get("name", label))
        role, paradigm = kind_of(name)
        codes = codes_of(
            str(properties.get("role", role)), str(properties.get("paradigm", paradigm))
        )
        lines = [
            self._within(properties, key, 0, range(UNDEFINED_32))
            for key in ("begin_line", "end_line")
        ]
        canonical = properties.get("canonical_name", name)
        file = self._text(properties.get("file"))
        return (self._text(name), self._text(canonical), UNDEFINED_32, *codes, 0, file, *lines)

    def _code(self, identifiers: Identifiers, labels: Mapping[str, int]) -> Code:
        """Records name regions by the numbers of their labels; times are nanoseconds already."""
        numbering = identifiers["Region"]
        ids = [numbering[labels[name]] for name in self._made.regions.numbers]
        return region_code(identifiers)._replace(
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
        paradigm = self._position(properties, "paradigm", PARADIGMS)
        paradigm = _MPI if paradigm == len(PARADIGMS) else paradigm
        parent = self._integer(properties, "parent", UNDEFINED_32)
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
        """The grid of a communicator, if it is one: [size, is periodic] of each dimension."""
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
        """Identifier of the location that a process, or [process, thread], stands for."""
        is_pair = isinstance(member, list) and len(member) == 2
        process, thread = member if is_pair else (member, 0)
        if not isinstance(process, int) or not isinstance(thread, int):
            if member is not None:
                self._findings["impossible_id"] += 1
            return UNDEFINED_64
        return self._location_refs.get((process << 32) | thread, UNDEFINED_64)

    # --- Everything else -------------------------------------------------------------------------

    def _others(self) -> None:
        makers: dict[str, tuple[str, Callable[[int, Definition], tuple[Any, ...]]]] = {
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
                self._add(target, ref, make(ref, each))

    def _window(self, ref: int, each: Definition) -> tuple[Any, ...]:
        communicator = self._integer(each.properties, "communicator", UNDEFINED_32)
        return (self._text(each.name), communicator, 0)

    def _counter(self, ref: int, each: Definition) -> tuple[Any, ...]:
        found = each.properties
        self._defs["MetricClass"][ref] = ((ref,), 0, 0)
        kind = self._position(found, "kind", _COUNTER_KINDS)
        mode = self._position(found, "accumulation", _ACCUMULATION)
        base = 0 if found.get("base") == 2 else 1
        exponent = self._within(found, "exponent", 0, range(-(1 << 63), 1 << 63))
        unit = self._text(found.get("unit", ""))
        mode = 1 if mode == len(_ACCUMULATION) else mode
        return (self._text(each.name), UNDEFINED_32, kind, mode, 0, base, exponent, unit)

    def _parameter(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), self._position(each.properties, "kind", _PARAMETER_KINDS))

    def _attribute(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (self._text(each.name), self._text(each.properties.get("description", "")), 0)

    def _source(self, ref: int, each: Definition) -> tuple[Any, ...]:
        return (
            self._text(each.name),
            self._within(each.properties, "line", 0, range(UNDEFINED_32)),
        )

    def _context(self, ref: int, each: Definition) -> tuple[Any, ...]:
        found = [
            self._integer(each.properties, name, UNDEFINED_32)
            for name in ("region", "source", "parent")
        ]
        return tuple(found)

    def _handle(self, ref: int, each: Definition) -> tuple[Any, ...]:
        found = each.properties
        file = paradigm = UNDEFINED_32
        if found.get("file") is not None:
            file = ref
            self._defs["IoRegularFile"][ref] = (self._text(found["file"]), UNDEFINED_32)
        if found.get("io_paradigm") is not None:
            paradigm = ref
            self._defs["IoParadigm"][ref] = (UNDEFINED_32, self._text(found["io_paradigm"]))
        communicator = self._integer(found, "communicator", UNDEFINED_32)
        parent = self._integer(found, "parent", UNDEFINED_32)
        return (self._text(each.name), file, paradigm, 0, communicator, parent)
