"""Reading CSV: the same tables however the text is cut, mixed and quoted; no damage crashes it."""

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.csv_reading import read_text
from tests.helpers.otf2_reading import ReadTrace
from tracemill.base.errors import DamagedTraceError, NotATraceError
from tracemill.readers import open_source
from tracemill.readers.csv import blocks, spill
from tracemill.store.runs import Store

READING = settings(max_examples=30, deadline=None)
NAMES = ["main", 'say "hi"', "a,b", "f(int, char**)", "MPI_Send"]
HEADER = ["Timestamp (ns)", "Event Type", "Name", "Process", "Thread", "Partner"]
ROWS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from("EELLIX"), st.sampled_from(NAMES), st.integers(0, 3)
    ),
    max_size=60,
).filter(lambda rows: any(kind != "L" for _, kind, *_ in rows))  # a leave alone makes no row


@contextmanager
def small_pieces(block_bytes: int, chunk_rows: int) -> Iterator[None]:
    """Blocks and chunks of another size than usual."""
    usual = blocks.BLOCK_BYTES, spill.CHUNK_ROWS
    blocks.BLOCK_BYTES, spill.CHUNK_ROWS = block_bytes, chunk_rows
    try:
        yield
    finally:
        blocks.BLOCK_BYTES, spill.CHUNK_ROWS = usual


