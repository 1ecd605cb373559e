"""Ticks become nanoseconds since the trace's zero, corrected by each location's clock offsets."""

import struct
from pathlib import Path

import pytest

from tests.helpers.otf2_archive import Event, Trace


def visit(first: int, last: int) -> list[Event]:
    return [Event(first, "Enter", ("main",)), Event(last, "Leave", ("main",))]


@pytest.mark.parametrize(
    ("resolution", "ticks", "nanoseconds"),
    [
        (1_000_000_000, (7, 20), (7, 20)),
        # 1/2.1 ns per tick: 21 ticks are 10 ns; 22 are 10.476…, 23 are 10.952…
        (2_100_000_000, (21, 22), (10, 10)),
        (2_100_000_000, (22, 23), (10, 11)),
        # A day of them: floating point would lose the last digits.
        (2_100_000_000, (0, 2_100_000_000 * 86_400 + 21), (0, 86_400_000_000_010)),
        # Picoseconds: 1499 are 1.499 ns, 1500 are halfway and go up.
        (1_000_000_000_000, (1_499, 1_500), (1, 2)),
        (1_000_000_000_000, (0, 9_000_000_000_000_000_499), (0, 9_000_000_000_000_000)),
        # A third of a second per tick.
        (3, (1, 2), (333_333_333, 666_666_667)),
        (1, (0, 9_000_000_000), (0, 9_000_000_000_000_000_000)),
    ],
)
def test_ticks_become_the_nearest_nanoseconds(read, resolution, ticks, nanoseconds):
    trace = Trace(resolution=resolution)
    trace.location(visit(*ticks))
    tables = read(trace)
    assert tables.one("visits", "enter_ns leave_ns") == nanoseconds
    assert tables.one("locations", "begin_ns end_ns") == nanoseconds


def test_times_count_from_the_global_offset(read):
    trace = Trace(resolution=2_000_000_000, global_offset=1_700_000_000_000_000_000)
    trace.location(visit(1_700_000_000_000_000_000, 1_700_000_000_000_000_010))
    assert read(trace).one("visits", "enter_ns leave_ns") == (0, 5)


def test_times_before_the_global_offset_are_negative(read):
    """Ten and seven ticks of a third of a second before zero: -3.333… s and -2.333… s."""
    trace = Trace(resolution=3, global_offset=100)
    trace.location(visit(90, 93))
    assert read(trace).one("visits", "enter_ns leave_ns exclusive_ns") == (
        -3_333_333_333,
        -2_333_333_333,
        1_000_000_000,
    )


# Correction +1000 at local time 10_000 and +2000 at 20_000, so a tenth of a tick per tick:
# local 12_000 → 12_000 + 1000 + 200.
def test_clock_offsets_are_interpolated(read):
    trace = Trace()
    trace.location(
        [*visit(10_000, 12_000), *visit(15_000, 20_000)],
        clock_offsets=[(10_000, 1_000), (20_000, 2_000)],
    )
    assert read(trace).visits("enter_ns leave_ns") == [(11_000, 13_200), (16_500, 22_000)]


def test_offsets_of_a_faster_clock_are_negative(read):
    """The clock runs ahead by 500 at 1000 and by 1500 at 2000; local 1500 is 1500 - 1000."""
    trace = Trace(global_offset=100)
    trace.location(visit(1_000, 1_500), clock_offsets=[(1_000, -500), (2_000, -1_500)])
    assert read(trace).visits("enter_ns leave_ns") == [(500 - 100, 500 - 100)]


def test_each_location_has_a_clock_of_its_own(read):
    trace = Trace()
    trace.location(visit(0, 10), clock_offsets=[(0, 100), (10, 100)])
    trace.location(visit(0, 10))
    trace.location(visit(0, 10), clock_offsets=[(0, 7), (10, 17)])
    assert read(trace).visits("enter_ns leave_ns") == [(100, 110), (0, 10), (7, 27)]


def test_corrections_come_before_the_change_of_units(read):
    """+5 ticks of half a nanosecond: (7 + 5) / 2."""
    trace = Trace(resolution=2_000_000_000)
    trace.location(visit(7, 9), clock_offsets=[(0, 5), (10, 5)])
    assert read(trace).visits("enter_ns leave_ns") == [(6, 7)]


# The flush begins at local time 20 and ends at 40; the clock is 1000 behind throughout.
def test_the_end_of_a_flush_is_corrected_like_its_begin(read):
    trace = Trace()
    trace.location(
        "0 enter main\n 20 BufferFlush 40\n 50 leave main", clock_offsets=[(0, 1000), (50, 1000)]
    )
    assert read(trace).rows("measurement_gaps", "begin_ns end_ns") == [(1020, 1040)]


# --- Times that cannot be ------------------------------------------------------------------------

CENTURY = 100 * 365 * 86_400 * 1_000_000_000


def visits_of(begin: int, work_begin: int, work_end: int, end: int) -> str:
    return (
        f"{begin} enter main\n {work_begin} enter work\n {work_end} leave work\n {end} leave main"
    )


def change_time(events: Path, old: int, new: int) -> None:
    """Change a time in the file of a location, where it takes 8 bytes after a byte 5."""
    content = events.read_bytes()
    before, after = (b"\x05" + struct.pack("<Q", time) for time in (old, new))
    assert content.count(before) == 1
    events.write_bytes(content.replace(before, after))


# Time stands still at a record with an impossible time, and continues with the next record.
@pytest.mark.parametrize(
    ("damaged", "visits", "span"),
    [
        (20, [(10, 40, 10), (10, 30, 20)], (10, 40)),
        (30, [(10, 40, 30), (20, 20, 0)], (10, 40)),
        (40, [(10, 30, 10), (20, 30, 10)], (10, 30)),
        # Before the first possible time only the trace's zero is known.
        (10, [(0, 40, 30), (20, 30, 10)], (0, 40)),
    ],
)
def test_times_outside_the_run_are_counted_and_corrected(read, tmp_path, damaged, visits, span):
    trace = Trace()
    for _ in range(3):
        trace.location(visits_of(10, 20, 30, 40))
    anchor = trace.write(tmp_path / "archive")
    change_time(tmp_path / "archive" / "traces" / "0.evt", damaged, damaged + CENTURY)
    tables = read.again(anchor)
    assert tables.visits("enter_ns leave_ns exclusive_ns", location=0) == visits
    assert tables.rows("locations", "begin_ns end_ns")[0] == span
    assert tables.findings() == {("impossible_time", 0): 1}


def test_a_length_that_all_locations_exceed_is_ignored(read):
    """Some writers announce a made-up length."""
    trace = Trace(length=2)
    for _ in range(2):
        trace.location(visits_of(10, 20, 30, 40))
    tables = read(trace)
    assert tables.rows("locations", "begin_ns end_ns") == [(10, 40), (10, 40)]
    assert tables.findings() == {}


def test_times_may_be_twice_as_late_as_announced_and_a_second_more(read):
    trace = Trace(length=500)
    trace.location(visits_of(10, 20, 30, 1_000_001_000))
    trace.location(visits_of(10, 20, 30, 1_000_001_001))
    trace.location(visits_of(10, 20, 30, 40))
    trace.location(visits_of(10, 20, 30, 40))
    tables = read(trace)
    assert tables.rows("locations", "end_ns") == [(1_000_001_000,), (30,), (40,), (40,)]
    assert tables.findings() == {("impossible_time", 1): 1}
