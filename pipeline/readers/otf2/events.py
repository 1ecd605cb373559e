"""Reads the events of locations into columns, a bounded number at a time."""

from collections.abc import Iterator
from io import FileIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels import otf2_layout as of
from tracemill.kernels.otf2_decoding import decode_records
from tracemill.kernels.otf2_layout import NO_CLOCK, NO_MAPS, Clock, Layout, Maps
from tracemill.kernels.records import METRIC_CODE, PROGRAM_BEGIN_CODE, RECORDS
from tracemill.readers.common.reading import LocationRead
from tracemill.readers.otf2.archive import Archive
from tracemill.readers.otf2.chunks import CHUNK_HEADER_BYTES, ChunkHeader, read_header

ROWS = 1 << 16
"""Records decoded at a time, before they are walked over."""
_NAMES = {record.code: record.name for record in RECORDS} | {
    METRIC_CODE: "Metric", PROGRAM_BEGIN_CODE: "ProgramBegin", of.ATTRIBUTES: "attributes",
}  # fmt: skip


class Block(NamedTuple):
    """Columns of records. `record_count` of them were read, of which not all need be stored."""

    record_count: int
    times: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    refs: NDArray[np.uint32]
    side: NDArray[np.uint64]


class EventDecoder:
    """Decodes one event file at a time, chunk by chunk, into the same columns."""

    def __init__(self, layout: Layout, chunk_bytes: int, *, rows: int = ROWS) -> None:
        self._layout, self._chunk_bytes = layout, chunk_bytes
        self._data = np.zeros(chunk_bytes + of.PADDING, np.uint8)
        self._chunk = memoryview(self._data.data)[:chunk_bytes]
        self._maps, self._clock = NO_MAPS, NO_CLOCK
        self.columns = of.columns_of(rows)

    def open(self, file: FileIO, maps: Maps = NO_MAPS, clock: Clock = NO_CLOCK) -> None:
        """Begin a file."""
        self._file, self._maps, self._clock = file, maps, clock
        self.state = np.zeros(of.SLOTS, np.int64)
        self.state[of.LIMIT] = np.iinfo(np.int64).max
        self._first_byte = -self._chunk_bytes

    def load(self) -> ChunkHeader | None:
        """Load the next chunk, and return its header; None if there is none."""
        self._first_byte += self._chunk_bytes
        size = 0
        while more := self._file.readinto(self._chunk[size:]):
            size += more
        self.state[of.PLACE], self.state[of.END] = CHUNK_HEADER_BYTES, size
        header = read_header(self._data[: min(size, CHUNK_HEADER_BYTES)].tobytes())
        self.state[of.IS_LITTLE] = header is None or header.order == "little"
        return header

    def decode(self) -> int:
        """Decode records behind those in the columns; returns why it stopped.

        The columns grow if they have no room for a single record and its attributes.
        """
        while True:
            found: int = decode_records(
                self._data, self.state, self._layout, self._maps, self._clock, self.columns
            )
            if found != of.FULL or self.rows:
                return found
            self.columns = of.columns_of(2 * len(self.columns.times))

    def block(self, record_count: int) -> Block:
        """The records in the columns, which the next ones overwrite."""
        rows, side_rows = self.rows, int(self.state[of.SIDE_ROWS])
        times, kinds, refs, side = self.columns
        self.state[[of.ROWS, of.SIDE_ROWS]] = 0
        return Block(
            record_count, times[:rows], kinds[:rows], refs[:rows], side[: max(side_rows, 1)]
        )

    @property
    def rows(self) -> int:
        return int(self.state[of.ROWS])

    @property
    def records(self) -> int:
        """Records of the file read so far."""
        return int(self.state[of.RECORDS])

    @property
    def byte(self) -> int:
        """Place in the file of the first record that is not decoded."""
        return self._first_byte + int(self.state[of.PLACE])

    @property
    def last_ticks(self) -> int:
        """The last time as recorded."""
        return int(self.state[of.TIME : of.TIME + 1].view(np.uint64)[0])

    @property
    def rest(self) -> bytes:
        """The bytes of the chunk that are not decoded."""
        return self._data[self.state[of.PLACE] : self.state[of.END]].tobytes()

    def describe(self, found: int) -> str:
        """Why no more can be decoded."""
        if found == of.CHUNK_ENDED:
            return "a chunk is missing"
        if found == of.NO_RECORD:
            return "attributes that belong to no record"
        place = int(self.state[of.PLACE])
        code = int(self._data[place + of.TIME_BYTES * (self._data[place] == of.TIME_CODE)])
        name = _NAMES.get(code, f"of type {code}")
        return f"a record {name} {'that is cut' if found == of.CUT else 'of a wrong length'}"


class EventReader:
    """Reads the events of locations; not shared between threads."""

    def __init__(self, archive: Archive, layout: Layout) -> None:
        self._archive = archive
        self.decoder = EventDecoder(layout, archive.event_chunk_bytes)

    def read(
        self, location: int, limit: int, *, is_all: bool = False
    ) -> Iterator[Block | LocationRead]:
        """Blocks of at most `limit` records; the last item is a LocationRead.

        It is an error if more follow where `is_all`.
        """
        if not limit:
            yield LocationRead(0)  # a location without events may have no files
            return
        try:
            definitions = self._archive.local_definitions(location)
            file = self._archive.event_file(location).open("rb", buffering=0)
        except DamagedTraceError as error:
            yield LocationRead(0, str(error))
        except OSError:
            yield LocationRead(0, "its event file is missing or unreadable")
        else:
            with file:
                self.decoder.open(file, *definitions)
                yield from self._blocks(limit, is_all)

    def take_dropped(self) -> int:
        """No attributes are dropped."""
        return 0

    def _blocks(self, limit: int, is_all: bool) -> Iterator[Block | LocationRead]:
        decoder, found, reported = self.decoder, of.CHUNK_ENDED, 0
        decoder.state[of.LIMIT] = limit
        while (is_all or decoder.records < limit) and found in (of.CHUNK_ENDED, of.FULL):
            if found == of.CHUNK_ENDED and decoder.load() is None:
                break
            found = decoder.decode()
            if found == of.FULL:
                yield decoder.block(decoder.records - reported)
                reported = decoder.records
        yield decoder.block(decoder.records - reported)
        error = ""
        if is_all and found == of.MORE:
            error = "it holds more events than its chunks announce"
        elif found != of.FILE_ENDED and (is_all or decoder.records < limit):
            error = f"at byte {decoder.byte}: {decoder.describe(found)}"
        yield LocationRead(decoder.records, error)
