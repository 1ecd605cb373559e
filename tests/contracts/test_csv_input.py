"""Bad CSV is refused in one clear line; where damage is allowed it is left out and counted."""

import re
from pathlib import Path

import pytest

from tests.helpers.csv_reading import read_damaged, read_text
from tests.helpers.otf2_reading import read_archive
from tracemill.base.errors import DamagedTraceError, NotATraceError, PipelineError
from tracemill.readers import open_source
from tracemill.readers.csv import blocks

HEADER = "Timestamp (ns),Event Type,Name,Process,Partner\n"
GOOD = "0,Enter,main,0,\n9,Leave,main,0,\n"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("x,Enter,main,0,", r"line 2: Timestamp \(ns\) is 'x', no number of possible size;"),
        (",Enter,main,0,", r"line 2: Timestamp \(ns\) is empty;"),
        ("nan,Enter,main,0,", r"line 2: Timestamp \(ns\) is 'nan', no number"),
        (
            "99999999999999999999,Enter,main,0,",
            r"line 2: Timestamp .* is '99999999999999999999', no",
        ),
        ("1,Enter,main, zero,", "line 2: Process is 'zero', no number of possible size;"),
        ("1,Enter,main,-1,", "line 2: Process is '-1', no number of possible size;"),
        ("1,Enter,main,,", "line 2: Process is empty;"),
        ("1,Enter,main,0,3.5", "line 2: Partner is '3.5', no number of possible size;"),
        ("1,Enter,main,0,\x1b[2J", r"line 2: Partner is '\\x1b\[2J', no number"),
        (f"1,Enter,main,{'ab' * 50},", f"line 2: Process is '{'ab' * 20}…', no number"),
        ("1,Enter,main,0", "line 2: 4 cells where the header has 5"),
        ("1,Enter,main,0,,7", "line 2: 6 cells where the header has 5"),
        ("1;Enter;a,b;0;", "line 2: 2 cells where the header has 5: ';' separates them, and ','"),
        ("1\tEnter\tmain\t0\t", r"line 2: 1 cells .* 5: '\\t' separates them, and ','"),
        ("1,Enter,main;0,", "line 2: 4 cells .* 5: ';' may separate some, and ',' others;"),
        ("1|Enter,main;0,", r"line 2: 3 cells .* 5: ';' and '\|' may separate some, and ',' oth"),
        ('1,Enter,"main;a",0', "line 2: 4 cells where the header has 5;"),
        ('1,Enter,"main,0,', "line 2: a quote is not closed in its line"),
        ("\x00\x01\x02", "line 2: 1 cells"),
    ],
)
def test_an_unreadable_row_is_named_or_left_out(row: str, reason: str, tmp_path: Path) -> None:
    text = f"{HEADER}{row}\n{GOOD}"
    message, found = read_damaged(text, tmp_path)
    assert re.search(reason, message)
    assert str(tmp_path / "trace.csv") in message
    assert "--allow-damaged" in message
    assert found.findings() == {("unreadable_row", None): 1}
    assert found.visits("enter_ns leave_ns") == [(0, 9)]


def test_the_line_is_right_in_later_blocks(tmp_path: Path) -> None:
    rows = "".join(f"{at},Instant,Other,0,\n" for at in range(100_000))  # more than a block
    with pytest.raises(DamagedTraceError, match="line 100002: Process"):
        read_text(f"{HEADER}{rows}1,Enter,main,x,\n{GOOD}", tmp_path)


