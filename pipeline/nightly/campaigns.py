"""The campaigns of a site, made anew when anything changed that they are made from."""

import json
import os
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.base.errors import PipelineError
from tracemill.base.text import hash_of, printable
from tracemill.engine.analyze import Options
from tracemill.engine.progress import Reporter
from tracemill.nightly.analyze import FATAL
from tracemill.nightly.campaign_inputs import mark_of
from tracemill.nightly.config import NightlyCampaign
from tracemill.nightly.notes import FOLDER, replace_document
from tracemill.nightly.outcome import CampaignOutcome
from tracemill.nightly.pages import Pages
from tracemill.store import Run, Store
from tracemill.store.leases import take
from tracemill.store.manifest import STORE_FORMAT_VERSION, UnreadableRecordError, load_document

if TYPE_CHECKING:
    from tracemill.campaign.campaign import Plan

# How often others are asked whether they are done.
_POLL_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Campaigns:
    """How the campaigns of a night are made; `unsettled` archives are left to another night."""

    folder: Path
    store: Store
    options: Options
    until: float
    unsettled: Collection[Path]
    has_report: bool
    reporter: Reporter

    def update(self, campaigns: Sequence[NightlyCampaign]) -> tuple[CampaignOutcome, ...]:
        """Make what is not as it would be made now; one that fails stops no other.

        None is begun when time is over. Raises UnwritableStoreError and MissingLibraryError.
        """
        outcomes = []
        for campaign in campaigns:
            if self._is_over():
                break
            try:
                outcomes += self._updated(campaign)
            except FATAL:
                raise
            except PipelineError as error:
                reason = printable(str(error))
                self.reporter.note(f"campaign {_name(campaign)}: failed: {reason}")
                outcomes.append(
                    CampaignOutcome(name=_name(campaign), reason=reason, exit_code=error.exit_code)
                )
        return tuple(outcomes)

    def _updated(self, campaign: NightlyCampaign) -> list[CampaignOutcome]:
        """The campaign as it is now; none if time was over while others made it."""
        while True:
            made = self._as_it_was(campaign)
            if made is not None:
                return [CampaignOutcome(name=made.run_id, run=made)]
            lease = take(self.store.leases_path, f"campaign {_name(campaign)}")
            if lease is not None:
                break
            if self._is_over():
                return []
            time.sleep(_POLL_SECONDS)
        with lease:
            return [self._made(campaign, self._plan(campaign))]

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def _as_it_was(self, campaign: NightlyCampaign) -> Run | None:
        """The campaign if nothing changed since it was made."""
        path = self._note_path(campaign)
        if not path.exists():
            return None
        try:
            note = load_document(path)
        except UnreadableRecordError:
            return None
        run = self._current(str(note.get("name")))
        if run is None or run.generation != note.get("generation"):
            return None
        return run if note.get("made_from") == self._mark(campaign) else None

    def _current(self, name: str) -> Run | None:
        """The campaign of that name if it and its report are intact."""
        try:
            run = self.store.campaigns.current(name)
        except (UnreadableRecordError, ValueError):
            return None
        is_told = not self.has_report or Pages.of_store(self.store).of_campaign(name)
        return run if run is not None and is_told and not run.missing_tables() else None

    def _plan(self, campaign: NightlyCampaign) -> "Plan":
        from tracemill.campaign.campaign import plan_campaign

        plan = plan_campaign(
            self.folder / campaign.runs if campaign.runs else None,
            told=campaign.told,
            store=self.store,
            reporter=self.reporter,
            allow_damaged=self.options.allow_damaged,
        )
        folders = {os.path.realpath(path.parent) for path in self.unsettled}
        settled = [
            member
            for member in plan.members
            if not folders or os.path.realpath(member.trace) not in folders
        ]
        return replace(plan, members=tuple(settled))

    def _made(self, campaign: NightlyCampaign, plan: "Plan") -> CampaignOutcome:
        from tracemill.campaign.campaign import make_campaign

        analysis = make_campaign(
            plan, store=self.store, options=self.options, reporter=self.reporter
        )
        if self.has_report:
            self._report(analysis.run)
        note = {
            "name": plan.name,
            "generation": analysis.run.generation,
            "made_from": self._mark(campaign),
            "store_format_version": STORE_FORMAT_VERSION,
        }
        replace_document(self._note_path(campaign), note)
        return CampaignOutcome(name=plan.name, run=analysis.run, is_new=analysis.is_new)

    def _report(self, run: Run) -> None:
        from tracemill.nightly.reporting import write_into
        from tracemill.reports.build_campaign import build_campaign_report

        report = build_campaign_report(
            run, threads=self.options.threads, memory_limit=self.options.memory_limit
        )
        write_into(self.store, report)

    def _note_path(self, campaign: NightlyCampaign) -> Path:
        """Where is noted what a campaign was made from."""
        told = json.dumps([str(self.folder.absolute()), campaign.runs, campaign.told], default=str)
        return self.store.path / FOLDER / "campaigns" / f"{hash_of(told)}.json"

    def _mark(self, campaign: NightlyCampaign) -> str:
        return mark_of(
            campaign,
            folder=self.folder,
            pointers=self.store.pointers(),
            options=self.options,
            unsettled=self.unsettled,
        )


def _name(campaign: NightlyCampaign) -> str:
    return str(campaign.told.get("name") or campaign.runs or "of all runs")
