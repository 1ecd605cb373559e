"""The work of a night: what is due is analysed, by this process or by others on the same store."""

import os
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.text import printable
from tracemill.engine.analyze import Options
from tracemill.engine.progress import Reporter
from tracemill.nightly.agenda import Wishes
from tracemill.nightly.analyze import Done, Failed, analyse_archives
from tracemill.nightly.find import Archive, is_as_found
from tracemill.nightly.knowledge import Knowledge, RunName
from tracemill.nightly.outcome import Failure, Waiting
from tracemill.nightly.pages import Pages
from tracemill.nightly.quarantine import Quarantine
from tracemill.nightly.untold import Untold
from tracemill.store import Run, Store
from tracemill.store.clock import timestamp
from tracemill.store.leases import Lease, name_of_analysis, take

STAGE = "analysing archives"
# How often others are asked whether they are done with what they work on.
_POLL_SECONDS = 1.0
# Looking what others did in between takes at most this part of the time.
_LOOKING_SHARE = 0.05


@dataclass
class Work:
    """What becomes of the archives that are due, whoever analyses them.

    Each is analysed under a lease, so that processes share the work; none of them relies on it.
    """

    store: Store
    options: Options
    wishes: Wishes
    until: float
    reporter: Reporter
    knowledge: Knowledge
    analysed: dict[Path, Run] = field(default_factory=dict)
    copies: dict[Path, Run] = field(default_factory=dict)
    failed: dict[Path, Failure] = field(default_factory=dict)
    waiting: dict[Path, Waiting] = field(default_factory=dict)
    left: dict[Path, Archive] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._quarantine, self._untold = Quarantine(self.store), Untold(self.store)
        self._leases: dict[Path, Lease] = {}
        self._failed_before: dict[Path, str] = {}
        self._looked_at = time.monotonic()
        self._looking_seconds = 0.0

    def do(self, due: Sequence[Archive]) -> None:
        """Analyse archives, in that order, until all are done, by whomever, or time is over.

        What others work on is waited for: they may die. Raises StoreError, MissingLibraryError.
        """
        self.reporter.stage_started(STAGE, len(due))
        start = time.perf_counter()
        pending = list(due)
        before = {each.anchor: self._quarantine.holds(each) for each in due}
        self._failed_before = {path: each.last_failed_at for path, each in before.items() if each}
        try:
            while pending and not self._is_over():
                self._analyse(pending)
                pending = self._pending(pending)
                if pending and not self._is_over():
                    self._rest()
                    self._look_again()
                    pending = [each for each in pending if not self._is_done_by_others(each)]
        finally:
            for anchor in list(self._leases):
                self._release(anchor)
        self.left |= {each.anchor: each for each in pending}
        self.reporter.stage_finished(STAGE, round(time.perf_counter() - start, 3))

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def _rest(self) -> None:
        """Wait before others are asked again, the longer the longer that takes."""
        seconds = max(_POLL_SECONDS, self._looking_seconds / _LOOKING_SHARE)
        time.sleep(min(seconds, max(self.until - time.monotonic(), 0.0)))

    def _pending(self, archives: Sequence[Archive]) -> list[Archive]:
        done = {*self.analysed, *self.copies, *self.failed, *self.waiting, *self.left}
        return [each for each in archives if each.anchor not in done]

    def _analyse(self, archives: Sequence[Archive]) -> None:
        """Analyse those that nobody else works on."""
        outcomes = analyse_archives(
            self._free(archives),
            store=self.store,
            options=self.options,
            jobs=min(self.wishes.jobs, len(archives)),
            until=self.until,
            has_report=self.wishes.has_report,
        )
        with closing(outcomes):
            for archive, outcome in outcomes:
                if isinstance(outcome, Done):
                    self._succeeded(archive, outcome.run)
                elif isinstance(outcome, Failed):
                    self._did_not_succeed(archive, outcome)
                else:
                    self.left[archive.anchor] = archive
                self._release(archive.anchor)

    def _free(self, archives: Sequence[Archive]) -> Generator[Archive]:
        """The archives of which this process gets the lease, and that are still to be analysed."""
        for archive in archives:
            if self._is_over():
                return
            lease = take(self.store.leases_path, name_of_analysis(archive.anchor))
            if lease is None:
                continue
            self._leases[archive.anchor] = lease
            if time.monotonic() - self._looked_at > self._looking_seconds / _LOOKING_SHARE:
                self._look_again()
            if self._is_done_by_others(archive):
                self._release(archive.anchor)
            elif not is_as_found(archive):
                self._wait_for(archive, "changed since it was found")
                self._release(archive.anchor)
            else:
                self._untold.note(archive)
                yield archive

    def _look_again(self) -> None:
        """See what others have done in between."""
        start = time.monotonic()
        self.knowledge = self.knowledge.renewed()
        self._looked_at = time.monotonic()
        self._looking_seconds = self._looked_at - start

    def _is_done_by_others(self, archive: Archive) -> bool:
        """Whether others have analysed an archive, or failed; it then counts as done."""
        name = self.knowledge.find(archive)
        if name is not None and self._is_told(name):
            run = self.store.generation(name.run_id, name.generation)
            if run is not None:
                self._succeeded(archive, run)
                return True
        failure = self._quarantine.holds(archive)
        if failure is None or failure.last_failed_at == self._failed_before.get(archive.anchor):
            return False
        self.failed[archive.anchor] = failure.told
        return True

    def _is_told(self, name: RunName) -> bool:
        return not self.wishes.has_report or bool(Pages.of_store(self.store).of_run(name.run_id))

    def _succeeded(self, archive: Archive, run: Run) -> None:
        self.knowledge.learn(archive, run)
        self._quarantine.release(archive.anchor)
        is_copy = os.path.normpath(run.source.path) != str(archive.anchor)
        (self.copies if is_copy else self.analysed)[archive.anchor] = run
        if is_copy:
            self._untold.forget(archive.anchor)
        self.reporter.stage_advanced(STAGE, 1)

    def _did_not_succeed(self, archive: Archive, failure: Failed) -> None:
        """Tell of an archive that failed, unless it is another by now than the one that did."""
        if failure.is_change or not is_as_found(archive):
            self._wait_for(archive, "changed while it was read")
            return
        self.failed[archive.anchor] = (
            _failure_of_store(archive, failure)
            if failure.is_of_store
            else self._put_into_quarantine(archive, failure)
        )
        self.reporter.note(f"{printable(str(archive.anchor))}: failed: {failure.reason}")
        self.reporter.stage_advanced(STAGE, 1)

    def _put_into_quarantine(self, archive: Archive, failure: Failed) -> Failure:
        put = self._quarantine.put(
            archive,
            reason=failure.reason,
            exit_code=failure.exit_code,
            details=failure.details,
        )
        self._untold.forget(archive.anchor)
        return put.told

    def _wait_for(self, archive: Archive, reason: str) -> None:
        self.waiting[archive.anchor] = Waiting(path=archive.anchor, reason=reason)
        self.reporter.stage_advanced(STAGE, 1)

    def _release(self, anchor: Path) -> None:
        lease = self._leases.pop(anchor, None)
        if lease is not None:
            lease.release()


def _failure_of_store(archive: Archive, failure: Failed) -> Failure:
    """No fault of the archive, which therefore stays due: every night tries it again."""
    return Failure(
        path=archive.anchor,
        reason=failure.reason,
        exit_code=failure.exit_code,
        since=timestamp("milliseconds"),
    )
