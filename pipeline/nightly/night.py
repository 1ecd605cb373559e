"""The steps of a night: find archives, analyze new ones, update campaigns, judge, report."""

import os
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tracemill.base.sharing import make_folder
from tracemill.base.text import printable
from tracemill.engine.analyze import Options, sweep_store
from tracemill.engine.progress import Reporter
from tracemill.nightly.agenda import Agenda, ArchiveRuns, NightOptions, make_agenda
from tracemill.nightly.analyze import ArchiveWork, find_original
from tracemill.nightly.campaigns import Campaigns
from tracemill.nightly.config import Application, Config
from tracemill.nightly.find import check_source
from tracemill.nightly.history import read_history
from tracemill.nightly.judge import Judge
from tracemill.nightly.notes import FOLDER, quarantine, unreported
from tracemill.nightly.outcome import Night
from tracemill.nightly.page import NightReport
from tracemill.nightly.pages import Pages, write_report
from tracemill.nightly.result import (
    Document,
    alarms_of,
    document_of,
    is_of_last_day,
    read_earlier,
    write_result,
)
from tracemill.nightly.wording import describe_night, describe_worst_regressions
from tracemill.store.clock import now_in, timestamp
from tracemill.store.failures import store_errors
from tracemill.store.runs import Store

MOST_NIGHTS = 30
_MOST_NOTES = 3


@dataclass(frozen=True, kw_only=True)
class Reported:
    """The result of a night, its exit code and summary, and written files with a label each."""

    document: Document
    sentences: tuple[str, ...]
    files: tuple[tuple[str, Path], ...]

    @property
    def exit_code(self) -> int:
        return int(self.document["exit_code"])


def plan_night(source: Path, *, store: Store, options: Options, night: NightOptions) -> Agenda:
    """The work of a night; nothing is written. Raises MissingInputError."""
    archive_runs = ArchiveRuns(store, options)
    agenda = make_agenda(
        source, store=store, archive_runs=archive_runs, options=night, now=time.time()
    )
    originals = {each.anchor: find_original(each, store, options) for each in agenda.due}
    copies = {anchor: run.run_id for anchor, run in originals.items() if run}
    return replace(
        agenda,
        due=tuple(each for each in agenda.due if each.anchor not in copies),
        run_ids=agenda.run_ids | copies,
    )


def run_night(
    source: Path,
    *,
    store: Store,
    options: Options,
    night: NightOptions,
    config: Config,
    config_folder: Path,
    reporter: Reporter,
) -> Night:
    """Analyze the new archives below a folder and update campaigns; `report_night` comes next.

    After a failure, other archives and campaigns are still processed. Raises MissingInputError
    without such a folder, UnwritableStoreError and MissingLibraryError.
    """
    started_at, until = timestamp(), time.monotonic() + night.max_seconds
    check_source(source)
    with store_errors(store.path):
        make_folder(store.path / FOLDER)
    archive_runs, open_notes = ArchiveRuns(store, options), unreported(store).anchors()
    now = now_in(store.path / FOLDER)
    agenda = make_agenda(source, store=store, archive_runs=archive_runs, options=night, now=now)
    _note_left_out(agenda, reporter)
    sweep_store(store, reporter)
    work = ArchiveWork(store, options, night, until, reporter, archive_runs)
    work.run(agenda.due)
    _forget_removed(source.absolute(), store)
    again = {path for path, run in work.analyzed.items() if run.run_id in archive_runs.run_ids}
    outcome = _outcome(source.absolute(), started_at, agenda, work, again - open_notes)
    made = {path: run.run_id for path, run in (work.analyzed | work.copies).items()}
    campaigns = Campaigns(
        folder=config_folder,
        store=store,
        options=options,
        until=until,
        run_ids=agenda.run_ids | made,
        not_ready={each.path for each in outcome.waiting},
        failures=_lasting_failures(outcome),
        has_report=night.has_report,
        reporter=reporter,
    )
    updated = campaigns.update(config.campaigns)
    archive_runs.save()
    return replace(outcome, campaigns=updated, ended_at=timestamp())


def _lasting_failures(outcome: Night) -> dict[Path, str]:
    """The reasons why archives are not tried again."""
    found = (*outcome.failed, *outcome.quarantined)
    return {each.path: each.reason for each in found if each.is_quarantined}


def _outcome(
    source: Path, started_at: str, agenda: Agenda, work: ArchiveWork, again: Collection[Path]
) -> Night:
    """The outcome for all archives; earlier nights reported those in `again`."""
    return Night(
        source=source,
        started_at=started_at,
        ended_at=timestamp(),
        analyzed=tuple(run for path, run in work.analyzed.items() if path not in again),
        again=tuple(run for path, run in work.analyzed.items() if path in again),
        failed=tuple(work.failed.values()),
        quarantined=agenda.quarantined,
        waiting=(*agenda.waiting, *work.waiting.values()),
        left=tuple(work.left),
        unchanged_count=len(agenda.run_ids) + len(work.copies),
    )


def _note_left_out(agenda: Agenda, reporter: Reporter) -> None:
    for each in agenda.left_out[:_MOST_NOTES]:
        reporter.note(f"left out: {printable(str(each.path))} {each.reason}")
    if len(agenda.left_out) > _MOST_NOTES:
        reporter.note(f"left out: {len(agenda.left_out) - _MOST_NOTES} more")


def _forget_removed(source: Path, store: Store) -> None:
    """Remove the notes on archives below a folder that no longer exist."""
    for notes in (quarantine(store), unreported(store)):
        for anchor in notes.anchors():
            if anchor.is_relative_to(source) and not anchor.exists():
                notes.remove(anchor)


def report_night(
    store: Store,
    night: Night,
    applications: Sequence[Application] = (),
    *,
    threads: int = 1,
    memory_limit: str = "",
) -> Reported:
    """Judge the new runs of a night, and write its page, text and result. Raises StoreError."""
    history = read_history(
        store, night.source, applications, threads=threads, memory_limit=memory_limit
    )
    judge = Judge(
        store=store,
        history=history,
        applications=applications,
        threads=threads,
        memory_limit=memory_limit,
    )
    judgment = judge.judge_runs(night.analyzed)
    earlier, pages = read_earlier(store, MOST_NIGHTS), Pages.of_store(store)
    alarms = alarms_of(earlier, judgment.worse)
    recent = sum(is_of_last_day(each, night.started_at) for each in alarms)
    summary = describe_night(night, judgment, recent)
    sentences = (*summary, *describe_worst_regressions(judgment))
    efficiencies = judge.read_efficiencies(judgment)
    document = document_of(night, judgment, sentences, earlier, pages, efficiencies)
    report = NightReport(
        document=document,
        judgment=judgment,
        sentences=summary,
        history=history,
        alarms=alarms,
        pages=pages,
        titles=efficiencies.titles,
    )
    files = write_report(store, report.build())
    result = write_result(store, document)
    notes = unreported(store)
    for run in (*night.analyzed, *night.again):
        notes.remove(Path(os.path.normpath(run.source.path)))
    return Reported(document=document, sentences=sentences, files=(*files, ("result", result)))
