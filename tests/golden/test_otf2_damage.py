"""Damaged event files: the message names the damage, and the rest can be read."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.otf2_archive import CHUNK_BYTES, Event, Trace, trace_of
from tests.helpers.otf2_reading import ReadTrace
from tracemill.base.errors import DamagedTraceError

# A chunk begins with its kind, the byte order, and the numbers of its first and last event. The
# events of the long location take 12 bytes each: 9 for the time, 3 for enter or leave.
HEADER_BYTES, EVENT_BYTES = 18, 12
DECLARED = 70_000
IN_A_CHUNK = (CHUNK_BYTES - HEADER_BYTES) // EVENT_BYTES


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Location 0 with four chunks of events: visits of `work`, each a tick long; and a short 1."""
    trace = Trace()
    trace.region("main")
    trace.region("work")
    ends = ("Enter", "Leave")
    trace.location([Event(n, ends[n % 2], ("work",)) for n in range(DECLARED)])
    trace.location("0 enter main\n 9 leave main")
    folder = tmp_path_factory.mktemp("whole") / "archive"
    trace.write(folder)
    return folder


@pytest.fixture
def damaged(archive, tmp_path):
    return shutil.copytree(archive, tmp_path / "damaged")


def content_of(archive) -> bytes:
    return (archive / "traces" / "0.evt").read_bytes()


def damage(archive, content: bytes):
    """Give the long location another file; returns the anchor."""
    (archive / "traces" / "0.evt").write_bytes(content)
    return archive / "traces.otf2"


@pytest.fixture
def read_damaged(read) -> Callable[..., ReadTrace]:
    """Check the message that refuses a damaged trace; return what is readable of it."""

    def find(anchor: Path, message: str) -> ReadTrace:
        with pytest.raises(DamagedTraceError, match=message):
            read.again(anchor)
        found: ReadTrace = read.again(anchor, allow_damaged=True)
        return found

    return find


def test_the_whole_archive_has_four_chunks(read, archive):
    content = content_of(archive)
    chunks = [content[place : place + 18] for place in range(0, len(content), CHUNK_BYTES)]
    bounds = [struct.unpack("<QQ", chunk[2:]) for chunk in chunks]
    assert bounds == [
        (n * IN_A_CHUNK + 1, min((n + 1) * IN_A_CHUNK, DECLARED)) for n in range(len(chunks))
    ]
    assert len(chunks) == 4
    tables = read.again(archive / "traces.otf2")
    assert tables.rows("locations", "record_count is_complete") == [(DECLARED, True), (2, True)]


