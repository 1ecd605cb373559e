"""What the page of a night shows: its first screen, and what trends compare with."""

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.nights import outcome
from tracemill.comparison.efficiencies import Efficiencies
from tracemill.comparison.noise import run_time_change
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.nightly.judge import JudgedRun, Judgment, Regression
from tracemill.nightly.page import NightReport
from tracemill.nightly.pages import Pages
from tracemill.nightly.result import document_of
from tracemill.reports.model import Finding, Report


def series(name: str, *times: int) -> list[PastRun]:
    """Runs of an application that took so long."""
    return [
        PastRun(
            run_id=f"{name}{number}", generation="g", label=f"{name}-{number}",
            series=RunSeries(name, 4, 1), recorded_ns=number, written_ns=0, run_time_ns=time,
        )
        for number, time in enumerate(times)
    ]  # fmt: skip


def report_of(history: list[PastRun], judged: JudgedRun, folder: Path) -> Report:
    judgment, pages, titles = Judgment(judged=(judged,)), Pages(folder), Efficiencies({}, {})
    return NightReport(
        document=document_of(outcome(Path("/traces")), judgment, (), (), pages, titles),
        judgment=judgment, sentences=(), history=history, alarms=(), pages=pages, titles={},
    ).build()  # fmt: skip


def trends(history: list[PastRun], judged: JudgedRun, folder: Path) -> dict[str, tuple[Any, ...]]:
    """Before, latest and change of each application."""
    (table,) = report_of(history, judged, folder).section("trends").tables
    names = [each.name for each in table.columns]
    wanted = [names.index(each) for each in ("before_ns", "latest_ns", "change_ratio")]
    return {
        str(row[names.index("application")]): tuple(row[at] for at in wanted) for row in table.rows
    }


# The verdict says 110 ns -> 165 ns, 50% longer. The median of the runs before is 100 ns.
def test_trends_compare_with_the_same_mean_as_the_verdict(tmp_path: Path) -> None:
    *base, latest = series("lulesh", 100, 100, 130, 165)
    change = run_time_change([each.run_time_ns for each in base], [latest.run_time_ns])
    judged = JudgedRun(run=latest, base=tuple(base), change=change)
    found = trends([*base, latest], judged, tmp_path)
    assert found == {"lulesh": (110, 165, pytest.approx(0.5))}


# A worse run of the same night and those beyond a limit of the history are no base.
def test_trends_leave_out_what_the_verdict_leaves_out(tmp_path: Path) -> None:
    old, one, worse, latest = series("lulesh", 900, 100, 300, 120)
    judged = JudgedRun(run=latest, base=(one,), change=run_time_change([100], [120]))
    found = trends([old, one, worse, latest], judged, tmp_path)
    assert found == {"lulesh": (100, 120, pytest.approx(0.2))}


def test_trends_of_other_series_compare_with_the_ten_runs_before(tmp_path: Path) -> None:
    new = series("new", 7)
    others = series("other", 900, *[100] * 5, *[200] * 5, 300)
    found = trends([*others, *new], JudgedRun(run=new[0]), tmp_path)
    assert found == {"other": (150, 300, pytest.approx(1.0)), "new": (None, 7, None)}


def test_a_card_has_the_main_cause_and_the_words_have_all(tmp_path: Path) -> None:
    *base, latest = series("lulesh", 100, 100, 165)
    change = run_time_change([100, 100], [165])
    found = Regression(
        run=latest, base=tuple(base), is_baseline=False, condition="", reason="", change=change,
        explanations=(Finding("Work in a: +60.0 ns.", ""), Finding("Waiting in b: +20.0 ns.", "")),
    )  # fmt: skip
    judged = JudgedRun(run=latest, base=tuple(base), change=change, regressions=(found,))
    summary = report_of([*base, latest], judged, tmp_path).section("summary")
    assert summary.opening is not None
    assert [each.detail for each in summary.opening.findings] == ["Work in a: +60.0 ns."]
    assert [each.detail for each in summary.findings] == [
        "Work in a: +60.0 ns. Waiting in b: +20.0 ns."
    ]
