"""Every trace in data/, exported to CSV and analysed again, gives the same tables."""

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from pipeline import event_export
from pipeline.errors import PipelineError, QueryError
from pipeline.event_export import export_events
from pipeline.export import export_severities
from pipeline.kernels.records import RECORDS
from pipeline.run import Options, analyze
from pipeline.sql import load_query
from pipeline.store import Run, Store
from schemas import BY_NAME

DATA = Path(__file__).parents[2] / "data"
CASES = (
    *sorted(path.parent.name for path in DATA.glob("*/traces.otf2")),
    "call_graph.csv",
    "late_sender.csv",
)
# What tells the two runs apart: all else is the same.
OWN_COLUMNS = {"runs": ["run_id", "source_format"]}


def analyzed(trace: Path, store: Path, threads: int = 1) -> Run:
    return analyze(trace, store=Store(store), options=Options(threads=threads)).run


def rows_of(run: Run, table: str) -> list[dict[str, object]]:
    """Rows as they are stored."""
    parts = [pq.read_table(file, partitioning=None) for file in run.files(table)]
    return [row for part in parts for row in part.drop(OWN_COLUMNS.get(table, [])).to_pylist()]


def differing_tables(one: Run, other: Run) -> list[str]:
    def is_same(table: str) -> bool:
        files = [[file.read_bytes() for file in run.files(table)] for run in (one, other)]
        return files[0] == files[1] or rows_of(one, table) == rows_of(other, table)

    assert one.tables == other.tables
    return [table for table in one.tables if not is_same(table)]


@pytest.mark.parametrize("case", CASES)
def test_tables_and_severities_survive(case: str, tmp_path: Path) -> None:
    original = analyzed(DATA / case, tmp_path / "store")
    exported = tmp_path / "events.csv.gz"
    count = export_events(original, exported)
    again = analyzed(exported, tmp_path / "again", threads=2)
    assert differing_tables(original, again) == []
    (run,) = rows_of(again, "runs")
    assert count >= run["record_count"]
    files = [tmp_path / "one.csv", tmp_path / "other.csv"]
    for each, file in zip((original, again), files, strict=True):
        export_severities(each, file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("case", ["m01_late_sender", "m31_omp_tasks"])
def test_batches_of_locations_change_no_byte(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together, or one location at a time."""
    run = analyzed(DATA / case, tmp_path / "store")
    whole, pieces = tmp_path / "whole.csv", tmp_path / "pieces.csv"
    count = export_events(run, whole)
    monkeypatch.setattr(event_export, "BATCH_RECORDS", 1)
    assert export_events(run, pieces, memory_limit="100MB") == count
    assert pieces.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"store", "whole.csv", "pieces.csv"}


def test_all_rows_that_belong_to_locations_are_batched() -> None:
    """But for the forks: whether the trace has teams at all is asked of all of them."""
    tables = [BY_NAME[name] for name in load_query("exported_events").inputs]
    own = {table.name for table in tables if "location_id" in table.column_names}
    assert own == {*event_export.BATCHED, "thread_teams"}


def test_memory_that_does_not_suffice_is_told_in_one_line(tmp_path: Path) -> None:
    run = analyzed(DATA / "m01_late_sender", tmp_path / "store")
    with pytest.raises(QueryError, match=r"^export events: not enough memory: .*--memory-limit$"):
        export_events(run, tmp_path / "events.csv", memory_limit="1MB")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_an_export_is_itself_exported_alike(tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export_events(analyzed(DATA / "m31_omp_tasks", tmp_path / "store"), first)
    export_events(analyzed(first, tmp_path / "again"), second)
    assert first.read_bytes() == second.read_bytes()


def test_rows_stand_in_order_of_time_and_empty_columns_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    export_events(analyzed(DATA / "late_sender.csv", tmp_path / "store"), file)
    table = duckdb.sql(f"FROM read_csv('{file}', header = true, all_varchar = true)")
    assert set(table.columns) == {
        "Timestamp (ns)", "Event Type", "Name", "Process", "Thread", "Partner", "Tag",
        "Communicator", "Bytes", "Received Bytes", "Operation", "Definition",
    }  # fmt: skip
    times = [int(time) for time, kind, *_ in table.fetchall() if not kind.startswith("Define")]
    assert times == sorted(times)
    assert len(times) == 18


@pytest.mark.parametrize("name", ["events.txt", "events", "events.parquet", "events.gz"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    run = analyzed(DATA / "late_sender.csv", tmp_path / "store")
    with pytest.raises(PipelineError, match=r"written as \.csv"):
        export_events(run, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_every_kind_of_record_is_exported() -> None:
    text = load_query("exported_events").text
    old = {record.name for record in RECORDS if record.name.startswith("Omp")}
    visits = {"Enter", "Leave", "CallingContextEnter", "CallingContextLeave", "ProgramEnd"}
    for name in {record.name for record in RECORDS} - old - visits:
        assert f"'{name}'" in text, name