@pytest.mark.parametrize(
    ("rows", "finding"),
    [
        ("5,Jump,main,0,\n", "unknown_record"),
        ("5,Instant,Marker,0,\n", "unknown_record"),
        ("5,Instant,MpiSend,0,\n", "unknown_record"),  # to whom?
        ("5,Leave,other,0,\n", "mismatched_leave"),
        ("5,Enter,other,0,\n", "unclosed_visit"),
        ("-5,Instant,Other,0,\n", "time_reversal"),
        ("5,Instant,MpiSend,0,7\n", "impossible_id"),
        ("5,Instant,MpiSend,0,-5\n", "unknown_record"),
        ("5,Instant,MpiSend,0,4294967296\n", "unknown_record"),
    ],
)
def test_odd_rows_are_counted(rows: str, finding: str, tmp_path: Path) -> None:
    first, last = GOOD.splitlines(keepends=True)
    found = read_text(HEADER + first + rows + last, tmp_path)
    assert found.findings()[finding, 0] == 1
    assert found.rows("locations", "record_count") == [(3,)]
    assert found.visits("path enter_ns leave_ns")[0] == ("main", 0, 9)


@pytest.mark.parametrize(
    ("enter", "leave"), [("enter", "leave"), ("ENTER", "LEAVE"), (" Enter ", "lEaVe")]
)
def test_the_case_of_event_types_and_columns_does_not_matter(
    enter: str, leave: str, tmp_path: Path
) -> None:
    text = f"timestamp (NS),event type,NAME,process,PARTNER\n0,{enter},a,0,\n9,{leave},a,0,\n"
    found = read_text(f"{text}9,INSTANT,MpiSend,0,0\n", tmp_path)
    assert found.visits("path enter_ns leave_ns") == [("a", 0, 9)]
    assert found.rows("mpi_operations", "kind peer_rank") == [("send", 0)]
    assert found.findings() == {}
    assert found.records("misread_cells") == []


MISREAD = """\
Timestamp (ns),Event Type,Name,Process,Partner,Tag,Operation,Variable,Value
0,Enter,main,0,,,,,
1,Entry,a,0,,,,,

2,Exit,a,0,,,,,
3,Entry,a,0,,,,,
4,Jump,a,0,,,,,
5,Instant,MpiSendd,0,0,,,,
6,Instant,MpiSend,0,,,,,
7,Instant,MpiRecv,0,-5,,,,
8,Instant,MpiSend,0,0,-5,,,
9,Instant,MpiCollectiveEnd,0,,,Barier,,
9,Instant,Counter,0,,,,0,many
9,More,Atribute,0,,,,0,1
10,Leave,main,0,,,,,
"""
MISREAD_CELLS = [  # lines: the header is the first, and one line is empty
    ("Event Type", "Entry", 2, 3, "Enter"),
    ("Event Type", "Exit", 1, 5, "Leave"),
    ("Event Type", "Jump", 1, 7, None),
    ("Name", "MpiSendd", 1, 8, "MpiSend"),
    ("Partner", "", 1, 9, None),
    ("Partner", "-5", 1, 10, None),
    ("Tag", "-5", 1, 11, None),
    ("Operation", "Barier", 1, 12, "barrier"),
    ("Value", "many", 1, 13, None),
    ("Name", "Atribute", 1, 14, "Attribute"),
]


