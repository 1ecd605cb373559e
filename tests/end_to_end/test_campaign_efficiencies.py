"""Efficiencies over a campaign: the command pop, the page and the summary."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.helpers.counted_runs import write_counted
from tests.helpers.ring_campaigns import campaign
from tests.reference.cases import DATA
from tracemill.base.errors import MissingInputError, UsageError
from tracemill.cli import main
from tracemill.engine.analyze import Analysis
from tracemill.reports.build_campaign import build_campaign_report, build_campaign_summary
from tracemill.reports.html import render_html

# Processes, and time (ns), instructions and cycles of the work of each process. All together
# 800, 1000 and 1200 ns; 800, 1000 and 1000 instructions; 1600, 2000 and 2160 cycles.
RUNS = ((1, (800, 800, 1600)), (2, (500, 500, 1000)), (4, (300, 250, 540)))


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("counted")
    for processes, work in RUNS:
        write_counted(folder / "runs" / f"x_p{processes}", [{"work": work}] * processes)
    return campaign(folder / "runs", folder / "store")


def pop(made: Analysis, *options: str) -> int:
    return main(["pop", made.run.run_id, "--store", str(made.run.path.parents[2]), *options])


def test_computation_scaling_has_parts_with_counters(
    counted: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 4: 800/1200 = 800/1000 × (1000/2160)/(800/1600) × (2160/1200)/(1600/800)."""
    assert pop(counted, "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {
        row["metric"]: float(row["value"]) for row in rows if row["processes"] == "4"
    }  # fmt: skip
    assert found == {
        "global_efficiency": pytest.approx(2 / 3), "parallel_efficiency": 1, "load_balance": 1,
        "communication_efficiency": 1, "serialization_efficiency": 1, "transfer_efficiency": 1,
        "computation_scaling": pytest.approx(2 / 3), "instruction_scaling": 0.8,
        "ipc_scaling": pytest.approx(1000 / 2160 * 2), "frequency_scaling": pytest.approx(0.9),
        "speed_up": pytest.approx(800 / 300), "run_time": 300, "ideal_run_time": 300,
        "useful_time": 1200, "instructions_per_cycle": pytest.approx(1000 / 2160),
        "cycles_per_ns": pytest.approx(1.8),
    }  # fmt: skip
    assert pop(counted, "--format", "json") == 0
    assert len(json.loads(capsys.readouterr().out)) == len(rows)


def test_the_command_prints_a_column_per_configuration(
    counted: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pop(counted) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "From 1 to 4 processes, global efficiency falls from 100.0% to 66.7%, because all "
        "processes together execute more instructions (instruction scaling 80.0%), cores run "
        "slower (clock frequency 90.0%) and cores complete fewer instructions per cycle "
        "(instructions per cycle 92.6%); parallel efficiency is 100.0% and the "
        "speed-up 2.67."
    )
    cells = {tuple(line.split()[-4:]) for line in lines}
    assert ("Efficiency", "1", "2", "4") in cells
    assert ("efficiency", "100.0%", "80.0%", "66.7%") in cells


# Mainly the serial part of rank 0 limits scaling.
def test_page_and_summary_open_with_efficiencies(recorded_campaign: Analysis) -> None:
    report = build_campaign_report(recorded_campaign.run)
    assert [each.key for each in report.sections[:2]] == ["summary", "efficiencies"]
    section = report.sections[1]
    verdict, first, *_ = report.sections[0].sentences
    assert report.sections[0].opening is not None
    assert verdict == report.sections[0].opening.verdict
    assert first == section.sentences[0]
    assert section.sentences[0].startswith(
        "From 2 to 8 processes at n = 400, global efficiency falls"
    )
    (summary,) = build_campaign_summary(recorded_campaign.run).sections
    assert summary.sentences[:2] == (verdict, first)
    assert [table.title for table in section.tables] == [
        "POP efficiencies by processes at n = 400", "POP efficiencies by processes at n = 200",
        "Times of the efficiencies: Ideal run time", "Times of the efficiencies: Useful",
    ]  # fmt: skip
    assert [column.title for _, column in section.tables[0].shown] == ["Efficiency", "2", "8"]
    assert 'class="n bad"' in render_html(report)


def test_queries_of_the_tables_return_their_rows(recorded_campaign: Analysis) -> None:
    section = build_campaign_report(recorded_campaign.run).section("efficiencies")
    connection = recorded_campaign.run.connect()
    assert section.tables
    try:
        for table in section.tables:
            cursor = connection.execute(table.sql)
            assert [column[0] for column in cursor.description] == [
                column.name for column in table.columns
            ]
            assert tuple(cursor.fetchall()) == table.rows
    finally:
        connection.close()


def test_tables_of_several_programs_name_them(tmp_path: Path) -> None:
    for name, threads in (("a_p1", 1), ("b_p1", 1), ("b_p2", 2)):
        write_counted(tmp_path / "runs" / name, [{"work": (800, 800, 1600)}] * threads)
    report = build_campaign_report(campaign(tmp_path / "runs", tmp_path / "store").run)
    section = report.section("efficiencies")
    assert [table.title for table in section.tables[:2]] == [
        "POP efficiencies of a by processes",
        "POP efficiencies of b by processes with weak scaling",
    ]  # fmt: skip
    assert section.sentences == (
        "a: with 1 process, parallel efficiency is 100.0%; how it scales is not known, because all "
        "runs have the same number of CPUs.",
        "b: from 1 to 2 processes with weak scaling, global efficiency stays at 100.0%; parallel "
        "efficiency is 100.0% and the speed-up 2.",
    )


def test_intervals_and_focus_are_for_runs(
    counted: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (("--interval", "whole"), ("--ranks", "0")):
        assert pop(counted, *options) == UsageError.exit_code
        (line,) = capsys.readouterr().err.splitlines()
        assert line == "tracemill: runs is a campaign: --interval and a focus are for runs"


def test_unknown_names_are_answered_with_campaigns(
    counted: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(counted.run.path.parents[2])
    assert main(["pop", "nosuch", "--store", store]) == MissingInputError.exit_code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tracemill: no run or campaign nosuch: ")
    assert line.endswith("or give campaign runs")


def test_a_campaign_without_traces_has_no_efficiencies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = campaign(DATA / "campaigns" / "timings.csv", tmp_path, variants="best")
    assert [each.key for each in build_campaign_report(made.run).sections[:1]] == ["summary"]
    assert pop(made) == UsageError.exit_code
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "tracemill: timings: no run has a trace: there are no efficiencies"
