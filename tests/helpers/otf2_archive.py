"""Writes OTF2 archives with the official library, from traces given as text.

    trace = trace_of('''
         0  enter main
        10  enter MPI_Send
        12  MpiSend 1 0 7 64
        20  leave MPI_Send
        40  leave main
    ''')
    anchor = trace.write(folder)

A line holds a time in ticks, the name of an OTF2 event record (`enter` and `leave` for short) and
its arguments in the order of the library's `OTF2_EvtWriter_*` functions. Regions are called by
their names; those not defined before get the next identifiers in the order in which they appear.
Records that need more than integers are given as tuples: see `Event`.
"""

import ctypes
import shlex
import struct
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tracemill.readers.otf2.library import load_library

UNDEFINED = 0xFFFFFFFF
CHUNK_BYTES = 1 << 18
"""The smallest chunk that the library accepts."""

# Numbers as in OTF2's headers.
ROLES = {
    "function": 1, "parallel": 5, "barrier": 15, "implicit_barrier": 16, "task": 20,
    "task_create": 21, "task_wait": 22, "coll_all2all": 25, "file_io": 27, "point2point": 28,
    "artificial": 31, "thread_create": 32, "task_untied": 34, "kernel": 40, "wrapper": 2,
}  # fmt: skip
PARADIGMS = {
    "unknown": 0, "user": 1, "compiler": 2, "openmp": 3, "mpi": 4, "cuda": 5, "pthread": 7,
    "hip": 23,
}  # fmt: skip
GROUP_TYPES = {
    "locations": 1, "regions": 2, "metric": 3, "comm_locations": 4, "comm_group": 5,
    "comm_self": 6, "comm_location_groups": 7, "comm_location_group_group": 8,
}  # fmt: skip
LOCATION_TYPES = {"unknown": 0, "cpu_thread": 1, "gpu": 2, "metric": 3}
MAPPING_TYPES = {
    "string": 0, "attribute": 1, "location": 2, "region": 3, "group": 4, "metric": 5, "comm": 6,
    "parameter": 7, "rma_win": 8, "source_code_location": 9, "calling_context": 10,
    "interrupt_generator": 11, "io_file": 12, "io_handle": 13, "location_group": 14,
}  # fmt: skip
TYPES = {
    "uint8": 1, "uint16": 2, "uint32": 3, "uint64": 4, "int8": 5, "int16": 6, "int32": 7,
    "int64": 8, "float": 9, "double": 10, "string": 11, "attribute": 12, "location": 13,
    "region": 14, "group": 15, "metric": 16, "comm": 17, "parameter": 18, "rma_win": 19,
    "source_code_location": 20,
}  # fmt: skip
_LAYOUTS = {
    "uint8": "B", "uint16": "H", "uint32": "I", "int8": "b", "int16": "h", "int32": "i",
    "int64": "q", "float": "f", "double": "d",
}  # fmt: skip

Value = tuple[str, int | float]
"""A value with its OTF2 type, such as ("int16", -3)."""


@dataclass(frozen=True)
class Event:
    """One record; `attributes` gives the typed values it carries by attribute.

    Among the arguments a list of values such as ("double", 0.5) stands for the two arrays of a
    metric record, a plain list for an array of references.
    """

    time: int
    name: str
    arguments: tuple[Any, ...] = ()
    attributes: Mapping[int, Value] = field(default_factory=dict)


Events = str | Iterable[Event]


def parse_events(text: str) -> list[Event]:
    events = []
    for line in filter(str.strip, text.splitlines()):
        time, name, *words = shlex.split(line)
        arguments = tuple(int(word) if word.lstrip("-").isdigit() else word for word in words)
        events.append(
            Event(int(time), {"enter": "Enter", "leave": "Leave"}.get(name, name), arguments)
        )
    return events


@dataclass
class Location:
    """A location to write; `declared` announces another number of records than it has."""

    ref: int
    process: int
    kind: str
    name: str
    events: list[Event]
    id_maps: Mapping[str, Sequence[int]]
    clock_offsets: Sequence[tuple[int, int]]
    declared: int


