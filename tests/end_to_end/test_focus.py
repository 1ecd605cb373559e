"""A focus through the commands, on a trace by hand and on recorded ones."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.focus_laws import rows_in, tables_in
from tracemill import cli, open_store
from tracemill.base.errors import UsageError
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.engine.focusing.options import FocusOptions, split_name
from tracemill.engine.focusing.pop import pop_tables
from tracemill.engine.focusing.resolve import full_name, resolve_focus
from tracemill.stages.phases import OF_CALLS
from tracemill.store.runs import Run, Store

Analyses = Callable[[str], Analysis]
HYBRID, LATE = "m29_hybrid", "late_sender.csv"


def run(command: str, analysis: Analysis, *words: str) -> int:
    store = str(analysis.run.path.parents[2])
    return cli.main([command, *words, "--store", store])


def named(found: Run, rows: "list[dict[str, object]]", value: str) -> dict[tuple[str, int], object]:
    """A value of rows by call path and location, where it is not 0."""
    paths = {row["call_path_id"]: row["path"] for row in found.read("call_paths").to_pylist()}
    return {
        (paths[row["call_path_id"]], row["location_id"]): row[value] for row in rows if row[value]
    }  # type: ignore[misc]


#            0      2000    4000    6000 6500  7000 7500    8500  9000  10000
# rank 0     [main                  [Send]          [Barrier     ]      ]
# rank 1     [main  [Recv .waits....|..........]            [Barr]      ]
# focus                     [************************ 8000
def test_times_are_clipped_to_a_window(analysis_of: Analyses) -> None:
    run = analysis_of(LATE).run
    found = tables_in(run, window="4us..8us")
    tree = found["call_tree"].to_pylist()
    assert named(run, tree, "exclusive_ns") == {
        ("main", 0): (6000 - 4000) + (7500 - 6500),
        ("main/MPI_Send", 0): 500,
        ("main/MPI_Barrier", 0): 8000 - 7500,
        ("main/MPI_Recv", 1): 7000 - 4000,
        ("main", 1): 8000 - 7000,
    }
    assert named(run, tree, "visit_count") == {("main/MPI_Send", 0): 1, ("main/MPI_Barrier", 0): 1}
    waits = {row["property"]: row for row in found["wait_states"].to_pylist()}
    late, barrier = waits["mpi_latesender"], waits["mpi_barrier_wait"]
    assert (late["start_ns"], late["wait_ns"]) == (4000, 6000 - 4000)
    assert (barrier["start_ns"], barrier["wait_ns"]) == (7600, 8000 - 7600)  # from its record
    path = named(run, found["critical_path_profile"].to_pylist(), "path_ns")
    assert path == {("main", 0): 2000, ("main/MPI_Recv", 1): 1000, ("main", 1): 1000}
    assert found["main_part"].to_pylist() == [{"begin_ns": 4000, "end_ns": 8000}]


def test_a_message_counts_where_it_is_sent_and_where_it_is_received(analysis_of: Analyses) -> None:
    """Sent at 6100 by rank 0, received at 6600 by rank 1."""
    run = analysis_of(LATE).run

    def counted(**options: str) -> dict[str, int]:
        rows = rows_in(run, "severities", **options)
        return {row["metric"]: row["value"] for row in rows if row["metric"].startswith("bytes_")}

    assert counted(window="6us..6.5us") == {"bytes_sent": 4096}
    assert counted(window="6.5us..7us") == {"bytes_rcvd": 4096}
    assert counted(ranks="1") == {"bytes_rcvd": 4096}
    assert len(rows_in(run, "messages", window="6us..6.5us")) == 1
    assert not rows_in(run, "messages", window="6.5us..7us")


def test_a_region_includes_what_was_forked_within(analysis_of: Analyses) -> None:
    """m29_hybrid: main together with its threads, as in the region call graph."""
    run = analysis_of(HYBRID).run
    assert sum(row["exclusive_ns"] for row in rows_in(run, "call_tree", region="main")) == (
        3_842_134_821
    )
    parallel = rows_in(run, "call_tree", region="!$omp parallel @hybrid.c:9")
    assert sum(row["exclusive_ns"] for row in parallel) == 1_869_080_274


def test_an_iteration_has_the_figures_of_its_row(analysis_of: Analyses) -> None:
    run = analysis_of(HYBRID).run
    rows = [row for row in run.read("iterations").to_pylist() if row["iteration"] == 4]
    found = tables_in(run, iteration="4")
    waits = [row for row in found["wait_states"].to_pylist() if not row["is_completion"]]
    assert sum(row["wait_ns"] for row in waits) == sum(row["wait_ns"] for row in rows)
    computing = {row["overhead_id"]: row["time_ns"] for row in found["overheads"].to_pylist()}
    assert computing[0] == sum(row["computing_ns"] for row in rows)
    focus = resolve_focus(run, FocusOptions(iteration="4", threads="0"))
    assert focus.times.length.tolist() == [row["time_ns"] for row in rows]


def test_a_phase_is_a_period_of_its_level(analysis_of: Analyses) -> None:
    run = analysis_of(HYBRID).run
    phases = run.read("phases").to_pylist()
    assert phases
    for row in phases:
        options = FocusOptions(phase=str(row["phase"]), threshold=f"{row['threshold']:g}")
        assert resolve_focus(run, options).times.hull == (row["begin_ns"], row["end_ns"])
    for options, said in (
        (FocusOptions(phase="99"), "there is no 99"),
        (FocusOptions(phase="0", threshold="0.3"), "no such level of phases: 0.05, 0.1, 0.25, 0.5"),
        (FocusOptions(threshold="0.3"), "add --phase"),
    ):
        with pytest.raises(UsageError, match=said):
            resolve_focus(run, options)


@pytest.mark.parametrize("focus", [("--ranks", "0"), ("--iteration", "2..7", "--threads", "0")])
def test_phases_of_a_focus_are_computed_with_any_choice(
    focus: tuple[str, ...], analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    """Naming all curves changes nothing, but has the phases computed again."""
    found = []
    for words in ((), ("--curves", ",".join(OF_CALLS))):
        assert run("phases", analysis_of(HYBRID), *focus, *words, "--format", "csv") == 0
        out, err = capsys.readouterr()
        assert err.startswith("Focus: ")
        found.append(out)
    assert found[0] == found[1]
    assert run("phases", analysis_of(HYBRID), "--format", "csv") == 0
    assert capsys.readouterr().out != found[0]


def test_options_intersect_and_the_heading_states_the_share(analysis_of: Analyses) -> None:
    run = analysis_of(LATE).run
    focus = resolve_focus(run, FocusOptions(window="-..2.5us", ranks="1", region="MPI_Recv"))
    assert focus.sentence == "Focus: to 0.0000025 s, region MPI_Recv, rank 1, 2.5% of the main part"
    assert (focus.times.begin.tolist(), focus.times.end.tolist()) == ([2000], [2500])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--iteration", "10"], "there is no 10: there are 0 to 9"),
        (["--iteration", "x"], "write numbers and ranges, such as 0-7,12"),
        (["--ranks", "4"], "m29_hybrid: --ranks 4: there is no 4: there are 0 to 3"),
        (["--threads", "2-1"], "--threads 2-1: write the smaller number of a range first"),
        (["--nodes", "x"], "no node x: nodes: Linux, vm"),
        (["--region", "mian"], "no such region or call path: did you mean main"),
        (["--window", "98..99"], "the run lasts from 0.000074051 s to 0.674939365 s"),
        (["--window", "2..1"], "the end must lie after the begin"),
        (["--window", "soon"], "write it as BEGIN..END"),
        (["--window", "-..1ms", "--iteration", "5"], "these have no time in common"),
    ],
)
def test_a_wrong_focus_is_one_line_with_what_exists(
    analysis_of: Analyses, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report", analysis_of(HYBRID), *options) == UsageError.exit_code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_without_a_loop_there_is_no_iteration(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sql", analysis_of(LATE), "FROM runs", "--iteration", "1") == 2
    assert "no main loop was found" in capsys.readouterr().err


def test_the_page_of_a_focus_lies_beside_that_of_the_run(analysis_of: Analyses) -> None:
    analysis = analysis_of(HYBRID)
    assert run("report", analysis, "--iteration", "3..5", "--ranks", "0-1") == 0
    (page,) = (analysis.run.path.parents[2] / "reports").glob("*/index.*.html")
    assert page.name == "index.iteration-3..5+ranks-0-1.html"
    assert page.parent.name == f"run={analysis.run.run_id}"
    assert not (page.parent / "index.html").exists()
    text = page.read_text(encoding="utf-8")
    assert "without MPI setup (" not in text
    assert "Too many to draw" not in text
    assert "Focus: iterations 3 to 5 of !$omp parallel @hybrid.c:9, ranks 0 to 1, " in text
    assert f"--run {analysis.run.run_id} --iteration 3..5 --ranks 0-1" in text


# From 4 to 8 µs rank 0 computes 3 µs and rank 1 the last one: of 2 × 4 µs, half.
def test_report_and_tables_have_the_efficiencies_of_the_focus(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis, words = analysis_of(LATE), ("--window", "4us..8us")
    assert run("report", analysis, *words, "--format", "terminal") == 0
    page = capsys.readouterr().out
    assert "Parallel efficiency 50.0%: load balance 66.7%, " in page
    assert "root causes, gains and findings are left out" in page
    assert run("report", analysis, *words, "--format", "html") == 0
    page = capsys.readouterr().out
    assert "Root causes and gains are on the page of the whole run" in page
    query = "SELECT value FROM pop_metrics WHERE metric = 'mean_useful_time'"
    assert run("sql", analysis, query, *words, "--format", "csv") == 0
    assert capsys.readouterr().out.split() == ["value", "2000.0"]


def test_sql_reads_the_focus(analysis_of: Analyses, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["SELECT count(*) AS count FROM visits", "--format", "csv", "--window", "4us..8us"]
    assert run("sql", analysis_of(LATE), *words) == 0
    printed = capsys.readouterr()
    assert printed.out.split() == ["count", "2"]
    assert "Focus: from 0.000004 s to 0.000008 s, 40% of the main part" in printed.err


def test_sql_takes_a_focus_of_a_run_only(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sql", analysis_of(LATE), "FROM runs", "--all-runs", "--ranks", "0") == 2
    assert "a focus is a part of a run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            "iteratoin=3",
            f"{HYBRID}@iteratoin=3: no part iteratoin of a focus: did you mean iteration",
        ),
        ("xy=3", f"{HYBRID}@xy=3: no part xy of a focus: a focus has window, iteration, phase, "),
        ("iteration=12", f"{HYBRID}: --iteration 12: there is no 12: there are 0 to 9"),
    ],
)
def test_a_wrong_part_of_a_side_is_named(
    analysis_of: Analyses, part: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("compare", analysis_of(HYBRID), HYBRID, f"{HYBRID}@{part}") == 2
    assert capsys.readouterr().err.startswith(f"tracemill: {said}")


def test_a_region_may_be_named_without_its_arguments(run_named: Callable[..., Run]) -> None:
    found = run_named("solve(Domain&, int)", "send(int)", "send(float)", "send", "read(Domain&)")
    assert full_name(found, "solve") == "solve(Domain&, int)"
    assert full_name(found, "main/solve") == "main/solve(Domain&, int)"
    assert full_name(found, "send") == "send"
    assert full_name(found, "read(Domain&)") == "read(Domain&)"
    assert full_name(found, "sol") == "sol"


@pytest.fixture
def run_named(tmp_path: Path) -> Callable[..., Run]:
    """Makes a run whose main calls functions of some names."""

    def make(*names: str) -> Run:
        source = tmp_path / "named.csv"
        rows = ["0,Enter,main,0"]
        for at, name in enumerate(names, 1):
            rows += [f'{10 * at},Enter,"{name}",0', f'{10 * at + 5},Leave,"{name}",0']
        rows.append(f"{10 * len(names) + 10},Leave,main,0")
        header = "Timestamp (ns),Event Type,Name,Process"
        source.write_text("\n".join([header, *rows]) + "\n")
        return analyze(source, store=Store(tmp_path / "store"), options=Options(threads=1)).run

    return make


def test_two_parts_of_a_run_are_compared(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    """The change of the run time is that of the longest process, over all of them."""
    analysis = analysis_of(HYBRID)
    sides = [f"{HYBRID}@iteration={each}" for each in (3, 7)]
    assert run("compare", analysis, *sides, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    rows = analysis.run.read("iterations").to_pylist()

    def span(iteration: int) -> int:
        own = [row for row in rows if row["iteration"] == iteration]
        return max(row["end_ns"] for row in own) - min(row["begin_ns"] for row in own)

    assert document["run_time"]["base_value"] == span(3)
    assert document["run_time"]["other_value"] == span(7)
    (parallel, *_) = document["efficiencies"]
    assert parallel["metric"] == "parallel_efficiency"
    for side, iteration in (("base", 3), ("other", 7)):
        tables = pop_tables(resolve_focus(analysis.run, FocusOptions(iteration=str(iteration))))
        values = {
            (row["convention"], row["metric"]): row["value"]
            for row in tables["pop_metrics"].to_pylist()
        }
        assert parallel[f"{side}_ratio"] == values["multiplicative", "parallel_efficiency"]


def test_the_heading_of_a_comparison_names_both_parts(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [f"{HYBRID}@iteration={each}" for each in (3, 7)]
    assert run("compare", analysis_of(HYBRID), *sides) == 0
    heading = " ".join(capsys.readouterr().out.split("A: ")[0].split())
    parts = (f"iteration {each} of !$omp parallel @hybrid.c:9" for each in (3, 7))
    assert heading == f"{HYBRID}: {' → '.join(parts)}"


def test_parts_are_compared_in_python(analysis_of: Analyses) -> None:
    store = open_store(analysis_of(HYBRID).run.path.parents[2])
    found = store.compare(f"{HYBRID}@ranks=0", f"{HYBRID}@ranks=1")
    assert found.base.run_ids[0].endswith("@ranks-0")
    visits = found.of_metric("visits")
    rows = analysis_of(HYBRID).run.read("call_tree").to_pylist()
    ranks = analysis_of(HYBRID).run.read("locations")["rank"].to_pylist()
    assert visits.base_value == sum(
        row["visit_count"] for row in rows if ranks[row["location_id"]] == 0
    )


def test_overheads_and_counters_take_a_focus(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("overheads", analysis_of(HYBRID), HYBRID, "--iteration", "3", "--format", "csv") == 0
    printed = capsys.readouterr()
    assert "Focus: iteration 3 of" in printed.err
    (work,) = (
        row for row in csv.DictReader(io.StringIO(printed.out)) if row["call_path"] == "main/work"
    )
    run_ns = resolve_focus(analysis_of(HYBRID).run, FocusOptions(iteration="3")).times.length.max()
    assert 0 < int(work["lost_ns"]) < 12 * run_ns < 2_159_106_350
    words = (HYBRID, HYBRID, "--iteration", "3", "--format", "json")
    assert run("overheads", analysis_of(HYBRID), *words) == 0
    assert json.loads(capsys.readouterr().out)["overhead_ns"] == 0


def test_activities_of_a_focus_fill_it_on_every_level(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis = analysis_of(HYBRID)
    focus = resolve_focus(analysis.run, FocusOptions(iteration="4"))
    for level in ("program", "process", "thread", "activity"):
        words = ("--level", level, "--metric", "main_ns", "--iteration", "4", "--format", "csv")
        assert run("hierarchy", analysis, HYBRID, *words) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        assert sum(float(row["value"]) for row in rows) == focus.times.length.sum(), level


def test_the_focus_of_a_side_stands_behind_its_name() -> None:
    assert split_name("a@b") == ("a@b", FocusOptions())
    found = split_name("a@b@region=MPI_Wait @x.c:10@ranks=0-3,7")
    assert found == ("a@b", FocusOptions(region="MPI_Wait @x.c:10", ranks="0-3,7"))
    with pytest.raises(UsageError, match="give each part of a focus once"):
        split_name("a@ranks=1@ranks=2")


# 100 ns in 200 bins.
def test_a_period_shorter_than_its_bins_has_no_phases(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("phases", analysis_of(LATE), "--window", "1us..1.1us") == 2
    assert "--bins 200: " in (error := capsys.readouterr().err)
    assert "shorter than one nanosecond per bin; give fewer bins" in error


def test_no_folder_is_left(analysis_of: Analyses, tmp_path: Path, monkeypatch: object) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # type: ignore[attr-defined]
    assert run("sql", analysis_of(LATE), "FROM runs", "--ranks", "0") == 0
    assert list(tmp_path.iterdir()) == []
