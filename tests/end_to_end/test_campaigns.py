"""Campaigns over many runs: from traces in folders, files and stores to their tables."""

import os
import shutil
from pathlib import Path

import pytest

from tests.helpers.fake_source import contents
from tests.helpers.report_reading import read_page
from tests.helpers.ring_campaigns import (
    CONFIGURATIONS,
    ITERATIONS,
    Notes,
    campaign,
    rows,
    write_trace,
)
from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.cli import main
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.reports.build_campaign import build_campaign_report
from tracemill.reports.html import render_html
from tracemill.store.runs import Store

# --- Where runs come from ------------------------------------------------------------------------


def test_names_tell_what_each_run_is(analyzed: Analysis) -> None:
    columns = "application processes size repetition label state reason"
    assert rows(analyzed, "campaign_runs", columns) == [
        ("ring", p, size, r, f"ring_p{p}_n{size}_r{r}", "measured", None)
        for p, size, r in CONFIGURATIONS
    ]


def test_calls_of_all_runs_are_counted(analyzed: Analysis) -> None:
    """In every iteration each process sends to both sides and adds up once."""
    paths = dict(rows(analyzed, "campaign_call_paths", "call_path_key operation"))
    found = {
        (run, paths[key], rank): count
        for run, key, rank, count in rows(
            analyzed, "call_site_tasks", "campaign_run_id call_path_key rank call_count"
        )
    }
    for number, (processes, _, _) in enumerate(CONFIGURATIONS):
        for rank in range(processes):
            assert found[number, "MPI_Isend", rank] == 2 * ITERATIONS
            assert found[number, "MPI_Allreduce", rank] == ITERATIONS
            assert found[number, "MPI_Init", rank] == 1
        assert (number, "MPI_Init", processes) not in found


def test_a_campaign_file_says_it_all(traces: Path, store: Path) -> None:
    shutil.copytree(traces, store.parent / "here" / "runs", copy_function=os.link)
    file = store.parent / "here" / "rings.toml"
    file.write_text(
        """
        name = "scaling"
        application = "rings"
        runs = ["runs/*_r1"]
        pattern = "p{p}_n{cells}_r{r}"
        size = "cells"
        computation_size = "2*cells**2"
        scaling = "fixed size"

        [[failed]]
        processes = 8
        size = 200
        out_of_memory = true
        """
    )
    made = campaign(file, store)
    assert made.run.run_id == "scaling"
    columns = "application processes size computation_size state reason time_ns"
    found = rows(made, "campaign_runs", columns)
    assert [row[:6] for row in found] == [
        ("rings", p, size, 2 * size**2, "measured", None) for p in (2, 4) for size in (100, 200)
    ] + [("rings", 8, 200, 80_000, "out of memory", "no reason given")]
    assert [row[6] is None for row in found] == [False] * 4 + [True]
    settings = "application size_name computation_size_expression scaling timed_part"
    assert rows(made, "campaign_settings", settings) == [
        ("rings", "cells", "2*cells**2", "fixed size", "between MPI_Init and MPI_Finalize")
    ]


def test_options_go_before_a_campaign_file(traces: Path, store: Path) -> None:
    file = store.parent / "rings.toml"
    file.write_text(f'runs = ["{traces}/ring_p2_n100_r1"]\napplication = "rings"\n')
    made = campaign(file, store, application="told")
    assert rows(made, "campaign_runs", "application") == [("told",)]


@pytest.fixture
def lines(analyzed_lines: Path, tmp_path: Path) -> Path:
    """Traces in CSV; the store in the folder of the test holds their analyses."""
    shutil.copytree(analyzed_lines / "store", tmp_path / "store", copy_function=os.link)
    return analyzed_lines


NAMED = {"p1": "cg", "p2": "cg", "p4": "is"}


@pytest.fixture(scope="module")
def analyzed_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    for processes, work, function in ((1, 100, "solve"), (2, 50, "solve"), (4, 50, "sort")):
        trace = write_trace(folder / f"p{processes}.csv", processes, work, function)
        analyze(trace, store=Store(folder / "store"), options=Options(threads=1))
    return folder


