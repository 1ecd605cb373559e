"""The pass over the messages of each location that marks waits in the wrong order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel

NONE = -1
Numbers = NDArray[np.int64]


@kernel
def _mark(
    location: Any, sent: Any, awaited: Any, limit: Any, waiting: Any, position: Any, marker: Any
) -> None:
    """Waits that no message has marked yet lie in `waiting`, from `first` up to `end`.

    They are ordered by the time of sending: a message marks all that were sent later than itself
    before its own wait is added.
    """
    first = end = 0
    for row in range(len(location)):
        if row > 0 and location[row] != location[row - 1]:
            first = end = 0
        while end > first and sent[waiting[end - 1]] > sent[row]:
            end -= 1
            marker[position[end]] = row
        if awaited[row] != NONE:
            waiting[end], position[end] = awaited[row], row
            end += 1
            if limit > 0 and end - first > limit:
                first += 1


def mark_waits(location: Numbers, sent: Numbers, awaited: Numbers, limit: int) -> Numbers:
    """The message that marks the wait at each message, or none.

    Messages are in the order in which each location receives them. `awaited` is the message whose
    wait ends with a message, or none. A location remembers `limit` waits, or all (0).
    """
    marker = np.full(len(location), NONE)
    waiting, position = np.empty_like(marker), np.empty_like(marker)
    _mark(location, sent, awaited, limit, waiting, position, marker)
    return marker
