"""Plans a night: which archives to analyze. No archive is opened."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tracemill.base.text import hash_of
from tracemill.campaign.analyzing import accepted_outlines
from tracemill.engine.analyze import Options
from tracemill.engine.plan import Outline, is_as_outlined
from tracemill.nightly.find import ReadyArchive, find_archives
from tracemill.nightly.notes import (
    FOLDER,
    Notes,
    get_failure,
    quarantine,
    read_document,
    unreported,
    write_document,
)
from tracemill.nightly.outcome import Failure, Skipped
from tracemill.nightly.pages import Pages
from tracemill.readers.otf2.source import Otf2Source
from tracemill.store.manifest import Pointer, UnreadableRecordError
from tracemill.store.runs import Run, Store


@dataclass(frozen=True, kw_only=True)
class NightOptions:
    """Options of a night besides those of each analysis.

    Archives that last changed before `since` (seconds since 1970) are ignored, and those that
    changed within `settle_seconds` wait. After `max_seconds` running analyses stop. `is_retrying`
    includes archives in quarantine.
    """

    jobs: int
    since: float = -math.inf
    max_seconds: float = math.inf
    settle_seconds: float = 60.0
    is_retrying: bool = False
    has_report: bool = True


@dataclass(frozen=True, kw_only=True)
class Agenda:
    """The archives below the source, grouped by action; `due` has the newest first.

    `due` includes archives that no night reported yet. `run_ids` are archives with an up-to-date
    run.
    """

    due: tuple[ReadyArchive, ...] = ()
    run_ids: dict[Path, str] = field(default_factory=dict)
    quarantined: tuple[Failure, ...] = ()
    waiting: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    too_old_count: int = 0


def make_agenda(
    source: Path, *, store: Store, archive_runs: "ArchiveRuns", options: NightOptions, now: float
) -> Agenda:
    """Find the archives and group them; `now` is in seconds since 1970. Nothing is written."""
    found = find_archives(
        source, settle_seconds=options.settle_seconds, now=now, without=[store.path]
    )
    wanted = [each for each in found.archives if each.changed_at >= options.since]
    pages, open_notes = Pages.of_store(store), unreported(store).anchors()
    run_ids = {
        each.anchor: run_id
        for each in wanted
        if each.anchor not in open_notes
        and (run_id := archive_runs.find(each))
        and (not options.has_report or pages.of_run(run_id))
    }
    others = [each for each in wanted if each.anchor not in run_ids]
    notes = quarantine(store)
    failures = {} if options.is_retrying else {a.anchor: get_failure(notes, a) for a in others}
    quarantined = {anchor: failure for anchor, failure in failures.items() if failure}
    due = [each for each in others if each.anchor not in quarantined]
    return Agenda(
        due=tuple(sorted(due, key=lambda each: (-each.changed_at, each.anchor))),
        run_ids=run_ids,
        quarantined=tuple(quarantined.values()),
        waiting=found.waiting,
        left_out=found.left_out,
        too_old_count=len(found.archives) - len(wanted),
    )


class ArchiveRuns:
    """The archives with runs that hold exactly the tables of an analysis today.

    `nightly/seen.json` lists checked runs, so that each manifest is read once; it may be deleted.
    """

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._notes = Notes(store, "archives")
        self._file = store.path / FOLDER / "seen.json"
        self._is_changed = False
        self._by_path: dict[str, list[tuple[str, Pointer]]] = {}
        pointers = store.pointers()
        self.run_ids = frozenset(pointers)
        for run_id, pointer in pointers.items():
            path = os.path.normpath(pointer.source.path)
            self._by_path.setdefault(path, []).append((run_id, pointer))

    def find(self, archive: ReadyArchive) -> str | None:
        """The id of an up-to-date run of an archive; None if the archive has to be opened."""
        for run_id, pointer in self._by_path.get(str(archive.anchor), ()):
            digest = pointer.source.digest
            is_same = pointer.source.files == archive.files
            if is_same and self._is_current(run_id, pointer.generation, digest):
                return run_id
        note = self._notes.get(archive)
        if note and self._is_current(note["run_id"], note["generation"], note["digest"]):
            return str(note["run_id"])
        return None

    def add(self, archive: ReadyArchive, run: Run) -> None:
        """Note the run of an archive if the record of the run has another path or file state."""
        source = run.source
        if (os.path.normpath(source.path), source.files) != (str(archive.anchor), archive.files):
            note = {"run_id": run.run_id, "generation": run.generation, "digest": source.digest}
            self._notes.put(archive, note)

    def save(self) -> None:
        """Write the list of checked runs. Raises StoreError."""
        if self._is_changed:
            content = {"outline": self._outline_hash, "generations": self._checked}
            write_document(self._file, content)

    def _is_current(self, run_id: str, generation: str, digest: str) -> bool:
        folder = self._store.runs_path / f"run={run_id}" / f"gen={generation}"
        name = f"{run_id}/{generation}"
        try:
            changed_ns = folder.stat().st_mtime_ns  # changes when a table is lost
            if self._checked.get(name) == changed_ns:
                return True
            run = self._store.generation(run_id, generation)
        except (OSError, UnreadableRecordError):
            return False
        if run is None or run.missing_tables():
            return False
        if not any(is_as_outlined(run.manifest, each, digest) for each in self._outlines):
            return False
        self._checked[name] = changed_ns
        self._is_changed = True
        return True

    @cached_property
    def _checked(self) -> dict[str, int]:
        document = read_document(self._file)
        is_same = document.get("outline") == self._outline_hash
        found = document.get("generations") if is_same else None
        return dict(found) if isinstance(found, dict) else {}

    @cached_property
    def _outlines(self) -> Sequence[Outline]:
        unopened = Otf2Source.__new__(Otf2Source)  # outlines depend on the class alone
        return accepted_outlines(unopened, self._store, self._options)

    @cached_property
    def _outline_hash(self) -> str:
        content = [
            (name, parts, sorted(inputs))
            for each in self._outlines
            for name, (parts, inputs) in each.tables.items()
        ]
        return hash_of(json.dumps(content, sort_keys=True))
