"""The end of a night: what is new is judged against the past, then told in files."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.nightly.outcome import NightOutcome, Watched
from pipeline.store import Store


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a night amounts to, and where it is told.

    `exit_code` is 0 if all is well, else that of the worst there is. `sentences` say what to look
    at, and `places` are files with a label each.
    """

    exit_code: int
    sentences: tuple[str, ...]
    places: tuple[tuple[str, Path], ...]


def tell(store: Store, night: NightOutcome, config: Watched) -> Written:
    """Judge the runs of a night, and write its page, text and result into the store.

    Raises PipelineError if they cannot be written.
    """
    raise NotImplementedError
