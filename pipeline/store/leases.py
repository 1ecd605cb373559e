"""Leases: a process announces its work, so that others choose different work.

Leases only save work. On shared storage, two processes may hold the same lease, and a living holder
may be considered dead. Results stay correct, because they are published by one rename (see
generation.py).
"""

import hashlib
import json
import os
import secrets
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tracemill.base.sharing import make_folder, share
from tracemill.base.temporary import temporary_name
from tracemill.base.writers import Writer
from tracemill.store.clock import now_in, timestamp
from tracemill.store.failures import store_errors
from tracemill.store.manifest import to_json

HEARTBEAT_SECONDS = 15.0
# Hosts may see times of files up to a minute late.
DEAD_AFTER_SECONDS = 180.0


class Lease:
    """Something that this process works on; a thread shows that it lives until `release`."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self._content = content
        self._is_over = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="lease", daemon=True)
        self._heart.start()

    def __enter__(self) -> "Lease":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Give it back; a second time does nothing. Never fails: others see it die at worst."""
        self._is_over.set()
        self._heart.join()
        with suppress(OSError):
            if self._is_ours():
                self.path.unlink(missing_ok=True)

    def _beat(self) -> None:
        while not self._is_over.wait(HEARTBEAT_SECONDS):
            with suppress(OSError):  # the next one may succeed
                if not self._is_ours():
                    return
                os.utime(self.path)

    def _is_ours(self) -> bool:
        """False once others took this process for dead."""
        found = _look(self.path)
        return found is not None and found.content == self._content


def name_of_analysis(trace: str | Path) -> str:
    """The name of the lease for analyzing a trace, given by its absolute path."""
    return f"analysis of {trace}"


def take(folder: Path, name: str) -> Lease | None:
    """Take the lease called `name`, or None if a living process holds it.

    A process is dead if it ran on this host and has ended, or if it did not renew the lease for
    DEAD_AFTER_SECONDS (clock of the file system). Raises StoreError if the store cannot be written.
    """
    path = folder / f"{_key(name)}.json"
    with store_errors(path):
        make_folder(folder)
        found = _look(path)
        if found is not None and (not found.is_dead(folder) or not _remove(path, found)):
            return None
        content = to_json(
            asdict(Writer.here())
            | {"what": name, "taken_at": timestamp(), "token": secrets.token_hex(8)}
        )
        return Lease(path, content) if _create(path, content) else None


def held(folder: Path) -> list[str]:
    """Names of the leases that somebody alive holds."""
    found = (_look(path) for path in _leases(folder))
    living = [each for each in found if each is not None and not each.is_dead(folder)]
    return sorted(each.name for each in living if each.name is not None)


def sweep_leases(folder: Path) -> list[Path]:
    """Remove the leases of the dead and return what was removed."""
    dead = []
    for path in _leases(folder):
        with suppress(OSError):  # others sweep too, or we may not
            found = _look(path)
            if found is not None and found.is_dead(folder) and _remove(path, found):
                dead.append(path)
    return dead


@dataclass(frozen=True)
class _Found:
    """A lease as it lies there. One just made may have no content yet."""

    content: bytes
    changed_ns: int

    @property
    def name(self) -> str | None:
        what = self._fields().get("what")
        return what if isinstance(what, str) else None

    def is_dead(self, folder: Path) -> bool:
        fields = self._fields()
        with suppress(KeyError, TypeError, ValueError):  # unknown writer: only its heartbeat counts
            if Writer(fields["host"], int(fields["process"]), fields["started"]).has_ended:
                return True
        return now_in(folder) - self.changed_ns / 1e9 > DEAD_AFTER_SECONDS

    def _fields(self) -> dict[str, Any]:
        try:
            fields = json.loads(self.content)
        except ValueError:
            return {}
        return fields if isinstance(fields, dict) else {}


def _look(path: Path) -> _Found | None:
    """The lease at `path`. It is opened, because only then do hosts fetch its time anew."""
    try:
        with path.open("rb") as file:
            return _Found(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return None


def _create(path: Path, content: bytes) -> bool:
    """Make the file of a lease; False if another was faster."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileExistsError:
        return False
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    share(path)
    return True


def _remove(path: Path, found: _Found) -> bool:
    """Remove the lease of a dead process; False if another process removed or took it.

    A rename decides between processes. A lease that has changed is put back.
    """
    aside = path.with_name(temporary_name("lease"))
    try:
        path.rename(aside)
    except FileNotFoundError:
        return False
    is_same = _look(aside) == found
    if not is_same:
        with suppress(OSError):  # its holder goes on without it
            os.link(aside, path)
    aside.unlink(missing_ok=True)
    return is_same


def _leases(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