@pytest.mark.parametrize("block_bytes", [50, 170, 400, 1 << 21])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_misread_cells_have_their_line_and_the_nearest_valid_value(
    block_bytes: int, is_damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result depends neither on the size of blocks nor on unreadable rows in them."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    text = MISREAD + ("x,Enter,main,0,,,,,\n" if is_damaged else "")
    found = read_text(text, tmp_path, allow_damaged=is_damaged)
    columns = "column_name cell row_count first_line nearest"
    assert found.rows("misread_cells", columns) == MISREAD_CELLS
    assert set(found.rows("misread_cells", "file")) == {("trace.csv",)}
    # An unknown operation leaves the record; all others are unknown.
    unknown = sum(count for name, _, count, *_ in MISREAD_CELLS if name != "Operation")
    assert found.findings()["unknown_record", 0] == unknown


def test_of_many_misread_cells_fifty_are_listed_and_all_counted(tmp_path: Path) -> None:
    rows = "".join(f"{at},x{at:05d},a,0,\n" for at in range(10_000))
    found = read_text(HEADER + GOOD + rows, tmp_path)
    cells = found.rows("misread_cells", "cell row_count first_line")
    assert cells == [(f"x{at:05d}", 1, 4 + at) for at in range(50)]
    assert found.findings()["unknown_record", 0] == 10_000


@pytest.mark.parametrize("allow_damaged", [False, True])
def test_a_trace_without_a_valid_row_is_refused(allow_damaged: bool, tmp_path: Path) -> None:
    text = f"{HEADER}0,Entry,a,0,\n5,Exit,a,0,\n6,Entry,a,0,\n"
    with pytest.raises(NotATraceError) as raised:
        read_text(text, tmp_path, allow_damaged=allow_damaged)
    assert (
        'none of its 3 rows is understood: Event Type "Entry" in 2 rows, first in line 2 (did you '
        'mean Enter?); Event Type "Exit" in 1 row, first in line 3 (did you mean Leave?); docs'
    ) in str(raised.value)


def test_a_trace_without_a_readable_row_is_refused_even_if_damage_is_allowed(
    tmp_path: Path,
) -> None:
    with pytest.raises(DamagedTraceError, match="none of its rows can be read"):
        read_text(f"{HEADER}x,Enter,a,0,\n", tmp_path, allow_damaged=True)
    graph = "thread,group,depth,name,start,end,duration\nt,g 0,0,a,x,1,1\n"
    with pytest.raises(DamagedTraceError, match="none of its rows can be read"):
        read_text(graph, tmp_path, allow_damaged=True)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "; ", " ; "])
