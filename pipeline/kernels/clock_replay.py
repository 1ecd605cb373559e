"""The controlled logical clock: times of records that no longer contradict each other.

Records are replayed in an order in which senders come before receivers. A receiver that is too
early jumps forward. Then each jump is spread over the records before it, which move less the
earlier they are; no sender moves so far that it contradicts its receivers.

    recorded    s1   s2      R                 s: sender, R: receiver that jumps
    forward     s1   s2           R
    backward      s1    s2        R            s1 and s2 move within their limits

Source: Becker, Rabenseifner, Wolf 2008, "Replay-based synchronization of timestamps in event
traces"; Rabenseifner 1997, "The controlled logical clock".
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel, step

KEPT_RATE = 0.99999
"""Of recorded durations after a jump: so the location returns to its own clock."""
SPREAD_RATE = 0.01
"""Part by which durations before a jump grow, where nothing prevents it."""
_EXACT_NS = 0.01
NONE = -1

Numbers = NDArray[np.int64]
Times = NDArray[np.float64]


class Events(NamedTuple):
    """Records that meet others, in order, with the first and last record of each location.

    `first` is the first event of each location, and at last their number. `meeting` is NONE for
    records that only begin or end a location. Times are in ns.
    """

    first: Numbers
    time: Numbers
    sequence: Numbers
    meeting: Numbers
    is_sender: NDArray[np.bool_]


class Meetings(NamedTuple):
    """Senders and receivers of each other; `next` continues this meeting, or is NONE.

    `least` is the least time from the latest sender to a receiver.
    """

    least: Numbers
    next: Numbers


class Queues(NamedTuple):
    """The state of the replay.

    By meeting: how many senders it `awaits`, the time of its `latest` one, the first location
    `waiting` for it. By location: the next event (`cursor`), and the location waiting `behind` it.
    Locations that are `ready` can go on.
    """

    awaits: Numbers
    latest: Times
    cursor: Numbers
    waiting: Numbers
    behind: Numbers
    ready: Numbers


class Stack(NamedTuple):
    """The knots of a location so far; `limit` is the latest time of a sender.

    `sequence` is NONE for knots that are no records.
    """

    old: Times
    new: Times
    limit: Times
    sequence: Numbers


class Knots(NamedTuple):
    """Where the correction of a location changes: between two knots, times are interpolated.

    Records at `old` from position `sequence` on have at least the time `new`.
    """

    old: Numbers
    sequence: Numbers
    new: Numbers


Clocks = Mapping[int, tuple[Knots, ...]]
"""By location, changes of its times, one after the other."""


class Replayed(NamedTuple):
    """Knots by location, and by event the time before and after its jump.

    A record that an earlier jump has moved just far enough counts as a jump of 0 ns.
    """

    knots: list[Knots]
    before: Times
    after: Times
    is_jump: NDArray[np.bool_]


def replay_clocks(events: Events, meetings: Meetings) -> Replayed:
    """Correct the times of all events."""
    count, location_count = len(events.time), len(events.first) - 1
    before, after = np.empty((2, count))
    is_jump = np.zeros(count, np.bool_)
    events = events._replace(meeting=events.meeting.copy())
    queues = Queues(
        *_first_states(events, meetings), events.first[:-1].copy(),
        np.full(len(meetings.next), NONE), *np.full((2, location_count), NONE),
    )  # fmt: skip
    _go_forward(events, meetings, before, after, is_jump, queues)
    limit = np.full(len(meetings.next), np.inf)
    _find_limits(events, meetings, after, limit)
    knots = [
        _knots_of(location, events, before, after, limit) for location in range(location_count)
    ]
    return Replayed(knots, before, after, is_jump)


def _knots_of(location: int, events: Events, before: Times, after: Times, limit: Times) -> Knots:
    room = 5 * int(events.first[location + 1] - events.first[location])
    stack, points = _new_stack(room), _new_stack(room)
    found = Knots(*np.empty((3, room), np.int64))
    count = _go_backward(location, events, before, after, limit, stack, points, found)
    return Knots(*(column[:count].copy() for column in found))


def _new_stack(room: int) -> Stack:
    old, new, limit = np.empty((3, room))
    return Stack(old, new, limit, np.empty(room, np.int64))


def _first_states(events: Events, meetings: Meetings) -> tuple[Numbers, Times]:
    """How many senders each meeting awaits, and the time of its latest one so far."""
    count = len(meetings.next)
    senders = events.meeting[events.is_sender & (events.meeting != NONE)]
    awaits = np.bincount(senders, minlength=count).astype(np.int64)
    awaits[meetings.next[meetings.next != NONE]] += 1
    return awaits, np.full(count, -np.inf)


@step
def _close_meeting(meeting: Any, meetings: Any, queues: Any, ready_count: Any) -> Any:
    """Let all go on who wait for a meeting, and those that continue it; how many are ready."""
    while True:
        location = queues.waiting[meeting]
        while location != NONE:
            queues.ready[ready_count] = location
            ready_count += 1
            location = queues.behind[location]
        queues.waiting[meeting] = NONE
        following = meetings.next[meeting]
        if following == NONE:
            return ready_count
        queues.latest[following] = max(queues.latest[following], queues.latest[meeting])
        queues.awaits[following] -= 1
        if queues.awaits[following] > 0:
            return ready_count
        meeting = following


@step
def _leave_out(event: Any, location: Any, events: Any, queues: Any) -> None:
    """Let a location go on without the senders of an event."""
    meeting = events.meeting[event]
    events.meeting[event] = NONE
    if queues.waiting[meeting] == location:
        queues.waiting[meeting] = queues.behind[location]
        return
    other = queues.waiting[meeting]
    while queues.behind[other] != location:
        other = queues.behind[other]
    queues.behind[other] = queues.behind[location]


@kernel
def _go_forward(
    events: Any, meetings: Any, before: Any, after: Any, is_jump: Any, queues: Any
) -> None:  # fmt: skip
    """Replay all locations; one that must wait for senders stops until its meeting has them all.

    Where all wait for each other, because records are matched wrongly, the first one goes on.
    """
    first, cursor, latest, awaits = events.first, queues.cursor, queues.latest, queues.awaits
    location_count = len(first) - 1
    ready_count, stuck = location_count, 0
    for location in range(location_count):
        queues.ready[location] = location
    while True:
        if ready_count == 0:
            while stuck < location_count and cursor[stuck] == first[stuck + 1]:
                stuck += 1
            if stuck == location_count:
                return
            _leave_out(cursor[stuck], stuck, events, queues)
            queues.ready[0], ready_count = stuck, 1
        ready_count -= 1
        location = queues.ready[ready_count]
        event = cursor[location]
        while event < first[location + 1]:
            meeting, time = events.meeting[event], np.float64(events.time[event])
            if event > first[location]:
                kept = KEPT_RATE * (events.time[event] - events.time[event - 1])
                if first[location] + 1 < event < first[location + 1] - 1:
                    kept = max(kept, 1.0)
                time = max(time, after[event - 1] + kept)
            before[event] = time
            if meeting != NONE and not events.is_sender[event]:
                if awaits[meeting] > 0:
                    queues.behind[location], queues.waiting[meeting] = (
                        queues.waiting[meeting], location,
                    )  # fmt: skip
                    break
                earliest = latest[meeting] + meetings.least[meeting]
                is_moved = time > events.time[event]
                is_jump[event] = earliest > time or (is_moved and earliest == time)
                time = max(time, earliest)
            after[event] = time
            event += 1
            if meeting != NONE and events.is_sender[event - 1]:
                latest[meeting] = max(latest[meeting], time)
                awaits[meeting] -= 1
                if awaits[meeting] == 0:
                    ready_count = _close_meeting(meeting, meetings, queues, ready_count)
        cursor[location] = event


@kernel
def _find_limits(events: Any, meetings: Any, after: Any, limit: Any) -> None:
    """The latest time of the senders of each meeting, which its receivers have set."""
    for event in range(len(after)):
        meeting = events.meeting[event]
        if meeting != NONE and not events.is_sender[event]:
            limit[meeting] = min(limit[meeting], after[event] - meetings.least[meeting])
    for meeting in range(len(limit) - 1, -1, -1):
        if meetings.next[meeting] != NONE:
            limit[meeting] = min(limit[meeting], limit[meetings.next[meeting]])


@step
def _steepest(stack: Any, end: Any, left: Any, time: Any, jump: Any, rate: Any) -> Any:
    """The sender after `left` that needs the highest rate to stay within its limit, and the rate.

    NONE if none needs more than the given rate.
    """
    found, knot = NONE, end - 1
    while knot >= 0 and stack.new[knot] > left:
        room = max(stack.limit[knot] - stack.new[knot], 0.0)
        if room < jump and jump - room > rate * (time - stack.new[knot]):
            found, rate = knot, (jump - room) / max(time - stack.new[knot], 1e-9)
        knot -= 1
    return found, rate


@step
def _raise_from(stack: Any, end: Any, count: Any, left: Any, old: Any, time: Any, rate: Any) -> Any:
    """Stretch the time after `left` until knot `end`, which is at `old` and `time`.

    Returns the number of knots: the stretch begins with a knot of its own.
    """
    knot = end
    while knot > 0 and stack.new[knot - 1] > left:
        knot -= 1
        stack.new[knot] += rate * (stack.new[knot] - left)
    if knot == 0 or stack.new[knot - 1] == left:
        return count
    if knot < end:
        old, time = stack.old[knot], (stack.new[knot] + rate * left) / (1.0 + rate)
    share = (left - stack.new[knot - 1]) / (time - stack.new[knot - 1])
    for place in range(count, knot, -1):
        stack.old[place], stack.new[place] = stack.old[place - 1], stack.new[place - 1]
        stack.limit[place], stack.sequence[place] = (
            stack.limit[place - 1], stack.sequence[place - 1],
        )  # fmt: skip
    stack.old[knot] = stack.old[knot - 1] + share * (old - stack.old[knot - 1])
    stack.new[knot], stack.limit[knot], stack.sequence[knot] = left, np.inf, NONE
    return count + 1


@step
def _spread(stack: Any, count: Any, old: Any, time: Any, jump: Any) -> Any:
    """Spread a jump at `time` over the records before it; returns the number of knots."""
    end, rate, begin = count, SPREAD_RATE, stack.new[0]
    while jump > 0.0:
        left = max(time - jump / rate, begin)
        if left >= time:
            break
        if left == begin:
            rate = jump / (time - left)
        sender, steepest = _steepest(stack, end, left, time, jump, rate)
        if sender == NONE:
            return _raise_from(stack, end, count, left, old, time, rate)
        sent = stack.new[sender]
        room = max(stack.limit[sender] - sent, 0.0)
        for knot in range(sender, end):
            stack.new[knot] += room + steepest * (stack.new[knot] - sent)
        end, old, time, jump, rate = sender, stack.old[sender], sent, room, room / (sent - left)
    return count


@step
def _push(stack: Any, count: Any, old: Any, new: Any, limit: Any, sequence: Any) -> Any:
    stack.old[count], stack.new[count] = old, new
    stack.limit[count], stack.sequence[count] = limit, sequence
    return count + 1


@step
def _add_between(stack: Any, knot: Any, old: Any, points: Any, count: Any) -> Any:
    """Add the point between a knot and the next one, if `old` lies between them."""
    before, after = stack.old[knot], stack.old[knot + 1]
    if not before < old < after:
        return count
    share = (old - before) / (after - before)
    new = stack.new[knot] + share * (stack.new[knot + 1] - stack.new[knot])
    return _push(points, count, old, new, np.inf, 0)


@step
def _in_whole_ns(stack: Any, count: Any, points: Any) -> Any:
    """Knots whose old times are whole ns, which agree with the others there; their number."""
    found = 0
    for knot in range(count):
        if stack.sequence[knot] != NONE or knot in (0, count - 1):
            found = _push(
                points, found, stack.old[knot], stack.new[knot], np.inf, stack.sequence[knot]
            )
            continue
        old = np.floor(stack.old[knot] + 0.5)
        if abs(stack.old[knot] - old) > _EXACT_NS:
            found = _add_between(stack, knot - 1, np.floor(stack.old[knot]), points, found)
            found = _add_between(stack, knot, np.ceil(stack.old[knot]), points, found)
        elif stack.old[knot - 1] < old < stack.old[knot + 1]:
            found = _push(points, found, old, stack.new[knot], np.inf, 0)
    return found


@step
def _is_needed(points: Any, knot: Any, last: Any) -> Any:
    """Whether a straight line from the last needed knot to the next one misses a knot."""
    width = points.old[knot + 1] - points.old[last]
    if width == 0.0:
        return True
    share = (points.old[knot] - points.old[last]) / width
    line = points.new[last] + share * (points.new[knot + 1] - points.new[last])
    return abs(points.new[knot] - line) > _EXACT_NS


@step
def _store(points: Any, count: Any, found: Any) -> Any:
    """Keep the knots that are needed; returns their number, 0 if no time is corrected."""
    largest = 0.0
    for knot in range(count):
        largest = max(largest, points.new[knot] - points.old[knot])
    if largest < 0.5:
        return 0
    row, last = 0, 0
    for knot in range(count):
        if 0 < knot < count - 1 and not _is_needed(points, knot, last):
            continue
        last = knot
        found.old[row] = np.int64(points.old[knot])
        found.new[row] = np.int64(np.floor(points.new[knot] + 0.5))
        found.sequence[row] = points.sequence[knot]
        row += 1
    return row


@kernel
def _go_backward(
    location: Any, events: Any, before: Any, after: Any, limits: Any, stack: Any, points: Any,
    found: Any,
) -> Any:  # fmt: skip
    """Spread the jumps of a location in order; returns the number of knots found."""
    count = 0
    for event in range(events.first[location], events.first[location + 1]):
        time, meeting = np.float64(events.time[event]), events.meeting[event]
        if count > 0:
            ahead = after[event - 1] - events.time[event - 1]
            home = events.time[event - 1] + ahead / (1.0 - KEPT_RATE)
            if ahead > 0.0 and home < time:
                count = _push(stack, count, home, home, np.inf, NONE)
            if after[event] > before[event]:
                count = _spread(stack, count, time, before[event], after[event] - before[event])
        limit = limits[meeting] if meeting != NONE and events.is_sender[event] else np.inf
        count = _push(stack, count, time, after[event], limit, events.sequence[event])
    return _store(points, _in_whole_ns(stack, count, points), found)
