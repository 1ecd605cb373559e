"""The anchor file of an archive: how its other files are written, and where it comes from."""

import re
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import DamagedTraceError, NotATraceError, UnsupportedTraceError
from tracemill.readers.otf2.chunks import BYTE_ORDERS, CHUNK_HEADER
from tracemill.readers.otf2.fields import DamagedFieldError, Fields

_MAGIC = b"OTF2"
_ORDER_AT, _FORMAT_AT, _CHUNK_SIZES_AT, _SUBSTRATE_AT = 1, 7, 12, 28
_FORMAT = 3
"""Of all versions since 2.0; formats before 2 have no trace id, those before 3 no snapshots."""
_PROPERTY_NAME = re.compile(rb"\w+(::\w+)+")
_SUBSTRATES, _SION = (1, 2, 3), 2
_UNCOMPRESSED, _ZLIB = 1, 2
_END_OF_FILE = 2
_CHUNK_SIZES = range(256 << 10, (16 << 20) + 1)
"""Bytes that the library's writer allows a chunk to have."""


@dataclass(frozen=True)
class Anchor:
    """Content of an anchor file."""

    trace_id: int
    creator: str
    machine_name: str
    location_count: int
    event_chunk_bytes: int
    definition_chunk_bytes: int


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


def read_anchor(path: Path) -> Anchor:
    """Read an anchor file.

    Raises NotATraceError, UnsupportedTraceError for files that cannot be read, or
    DamagedTraceError.
    """
    if not is_anchor(path):
        raise NotATraceError(f"{path}: not an OTF2 anchor file; name the .otf2 file of an archive")
    try:
        return _read(path, path.read_bytes())
    except DamagedFieldError as error:
        raise DamagedTraceError(
            f"{path}: this anchor file is damaged at byte {error.place} ({error}); copy the "
            "archive again"
        ) from None


def _read(path: Path, data: bytes) -> Anchor:
    order = BYTE_ORDERS.get(data[_ORDER_AT])
    if order is None or data[0] != CHUNK_HEADER or data[2:_FORMAT_AT] != _MAGIC + b"\0":
        raise DamagedFieldError(0, "no header")
    fields = Fields(data, _FORMAT_AT, len(data), order)
    format = fields.whole(1)
    fields.place = _CHUNK_SIZES_AT
    sizes = fields.whole(8), fields.whole(8)
    _check_supported(path, substrate=fields.whole(1), compression=fields.whole(1))
    for place, size in enumerate(sizes):
        if size not in _CHUNK_SIZES:
            raise DamagedFieldError(_CHUNK_SIZES_AT + 8 * place, f"chunks of {size} bytes")
    locations, _ = fields.whole(8), fields.whole(8)  # and number of definitions
    machine_name, creator, _ = (_text(fields) for _ in range(3))
    trace_id = 0
    if format > 1:
        properties = fields.whole(4)
        if properties > len(data):
            raise DamagedFieldError(fields.place - 4, f"{properties} properties")
        for _ in range(properties):
            first, name, _ = fields.place, fields.text(), fields.text()
            if not _PROPERTY_NAME.fullmatch(name):
                raise DamagedFieldError(first, "a name of a property")
        trace_id = fields.whole(8)
    if format == _FORMAT:
        fields.whole(8)  # number of snapshots and thumbnails
        if fields.whole(1) != _END_OF_FILE:
            raise DamagedFieldError(fields.place - 1, "no mark of its end")
    return Anchor(trace_id, creator, machine_name, locations, *sizes)


def _check_supported(path: Path, *, substrate: int, compression: int) -> None:
    if substrate == _SION:
        raise UnsupportedTraceError(
            f"{path}: a SIONlib archive, which cannot be read; record with "
            "SCOREP_TRACING_USE_SION=no, or unpack it with sionsplit"
        )
    if compression == _ZLIB:
        raise UnsupportedTraceError(
            f"{path}: a zlib-compressed archive, which cannot be read; record it again without "
            "compression"
        )
    if substrate not in _SUBSTRATES:
        raise DamagedFieldError(_SUBSTRATE_AT, f"files of kind {substrate}")
    if compression != _UNCOMPRESSED:
        raise DamagedFieldError(_SUBSTRATE_AT + 1, f"compression of kind {compression}")


def _text(fields: Fields) -> str:
    return fields.text().decode("utf-8", "backslashreplace")