@dataclass
class Trace:
    """A trace to be written: definitions, and the records of each location.

    MPI_COMM_WORLD is communicator 0, with one rank per process, if there are MPI regions;
    unless a communicator is defined otherwise. Its length (ticks) is that of its records unless
    another one is given. Where definitions are written `backwards`, they refer to later ones.
    `accelerators` are processes that are accelerators, with the processes that control them.
    """

    resolution: int = 1_000_000_000
    global_offset: int = 0
    length: int | None = None
    chunk_bytes: int = CHUNK_BYTES
    backwards: bool = False
    accelerators: dict[int, int] = field(default_factory=dict)
    locations: list[Location] = field(default_factory=list)
    regions: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    definitions: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def region(self, name: str, *, role: str = "function", paradigm: str = "compiler") -> int:
        """Define a region and return its identifier, which counts from 0."""
        return self.regions.setdefault(name, (len(self.regions), role, paradigm))[0]

    def define(self, kind: str, *arguments: Any) -> None:
        """Add a definition `OTF2_GlobalDefWriter_Write<kind>`; texts become string references."""
        self.definitions.append((kind, arguments))

    def group(self, ref: int, kind: str, members: Sequence[int], *, flags: int = 0,
              paradigm: str = "mpi") -> None:  # fmt: skip
        """Define a group of locations or of ranks."""
        self.define("Group", ref, "", GROUP_TYPES[kind], PARADIGMS[paradigm], flags, list(members))

    def team(self, ref: int, members: Sequence[int]) -> None:
        """Define an OpenMP team: a communicator whose groups have identifiers of their own."""
        self.group(100 + ref, "comm_group", members, flags=1, paradigm="openmp")
        self.define("Comm", ref, f"team {ref}", 100 + ref, UNDEFINED, 0)

    def location(
        self, events: Events = "", *, process: int | None = None, kind: str = "cpu_thread",
        name: str = "", ref: int | None = None, id_maps: Mapping[str, Sequence[int]] | None = None,
        clock_offsets: Sequence[tuple[int, int]] = (), declared: int | None = None,
    ) -> int:  # fmt: skip
        """Add a location, of a new process if none is given, and return its number.

        `id_maps` gives the global identifier of each local one; `clock_offsets` (local time,
        ticks to add).
        """
        if process is None:
            process = self.process_count
        siblings = sum(other.process == process for other in self.locations)
        parsed = parse_events(events) if isinstance(events, str) else list(events)
        made = Location(
            ref=(siblings << 32) + process if ref is None else ref,
            process=process,
            kind=kind,
            name=name or f"thread {siblings}",
            events=parsed,
            id_maps=id_maps or {},
            clock_offsets=clock_offsets,
            declared=len(parsed) if declared is None else declared,
        )
        self.locations.append(made)
        return len(self.locations) - 1

    @property
    def process_count(self) -> int:
        return len({location.process for location in self.locations})

    def write(self, folder: Path, name: str = "traces") -> Path:
        """Write the archive and return its anchor file."""
        folder.mkdir(parents=True, exist_ok=True)
        with _open_archive(folder, name, self.chunk_bytes) as archive:
            self._write_locations(archive)
            _GlobalDefinitions(archive).write(self)
        return folder / f"{name}.otf2"

    def _write_locations(self, archive: int) -> None:
        call("Archive_OpenDefFiles", archive)
        call("Archive_OpenEvtFiles", archive)
        for location in self.locations:
            definitions = _pointer("Archive_GetDefWriter", archive, location.ref)
            _write_local_definitions(definitions, location)
            writer = _pointer("Archive_GetEvtWriter", archive, location.ref)
            for event in location.events:
                self._write_event(writer, event)
            call("Archive_CloseEvtWriter", archive, writer)
            call("Archive_CloseDefWriter", archive, definitions)
        call("Archive_CloseEvtFiles", archive)
        call("Archive_CloseDefFiles", archive)

    def _write_event(self, writer: int, event: Event) -> None:
        arguments: list[Any] = []
        for argument in event.arguments:
            if isinstance(argument, str):
                paradigm = "mpi" if argument.startswith("MPI_") else "compiler"
                arguments.append(self.region(argument, paradigm=paradigm))
            elif isinstance(argument, list):
                arguments += _array(argument)
            else:
                arguments.append(argument)
        attributes = _attribute_list(event.attributes) if event.attributes else None
        call(f"EvtWriter_{event.name}", writer, attributes, event.time, *arguments)


