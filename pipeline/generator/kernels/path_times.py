"""How much of the critical path lies in each call path of each location."""

from typing import Any

from pipeline.generator.kernels.layout import (
    EVENT_ARGUMENTS,
    EVENT_KIND,
    EVENT_LOCATION,
    EVENT_TIME,
    NOBODY,
    ON_ENTER,
    ON_LEAVE,
    SEGMENT_BEGIN,
    SEGMENT_END,
)
from pipeline.kernels.compiled import kernel


@kernel
def add_path_times(
    events: Any, parents: Any, segments: Any, firsts: Any, current: Any, since: Any, times: Any
) -> None:
    """Add to `times` (call path, location) what the critical path has of each visit.

    `segments` are those of the path in order of location and time; those of a location end where
    the next one's begin, at `firsts`, which moves on with the events. `current` is the call path a
    location is in, `since` when its last record was.
    """
    lasts = firsts[1]
    for number in range(len(events)):
        kind = events[number, EVENT_KIND]
        if kind != ON_ENTER and kind != ON_LEAVE:
            continue
        place, now = events[number, EVENT_LOCATION], events[number, EVENT_TIME]
        path, before = current[place], since[place]
        segment = firsts[0, place]
        while segment < lasts[place] and segments[segment, SEGMENT_END] <= before:
            segment += 1
        firsts[0, place] = segment
        while segment < lasts[place] and segments[segment, SEGMENT_BEGIN] < now:
            begin = max(before, segments[segment, SEGMENT_BEGIN])
            end = min(now, segments[segment, SEGMENT_END])
            if path != NOBODY and end > begin:
                times[path, place] += end - begin
            segment += 1
        named = events[number, EVENT_ARGUMENTS]
        current[place] = named if kind == ON_ENTER else parents[named]
        since[place] = now