def test_other_separators_of_cells_are_accepted(separator: str, tmp_path: Path) -> None:
    """A name holds every separator, others stay empty at the end of the line."""
    rows = [
        ["Timestamp (s)", "Event Type", "Name", "Process", "Partner", "Tag"],
        ["0.5", "Enter", '"a,b;c\t|d"', "0", "", ""],
        ["1", "Instant", "MpiSend", "0", "0", "7"],
        ["1.5", "Leave", '"a,b;c\t|d"', "0", "", ""],
    ]
    text = "".join(separator.join(row) + "\r\n" for row in rows)
    found = read_text(text, tmp_path)
    assert found.visits("path enter_ns leave_ns") == [("a,b;c\t|d", 500_000_000, 1_500_000_000)]
    assert found.rows("mpi_operations", "peer_rank tag") == [(0, 7)]
    assert found.findings() == {}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_bad_rows_are_found_with_every_separator(separator: str, tmp_path: Path) -> None:
    text = (HEADER + "0,Enter,main,0,\n\n4,Enter,main\n9,Leave,main,0,\n").replace(",", separator)
    message, found = read_damaged(text, tmp_path)
    assert "line 4: 3 cells where the header has 5" in message
    assert found.visits("enter_ns leave_ns") == [(0, 9)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_other_separators_in_call_graphs_are_accepted(separator: str, tmp_path: Path) -> None:
    text = "Thread,Group,Depth,Name,Start Time,End Time,Duration\nt 0,Rank 0,0,main,0.5,2,1.5\n"
    found = read_text(text.replace(",", separator), tmp_path)
    assert found.visits("path enter_ns leave_ns") == [("main", 500_000_000, 2_000_000_000)]


def test_files_of_a_call_graph_share_their_separator(tmp_path: Path) -> None:
    text = "Thread,Group,Depth,Name,Start Time,End Time,Duration\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text(text.replace(",", ";"))
    with pytest.raises(NotATraceError, match="not all of one layout"):
        open_source(tmp_path)


@pytest.mark.parametrize("spaced", [",", ", "])
def test_nanoseconds_keep_every_digit_wherever_their_column_is(spaced: str, tmp_path: Path) -> None:
    text = (
        "Event Type,Name,Process,Timestamp (ns)\n"
        "Enter,main,0,1700000000000000001\nLeave,main,0,1700000000000000003\n"
    ).replace(",", spaced)
    assert read_text(text, tmp_path).visits("enter_ns leave_ns") == [
        (1700000000000000001, 1700000000000000003)
    ]


def test_times_beyond_the_range_of_tables_are_refused(tmp_path: Path) -> None:
    text = f"{HEADER}{1 << 62},Enter,main,0,\n"
    with pytest.raises(DamagedTraceError, match="line 2: Timestamp"):
        read_text(text, tmp_path)


def test_a_quote_in_a_column_that_is_not_read_swallows_no_rows(tmp_path: Path) -> None:
    rows = [f"{at},Enter,f{at},0,{note}" for at, note in enumerate(('"open', "", 'closed"', ""))]
    text = "Timestamp (ns),Event Type,Name,Process,Note\n" + "\n".join(rows) + "\n"
    with pytest.raises(DamagedTraceError, match="line 2: a quote is not closed in its line"):
        read_text(text, tmp_path)


@pytest.mark.parametrize(
    "definition",
    [
        'Define Thread,x,0,"{""kind"": []}"',
        'Define Process,x,0,"{""kind"": {}}"',
        'Define Communicator,x,0,"{""id"": -1}"',
        'Define Region,x,0,"{""id"": 18446744073709551615, ""role"": []}"',
        f'Define Region,x,0,"{{""id"": {"9" * 5000}}}"',
    ],
)
def test_impossible_definitions_do_not_crash_the_reader(definition: str, tmp_path: Path) -> None:
    text = "Timestamp (ns),Event Type,Name,Process,Definition\n"
    text += f"0,{definition}\n" + GOOD
    found = read_text(text, tmp_path, allow_damaged=True)
    assert found.visits("enter_ns leave_ns") == [(0, 9)]


def test_processes_with_the_same_identifier_stay_separate_and_are_counted(tmp_path: Path) -> None:
    text = "Timestamp (ns),Event Type,Name,Process,Definition\n"
    text += "".join(f'0,Define Process,p{at},{at},"{{""id"": 5}}"\n' for at in range(3))
    text += "".join(f"{at},Enter,main,{at},\n" for at in range(3))
    text += "".join(f"9,Leave,main,{at},\n" for at in range(3))
    found = read_text(text, tmp_path)
    assert found.rows("location_groups", "name") == [("p0",), ("p1",), ("p2",)]
    assert found.findings()["repeated_definition", None] == 2


def test_a_first_line_without_end_is_no_header(tmp_path: Path) -> None:
    with pytest.raises(NotATraceError, match="no trace"):
        read_text("x" * 200_000 + "\n", tmp_path)


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        *(
            (f'Define Region,a,0,"{text}"', "Definition is no JSON object")
            for text in ("{", "[]", '""x""', "{" * 5000)
        ),
        ("Define Regoin,a,0,", r"Define Regoin defines nothing known \(did you mean Define Region"),
        ("Define Xyz,a,0,", "Define Xyz defines nothing known: kinds are Trace, Pl"),
        ("Define,a,0,", "Event Type is Define without a kind: Trace, Place, Process, Thread, Reg"),
        ("define ,a,0,", "Event Type is define without a kind: Trace"),
    ],
)
def test_an_invalid_definition_is_named_or_left_out(
    definition: str, reason: str, tmp_path: Path
) -> None:
    """The header is line 1; lines 2 and 4 are sound, line 3 is empty, and line 5 is not sound."""
    text = (
        "Timestamp (ns),Event Type,Name,Process,Definition\n"
        f"0,Define Region,a,0,{{}}\n\n1,Enter,a,0,\n0,{definition}\n2,Leave,a,0,\n"
    )
    message, found = read_damaged(text, tmp_path)
    assert re.search(f"line 5: {reason}", message)
    assert found.findings() == {("unreadable_row", None): 1}
    assert found.visits("enter_ns leave_ns") == [(1, 2)]


