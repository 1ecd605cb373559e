"""Names of temporary folders, and the removal of those whose writer is gone."""

import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PREFIX = ".writing"
_DAY_SECONDS = 86_400


def temporary_name(purpose: str) -> str:
    """A hidden name nobody else uses, which says who writes under it."""
    writer = f"{_host()}~{os.getpid()}~{_started(os.getpid())}"
    return f"{_PREFIX}~{purpose}~{writer}~{secrets.token_hex(4)}"


def orphans(runs: Path) -> Iterator[Path]:
    """Temporary files and folders below `runs` whose writer cannot finish them any more.

    The writer ran on this host and has ended, or it ran elsewhere and wrote nothing for a day.
    """
    for folder in sorted(runs.glob("*")):
        yield from (path for path in temporaries(folder) if not is_in_use(path))


def temporaries(folder: Path) -> list[Path]:
    """Temporary files and folders in the folder of a run."""
    return sorted(folder.glob(f"{_PREFIX}~*"))


def is_in_use(path: Path) -> bool:
    """True if the writer of a temporary file or folder may still be at work."""
    parts = path.name.split("~")
    if len(parts) != 6 or parts[2] != _host():
        return time.time() - _newest_change(path) < _DAY_SECONDS
    return parts[3].isdigit() and _started(int(parts[3])) == parts[4] != ""


def sweep(runs: Path) -> list[Path]:
    """Remove all orphans that can be removed and return them.

    The folder of a run that then holds nothing is removed too.
    """
    removed = [path for path in orphans(runs) if _remove(path)]
    for folder in {path.parent for path in removed}:
        with suppress(OSError):  # it holds generations
            folder.rmdir()
    return removed


def _remove(path: Path) -> bool:
    try:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    except OSError:
        return False  # another run sweeps too, or we may not
    return True


def _newest_change(path: Path) -> float:
    """When anything at or below `path` was last written, in seconds since 1970."""
    times = [0.0]
    for entry in (path, *path.rglob("*")):
        try:
            times.append(entry.stat().st_mtime)
        except OSError:
            continue  # it was renamed or removed meanwhile
    return max(times)


def _host() -> str:
    """This host; containers, which number processes for themselves, count as hosts."""
    try:
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        namespace = ""
    host = socket.gethostname().replace("~", "-").replace("/", "-")
    return f"{host}+{namespace}"


def _started(pid: int) -> str:
    """When a process of this host started, as the kernel counts; empty if there is none.

    Together with its number it tells a process from a later one of the same number.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
    except (OSError, IndexError):
        return "" if os.path.exists("/proc/self/stat") else _alive_without_proc(pid)


def _alive_without_proc(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "alive"
    return "alive"
