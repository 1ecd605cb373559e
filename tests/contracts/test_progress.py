"""Progress: bars on a terminal, plain text elsewhere."""

import io

from rich.console import Console
from rich.theme import Theme

from tracemill.base.console import STYLES, ProgressReporter, plain


def test_progress_is_plain_text_where_there_is_no_terminal() -> None:
    console = plain()
    with ProgressReporter(console) as reporter:
        reporter.stage_started("read", 100)
        reporter.stage_advanced("read", 60)
        reporter.stage_finished("read", 2.5)
        reporter.stage_started("call_tree", None)
        reporter.stage_finished("call_tree", 0.01)
        reporter.note("something\nworth [knowing]")
    assert console.export_text() == "reading events: 2.5 s\nsomething worth [knowing]\n"


def test_stages_can_have_other_titles() -> None:
    console = plain()
    with ProgressReporter(console, titles={"read": "gathering runs"}) as reporter:
        for stage in ("read", "call_tree"):
            reporter.stage_started(stage, None)
            reporter.stage_finished(stage, 1.0)
    assert console.export_text() == "gathering runs: 1.0 s\ncall tree: 1.0 s\n"


def test_progress_is_drawn_on_a_terminal() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, theme=Theme(STYLES))
    with ProgressReporter(console) as reporter:
        reporter.stage_started("read", 100)
        reporter.stage_advanced("read", 60)
    assert "60 / 100" in file.getvalue()
