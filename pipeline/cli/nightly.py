"""The command for unattended use."""

import math
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.cli.parameters import DEFAULTS, AnalyzingOptions, Flag, StorePath, check_positive

if TYPE_CHECKING:
    from tracemill.comparison.checks import CheckFormat
    from tracemill.nightly.agenda import Agenda
    from tracemill.nightly.night import Reported
    from tracemill.nightly.outcome import Night

_MOST_LISTED = 20


def nightly(
    source: Annotated[Path, Parameter(help="Folder with OTF2 archives anywhere below it.")],
    /,
    *,
    store: StorePath = Path("store"),
    config: Path | None = None,
    since: str | None = None,
    max_runtime: str | None = None,
    jobs: Annotated[int | None, Parameter(validator=check_positive)] = None,
    settle: str = "60s",
    retry: Annotated[bool, Flag] = False,
    dry_run: Annotated[bool, Flag] = False,
    format: Literal["terminal", "junit", "github"] = "terminal",
    common: AnalyzingOptions = DEFAULTS,
) -> None:
    """Analyze the new traces below a folder and report regressions; for cron, systemd, Slurm.

    Several processes and hosts may work on one store at the same time. An archive that cannot be
    analyzed goes into quarantine until it changes.

    Parameters
    ----------
    config
        TOML file with the campaigns to update, and with baselines of applications.
    since
        Skip archives that did not change since then: 7d ago, or a date such as 2026-11-20.
    max_runtime
        Stop after this time, such as 6h; the next night continues with the rest.
    jobs
        Number of archives analyzed at once; they share threads and memory. [default: one per
        thread]
    settle
        Skip archives that changed within this period; they may be incomplete.
    retry
        Try unchanged archives in quarantine again.
    dry_run
        List what would be analyzed; write nothing.
    format
        Output at the end: a test case for each new run and each failed archive (junit), or an
        annotation for each of them (github).
    """
    from tracemill.base.console import ProgressReporter
    from tracemill.base.errors import UsageError
    from tracemill.nightly.agenda import NightOptions
    from tracemill.nightly.config import Config, read_config
    from tracemill.nightly.night import plan_night, report_night, run_night
    from tracemill.reports.pictures.drawing import require_matplotlib
    from tracemill.store.runs import Store

    options = common.options()
    if not (common.no_report or dry_run):
        require_matplotlib()
    night_options = NightOptions(
        jobs=jobs or options.threads,
        since=-math.inf if since is None else _moment(since),
        max_seconds=math.inf if max_runtime is None else _seconds("--max-runtime", max_runtime),
        settle_seconds=_seconds("--settle", settle),
        is_retrying=retry,
        has_report=not common.no_report,
    )
    configured = Config() if config is None else read_config(config)
    opened = Store(store)
    if dry_run:
        if format != "terminal":
            raise UsageError("--dry-run checks nothing: omit --format")
        _print_agenda(plan_night(source, store=opened, options=options, night=night_options))
        return
    with _ended_by_sigterm(), ProgressReporter() as reporter:
        night = run_night(
            source,
            store=opened,
            options=options,
            night=night_options,
            config=configured,
            config_folder=Path() if config is None else config.parent,
            reporter=reporter,
        )
        reported = report_night(
            opened,
            night,
            configured.applications,
            threads=options.threads,
            memory_limit=options.memory_limit,
        )
    if format == "terminal":
        _print_night(night, reported)
    else:
        _print_checks(reported, source, format)
    _raise_for(reported)


def _print_agenda(agenda: "Agenda") -> None:
    from tracemill.base.console import results

    counts = {
        "to analyze": len(agenda.due),
        "known": len(agenda.run_ids),
        "in quarantine": len(agenda.quarantined),
        "to wait for": len(agenda.waiting),
        "left out": len(agenda.left_out),
        "changed before --since": agenda.too_old_count,
    }
    listed = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    results().print(f"archives: {listed or 'none'}", markup=False, soft_wrap=True)
    for archive in agenda.due:
        _print_line("analyze", archive.anchor)
    for failure in agenda.quarantined:
        reason = f"in quarantine since {failure.since}: {failure.reason}"
        _print_line("skip", failure.path, reason)
    for each in agenda.waiting:
        _print_line("wait", each.path, each.reason)
    for each in agenda.left_out:
        _print_line("skip", each.path, each.reason)


def _print_night(night: "Night", reported: "Reported") -> None:
    from tracemill.base.console import print_places, results
    from tracemill.base.text import printable

    for sentence in reported.sentences:
        results().print(printable(sentence), markup=False, soft_wrap=True)
    for failure in night.failed[:_MOST_LISTED]:
        _print_line("failed", failure.path, failure.reason)
    for each in night.waiting[:_MOST_LISTED]:
        _print_line("waiting", each.path, each.reason)
    print_places(reported.files)


def _print_checks(reported: "Reported", source: Path, format: "CheckFormat") -> None:
    from tracemill.base.console import results
    from tracemill.comparison.checks import render_checks
    from tracemill.nightly.checks import night_checks

    checks = night_checks(reported.document)
    results().file.write(render_checks(checks, format, suite=f"tracemill nightly {source}"))


def _raise_for(reported: "Reported") -> None:
    from tracemill.base.errors import FailedArchivesError, RegressionError

    page = reported.files[0][1]
    if reported.exit_code == RegressionError.exit_code:
        raise RegressionError(f"some runs are worse: see {page}")
    if reported.exit_code:
        raise FailedArchivesError(f"some archives or campaigns failed: see {page}")


def _print_line(action: str, path: Path, reason: str = "") -> None:
    from tracemill.base.console import results
    from tracemill.base.text import printable

    reason = reason.removeprefix(f"{printable(str(path))}: ")  # some errors begin with the path
    text = " ".join(printable(f"{path}: {reason}" if reason else str(path)).split())
    results().print(f"{action:<8}", style="muted", end="")
    results().print(text, markup=False, soft_wrap=True)


def _seconds(option: str, text: str) -> float:
    from tracemill.base.errors import UsageError
    from tracemill.base.text import seconds_of

    try:
        return 0.0 if text == "0" else seconds_of(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from error


def _moment(text: str) -> float:
    """Seconds since 1970 of a time before now, such as 7d, or of a date in local time."""
    from tracemill.base.errors import UsageError
    from tracemill.base.text import seconds_of

    try:
        return time.time() - seconds_of(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise UsageError(
            f"--since {text}: give a time before now, such as 7d, or a date such as 2026-11-20"
        ) from error


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM, which systemd and Slurm send, end a night as Ctrl-C does."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
