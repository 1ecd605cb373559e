"""Corrected clocks agree with the slow version, and contradict each other nowhere."""

from bisect import bisect_right
from random import Random

import pytest

from tests.helpers.running import query_tables
from tests.oracle import clocks
from tests.oracle.clocks import Record, Trace

LEAST = 20


def random_trace(random: Random) -> Trace:
    """Locations whose clocks start anywhere and stand still or run on between records."""
    trace: Trace = {location: [] for location in range(random.randint(1, 4))}
    now = {location: random.choice((0, 50, 3_000)) for location in trace}
    steps = random.choice(((0, 1, 7), (5, 30, 400), (20, 1_000, 300_000)))

    def add(location: int, meeting: int | None = None, *, is_sender: bool = False) -> None:
        trace[location].append(Record(now[location], meeting, is_sender))
        now[location] += random.choice(steps)

    for location in trace:
        add(location)
    for meeting in range(random.randint(1, 25)):
        everyone = list(trace)
        if random.random() < 0.2:
            senders, receivers = everyone, everyone
        else:
            senders = receivers = random.sample(everyone, min(2, len(everyone)))
            senders, receivers = senders[:1], receivers[1:]
        for location in senders:
            add(location, meeting, is_sender=True)
        for location in random.choices(everyone, k=random.randint(0, 3)):
            add(location)
        for location in receivers:
            add(location, meeting)
    for location in trace:
        add(location)
    return trace


def rows_of(trace: Trace) -> list[dict[str, object]]:
    """The records that meet others, and the first and last of each location."""
    rows: list[dict[str, object]] = []
    for location, records in trace.items():
        for place, record in enumerate(records):
            is_end = place in (0, len(records) - 1)
            if record.meeting is not None or is_end:
                rows.append(
                    {
                        "location_id": location, "time_ns": record.time, "sequence": place,
                        "kind": None if record.meeting is None else "message",
                        "message_id": record.meeting, "meeting_id": record.meeting,
                        "is_sender": record.is_sender, "least_ns": LEAST,
                    }
                )  # fmt: skip
    return rows


def corrected(trace: Trace) -> dict[int, list[float]]:
    """Times of all records by the knots that the stage finds."""
    tables = query_tables({"clock_corrections": ""}, {"clock_events": rows_of(trace)})
    knots: dict[int, list[tuple[int, int, int]]] = {location: [] for location in trace}
    for row in tables["clock_corrections"]:
        knots[row["location_id"]].append((row["old_ns"], row["sequence"], row["new_ns"]))
    return {
        location: [time_at(knots[location], each.time, place) for place, each in enumerate(records)]
        for location, records in trace.items()
    }


def time_at(knots: list[tuple[int, int, int]], time: int, sequence: int) -> float:
    """A time between two knots, or moved like the nearest one."""
    if not knots:
        return time
    after = bisect_right([knot[:2] for knot in knots], (time, sequence))
    (old, _, new), *rest = knots[max(after - 1, 0) : after + 1]
    if not rest or rest[0][0] == old or not after:
        return time + new - old if not rest or not after else new
    return new + (time - old) * (rest[0][2] - new) / (rest[0][0] - old)


def is_alone(records: list[Record], place: int) -> bool:
    """Whether no other record of the location has the same time."""
    return [each.time for each in records].count(records[place].time) == 1


@pytest.mark.parametrize("seed", range(80))
def test_times_are_those_of_the_slow_version(seed: int) -> None:
    """Of records at one time that meet nobody, only the order is certain."""
    trace = random_trace(Random(seed))
    expected, found = clocks.correct(trace, LEAST), corrected(trace)
    for location, records in trace.items():
        assert found[location] == sorted(found[location])
        for at, record in enumerate(records):
            if record.meeting is not None or is_alone(records, at):
                assert found[location][at] == pytest.approx(expected[location][at], abs=1.01)


@pytest.mark.parametrize("seed", range(80, 160))
def test_no_record_is_before_those_it_depends_on(seed: int) -> None:
    trace = random_trace(Random(seed))
    times = corrected(trace)
    for location, records in trace.items():
        for at, record in enumerate(records):
            for other, place in clocks.senders_of(trace, record):
                assert times[other][place] + LEAST <= times[location][at] + 1
