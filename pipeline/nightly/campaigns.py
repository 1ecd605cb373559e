"""Updates the campaigns of the configuration whose traces, runs or description changed."""

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tracemill.base.errors import PipelineError
from tracemill.base.text import printable
from tracemill.campaign.campaign import CampaignPlan, make_campaign, plan_campaign
from tracemill.engine.analyze import Options
from tracemill.engine.progress import Reporter
from tracemill.nightly.analyze import FATAL
from tracemill.nightly.config import ConfiguredCampaign
from tracemill.nightly.outcome import CampaignOutcome
from tracemill.nightly.pages import Pages, write_report
from tracemill.reports.build_campaign import build_campaign_report
from tracemill.store.leases import Lease, take
from tracemill.store.runs import Store

# Time between two tries to take the lease of another night.
_POLL_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Campaigns:
    """Updates campaigns; their paths are relative to `folder`.

    `run_ids` are the up-to-date runs of archives. Archives `not_ready` are left to another night.
    Traces in `failures` become failed runs. After `until` of the monotonic clock no campaign is
    started.
    """

    folder: Path
    store: Store
    options: Options
    until: float
    run_ids: Mapping[Path, str]
    not_ready: Collection[Path]
    failures: Mapping[Path, str]
    has_report: bool
    reporter: Reporter

    def update(self, campaigns: Sequence[ConfiguredCampaign]) -> tuple[CampaignOutcome, ...]:
        """Make the campaigns that changed; after a failure the others are still made."""
        outcomes = []
        for campaign in campaigns:
            if self._is_over():
                break
            try:
                outcome = self._update(campaign)
            except FATAL:
                raise
            except PipelineError as error:
                reason = printable(str(error))
                self.reporter.note(f"campaign {campaign.name}: failed: {reason}")
                outcome = CampaignOutcome(
                    name=campaign.name, reason=reason, exit_code=error.exit_code
                )
            if outcome is not None:
                outcomes.append(outcome)
        return tuple(outcomes)

    def _update(self, campaign: ConfiguredCampaign) -> CampaignOutcome | None:
        """The outcome of one campaign; None if time ended while another night made it."""
        lease = self._lease(campaign)
        if lease is None:
            return None
        with lease:
            analysis = make_campaign(
                self._plan(campaign), store=self.store, options=self.options, reporter=self.reporter
            )
            run = analysis.run
            has_page = Pages.of_store(self.store).of_campaign(run.run_id) is not None
            if self.has_report and (analysis.is_new or not has_page):
                report = build_campaign_report(
                    run, threads=self.options.threads, memory_limit=self.options.memory_limit
                )
                write_report(self.store, report)
        return CampaignOutcome(name=run.run_id, run=run, is_new=analysis.is_new)

    def _lease(self, campaign: ConfiguredCampaign) -> Lease | None:
        name = f"campaign {campaign.name}"
        while (lease := take(self.store.leases_path, name)) is None and not self._is_over():
            time.sleep(_POLL_SECONDS)
        return lease

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def _plan(self, campaign: ConfiguredCampaign) -> CampaignPlan:
        plan = plan_campaign(
            self.folder / campaign.runs if campaign.runs else None,
            fields=campaign.fields,
            store=self.store,
            reporter=self.reporter,
            allow_damaged=self.options.allow_damaged,
        )
        left_out = {_folder(path) for path in self.not_ready}
        run_ids = {_folder(path): run_id for path, run_id in self.run_ids.items()}
        failures = {_folder(path): reason for path, reason in self.failures.items()}
        return replace(
            plan,
            members=tuple(
                replace(
                    each,
                    run_id=each.run_id or run_ids.get(folder, ""),
                    failure=failures.get(folder, ""),
                )
                for each in plan.members
                if (folder := _folder(each.trace)) not in left_out
            ),
        )


def _folder(trace: Path) -> str:
    """The real path of the folder of an archive, or of a trace in one file."""
    return os.path.realpath(trace.parent if trace.suffix == ".otf2" else trace)
