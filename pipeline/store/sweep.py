"""Names of what is temporary in a store, and the removal of that whose writer is gone."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tracemill.base.temporary import PREFIX, entries_of, is_in_use, temporaries, temporary_name

GENERATION, POINTER = "gen", "pointer"
# In these, and in their folders, files and folders are written beside their place.
_PLACES = ("runs", "campaigns", "reports", "nightly", "leases", "forecasts")


def orphans(store: Path) -> Iterator[Path]:
    """Temporary files and folders of a store whose writer is dead.

    The writer ran on this host and has ended, or it ran elsewhere and wrote nothing for a day.
    """
    for place in (store / name for name in _PLACES):
        for folder in (place, *_folders(place)):
            yield from (path for path in temporaries(folder) if not is_in_use(path))


def is_being_written(folder: Path) -> bool:
    """True if somebody makes a generation of a run or campaign just now, or makes one current."""
    parts = tuple(f"{PREFIX}~{purpose}~" for purpose in (GENERATION, POINTER))
    return any(path.name.startswith(parts) and is_in_use(path) for path in temporaries(folder))


def sweep(store: Path) -> list[Path]:
    """Remove all orphans and then empty folders of runs; returns the removed ones."""
    removed = [path for path in orphans(store) if remove(path)]
    for folder in {path.parent for path in removed}:
        if folder.parent.name in ("runs", "campaigns"):
            with suppress(OSError):  # it holds generations
                folder.rmdir()
    return removed


def remove(path: Path) -> bool:
    """Remove a file, or a folder with all it holds; False if that cannot be.

    A folder is renamed first: nobody sees a part of it, not even its writer.
    """
    try:
        if path.is_dir() and not path.is_symlink():
            aside = path.with_name(temporary_name("removal"))
            path.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)  # what stays is swept next time
        else:
            path.unlink()
    except OSError:
        return False  # another removes it too, or we may not
    return True


def _folders(place: Path) -> list[Path]:
    entries = (entry for entry in entries_of(place) if not entry.name.startswith(PREFIX))
    return sorted(Path(entry) for entry in entries if entry.is_dir())
