"""What is done otherwise for a small trace, to save time, gives what it gives for a large one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tracemill.engine import execute as engine
from tracemill.engine.analyze import Analysis, analyze_source
from tracemill.readers import open_source
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.store import generation, runs
from tracemill.store.runs import Run, Store

TRACE = Path(__file__).parents[2] / "data" / "m03_ls_waitall"


@pytest.fixture(scope="module")
def run(analysis_of: Callable[[str], Analysis]) -> Run:
    return analysis_of(TRACE.name).run


def content(run: Run) -> dict[str, bytes]:
    """Every Parquet file of a run."""
    return {str(each.relative_to(run.path)): each.read_bytes() for each in run.path.rglob("*.p*")}


def test_results_that_are_streamed_are_those_that_are_held(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (engine, generation):
        monkeypatch.setattr(module, "FEW_ROWS", -1)
    streamed = analyze_source(open_source(TRACE), store=Store(tmp_path)).run
    assert content(streamed) == content(run)


def test_a_report_on_views_is_that_on_tables_in_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = render_html(build_report(run))
    monkeypatch.setattr(runs, "_SMALL_BYTES", -1)
    assert render_html(build_report(run)) == held
