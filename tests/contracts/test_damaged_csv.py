"""Damage to CSV that once lost rows in silence, made up values or crashed the reader."""

import gzip
from pathlib import Path

import pytest

from tests.helpers.csv_reading import read_damaged, read_text
from tests.helpers.otf2_reading import ReadTrace
from tracemill.base.errors import DamagedTraceError, NotATraceError

HEADER = "Timestamp (ns),Event Type,Name,Process,Partner\n"
GOOD = "0,Enter,main,0,\n9,Leave,main,0,\n"
VALUES = "Timestamp (ns),Event Type,Name,Process,Variable,Value,Definition\n"
GRAPH = "Thread,Group,Depth,Name,Start Time,End Time,Duration\n"
VISIT = "Master thread,MPI Rank 0,0,main,0,1,1\n"


def read(text: str | bytes, folder: Path) -> ReadTrace:
    return read_text(text, folder, allow_damaged=True)


def refused(text: str | bytes, folder: Path) -> str:
    """The message when damage is not allowed."""
    with pytest.raises(DamagedTraceError) as raised:
        read_text(text, folder)
    return str(raised.value)


# --- Quotes and ends of lines ---------------------------------------------------------------------


def test_a_quote_within_a_cell_belongs_to_it_also_beside_bad_rows(tmp_path: Path) -> None:
    """Only a cell that begins with a quote ends with one; the last row is no row."""
    rows = '0,Enter,5" disk,0,\n9,Leave,5" disk,0,\n'
    found = read(f"{HEADER}{rows}x\n", tmp_path)
    assert found.visits("path enter_ns leave_ns") == [('5" disk', 0, 9)]
    assert found.findings() == {("unreadable_row", None): 1}


@pytest.mark.parametrize("line", ['0,En"ter,"main,0,', '0,Enter,main,0,"', '0,"Enter,main"",0,'])
def test_an_open_quote_loses_only_its_line(line: str, tmp_path: Path) -> None:
    message, found = read_damaged(f"{HEADER}{GOOD[:16]}{line}\n{GOOD[16:]}", tmp_path)
    assert "line 3: a quote is not closed in its line" in message
    assert found.visits("enter_ns leave_ns is_closed") == [(0, 9, True)]
    assert found.findings() == {("unreadable_row", None): 1}


def test_a_file_may_break_off_within_quotes(tmp_path: Path) -> None:
    text = VALUES + '0,Enter,main,0,,,\n9,Leave,main,0,,,\n0,Define Region,main,0,,,"{""id"": 0'
    assert "line 4: a quote is not closed" in refused(text, tmp_path)


@pytest.mark.parametrize("separator", [",", ", "])
def test_a_carriage_return_within_a_line_ends_no_row(separator: str, tmp_path: Path) -> None:
    text = HEADER + GOOD.replace("main", '"main"').replace("\n", "\r", 1)
    message = refused(text.replace(",", separator), tmp_path)
    assert "line 2: 9 cells where the header has 5" in message


# --- Numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", ["0x9,Leave,main,0,", "9,Leave,main,0x0,", "9,Leave,main,0,0X1", "9,Leave,main,0,+-1"]
)
def test_numbers_are_decimal(row: str, tmp_path: Path) -> None:
    assert "line 3: " in refused(f"{HEADER}0,Enter,main,0,\n{row}\n", tmp_path)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("-9223372036854775808", -(1 << 63)), ("9223372036854775807", (1 << 63) - 1), ("+5", 5),
        ("0" * 40, 0), ("-0000000000000000000007", -7), (" 7 ", 7),
    ],
)  # fmt: skip
@pytest.mark.parametrize("beside", ["", "x\n"])
def test_an_integer_is_the_same_beside_a_bad_row(
    cell: str, value: int, beside: str, tmp_path: Path
) -> None:
    text = "Timestamp (ns),Event Type,Name,Process,Request\n"
    found = read(f"{text}5,Instant,MpiIsendComplete,0,{cell}\n{beside}", tmp_path)
    assert found.rows("mpi_operations", "request_id") == [(value,)]


def test_names_may_look_like_hexadecimal_numbers(tmp_path: Path) -> None:
    found = read_text(HEADER + GOOD.replace("main", "0x7f3a"), tmp_path)
    assert found.visits("path enter_ns leave_ns") == [("0x7f3a", 0, 9)]


@pytest.mark.parametrize(
    "record",
    [
        "Instant,BufferFlush,0,,94.5,", "Instant,MeasurementOnOff,0,,off,",
        "Instant,ParameterInt,0,1,1e3,", "Instant,Counter,0,3,1_000,", "Instant,Counter,0,3,,",
        "Instant,Counter,0,3,\u0663,", "More,Attribute,0,9,x,",
    ],
)  # fmt: skip
def test_a_value_that_is_no_number_makes_an_unknown_record(record: str, tmp_path: Path) -> None:
    text = VALUES + '0,Define Counter,c,0,,,"{""id"": 3}"\n0,Define Attribute,a,0,,,"{""id"": 9}"\n'
    text += '0,Define Parameter,p,0,,,"{""id"": 1}"\n'
    found = read_text(f"{text}0,Enter,main,0,,,\n5,{record}\n9,Leave,main,0,,,\n", tmp_path)
    assert found.findings() == {("unknown_record", 0): 1}
    for table in ("measurement_gaps", "parameter_values", "counter_values", "record_attributes"):
        assert found.records(table) == []


