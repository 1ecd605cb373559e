"""Our decoder of OTF2 files gives, record by record, what the official library gives."""

from pathlib import Path

import pytest

from tests.damage.every_record import write_archive
from tests.helpers.big_endian import write_big_endian
from tests.helpers.otf2_archive import MAPPING_TYPES, TYPES, Event, Trace
from tests.helpers.otf2_reading import read_tables
from tests.helpers.otf2_records import GROUPS, read_records, same_records
from tracemill.base.errors import DamagedTraceError, MissingLibraryError
from tracemill.kernels import records as rec
from tracemill.readers.otf2 import library_definitions
from tracemill.readers.otf2.archive import read_archive

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
ARCHIVES = sorted((ROOT / "data").rglob("*.otf2"))
OTHERS = sorted(
    anchor
    for name in ("traces", "foreign", "fixtures")
    for anchor in SHARED.glob(f"{name}/*/*.otf2")
)


def compare(anchor: Path) -> int:
    """Compare definitions and records, and the fewer records that the survey of calls reads."""
    ours, theirs = read_archive(anchor), read_archive(anchor, uses_library=True)
    assert ours.definitions == theirs.definitions
    for groups in (GROUPS, frozenset[str]()):
        same_records(anchor, groups=groups, only_structure=True, allow_damaged=True)
    return same_records(anchor, allow_damaged=True)


@pytest.mark.parametrize("anchor", ARCHIVES, ids=lambda anchor: anchor.parent.name)
def test_recorded_archives_are_equal(anchor):
    assert compare(anchor)


@pytest.mark.skipif(not OTHERS, reason="the larger traces are not here")
def test_all_other_recorded_archives_are_equal():
    assert all(compare(anchor) for anchor in OTHERS if "x01" not in anchor.parent.name)


# --- Every record, argument and mapping ----------------------------------------------------------

LARGEST = {"B": 0xFF, "W": 0xFFFFFFFF, "Q": (1 << 64) - 1, "L": -1, "T": 1 << 40}
LARGE = {"B": 0xEE, "W": 0xABCDEF, "Q": 0x0123456789ABCD, "L": -(1 << 40), "T": 1 << 33}
ID_MAPS = {
    name: [1_000 * (number + 1) + local for local in range(16)]
    for name, number in MAPPING_TYPES.items()
}
VALUES = {
    "uint8": 0xEE, "int8": -3, "uint16": 0xABCD, "int16": -3, "int32": -3, "int64": -3,
    "float": 1.5, "double": -0.1,
}  # fmt: skip
CLOCK = [(0, 100), (50, 200), (90, 170), (400, 90_000)]


def events_with(values: dict[str, int] | None) -> list[Event]:
    """Every record, with these arguments by their kind, or 1, 2, 3 and so on."""
    events = []
    for number, record in enumerate(rec.RECORDS):
        arguments = tuple(
            values.get(letter, values["W"]) if values else place + 1
            for place, letter in enumerate(record.arguments)
        )
        events.append(Event(5 * number, record.name, arguments))
    return events


def attributes() -> list[Event]:
    """Visits with an attribute of each type, and one with all of them."""
    types = {name: (name, VALUES.get(name, 7)) for name in TYPES}
    events = [Event(n, "Enter", (1,), {2: value}) for n, value in enumerate(types.values())]
    every = dict(enumerate(types.values()))
    return [*events, Event(30, "Leave", (1,), every), Event(31, "MpiRecv", (0, 0, 7, 1), every)]


def metrics() -> list[Event]:
    values = [(kind, VALUES.get(kind, 5)) for kind in ("uint64", "int64", "double")]
    return [
        Event(1, "Metric", (2, [])),
        Event(2, "Metric", (3, values), {1: ("int64", -1)}),
        Event(3, "Metric", (3, values * 85)),
        Event(4, "ProgramBegin", (1, [2, 3])),
    ]


def write_all(folder: Path) -> Path:
    trace = Trace()
    for id_maps in ({}, ID_MAPS):
        for events in (
            events_with(None), events_with(LARGE), events_with(LARGEST), attributes(), metrics(),
        ):  # fmt: skip
            trace.location(events, id_maps=id_maps, clock_offsets=CLOCK if id_maps else ())
    trace.location(events_with(None), clock_offsets=CLOCK[:1])
    trace.define("Attribute", 1, "an attribute", "", TYPES["int64"])
    trace.define("CartDimension", 3, "x", 4, 1)
    trace.define("InterComm", 9, "between", 1, 1, 0, 0)
    return trace.write(folder)


@pytest.mark.parametrize("is_big_endian", [False, True])
@pytest.mark.parametrize("write", [write_all, write_archive])
def test_all_kinds_of_records_are_equal(tmp_path, write, is_big_endian):
    anchor = write(tmp_path)
    before = list(read_records(anchor, uses_library=True))
    assert len(before) > 1
    if is_big_endian:
        write_big_endian(anchor)
        assert list(read_records(anchor, uses_library=True)) == before
    assert compare(anchor) == sum(records.end.record_count for _, records in before)


@pytest.mark.parametrize("rows", [1, 2, 5, 64])
def test_the_size_of_blocks_makes_no_difference(tmp_path, rows):
    """Some records and their attributes are longer than these blocks, which grow then."""
    anchor = write_all(tmp_path)
    whole = list(read_records(anchor, uses_library=False))
    assert list(read_records(anchor, uses_library=False, rows=rows)) == whole


