"""Analyzes the archives of a night, several at once, beside other nights on the same store."""

import os
import signal
import time
import traceback
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tracemill.base.errors import ChangedTraceError, MissingLibraryError, PipelineError, StoreError
from tracemill.base.text import printable
from tracemill.campaign.analyzing import accepted_outlines, share_options
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.plan import is_as_outlined
from tracemill.engine.progress import Reporter
from tracemill.engine.workers import Died, work_through
from tracemill.nightly.agenda import ArchiveRuns, NightOptions
from tracemill.nightly.find import ReadyArchive, is_as_found
from tracemill.nightly.notes import get_failure, put_failure, quarantine, unreported
from tracemill.nightly.outcome import Failed, Failure, Skipped
from tracemill.nightly.pages import Pages, write_report
from tracemill.readers import open_source
from tracemill.readers.common.source import Source
from tracemill.reports.build import build_report
from tracemill.store.clock import timestamp
from tracemill.store.failures import UnwritableStoreError
from tracemill.store.leases import Lease, name_of_analysis, take
from tracemill.store.runs import Run, Store

STAGE = "analyzing archives"
# Errors that every other archive or campaign would meet, too.
FATAL = (UnwritableStoreError, MissingLibraryError)
# Exit codes of bugs and of killed processes, as in Python and shells.
BUG, KILLED = 1, 137
# Time between two tries to take leases of other nights.
_POLL_SECONDS = 1.0


ArchiveOutcome = Run | Failed | None
"""The outcome of an analysis; None if it was stopped."""

_KILLED = Failed(
    reason="its analysis was killed: if memory was short, analyze fewer at once with --jobs",
    exit_code=KILLED,
)


@dataclass
class ArchiveWork:
    """The analysis of due archives until `until` of the monotonic clock, and the outcomes.

    Leases divide archives between nights; correctness does not depend on them. `copies` are
    archives with the same trace as the run of another path. `left` were not analyzed in time.
    """

    store: Store
    options: Options
    night: NightOptions
    until: float
    reporter: Reporter
    archive_runs: ArchiveRuns
    analyzed: dict[Path, Run] = field(default_factory=dict)
    copies: dict[Path, Run] = field(default_factory=dict)
    failed: dict[Path, Failure] = field(default_factory=dict)
    waiting: dict[Path, Skipped] = field(default_factory=dict)
    left: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._quarantine, self._unreported = quarantine(self.store), unreported(self.store)
        self._pending: dict[Path, ReadyArchive] = {}
        self._leases: dict[Path, Lease] = {}
        self._failed_before: dict[Path, str] = {}

    def run(self, due: Sequence[ReadyArchive]) -> None:
        """Analyze archives in this order until all are done, by any night, or time ends.

        Raises UnwritableStoreError and MissingLibraryError.
        """
        self.reporter.stage_started(STAGE, len(due))
        start = time.perf_counter()
        self._pending = {each.anchor: each for each in due}
        failures = (get_failure(self._quarantine, each) for each in due)
        self._failed_before = {each.path: each.last for each in failures if each}
        try:
            while self._pending and not self._is_over():
                self._analyze_free()
                if self._pending and not self._is_over():  # archives of nights that may die
                    time.sleep(max(min(_POLL_SECONDS, self.until - time.monotonic()), 0.0))
        finally:
            for lease in self._leases.values():
                lease.release()
        self.left += self._pending
        self.reporter.stage_finished(STAGE, round(time.perf_counter() - start, 3))

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    def _analyze_free(self) -> None:
        """Analyze the pending archives that no other night has leased, several at once."""
        begun: list[ReadyArchive] = []
        jobs = min(self.night.jobs, len(self._pending))
        analyze = partial(
            analyze_archive,
            store=self.store.path,
            options=share_options(self.options, jobs),
            has_report=self.night.has_report,
        )
        outcomes = work_through(analyze, self._free(begun), count=jobs, until=self.until)
        with closing(outcomes):
            for number, outcome in outcomes:
                archive = begun[number]
                self._record(archive, outcome_of(outcome) if isinstance(outcome, Died) else outcome)
                self._finish(archive)

    def _free(self, begun: list[ReadyArchive]) -> Generator[ReadyArchive]:
        """Archives that are still due and now leased by this process; adds each to `begun`."""
        for archive in list(self._pending.values()):
            if self._is_over():
                return
            lease = take(self.store.leases_path, name_of_analysis(archive.anchor))
            if lease is None:
                continue
            self._leases[archive.anchor] = lease
            failure = get_failure(self._quarantine, archive)
            if failure and failure.last != self._failed_before.get(archive.anchor):
                self.failed[archive.anchor] = failure  # in another night
                self._finish(archive)
            elif not is_as_found(archive):
                self._wait_for(archive, "changed since it was found")
                self._finish(archive)
            else:
                self._unreported.put(archive, {})
                begun.append(archive)
                yield archive

    def _finish(self, archive: ReadyArchive) -> None:
        del self._pending[archive.anchor]
        self._leases.pop(archive.anchor).release()
        self.reporter.stage_advanced(STAGE, 1)

    def _record(self, archive: ReadyArchive, outcome: ArchiveOutcome) -> None:
        if outcome is None:
            self.left.append(archive.anchor)
            return
        if isinstance(outcome, Failed):
            self._record_failure(archive, outcome)
            return
        self.archive_runs.add(archive, outcome)
        self._quarantine.remove(archive.anchor)
        if os.path.normpath(outcome.source.path) == str(archive.anchor):
            self.analyzed[archive.anchor] = outcome
        else:
            self.copies[archive.anchor] = outcome
            self._unreported.remove(archive.anchor)

    def _record_failure(self, archive: ReadyArchive, failed: Failed) -> None:
        """Record a failure, unless the archive changed meanwhile."""
        anchor = archive.anchor
        if failed.cause == "change" or not is_as_found(archive):
            self._wait_for(archive, "changed while it was read")
            return
        if failed.cause == "store":  # not the archive's fault: every night tries it again
            self.failed[anchor] = Failure(
                path=anchor,
                reason=failed.reason,
                exit_code=failed.exit_code,
                since=timestamp("milliseconds"),
            )
        else:
            self.failed[anchor] = put_failure(self._quarantine, archive, failed)
            self._unreported.remove(anchor)
        self.reporter.note(f"{printable(str(anchor))}: failed: {failed.reason}")

    def _wait_for(self, archive: ReadyArchive, reason: str) -> None:
        self.waiting[archive.anchor] = Skipped(path=archive.anchor, reason=reason)