def test_a_sample_needs_no_value(tmp_path: Path) -> None:
    """Context 1 is not defined, which is counted."""
    text = VALUES + '0,Define Context,main,0,,,"{""id"": 0}"\n0,Enter,main,0,,,\n'
    text += "3,Instant,CallingContextSample,0,0,,\n4,Instant,CallingContextSample,0,1,,\n"
    found = read_text(text + "9,Leave,main,0,,,\n", tmp_path)
    assert found.rows("samples", "sequence calling_context_id") == [(1, 0), (2, None)]
    assert found.findings() == {("impossible_id", 0): 1}


# --- Values that follow a record ------------------------------------------------------------------


def test_a_record_has_each_counter_at_most_once(tmp_path: Path) -> None:
    """The second value of counter 3 is a record of its own, to which the next belongs."""
    text = VALUES + '0,Define Counter,c,0,,,"{""id"": 3}"\n0,Define Counter,d,0,,,"{""id"": 4}"\n'
    text += "1,Instant,Counter,0,3,10,\n"
    text += "".join(f"1,More,Counter,0,{c},{v},\n" for c, v in ((4, 11), (3, 12), (4, 13)))
    found = read_text(text, tmp_path)
    assert found.rows("counter_values", "sequence counter_id value_integer") == [
        (0, 0, 10), (0, 1, 11), (1, 0, 12), (1, 1, 13),
    ]  # fmt: skip
    assert found.rows("locations", "record_count") == [(2,)]


def test_an_attribute_between_counters_is_no_value_of_one(tmp_path: Path) -> None:
    text = VALUES + '0,Define Counter,c,0,,,"{""id"": 3}"\n0,Define Counter,d,0,,,"{""id"": 4}"\n'
    text += '0,Define Attribute,a,0,,,"{""id"": 9}"\n1,Instant,Counter,0,3,10,\n'
    text += "1,More,Attribute,0,9,77,\n1,More,Counter,0,4,11,\n"
    found = read_text(text, tmp_path)
    assert found.rows("counter_values", "sequence counter_id value_integer") == [
        (0, 0, 10), (1, 1, 11),
    ]  # fmt: skip
    assert found.rows("record_attributes", "sequence value_integer") == [(0, 77)]


def test_a_record_has_each_attribute_at_most_once(tmp_path: Path) -> None:
    text = VALUES + '0,Define Attribute,a,0,,,"{""id"": 9}"\n0,Enter,main,0,,,\n'
    text += "0,More,Attribute,0,9,1,\n0,More,Attribute,0,9,2,\n9,Leave,main,0,,,\n"
    found = read_text(text, tmp_path)
    assert found.rows("record_attributes", "sequence value_integer") == [(0, 1)]
    assert found.findings() == {("unknown_record", 0): 1}


# --- Definitions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Process", "Thread"])
def test_an_impossible_identifier_is_counted(kind: str, tmp_path: Path) -> None:
    text = f'{VALUES}0,Define {kind},a,0,,,"{{""id"": -1}}"\n'
    found = read_text(text + "0,Enter,main,0,,,\n9,Leave,main,0,,,\n", tmp_path)
    assert found.findings() == {("impossible_id", None): 1}
    assert found.rows("locations", "source_ref rank") == [(0, 0)]


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("Region", "begin_line", -(1 << 63)), ("Region", "end_line", 1 << 63),
        ("Source", "line", -1), ("Counter", "exponent", 1 << 63),
    ],
)  # fmt: skip
def test_a_property_beyond_the_range_of_its_column_is_counted(
    kind: str, name: str, value: int, tmp_path: Path
) -> None:
    text = f'{VALUES}0,Define {kind},a,0,,,"{{""{name}"": {value}}}"\n'
    found = read_text(text + "0,Enter,a,0,,,\n9,Leave,a,0,,,\n", tmp_path)
    assert found.findings() == {("impossible_id", None): 1}


def test_the_first_definition_of_a_place_counts(tmp_path: Path) -> None:
    text = VALUES
    for name, rank in (("first", 3), ("second", 4)):
        text += f'0,Define Process,{name},0,,,"{{""rank"": {rank}}}"\n0,Define Thread,{name},0,,,\n'
    found = read_text(text + "0,Enter,main,0,,,\n9,Leave,main,0,,,\n", tmp_path)
    assert found.rows("locations", "name rank") == [("first", 3)]
    assert found.rows("location_groups", "name") == [("first",)]
    assert found.findings() == {("repeated_definition", None): 2}