def test_runs_can_be_listed_in_csv(lines: Path, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(lines)
    listed = tmp_path / "runs.csv"
    listed.write_text(
        "trace,n,application,compiler\nhere/p2.csv,64,cg,gcc\nhere/p1.csv,64,cg,clang -O3\n"
    )
    made = campaign(listed, tmp_path / "store", variants="best")
    columns = "application processes size variant label time_ns whole_time_ns"
    assert rows(made, "campaign_runs", columns) == [
        ("cg", 1, 64, "compiler=clang -O3", "p1", 100, 115),
        ("cg", 2, 64, "compiler=gcc", "p2", 50, 65),
    ]
    assert rows(made, "run_tasks", "campaign_run_id rank time_ns communication_ns") == [
        (0, 0, 100, 0), (1, 0, 50, 0), (1, 1, 50, 0),
    ]  # fmt: skip
    assert rows(made, "run_parameters", "campaign_run_id name value") == [
        (0, "compiler", "clang -O3"), (1, "compiler", "gcc"),
    ]  # fmt: skip


def test_the_part_that_counts_can_be_chosen(lines: Path, tmp_path: Path) -> None:
    for with_setup, expected in ((False, (100, 0)), (True, (115, 15))):
        made = campaign(lines / "p1.csv", tmp_path / "store", with_setup=with_setup)
        assert rows(made, "run_tasks", "time_ns communication_ns") == [expected]
        assert rows(made, "campaign_runs", "time_ns") == [expected[:1]]


def test_traces_need_not_be_there_any_more(analyzed: Analysis, traces: Path, store: Path) -> None:
    elsewhere = store.parent / "elsewhere"
    shutil.copytree(traces, elsewhere, copy_function=os.link)
    campaign(elsewhere, store)
    shutil.rmtree(elsewhere)
    assert {run.source.path for run in Store(store).runs()} == {
        f"{elsewhere}/ring_p{p}_n{n}_r{r}/traces.otf2" for p, n, r in CONFIGURATIONS
    }
    made = campaign(None, store, name="stored")
    assert contents(made.run.path) == contents(analyzed.run.path)


def test_a_stored_run_that_is_not_whole_is_a_failed_one(analyzed: Analysis, store: Path) -> None:
    first, second = (row[0] for row in rows(analyzed, "campaign_runs", "run_id")[:2])
    next((store / "runs" / f"run={first}").glob("gen=*/severities.parquet")).unlink()
    shutil.rmtree(store / "runs" / f"run={second}")
    made = campaign(None, store, name="stored")
    found = rows(made, "campaign_runs", "run_id state reason")
    assert found[0] == (
        None, "failed", f"{first}: the store lacks severities: analyze the trace again",
    )  # fmt: skip
    assert second not in [row[0] for row in found]
    assert len(found) == len(CONFIGURATIONS) - 1


def test_an_empty_store_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no runs"):
        campaign(None, tmp_path)


# --- Runs that cannot be used --------------------------------------------------------------------


def test_a_damaged_trace_is_a_failed_run(traces: Path, store: Path) -> None:
    folder = store.parent / "rings"
    shutil.copytree(traces, folder)
    damaged = folder / "ring_p4_n200_r1" / "traces" / "1.evt"
    damaged.write_bytes(damaged.read_bytes()[:40])
    (folder / "ring_p8_n200_r1").mkdir()
    (folder / "ring_p8_n200_r1" / "traces.otf2").write_bytes(b"no anchor")
    notes = Notes()
    made = campaign(folder, store, threads=2, notes=notes)
    found = rows(made, "campaign_runs", "label processes state reason time_ns run_id")
    assert [row[2] for row in found] == ["measured"] * 4 + ["failed"] * 2
    for row, word in zip(found[4:], ("1.evt", "traces.otf2"), strict=True):
        assert word in row[3]
        assert row[4:] == (None, None)
        assert any(word in note and row[0] in note for note in notes.notes)
    assert len(notes.notes) == 2
    assert {row[0] for row in rows(made, "run_tasks", "campaign_run_id")} == {0, 1, 2, 3}


def test_without_any_run_there_is_no_campaign(tmp_path: Path) -> None:
    (tmp_path / "p2").mkdir()
    (tmp_path / "p2" / "traces.otf2").write_bytes(b"no anchor")
    with pytest.raises(CampaignError, match=r"no run is left: .*traces\.otf2"):
        campaign(tmp_path, tmp_path / "store")
    assert not list((tmp_path / "store").rglob("*.parquet"))


def linked(folder: Path, **names: Path) -> Path:
    folder.mkdir()
    for name, trace in names.items():
        (folder / name).symlink_to(trace)
    return folder


def test_a_name_that_contradicts_its_trace_is_reported(traces: Path, store: Path) -> None:
    given = {"p2_n100": traces / "ring_p2_n100_r1", "p8_n100": traces / "ring_p4_n100_r1"}
    made = campaign(linked(store.parent / "links", **given), store)
    assert rows(made, "campaign_runs", "processes state reason") == [
        (2, "measured", None),
        (8, "failed", "its name says 8 processes, but the trace has 4"),
    ]


def test_a_trace_counts_once(traces: Path, store: Path) -> None:
    given = dict.fromkeys(("p2_n100_r1", "p2_n100_r2"), traces / "ring_p2_n100_r1")
    notes = Notes()
    made = campaign(linked(store.parent / "links", **given), store, notes=notes)
    assert rows(made, "campaign_runs", "label") == [("p2_n100_r1",)]
    assert notes.notes == ["p2_n100_r2 is the same trace as p2_n100_r1: left out"]


def test_a_repetition_that_is_there_twice_is_reported(traces: Path, store: Path) -> None:
    given = {
        "p2_n100_r1": traces / "ring_p2_n100_r1",
        "again_p2_n100_r1": traces / "ring_p2_n100_r2",
    }
    notes = Notes()
    made = campaign(linked(store.parent / "links", **given), store, notes=notes, application="ring")
    assert rows(made, "campaign_runs", "repetition") == [(1,), (2,)]
    assert notes.notes == [
        "again_p2_n100_r1 and p2_n100_r1 both have the number 1 in their configuration: "
        "both are used as repetitions"
    ]


def test_programs_of_one_name_are_refused(
    lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "runs.csv"
    listed.write_text("trace\n" + "".join(f"{lines}/{name}.csv\n" for name in NAMED))
    place = ["--store", str(tmp_path / "store"), "--no-report", "--threads", "1"]
    assert main(["campaign", str(listed), *place, "--application", "cg"]) == CampaignError.exit_code
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "tracemill: " in line)
    assert "cg: runs of 2 programs have this name: p1 and p4 share hardly any " in line
    assert not Store(tmp_path / "store").campaigns.runs()
    # Told apart, they make a campaign.
    told = "".join(f"{lines}/{name}.csv,{app}\n" for name, app in NAMED.items())
    listed.write_text(f"trace,application\n{told}")
    assert main(["campaign", str(listed), *place]) == 0


def test_another_campaign_of_that_name_is_reported(traces: Path, store: Path) -> None:
    campaign(traces, store, name="mine")
    notes = Notes()
    campaign(traces / "ring_p2_n100_r1", store, name="mine", notes=notes)
    assert notes.notes == [f"campaign mine replaces the one of {traces} (see --name)"]


# --- Names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a b", "größe", "two\nlines", "quote'\"s", "per%cent {0}", "[x]", "-dash"]
)
def test_folders_may_have_any_name(name: str, traces: Path, store: Path) -> None:
    above = store.parent / f"{name} above"
    shutil.copytree(traces / "ring_p2_n100_r1", above / f"{name} p2_n100_r1", copy_function=os.link)
    made = campaign(above, store)
    assert rows(made, "campaign_runs", "label processes state") == [
        (f"{name} p2_n100_r1", 2, "measured")
    ]
    assert made.run.path.is_relative_to(store / "campaigns")


