"""Finding an OTF2 archive, and checking its files before the library reads them."""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError, NotATraceError, UnsupportedTraceError
from tracemill.kernels.framing import BROKEN, ENDED, TORN, frame_records
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.common.reading import LocationState
from tracemill.readers.otf2.definitions import read_definitions
from tracemill.readers.otf2.library import SUCCESS, Library, load_library

_MAGIC = b"OTF2"
_SION, _ZLIB = 2, 2
_SUBSTRATE_AT, _COMPRESSION_AT = 28, 29
"""Where anchor files say how the other files are written."""
_CHUNK_SIZES_AT, _STRINGS_AT = 12, 46
"""Where they give the sizes of chunks, and where machine, creator and description begin."""
_CHUNK_SIZES = range(256 << 10, (16 << 20) + 1)
"""Bytes that the library's writer allows a chunk to have."""
CHUNK_HEADER_BYTES = 18
_BYTE_ORDERS = {0x42: "<", 0x23: ">"}


def find_anchor(path: Path) -> Path:
    """The anchor file of an archive given by it or by its folder. Raises NotATraceError."""
    if path.is_file():
        return path
    anchors = sorted(path.glob("*.otf2"))
    if len(anchors) == 1:
        return anchors[0]
    inside = "several archives" if anchors else "no trace"
    raise NotATraceError(
        f"{path}: {inside} inside; name an OTF2 archive (traces.otf2) or a trace in CSV"
    )


def is_anchor(path: Path) -> bool:
    """Whether a file begins like an OTF2 anchor file."""
    try:
        with path.open("rb") as file:
            return _MAGIC in file.read(8)
    except OSError:
        return False


@dataclass(frozen=True)
class Archive:
    """An archive: its anchor file, definitions and locations."""

    anchor: Path
    trace_id: str
    creator: str
    machine_name: str
    event_chunk_bytes: int
    definition_chunk_bytes: int
    definitions: Definitions
    library: Library

    def event_file(self, location: int) -> Path:
        return self.anchor.with_suffix("") / f"{location}.evt"

    def local_definition_file(self, location: int) -> Path:
        return self.anchor.with_suffix("") / f"{location}.def"

    def files(self) -> Iterator[Path]:
        """Every file of the archive that is there."""
        yield self.anchor
        global_definitions = self.anchor.with_suffix(".def")
        if global_definitions.exists():
            yield global_definitions
        for location in self.definitions["Location"]:
            for file in (self.local_definition_file(location), self.event_file(location)):
                if file.exists():
                    yield file


def read_archive(anchor: Path) -> Archive:
    """Open an archive and read its global definitions.

    Raises NotATraceError, UnsupportedTraceError, DamagedTraceError or MissingLibraryError.
    """
    if not is_anchor(anchor):
        raise NotATraceError(
            f"{anchor}: not an OTF2 anchor file; name the .otf2 file of an archive"
        )
    library = load_library()
    _check_readable(anchor)
    with _open(library, anchor) as handle:
        chunk, definition_chunk = ctypes.c_uint64(), ctypes.c_uint64()
        library.Reader_GetChunkSize(handle, ctypes.byref(chunk), ctypes.byref(definition_chunk))
        if not chunk.value or not definition_chunk.value:  # something before them is no text
            raise DamagedTraceError(_damaged_anchor(anchor, "no sizes of chunks"))
        definitions = anchor.with_suffix(".def")
        problem = check_definition_file(definitions, chunk_bytes=definition_chunk.value)
        if problem:
            raise DamagedTraceError(f"{problem}; copy the archive again")
        trace_id = ctypes.c_uint64()
        library.Reader_GetTraceId(handle, ctypes.byref(trace_id))
        return Archive(
            anchor=anchor,
            trace_id=f"{trace_id.value:016x}",
            creator=_text(library, handle, "Reader_GetCreator"),
            machine_name=_text(library, handle, "Reader_GetMachineName"),
            event_chunk_bytes=chunk.value,
            definition_chunk_bytes=definition_chunk.value,
            definitions=read_definitions(library, handle, str(anchor)),
            library=library,
        )


@contextmanager
def _open(library: Library, anchor: Path) -> Iterator[int]:
    handle = library.Reader_Open(os.fsencode(anchor))
    if not handle:
        raise DamagedTraceError(
            f"{anchor}: the OTF2 library cannot open this anchor file; it is damaged or written "
            "by a newer OTF2 version, copy the archive again"
        )
    library.Reader_SetSerialCollectiveCallbacks(handle)
    try:
        yield handle
    finally:
        library.Reader_Close(handle)


