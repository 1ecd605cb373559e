"""What nights note about archives, for later nights: a small file for each."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tracemill.base.sharing import make_folder, share
from tracemill.base.temporary import temporary_name
from tracemill.nightly.find import Archive
from tracemill.store.failures import told_as_store_error
from tracemill.store.manifest import (
    STORE_FORMAT_VERSION,
    UnreadableRecordError,
    load_document,
    to_json,
)

FOLDER = "nightly"


@dataclass(frozen=True)
class Notes:
    """A folder with at most one note for each archive; what is written replaces it.

    Two processes that write the same note at the same time do no harm: one of them stays.
    """

    folder: Path

    def read(self, anchor: Path) -> dict[str, Any] | None:
        """What is noted of an archive; None if nothing is that can be read."""
        return _read(self._place(anchor))

    def fitting(self, archive: Archive) -> dict[str, Any] | None:
        """What is noted of an archive as it is now; None if it changed since."""
        note = self.read(archive.anchor)
        return note if note and note["files"] == [asdict(file) for file in archive.files] else None

    def write(self, archive: Archive, what: Mapping[str, Any]) -> None:
        """Note something of an archive as it is now. Raises StoreError."""
        about = {"path": str(archive.anchor), "files": [asdict(file) for file in archive.files]}
        version = {"store_format_version": STORE_FORMAT_VERSION}
        replace_document(self._place(archive.anchor), {**about, **what, **version})

    def remove(self, anchor: Path) -> None:
        """Forget what is noted of an archive; one that must not be removed stays."""
        with suppress(OSError):
            self._place(anchor).unlink(missing_ok=True)

    def all(self) -> Iterator[dict[str, Any]]:
        """All notes that can be read, in no particular order."""
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and (note := _read(Path(entry.path))):
                    yield note

    def _place(self, anchor: Path) -> Path:
        name = hashlib.sha256(os.fsencode(anchor)).hexdigest()[:32]
        return self.folder / f"{name}.json"


def replace_document(path: Path, document: dict[str, Any]) -> None:
    """Write a document of the store, whole or not at all. Raises StoreError."""
    beside = path.parent / temporary_name("note")
    with told_as_store_error(path):
        try:
            make_folder(path.parent)
            beside.write_bytes(to_json(document))
            share(beside)
            beside.replace(path)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise


def _read(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        note = load_document(path)
    except UnreadableRecordError:
        return None
    return note if isinstance(note.get("files"), list) and "path" in note else None
