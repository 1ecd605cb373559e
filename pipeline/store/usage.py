"""The space that a store takes, by kind."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import StoreError
from tracemill.base.temporary import is_in_use, is_temporary
from tracemill.store.failures import store_errors
from tracemill.store.holdings import key_at
from tracemill.store.manifest import POINTER_NAME
from tracemill.store.sizes import FileSizes

RUNS, CAMPAIGNS, EARLIER = "runs", "campaigns", "earlier generations"
REPORTS, FORECASTS, NIGHTLY = "reports", "forecasts", "nightly"
LEASES, OTHER = "leases", "other"
BEING_WRITTEN, LEFT_BEHIND = "being written", "left behind"
# What several generations share counts for the first of these.
_KINDS = (
    RUNS, CAMPAIGNS, EARLIER, REPORTS, FORECASTS, NIGHTLY, LEASES, BEING_WRITTEN, LEFT_BEHIND,
    OTHER,
)  # fmt: skip


@dataclass(frozen=True)
class Use:
    """Bytes of all files of one kind, and how many runs, generations, … there are of it."""

    kind: str
    count: int
    byte_count: int


def measure(store: Path) -> tuple[Use, ...]:
    """The space of everything in a store by kind; each file counts once.

    Earlier generations count with the bytes that their removal frees. Raises StoreError.
    """
    with store_errors(store):
        things = list(_things(store))
    sizes = FileSizes()
    uses = []
    for kind in _KINDS:
        own = [paths for each, paths in things if each == kind]
        byte_count = sum(sizes.add(path) for paths in own for path in paths)
        uses.append(Use(kind, len(own), byte_count))
    return tuple(uses)


def _things(store: Path) -> Iterator[tuple[str, list[Path]]]:
    """Everything in a store by kind: the files and folders of a run, of a generation and so on."""
    for place in _inside(store):
        if place.name in (RUNS, CAMPAIGNS):
            for folder in _inside(place):
                yield from _parts(folder, place.name)
        elif place.name in (REPORTS, FORECASTS, NIGHTLY, LEASES):
            yield from ((_kind_of(path, place.name), [path]) for path in _inside(place))
        else:
            yield _kind_of(place, OTHER), [place]


def _parts(folder: Path, kind: str) -> Iterator[tuple[str, list[Path]]]:
    """A run or campaign, and what its folder holds besides."""
    current, own = _current(folder), []
    for path in _inside(folder):
        is_earlier = path.name.startswith("gen=") and path.name != f"gen={current}"
        found = _kind_of(path, EARLIER if is_earlier else kind)
        if found == kind:
            own.append(path)
        else:
            yield found, [path]
    if own:
        yield kind, own


def _kind_of(path: Path, kind: str) -> str:
    if not is_temporary(path):
        return kind
    return BEING_WRITTEN if is_in_use(path) else LEFT_BEHIND


def _current(folder: Path) -> str:
    """The generation that is current; empty if unknown."""
    with suppress(StoreError):
        return key_at(folder / POINTER_NAME)
    return ""


def _inside(folder: Path) -> list[Path]:
    """Entries of a folder; none if it is a file, or gone."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return [folder / name for name in sorted(os.listdir(folder))]
    return []
