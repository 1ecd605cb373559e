"""The commands on a real trace: from the archive to findings, report, export and SQL."""

import csv
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tracemill import cli
from tracemill.base.console import results
from tracemill.engine.analyze import Analysis
from tracemill.reports.build import build_report
from tracemill.reports.embedding import embed
from tracemill.reports.model import Report
from tracemill.reports.tables import fetch
from tracemill.shell.formats import Output
from tracemill.shell.script import run_script
from tracemill.shell.session import Session
from tracemill.store.runs import Run, Store

# Even ranks work 50 ms longer, then send; odd ranks wait in MPI_Recv: five times, four ranks.
TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"


@pytest.fixture(scope="module")
def analyzed(analysis_of: Callable[[str], Analysis]) -> Path:
    """A store in which the trace was analyzed, without a report."""
    return analysis_of(TRACE.name).run.path.parents[2]


@pytest.fixture(scope="module")
def store(analyzed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the trace was analyzed, with its report."""
    folder = link(analyzed, tmp_path_factory.mktemp("told") / "store")
    assert cli.main(["analyze", str(TRACE), "--store", str(folder)]) == 0
    return folder


def link(store: Path, to: Path) -> Path:
    """A copy with hard links, as files of a store are replaced, but never changed."""
    return shutil.copytree(store, to, copy_function=os.link)


@pytest.fixture
def _built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report of a run is built by the first test: for those of what becomes of it."""
    monkeypatch.setattr("tracemill.reports.build.build_report", build_once)


BUILT: dict[Path, Report] = {}


def build_once(run: Run, **given: Any) -> Report:
    if given != {"windows": ()}:
        return build_report(run, **given)
    if run.path not in BUILT:
        BUILT[run.path] = build_report(run)
    return BUILT[run.path]


built_once = pytest.mark.usefixtures("_built_once")


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def test_an_analysis_tells_the_finding_and_where_results_lie(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["analyze", str(TRACE), "--store", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "1. Late Sender: " in captured.out
    assert '10 waits in "main/MPI_Recv" (late_sender.c:4).' in captured.out
    assert "tables computed" in captured.err
    places = [line.split()[1] for line in captured.out.splitlines()[-3:]]
    assert all(Path(place).exists() for place in places)
    assert [Path(place).name for place in places[:2]] == ["index.html", "report.md"]


def test_analyzing_again_does_nothing_says_why_and_repeats_the_findings(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state_of(store)
    assert cli.main(["analyze", str(TRACE / "traces.otf2"), "--store", str(store)]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("nothing to do: nothing changed since ")
    assert "1. Late Sender: " in captured.out
    assert state_of(store) == before


def test_explaining_an_unchanged_run_takes_a_line(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["analyze", str(TRACE), "--store", str(store), "--explain"]) == 0
    assert capsys.readouterr().out.count("\n") == 1


@built_once
def test_the_suffix_of_the_output_chooses_the_form(store: Path, tmp_path: Path) -> None:
    for name, start in (("a.html", "<!DOCTYPE"), ("a.md", "# m01"), ("a.txt", "m01_")):
        output = tmp_path / name
        assert cli.main(["report", "--store", str(store), "--output", str(output)]) == 0
        assert output.read_text(encoding="utf-8").startswith(start)
    assert cli.main(["report", "--store", str(store), "--output", str(tmp_path / "a.pdf")]) == 2
    assert cli.main(["report", "--store", str(store), "--output", str(tmp_path / "x/a.md")]) == 10


@built_once
def test_a_run_that_is_nearly_named_is_suggested(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report", "m01_late", "--store", str(store)]) == 0
    capsys.readouterr()
    assert cli.main(["report", "m02_late_sender", "--store", str(store)]) == 11
    assert "did you mean m01_late_sender?" in capsys.readouterr().err


def test_explaining_does_nothing_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["analyze", str(TRACE), "--store", str(tmp_path / "new"), "--explain"]) == 0
    assert "visits" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_no_report_is_written_when_none_is_wanted(analyzed: Path, tmp_path: Path) -> None:
    store = link(analyzed, tmp_path / "store")
    assert cli.main(["analyze", str(TRACE), "--store", str(store), "--no-report"]) == 0
    assert not (store / "reports").exists()
    assert cli.main(["analyze", str(TRACE), "--store", str(store)]) == 0
    assert (store / "reports").exists()


@built_once
@pytest.mark.parametrize("name", ["m01_late_sender", "{id}", "{start}", str(TRACE)])
def test_a_run_is_found_by_any_of_its_names(
    name: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = Store(store).open().run_id
    wanted = name.format(id=run_id, start=run_id[:5])
    assert cli.main(["report", wanted, "--store", str(store)]) == 0
    assert capsys.readouterr().out.startswith("m01_late_sender\n")


def test_runs_are_listed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runs", "--store", str(store)]) == 0
    heading, line = capsys.readouterr().out.splitlines()
    assert heading.split() == [
        "run",
        "label",
        "kind",
        "ranks",
        "records",
        "size",
        "analyzed",
        "state",
    ]
    assert line.split()[1:4] == ["m01_late_sender", "measured", "4"]
    assert line.split()[-1] == "complete"


def test_every_query_of_the_report_gives_the_same_rows_in_the_shell(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Store(store).open()
    report = build_once(run, windows=())
    tables = [table for section in report.sections for table in section.tables if table.sql]
    assert len(tables) >= 10
    command = ["sql", tables[0].sql, "--store", str(store), "--format", "json"]
    assert cli.main(command) == 0
    assert json.loads(capsys.readouterr().out) == list(tables[0].as_dicts())
    with run.connect() as connection:  # once for all: the command would begin anew for each
        session = Session.begin(connection)
        for table in tables:
            output = Output(format="json", console=results())
            run_script(session, table.sql, output)
            shown = json.loads(capsys.readouterr().out)
            assert shown == list(table.as_dicts()), table.name


def test_exported_waits_are_those_the_program_made(store: Path, tmp_path: Path) -> None:
    output = tmp_path / "severities.csv"
    assert cli.main(["export", "severities", "--output", str(output), "--store", str(store)]) == 0
    waited: dict[int, float] = defaultdict(float)
    with output.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["metric"] == "mpi_latesender":
                waited[int(row["rank"])] += float(row["value"])
    # Five waits of 50 ms on each odd rank; the machine's jitter is a few milliseconds.
    assert waited.keys() == {1, 3}
    assert all(seconds == pytest.approx(0.250, abs=0.005) for seconds in waited.values())


@built_once
@pytest.mark.parametrize(
    ("format", "start"),
    [("html", "<!DOCTYPE html>"), ("markdown", "# m01"), ("terminal", "m01_late_sender\n")],
)
def test_a_report_is_written_in_any_form(
    format: str, start: str, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report"
    arguments = ["report", "--store", str(store), "--format", format]
    assert cli.main([*arguments, "--output", str(output)]) == 0
    capsys.readouterr()
    assert cli.main(arguments) == 0
    text = output.read_text(encoding="utf-8")
    assert text.startswith(start)
    assert text.strip() == capsys.readouterr().out.strip()


def test_two_analyses_of_one_trace_give_the_same_report(store: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    options = ["--store", str(again), "--threads", "2", "--no-report"]
    assert cli.main(["analyze", str(TRACE), *options]) == 0
    first = build_once(Store(store).open(), windows=())
    second = build_report(Store(again).open())
    # How it was made names times and options, which may differ.
    assert first.sections[:-1] == second.sections[:-1]
    data = [
        [embed(widget.data) for section in report.sections for widget in section.widgets]
        for report in (first, second)
    ]
    assert data[0] == data[1]


def test_pictures_are_drawn_where_wanted_and_again_with_a_new_page(
    store: Path, tmp_path: Path
) -> None:
    """Again in another place, where they become the same bytes."""
    stores = [tmp_path / name for name in ("one", "other")]
    shutil.copytree(store, stores[0])
    assert not list(stores[0].glob("reports/run=*/*.*g"))
    assert cli.main(["report", "--store", str(stores[0]), "--pictures"]) == 0
    shutil.copytree(*stores)
    pictures = sorted(stores[0].glob("reports/run=*/*.*g"))
    assert {picture.suffix for picture in pictures} == {".svg", ".png"}
    text = (pictures[0].parent / "report.md").read_text(encoding="utf-8")
    assert all(picture.name in text for picture in pictures if picture.suffix == ".svg")
    for picture in pictures:
        other = stores[1] / picture.relative_to(stores[0])
        other.write_bytes(b"drawn for an earlier page")
    (other.parent / "index.html").write_bytes(b"an earlier page")
    assert cli.main(["analyze", str(TRACE), "--store", str(stores[1])]) == 0
    for picture in pictures:
        other = stores[1] / picture.relative_to(stores[0])
        assert other.read_bytes() == picture.read_bytes()


def test_pictures_have_their_place(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--store", str(store), "--pictures", "--output", "a.html"]) == 2
    assert "beside the page in the store" in capsys.readouterr().err


def test_an_incomplete_trace_is_named_in_the_summary_and_in_the_list_of_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, store = tmp_path / "cut", tmp_path / "store"
    shutil.copytree(TRACE, trace)
    events = max(trace.rglob("*.evt"), key=lambda path: path.stat().st_size)
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
    arguments = ["analyze", str(trace), "--store", str(store), "--allow-damaged"]
    assert cli.main([*arguments, "--no-report"]) == 0
    assert "\nIncomplete trace: 1 of 4 locations" in capsys.readouterr().out
    assert cli.main(["runs", "--store", str(store)]) == 0
    assert capsys.readouterr().out.rstrip().endswith("incomplete trace")


def test_what_is_said_to_be_analyzed_is_what_is_searched(store: Path) -> None:
    with Store(store).open().connect() as connection:
        _, rows = fetch(connection, "searched_wait_states")
    # What is added here must be taken from unanalyzed_waiting.
    assert {finding for (finding,) in rows} == {
        "Late Receiver", "Late Sender", "Wait at Barrier", "Wait at N × N", "Late Broadcast",
        "Early Reduce", "Early Scan", "Wait at Finalize", "Wait at OpenMP Barrier",
        "Wait at Implicit OpenMP Barrier", "Wait at OpenMP Critical Section",
        "Wait for OpenMP Lock", "Wait for Mutex", "Wait for Condition",
        "Wait at Window Create", "Wait at Window Free",
        "Wait at Fence", "Late Post, synchronization", "Late Post, communication", "Early Wait",
        "Window Lock Competition, synchronization", "Window Lock Competition, communication",
        "Wait for Progress", "Wait at Collective I/O", "Wait for Device",
    }  # fmt: skip
