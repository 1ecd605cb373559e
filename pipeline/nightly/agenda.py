"""What a night has to do, found out without opening an archive."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.nightly.find import Archive, LeftOut, find_archives
from tracemill.nightly.knowledge import Knowledge, RunName
from tracemill.nightly.outcome import Failure, Waiting
from tracemill.nightly.pages import Pages
from tracemill.nightly.quarantine import Quarantine
from tracemill.nightly.untold import Untold
from tracemill.store import Store


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """How a night shall go about it.

    Archives that last changed before `since` (seconds since 1970) are left alone. Nothing is begun
    or goes on after `max_seconds`. Archives are waited for until they rested `settle_seconds`.
    `is_retrying` tries what is in quarantine again.
    """

    jobs: int
    since: float = -math.inf
    max_seconds: float = math.inf
    settle_seconds: float = 60.0
    is_retrying: bool = False
    has_report: bool = True


@dataclass(frozen=True, kw_only=True)
class Agenda:
    """The archives below the source, each in one of these; those that are due newest first.

    Due is also what a night analysed that ended before it told of it.
    """

    due: tuple[Archive, ...] = ()
    known: dict[Path, RunName] = field(default_factory=dict)
    quarantined: tuple[Failure, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    too_old_count: int = 0


def make_agenda(
    source: Path, *, store: Store, knowledge: Knowledge, wishes: Wishes, now: float
) -> Agenda:
    """Find the archives and sort them; `now` is in seconds since 1970. Nothing is written.

    Raises MissingInputError if there is no such folder.
    """
    found = find_archives(
        source, settle_seconds=wishes.settle_seconds, now=now, without=[store.path]
    )
    wanted = [each for each in found.archives if each.changed_at >= wishes.since]
    untold = Untold(store).anchors()
    told = [each for each in wanted if each.anchor not in untold]
    known = {each.anchor: name for each in told if (name := knowledge.find(each))}
    if wishes.has_report:
        pages = Pages.of_store(store)
        known = {path: name for path, name in known.items() if pages.of_run(name.run_id)}
    others = [each for each in wanted if each.anchor not in known]
    quarantined = {} if wishes.is_retrying else _quarantined(others, Quarantine(store))
    due = [each for each in others if each.anchor not in quarantined]
    return Agenda(
        due=tuple(sorted(due, key=lambda each: (-each.changed_at, each.anchor))),
        known=known,
        quarantined=tuple(quarantined.values()),
        waiting=found.waiting,
        left_out=found.left_out,
        too_old_count=len(found.archives) - len(wanted),
    )


def _quarantined(archives: Sequence[Archive], quarantine: Quarantine) -> dict[Path, Failure]:
    return {each.anchor: held.told for each in archives if (held := quarantine.holds(each))}