# --- In processes --------------------------------------------------------------------------------


def outcome_of(death: Died) -> Failed | None:
    """The outcome of a dead process: None if SIGTERM stopped it, else a failure."""
    return None if death.exit_code in (0, -signal.SIGTERM) else _KILLED


def analyze_archive(
    archive: ReadyArchive, *, store: Path, options: Options, has_report: bool
) -> Run | Failed:
    """Analyze one archive and write its report; returns errors, including bugs, except FATAL."""
    try:
        return _analyze(archive, Store(store), options, has_report=has_report)
    except FATAL:
        raise
    except ChangedTraceError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code, cause="change")
    except StoreError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code, cause="store")
    except PipelineError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code)
    except MemoryError:
        return _KILLED
    except Exception as error:
        what = printable(f"{type(error).__name__}: {error}")
        return Failed(
            reason=f"{printable(str(archive.anchor))}: Tracemill failed: {what}; please report it",
            exit_code=BUG,
            details=traceback.format_exc(),
        )


def _analyze(archive: ReadyArchive, store: Store, options: Options, *, has_report: bool) -> Run:
    source = open_source(archive.anchor)
    copied = _run_of_original(source, store, options)
    if copied is not None:
        return copied
    analysis = analyze_source(source, store=store, options=options, is_swept=True)
    run = analysis.run
    if has_report and (analysis.is_new or not Pages.of_store(store).of_run(run.run_id)):
        report = build_report(run, threads=options.threads, memory_limit=options.memory_limit)
        write_report(store, report)
    return run


def find_original(archive: ReadyArchive, store: Store, options: Options) -> Run | None:
    """The run of which an analysis would find that the archive is a copy; None if it cannot."""
    try:
        return _run_of_original(open_source(archive.anchor), store, options)
    except PipelineError:
        return None


def _run_of_original(source: Source, store: Store, options: Options) -> Run | None:
    """The up-to-date run of the same trace at another path, if that path still exists.

    Otherwise the run would move to this path, and back in the next night.
    """
    identity = source.identity()
    try:
        run = store.current(identity.run_id)
    except StoreError:
        return None
    path = os.path.normpath(source.path.absolute())
    if run is None or os.path.normpath(run.source.path) == path or not run.source.is_there:
        return None
    outlines = accepted_outlines(source, store, options)
    is_current = any(is_as_outlined(run.manifest, each, run.source.digest) for each in outlines)
    if not is_current or run.missing_tables():
        return None
    is_same = tuple(identity.files) == run.source.files or identity.digest() == run.source.digest
    return run if is_same else None
