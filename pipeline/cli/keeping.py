"""Commands for the upkeep of a store: list runs, show space, remove runs."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import messages, results
from tracemill.base.errors import StoreError, UsageError
from tracemill.base.text import bytes_of, describe_moment, printable, seconds_of
from tracemill.cli.parameters import Flag, StorePath
from tracemill.reports.units import format_size

if TYPE_CHECKING:
    from tracemill.shell.formats import Format
    from tracemill.store.pruning import Pruning, PruningDecision
    from tracemill.store.runs import Run, RunSummary


def _check_duration(_: object, duration: str | None) -> None:
    if duration is not None:
        seconds_of(duration)


def _check_size(_: object, size: str | None) -> None:
    if size is not None:
        bytes_of(size)


def _check_count(_: object, count: int | None) -> None:
    if count is not None and count < 1:
        raise ValueError("must be at least 1: the current generation is always kept")


Duration = Annotated[str | None, Parameter(validator=_check_duration)]


def runs(*, store: StorePath = Path("store")) -> None:
    """List the analyzed runs: kind, ranks, records, size on disk, time of analysis, and state.

    Runs of the kinds what-if and forecast were not measured: they are results of replays.
    """
    from tracemill.reports.terminal import print_grid
    from tracemill.store.finding import existing_store

    summaries = existing_store(store).summaries()
    if not summaries:
        messages().print(f"no runs in {store}: analyze a trace first", markup=False)
        return
    titles = ("run", "label", "kind", "ranks", "records", "size", "analyzed", "state")
    rows = [(summary.run, _describe_run(summary)) for summary in summaries]
    there = [row for run, row in rows if run is None or run.path.exists()]
    print_grid(results(), titles, there, numeric=("ranks", "records", "size"))


def print_kept(run: "Run") -> None:
    """Print how to name a run that was just kept in the store."""
    messages().print(f"Kept as {run.run_id}: {run.label}", markup=False, soft_wrap=True)


def _describe_run(summary: "RunSummary") -> tuple[str, ...]:
    from tracemill.store.completeness import is_complete
    from tracemill.store.database import AGAIN

    run, size = summary.run, format_size(summary.byte_count)
    if run is None:
        return (summary.run_id, "", "", "", "", size, "", summary.state)
    when, head = describe_moment(run.manifest.created_at), (run.run_id, run.label, run.source.kind)
    lost = run.missing_tables()
    if lost:
        state = f"the store has lost {', '.join(lost[:3])}: {AGAIN}"
        return (*head, "", "", size, when, state)
    try:
        counts = run.read("runs", ["process_count", "record_count"]).to_pylist()[0]
    except StoreError as error:
        return (*head, "", "", size, when, str(error))
    try:
        state = summary.state if is_complete(run) else "incomplete trace"
    except StoreError as error:
        state = str(error)
    ranks, records = f"{counts['process_count']:,}", f"{counts['record_count']:,}"
    return (*head, ranks, records, size, when, state)


def du(
    *, store: StorePath = Path("store"), format: Literal["table", "csv", "json"] = "table"
) -> None:
    """Show the space that a store takes, by kind.

    Tables that generations share count once.

    Parameters
    ----------
    format
        Output format; sizes in csv and json are in bytes.
    """
    from tracemill.reports.terminal import print_grid
    from tracemill.store.finding import existing_store
    from tracemill.store.usage import measure

    uses = measure(existing_store(store).path)
    total = sum(use.byte_count for use in uses)
    if format != "table":
        from tracemill.shell.formats import print_rows

        rows = [(use.kind, use.count, use.byte_count) for use in uses]
        print_rows(("kind", "count", "byte_count"), rows, format, results())
        return
    shown = [(use.kind, f"{use.count:,}", format_size(use.byte_count)) for use in uses if use.count]
    lines = (*shown, ("all", "", format_size(total)))
    print_grid(results(), ("what", "number", "size"), lines, numeric=("number", "size"))


def prune(
    *,
    store: StorePath = Path("store"),
    older_than: Duration = None,
    keep_generations: Annotated[int | None, Parameter(validator=_check_count)] = None,
    max_size: Annotated[str | None, Parameter(validator=_check_size)] = None,
    grace: Annotated[str, Parameter(validator=_check_duration)] = "1h",
    dry_run: Annotated[bool, Flag] = False,
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Remove old runs and earlier generations from a store, with their reports.

    Give at least one limit. Campaigns, runs that campaigns use, and recent changes are kept.

    Examples:
      tracemill prune --keep-generations 1 --dry-run
      tracemill prune --older-than 90d --max-size 500GB

    Parameters
    ----------
    older_than
        Remove runs analyzed longer ago than this, such as 90d or 12h.
    keep_generations
        Number of generations to keep of each run and campaign, the current one included.
    max_size
        Remove earlier generations, then runs, oldest first, until the store is at most this large,
        such as 100GB.
    grace
        Keep runs that changed within this period; somebody may be reading them.
    dry_run
        Print what would be removed or kept, and why; remove nothing.
    format
        Output format; the table lists what exceeds a limit, csv and json all runs.
    """
    from tracemill.campaign import retention
    from tracemill.store.finding import existing_store
    from tracemill.store.pruning import Limits

    if older_than is None and keep_generations is None and max_size is None:
        raise UsageError(
            "prune needs a limit: give --older-than 90d, --keep-generations 2 or --max-size 100GB"
        )
    opened = existing_store(store)
    for orphan in [] if dry_run else opened.sweep():
        _note(f"removed what an interrupted run left behind: {orphan}")
    limits = Limits(
        older_than=None if older_than is None else seconds_of(older_than),
        keep_generations=keep_generations,
        max_bytes=None if max_size is None else bytes_of(max_size),
        grace=seconds_of(grace),
    )
    pruning = retention.prune_store(opened.path, limits, is_dry_run=dry_run)
    if format == "table":
        _print_limited(pruning, is_dry_run=dry_run)
    else:
        _print_all(pruning, format)
    _print_totals(pruning, limits.max_bytes, is_dry_run=dry_run)


