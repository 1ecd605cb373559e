"""The critical path: found backwards from wait to wait, and its time in each call path."""

from typing import Any

from tracemill.kernels.compiled import kernel, unchecked
from tracemill.kernels.simulation import layout as at

(AT_LOCATION, BEFORE_VISIT, UNTIL_NS) = range(3)
"""Position of the walk: a location, a visit there, and the begin of the visit (ns)."""


@unchecked
def last_before(steps: Any, low: Any, high: Any, visit: Any) -> Any:
    """Last step between `low` and `high` in an earlier visit, or `low` - 1."""
    while low < high:
        middle = (low + high) >> 1
        if steps[middle, at.STEP_VISIT] < visit:
            low = middle + 1
        else:
            high = middle
    return low - 1


@kernel
def walk_steps(steps: Any, bounds: Any, starts: Any, position: Any, segments: Any) -> Any:
    """Fill `segments` backwards from `position` (AT_LOCATION …); returns their number.

    The path begins where the last segment has no wait; else call again, as `position` has moved.
    The steps of a location begin at its `bounds`; `starts` is the start of each location (ns).
    """
    for number in range(len(segments)):
        place = position[AT_LOCATION]
        found = last_before(steps, bounds[place], bounds[place + 1], position[BEFORE_VISIT])
        row = segments[number]
        row[at.SEGMENT_LOCATION], row[at.SEGMENT_END] = place, position[UNTIL_NS]
        if found < bounds[place]:
            row[at.SEGMENT_BEGIN], row[at.SEGMENT_PATH], row[at.SEGMENT_WAIT_NS] = (
                starts[place],
                at.NOBODY,
                0,
            )
            return number + 1
        step = steps[found]
        row[at.SEGMENT_BEGIN], row[at.SEGMENT_PATH] = step[at.STEP_BEGIN], step[at.STEP_PATH]
        row[at.SEGMENT_WAIT_NS] = step[at.STEP_WAIT_NS]
        position[AT_LOCATION], position[BEFORE_VISIT] = (
            step[at.STEP_CAUSE],
            step[at.STEP_CAUSE_VISIT],
        )
        position[UNTIL_NS] = step[at.STEP_CAUSE_ENTER]
    return len(segments)


@unchecked
def pass_time(
    place: Any, now: Any, segments: Any, bounds: Any, current: Any, since: Any, times: Any
) -> None:
    """Add the time on the path since the last record of a location to its call path."""
    path, before, last = current[place], since[place], bounds[1, place]
    segment = bounds[0, place]
    while segment < last and segments[segment, at.SEGMENT_END] <= before:
        segment += 1
    bounds[0, place] = segment
    while segment < last and segments[segment, at.SEGMENT_BEGIN] < now:
        begin = max(before, segments[segment, at.SEGMENT_BEGIN])
        end = min(now, segments[segment, at.SEGMENT_END])
        if path != at.NOBODY and end > begin:
            times[path, place] += end - begin
        segment += 1
    since[place] = now


@kernel
def add_path_times(
    events: Any, parents: Any, is_team: Any, segments: Any, bounds: Any, current: Any, since: Any,
    times: Any,
) -> None:  # fmt: skip
    """Add the time of visits on the critical path to `times` (call path, location).

    `segments` are sorted by location and time; `bounds` are the first and last one of each
    location, and the first moves with the events. `current` is the call path of a location, `since`
    the time of its last record. Call paths of teams (`is_team`) last from fork to join on all
    threads.
    """
    for number in range(len(events)):
        kind = events[number, at.EVENT_KIND]
        place, now = events[number, at.EVENT_LOCATION], events[number, at.EVENT_TIME]
        if kind == at.ON_ENTER or kind == at.ON_LEAVE:
            path = events[number, at.EVENT_ARGUMENTS]
            pass_time(place, now, segments, bounds, current, since, times)
            current[place] = path if kind == at.ON_ENTER or is_team[path] else parents[path]
        elif kind == at.ON_FORK or kind == at.ON_JOIN:
            threads = events[number, at.EVENT_ARGUMENTS + 1]
            path = events[number, at.EVENT_ARGUMENTS + 2]
            for member in range(place, place + threads):
                pass_time(member, now, segments, bounds, current, since, times)
                current[member] = path if kind == at.ON_FORK else at.NOBODY
            if kind == at.ON_JOIN:
                current[place] = parents[path]
