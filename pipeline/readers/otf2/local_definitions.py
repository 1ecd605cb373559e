"""The definitions of a location: what its identifiers and times mean in the trace."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.otf2_decoding import read_integers
from tracemill.kernels.otf2_layout import KNOWN_MAPPINGS, Clock, Maps, maps_of
from tracemill.readers.otf2.fields import DamagedFieldError, Fields, read_records

_MAPPING_TABLE, _CLOCK_OFFSET = 5, 6
_DENSE, _SPARSE = 0, 1
_MOST_BYTES = 8


@dataclass
class _Taker:
    """Collects mapping tables by type, and clock offsets: time and ticks to add."""

    tables: dict[int, tuple[NDArray[np.uint64], bool]] = field(default_factory=dict)
    offsets: list[tuple[int, int]] = field(default_factory=list)

    def take(self, kind: int, fields: Fields) -> None:
        if kind == _MAPPING_TABLE:
            self._take_table(fields)
        elif kind == _CLOCK_OFFSET:
            first, time, offset = fields.place, fields.whole(8), fields.number(_MOST_BYTES)
            if self.offsets and self.offsets[-1][0] >= time:
                raise DamagedFieldError(first, "a clock offset that is not later than the last")
            self.offsets.append((time, offset - (offset >> 63 << 64)))

    def _take_table(self, fields: Fields) -> None:
        first, kind = fields.place, fields.whole(1)
        count, mode = fields.number(_MOST_BYTES), fields.whole(1)
        if mode not in (_DENSE, _SPARSE):
            raise DamagedFieldError(fields.place - 1, f"a mapping table of mode {mode}")
        if kind >= KNOWN_MAPPINGS:
            return
        count *= 1 + (mode == _SPARSE)
        if kind in self.tables:
            raise DamagedFieldError(first, f"a second mapping table of type {kind}")
        if count > fields.end - fields.place:
            raise DamagedFieldError(first, f"a mapping table of {count} numbers")
        numbers = np.empty(count, np.uint64)
        data = np.frombuffer(fields.data, np.uint8)[fields.place : fields.end]
        if not read_integers(data, fields.order == "little", numbers):
            raise DamagedFieldError(first, "numbers of a mapping table do not fit")
        self.tables[kind] = numbers, mode == _SPARSE


def read_local_definitions(file: Path, chunk_bytes: int) -> tuple[Maps, Clock]:
    """The mappings and the clock of a location. Raises DamagedTraceError if they are unknown."""
    taker = _Taker()
    read_records(file, chunk_bytes, taker.take)
    return maps_of(taker.tables), _clock_of(taker.offsets)


def _clock_of(offsets: list[tuple[int, int]]) -> Clock:
    """The intervals between offsets; one offset alone says nothing of the change."""
    times = np.array([time for time, _ in offsets], np.uint64)
    ticks = np.array([offset for _, offset in offsets], np.int64)
    slopes = np.diff(ticks).astype(np.float64) / np.diff(times).astype(np.float64)
    return Clock(times[:-1], times[1:], ticks[:-1], slopes)