# All whole records before the cut can be read; 100,000 bytes of a chunk hold 8,331 of them, and
# the last chunk 1,000 bytes earlier 84 fewer.
@pytest.mark.parametrize(
    ("size", "readable"),
    [
        (0, 0),
        (10, 0),
        (HEADER_BYTES, 0),
        (HEADER_BYTES + 100 * EVENT_BYTES, 100),
        (HEADER_BYTES + 100 * EVENT_BYTES + 5, 100),
        (HEADER_BYTES + 100 * EVENT_BYTES + 11, 100),
        (CHUNK_BYTES, IN_A_CHUNK),
        (CHUNK_BYTES + 10, IN_A_CHUNK),
        (CHUNK_BYTES + HEADER_BYTES, IN_A_CHUNK),
        (CHUNK_BYTES + 100_000, IN_A_CHUNK + 8_331),
        (2 * CHUNK_BYTES, 2 * IN_A_CHUNK),
        (2 * CHUNK_BYTES + 5, 2 * IN_A_CHUNK),
        (2 * CHUNK_BYTES + 100_000, 2 * IN_A_CHUNK + 8_331),
        (3 * CHUNK_BYTES, 3 * IN_A_CHUNK),
        (-1_000, DECLARED - 84),
        (-14, DECLARED - 1),
    ],
)
def test_a_cut_file_is_read_up_to_its_last_certain_record(read_damaged, damaged, size, readable):
    content = content_of(damaged)[:size]
    anchor = damage(damaged, content)
    header = len(content) // CHUNK_BYTES * CHUNK_BYTES
    where = f"has a damaged chunk header at byte {header}"
    if not 0 < len(content) - header < HEADER_BYTES:
        where = f"is cut short at byte {len(content)}"
    tables = read_damaged(anchor, rf"/0\.evt {where}")
    assert tables.rows("locations", "record_count is_complete") == [(readable, False), (2, True)]
    whole = readable // 2
    query = "SELECT count(*), max(leave_ns) FROM visits WHERE is_closed AND location_id = 0"
    assert tables.sql(query, "visits") == [(whole, 2 * whole - 1 if whole else None)]
    expected = {("missing_records", 0): DECLARED - readable}
    if readable % 2:
        expected["unclosed_visit", 0] = 1
    if not readable:
        expected["missing_location", 0] = 1
    assert tables.findings() == expected


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (0, 2, 3), (0, 1, 1, 2, 3), (1, 2, 3)])
def test_chunks_must_follow_each_other(read, damaged, order):
    """Chunks exchanged, lost or repeated: only those before are certain."""
    content = content_of(damaged)
    chunks = [content[place : place + CHUNK_BYTES] for place in range(0, len(content), CHUNK_BYTES)]
    anchor = damage(damaged, b"".join(chunks[n] for n in order))
    certain = next((n for n, chunk in enumerate(order) if n != chunk), len(order))
    where = rf"0\.evt has a damaged chunk header at byte {certain * CHUNK_BYTES};"
    with pytest.raises(DamagedTraceError, match=where):
        read.again(anchor)
    if certain:
        tables = read.again(anchor, allow_damaged=True)
        row = tables.rows("locations", "record_count is_complete")[0]
        assert row == (certain * IN_A_CHUNK, False)


@pytest.mark.parametrize("place", [CHUNK_BYTES, CHUNK_BYTES + 1, CHUNK_BYTES + 4])
def test_a_damaged_chunk_header_is_noticed(read_damaged, damaged, place):
    content = bytearray(content_of(damaged))
    content[place] ^= 0x55
    anchor = damage(damaged, bytes(content))
    tables = read_damaged(anchor, r"0\.evt has a damaged chunk header")
    assert tables.rows("locations", "record_count")[0] == (IN_A_CHUNK,)


# Zeros are the end of a chunk, after which nothing may follow. 0c 77 is an enter without time, with
# a region of 119 bytes.
@pytest.mark.parametrize(
    ("damage_bytes", "what"),
    [
        (b"\x00" * 12_000, "bytes that are no record"),
        (b"\x0c\x77" * 2_000, "a record Enter of a wrong length"),
    ],
)
def test_reading_ends_at_a_damaged_record(read_damaged, damaged, damage_bytes, what):
    content = bytearray(content_of(damaged))
    place = HEADER_BYTES + 100 * EVENT_BYTES
    content[place : place + len(damage_bytes)] = damage_bytes
    anchor = damage(damaged, bytes(content))
    message = rf"0\.evt is damaged after 100 events, at byte {18 + 100 * 12}: {what}; copy"
    tables = read_damaged(anchor, message)
    assert tables.rows("locations", "record_count is_complete")[0] == (100, False)
    assert tables.findings() == {("missing_records", 0): DECLARED - 100}


# The chunks of the file number their events, and the file has its end: it is whole.
@pytest.mark.parametrize(
    ("declared", "contradiction"),
    [
        (0, "more_records_than_announced"),
        (3, "more_records_than_announced"),
        (5, None),
        (9, "fewer_records_than_announced"),
    ],
)
def test_a_whole_file_is_read_whatever_number_of_events_is_announced(read, declared, contradiction):
    events = "0 enter main\n 1 enter a\n 2 leave a\n 3 leave main\n 4 enter main"
    trace = Trace()
    trace.location(events, declared=declared)
    for allow_damaged in (False, True):
        tables = read(trace, allow_damaged=allow_damaged)
        columns = "declared_count record_count visit_count is_complete"
        assert tables.one("locations", columns) == (declared, 5, 3, True)
        expected = {("unclosed_visit", 0): 1}
        if contradiction:
            expected[contradiction, 0] = 1
        assert tables.findings() == expected


