"""What is not needed is not imported: reading starts quickly and in little memory."""

import subprocess
import sys

import pytest

HEAVY = {"numba", "polars", "scipy", "matplotlib", "plotly", "jinja2", "rich"}


@pytest.mark.parametrize(
    ("modules", "unneeded"),
    [
        ("tracemill.engine.analyze, tracemill.readers", HEAVY),
        (
            "tracemill.store.finding, tracemill.reports.build, tracemill.reports.files, "
            "tracemill.reports.html, tracemill.reports.markdown, tracemill.reports.terminal",
            {"scipy", "matplotlib", "numba", "pydantic"},
        ),
    ],
)
def test_what_runs_need_not_is_not_loaded(modules: str, unneeded: set[str]) -> None:
    script = f"import {modules}, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert unneeded & set(done.stdout.split()) == set()
