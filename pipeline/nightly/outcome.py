"""What a night found and did, before its runs are judged and reported."""

from dataclasses import dataclass
from pathlib import Path

from tracemill.store import Run


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An archive that could not be analyzed, with the exit code of the error.

    `since` is when this failure was first found, `last` when it was last found: ISO timestamps.
    An archive is not quarantined if the store failed.
    """

    path: Path
    reason: str
    exit_code: int
    since: str = ""
    last: str = ""
    is_quarantined: bool = False


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """An archive, link or folder that a night does not use, and why."""

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

    `analyzed` are new runs, and `again` runs that earlier nights reported, analyzed anew because
    the version or an option changed. `failed` archives failed this night; `quarantined` ones failed
    earlier, did not change and were not tried again. `waiting` archives are not complete or not at
    rest, and `left` are ready but out of time. `unchanged_count` archives were analyzed before.
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
