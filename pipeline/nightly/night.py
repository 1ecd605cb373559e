"""The course of a night: find archives, analyse what is new, update campaigns."""

import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from tracemill.base.sharing import make_folder
from tracemill.base.text import printable
from tracemill.engine.analyze import Options, sweep_store
from tracemill.engine.progress import Reporter
from tracemill.nightly.agenda import Agenda, Wishes, make_agenda
from tracemill.nightly.config import Config
from tracemill.nightly.find import check_source
from tracemill.nightly.knowledge import Knowledge
from tracemill.nightly.notes import FOLDER
from tracemill.nightly.outcome import CampaignOutcome, NightOutcome
from tracemill.nightly.quarantine import Quarantine
from tracemill.nightly.untold import Untold
from tracemill.nightly.work import Work
from tracemill.store import Store
from tracemill.store.clock import now_in, timestamp
from tracemill.store.failures import told_as_store_error

_MOST_TOLD = 3


def plan_night(source: Path, *, store: Store, options: Options, wishes: Wishes) -> Agenda:
    """What a night would do; nothing is written. Raises MissingInputError."""
    knowledge = Knowledge(store, options)
    return make_agenda(source, store=store, knowledge=knowledge, wishes=wishes, now=time.time())


def run_night(
    source: Path,
    *,
    store: Store,
    options: Options,
    wishes: Wishes,
    config: Config,
    config_folder: Path,
    reporter: Reporter,
) -> NightOutcome:
    """Analyse what is new below a folder and update campaigns; what came of it.

    An archive or campaign that fails stops nothing. Raises MissingInputError if there is no such
    folder, StoreError if the store cannot be written, and MissingLibraryError.
    """
    started_at, until = timestamp(), time.monotonic() + wishes.max_seconds
    check_source(source)
    with told_as_store_error(store.path):
        make_folder(store.path / FOLDER)
    knowledge = Knowledge(store, options)
    now = now_in(store.path / FOLDER)
    agenda = make_agenda(source, store=store, knowledge=knowledge, wishes=wishes, now=now)
    _tell_left_out(agenda, reporter)
    sweep_store(store, reporter)
    told, untold = knowledge.run_ids, Untold(store).anchors()
    work = Work(store, options, wishes, until, reporter, knowledge)
    work.do(agenda.due)
    _forget_the_gone(source.absolute(), store)
    again = {path for path, run in work.analysed.items() if run.run_id in told} - untold
    night = _outcome_of(agenda, work, again, source=source.absolute(), started_at=started_at)
    campaigns = _update(config, config_folder, work, {each.path for each in night.waiting})
    work.knowledge.remember()
    return replace(night, campaigns=campaigns, ended_at=timestamp())


def _outcome_of(
    agenda: Agenda, work: Work, again: Collection[Path], *, source: Path, started_at: str
) -> NightOutcome:
    """What came of the archives, of which those of `again` were told of before."""
    return NightOutcome(
        source=source,
        started_at=started_at,
        ended_at=timestamp(),
        analysed=tuple(run for path, run in work.analysed.items() if path not in again),
        again=tuple(run for path, run in work.analysed.items() if path in again),
        failed=tuple(work.failed.values()),
        quarantined=agenda.quarantined,
        waiting=(*agenda.waiting, *work.waiting.values()),
        left=tuple(work.left),
        unchanged_count=len(agenda.known) + len(work.copies),
    )


def _update(
    config: Config, folder: Path, work: Work, unsettled: Collection[Path]
) -> tuple[CampaignOutcome, ...]:
    """Update the campaigns of a configuration in `folder`, in what is left of the night."""
    if not config.campaigns:
        return ()
    from tracemill.nightly.campaigns import Campaigns

    return Campaigns(
        folder=folder,
        store=work.store,
        options=work.options,
        until=work.until,
        unsettled=unsettled,
        has_report=work.wishes.has_report,
        reporter=work.reporter,
    ).update(config.campaigns)


def _tell_left_out(agenda: Agenda, reporter: Reporter) -> None:
    for each in agenda.left_out[:_MOST_TOLD]:
        reporter.note(f"left out: {printable(str(each.path))} {each.reason}")
    if len(agenda.left_out) > _MOST_TOLD:
        reporter.note(f"left out: {len(agenda.left_out) - _MOST_TOLD} more of the kind")


def _forget_the_gone(source: Path, store: Store) -> None:
    """Forget what is noted of archives that lay below a folder and are gone."""
    quarantine, untold = Quarantine(store), Untold(store)
    for anchor in {*quarantine.anchors(), *untold.anchors()}:
        if anchor.is_relative_to(source) and not anchor.exists():
            quarantine.release(anchor)
            untold.forget(anchor)
