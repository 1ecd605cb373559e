"""Commands that look after a store: what takes space there, and what it shall not keep."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tracemill.base.text import bytes_of, seconds_of
from tracemill.cli.parameters import Flag, Store


def _check_duration(_: object, duration: str | None) -> None:
    if duration is not None:
        seconds_of(duration)


def _check_size(_: object, size: str | None) -> None:
    if size is not None:
        bytes_of(size)


def _check_count(_: object, count: int | None) -> None:
    if count is not None and count < 1:
        raise ValueError("keep at least one generation, the current one")


Duration = Annotated[str | None, Parameter(validator=_check_duration)]


def du(*, store: Store = Path("store"), format: Literal["table", "csv", "json"] = "table") -> None:
    """Tell what takes how much space in a store.

    Tables that generations share count once.

    Parameters
    ----------
    format
        How to print it; in csv and json sizes are in bytes.
    """
    from tracemill import store_commands

    store_commands.tell_usage(store, format)


def prune(
    *,
    store: Store = Path("store"),
    older_than: Duration = None,
    keep_generations: Annotated[int | None, Parameter(validator=_check_count)] = None,
    max_size: Annotated[str | None, Parameter(validator=_check_size)] = None,
    grace: Annotated[str, Parameter(validator=_check_duration)] = "1h",
    dry_run: Annotated[bool, Flag] = False,
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Remove runs and earlier generations that a store need not keep, with their reports.

    Give at least one limit. Runs that campaigns use stay, as do campaigns themselves, and what
    is being written or was changed just now.

    Examples:
      tracemill prune --keep-generations 1 --dry-run
      tracemill prune --older-than 90d --max-size 500GB

    Parameters
    ----------
    older_than
        Remove runs analysed longer ago than this, such as 90d or 12h.
    keep_generations
        Keep so many generations of each run and campaign, the current one among them.
    max_size
        Remove earlier generations, then runs, oldest first, until the store is no larger than
        this, such as 100GB.
    grace
        Let runs be that changed within this time: somebody may be reading them.
    dry_run
        Say what would go and what stays, and why, and remove nothing.
    format
        How to print it: in the table is what exceeds a limit, in csv and json are all runs.
    """
    from tracemill import store_commands

    store_commands.prune_store(
        store,
        older_than=older_than,
        keep_generations=keep_generations,
        max_size=max_size,
        grace=grace,
        is_dry_run=dry_run,
        format=format,
    )
