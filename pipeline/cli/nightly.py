"""The command for unattended use: a night over one store."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracemill.cli.computing import read_options
from tracemill.cli.parameters import Flag, MemoryLimit, Store, Threads


def _check_jobs(_: object, jobs: int | None) -> None:
    if jobs is not None and jobs < 1:
        raise ValueError("give at least one")


def nightly(
    source: Annotated[Path, Parameter(help="Folder with OTF2 archives anywhere below it.")],
    /,
    *,
    store: Store = Path("store"),
    config: Path | None = None,
    since: str | None = None,
    max_runtime: str | None = None,
    jobs: Annotated[int | None, Parameter(validator=_check_jobs)] = None,
    settle: str = "60s",
    retry: Annotated[bool, Flag] = False,
    dry_run: Annotated[bool, Flag] = False,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    allow_damaged: Annotated[bool, Flag] = False,
    overhead_classes: Path | None = None,
    patterns: Path | None = None,
    no_report: Annotated[bool, Flag] = False,
) -> None:
    """Analyse what is new below a folder, and tell what got worse; for cron, systemd, Slurm.

    Any number of processes, on any hosts, may do so at the same time with one store. An archive
    that cannot be analysed is put into quarantine, and tried again when it changes.

    Parameters
    ----------
    config
        TOML file with the campaigns to update, and with baselines of applications.
    since
        Leave archives alone that last changed before: 7d ago, or a date such as 2026-11-20.
    max_runtime
        Begin nothing after that time, such as 6h, and stop what is not done: it is left for the
        next night.
    jobs
        Archives analysed at once, which share threads and memory. [default: one per thread]
    settle
        Take archives only that did not change for so long; others may still be being written.
    retry
        Try again what is in quarantine although it did not change.
    dry_run
        Say what would be analysed, and stop; nothing is written.
    threads
        Threads to use. [default: all processors]
    memory_limit
        Memory for queries, such as 2GB; the rest goes to disk. At least 64MB.
        [default: 80% of the memory]
    allow_damaged
        Analyse what is readable of damaged traces and count what is missing.
    overhead_classes
        CSV file that says which class of overhead each region belongs to.
        [default: queries/overheads/overhead_classes.csv]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    no_report
        Write no reports of runs and campaigns.
    """
    from tracemill.nightly import command

    options = read_options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=False,
        overhead_classes=overhead_classes,
        patterns=patterns,
    )
    wishes = command.read_wishes(
        jobs=jobs or options.threads,
        since=since,
        max_runtime=max_runtime,
        settle=settle,
        is_retrying=retry,
        has_report=not no_report,
    )
    if dry_run:
        command.tell_plan(source, store=store, options=options, wishes=wishes, config=config)
    else:
        command.run(source, store=store, options=options, wishes=wishes, config=config)
