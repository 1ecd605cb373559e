"""The times that the records of a trace can have."""

from collections.abc import Sequence

from tracemill.kernels.walk_state import ANY_TIME, LAST_TIME

_ROOM = 2
_SECOND = 1_000_000_000
"""Times may be twice as late as announced and a second more: clocks are corrected afterwards."""


def possible_times(
    clock: tuple[int, int, int, int], last_ticks: Sequence[int | None]
) -> tuple[int, int]:
    """Bounds of what can be a time, in nanoseconds since the trace's zero.

    They follow from the length that the trace announces, if that can be true: if most locations
    end within them, given their last times in ticks. Else nearly any time is possible, for some
    writers announce no length or a wrong one. A trace may begin as long before its zero.
    """
    resolution, offset, length, _ = clock
    ends = [ticks - offset for ticks in last_ticks if ticks is not None]
    can_be_true = 2 * sum(0 <= end <= _ROOM * length for end in ends) >= len(ends) > 0
    latest = ANY_TIME
    if can_be_true:
        latest = min(_ROOM * length * _SECOND // resolution + _SECOND, LAST_TIME)
    return max(-latest, latest - LAST_TIME), latest
