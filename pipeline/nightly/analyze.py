"""Analyses archives with a report each, several at once; one that fails stops no other."""

import os
import signal
import traceback
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tracemill.base.errors import ChangedTraceError, MissingLibraryError, PipelineError, StoreError
from tracemill.base.text import printable
from tracemill.campaign.analysing import share_options
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.plan import is_as_outlined
from tracemill.engine.workers import Died, work_through
from tracemill.nightly.find import Archive
from tracemill.nightly.knowledge import archive_outlines
from tracemill.nightly.pages import Pages
from tracemill.readers import open_source
from tracemill.readers.common.source import Source
from tracemill.store import Run, Store
from tracemill.store.failures import UnwritableStoreError

# No other archive or campaign would fare better.
FATAL = (UnwritableStoreError, MissingLibraryError)
# Of a mistake of ours, and of a process that was killed: as Python's and shells' exit codes.
OWN_MISTAKE, KILLED = 1, 137


@dataclass(frozen=True, kw_only=True)
class Done:
    """An archive that is analysed; `is_new` says whether anything was computed."""

    run: Run
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An archive that cannot be analysed: one line, the error's exit code, and for us details.

    `is_change` says that it was changed while it was read, so that it may be intact, and
    `is_of_store` that the store failed, such as by a folder of somebody else in its way.
    """

    reason: str
    exit_code: int
    details: str = ""
    is_change: bool = False
    is_of_store: bool = False


@dataclass(frozen=True)
class Stopped:
    """An archive whose analysis was told to end, as a whole night may be."""


Outcome = Done | Failed | Stopped
_KILLED = Failed(
    reason="its analysis was killed: if memory was short, analyse fewer at once with --jobs",
    exit_code=KILLED,
)


def analyse_archives(
    archives: Iterable[Archive],
    *,
    store: Store,
    options: Options,
    jobs: int,
    until: float,
    has_report: bool,
) -> Generator[tuple[Archive, Outcome]]:
    """What becomes of archives, as it becomes known; each is taken when it is begun.

    What is not done at `until` of the monotonic clock is stopped, and nothing comes of it. Raises
    UnwritableStoreError and MissingLibraryError.
    """
    begun: list[Archive] = []

    def beginning() -> Generator[Archive]:
        for archive in archives:
            begun.append(archive)
            yield archive

    own = share_options(options, jobs)
    work = partial(_analyse, store=store.path, options=own, has_report=has_report)
    with closing(work_through(work, beginning(), count=jobs, until=until)) as outcomes:
        for number, outcome in outcomes:
            yield begun[number], _after(outcome) if isinstance(outcome, Died) else outcome


def _after(death: Died) -> Outcome:
    """A process that gets SIGTERM ends by itself, or by the signal when it is not yet at work."""
    return Stopped() if death.exit_code in (0, -signal.SIGTERM) else _KILLED


def _analyse(archive: Archive, *, store: Path, options: Options, has_report: bool) -> Outcome:
    try:
        return _done(archive, Store(store), options, has_report=has_report)
    except FATAL:
        raise
    except ChangedTraceError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code, is_change=True)
    except StoreError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code, is_of_store=True)
    except PipelineError as error:
        return Failed(reason=printable(str(error)), exit_code=error.exit_code)
    except MemoryError:
        return _KILLED
    except Exception as error:  # what one archive brings to light must not stop the night
        what = printable(f"{type(error).__name__}: {error}")
        return Failed(
            reason=f"{printable(str(archive.anchor))}: Tracemill failed: {what}; please report it",
            exit_code=OWN_MISTAKE,
            details=traceback.format_exc(),
        )


def _done(archive: Archive, store: Store, options: Options, *, has_report: bool) -> Done:
    source = open_source(archive.anchor)
    copied = _analysed_elsewhere(source, store, options)
    if copied is not None:
        return Done(run=copied, is_new=False)
    analysis = analyze_source(source, store=store, options=options, is_swept=True)
    is_told = not analysis.is_new and Pages.of_store(store).of_run(analysis.run.run_id)
    if has_report and not is_told:
        _report(analysis.run, store, options)
    return Done(run=analysis.run, is_new=analysis.is_new)


def _report(run: Run, store: Store, options: Options) -> None:
    from tracemill.nightly.reporting import write_into
    from tracemill.reports.build import build_report

    report = build_report(run, threads=options.threads, memory_limit=options.memory_limit)
    write_into(store, report)


def _analysed_elsewhere(source: Source, store: Store, options: Options) -> Run | None:
    """The good run of the same trace if that still lies elsewhere: then this is a copy of it.

    Analysed again it would be taken for moved, and moved back by the next night.
    """
    identity = source.identity()
    try:
        run = store.current(identity.run_id)
    except StoreError:
        return None
    if run is None or run.missing_tables():
        return None
    if os.path.normpath(run.source.path) == os.path.normpath(source.path.absolute()):
        return None
    if not run.source.is_there:
        return None
    outlines = archive_outlines(store, options)
    if not any(is_as_outlined(run.manifest, each, run.source.digest) for each in outlines):
        return None
    is_same = tuple(identity.files) == run.source.files or identity.digest() == run.source.digest
    return run if is_same else None
