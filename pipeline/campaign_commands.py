"""What the commands about campaigns do; `cli` only turns text into these calls."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracemill.base.console import ProgressReporter, results, tell_places
from tracemill.base.errors import UsageError
from tracemill.commands import tell_what_was_done
from tracemill.reports.build_campaign import build_campaign_report, build_campaign_summary
from tracemill.reports.files import write_reports
from tracemill.reports.terminal import print_summary
from tracemill.store import Store

if TYPE_CHECKING:
    from tracemill.engine.analyze import Options

READING_RUNS = {"read": "gathering runs"}


def run_campaign(
    runs: Path | None,
    *,
    told: Mapping[str, Any],
    store: Path,
    options: "Options",
    has_report: bool,
) -> None:
    """Make a campaign, then tell what it shows and where everything lies."""
    from tracemill.campaign.campaign import make_campaign, plan_campaign

    if runs is None and options.parameters:
        raise UsageError(
            "--overhead-classes without RUNS: runs of the store stay as they were analysed: name "
            "their traces"
        )
    opened = Store(store)
    with ProgressReporter(titles=READING_RUNS) as reporter:
        plan = plan_campaign(
            runs,
            told=told,
            store=opened,
            reporter=reporter,
            allow_damaged=options.allow_damaged,
        )
        analysis = make_campaign(plan, store=opened, options=options, reporter=reporter)
    tell_what_was_done(analysis)
    build = build_campaign_report if has_report else build_campaign_summary
    report = build(analysis.run, threads=options.threads, memory_limit=options.memory_limit)
    written = write_reports(report, store) if has_report else []
    print_summary(report, results())
    tell_places([*written, ("tables", analysis.run.path)])