# APEX announces 13 events for each of five locations whose files hold 115,638 in all.
def test_all_chunks_are_read_although_few_events_are_announced(read, tmp_path):
    trace, ends, counts = Trace(), ("Enter", "Leave"), (70_000, 45_600, 20, 16, 2)
    for count in counts:
        trace.location([Event(n, ends[n % 2], ("work",)) for n in range(count)], declared=13)
    trace.location(declared=13)
    anchor = trace.write(tmp_path / "apex")
    (tmp_path / "apex" / "traces" / "5.evt").unlink()
    for threads in (1, 2):
        tables = read.again(anchor, threads=threads)
        assert tables.rows("locations", "record_count is_complete") == [
            *((count, True) for count in counts), (0, False),
        ]  # fmt: skip
        assert tables.one("runs", "record_count") == (115_638,)
        assert tables.sql("SELECT count(*) FROM visits", "visits") == [(115_638 // 2,)]
        more = {("more_records_than_announced", n): 1 for n in range(4)}
        assert tables.findings() == more | {
            ("fewer_records_than_announced", 4): 1,
            ("missing_location", 5): 1,
            ("missing_records", 5): 13,
        }


def test_a_missing_event_file_is_a_missing_location(read, damaged):
    (damaged / "traces" / "0.evt").unlink()
    tables = read.again(damaged / "traces.otf2")
    assert tables.rows("locations", "record_count is_complete") == [(0, False), (2, True)]
    assert tables.findings() == {("missing_location", 0): 1, ("missing_records", 0): DECLARED}
    assert tables.visits("location_id path") == [(1, "main")]


# Identifiers and times of a location might mean something else without its definitions.
@pytest.mark.parametrize("content", [None, b"", b"\x03\x42", b"no OTF2 definitions"])
def test_without_sound_local_definitions_a_location_cannot_be_read(read_damaged, damaged, content):
    file = damaged / "traces" / "0.def"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    tables = read_damaged(damaged / "traces.otf2", r"0\.def.*; copy the archive again")
    assert tables.rows("locations", "record_count")[0] == (0,)
    assert tables.findings() == {("missing_location", 0): 1, ("missing_records", 0): DECLARED}


def test_definitions_of_a_location_are_none_of_the_trace(read, damaged):
    shutil.copyfile(damaged / "traces" / "0.def", damaged / "traces.def")
    with pytest.raises(DamagedTraceError, match=r"/traces\.def defines none of 2 locations; copy"):
        read.again(damaged / "traces.otf2", allow_damaged=True)


# A mapping table, of type 3 (regions): two numbers as a list (0), 1 and 0.
@pytest.mark.parametrize(
    ("place", "value", "what"),
    [
        (4, 7, "a mapping table of mode 7"),
        (3, 9, "a mapping table of 9 numbers"),
        (5, 9, "numbers of a mapping table do not fit"),
        (0, 200, "a record or field is cut"),
    ],
)
def test_damaged_local_definitions_are_found(read, tmp_path, place, value, what):
    trace = Trace()
    trace.region("main")
    trace.region("work")
    trace.location("0 enter 0\n 9 leave 0", id_maps={"region": [1, 0]})
    anchor = trace.write(tmp_path / "archive")
    file = tmp_path / "archive" / "traces" / "0.def"
    content = bytearray(file.read_bytes())
    table = b"\x05\x07\x03\x01\x02\x00\x01\x01\x00"
    assert content[HEADER_BYTES:] == table + b"\x02\x01"
    content[HEADER_BYTES + 1 + place] = value
    file.write_bytes(content)
    with pytest.raises(DamagedTraceError, match=rf"/0\.def .* at byte \d+: {what}; copy"):
        read.again(anchor)


def test_a_location_without_events_needs_no_files(read, tmp_path):
    trace = trace_of("0 enter main\n 9 leave main")
    trace.location()
    anchor = trace.write(tmp_path / "idle")
    for name in ("1.evt", "1.def"):
        (tmp_path / "idle" / "traces" / name).unlink()
    tables = read.again(anchor)
    assert tables.rows("locations", "record_count is_complete") == [(2, True), (0, True)]
    assert tables.findings() == {}


def test_an_archive_without_any_event_file_is_damaged(read_damaged, damaged):
    for name in ("0.evt", "1.evt"):
        (damaged / "traces" / name).unlink()
    message = r"0\.evt is missing \(and 1 more location\); copy"
    tables = read_damaged(damaged / "traces.otf2", message)
    assert tables.rows("locations", "record_count is_complete") == [(0, False), (0, False)]


def test_every_damaged_location_is_counted(read_damaged, damaged):
    (damaged / "traces" / "1.evt").write_bytes(b"")
    damage(damaged, content_of(damaged)[: 2 * CHUNK_BYTES])
    message = r"0\.evt is cut short at byte 524288 \(and 1 more location\)"
    tables = read_damaged(damaged / "traces.otf2", message)
    assert tables.findings() == {
        ("missing_records", 0): DECLARED - 2 * IN_A_CHUNK,
        ("missing_location", 1): 1,
        ("missing_records", 1): 2,
    }


# The last record, an end of team 3, is 38 02 01 03; after it comes the end of the file, 02 01. Cut
# by three bytes the file ends as if it were whole.
def test_bytes_of_a_cut_record_are_no_end_of_a_file(read_damaged, tmp_path):
    trace = Trace()
    trace.team(3, [0])
    trace.location("0 enter main\n 8 leave main\n 9 ThreadTeamEnd 3")
    anchor = trace.write(tmp_path / "archive")
    events = tmp_path / "archive" / "traces" / "0.evt"
    content = events.read_bytes()
    assert content.endswith(b"\x38\x02\x01\x03\x02\x01")
    events.write_bytes(content[:-3])
    tables = read_damaged(anchor, r"0\.evt is cut short")
    assert tables.one("locations", "record_count is_complete") == (2, False)


def test_a_file_without_its_end_is_incomplete_even_with_all_events(read_damaged, damaged):
    anchor = damage(damaged, content_of(damaged)[:-1])
    tables = read_damaged(anchor, r"0\.evt is cut short")
    assert tables.rows("locations", "record_count is_complete")[0] == (DECLARED, False)


def test_a_record_that_is_lost_in_the_last_chunk_is_missed(read_damaged, damaged):
    content = bytearray(content_of(damaged))
    del content[-2 - EVENT_BYTES : -2]
    anchor = damage(damaged, bytes(content))
    message = f"holds {DECLARED - 1} events where its last chunk announces {DECLARED}"
    tables = read_damaged(anchor, message)
    assert tables.findings() == {("missing_records", 0): 1, ("unclosed_visit", 0): 1}


def test_more_announced_events_than_fit_into_a_file_are_an_error(read):
    trace = Trace()
    trace.location("0 enter main\n 9 leave main", declared=1 << 60)
    anchor = trace.write(read.next_folder())
    for allow_damaged in (False, True):
        with pytest.raises(DamagedTraceError, match="announces 1152921504606846976 events"):
            read.again(anchor, allow_damaged=allow_damaged)


# In an anchor file the sizes of chunks stand at bytes 12 and 20. From byte 46 on follow machine,
# creator and description, and the number of properties: here after "\0test\0\0", at byte 53.
@pytest.mark.parametrize(("place", "what"), [(15, "chunks of"), (23, "chunks of"), (56, "propert")])
def test_impossible_sizes_in_an_anchor_file_are_an_error(read, damaged, place, what):
    anchor = damaged / "traces.otf2"
    content = bytearray(anchor.read_bytes())
    assert content[46:57] == b"\0test\0\0\0\0\0\0"
    content[place] = 0x40
    anchor.write_bytes(content)
    with pytest.raises(DamagedTraceError, match=f"this anchor file is damaged .*{what}"):
        read.again(anchor, allow_damaged=True)


# The library then reports that it opened the file, but has not read its content.
def test_an_anchor_file_without_the_mark_of_its_end_is_damaged(read, damaged):
    anchor = damaged / "traces.otf2"
    content = anchor.read_bytes()
    assert content.endswith(b"\x02\x01\x00")
    anchor.write_bytes(content[:-3] + b"\x55\x01\x00")
    with pytest.raises(DamagedTraceError, match=r"traces\.otf2: this anchor file is damaged"):
        read.again(anchor, allow_damaged=True)