def text_of(rows: list[tuple[int, str, str, int]]) -> str:
    """A trace of rows (waiting time, kind, region, location); X leaves what may not be open."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    time, stacks = 0, [[] for _ in range(4)]
    for wait, kind, name, location in rows:
        time += wait
        place = [location // 2, location % 2]
        if kind == "E":
            stacks[location].append(name)
            writer.writerow([time, "Enter", name, *place, ""])
        elif kind == "L" and stacks[location]:
            writer.writerow([time, "Leave", stacks[location].pop(), *place, ""])
        elif kind == "X":
            writer.writerow([time, "Leave", name, *place, ""])
        elif kind == "I":
            writer.writerow([time, "Instant", "MpiSend", *place, 0])
    return out.getvalue()


def read(text: str | bytes, **options: int) -> dict[str, list[dict[str, object]]]:
    with TemporaryDirectory() as folder:
        found = read_text(text, Path(folder), **options)
        return {name: found.records(name) for name in found.tables if name != "runs"}


@READING
@given(
    rows=ROWS, block_bytes=st.integers(60, 400), chunk_rows=st.integers(1, 30),
    threads=st.integers(1, 2),
)  # fmt: skip
def test_tables_do_not_depend_on_pieces_and_threads(
    rows: list[tuple[int, str, str, int]], block_bytes: int, chunk_rows: int, threads: int
) -> None:
    text = text_of(rows)
    expected = read(text)
    with small_pieces(block_bytes, chunk_rows):
        assert read(text, threads=threads) == expected


@READING
@given(rows=ROWS, seed=st.integers(0, 1000))
def test_tables_do_not_depend_on_how_locations_are_mixed(
    rows: list[tuple[int, str, str, int]], seed: int
) -> None:
    header, *lines = text_of(rows).splitlines(keepends=True)
    place = [tuple(line.rsplit(",", 3)[1:3]) for line in lines]
    order = place.copy()
    random.Random(seed).shuffle(order)
    queues = {each: [n for n, p in enumerate(place) if p == each] for each in set(place)}
    mixed = [lines[queues[each].pop(0)] for each in order]
    assert read(header + "".join(mixed)) == read(header + "".join(lines))


# --- Damage --------------------------------------------------------------------------------------

JUNK = [
    b"", b"-1", b"nan", b"1e400", b"99999999999999999999", b"\xff\xfe", b'"', b"a,b", b"\n", b"\0",
    b"Enter", b"Leave", b"More", b"Counter", b"AttributeText", b"MpiCollectiveEnd", b"ThreadFork",
    b"{", b'{"id":-5}', b'{"id":1e99,"members":[1,[2],{}]}', b"Define Region", b"Define Thread",
    b"Define Communicator", b" 7 ", b"4294967296", b"-9223372036854775808",
]  # fmt: skip
SOUND = b"""\
Timestamp (ns),Event Type,Name,Process,Thread,Partner,Communicator,Number,Variable,Value,Definition
0,Define Communicator,c,0,0,,,,,,"{""id"": 0, ""members"": [0, 1]}"
0,Define Communicator,t,0,0,,,,,,"{""id"": 1, ""paradigm"": ""openmp"", ""members"": [0, [0, 1]]}"
0,Define Counter,x,0,0,,,,,,"{""id"": 3}"
0,Define Attribute,y,0,0,,,,,,"{""id"": 9}"
0,Enter,main,0,0,,,,,,
0,Enter,main,1,0,,,,,,
1,More,AttributeText,0,0,,,,9,warm,
2,Instant,MpiSend,0,0,1,0,,,,
3,Instant,MpiRecv,1,0,0,0,,,,
4,Instant,ThreadFork,0,0,,,2,,,
5,Instant,ThreadTeamBegin,0,0,,1,,,,
5,Instant,ThreadTeamBegin,0,1,,1,,,,
6,Enter,!$omp parallel,0,1,,,,,,
7,Instant,Counter,0,1,,,,3,12,
8,Leave,!$omp parallel,0,1,,,,,,
9,Instant,ThreadTeamEnd,0,1,,1,,,,
9,Instant,ThreadTeamEnd,0,0,,1,,,,
9,Instant,ThreadJoin,0,0,,,,,,
10,Leave,main,0,0,,,,,,
10,Leave,main,1,0,,,,,,
"""
LINES = SOUND.count(b"\n")
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["cut", "flip", "swap", "delete", "double", "replace", "replace"]),
        st.integers(1, LINES - 1), st.integers(1, LINES - 1), st.integers(0, 10),
        st.sampled_from(JUNK),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


def damaged(changes: list[tuple[str, int, int, int, bytes]]) -> bytes:
    lines = SOUND.split(b"\n")[:-1]
    for kind, first, second, cell, junk in changes:
        first, second = first % len(lines), second % len(lines)
        if kind == "cut":
            lines[first] = lines[first][: cell * 3]
        elif kind == "flip" and lines[first]:
            changed = bytearray(lines[first])
            changed[cell % len(changed)] ^= 1 << second % 8
            lines[first] = bytes(changed)
        elif kind == "swap":
            lines[first], lines[second] = lines[second], lines[first]
        elif kind == "delete":
            del lines[first]
        elif kind == "double":
            lines.insert(first, lines[first])
        elif kind == "replace":
            cells = lines[first].split(b",")
            cells[cell % len(cells)] = junk
            lines[first] = b",".join(cells)
    return b"\n".join(lines)


def count_of(found: ReadTrace, kind: str) -> int:
    return sum(count for (each, _), count in found.findings().items() if each == kind)


@given(changes=CHANGES)
def test_no_row_is_lost_uncounted(changes: list[tuple[str, int, int, int, bytes]]) -> None:
    """A row is a record, a value or definition that belongs to one, or counted as unreadable."""
    text = damaged(changes)
    with TemporaryDirectory() as folder:
        try:
            found = read_text(text, Path(folder), allow_damaged=True)
        except (NotATraceError, DamagedTraceError):
            return  # the header is damaged, or no row is left
        rows = [line for line in text.split(b"\n")[1:] if line.strip()]
        bad = count_of(found, "unreadable_row")
        records = sum(count for (count,) in found.rows("locations", "record_count"))
        kinds = Counter(row.partition(b",")[2].partition(b",")[0].strip().lower() for row in rows)
        owned = sum(n for kind, n in kinds.items() if kind == b"more" or kind[:6] == b"define")
        assert len(rows) - owned - bad <= records <= len(rows) - bad
        assert len(found.records("visits")) <= kinds[b"enter"]


def test_every_table_keeps_its_contract_when_damaged(tmp_path: Path) -> None:
    """A trace of little but nonsense is read, and is little but findings."""
    file = tmp_path / "trace.csv"
    rows = [f"{at},{word},{word},0,0,,,,,,".encode() for at, word in enumerate("abc")]
    good = b"0,Enter,main,0,0,,,,,,"
    file.write_bytes(b"\n".join([SOUND.split(b"\n")[0], good, *rows, *JUNK]))
    source = open_source(file)
    with Store(tmp_path / "store").begin("run") as sink:
        source.read(sink, run_id="run", threads=1, allow_damaged=True, report=lambda count: None)
        for table in source.tables:
            sink.finish(table)
        (findings,) = sink.files("reading_findings")
        found = {row["kind"]: row["count"] for row in pq.read_table(findings).to_pylist()}
    assert found["unknown_record"] == 3
    assert found["unreadable_row"] > 0