def trace_of(*processes: Events) -> Trace:
    """A trace of processes with these records, each of one thread."""
    trace = Trace()
    for events in processes:
        trace.location(events)
    return trace


class _GlobalDefinitions:
    """Writes the global definitions; strings are numbered as they are needed."""

    def __init__(self, archive: int) -> None:
        self._archive = archive
        self._writer = _pointer("Archive_GetGlobalDefWriter", archive)
        self._strings: dict[str, int] = {}
        self._kinds: dict[str, list[list[Any]]] = {}

    def write(self, trace: Trace) -> None:
        times = [event.time for location in trace.locations for event in location.events]
        length = max(times, default=trace.global_offset) - trace.global_offset
        length = length if trace.length is None else trace.length
        self._write(
            "ClockProperties", trace.resolution, trace.global_offset, max(length, 0), 1_000_000_000
        )
        self._write("SystemTreeNode", 0, "machine", "machine", UNDEFINED)
        for process in dict.fromkeys(location.process for location in trace.locations):
            creator = trace.accelerators.get(process, UNDEFINED)
            kind = 1 if creator == UNDEFINED else 2
            self._write("LocationGroup", process, f"process {process}", kind, 0, creator)
        for place in trace.locations:
            kind = LOCATION_TYPES[place.kind]
            self._write("Location", place.ref, place.name, kind, place.declared, place.process)
        for name, (ref, role, paradigm) in trace.regions.items():
            codes = ROLES[role], PARADIGMS[paradigm]
            self._write("Region", ref, name, name, "", *codes, 0, UNDEFINED, 0, 0)
        for kind, arguments in (*_world(trace), *trace.definitions):
            self._write(kind, *arguments)
        kinds = list(self._kinds.items())
        for kind, definitions in reversed(kinds) if trace.backwards else kinds:
            for values in definitions:
                call(f"GlobalDefWriter_Write{kind}", self._writer, *values)
        call("Archive_CloseGlobalDefWriter", self._archive, self._writer)

    def _write(self, kind: str, *arguments: Any) -> None:
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, list):
                width = ctypes.c_uint32 if kind == "MetricClass" else ctypes.c_uint64
                values += [len(argument), (width * len(argument))(*argument)]
            else:
                values.append(self._string(argument) if isinstance(argument, str) else argument)
        self._kinds.setdefault(kind, []).append(values)

    def _string(self, text: str) -> int:
        """Reference of a text; "\\udce9" stands for the single byte 0xe9, which is not UTF-8."""
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            encoded = text.encode("utf-8", "surrogateescape")
            self._kinds.setdefault("String", []).append([self._strings[text], encoded])
        return self._strings[text]


def _world(trace: Trace) -> Iterable[tuple[str, tuple[Any, ...]]]:
    """Groups 0 and 1 and communicator 0, unless the trace has no MPI or its own ones."""
    has_mpi = any(paradigm == "mpi" for *_, paradigm in trace.regions.values())
    has_own = any(
        (kind == "Comm" and arguments[0] == 0) or (kind == "Group" and arguments[0] < 2)
        for kind, arguments in trace.definitions
    )
    if not has_mpi or has_own:
        return
    first = {place.process: place.ref for place in reversed(trace.locations)}
    ranks = sorted(first)
    members = [first[process] for process in ranks]
    yield "Group", (0, "", GROUP_TYPES["comm_locations"], PARADIGMS["mpi"], 0, members)
    yield "Group", (1, "", GROUP_TYPES["comm_group"], PARADIGMS["mpi"], 0, list(range(len(ranks))))
    yield "Comm", (0, "MPI_COMM_WORLD", 1, UNDEFINED, 0)