def test_names_that_are_no_text_are_shown_as_far_as_possible(traces: Path, store: Path) -> None:
    above = store.parent / "above"
    name = os.fsdecode(b"p2_n100_r1_\xff")
    shutil.copytree(traces / "ring_p2_n100_r1", above / name, copy_function=os.link)
    made = campaign(above, store)
    assert rows(made, "campaign_runs", "label") == [("p2_n100_r1_?",)]


def test_folders_above_a_trace_may_tell_its_parameters(traces: Path, store: Path) -> None:
    for name in ("p2_n100_r1", "p4_n100_r1"):
        trace = traces / f"ring_{name}"
        shutil.copytree(trace, store.parent / "runs" / name / "scorep-1", copy_function=os.link)
    made = campaign(store.parent / "runs", store, application="ring")
    columns = "application processes size label"
    assert rows(made, "campaign_runs", columns) == [
        ("ring", 2, 100, "p2_n100_r1/scorep-1"), ("ring", 4, 100, "p4_n100_r1/scorep-1"),
    ]  # fmt: skip
    joined = campaign(store.parent / "runs", store, pattern="p{p}_n{n}_r{r}/{tool}-{number}")
    assert rows(joined, "campaign_runs", "variant") == [("number=1 tool=scorep",)] * 2


def test_paths_may_lead_up_and_in_circles(
    traces: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"p2_n100": traces / "ring_p2_n100_r1", "p4_n100": traces / "ring_p4_n100_r1"}
    folder = linked(store.parent / "links", **given)
    (folder / "below").mkdir()
    (folder / "below" / "up").symlink_to("..")
    (folder / "round").symlink_to("round")
    (folder / "nowhere").symlink_to("missing")
    monkeypatch.chdir(folder / "below")
    made = campaign(Path(".."), store)
    assert made.run.run_id == "links"
    assert rows(made, "campaign_runs", "label") == [("p2_n100",), ("p4_n100",)]


def test_cells_lead_to_the_wait_states_of_their_call_paths(analyzed: Analysis) -> None:
    report = build_campaign_report(analyzed.run)
    tables = report.section("drill-down").tables
    cells = next(table for table in tables if table.name.startswith("losing_call_paths"))
    waits = next(table for table in tables if table.name.startswith("cell_wait_states"))
    assert "Wait at N × N" in waits.values("finding")
    assert len(cells.rows) == 3
    assert [column.title for _, column in cells.shown][-1] == "4"
    page = read_page(render_html(report))
    names = [value for name, value in page.attributes if name == "id"]
    links = [value[1:] for name, value in page.attributes if name == "href"]
    assert len(names) == len(set(names))
    assert set(links) <= set(names)
    linked = [at for at, link in enumerate(cells.row_links) if link]
    assert linked
    for position in linked:
        below = waits.row_names.index(cells.row_links[position])
        assert waits.values("call_path")[below] == cells.values("call_path")[position]
        assert waits.row_links[below] == cells.row_names[position]
        assert {cells.row_links[position], cells.row_names[position]} <= set(links)
