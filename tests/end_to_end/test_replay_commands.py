"""The commands what-if and pop, and the summary and sections of the report."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.theme import Theme

from tests.helpers.commands import run
from tracemill import cli
from tracemill.base.console import STYLES
from tracemill.engine.analyze import Analysis
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.reports.model import Report
from tracemill.reports.terminal import print_section
from tracemill.reports.units import grade_of

PATH, HYBRID = "e06_critical_path", "m29_hybrid"
Analyses = Callable[[str], Analysis]


# f has 5 ms on the path and 3 ms of gain, because g on rank 1 takes 2 ms at the same time.
def test_what_if_prints_the_run_time_and_the_new_path(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("what-if", analysis_of(PATH), "--scale", "f=0") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Run time: 5.06 ms instead of 8.06 ms, 3.00 ms (37.2%) less."
    assert [line.split() for line in lines[3:5]] == [
        ["main/h", "2.00", "ms", "2.00", "ms"], ["main/g", "2.00", "ms", "0", "s"],
    ]  # fmt: skip


def test_a_factor_above_one_makes_the_run_longer(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("what-if", analysis_of(PATH), "--scale", "f=1.5", "--scale", "h=2") == 0
    assert "12.6 ms instead of 8.06 ms, 4.50 ms (55.8%) more" in capsys.readouterr().out


def test_paths_of_no_slack_are_explained(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("what-if", analysis_of(PATH), "--paths", "4", "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["length_ns"], row["call_path"], row["location"]) for row in rows] == [
        ("8060000", "", ""), ("8060000", "main", "1.0"), ("8060000", "main", "2.0"),
        ("5060000", "main/g", "1.0"),
    ]  # fmt: skip
    assert run("what-if", analysis_of(PATH), "--paths", "2") == 0
    assert "gains nothing" in capsys.readouterr().out


def test_other_formats_have_the_path_of_both_runs(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("what-if", analysis_of(PATH), "--scale", "mpi=0", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert sum(row["path_ns"] for row in rows) == rows[0]["run_ns"] == 7_770_000
    assert sum(row["path_before_ns"] for row in rows) == rows[0]["run_before_ns"] == 8_060_000


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "what-if needs a part and a factor: add --scale solve=0.5, or --paths 5"),
        (("--scale", "g"), "--scale g: no factor: write SELECTOR=FACTOR, such as solve=0.5"),
        (("--scale", "gg=0"), "--scale: no region gg: did you mean g?"),
        (
            ("--scale", "main/f=0"),
            "--scale: no region main/f: it is a call path: write path:main/f",
        ),
        (("--scale", "g=-1"), "--scale g=-1: the factor must be 0 or more, and finite"),
        (("--scale", "node:n7=0"), "--scale: no node n7: present: "),
        (("--scale", "messages:all=0"), "--scale: no selector messages:all: did you mean "),
    ],
)
def test_wrong_parts_are_refused(
    analysis_of: Analyses,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    error: str,
) -> None:
    assert run("what-if", analysis_of(PATH), *arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"tracemill: {error}")
    assert len(printed.err.splitlines()) == 1


def test_pop_prints_the_efficiencies(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pop", analysis_of(PATH)) == 0
    assert capsys.readouterr().out.startswith(
        "Parallel efficiency 51.5%: load balance 70.8%, serialization 74.2% and transfer 98.1%.\n"
    )


# Both ranks enter and leave the barrier at once, so that nobody waits; on an ideal network the run
# would take 20 of 100 ns.
def test_pop_says_that_calls_take_long_without_waiting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["Timestamp (ns),Event Type,Name,Process"] + [
        f"{time},{kind},{name},{rank}"
        for time, kind, name in (
            (0, "Enter", "main"), (10, "Enter", "MPI_Barrier"),
            (90, "Leave", "MPI_Barrier"), (100, "Leave", "main"),
        )
        for rank in (0, 1)
    ]  # fmt: skip
    (tmp_path / "long.csv").write_text("\n".join(rows))
    store = ["--store", str(tmp_path / "store")]
    assert cli.main(["analyze", str(tmp_path / "long.csv"), *store, "--no-report"]) == 0
    capsys.readouterr()
    assert cli.main(["pop", *store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "Parallel efficiency 20.0%: load balance 100.0%, serialization 100.0% and transfer 20.0%.",
        "MPI calls take long without waiting for anybody.",
    ]


def test_pop_of_a_hybrid_program_has_those_of_openmp(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pop", analysis_of(HYBRID), "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {
        row["metric"]: round(float(row["multiplicative_ratio"]), 6)
        for row in rows
        if row["interval"] == "init to finalize"
    }
    assert found["mpi_efficiency"] == 0.580051
    assert found["openmp_efficiency"] == 0.582263
    assert found["parallel_efficiency"] == 0.337742


# MPI loses nothing in a run of one process: parts of MPI would only say 100%.
def test_pop_of_a_run_without_mpi_names_what_its_threads_lose(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pop", analysis_of("m28_omp_critical")) == 0
    sentence = capsys.readouterr().out.splitlines()[0]
    assert re.fullmatch(
        r"Parallel efficiency 27\.1%: OpenMP serialization [\d.]+%, OpenMP load balance [\d.]+% "
        r"and OpenMP scheduling [\d.]+%\.",
        sentence,
    )


def rows_of_pop(
    analysis: Analysis, capsys: pytest.CaptureFixture[str], *words: str
) -> dict[tuple[str, str], float]:
    """Multiplicative efficiencies by interval and name, in percent."""
    assert run("pop", analysis, *words, "--format", "csv") == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {
        (row["interval"], row["metric"]): round(100 * float(row["multiplicative_ratio"]), 1)
        for row in rows
    }


# The whole run: useful are the 5750, 4710 and 1750 µs above, and what main spends around MPI_Init
# and MPI_Finalize, 10 + 10 on each rank; it takes 8060.
def test_pop_prints_one_interval(analysis_of: Analyses, capsys: pytest.CaptureFixture[str]) -> None:
    found = rows_of_pop(analysis_of(PATH), capsys, "--interval", "whole")
    assert {interval for interval, _ in found} == {"whole"}
    assert found["whole", "parallel_efficiency"] == round(100 * (4070 + 20) / 8060, 1)
    found = rows_of_pop(analysis_of(PATH), capsys, "--interval", "init to finalize")
    assert {interval for interval, _ in found} == {"init to finalize"}


# From 3000 to 6000 µs: 2150, 850 and 0 useful.
def test_pop_prints_the_efficiencies_of_a_focus(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows_of_pop(analysis_of(PATH), capsys, "--window", "3ms..6ms")
    assert found["focus", "parallel_efficiency"] == 33.3
    assert found["focus", "load_balance"] == round(100 * 1000 / 2150, 1)
    found = rows_of_pop(analysis_of(PATH), capsys, "--ranks", "0", "--interval", "whole")
    assert found["whole", "parallel_efficiency"] == round(100 * 5770 / 8060, 1)


@pytest.mark.parametrize(
    ("name", "words", "error"),
    [
        ("m28_omp_critical", ("--interval", "init to finalize"),
         "--interval init to finalize: m28_omp_critical: no MPI_Init and MPI_Finalize of all "
         "processes: there is only whole"),
        (PATH, ("--window", "3ms..6ms", "--interval", "whole"), "--interval whole: "),
        (PATH, ("--window", "1.2ms..5ms", "--ranks", "2"),
         "e06_critical_path, from 0.0012 s to 0.005 s, rank 2, 16% of the main part: no thread "
         "computes: there are no efficiencies"),
        (PATH, ("--phase", "0", "--threshold", "7"),
         "e06_critical_path: --threshold 7: no such level of phases"),
    ],
)  # fmt: skip
def test_efficiencies_that_do_not_exist_are_refused(
    analysis_of: Analyses,
    capsys: pytest.CaptureFixture[str],
    name: str,
    words: tuple[str, ...],
    error: str,
) -> None:
    assert run("pop", analysis_of(name), *words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith(f"tracemill: {error}")


# Below 0.5 red, below 0.8 pale, else green: parallel efficiency 33.8%, load balance 58.1% and
# transfer 99.9%.
def test_efficiencies_are_colored(analysis_of: Analyses) -> None:
    section = build_report(analysis_of(HYBRID).run).section("efficiencies")
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system="standard", theme=Theme(STYLES),
        width=120,
    )  # fmt: skip
    print_section(section, console)
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue()
    for color, cell in (("1;31", "33.8%"), ("33", "58.1%"), ("32", "99.9%")):
        assert re.search(rf"\x1b\[{color}m *{cell}\x1b", printed)
    page = render_html(Report(title="", subtitle="", name="", sections=(section,)))
    for grade, cell in (("bad", "33.8%"), ("fair", "58.1%"), ("good", "99.9%")):
        assert f'<td class="n {grade}">{cell}</td>' in page


@pytest.mark.parametrize(
    ("value", "grade"),
    [(0.49999, "bad"), (0.5, "fair"), (0.79999, "fair"), (0.8, "good"), (1.2, "good"),
     (None, ""), (float("nan"), "")],
)  # fmt: skip
def test_grades_are_those_of_pop(value: float | None, grade: str) -> None:
    assert grade_of(value) == grade


def test_the_summary_says_what_removing_the_first_candidate_brings(analysis_of: Analyses) -> None:
    report = build_report(analysis_of(PATH).run)
    sentences = report.section("summary").sentences
    assert (
        'Without "main/f", the whole run would take 5.06 ms instead of 8.06 ms, 3.00 ms (37.2%) '
        "less. That is less than the 5.00 ms of this call path on the critical path, because other "
        "work would become critical."
    ) in sentences
    assert report.section("gains").tables[0].rows
    assert report.section("efficiencies").tables[0].rows


# Both ranks pass the fences at 10..20 and 30..50, of which the trace has only the regions: 60 of
# all 120 ns. Only rank 0 has a record of the barrier at 52..55.
FENCES = """\
Timestamp (ns),Event Type,Name,Process,Operation
0,Enter,main,0,
0,Enter,main,1,
10,Enter,MPI_Win_fence,0,
10,Enter,MPI_Win_fence,1,
20,Leave,MPI_Win_fence,0,
20,Leave,MPI_Win_fence,1,
30,Enter,MPI_Win_fence,0,
30,Enter,MPI_Win_fence,1,
50,Leave,MPI_Win_fence,0,
50,Leave,MPI_Win_fence,1,
52,Enter,MPI_Barrier,0,
52,Enter,MPI_Barrier,1,
53,Instant,MpiCollectiveBegin,0,
54,Instant,MpiCollectiveEnd,0,barrier
55,Leave,MPI_Barrier,0,
55,Leave,MPI_Barrier,1,
60,Leave,main,0,
60,Leave,main,1,
"""


def test_calls_that_nobody_is_known_to_wait_for_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fences.csv").write_text(FENCES)
    store = ["--store", str(tmp_path / "store")]
    assert cli.main(["analyze", str(tmp_path / "fences.csv"), *store, "--no-report"]) == 0
    fences = (
        "One-sided operations were not recorded: waiting in 4 calls such as MPI_Win_fence (50.0% "
        "of all time) is unknown."
    )
    barrier = (
        "Members of some collectives were not recorded: waiting in 1 call such as MPI_Barrier "
        "(2.5% of all time) is unknown."
    )
    for command, where in (
        (["pop"], "It hides in useful or transfer time."),
        (
            ["what-if", "--scale", "main=0.5"],
            "This waiting is part of the calls' durations and stays as recorded.",
        ),
    ):
        capsys.readouterr()
        assert cli.main([*command, *store]) == 0
        out = capsys.readouterr().out
        assert f"{fences} {where}" in out
        assert f"{barrier} {where}" in out
