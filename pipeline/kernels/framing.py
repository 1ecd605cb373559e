"""Begin and end of records in files of events or definitions.

The library reads a chunk into a buffer, and does not stop at the end of a truncated file. So the
complete records of a file are counted first.
"""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import kernel, step

# Kinds of records other than events.
_END_OF_CHUNK, _END_OF_FILE, _TIMESTAMP, _ATTRIBUTES = 0, 2, 5, 6
_TIMESTAMP_BYTES = 9
_LONG = 0xFF
_MOST_BYTES = 8
# Events with one argument: the length is that of the number; _LONG means 0 bytes, all bits are set.
# For all others, _LONG means that the next 8 bytes hold the length.
_SINGLE = (12, 13, 16, 17, 20, 21, 24, 28, 29, 30)
ENDED, TORN, BROKEN = 0, 1, 2


@step
def _number(data: Any, place: Any, is_little: Any) -> Any:
    value = np.uint64(0)
    for index in range(_MOST_BYTES):
        at = place + (_MOST_BYTES - 1 - index if is_little else index)
        value = (value << np.uint64(8)) | np.uint64(data[at])
    return value


@kernel
def frame_records(data: Any, are_events: Any, is_little: Any) -> Any:
    """Number of complete records in `data`, how they end, and the last timestamp (ticks, or 0).

    They end with the end mark (ENDED), with the end of the data (TORN), or with bytes that cannot
    be a record (BROKEN).
    """
    size, place, events, time = len(data), 0, 0, np.uint64(0)
    while place < size:
        if are_events and data[place] == _TIMESTAMP:
            if place + _TIMESTAMP_BYTES >= size:
                return events, TORN, time
            time = _number(data, place + 1, is_little)
            place += _TIMESTAMP_BYTES
        kind = data[place]
        if kind == _END_OF_FILE:
            left = size - place
            return events, ENDED if left == 2 else TORN if left == 1 else BROKEN, time
        if kind == _END_OF_CHUNK:
            while place < size and data[place] == _END_OF_CHUNK:
                place += 1
            return events, TORN if place == size else BROKEN, time
        place += 1
        if place >= size:
            return events, TORN, time
        length: Any = np.int64(data[place])
        place += 1
        if are_events and kind in _SINGLE:
            if length == _LONG:
                length = 0
            elif length > _MOST_BYTES:
                return events, BROKEN, time
        elif length == _LONG:
            if place + _MOST_BYTES > size:
                return events, TORN, time
            length = np.int64(_number(data, place, is_little))
            place += _MOST_BYTES
        if length < 0 or length > size - place:
            return events, TORN, time
        place += length
        if not are_events or kind != _ATTRIBUTES:
            events += 1
    return events, TORN, time
