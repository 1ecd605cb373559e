"""What the commands do that look after a store; `cli` only turns text into these calls."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.base.console import messages, results
from tracemill.base.errors import UsageError
from tracemill.base.text import bytes_of, describe_moment, printable, seconds_of
from tracemill.reports.terminal import print_grid
from tracemill.reports.units import format_size
from tracemill.store.finding import open_store
from tracemill.store.usage import measure

if TYPE_CHECKING:
    from tracemill.shell import Format
    from tracemill.store.pruning import Decision, Pruning


def tell_usage(store: Path, format: "Format") -> None:
    """Print how much space what is in a store takes."""
    uses = measure(open_store(store).path)
    total = sum(use.byte_count for use in uses)
    if format != "table":
        from tracemill.shell import print_rows

        rows = [(use.kind, use.count, use.byte_count) for use in uses]
        print_rows(("kind", "count", "byte_count"), rows, format, results())
        return
    shown = [(use.kind, f"{use.count:,}", format_size(use.byte_count)) for use in uses if use.count]
    lines = (*shown, ("all", "", format_size(total)))
    print_grid(results(), ("what", "number", "size"), lines, numeric=("number", "size"))


def prune_store(
    store: Path,
    *,
    older_than: str | None,
    keep_generations: int | None,
    max_size: str | None,
    grace: str,
    is_dry_run: bool,
    format: "Format",
) -> None:
    """Remove what exceeds the limits, and print what goes, what stays all the same, and why."""
    from tracemill.campaign.retention import prune
    from tracemill.store.pruning import Limits

    if older_than is None and keep_generations is None and max_size is None:
        raise UsageError(
            "prune needs a limit: give --older-than 90d, --keep-generations 2 or --max-size 100GB"
        )
    opened = open_store(store)
    for orphan in [] if is_dry_run else opened.sweep():
        _say(f"removed what an interrupted run left behind: {orphan}")
    limits = Limits(
        older_than=None if older_than is None else seconds_of(older_than),
        keep_generations=keep_generations,
        max_bytes=None if max_size is None else bytes_of(max_size),
        grace=seconds_of(grace),
    )
    pruning = prune(opened.path, limits, is_dry_run=is_dry_run)
    if format == "table":
        _draw(pruning, is_dry_run=is_dry_run)
    else:
        _print_all(pruning, format)
    _tell(pruning, limits.max_bytes, is_dry_run=is_dry_run)


def _draw(pruning: "Pruning", *, is_dry_run: bool) -> None:
    """Print what exceeds a limit; whatever else stays is not of interest."""
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
    from tracemill.shell import print_rows

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


def _tell(pruning: "Pruning", max_bytes: float | None, *, is_dry_run: bool) -> None:
    runs = [each for each in pruning.decisions if each.generation is None]
    gone = sum(each.is_removed for each in runs)
    generations = len(pruning.removed) - gone
    verb = "would free" if is_dry_run else "freed"
    _say(
        f"{verb} {format_size(pruning.freed)}: {_counted(gone, 'run')} and "
        f"{_counted(generations, 'earlier generation')}; {_counted(len(runs) - gone, 'run')} stay"
    )
    if max_bytes is not None and pruning.byte_count is not None and pruning.byte_count > max_bytes:
        left = format_size(pruning.byte_count)
        _say(f"the store still holds {left}: nothing else of it may be removed now")


def _names(decision: "Decision") -> tuple[str, str, str]:
    holding, generation = decision.holding, decision.generation
    what = holding.kind if generation is None else f"generation of a {holding.kind}"
    label = printable(holding.label)
    name = f"{holding.name} ({label})" if label and holding.kind == "run" else holding.name
    return what, name, generation.key if generation else ""


def _created(decision: "Decision") -> str:
    seconds = (decision.generation or decision.holding).created
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _say(text: str) -> None:
    messages().print(text, markup=False, soft_wrap=True)
