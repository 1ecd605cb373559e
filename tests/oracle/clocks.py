"""Clock correction, record by record, as Becker et al. (2008) describe it.

Each record of a location is listed, not only those that meet others. Times are real numbers.
"""

from dataclasses import dataclass
from math import inf

KEPT, RATE = 0.99999, 0.01


@dataclass(frozen=True)
class Record:
    """A record; `meeting` is None if it meets nobody."""

    time: int
    meeting: int | None = None
    is_sender: bool = False


Trace = dict[int, list[Record]]
Times = dict[int, list[float]]


def correct(trace: Trace, least: int) -> Times:
    """The corrected time of every record."""
    after, before = forward(trace, least)
    if before == after:
        return {
            location: [float(each.time) for each in records] for location, records in trace.items()
        }
    limits = find_limits(trace, after, least)
    return {
        location: backward(records, before[location], after[location], limits)
        for location, records in trace.items()
    }


def forward(trace: Trace, least: int) -> tuple[Times, Times]:
    """Times after and before the jumps, found by going round until nothing is left to do."""
    after: Times = {location: [] for location in trace}
    before: Times = {location: [] for location in trace}
    while any(len(after[location]) < len(records) for location, records in trace.items()):
        for location, records in trace.items():
            place = len(after[location])
            if place == len(records):
                continue
            record = records[place]
            senders = senders_of(trace, record)
            if any(len(after[other]) <= at for other, at in senders):
                continue
            time = float(record.time)
            if place:
                time = max(time, after[location][-1] + KEPT * (time - records[place - 1].time))
            if record.meeting is not None:
                met = [at for at in range(place) if records[at].meeting is not None]
                time = max([time, *(after[location][at] + 1 for at in met[-1:])])
            before[location].append(time)
            after[location].append(
                max([time, *(after[other][at] + least for other, at in senders)])
            )
    return after, before


def senders_of(trace: Trace, record: Record) -> list[tuple[int, int]]:
    """Location and place of the records that must not be later."""
    if record.meeting is None or record.is_sender:
        return []
    return [
        (location, place)
        for location, records in trace.items()
        for place, other in enumerate(records)
        if other.meeting == record.meeting and other.is_sender
    ]


def find_limits(trace: Trace, after: Times, least: int) -> dict[int | None, float]:
    """The latest time of the senders of each meeting."""
    limits: dict[int | None, float] = {}
    for location, records in trace.items():
        for record, time in zip(records, after[location], strict=True):
            if record.meeting is not None and not record.is_sender:
                limits[record.meeting] = min(limits.get(record.meeting, inf), time - least)
    return limits


def backward(
    records: list[Record], before: list[float], after: list[float], limits: dict[int | None, float]
) -> list[float]:
    """Spread each jump over the records before it, in order."""
    times = list(after)
    for place, (low, high) in enumerate(zip(before, after, strict=True)):
        if high > low:
            spread(records, times, limits, place, low, high - low, RATE)
    return times


def spread(
    records: list[Record], times: list[float], limits: dict[int | None, float], end: int,
    time: float, jump: float, rate: float,
) -> None:  # fmt: skip
    """Let the records before one at `time` approach a jump there."""
    left = time - jump / rate
    if left < times[0]:
        left = times[0]
        if left >= time:
            return
        rate = jump / (time - left)
    inside = [at for at in range(end) if times[at] > left]
    steepest, limiting = rate, None
    for at in inside:
        if records[at].is_sender:
            room = limits.get(records[at].meeting, inf) - times[at]
            if (jump - room) / (time - times[at]) > steepest:
                steepest, limiting = (jump - room) / (time - times[at]), at
    if limiting is None:
        for at in inside:
            times[at] += rate * (times[at] - left)
        return
    sent = times[limiting]
    room = max(limits[records[limiting].meeting] - sent, 0.0)
    for at in range(limiting, end):
        times[at] += room + steepest * (times[at] - sent)
    if room > 1e-9:
        spread(records, times, limits, limiting, sent, room, room / (sent - left))