def _print_limited(pruning: "Pruning", *, is_dry_run: bool) -> None:
    from tracemill.reports.terminal import print_grid

    goes = "would go" if is_dry_run else "removed"
    rows = [
        (
            *_names(each),
            describe_moment(_created(each)),
            format_size(each.byte_count) if each.is_removed else "",
            goes if each.is_removed else "stays",
            each.reason,
        )
        for each in pruning.decisions
        if each.is_limited
    ]
    if rows:
        titles = ("what", "of", "generation", "made", "frees", "", "why")
        print_grid(results(), titles, rows, numeric=("frees",))


def _print_all(pruning: "Pruning", format: "Format") -> None:
    from tracemill.shell.formats import print_rows

    names = (
        "kind", "name", "label", "generation", "created_at", "is_removed", "byte_count", "reason"
    )  # fmt: skip
    rows = [
        (
            each.holding.kind,
            each.holding.name,
            printable(each.holding.label),
            each.generation.key if each.generation else None,
            _created(each),
            each.is_removed,
            each.byte_count,
            printable(each.reason),
        )
        for each in pruning.decisions
    ]
    print_rows(names, rows, format, results())


def _print_totals(pruning: "Pruning", max_bytes: float | None, *, is_dry_run: bool) -> None:
    runs = [each for each in pruning.decisions if each.generation is None]
    gone = sum(each.is_removed for each in runs)
    generations = len(pruning.removed) - gone
    verb = "would free" if is_dry_run else "freed"
    _note(
        f"{verb} {format_size(pruning.freed)}: {_counted(gone, 'run')} and "
        f"{_counted(generations, 'earlier generation')}; {_counted(len(runs) - gone, 'run')} stay"
    )
    if max_bytes is not None and pruning.byte_count is not None and pruning.byte_count > max_bytes:
        left = format_size(pruning.byte_count)
        _note(f"the store still has {left}: nothing else may be removed now")


def _names(decision: "PruningDecision") -> tuple[str, str, str]:
    holding, generation = decision.holding, decision.generation
    what = holding.kind if generation is None else f"generation of a {holding.kind}"
    label = printable(holding.label)
    name = f"{holding.name} ({label})" if label and holding.kind == "run" else holding.name
    return what, name, generation.key if generation else ""


def _created(decision: "PruningDecision") -> str:
    seconds = (decision.generation or decision.holding).created
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _note(text: str) -> None:
    messages().print(text, markup=False, soft_wrap=True)
