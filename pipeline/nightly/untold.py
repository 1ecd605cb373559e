"""Archives whose analysis no night has told of yet: one that is killed leaves them to the next."""

import os
from dataclasses import dataclass
from pathlib import Path

from tracemill.nightly.find import Archive
from tracemill.nightly.notes import FOLDER, Notes
from tracemill.nightly.outcome import NightOutcome
from tracemill.store import Store


@dataclass(frozen=True)
class Untold:
    """What a store notes of them, from before an analysis until its run was judged and told."""

    store: Store

    @property
    def _notes(self) -> Notes:
        return Notes(self.store.path / FOLDER / "untold")

    def note(self, archive: Archive) -> None:
        """Note that an archive will be analysed. Raises StoreError."""
        self._notes.write(archive, {})

    def anchors(self) -> frozenset[Path]:
        """The archives that are noted."""
        return frozenset(Path(note["path"]) for note in self._notes.all())

    def forget(self, anchor: Path) -> None:
        """Nothing is left to tell of an archive."""
        self._notes.remove(anchor)

    def forget_all_of(self, night: NightOutcome) -> None:
        """A night has told what it analysed."""
        for run in (*night.analysed, *night.again):
            self.forget(Path(os.path.normpath(run.source.path)))
