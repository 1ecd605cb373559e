"""What survives a loss in an archive has the time, the values and the identifiers it had."""

import struct
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from operator import ne
from pathlib import Path

import pyarrow as pa
import pytest

from tests.damage.judging import Judge
from tests.damage.mutators import OTF2
from tests.damage.reading import Reading, read_trace
from tests.damage.traces import EVERY_RECORD, prepare
from tests.helpers.otf2_archive import Event, Trace

Change = Callable[[bytearray], object]

EVENTS, FIRST_NS, STEP_NS = 12, 100, 10
EVENT_BYTES = 12
"""A time takes 9 bytes (its mark 5, then 64 bits), entering or leaving region 1 takes 3."""
TIMES = [FIRST_NS + STEP_NS * number for number in range(EVENTS)]
ENTERS, LEAVES = TIMES[::2], TIMES[1::2]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A location that enters `work` at 100, 120, ... ns and leaves it 10 ns later; and `rest`."""
    trace = Trace()
    trace.region("rest")
    trace.region("work")
    ends = ("Enter", "Leave")
    trace.location([Event(time, ends[at % 2], ("work",)) for at, time in enumerate(TIMES)])
    return trace.write(tmp_path_factory.mktemp("losses") / "archive").parent


def read_changed(archive: Path, change: Change) -> Reading:
    """Read an archive after a change of the bytes of its events."""
    (file,) = archive.glob("*/0.evt")
    sound = file.read_bytes()
    begin = sound.index(struct.pack("<BQ", 5, FIRST_NS))
    end = begin + EVENTS * EVENT_BYTES
    events = bytearray(sound[begin:end])
    change(events)
    file.write_bytes(sound[:begin] + events + sound[end:])
    try:
        return read_trace(archive, allow_damaged=True)
    finally:
        file.write_bytes(sound)


def ends_of(reading: Reading) -> tuple[list[int], list[int]]:
    """When visits are entered, and when they are left by a record."""
    rows = sorted(reading.tables["visits"].to_pylist(), key=lambda row: row["enter_ns"])
    entered = [row["enter_ns"] for row in rows]
    return entered, [row["leave_ns"] for row in rows if row["is_closed"]]


# --- Whole events ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 5])
def test_events_that_are_lost_change_no_other(archive: Path, count: int) -> None:
    """A leave of which the enter is lost is counted, or closes the visit before."""
    for first in range(EVENTS - count + 1):
        lost = slice(first * EVENT_BYTES, (first + count) * EVENT_BYTES)
        found = read_changed(archive, lambda events, lost=lost: events.__delitem__(lost))
        kept = TIMES[:first] + TIMES[first + count :]
        entered, left = ends_of(found)
        assert entered == [time for time in kept if time in ENTERS]
        told = found.findings()
        assert set(left) <= set(kept) & set(LEAVES)
        assert len(left) + told["mismatched_leave"] == sum(time in LEAVES for time in kept)
        assert told["missing_records"] == count


@pytest.mark.parametrize("count", [1, 2, 5])
def test_events_that_come_twice_are_no_new_times(archive: Path, count: int) -> None:
    """All are read, although the archive declares fewer.

    Times that run backwards are counted, and set to the latest before.
    """
    for first in range(EVENTS - count):
        again = slice(first * EVENT_BYTES, (first + count) * EVENT_BYTES)
        found = read_changed(archive, lambda events, s=again: events.__setitem__(s, events[s] * 2))
        read = [*TIMES[: first + count], *TIMES[first:]]
        latest = list(accumulate(read, max))
        entered, left = ends_of(found)
        assert entered == [now for now, time in zip(latest, read, strict=True) if time in ENTERS]
        assert set(left) <= {now for now, time in zip(latest, read, strict=True) if time in LEAVES}
        told = found.findings()
        assert told["time_reversal"] == sum(map(ne, latest, read))
        assert len(left) + told["mismatched_leave"] == sum(time in LEAVES for time in read)


# --- Values ---------------------------------------------------------------------------------------


def read_flipped(archive: Path, bits: int, *places: int) -> Reading:
    """Change bytes from the third event on, which enters `work` at 120 ns; the next leaves it."""

    def change(events: bytearray) -> None:
        for place in places:
            events[2 * EVENT_BYTES + place] ^= bits

    return read_changed(archive, change)


def test_values_that_may_be_cannot_be_distinguished_from_others(archive: Path) -> None:
    """121 ns for 120 ns, and `rest` for `work`: nothing in an archive confirms a value."""
    later, elsewhere = read_flipped(archive, 1, 1), read_flipped(archive, 1, 11, 23)
    assert ends_of(later)[0] == [100, 121, 140, 160, 180, 200]
    assert Counter(elsewhere.tables["visits"]["region_id"].to_pylist()) == {0: 1, 1: 5}
    assert later.findings() == elsewhere.findings() == {}


@pytest.mark.parametrize(
    ("bits", "place", "kind"),
    [(0x80, 8, "impossible_time"), (0x40, 1, "time_reversal"), (0x40, 11, "impossible_id")],
)
def test_values_that_cannot_be_are_counted(archive: Path, bits: int, place: int, kind: str) -> None:
    """2^63 ticks more, 64 ns less than 120 ns (after 110 ns), and region 65, never defined."""
    assert read_flipped(archive, bits, place).findings()[kind] == 1


# --- The judge of damaged copies ------------------------------------------------------------------


@pytest.fixture(scope="module")
def every_record(tmp_path_factory: pytest.TempPathFactory) -> tuple[Judge, Reading]:
    folder = tmp_path_factory.mktemp("every") / "trace"
    prepare(EVERY_RECORD, OTF2, folder)
    return Judge(folder, OTF2), read_trace(folder, allow_damaged=True)


def with_one_more(table: pa.Table, name: str) -> pa.Table:
    """The first value of a column that there is, plus one."""
    values = table[name].to_pylist()
    at = next(place for place, value in enumerate(values) if value is not None)
    values[at] += 1
    place = table.schema.get_field_index(name)
    return table.set_column(place, name, pa.array(values, table.schema.field(name).type))


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("visits", "enter_ns leave_ns region_id"),
        ("mpi_operations", "time_ns peer_rank tag bytes communicator_id"),
        ("lock_operations", "time_ns lock_id acquisition_order"),
        ("rma_operations", "time_ns remote_rank bytes rma_window_id"),
        ("io_operations", "time_ns bytes io_handle_id matching_id"),
        ("counter_values", "time_ns counter_id value_integer value_float"),
        ("parameter_values", "time_ns parameter_id value_integer"),
        ("record_attributes", "time_ns attribute_id value_integer"),
        ("samples", "time_ns calling_context_id"),
    ],
)
def test_the_judge_notices_one_value(
    every_record: tuple[Judge, Reading], table: str, columns: str
) -> None:
    judge, sound = every_record
    assert judge.problems_of_loss(sound) == []
    for column in columns.split():
        changed = sound.tables | {table: with_one_more(sound.tables[table], column)}
        assert judge.problems_of_loss(Reading(changed)), column
