"""Writes a simulated program as an OTF2 archive, with the official library."""

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import PipelineError
from tracemill.kernels.records import RECORDS
from tracemill.kernels.simulation.writing import write_events
from tracemill.programs.chunks import Chunks
from tracemill.programs.clocks import Clocks
from tracemill.programs.program import MPI, OPENMP, Program
from tracemill.readers.otf2.library import load_library
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.definitions import REGION_ROLES

_UNDEFINED = 0xFFFFFFFF
_RESOLUTION = 1_000_000_000
_EVENT_CHUNK_BYTES, _DEFINITION_CHUNK_BYTES = 1 << 18, 1 << 22
# Numbers as in the headers of OTF2.
_WRITE, _POSIX, _UNCOMPRESSED, _FLUSH = 0, 1, 1, 1
_MPI, _OPENMP = PARADIGMS.index(MPI), PARADIGMS.index(OPENMP)
_COMM_LOCATIONS, _COMM_GROUP, _GLOBAL_MEMBERS = 4, 5, 1
_PROCESS, _CPU_THREAD = 1, 1
_REGION_MAP, _COMM_MAP, _WINDOW_MAP = 3, 6, 8
_HAS_CREATE_AND_DESTROY = 1
_PERIODIC = 1
_INTERFACES = ("POSIX", "POSIX I/O", 0), ("MPI-IO", "MPI I/O", 1)
_PROCESSES_PER_NODE = 16
STARTED_AT = 1_700_000_000_000_000_000
"""Start of every generated run, in ns since 1970."""


class ArchiveWriter:
    """Writes event rows in pieces, then all definitions."""

    def __init__(
        self, archive: int, program: Program, clocks: Clocks, *, seed: int, has_id_maps: bool
    ) -> None:
        self._archive, self._program, self._clocks = archive, program, clocks
        self._seed, self._has_id_maps = seed, has_id_maps
        self._refs = [
            (thread << 32) + process
            for process in range(program.process_count)
            for thread in range(program.thread_count)
        ]
        count = len(self._refs)
        _call("Archive_OpenEvtFiles", archive)
        self._writers = [_pointer("Archive_GetEvtWriter", archive, ref) for ref in self._refs]
        self._comm_count = len(program.communicators)
        self._region_maps = self._numberings(1, len(program.regions))
        self._comm_maps = self._numberings(2, self._comm_count + program.process_count)
        self._window_maps = self._numberings(6, len(program.windows))
        owners = np.arange(count) // program.thread_count
        teams = self._comm_count + owners
        local_comms = _inverse(self._comm_maps)
        self._fixed = (
            _functions_by_kind(),
            np.array(self._writers, np.uint64),
            np.array([path.region for path in program.paths], np.int64),
            _inverse(self._region_maps),
            local_comms,
            _inverse(self._window_maps),
            local_comms[np.arange(count), teams],
            np.int64(_first_group(program)),
            clocks.knots,
            clocks.slopes,
        )
        self.counts = np.zeros(count, np.int64)

    def take(self, events: NDArray[np.int64]) -> None:
        """Write event rows; those of one location are in the order of time."""
        code = write_events(events, *self._fixed, self.counts)
        if code:
            raise PipelineError(f"cannot write the archive: {load_library().describe(code)}")

    def finish(self, end_ns: int) -> None:
        """Write the definitions; `end_ns` is the end of the program."""
        for writer in self._writers:
            _call("Archive_CloseEvtWriter", self._archive, writer)
        _call("Archive_CloseEvtFiles", self._archive)
        self._write_local_definitions()
        _GlobalDefinitions(self._archive, self._program).write(
            self._refs, self.counts.tolist(), self._comm_count, end_ns
        )

    def _numberings(self, salt: int, size: int) -> NDArray[np.int64]:
        """Global number of every local number, by location."""
        plain = np.tile(np.arange(size), (len(self._refs), 1))
        if self._has_id_maps:
            plain = np.random.default_rng([self._seed, salt]).permuted(plain, axis=1)
        return plain.astype(np.int64)

    def _write_local_definitions(self) -> None:
        _call("Archive_OpenDefFiles", self._archive)
        for number, ref in enumerate(self._refs):
            writer = _pointer("Archive_GetDefWriter", self._archive, ref)
            if self._has_id_maps:
                _write_map(writer, _REGION_MAP, self._region_maps[number])
                _write_map(writer, _COMM_MAP, self._comm_maps[number])
                if self._program.windows:
                    _write_map(writer, _WINDOW_MAP, self._window_maps[number])
            for time, offset in self._clocks.corrections(number):
                _call("DefWriter_WriteClockOffset", writer, time, offset, 0.0)
            _call("Archive_CloseDefWriter", self._archive, writer)
        _call("Archive_CloseDefFiles", self._archive)


