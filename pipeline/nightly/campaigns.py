"""The campaigns of a site, made anew when anything changed that they are made from."""

import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.campaign.campaign import Plan, make_campaign, plan_campaign
from pipeline.campaign.choices import parameters_of
from pipeline.campaign.discovery import Member
from pipeline.errors import MissingLibraryError, PipelineError, StoreError
from pipeline.graph import code_hash
from pipeline.nightly.config import NightlyCampaign
from pipeline.nightly.notes import FOLDER, replace_document
from pipeline.nightly.outcome import CampaignOutcome
from pipeline.reporter import Reporter
from pipeline.run import Options
from pipeline.sql import all_queries
from pipeline.store import Run, Store
from pipeline.store.leases import take
from pipeline.store.manifest import STORE_FORMAT_VERSION, UnreadableRecordError, load_document
from pipeline.text import hash_of, printable

_FATAL = (StoreError, MissingLibraryError)


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

        None is begun when time is over. Raises StoreError and MissingLibraryError.
        """
        outcomes = []
        for campaign in campaigns:
            if time.monotonic() >= self.until:
                break
            try:
                outcomes.append(self._updated(campaign))
            except _FATAL:
                raise
            except PipelineError as error:
                reason = printable(str(error))
                self.reporter.note(f"campaign {_name(campaign)}: failed: {reason}")
                outcomes.append(
                    CampaignOutcome(name=_name(campaign), reason=reason, exit_code=error.exit_code)
                )
        return tuple(outcomes)

    def _updated(self, campaign: NightlyCampaign) -> CampaignOutcome:
        plan = self._plan(campaign)
        current = self._current(plan.name)
        if current is not None and self._noted(plan.name) == [current.generation, self._mark(plan)]:
            return CampaignOutcome(name=plan.name, run=current)
        lease = take(self.store.leases_path, f"campaign {plan.name}")
        if lease is None:
            reason = "" if current else "another process makes it at the moment"
            return CampaignOutcome(name=plan.name, run=current, reason=reason)
        with lease:
            return self._made(plan)

    def _plan(self, campaign: NightlyCampaign) -> Plan:
        plan = plan_campaign(
            self.folder / campaign.runs if campaign.runs else None,
            told=campaign.told,
            store=self.store,
            reporter=self.reporter,
            allow_damaged=self.options.allow_damaged,
        )
        places = {os.path.realpath(path.parent) for path in self.unsettled}
        settled = [each for each in plan.members if os.path.realpath(each.trace) not in places]
        return replace(plan, members=tuple(settled))

    def _made(self, plan: Plan) -> CampaignOutcome:
        analysis = make_campaign(
            plan, store=self.store, options=self.options, reporter=self.reporter
        )
        if self.has_report:
            self._report(analysis.run)
        self._note(plan, analysis.run)
        return CampaignOutcome(name=plan.name, run=analysis.run, is_new=analysis.is_new)

    def _report(self, run: Run) -> None:
        from pipeline.reports.build import build_campaign_report
        from pipeline.reports.files import write_reports

        report = build_campaign_report(
            run, threads=self.options.threads, memory_limit=self.options.memory_limit
        )
        write_reports(report, self.store.path)

    def _current(self, name: str) -> Run | None:
        try:
            run = self.store.campaigns.current(name)
        except UnreadableRecordError:
            return None
        return None if run is None or run.missing_tables() else run

    def _place(self, name: str) -> Path:
        return self.store.path / FOLDER / "campaigns" / f"{name}.json"

    def _noted(self, name: str) -> list[str] | None:
        if not self._place(name).exists():
            return None
        try:
            note = load_document(self._place(name))
        except UnreadableRecordError:
            return None
        return [note.get("generation", ""), note.get("made_from", "")]

    def _note(self, plan: Plan, run: Run) -> None:
        """Note what a campaign was made from, to be asked again only when that changes."""
        version = {"store_format_version": STORE_FORMAT_VERSION}
        note = {"generation": run.generation, "made_from": self._mark(plan)}
        replace_document(self._place(plan.name), {**note, **version})

    def _mark(self, plan: Plan) -> str:
        """A hash of all that tables and report of a campaign are made from.

        Of its traces that are the runs in the store and the state of the files.
        """
        runs = self._runs_by_path()
        parameters = {**self.options.parameters, **parameters_of(plan.description, plan.path)}
        told = [
            repr(replace(plan, members=())),
            [_told(member, runs) for member in plan.members],
            repr(sorted(parameters.items())),
            str(self.options.allow_damaged),
            str(self.has_report),
            code_hash(("pipeline", "schemas")),
            [query.text for query in all_queries()],
        ]
        return hash_of(json.dumps(told))

    def _runs_by_path(self) -> dict[str, list[str]]:
        """Run and generation of every run of the store, by its trace and the folder of that."""
        found: dict[str, list[str]] = {}
        for run_id, pointer in self.store.pointers().items():
            path = os.path.realpath(pointer.source.path)
            for place in (path, os.path.dirname(path), run_id):
                found.setdefault(place, []).append(f"{run_id}/{pointer.generation}")
        return found


def _name(campaign: NightlyCampaign) -> str:
    return str(campaign.told.get("name") or campaign.runs or "of all runs")


def _told(member: Member, runs: dict[str, list[str]]) -> list[object]:
    """What a campaign is told of a member."""
    if member.run_id:
        return [repr(member), runs.get(member.run_id)]
    return [
        repr(member),
        runs.get(os.path.realpath(member.trace)),
        list(_states(member.trace)),
    ]


def _states(trace: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of a file or of all files of a folder, to the depth that traces have."""
    if not trace.is_dir():
        if trace.exists():
            status = trace.stat()
            yield trace.name, status.st_size, status.st_mtime_ns
        return
    for path in sorted((*trace.iterdir(), *trace.glob("*/*"))):
        if path.is_file():
            status = path.stat()
            yield str(path.relative_to(trace)), status.st_size, status.st_mtime_ns
