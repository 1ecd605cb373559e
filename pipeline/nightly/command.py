"""What the command of a night does; `cli` only turns text into these calls."""

import math
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from tracemill.base.console import ProgressReporter, results, tell_places
from tracemill.base.errors import FailedArchivesError, RegressionError, UsageError
from tracemill.base.text import printable, seconds_of
from tracemill.engine.analyze import Options
from tracemill.nightly.agenda import Agenda, Wishes
from tracemill.nightly.config import Config, read_config
from tracemill.nightly.night import plan_night, run_night
from tracemill.nightly.outcome import NightOutcome
from tracemill.nightly.telling import Written, tell
from tracemill.store import Store

_MOST_LISTED = 20


def read_wishes(
    *,
    jobs: int,
    since: str | None,
    max_runtime: str | None,
    settle: str,
    is_retrying: bool,
    has_report: bool,
) -> Wishes:
    """Options of the command as a night takes them. Raises UsageError."""
    return Wishes(
        jobs=jobs,
        since=-math.inf if since is None else _moment(since),
        max_seconds=math.inf if max_runtime is None else _seconds("--max-runtime", max_runtime),
        settle_seconds=_seconds("--settle", settle),
        is_retrying=is_retrying,
        has_report=has_report,
    )


def tell_plan(
    source: Path, *, store: Path, options: Options, wishes: Wishes, config: Path | None
) -> None:
    """Say what a night would do, and do nothing. Raises UsageError for a wrong configuration."""
    if config is not None:
        read_config(config)
    agenda = plan_night(source, store=Store(store), options=options, wishes=wishes)
    console = results()
    console.print(_counts(agenda), markup=False, soft_wrap=True)
    for archive in agenda.due:
        _line("analyse", archive.anchor)
    for failure in agenda.quarantined:
        _line("leave", failure.path, f"in quarantine since {failure.since}: {failure.reason}")
    for waiting in agenda.waiting:
        _line("wait", waiting.path, waiting.reason)
    for each in agenda.left_out:
        _line("leave", each.path, each.reason)


def run(
    source: Path, *, store: Path, options: Options, wishes: Wishes, config: Path | None
) -> None:
    """Run a night, and tell what came of it and where it is told at length.

    Raises RegressionError or FailedArchivesError, after all is told, if there is reason to.
    """
    read = Config() if config is None else read_config(config)
    with _ended_by_signals(), ProgressReporter() as reporter:
        night = run_night(
            source,
            store=Store(store),
            options=options,
            wishes=wishes,
            config=read,
            config_folder=Path() if config is None else config.parent,
            reporter=reporter,
        )
        written = tell(
            Store(store), night, read, threads=options.threads, memory_limit=options.memory_limit
        )
    _tell(night, written)
    _judge(written)


def _tell(night: NightOutcome, written: Written) -> None:
    console = results()
    for sentence in written.sentences:
        console.print(printable(sentence), markup=False, soft_wrap=True)
    for failure in night.failed[:_MOST_LISTED]:
        _line("failed", failure.path, failure.reason)
    for waiting in night.waiting[:_MOST_LISTED]:
        _line("waiting", waiting.path, waiting.reason)
    tell_places(written.places)


def _judge(written: Written) -> None:
    page = written.places[0][1]
    if written.exit_code == RegressionError.exit_code:
        raise RegressionError(f"something got worse: see {page}")
    if written.exit_code:
        raise FailedArchivesError(f"not all could be analysed: see {page}")


def _line(action: str, path: Path, why: str = "") -> None:
    why = why.removeprefix(f"{printable(str(path))}: ")  # some errors name it themselves
    text = " ".join(printable(f"{path}: {why}" if why else str(path)).split())
    console = results()
    console.print(f"{action:<8}", style="muted", end="")
    console.print(text, markup=False, soft_wrap=True)


def _counts(agenda: Agenda) -> str:
    counts = {
        "to analyse": len(agenda.due),
        "known": len(agenda.known),
        "in quarantine": len(agenda.quarantined),
        "to wait for": len(agenda.waiting),
        "left out": len(agenda.left_out),
        "changed before --since": agenda.too_old_count,
    }
    return "archives: " + (", ".join(f"{n} {what}" for what, n in counts.items() if n) or "none")


def _seconds(option: str, text: str) -> float:
    try:
        return 0.0 if text == "0" else seconds_of(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from error


def _moment(text: str) -> float:
    """A moment, in seconds since 1970, given as so long ago or as a date of this place."""
    try:
        return time.time() - seconds_of(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise UsageError(
            f"--since {text}: give so long ago, such as 7d, or a date such as 2026-11-20"
        ) from error


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM, by which systemd and Slurm end a job, end a night as Ctrl-C does."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
