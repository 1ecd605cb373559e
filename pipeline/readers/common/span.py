"""Limits of the times of records."""

from collections.abc import Sequence

from tracemill.kernels.walk_state import ANY_TIME, LAST_TIME

_ROOM = 2
_SECOND = 1_000_000_000
"""The limit is twice the declared length and a second: clocks are corrected afterwards."""


def possible_times(
    clock: tuple[int, int, int, int], last_ticks: Sequence[int | None]
) -> tuple[int, int]:
    """First and last possible time of a trace, in nanoseconds since its zero.

    The limits follow from the declared length if at least half of the locations end within them.
    Otherwise nearly any time is possible: some writers declare no length or a wrong one. A trace
    may begin as long before its zero as it may end after it.
    """
    resolution, offset, length, _ = clock
    ends = [ticks - offset for ticks in last_ticks if ticks is not None]
    can_be_true = 2 * sum(0 <= end <= _ROOM * length for end in ends) >= len(ends) > 0
    latest = ANY_TIME
    if can_be_true:
        latest = min(_ROOM * length * _SECOND // resolution + _SECOND, LAST_TIME)
    return max(-latest, latest - LAST_TIME), latest