def _check_readable(anchor: Path) -> None:
    """Raise UnsupportedTraceError for what the library was built without, and cannot open.

    Raises DamagedTraceError for sizes that the library would believe.
    """
    head = anchor.read_bytes()
    if len(head) <= _COMPRESSION_AT:
        return
    if head[_SUBSTRATE_AT] == _SION:
        raise UnsupportedTraceError(
            f"{anchor}: a SIONlib archive, which the library cannot read; record with "
            "SCOREP_TRACING_USE_SION=no, or unpack it with sionsplit"
        )
    if head[_COMPRESSION_AT] == _ZLIB:
        raise UnsupportedTraceError(
            f"{anchor}: a zlib-compressed archive, which the library cannot read; record it again "
            "without compression"
        )
    order = _BYTE_ORDERS.get(head[1], "<")
    for size in struct.unpack_from(f"{order}QQ", head, _CHUNK_SIZES_AT):
        if size not in _CHUNK_SIZES:
            raise DamagedTraceError(_damaged_anchor(anchor, f"chunks of {size} bytes"))
    properties = _property_count(head, order)
    if properties > len(head):
        raise DamagedTraceError(_damaged_anchor(anchor, f"{properties} properties"))


def _property_count(anchor: bytes, order: str) -> int:
    """The number of properties, for which the library allocates memory before it checks."""
    place = _STRINGS_AT
    for _ in ("machine", "creator", "description"):
        place = anchor.find(b"\0", place) + 1
        if not place:
            return 0
    if place + 4 > len(anchor):
        return 0
    (count,) = struct.unpack_from(f"{order}I", anchor, place)
    return int(count)


def _damaged_anchor(anchor: Path, what: str) -> str:
    return f"{anchor}: this anchor file is damaged ({what}); copy the archive again"


def _text(library: Library, handle: int, getter: str) -> str:
    pointer = ctypes.c_void_p()
    if getattr(library, getter)(handle, ctypes.byref(pointer)) != SUCCESS or not pointer.value:
        return ""
    return ctypes.string_at(pointer.value).decode("utf-8", "backslashreplace")


def check_event_file(file: Path, *, chunk_bytes: int, declared_count: int) -> LocationState:
    """Count the events of a file, and find out whether it is whole.

    The records of every chunk are counted: the C library goes on with stale data where a chunk is
    cut, and with any address where a record's length is wrong. Chunks number their events, so the
    count does not depend on the number that the definitions announce; writers announce any number.
    """
    if not file.exists():
        return LocationState(0)
    with file.open("rb") as data:
        size = os.fstat(data.fileno()).st_size
        last, offset = 0, 0
        while offset < size:
            header = _chunk_header(data.read(CHUNK_HEADER_BYTES))
            if header is None or header.first != last + 1:
                return LocationState(last, f"{file} has a damaged chunk header")
            if offset + chunk_bytes >= size:
                records = np.frombuffer(data.read(), np.uint8)
                return _check_end(file, header, records, declared_count)
            records = np.frombuffer(data.read(chunk_bytes - CHUNK_HEADER_BYTES), np.uint8)
            found, end, _ = frame_records(records, True, header.is_little)
            if end != TORN or last + found != header.last:
                return LocationState(last + found, f"{file} is damaged after {last + found} events")
            last, offset = header.last, offset + chunk_bytes
    return LocationState(0, f"{file} is cut short" if declared_count else "")


def check_definition_file(file: Path, *, chunk_bytes: int) -> str:
    """The damage at the end of a definition file, which may be missing; empty if there is none."""
    if not file.exists():
        return f"{file} is missing"
    with file.open("rb") as data:
        size = os.fstat(data.fileno()).st_size
        data.seek(max(size - 1, 0) // chunk_bytes * chunk_bytes)
        header = _chunk_header(data.read(CHUNK_HEADER_BYTES))
        if header is None:
            return f"{file} is cut short or has a damaged chunk header"
        records = np.frombuffer(data.read(), np.uint8)
    count, end, _ = frame_records(records, False, header.is_little)
    if end == ENDED:
        return ""
    return f"{file} is cut short" if end == TORN else f"{file} is damaged after {count} definitions"


def _check_end(
    file: Path, header: "_ChunkHeader", records: NDArray[np.uint8], declared: int
) -> LocationState:
    """The last chunk holds the events that it announces, then the mark of the end of the file."""
    found, end, time = frame_records(records, True, header.is_little)
    count, last_ticks = header.first - 1 + found, int(time) if found else None
    if end == ENDED and count in (header.last, declared):
        return LocationState(count, "", last_ticks)
    problem = f"{file} is cut short"
    if end == BROKEN:
        problem = f"{file} is damaged after {count} events"
    elif end == ENDED:
        problem = f"{file} holds {count} events where its last chunk announces {header.last}"
    return LocationState(count, problem, last_ticks)


@dataclass(frozen=True)
class _ChunkHeader:
    """The numbers of a chunk's first and last event, and its order of bytes."""

    first: int
    last: int
    is_little: bool


def _chunk_header(data: bytes) -> _ChunkHeader | None:
    """The header of a chunk; None if this is none."""
    if len(data) < CHUNK_HEADER_BYTES or data[0] != 3 or data[1] not in _BYTE_ORDERS:
        return None
    first, last = struct.unpack(f"{_BYTE_ORDERS[data[1]]}QQ", data[2:])
    return _ChunkHeader(first, last, data[1] == 0x42)
