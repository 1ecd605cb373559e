"""Archives that could not be analysed, with the reason: they are tried again when they change."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracemill.nightly.find import Archive
from tracemill.nightly.notes import FOLDER, Notes
from tracemill.nightly.outcome import Failure
from tracemill.store import Store
from tracemill.store.clock import timestamp


@dataclass(frozen=True, kw_only=True)
class Quarantined:
    """A failure as it is noted, which may have come back; times are ISO timestamps in UTC."""

    told: Failure
    last_failed_at: str
    attempts: int


@dataclass(frozen=True)
class Quarantine:
    """The quarantine of a store."""

    store: Store

    @property
    def _notes(self) -> Notes:
        return Notes(self.store.path / FOLDER / "quarantine")

    def holds(self, archive: Archive) -> Quarantined | None:
        """Why an archive, as it is now, could not be analysed; None if it may be tried."""
        note = self._notes.fitting(archive)
        return None if note is None else _quarantined(note)

    def put(
        self, archive: Archive, *, reason: str, exit_code: int, details: str = ""
    ) -> Quarantined:
        """Note that an archive, as it is now, cannot be analysed. Raises StoreError."""
        before, now = self._notes.read(archive.anchor), timestamp("milliseconds")
        note = {
            "path": str(archive.anchor),
            "reason": reason,
            "exit_code": exit_code,
            "details": details,
            "first_failed_at": before["first_failed_at"] if before else now,
            "last_failed_at": now,
            "attempts": before["attempts"] + 1 if before else 1,
        }
        self._notes.write(archive, note)
        return _quarantined(note)

    def release(self, anchor: Path) -> None:
        """Forget an archive, which was analysed or is gone."""
        self._notes.remove(anchor)

    def anchors(self) -> list[Path]:
        """The archives that are noted, whether or not they still are as they were."""
        return sorted(Path(note["path"]) for note in self._notes.all())


def _quarantined(note: dict[str, Any]) -> Quarantined:
    told = Failure(
        path=Path(note["path"]),
        reason=note["reason"],
        exit_code=note["exit_code"],
        since=note["first_failed_at"],
    )
    return Quarantined(told=told, last_failed_at=note["last_failed_at"], attempts=note["attempts"])