def test_definitions_of_one_thing_count_once(tmp_path: Path) -> None:
    text = "Timestamp (ns),Event Type,Name,Process,Definition\n"
    for kind in ("Region", "Communicator", "Counter", "Thread", "Process", "Trace"):
        text += f'0,Define {kind},a,0,"{{""id"": 0}}"\n' * 2
    found = read_text(text + "1,Enter,a,0,\n2,Leave,a,0,\n", tmp_path)
    assert found.findings() == {("repeated_definition", None): 6}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no trace: the file is empty; "),
        ("\r\n" + HEADER, "no trace: the first line is empty; "),
        (GOOD, "no trace: the header is missing: the first line is a row of cells; "),
        ("Master thread,MPI Rank 0,0,main,0.0,1.5,1.5\n", "no trace: the header is missing: the"),
        (HEADER.replace(",Name", ";Name"), "no trace: ',' and ';' separate the cells of the first"),
        (HEADER.replace(",", "\t", 3), r"no trace: '\\t' and ',' separate the cells of the first"),
        ("Timestamp (s),Event Type,Name\n", "no column Process"),
        ("Event Type,Name,Process\n", r"no column Timestamp \(ns\) or Timestamp \(s\)"),
        ("a,b\n1,2\n", "columns present: a, b"),
        ("Timestamp (s),Timestamp (ns),Event Type,Name,Process\n", "the time is given twice"),
        ("Timestamp (s),Event Type,Name,Name,Process\n", "Name is given twice"),
        ("thread,group,depth,name\n", "no column"),
    ],
)
def test_a_header_of_no_known_layout_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(NotATraceError, match=reason) as raised:
        read_text(text, tmp_path)
    assert str(raised.value).count("\n") == 0


def test_parquet_of_another_kind_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(NotATraceError, match="columns present: a"):
        open_source(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1" + b"x" * 40)
    with pytest.raises(DamagedTraceError, match="damaged Parquet file"):
        open_source(tmp_path / "b.parquet")


def test_a_folder_with_files_of_several_layouts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEADER + GOOD)
    (tmp_path / "b.csv").write_text("Thread,Group,Depth,Name,Start Time,End Time,Duration\n")
    with pytest.raises(NotATraceError, match="not all of one layout"):
        open_source(tmp_path)


def test_a_folder_holds_the_files_of_one_trace(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    for process in (0, 1):
        (folder / f"{process}.csv").write_text((HEADER + GOOD).replace(",0,", f",{process},"))
    found = read_archive(folder, tmp_path / "store")
    assert found.rows("locations", "rank record_count") == [(0, 2), (1, 2)]


GRAPH = "thread,group,depth,name,start,end,duration\n"


@pytest.mark.parametrize("allow_damaged", [False, True])
@pytest.mark.parametrize("text", [HEADER, HEADER.rstrip(), f"{HEADER}\n \r\n", GRAPH])
def test_a_header_without_rows_is_refused(text: str, allow_damaged: bool, tmp_path: Path) -> None:
    with pytest.raises(
        NotATraceError, match="no trace: it has a header but no rows; docs/reference/csv"
    ):
        read_text(text, tmp_path, allow_damaged=allow_damaged)


def test_parquet_without_rows_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "a.parquet"
    names = GRAPH.strip().split(",")
    pq.write_table(pa.table({name: pa.array([], pa.string()) for name in names}), file)
    with pytest.raises(NotATraceError, match="no trace: it has a header but no rows"):
        read_archive(file, tmp_path / "store")


def test_a_trace_may_define_what_it_has_no_records_of(tmp_path: Path) -> None:
    found = read_text(f"{HEADER}0,Define Process,rank 0,0,\n", tmp_path)
    assert found.rows("runs", "record_count source_format") == [(0, "csv")]


def test_a_folder_may_hold_files_without_rows(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    (folder / "0.csv").write_text(HEADER)
    (folder / "1.csv").write_text(HEADER + GOOD)
    assert read_archive(folder, tmp_path / "store").visits("enter_ns") == [(0,)]


def test_csv_needs_no_otf2_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tracemill.readers.otf2 import library

    def none_there() -> None:
        raise PipelineError("the library was asked for")

    monkeypatch.setattr(library, "load_library", none_there)
    assert read_text(HEADER + GOOD, tmp_path).visits("enter_ns") == [(0,)]
