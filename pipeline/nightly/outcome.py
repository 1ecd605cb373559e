"""What a night did, for those who judge and tell it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tracemill.store import Run


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An archive that could not be analysed: why, and the exit code that the error has.

    `since` is when that was first found, as an ISO timestamp.
    """

    path: Path
    reason: str
    exit_code: int
    since: str = ""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An archive that is not ready to be analysed, such as one that is still being written."""

    path: Path
    reason: str


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """A campaign of the night: `run` is what was made, or None and why it failed."""

    name: str
    run: Run | None = None
    is_new: bool = False
    reason: str = ""
    exit_code: int = 0


@dataclass(frozen=True, kw_only=True)
class NightOutcome:
    """A night over the archives below `source`.

    `failed` are those that failed in this night, `quarantined` those that failed in an earlier one,
    did not change, and were not tried again. `again` are runs that earlier nights told of, analysed
    anew as another version or option does. `waiting` may be ready another night, and `left` are
    ready but were not begun. `unchanged_count` archives were analysed before. Timestamps are ISO,
    in UTC.
    """

    source: Path
    started_at: str
    ended_at: str
    analysed: tuple[Run, ...] = ()
    again: tuple[Run, ...] = ()
    failed: tuple[Failure, ...] = ()
    quarantined: tuple[Failure, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    left: tuple[Path, ...] = ()
    campaigns: tuple[CampaignOutcome, ...] = ()
    unchanged_count: int = 0


class Application(Protocol):
    """What a site says of one of its applications.

    Archives whose folder, relative to the source of the night, fits `pattern` are runs of it; `*`
    and `?` stand for anything, also for `/`. New runs are held against `baseline`, a run as every
    command names it or several joined by commas; without one against the last `history` runs.
    They are worse if a condition of `fail_if` holds, as `tracemill compare --fail-if` takes them.
    """

    @property
    def name(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def baseline(self) -> str: ...
    @property
    def fail_if(self) -> Sequence[str]: ...
    @property
    def history(self) -> int: ...


class Watched(Protocol):
    """What the configuration of a night says of applications; the first that fits counts."""

    @property
    def applications(self) -> Sequence[Application]: ...
