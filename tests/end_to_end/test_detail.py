"""Runs with less than every visit: what they show, and what asks for more."""

from pathlib import Path

import pytest

from tracemill.base.errors import UsageError
from tracemill.engine.analyze import Options, analyze
from tracemill.engine.focusing.options import FocusOptions
from tracemill.engine.focusing.resolve import resolve_focus
from tracemill.replay.opening import opened_graph
from tracemill.reports.build import build_report
from tracemill.store.runs import Run, Store

TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"


def analyzed(folder: Path, detail: str) -> Run:
    options = Options(threads=1, parameters={"detail": detail})
    return analyze(TRACE, store=Store(folder), options=options).run


def test_a_focus_needs_every_visit(tmp_path: Path) -> None:
    run = analyzed(tmp_path, "calls")
    with pytest.raises(UsageError, match=r"a focus needs every visit.*--detail full"):
        resolve_focus(run, FocusOptions(ranks="0"))


def test_a_profile_has_no_sections_of_records(tmp_path: Path) -> None:
    run = analyzed(tmp_path, "profile")
    report = build_report(run, threads=1)
    keys = {section.key for section in report.sections}
    assert {"summary", "overheads", "call-tree", "load-balance"} <= keys
    assert keys.isdisjoint({"wait-states", "critical-path", "communication", "timeline"})
    assert any(remark.startswith("Detail: profile.") for remark in report.sections[0].remarks)
    with (
        pytest.raises(UsageError, match=r"a replay needs the records of calls.*calls or full"),
        opened_graph(run),
    ):
        pass


def test_another_detail_computes_again(tmp_path: Path) -> None:
    generations = {analyzed(tmp_path, detail).generation for detail in ("full", "calls", "full")}
    assert len(generations) == 2
