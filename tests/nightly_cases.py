"""Archives for nights, and nights over them."""

import math
from pathlib import Path
from typing import Any

from tests.otf2_archive import Trace
from tracemill.engine.analyze import Options
from tracemill.engine.progress import SilentReporter
from tracemill.nightly.agenda import Wishes
from tracemill.nightly.config import Config
from tracemill.nightly.night import run_night
from tracemill.nightly.outcome import NightOutcome
from tracemill.nightly.untold import Untold
from tracemill.store import Store


class Notes(SilentReporter):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def write_archive(folder: Path, work: int = 40, function: str = "solve") -> Path:
    """An archive of two processes that compute for so many ticks; returns its anchor file."""
    trace = Trace()
    for rank in range(2):
        end = 20 + work + rank
        trace.location(
            f"""
            0 enter main
            10 enter {function}
            {10 + work} leave {function}
            {end} leave main
            """
        )
    return trace.write(folder)


def cut(anchor: Path) -> None:
    """Cut the records of the first process short."""
    events = next(anchor.with_suffix("").glob("0.evt"))
    events.write_bytes(events.read_bytes()[:-9])


def night(
    source: Path,
    store: Path,
    *,
    jobs: int = 1,
    settle_seconds: float = -60.0,
    max_seconds: float = math.inf,
    since: float = -math.inf,
    is_retrying: bool = False,
    has_report: bool = False,
    notes: Notes | None = None,
    config: dict[str, Any] | None = None,
    is_told: bool = True,
) -> NightOutcome:
    """A night over small archives, without reports unless they are wanted.

    Unless `is_told` it ends like one that was killed when it had analysed all.
    """
    wishes = Wishes(
        jobs=jobs,
        since=since,
        max_seconds=max_seconds,
        settle_seconds=settle_seconds,
        is_retrying=is_retrying,
        has_report=has_report,
    )
    outcome = run_night(
        source,
        store=Store(store),
        options=Options(threads=1),
        wishes=wishes,
        config=Config.model_validate(config or {}),
        config_folder=source.parent,
        reporter=notes or Notes(),
    )
    if is_told:
        Untold(Store(store)).forget_all_of(outcome)
    return outcome
