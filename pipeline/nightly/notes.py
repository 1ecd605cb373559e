"""Notes on archives for later nights: a small file for each archive."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tracemill.base.errors import PipelineError, StoreError
from tracemill.base.files import write_bytes
from tracemill.nightly.find import ReadyArchive
from tracemill.nightly.outcome import Failed, Failure
from tracemill.store.clock import timestamp
from tracemill.store.failures import store_error
from tracemill.store.manifest import (
    STORE_FORMAT_VERSION,
    UnreadableRecordError,
    load_document,
    to_json,
)
from tracemill.store.runs import Store

FOLDER = "nightly"


@dataclass(frozen=True)
class Notes:
    """The notes of one kind in a store, at most one per archive; the last writer wins."""

    store: Store
    kind: str

    def get(self, archive: ReadyArchive) -> dict[str, Any] | None:
        """The note on an archive; None if there is none or the archive changed since."""
        note = self.get_any(archive.anchor)
        return note if note and note["files"] == [asdict(file) for file in archive.files] else None

    def get_any(self, anchor: Path) -> dict[str, Any] | None:
        """The note on an archive, even if the archive changed since."""
        return _read_note(self._path_of(anchor))

    def put(self, archive: ReadyArchive, content: Mapping[str, Any]) -> None:
        """Write or replace the note on an archive in its present state. Raises StoreError."""
        files = [asdict(file) for file in archive.files]
        document = {"path": str(archive.anchor), "files": files, **content}
        write_document(self._path_of(archive.anchor), document)

    def remove(self, anchor: Path) -> None:
        """Remove the note on an archive, if the file system permits it."""
        with suppress(OSError):
            self._path_of(anchor).unlink(missing_ok=True)

    def anchors(self) -> frozenset[Path]:
        """The archives with a note, even if they changed since."""
        folder = self.store.path / FOLDER / self.kind
        notes = (_read_note(path) for path in folder.glob("*.json"))
        return frozenset(Path(note["path"]) for note in notes if note)

    def _path_of(self, anchor: Path) -> Path:
        name = hashlib.sha256(os.fsencode(anchor)).hexdigest()[:32]
        return self.store.path / FOLDER / self.kind / f"{name}.json"


def unreported(store: Store) -> Notes:
    """Notes on archives of nights that did not report them yet, also if they were killed."""
    return Notes(store, "unreported")


def quarantine(store: Store) -> Notes:
    """Notes on archives that could not be analyzed; a changed archive is tried again."""
    return Notes(store, "quarantine")


def put_failure(notes: Notes, archive: ReadyArchive, failed: Failed) -> Failure:
    """Put an archive in its present state into quarantine. Raises StoreError."""
    before, now = notes.get_any(archive.anchor) or {}, timestamp("milliseconds")
    note = {
        "reason": failed.reason,
        "exit_code": failed.exit_code,
        "details": failed.details,
        "first_failed_at": before.get("first_failed_at", now),
        "last_failed_at": now,
        "attempts": before.get("attempts", 0) + 1,
    }
    notes.put(archive, note)
    return _failure(archive, note)


def get_failure(notes: Notes, archive: ReadyArchive) -> Failure | None:
    """The failure of an archive in its present state; None if it is not in quarantine."""
    note = notes.get(archive)
    return None if note is None else _failure(archive, note)


def _failure(archive: ReadyArchive, note: Mapping[str, Any]) -> Failure:
    return Failure(
        path=archive.anchor,
        reason=note["reason"],
        exit_code=note["exit_code"],
        since=note["first_failed_at"],
        last=note["last_failed_at"],
        is_quarantined=True,
    )


def read_document(path: Path) -> dict[str, Any]:
    """A document of the store; empty if it is missing or unreadable."""
    try:
        return load_document(path) if path.exists() else {}
    except UnreadableRecordError:
        return {}


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Replace a document of the store atomically. Raises StoreError."""
    write_file(path, to_json({**document, "store_format_version": STORE_FORMAT_VERSION}))


def write_file(path: Path, content: bytes) -> None:
    """Replace a file of the store atomically. Raises StoreError."""
    with raising_store_errors(path):
        write_bytes(path, content, is_folder_made=True)


@contextmanager
def raising_store_errors(path: Path) -> Iterator[None]:
    """Turn errors of writing into StoreError; `path` is named if the error names no file."""
    try:
        yield
    except StoreError:
        raise
    except PipelineError as error:
        cause = error.__cause__
        if isinstance(cause, OSError):
            raise store_error(Path(cause.filename or path), cause) from error
        raise StoreError(str(error)) from error


def _read_note(path: Path) -> dict[str, Any] | None:
    note = read_document(path)
    return note if isinstance(note.get("files"), list) and "path" in note else None
