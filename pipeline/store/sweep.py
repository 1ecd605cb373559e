"""Names of what is temporary in a store, and the removal of that whose writer is gone."""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tracemill.store.writers import Writer

_PREFIX = ".writing"
GENERATION, POINTER = "gen", "pointer"
_DAY_SECONDS = 86_400
# In these, and in their folders, files and folders are written beside their place.
_PLACES = ("runs", "campaigns", "reports", "nightly", "leases")


def temporary_name(purpose: str) -> str:
    """A hidden name nobody else uses, which says who writes under it."""
    own = Writer.here()
    writer = f"{own.host}~{own.process}~{own.started}"
    return f"{_PREFIX}~{purpose}~{writer}~{secrets.token_hex(4)}"


def orphans(store: Path) -> Iterator[Path]:
    """Temporary files and folders of a store whose writer cannot finish them any more.

    The writer ran on this host and has ended, or it ran elsewhere and wrote nothing for a day.
    """
    for place in (store / name for name in _PLACES):
        for folder in (place, *_folders(place)):
            yield from (path for path in temporaries(folder) if not is_in_use(path))


def temporaries(folder: Path) -> list[Path]:
    """Temporary files and folders in a folder, such as that of a run."""
    return sorted(Path(entry) for entry in _entries(folder) if entry.name.startswith(_PREFIX))


def is_being_written(folder: Path) -> bool:
    """True if somebody makes a generation of a run or campaign just now, or makes one current."""
    parts = tuple(f"{_PREFIX}~{purpose}~" for purpose in (GENERATION, POINTER))
    return any(path.name.startswith(parts) and is_in_use(path) for path in temporaries(folder))


def is_temporary(path: Path) -> bool:
    """True for names of `temporary_name`."""
    return path.name.startswith(_PREFIX)


def is_in_use(path: Path) -> bool:
    """True if the writer of a temporary file or folder may still be at work."""
    writer = _writer_of(path)
    if writer is None or not writer.is_of_this_host:
        return time.time() - _newest_change(path) < _DAY_SECONDS
    return writer.is_running


def _writer_of(path: Path) -> Writer | None:
    parts = path.name.split("~")
    is_told = len(parts) == 6 and parts[3].isdigit()
    return Writer(parts[2], int(parts[3]), parts[4]) if is_told else None


def sweep(store: Path) -> list[Path]:
    """Remove all orphans that can be removed and return them.

    The folder of a run or campaign that then holds nothing is removed too.
    """
    removed = [path for path in orphans(store) if remove(path)]
    for folder in {path.parent for path in removed}:
        if folder.parent.name in ("runs", "campaigns"):
            with suppress(OSError):  # it holds generations
                folder.rmdir()
    return removed


def remove(path: Path) -> bool:
    """Remove a file, or a folder with all it holds; False if that cannot be.

    A folder goes by one rename: nobody sees half of it, not even who still writes into it.
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
    entries = (entry for entry in _entries(place) if not entry.name.startswith(_PREFIX))
    return sorted(Path(entry) for entry in entries if entry.is_dir())


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, which may just have been removed."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _newest_change(path: Path) -> float:
    """When anything at or below `path` was last written, in seconds since 1970."""
    times = [0.0]
    below = [
        os.path.join(folder, name)
        for folder, folders, files in os.walk(path)
        for name in (*folders, *files)
    ]
    for each in (str(path), *below):
        with suppress(OSError):  # it was renamed or removed meanwhile
            times.append(os.stat(each).st_mtime)
    return max(times)
