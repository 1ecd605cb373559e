"""The outcome of a night, before its runs are judged and reported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tracemill.store.runs import Run


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An archive that could not be analyzed, with the exit code of the error.

    `since` and `last` are the ISO timestamps of the first and the last failure. An archive is not
    quarantined if the store failed.
    """

    path: Path
    reason: str
    exit_code: int
    since: str = ""
    last: str = ""
    is_quarantined: bool = False


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A failed analysis: the reason in a line, and the traceback of a bug in `details`."""

    reason: str
    exit_code: int
    details: str = ""
    cause: Literal["archive", "change", "store"] = "archive"


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """An archive, link or folder that a night does not use, and the reason."""

    path: Path
    reason: str


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """A campaign of the configuration: its run, or the reason why it failed."""

    name: str
    run: Run | None = None
    is_new: bool = False
    reason: str = ""
    exit_code: int = 0


@dataclass(frozen=True, kw_only=True)
class Night:
    """A night over the archives below `source`. Timestamps are ISO, in UTC.

    `analyzed` are new runs. `again` are runs that earlier nights reported, analyzed again because
    the version or an option changed. `quarantined` archives failed in an earlier night and did not
    change, so they were not tried. `waiting` ones are incomplete or changed recently. `left` ones
    were ready, but time ended. `unchanged_count` were analyzed before.
    """

    source: Path
    started_at: str
    ended_at: str
    analyzed: tuple[Run, ...] = ()
    again: tuple[Run, ...] = ()
    failed: tuple[Failure, ...] = ()
    quarantined: tuple[Failure, ...] = ()
    waiting: tuple[Skipped, ...] = ()
    left: tuple[Path, ...] = ()
    campaigns: tuple[CampaignOutcome, ...] = ()
    unchanged_count: int = 0