def test_any_number_of_attributes_is_kept(tmp_path):
    trace = Trace()
    many = {number: ("uint32", number) for number in range(5_000)}
    trace.location([Event(0, "Enter", (0,), many), Event(9, "Leave", (0,))])
    trace.define("Attribute", 1, "an attribute", "", TYPES["uint32"])
    ((_, records),) = read_records(trace.write(tmp_path), uses_library=False, rows=100)
    assert list(records.kinds) == [rec.ENTER, *[rec.ATTRIBUTE] * 5_000, rec.LEAVE]
    triples = [value for number in range(5_000) for value in (number, TYPES["uint32"], number)]
    assert list(records.values) == triples


# A table is a record of type 5: regions (3), how many, pairs (1), and an integer of 4 bytes each.
@pytest.mark.parametrize(
    "pairs", [[(0, 1)], [(1, 0), (0, 1)], [(70_000, 1), (5, 0)], [(5, 1), (70_000, 0), (80_000, 1)]]
)
def test_identifiers_are_mapped_by_pairs(tmp_path, pairs):
    trace = Trace()
    trace.region("main")
    trace.region("work")
    found = [0, 1, 2, 5, 60_000, 70_000, 70_001, 80_000, 0xFFFFFFFF]
    trace.location([Event(place, "Enter", (ref,)) for place, ref in enumerate(found)])
    anchor, file = trace.write(tmp_path), tmp_path / "traces" / "0.def"
    numbers = b"".join(b"\x04" + each.to_bytes(4, "little") for pair in pairs for each in pair)
    table = b"\x03\x01" + bytes([len(pairs), 1]) + numbers
    file.write_bytes(file.read_bytes()[:18] + bytes([5, len(table)]) + table + b"\x02\x01")
    assert compare(anchor) == len(found)
    ((_, records),) = read_records(anchor, uses_library=False)
    assert list(records.regions) == [dict(pairs).get(ref, ref) for ref in found]


def test_a_generated_archive_is_equal(tmp_path):
    from tracemill.programs.generate import generate
    from tracemill.programs.language.reading import read_program

    assert compare(
        generate(read_program(ROOT / "tests/bench/programs/mixed.toml"), tmp_path / "out").anchor
    )


# --- Records and fields of later versions --------------------------------------------------------


def patched(tmp_path: Path, old: bytes, new: bytes) -> Path:
    """An archive of two visits and a message, with other bytes in the file of its events."""
    trace = Trace()
    trace.location("0 enter MPI_Send\n 5 MpiSend 1 0 7 64\n 6 leave MPI_Send\n 9 enter main")
    anchor = trace.write(tmp_path)
    (file,) = (tmp_path / "traces").glob("*.evt")
    content = file.read_bytes()
    assert content.count(old) == 1
    file.write_bytes(content.replace(old, new))
    return anchor


SEND = b"\x0e\x07\x01\x01\x00\x01\x07\x01\x40"


@pytest.mark.parametrize(
    "new",
    [
        b"\xc8" + SEND[1:],  # of an unknown type
        b"\xc8\x00",
        b"\x03\x00",
        b"\xc8\xff\x07\0\0\0\0\0\0\0" + SEND[2:],  # with a long length
        b"\x0e\xff\x07\0\0\0\0\0\0\0" + SEND[2:],
        b"\x0e\x0a" + SEND[2:] + b"\x02\x01\x05",  # with further arguments
        b"\x0e\x09\x01\x01\x00\xff\x04\x40\0\0\0",  # with integers of other sizes
        b"\x0e\x09\x04\x01\0\0\0\x00\x00\x01\x40",
    ],
)
def test_unknown_records_and_arguments_are_passed_over(tmp_path, new):
    anchor = patched(tmp_path, SEND, new)
    assert compare(anchor) == 4
    ((_, records),) = read_records(anchor, uses_library=False)
    assert list(records.kinds) == [0, rec.UNKNOWN if new[0] != SEND[0] else 16, 1, 0]


@pytest.mark.parametrize(
    ("new", "what"),
    [
        (b"\x0e\x05" + SEND[2:7], "MpiSend of a wrong length"),
        (b"\x0e\x07\x05" + SEND[3:], "MpiSend of a wrong length"),
    ],
)
def test_arguments_that_do_not_fit_their_record_are_damage(tmp_path, new, what):
    anchor = patched(tmp_path, SEND, new)
    with pytest.raises(DamagedTraceError, match=rf"0\.evt: at byte {18 + 9 + 2}: a record {what}"):
        read_tables(anchor, tmp_path / "spill")
    tables = read_tables(anchor, tmp_path / "spill", allow_damaged=True)
    assert tables["locations"]["record_count"].to_pylist() == [1]


# --- Both readers --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["m29_hybrid", "m31_omp_tasks", "z01_otf2v3_nbc_rma"])
def test_both_readers_write_the_same_tables(tmp_path, name):
    anchor = ROOT / "data" / name / "traces.otf2"
    ours = read_tables(anchor, tmp_path / "spill")
    assert ours == read_tables(anchor, tmp_path / "spill", uses_library=True)


def test_only_the_other_reader_needs_the_library(tmp_path, monkeypatch):
    def none_there() -> None:
        raise MissingLibraryError("no OTF2 library found")

    monkeypatch.setattr(library_definitions, "load_library", none_there)
    anchor = ROOT / "data" / "m01_late_sender" / "traces.otf2"
    assert read_tables(anchor, tmp_path / "spill")["visits"].num_rows
    with pytest.raises(MissingLibraryError, match="no OTF2 library"):
        read_tables(anchor, tmp_path / "spill", uses_library=True)
