"""The columns that compiled callbacks fill, and their views in numpy."""

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import otf2_callbacks as cb
from tracemill.kernels.records import SIDE_WIDTH
from tracemill.readers.otf2.events import Block
from tracemill.readers.otf2.library import Library


class RecordBuffer:
    """Room for `rows` records with their arguments, in one block of memory.

    A record has a row (time in ticks, kind, ref); enter and leave keep the region in `ref`, all
    others the number of their side row, which holds up to six arguments.
    """

    def __init__(self, library: Library, *, rows: int) -> None:
        capacity = rows + cb.WORST_RECORD
        words = cb.HEADER_SLOTS + capacity * (1 + SIDE_WIDTH) + capacity // 2 + capacity // 8 + 4
        self._memory = np.zeros(words, np.uint64)
        header = self._memory
        header[cb.ROW_LIMIT] = header[cb.SIDE_LIMIT] = rows
        time_at = cb.HEADER_SLOTS
        side_at = time_at + capacity
        ref_at = side_at + capacity * SIDE_WIDTH
        kind_at = ref_at + capacity // 2 + 1
        header[cb.TIME_AT], header[cb.SIDE_AT] = time_at, side_at
        header[cb.REF_AT], header[cb.KIND_AT] = ref_at * 2, kind_at * 8
        header[cb.ATTRIBUTE_COUNT] = library.address("AttributeList_GetNumberOfElements")
        header[cb.ATTRIBUTE_GET] = library.address("AttributeList_GetAttributeByIndex")
        self.times: NDArray[np.uint64] = header[time_at:side_at]
        self.side = header[side_at:ref_at].reshape(capacity, SIDE_WIDTH)
        self.refs = header.view(np.uint32)[ref_at * 2 : ref_at * 2 + capacity]
        self.kinds = header.view(np.uint8)[kind_at * 8 : kind_at * 8 + capacity]

    @property
    def address(self) -> int:
        return self._memory.ctypes.data

    def block(self, record_count: int) -> Block:
        """The stored ones of the records that were read."""
        rows, side_rows = int(self._memory[cb.ROWS]), int(self._memory[cb.SIDE_ROWS])
        return Block(
            record_count, self.times[:rows], self.kinds[:rows], self.refs[:rows],
            self.side[: max(side_rows, 1)],
        )  # fmt: skip

    def take_dropped(self) -> int:
        """Number of attributes that did not fit since the last call."""
        dropped = int(self._memory[cb.DROPPED])
        self._memory[cb.DROPPED] = 0
        return dropped

    def clear(self) -> None:
        self._memory[cb.ROWS] = self._memory[cb.SIDE_ROWS] = 0
