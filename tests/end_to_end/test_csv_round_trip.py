"""Every trace in data/, exported to CSV and analysed again, gives the same tables."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from pipeline import cli, event_export
from pipeline.console import messages, results
from pipeline.errors import PipelineError, QueryError
from pipeline.event_export import export_events
from pipeline.export import export_severities
from pipeline.graph import Recipe
from pipeline.kernels.records import RECORDS
from pipeline.readers import open_source
from pipeline.run import Analysis, Options, analyze, analyze_source
from pipeline.sql import load_query
from pipeline.store import Run, Store
from schemas import BY_NAME
from tests.analysing import read_into_memory

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


@pytest.fixture(autouse=True)
def _fresh_consoles() -> None:
    results.cache_clear()
    messages.cache_clear()


@pytest.mark.parametrize("case", CASES)
def test_all_that_is_read_survives(
    case: str, tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    """From which follows all the rest: stages see nothing but tables."""
    original = analysis_of(case).run
    exported = tmp_path / "events.csv.gz"
    count = export_events(original, exported)
    again = read_into_memory(exported, tmp_path / "spill")
    for name, table in again.items():
        assert table.drop(OWN_COLUMNS.get(name, [])).to_pylist() == rows_of(original, name), name
    assert count >= again["runs"]["record_count"][0].as_py()


@pytest.mark.parametrize("case", ["m29_hybrid", "call_graph.csv"])
def test_tables_and_severities_survive(
    case: str, tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    original = analysis_of(case).run
    exported = tmp_path / "events.csv.gz"
    export_events(original, exported)
    again = analyzed(exported, tmp_path / "again", threads=2)
    assert differing_tables(original, again) == []
    files = [tmp_path / "one.csv", tmp_path / "other.csv"]
    for each, file in zip((original, again), files, strict=True):
        export_severities(each, file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("case", ["m01_late_sender", "m31_omp_tasks"])
def test_batches_of_locations_change_no_byte(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    analysis_of: Callable[[str], Analysis],
) -> None:
    """Together, or one location at a time."""
    run = analysis_of(case).run
    whole, pieces = tmp_path / "whole.csv", tmp_path / "pieces.csv"
    count = export_events(run, whole)
    monkeypatch.setattr(event_export, "BATCH_RECORDS", 1)
    assert export_events(run, pieces, memory_limit="100MB") == count
    assert pieces.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"whole.csv", "pieces.csv"}


def test_all_rows_that_belong_to_locations_are_batched() -> None:
    """But for the forks: whether the trace has teams at all is asked of all of them."""
    tables = [BY_NAME[name] for name in load_query("exported_events").inputs]
    own = {table.name for table in tables if "location_id" in table.column_names}
    assert own == {*event_export.BATCHED, "thread_teams"}


def test_memory_that_does_not_suffice_is_told_in_one_line(
    tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    run = analysis_of("m01_late_sender").run
    with pytest.raises(QueryError, match=r"^export events: not enough memory: .*--memory-limit$"):
        export_events(run, tmp_path / "events.csv", memory_limit="1MB")
    assert not list(tmp_path.iterdir())


def test_an_export_is_itself_exported_alike(
    tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export_events(analysis_of("m31_omp_tasks").run, first)
    store, nothing_else = Store(tmp_path / "again"), Recipe((), ())
    again = analyze_source(open_source(first), store=store, recipe=nothing_else).run
    export_events(again, second)
    assert first.read_bytes() == second.read_bytes()


def test_rows_stand_in_order_of_time_and_empty_columns_are_left_out(
    tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    file = tmp_path / "events.csv"
    export_events(analysis_of("late_sender.csv").run, file)
    table = duckdb.sql(f"FROM read_csv('{file}', header = true, all_varchar = true)")
    assert set(table.columns) == {
        "Timestamp (ns)", "Event Type", "Name", "Process", "Thread", "Partner", "Tag",
        "Communicator", "Bytes", "Received Bytes", "Operation", "Definition",
    }  # fmt: skip
    times = [int(time) for time, kind, *_ in table.fetchall() if not kind.startswith("Define")]
    assert times == sorted(times)
    assert len(times) == 18


@pytest.mark.parametrize("name", ["events.txt", "events", "events.parquet", "events.gz"])
def test_another_suffix_is_refused(
    name: str, tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    run = analysis_of("late_sender.csv").run
    with pytest.raises(PipelineError, match=r"written as \.csv"):
        export_events(run, tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.fixture(scope="module")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a trace of a single visit, which tests only read."""
    folder = tmp_path_factory.mktemp("small")
    trace, store = folder / "trace.csv", folder / "store"
    trace.write_text("Timestamp (ns),Event Type,Name,Process\n0,Enter,main,0\n9,Leave,main,0\n")
    assert cli.main(["analyze", str(trace), "--store", str(store), "--no-report"]) == 0
    return str(store)


@pytest.mark.parametrize(
    ("kind", "name", "ending"),
    [
        ("events", "events.csv", "\n9,Leave,main,0,0,\n"),
        ("severities", "severities.csv", "\nvisits,main,0,0,1.0\n"),
        ("perfetto", "trace.json", "\n]}\n"),
    ],
)
def test_a_file_that_is_there_is_overwritten_only_if_asked(
    kind: str,
    name: str,
    ending: str,
    small_store: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / name
    file.write_text("mine")
    capsys.readouterr()
    command = ["export", kind, "--output", str(file), "--store", small_store]
    assert cli.main(command) == PipelineError.exit_code
    assert capsys.readouterr().err == (
        f"tracemill: {file} is there already: name another place with --output, or replace it "
        "with --overwrite\n"
    )
    assert file.read_text() == "mine"
    assert cli.main([*command, "--overwrite"]) == 0
    assert ending in file.read_text()
    assert "incomplete" not in capsys.readouterr().err


NOT_UNDERSTOOD = """\
Timestamp (ns),Event Type,Name,Process,Partner
0,Enter,main,0,
10,Instant,Bogus,0,
20,Enter,a,0,
30,Jump,a,0,
40,Leave,a,0,
50,Instant,MpiSend,0,0
60,Instant,Marker,0,
70,Instant,MpiSend,0,0
80,Instant,MpiSend,0,
90,Leave,main,0,
"""


def test_what_was_not_understood_has_the_time_of_the_next_record_that_has_a_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bogus and Jump come before the message at 50, Marker before 70, a send to nobody at last."""
    trace, store, file = tmp_path / "trace.csv", str(tmp_path / "store"), tmp_path / "events.csv"
    trace.write_text(NOT_UNDERSTOOD)
    assert cli.main(["analyze", str(trace), "--store", store, "--no-report"]) == 0
    assert cli.main(["export", "events", "--output", str(file), "--store", store]) == 0
    told = capsys.readouterr().err
    assert f"trace is an incomplete trace, which {file} does not tell: see tracemill q" in told
    rows = [line.split(",")[:3] for line in file.read_text().splitlines()]
    assert [time for time, _, name in rows if name == "Other"] == ["50", "50", "70", "90"]
    again = analyzed(file, tmp_path / "again")
    differing = differing_tables(Store(Path(store)).open(), again)
    assert set(differing) == {"misread_cells", "reading_findings", "trace_quality"}


def test_every_kind_of_record_is_exported() -> None:
    text = load_query("exported_events").text
    old = {record.name for record in RECORDS if record.name.startswith("Omp")}
    visits = {"Enter", "Leave", "CallingContextEnter", "CallingContextLeave", "ProgramEnd"}
    for name in {record.name for record in RECORDS} - old - visits:
        assert f"'{name}'" in text, name
