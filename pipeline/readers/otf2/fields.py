"""The bytes of anchor and definition files: fields one after the other, and records of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import DamagedTraceError
from tracemill.readers.otf2.chunks import CHUNK_HEADER_BYTES, Order, read_header

_END_OF_CHUNK, _END_OF_FILE = 0, 2
_CUT = "a record or field is cut"
_ALL_BITS = 0xFF
"""As the size of an integer: all bits are set. As a length: the next 8 bytes are the length."""


class DamagedFieldError(Exception):
    """A field that does not fit, or a record without an end, at a place in the data."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place


@dataclass
class Fields:
    """Reads fields from a place on, up to an end. Raises DamagedFieldError."""

    data: bytes
    place: int
    end: int
    order: Order

    @property
    def is_at_end(self) -> bool:
        return self.place >= self.end

    def whole(self, size: int) -> int:
        """An integer that is stored in so many bytes."""
        first, self.place = self.place, self.place + size
        if self.place > self.end:
            raise DamagedFieldError(first, _CUT)
        return int.from_bytes(self.data[first : self.place], self.order)

    def number(self, most: int) -> int:
        """A compressed integer of up to so many bytes."""
        size = self.whole(1)
        if size == _ALL_BITS:
            return (1 << 8 * most) - 1
        if size > most:
            raise DamagedFieldError(self.place - 1, f"an integer of {size} bytes")
        return self.whole(size)

    def text(self) -> bytes:
        """A text, which ends with a zero."""
        first, last = self.place, self.data.find(b"\0", self.place, self.end)
        if last < 0:
            raise DamagedFieldError(first, "a text has no end")
        self.place = last + 1
        return self.data[first:last]


def read_records(file: Path, chunk_bytes: int, take: Callable[[int, Fields], None]) -> None:
    """Pass on the type and the fields of each record of a definition file.

    Raises DamagedTraceError, also for a DamagedFieldError of `take`.
    """
    if not file.exists():
        raise DamagedTraceError(f"{file} is missing")
    data, count, end = file.read_bytes(), 0, 0
    try:
        for place in range(0, len(data), chunk_bytes):
            header = read_header(data, place)
            if header is None:
                raise DamagedTraceError(f"{file} has a damaged chunk header at byte {place}")
            end = min(place + chunk_bytes, len(data))
            fields = Fields(data, place + CHUNK_HEADER_BYTES, end, header.order)
            while (kind := fields.whole(1)) not in (_END_OF_CHUNK, _END_OF_FILE):
                length = fields.whole(1)
                length = fields.whole(8) if length == _ALL_BITS else length
                if length > end - fields.place:
                    raise DamagedFieldError(fields.place, _CUT)
                take(kind, Fields(data, fields.place, fields.place + length, header.order))
                fields.place += length
                count += 1
            if kind == _END_OF_FILE:
                _check_end(fields, len(data))
                return
            if data.count(0, fields.place, end) < end - fields.place:
                raise DamagedFieldError(fields.place, "no zeros behind the end of a chunk")
    except DamagedFieldError as error:
        is_cut = str(error) == _CUT and end == len(data)
        what = "is cut short" if is_cut else f"is damaged after {count} definitions"
        raise DamagedTraceError(f"{file} {what}, at byte {error.place}: {error}") from None
    raise DamagedTraceError(f"{file} is cut short at byte {len(data)}")


def _check_end(fields: Fields, size: int) -> None:
    """The mark of the end of a file has one byte more, and nothing follows it."""
    fields.whole(1)
    if fields.place < size:
        raise DamagedFieldError(fields.place, "bytes behind the end of the file")
