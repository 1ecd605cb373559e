"""The end of a night: what is new is judged against the past, then told in files."""

from dataclasses import dataclass
from pathlib import Path

from tracemill.nightly.history import read_history
from tracemill.nightly.judge import Judge
from tracemill.nightly.nights import alarms_of, keep, read_nights
from tracemill.nightly.outcome import NightOutcome, Watched
from tracemill.nightly.page import MOST_NIGHTS, build_page
from tracemill.nightly.pages import Pages
from tracemill.nightly.reporting import files_told_as_store_error, write_into
from tracemill.nightly.result import Told, document_of
from tracemill.nightly.untold import Untold
from tracemill.nightly.wording import describe_alarms, describe_night, describe_others
from tracemill.reports.wording import said
from tracemill.store import Store


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a night amounts to, and where it is told.

    `exit_code` is 0 if all is well, else that of the worst there is. `sentences` say what to look
    at, and `places` are files with a label each.
    """

    exit_code: int
    sentences: tuple[str, ...]
    places: tuple[tuple[str, Path], ...]


def tell(
    store: Store,
    night: NightOutcome,
    config: Watched,
    *,
    threads: int = 1,
    memory_limit: str = "",
) -> Written:
    """Judge the runs of a night, and write its page, text and result into the store.

    Raises StoreError if they cannot be written.
    """
    applications = config.applications
    history = read_history(
        store, night.source, applications, threads=threads, memory_limit=memory_limit
    )
    judge = Judge(
        store=store,
        history=history,
        applications=applications,
        threads=threads,
        memory_limit=memory_limit,
    )
    judgement = judge.judge(night.analysed)
    nights = read_nights(store, MOST_NIGHTS)
    pages = Pages.of_store(store)
    told = Told(
        night=night,
        judgement=judgement,
        sentences=said(
            *describe_night(night, judgement),
            describe_others(night, alarms_of(nights, judgement.worse)),
            *describe_alarms(judgement),
        ),
        nights=tuple(nights),
        pages=pages,
    )
    page = build_page(night, judgement, history, nights, pages)
    written = write_into(store, page)
    with files_told_as_store_error(store):
        result = keep(store, document_of(told))
    Untold(store).forget_all_of(night)
    return Written(
        exit_code=told.exit_code,
        sentences=told.sentences,
        places=(*written, ("result", result)),
    )
