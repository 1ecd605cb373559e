"""Visits with begin, end and depth, in order of their begin, as enter and leave records."""

from typing import Any

from tracemill.kernels.compiled import kernel
from tracemill.kernels.records import ENTER, LEAVE

OPEN, LOCATION, SLOTS = 0, 1, 2
"""State between batches: number of open visits, and their location."""
NEVER = -(1 << 63)
"""End of a visit without an end in the file."""


@kernel
def unfold(
    location: Any, depth: Any, name: Any, begin: Any, end: Any, state: Any, stack: Any,
    out_location: Any, out_time: Any, out_kind: Any, out_ref: Any,
) -> Any:  # fmt: skip
    """Append the records of some visits; returns their number.

    Visits are sorted by location, begin and depth. A visit ends before the next one that is not
    deeper. `stack` has a row (depth, name, end) per open visit, and one spare row.
    """
    made, opened = 0, state[OPEN]
    for row in range(len(location)):
        changes = location[row] != state[LOCATION]
        while opened > 0 and (changes or stack[opened - 1, 0] >= depth[row]):
            opened -= 1
            if stack[opened, 2] != NEVER:
                out_location[made], out_kind[made] = state[LOCATION], LEAVE
                out_time[made], out_ref[made] = stack[opened, 2], stack[opened, 1]
                made += 1
        state[LOCATION] = location[row]
        out_location[made], out_kind[made] = location[row], ENTER
        out_time[made], out_ref[made] = begin[row], name[row]
        made += 1
        stack[opened, 0], stack[opened, 1], stack[opened, 2] = depth[row], name[row], end[row]
        opened += 1
    state[OPEN] = opened
    return made