def _write_local_definitions(writer: int, location: Location) -> None:
    for kind, mapping in location.id_maps.items():
        array = (ctypes.c_uint64 * len(mapping))(*mapping)
        table = _pointer("IdMap_CreateFromUint64Array", len(mapping), array, False)
        call("DefWriter_WriteMappingTable", writer, MAPPING_TYPES[kind], table)
        _pointer("IdMap_Free", table)
    for time, offset in location.clock_offsets:
        call("DefWriter_WriteClockOffset", writer, time, offset, 0.0)


def _array(values: list[Any]) -> list[Any]:
    """A C array with its length before; for typed values the array of types, too."""
    if not values:
        return [0, None, None]
    if isinstance(values[0], int):
        return [len(values), (ctypes.c_uint32 * len(values))(*values)]
    types = (ctypes.c_uint8 * len(values))(*(TYPES[kind] for kind, _ in values))
    bits = (ctypes.c_uint64 * len(values))(*(_bits(*value) for value in values))
    return [len(values), types, bits]


def _attribute_list(attributes: Mapping[int, Value]) -> int:
    """A list of attributes; the library empties it when it is written, and forgets it."""
    made = _pointer("AttributeList_New")
    for attribute, (kind, value) in attributes.items():
        call("AttributeList_AddAttribute", made, attribute, TYPES[kind], _bits(kind, value))
    return made


def _bits(kind: str, value: float) -> int:
    """A value as the library's unions hold it: in the lowest bytes of 64 bits."""
    return int.from_bytes(struct.pack("<" + _LAYOUTS.get(kind, "Q"), value), "little")


@cache
def _functions() -> ctypes.CDLL:
    """The library the reader uses, with function objects of our own."""
    return ctypes.CDLL(load_library().handle._name)


def call(name: str, *arguments: Any) -> None:
    """Call an OTF2 function that returns an error code.

    Integers are passed with 64 bits, the library takes as many as it needs.
    """
    code = getattr(_functions(), f"OTF2_{name}")(*map(_passed, arguments))
    assert code == 0, f"{name}{arguments}: {load_library().describe(code)}"


def _pointer(name: str, *arguments: Any) -> int:
    """Call an OTF2 function that returns a pointer."""
    function = getattr(_functions(), f"OTF2_{name}")
    function.restype = ctypes.c_void_p
    return function(*map(_passed, arguments))  # type: ignore[no-any-return]


def _passed(argument: Any) -> Any:
    if isinstance(argument, int):
        return ctypes.c_uint64(argument)
    return ctypes.c_double(argument) if isinstance(argument, float) else argument


_WRITE, _POSIX, _UNCOMPRESSED, _FLUSH = 0, 1, 1, 1
_PreFlush = ctypes.CFUNCTYPE(
    ctypes.c_uint8, ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_bool
)
_always_flush = _PreFlush(lambda *arguments: _FLUSH)


class _FlushCallbacks(ctypes.Structure):
    _fields_ = (("before", _PreFlush), ("after", ctypes.c_void_p))


@contextmanager
def _open_archive(folder: Path, name: str, chunk_bytes: int) -> Any:
    options = _WRITE, chunk_bytes, 1 << 22, _POSIX, _UNCOMPRESSED
    archive = _pointer("Archive_Open", bytes(folder), name.encode(), *options)
    assert archive, f"{folder}: the library cannot write here"
    callbacks = ctypes.byref(_FlushCallbacks(_always_flush, None))
    call("Archive_SetFlushCallbacks", archive, callbacks, None)
    call("Archive_SetSerialCollectiveCallbacks", archive)
    call("Archive_SetCreator", archive, b"test")
    yield archive
    call("Archive_Close", archive)