@pytest.mark.parametrize("text", [HEADER + GOOD, GRAPH + VISIT], ids=["events", "call graph"])
def test_names_that_are_no_text_have_replacements_and_are_counted(
    text: str, tmp_path: Path
) -> None:
    found = read_text(text.encode().replace(b"main", b"caf\xe9"), tmp_path)
    assert found.rows("regions", "name") == [("caf\\xe9",)]
    assert found.findings() == {("invalid_text", None): 1}


def test_half_a_character_in_a_definition_is_replaced_and_counted(tmp_path: Path) -> None:
    text = VALUES + r'0,Define Region,main,0,,,"{""file"": ""\ud800""}"' + "\n"
    text += r'0,Define Trace,,0,,,"{""creator"": ""\ud800""}"' + "\n"
    found = read_text(text + "0,Enter,main,0,,,\n9,Leave,main,0,,,\n", tmp_path)
    assert found.rows("regions", "file") == [("\\ud800",)]
    assert found.rows("runs", "creator") == [("\\ud800",)]
    assert found.findings() == {("invalid_text", None): 2}


# --- Headers and compressed files -----------------------------------------------------------------


def test_a_header_with_an_open_quote_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotATraceError, match="a quote is not closed in its first line"):
        read_text(HEADER.replace("Partner", '"Partner') + GOOD, tmp_path)


def test_the_message_about_a_strange_header_is_printable(tmp_path: Path) -> None:
    with pytest.raises(NotATraceError) as raised:
        read_text((HEADER * 9).replace("\n", ",").encode("utf-32"), tmp_path)
    text = str(raised.value)
    assert len(text) < 600
    assert text.isprintable()


def test_everything_before_the_damage_is_decompressed(tmp_path: Path) -> None:
    """A stored block of 1,000 rows, then one of rubbish: whole rows are read up to there."""
    rows = "".join(f"{at},Instant,Other,0,\n" for at in range(1_000))
    packed = gzip.compress((HEADER + rows).encode(), compresslevel=0, mtime=0)
    broken = packed[:-8] + b"\xff" * 100
    assert "cannot be decompressed to its end" in refused(broken, tmp_path)
    cut = packed[: len(packed) // 2]
    message, found = read_damaged(cut, tmp_path)
    assert "cannot be decompressed to its end" in message
    text = cut[packed.index(b"Timestamp") :]
    assert found.findings()["cut_input", None] == 1
    assert found.rows("locations", "record_count") == [(text.count(b"\n") - 1,)]


def test_a_file_that_cannot_be_decompressed_at_all_is_damaged(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress((HEADER + GOOD).encode(), mtime=0))
    packed[10] = 0xFF  # the kind of the first block
    assert "nothing of it can be decompressed" in refused(bytes(packed), tmp_path)


# --- Call graphs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('Master thread,MPI Rank 0,1,"foo,0.1,0.2,0.1', "line 3: a quote is not closed"),
        ("# a remark", "line 3: 1 cells where the header has 7"),
        ("Master thread,MPI Rank 0,1,foo,0.1,0.2,0.1,x", "line 3: 8 cells where the header has 7"),
        ("Master thread,MPI Rank 0,1.5,foo,0.1,0.2,0.1", "line 3: Depth is '1.5', no number"),
        ("Master thread,MPI Rank 0,0x1,foo,0.1,0.2,0.1", "line 3: Depth is '0x1', no number"),
        ("Master thread,MPI Rank 0,1,foo,0_1,0.2,0.1", "line 3: Start Time is '0_1', no num"),
        ("Master thread,MPI Rank 0,1,foo,0.1,nan,0.1", "line 3: End Time is 'nan', no number"),
        ("Master thread,MPI Rank 0,1,foo,,0.2,0.1", "line 3: Start Time is empty;"),
    ],
)
def test_an_unreadable_row_of_a_call_graph_is_named_or_left_out(
    row: str, reason: str, tmp_path: Path
) -> None:
    message, found = read_damaged(f"{GRAPH}{VISIT}{row}\n{VISIT}", tmp_path)
    assert reason in message
    assert len(found.visits("path")) == 2
    assert found.findings()["unreadable_row", None] == 1


@pytest.mark.parametrize("level", [0, 9])
def test_a_cut_compressed_call_graph_is_refused_or_counted(level: int, tmp_path: Path) -> None:
    visits = "".join(VISIT.replace("0,1,1", f"{at},{at + 1},1") for at in range(2_000))
    packed = gzip.compress((GRAPH + visits).encode(), compresslevel=level, mtime=0)
    cut = packed[: len(packed) // 2]
    message, found = read_damaged(cut, tmp_path)
    assert "cannot be decompressed to its end" in message
    assert found.findings()["cut_input", None] == 1


@pytest.mark.parametrize("doubled", ["Name", "start"])
def test_a_repeated_column_of_a_call_graph_is_refused(doubled: str, tmp_path: Path) -> None:
    text = GRAPH.replace("Duration", doubled) + VISIT
    with pytest.raises(NotATraceError, match=f"{doubled.lower()} is given twice"):
        read_text(text, tmp_path)
