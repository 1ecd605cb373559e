"""Finding an OTF2 archive, and checking its files before the library reads them."""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import (
    DamagedTraceError,
    MissingInputError,
    NotATraceError,
    UnsupportedTraceError,
)
from pipeline.readers.otf2.definitions import Definitions, read_definitions
from pipeline.readers.otf2.library import SUCCESS, Library, load_library

_MAGIC = b"OTF2"
_SION, _ZLIB = 2, 2
_SUBSTRATE_AT, _COMPRESSION_AT = 28, 29
"""Where anchor files say how the other files are written."""
CHUNK_HEADER_BYTES = 18
_BYTE_ORDERS = {0x42: "<", 0x23: ">"}
_END_OF_FILE = b"\x02\x01"
"""Marker of the end of a file, then of its last chunk."""


def find_anchor(path: Path) -> Path:
    """The anchor file of an archive given by it or by its directory.

    Raises MissingInputError or NotATraceError.
    """
    if not path.exists():
        raise MissingInputError(f"{path}: no such file or directory; check the path of the trace")
    if path.is_file():
        return path
    anchors = sorted(path.glob("*.otf2"))
    if len(anchors) == 1:
        return anchors[0]
    if anchors:
        names = ", ".join(anchor.name for anchor in anchors[:5])
        raise NotATraceError(f"{path}: holds several archives ({names}); name the .otf2 file meant")
    raise NotATraceError(f"{path}: no .otf2 anchor file inside; name an OTF2 archive")


def is_anchor(path: Path) -> bool:
    """Whether a file begins like an OTF2 anchor file."""
    try:
        with path.open("rb") as file:
            return _MAGIC in file.read(8)
    except OSError:
        return False


@dataclass(frozen=True)
class Archive:
    """What an archive says about itself."""

    anchor: Path
    trace_id: str
    creator: str
    machine_name: str
    event_chunk_bytes: int
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
        if chunk.value <= CHUNK_HEADER_BYTES:
            raise DamagedTraceError(
                f"{anchor}: this anchor file is damaged (event chunks of {chunk.value} bytes); "
                "copy the archive again"
            )
        trace_id = ctypes.c_uint64()
        library.Reader_GetTraceId(handle, ctypes.byref(trace_id))
        return Archive(
            anchor=anchor,
            trace_id=f"{trace_id.value:016x}",
            creator=_text(library, handle, "Reader_GetCreator"),
            machine_name=_text(library, handle, "Reader_GetMachineName"),
            event_chunk_bytes=chunk.value,
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
    """Raise UnsupportedTraceError for what the library was built without, and cannot open."""
    with anchor.open("rb") as file:
        head = file.read(_COMPRESSION_AT + 1)
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


def _text(library: Library, handle: int, getter: str) -> str:
    pointer = ctypes.c_void_p()
    if getattr(library, getter)(handle, ctypes.byref(pointer)) != SUCCESS or not pointer.value:
        return ""
    return ctypes.string_at(pointer.value).decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class EventFileState:
    """What an event file holds: how many of the announced events can be read, and why not all.

    `is_torn` where the file ends in its first chunk, perhaps inside a record.
    """

    readable_count: int
    problem: str = ""
    is_torn: bool = False


def check_event_file(file: Path, *, chunk_bytes: int, declared_count: int) -> EventFileState:
    """Compare an event file's chunk headers with the number of events announced.

    The C library goes on with stale data when a later chunk is cut, so only whole chunks count;
    the first chunk has nothing before it and can be read as far as it goes.
    """
    if not file.exists():
        if not declared_count:
            return EventFileState(0)
        return EventFileState(0, f"{file} is missing")
    with file.open("rb") as data:
        size = os.fstat(data.fileno()).st_size
        last, offset = 0, 0
        while offset < size:
            header = _chunk_header(data.read(CHUNK_HEADER_BYTES))
            if header is None or (header[0] != last + 1 and declared_count):
                return _cut(file, last, declared_count, "has a damaged chunk header")
            if offset + chunk_bytes > size:
                return _check_end(file, header[1], last, declared_count)
            last, offset = header[1], offset + chunk_bytes
            data.seek(offset)
    if last < declared_count:
        return _cut(file, last, declared_count, "is cut short")
    return EventFileState(declared_count)


def _check_end(file: Path, announced: int, last_whole: int, declared: int) -> EventFileState:
    """The last chunk is as long as its records; it ends with the end-of-file marker."""
    with file.open("rb") as data:
        data.seek(-min(2, file.stat().st_size), os.SEEK_END)
        is_ended = data.read() == _END_OF_FILE
    if is_ended and (announced == declared or not declared):
        return EventFileState(declared)
    if is_ended:
        readable = min(announced, declared)
        return EventFileState(
            readable, f"{file} holds {announced} events where {declared} are announced"
        )
    return _cut(file, last_whole, declared, "is cut short")


def _cut(file: Path, last_whole: int, declared: int, what: str) -> EventFileState:
    readable = last_whole if last_whole else declared
    return EventFileState(min(readable, declared), f"{file} {what}", is_torn=not last_whole)


def _chunk_header(data: bytes) -> tuple[int, int] | None:
    """First and last event of a chunk; None if this is no chunk header."""
    if len(data) < CHUNK_HEADER_BYTES or data[0] != 3 or data[1] not in _BYTE_ORDERS:
        return None
    first, last = struct.unpack(f"{_BYTE_ORDERS[data[1]]}QQ", data[2:])
    return first, last
