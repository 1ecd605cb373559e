"""The critical path: walking it back from wait to wait, and how long it is in each call path."""

from typing import Any

from tracemill.kernels.compiled import kernel
from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    EVENT_ARGUMENTS,
    EVENT_KIND,
    EVENT_LOCATION,
    EVENT_TIME,
    NOBODY,
    ON_ENTER,
    ON_FORK,
    ON_JOIN,
    ON_LEAVE,
    SEGMENT_BEGIN,
    SEGMENT_END,
    SEGMENT_LOCATION,
    SEGMENT_PATH,
    SEGMENT_WAIT_NS,
    STEP_BEGIN,
    STEP_CAUSE,
    STEP_CAUSE_ENTER,
    STEP_CAUSE_VISIT,
    STEP_PATH,
    STEP_VISIT,
    STEP_WAIT_NS,
)

(AT_LOCATION, BEFORE_VISIT, UNTIL_NS) = range(3)
"""Where a walk has come to: a location, a visit there, and when that was entered."""


@part
def last_before(steps: Any, low: Any, high: Any, visit: Any) -> Any:
    """The last of the steps from `low` to `high` in an earlier visit, `low` - 1 if none is."""
    while low < high:
        middle = (low + high) >> 1
        if steps[middle, STEP_VISIT] < visit:
            low = middle + 1
        else:
            high = middle
    return low - 1


@kernel
def walk_back(steps: Any, bounds: Any, starts: Any, at: Any, segments: Any) -> Any:
    """Fill `segments` from the last one back; returns how many there are.

    The walk has come to its begin if the last of them has no wait. Else it goes on from `at`, see
    AT_LOCATION and so on. The steps of a location begin at its `bounds`; `starts` is when the path
    can begin there.
    """
    for number in range(len(segments)):
        place = at[AT_LOCATION]
        found = last_before(steps, bounds[place], bounds[place + 1], at[BEFORE_VISIT])
        row = segments[number]
        row[SEGMENT_LOCATION], row[SEGMENT_END] = place, at[UNTIL_NS]
        if found < bounds[place]:
            row[SEGMENT_BEGIN], row[SEGMENT_PATH], row[SEGMENT_WAIT_NS] = starts[place], NOBODY, 0
            return number + 1
        step = steps[found]
        row[SEGMENT_BEGIN], row[SEGMENT_PATH] = step[STEP_BEGIN], step[STEP_PATH]
        row[SEGMENT_WAIT_NS] = step[STEP_WAIT_NS]
        at[AT_LOCATION], at[BEFORE_VISIT] = step[STEP_CAUSE], step[STEP_CAUSE_VISIT]
        at[UNTIL_NS] = step[STEP_CAUSE_ENTER]
    return len(segments)


@part
def pass_time(
    place: Any, now: Any, segments: Any, bounds: Any, current: Any, since: Any, times: Any
) -> None:
    """Give what the path has of a location since its last record to the call path it is in."""
    path, before, last = current[place], since[place], bounds[1, place]
    segment = bounds[0, place]
    while segment < last and segments[segment, SEGMENT_END] <= before:
        segment += 1
    bounds[0, place] = segment
    while segment < last and segments[segment, SEGMENT_BEGIN] < now:
        begin = max(before, segments[segment, SEGMENT_BEGIN])
        end = min(now, segments[segment, SEGMENT_END])
        if path != NOBODY and end > begin:
            times[path, place] += end - begin
        segment += 1
    since[place] = now


@kernel
def add_path_times(
    events: Any, parents: Any, is_team: Any, segments: Any, bounds: Any, current: Any, since: Any,
    times: Any,
) -> None:  # fmt: skip
    """Add to `times` (call path, location) what the critical path has of each visit.

    `segments` are those of the path in order of location and time, those of a location from its
    first bound, which moves on with the events, to its second. `current` is the call path a
    location is in, `since` when its last record was. Call paths that a team works in (`is_team`)
    last from the fork to the join on all its threads.
    """
    for number in range(len(events)):
        kind = events[number, EVENT_KIND]
        place, now = events[number, EVENT_LOCATION], events[number, EVENT_TIME]
        if kind == ON_ENTER or kind == ON_LEAVE:
            path = events[number, EVENT_ARGUMENTS]
            pass_time(place, now, segments, bounds, current, since, times)
            current[place] = path if kind == ON_ENTER or is_team[path] else parents[path]
        elif kind == ON_FORK or kind == ON_JOIN:
            threads = events[number, EVENT_ARGUMENTS + 1]
            path = events[number, EVENT_ARGUMENTS + 2]
            for member in range(place, place + threads):
                pass_time(member, now, segments, bounds, current, since, times)
                current[member] = path if kind == ON_FORK else NOBODY
            if kind == ON_JOIN:
                current[place] = parents[path]
