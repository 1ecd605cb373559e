"""What the commands about campaigns do; `cli` only turns text into these calls."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.console import ProgressReporter, messages, results
from pipeline.store import Store

if TYPE_CHECKING:
    from pipeline.run import Options


def run_campaign(
    runs: Path | None,
    *,
    told: Mapping[str, Any],
    store: Path,
    options: "Options",
    has_report: bool,
) -> None:
    """Make a campaign, then tell what it shows and where everything lies."""
    from pipeline.campaign.campaign import make_campaign, plan_campaign

    opened = Store(store)
    with ProgressReporter() as reporter:
        plan = plan_campaign(runs, told=told, store=opened, reporter=reporter)
        analysis = make_campaign(plan, store=opened, options=options, reporter=reporter)
    text = analysis.summary if analysis.is_new else f"nothing to do: {analysis.summary}"
    messages().print(text, style="muted", markup=False, soft_wrap=True)
    results().print(f"tables  {analysis.run.path}", markup=False, soft_wrap=True)