class _GlobalDefinitions:
    """Writes the global definitions; strings get numbers at first use."""

    def __init__(self, archive: int, program: Program) -> None:
        self._archive, self._program = archive, program
        self._writer = _pointer("Archive_GetGlobalDefWriter", archive)
        self._strings: dict[str, int] = {}

    def write(
        self, refs: Sequence[int], counts: Sequence[int], comm_count: int, end_ns: int
    ) -> None:
        self._write("ClockProperties", _RESOLUTION, 0, end_ns, STARTED_AT)
        self._write_places(refs, counts)
        for number, region in enumerate(self._program.regions):
            name = region.name
            kind = REGION_ROLES.index(region.role), PARADIGMS.index(region.paradigm)
            self._write("Region", number, name, name, "", *kind, 0, _UNDEFINED, 0, 0)
        self._write_communicators(refs, comm_count)
        for number, window in enumerate(self._program.windows):
            comm = window.communicator
            self._write("RmaWin", number, window.name, comm, _HAS_CREATE_AND_DESTROY)
        self._write_rings()
        self._write_files()
        _call("Archive_CloseGlobalDefWriter", self._archive, self._writer)

    def _write_rings(self) -> None:
        """Topologies of communicators: periodic grids of one dimension."""
        for number, comm in enumerate(self._program.rings):
            each = self._program.communicators[comm]
            self._write("CartDimension", number, "ring", len(each.members), _PERIODIC)
            dimensions = (ctypes.c_uint32 * 1)(number)
            self._write("CartTopology", number, each.name, comm, len(dimensions), dimensions)

    def _write_files(self) -> None:
        """Files, each with one handle."""
        if not self._program.files:
            return
        for number, (short, name, kind) in enumerate(_INTERFACES):
            self._write("IoParadigm", number, short, name, kind, 0, 0, None, None, None)
        for number, file in enumerate(self._program.files):
            is_shared = file.communicator >= 0
            comm = file.communicator if is_shared else _UNDEFINED
            self._write("IoRegularFile", number, f"/scratch/{file.name}", 0)
            self._write("IoHandle", number, file.name, number, int(is_shared), 0, comm, _UNDEFINED)

    def _write_places(self, refs: Sequence[int], counts: Sequence[int]) -> None:
        processes, threads = self._program.process_count, self._program.thread_count
        nodes = self._program.nodes or [each // _PROCESSES_PER_NODE for each in range(processes)]
        numbers = {node: 1 + number for number, node in enumerate(sorted(set(nodes)))}
        machine = self._program.machine or "cluster"
        self._write("SystemTreeNode", 0, machine, "machine", _UNDEFINED)
        for node, number in numbers.items():
            self._write("SystemTreeNode", number, f"node {node}", "node", 0)
        for process, node in enumerate(nodes):
            name = f"MPI Rank {process}"
            self._write("LocationGroup", process, name, _PROCESS, numbers[node], _UNDEFINED)
        for number, (ref, count) in enumerate(zip(refs, counts, strict=True)):
            thread = number % threads
            name = f"OMP thread {thread}" if thread else "Master thread"
            self._write("Location", ref, name, _CPU_THREAD, count, number // threads)

    def _write_communicators(self, refs: Sequence[int], comm_count: int) -> None:
        program = self._program
        threads = program.thread_count
        masters = list(refs[::threads])
        self._write("Group", 0, "MPI processes", _COMM_LOCATIONS, _MPI, 0, masters)
        for number, each in enumerate(program.communicators):
            group = 1 + number
            self._write("Group", group, each.name, _COMM_GROUP, _MPI, 0, list(each.members))
            self._write("Comm", number, each.name, group, _UNDEFINED, 0)
        for number, partners in enumerate(program.groups):
            group = _first_group(program) + number
            self._write("Group", group, "", _COMM_GROUP, _MPI, 0, list(partners))
        if not any(region.paradigm == OPENMP for region in program.regions):
            return
        for process in range(program.process_count):
            number, name = comm_count + process, f"OpenMP team of rank {process}"
            members = list(refs[process * threads : (process + 1) * threads])
            self._write("Group", 1 + number, name, _COMM_GROUP, _OPENMP, _GLOBAL_MEMBERS, members)
            self._write("Comm", number, name, 1 + number, _UNDEFINED, 0)

    def _write(self, kind: str, *arguments: Any) -> None:
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, list):
                values += [len(argument), (ctypes.c_uint64 * len(argument))(*argument)]
            else:
                values.append(self._string(argument) if isinstance(argument, str) else argument)
        _call(f"GlobalDefWriter_Write{kind}", self._writer, *values)

    def _string(self, text: str) -> int:
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            _call("GlobalDefWriter_WriteString", self._writer, self._strings[text], text.encode())
        return self._strings[text]


def _first_group(program: Program) -> int:
    return 1 + len(program.communicators) + program.process_count


@contextmanager
def open_archive(folder: Path, machine: str = "") -> Iterator[int]:
    """Make `folder` and an archive in it; yields the handle of the library.

    `machine` is the name of the described cluster, if there is one.
    Raises MissingLibraryError, or PipelineError if the library cannot write there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    options = _WRITE, _EVENT_CHUNK_BYTES, _DEFINITION_CHUNK_BYTES, _POSIX, _UNCOMPRESSED
    archive = _pointer("Archive_Open", os.fsencode(folder), b"traces", *options)
    if not archive:
        raise PipelineError(f"cannot write {folder}: the OTF2 library reports an error")
    callbacks, chunks = _FlushCallbacks(_always_flush, None), Chunks()
    _call("Archive_SetFlushCallbacks", archive, ctypes.byref(callbacks), None)
    _call("Archive_SetMemoryCallbacks", archive, ctypes.byref(chunks.callbacks), None)
    _call("Archive_SetSerialCollectiveCallbacks", archive)
    _call("Archive_SetCreator", archive, b"Tracemill generator")
    _call("Archive_SetMachineName", archive, (machine or "simulated machine").encode())
    yield archive
    _call("Archive_Close", archive)


def _inverse(numberings: NDArray[np.int64]) -> NDArray[np.int64]:
    """Local number of every global number, by location."""
    return np.argsort(numberings, axis=1).astype(np.int64)


def _write_map(writer: int, kind: int, numbering: NDArray[np.int64]) -> None:
    array = (ctypes.c_uint64 * len(numbering))(*numbering.tolist())
    table = _pointer("IdMap_CreateFromUint64Array", len(numbering), array, False)
    _call("DefWriter_WriteMappingTable", writer, kind, table)
    _pointer("IdMap_Free", table)


def _functions_by_kind() -> NDArray[np.uint64]:
    addresses = np.zeros(1 + max(record.kind for record in RECORDS), np.uint64)
    for record in RECORDS:
        function = getattr(_library(), f"OTF2_EvtWriter_{record.name}", None)
        value = ctypes.cast(function, ctypes.c_void_p).value if function else 0
        addresses[record.kind] = value or 0
    return addresses


# --- Calling the library -------------------------------------------------------------------------


@cache
def _library() -> ctypes.CDLL:
    """The library the reader uses, with function objects of our own."""
    return ctypes.CDLL(load_library().handle._name)


def _call(name: str, *arguments: Any) -> None:
    """Call a function that returns an error code.

    Integers are passed with 64 bits; the library takes the low bits that it needs.
    """
    code = getattr(_library(), f"OTF2_{name}")(*map(_passed, arguments))
    if code:
        reason = load_library().describe(code)
        raise PipelineError(f"cannot write the archive: {reason} (OTF2_{name})")


def _pointer(name: str, *arguments: Any) -> int:
    """Call a function that returns a pointer."""
    function = getattr(_library(), f"OTF2_{name}")
    function.restype = ctypes.c_void_p
    return int(function(*map(_passed, arguments)) or 0)


def _passed(argument: Any) -> Any:
    if isinstance(argument, bool):
        return argument
    if isinstance(argument, int):
        return ctypes.c_uint64(argument)
    return ctypes.c_double(argument) if isinstance(argument, float) else argument


_PreFlush = ctypes.CFUNCTYPE(
    ctypes.c_uint8, ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_bool
)
_always_flush = _PreFlush(lambda *arguments: _FLUSH)


class _FlushCallbacks(ctypes.Structure):
    _fields_ = (("before", _PreFlush), ("after", ctypes.c_void_p))
