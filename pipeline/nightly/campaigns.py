"""Updates the campaigns of the configuration whose traces, runs or description changed."""

import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tracemill.base.errors import PipelineError
from tracemill.base.text import hash_of, printable
from tracemill.campaign.campaign import Plan, make_campaign, plan_campaign
from tracemill.campaign.choices import parameters_of
from tracemill.campaign.discovery import Member
from tracemill.engine.analyze import Options
from tracemill.engine.graph import code_hash
from tracemill.engine.progress import Reporter
from tracemill.nightly.analyze import FATAL
from tracemill.nightly.config import ConfiguredCampaign
from tracemill.nightly.notes import FOLDER, read_document, write_document
from tracemill.nightly.outcome import CampaignOutcome
from tracemill.nightly.pages import Pages, write_report
from tracemill.reports.build_campaign import build_campaign_report
from tracemill.sql.query_files import all_queries
from tracemill.store import Run, Store
from tracemill.store.leases import Lease, take
from tracemill.store.manifest import UnreadableRecordError

# Time between two looks at the lease of another night.
_POLL_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Campaigns:
    """How the campaigns in `folder` are made; archives `not_ready` are left to another night."""

    folder: Path
    store: Store
    options: Options
    until: float
    not_ready: Collection[Path]
    has_report: bool
    reporter: Reporter

    def update(self, campaigns: Sequence[ConfiguredCampaign]) -> tuple[CampaignOutcome, ...]:
        """Make the campaigns that changed; one that fails stops no other.

        None is begun when time is over. Raises UnwritableStoreError and MissingLibraryError.
        """
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
        """The campaign as it is now; None if time was over while another night made it."""
        lease = self._lease(campaign)
        if lease is None:
            return None
        with lease:
            plan = self._plan(campaign)
            note_path = self._note_path(campaign)
            made_from = self._made_from(plan)
            run = self._current(plan.name, read_document(note_path), made_from)
            if run is not None:
                return CampaignOutcome(name=plan.name, run=run)
            analysis = make_campaign(
                plan, store=self.store, options=self.options, reporter=self.reporter
            )
            if self.has_report:
                self._write_report(analysis.run)
            # Again, as the campaign may have analyzed some of its traces.
            note = {"generation": analysis.run.generation, "made_from": self._made_from(plan)}
            write_document(note_path, note)
        return CampaignOutcome(name=plan.name, run=analysis.run, is_new=analysis.is_new)

    def _lease(self, campaign: ConfiguredCampaign) -> Lease | None:
        name = f"campaign {campaign.name}"
        while (lease := take(self.store.leases_path, name)) is None and not self._is_over():
            time.sleep(_POLL_SECONDS)
        return lease

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def _plan(self, campaign: ConfiguredCampaign) -> Plan:
        plan = plan_campaign(
            self.folder / campaign.runs if campaign.runs else None,
            told=campaign.fields,
            store=self.store,
            reporter=self.reporter,
            allow_damaged=self.options.allow_damaged,
        )
        left_out = {os.path.realpath(path.parent) for path in self.not_ready}
        ready = (each for each in plan.members if os.path.realpath(_place(each)) not in left_out)
        return replace(plan, members=tuple(ready))

    def _current(self, name: str, note: dict[str, object], made_from: str) -> Run | None:
        """The campaign if it was made from the same, and it and its report are there."""
        try:
            run = self.store.campaigns.current(name)
        except UnreadableRecordError:
            return None
        if run is None or (run.generation, made_from) != (
            note.get("generation"),
            note.get("made_from"),
        ):
            return None
        has_page = not self.has_report or Pages.of_store(self.store).of_campaign(name)
        return run if has_page and not run.missing_tables() else None

    def _write_report(self, run: Run) -> None:
        report = build_campaign_report(
            run, threads=self.options.threads, memory_limit=self.options.memory_limit
        )
        write_report(self.store, report)

    def _note_path(self, campaign: ConfiguredCampaign) -> Path:
        identity = [str(self.folder.absolute()), campaign.runs, campaign.fields]
        name = hash_of(json.dumps(identity, default=str))
        return self.store.path / FOLDER / "campaigns" / f"{name}.json"

    def _made_from(self, plan: Plan) -> str:
        """A hash of all that the tables and the report of a campaign depend on.

        Those are its description, its traces with their files, their runs, options and code.
        """
        places = sorted({_place(each) for each in plan.members})
        ids = {each.run_id for each in plan.members}
        runs = [
            (run_id, pointer.generation)
            for run_id, pointer in sorted(self.store.pointers().items())
            if run_id in ids or _is_in(pointer.source.path, places)
        ]
        content = [
            repr(plan),
            parameters_of(plan.description, plan.path),
            [list(_files_at(place)) for place in places],
            runs,
            {**asdict(self.options), "threads": 0, "memory_limit": ""},
            code_hash(("pipeline", "schemas")),
            [query.text for query in all_queries()],
        ]
        return hash_of(json.dumps(content, default=str))


def _place(member: Member) -> str:
    """The folder of an archive, or the file of a trace in one file."""
    trace = member.trace.absolute()
    return os.path.normpath(trace.parent if trace.suffix == ".otf2" else trace)


def _is_in(trace: str, places: Collection[str]) -> bool:
    path = os.path.normpath(trace)
    return path in places or os.path.dirname(path) in places


def _files_at(place: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of change of a file, or of all files below a folder."""
    paths = [place] if os.path.isfile(place) else []
    for folder, _, names in os.walk(place):
        paths += [os.path.join(folder, name) for name in names]
    for path in sorted(paths):
        with suppress(OSError):  # removed in the meantime
            status = os.stat(path)
            yield path, status.st_size, status.st_mtime_ns
