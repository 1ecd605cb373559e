"""Names of temporary files and folders, with their writer."""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from tracemill.base.writers import Writer

PREFIX = ".writing"
_DAY_SECONDS = 86_400


def temporary_name(purpose: str) -> str:
    """A unique hidden name that contains its writer."""
    own = Writer.here()
    writer = f"{own.host}~{own.process}~{own.started}"
    return f"{PREFIX}~{purpose}~{writer}~{secrets.token_hex(4)}"


def temporaries(folder: Path) -> list[Path]:
    """Temporary files and folders in a folder, such as that of a run."""
    return sorted(Path(entry) for entry in entries_of(folder) if entry.name.startswith(PREFIX))


def is_temporary(path: Path) -> bool:
    """True for names of `temporary_name`."""
    return path.name.startswith(PREFIX)


def is_in_use(path: Path) -> bool:
    """True if the writer of a temporary file or folder may still be at work."""
    writer = _writer_of(path)
    if writer is None or not writer.is_of_this_host:
        return time.time() - _newest_change(path) < _DAY_SECONDS
    return writer.is_running


def _writer_of(path: Path) -> Writer | None:
    parts = path.name.split("~")
    is_relevant = len(parts) == 6 and parts[3].isdigit()
    return Writer(parts[2], int(parts[3]), parts[4]) if is_relevant else None


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder; none if it was just removed."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _newest_change(path: Path) -> float:
    """Time of the last change at or below `path`, in seconds since 1970."""
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
