"""Call graphs as fastotf2 writes them: a row per visit, in seconds, with open ends."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.helpers.otf2_reading import ReadTrace, read_archive
from tracemill.base.errors import DamagedTraceError

HEADER = "Thread,Group,Depth,Name,Start Time,End Time,Duration\n"
#         0        0.1      0.2      0.3      0.4        1 s
# rank 1  [main                                         ]
#                  [foo              ]        [foo ......
#                  [bar     ]
VISITS = """\
Master thread,MPI Rank 1,0,"main(int, char**)",0.000000000000000,1.000000000000000,1.0
Master thread,MPI Rank 1,1,"foo",0.400000000000000,inf,inf
Master thread,MPI Rank 1,2,"bar",0.100000000000000,0.200000000000000,0.1
Master thread,MPI Rank 1,1,"foo",0.100000000000000,0.300000000000000,0.2
"""
MAIN = "main(int, char**)"
# main itself: 1 s less 0.2 and 0.6; the second foo ends with the last record.
EXPECTED = [
    (MAIN, 0, 1_000_000_000, 200_000_000, True),
    (f"{MAIN}/foo", 100_000_000, 300_000_000, 100_000_000, True),
    (f"{MAIN}/foo/bar", 100_000_000, 200_000_000, 100_000_000, True),
    (f"{MAIN}/foo", 400_000_000, 1_000_000_000, 600_000_000, False),
]
COLUMNS = "path enter_ns leave_ns exclusive_ns is_closed"


def read(path: Path, **options: bool) -> ReadTrace:
    return read_archive(path, path.parent, **options)


def test_visits_are_unfolded_in_order_of_begin_and_depth(tmp_path: Path) -> None:
    file = tmp_path / "rank.csv"
    file.write_text(HEADER + VISITS)
    found = read(file)
    assert found.visits(COLUMNS) == EXPECTED
    # The second foo is never left, so main is left from inside it.
    assert found.findings() == {("unclosed_visit", 0): 1, ("mismatched_leave", 0): 1}


def test_a_folder_holds_a_file_per_thread(tmp_path: Path) -> None:
    """Ranks are the numbers that groups end with; metrics are counted as not read."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "b.csv").write_text(HEADER + VISITS)
    other = VISITS.replace("Rank 1", "Rank 0").replace("Master thread", "OMP thread 2")
    (folder / "a.csv").write_text(HEADER + other)
    master = 'Master thread,MPI Rank 0,0,"main(int, char**)",0,1,1\n'
    (folder / "c.csv").write_text(HEADER + master)
    (folder / "m_metrics.csv").write_text("Group,Metric Name,Time,Value\nMPI Rank 0,X,0.5,3\n")
    found = read(folder)
    assert found.rows("locations", "name rank thread visit_count") == [
        ("Master thread", 0, 0, 1),
        ("OMP thread 2", 0, 1, 4),
        ("Master thread", 1, 0, 4),
    ]
    assert found.findings()["unknown_record", None] == 1


@pytest.mark.parametrize("unit", [None, pa.int64(), pa.int32()])
def test_parquet_holds_seconds_or_integer_nanoseconds(
    tmp_path: Path, unit: pa.DataType | None
) -> None:
    begin, end = [0.0, 0.1, 0.1, 0.4], [1.0, 0.3, 0.2, float("inf")]
    columns = {"start_time": pa.array(begin), "end_time": pa.array(end)}
    if unit is not None:
        ends = [round(value * 1e9) for value in end[:3]]
        columns = {
            "start_time": pa.array([round(value * 1e9) for value in begin], unit),
            "end_time": pa.array([*ends, None], unit),
        }
    table = pa.table(
        {
            "thread": ["Master thread"] * 4,
            "group": ["MPI Rank 0"] * 4,
            "depth": [0, 1, 2, 1],
            "name": [MAIN, "foo", "bar", "foo"],
            **columns,
        }
    )
    pq.write_table(table, tmp_path / "graph.parquet")
    assert read(tmp_path / "graph.parquet").visits(COLUMNS) == EXPECTED


def test_rows_of_parquet_without_times_are_an_error_or_counted(tmp_path: Path) -> None:
    columns = {"thread": "t", "group": "g", "depth": 0, "name": MAIN, "start": 0.0, "end": 1.0}
    rows = [columns, columns | {"start": None, "name": "bad"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "graph.parquet")
    with pytest.raises(DamagedTraceError, match=r"1 rows without possible times .* bad"):
        read(tmp_path / "graph.parquet")
    found = read(tmp_path / "graph.parquet", allow_damaged=True)
    assert found.findings() == {("unreadable_row", None): 1}
    assert found.visits("path enter_ns leave_ns") == [(MAIN, 0, 1_000_000_000)]


def test_rows_without_times_are_an_error_or_counted(tmp_path: Path) -> None:
    file = tmp_path / "rank.csv"
    file.write_text(HEADER + VISITS + 'Master thread,MPI Rank 1,1,"bad",soon,0.5,0.1\n')
    with pytest.raises(DamagedTraceError, match="line 6: Start Time is 'soon', no num"):
        read(file)
    found = read(file, allow_damaged=True)
    assert found.findings()["unreadable_row", None] == 1
    assert found.visits(COLUMNS) == EXPECTED
