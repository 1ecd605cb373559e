"""Which archives the store already knows, found out without opening any of them."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tracemill.base.text import hash_of
from tracemill.engine.analyze import Options
from tracemill.engine.graph import build_graph
from tracemill.engine.plan import Outline, is_as_outlined, outline
from tracemill.engine.recipe import recipe_of
from tracemill.nightly.find import Archive
from tracemill.nightly.notes import FOLDER, Notes, replace_document
from tracemill.store import Run, Store
from tracemill.store.manifest import (
    STORE_FORMAT_VERSION,
    Pointer,
    UnreadableRecordError,
    load_document,
)


@dataclass(frozen=True, kw_only=True)
class RunName:
    """A generation of a run, by the names of its folders."""

    run_id: str
    generation: str


class Knowledge:
    """The analysed archives of a store, as they were when it was asked.

    A run is good if it is intact and holds just what an analysis would make now. What was found
    good is remembered in the store, so that its manifest is read once; that is lost without harm.
    """

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._notes = Notes(store.path / FOLDER / "archives")
        self._memory = store.path / FOLDER / "seen.json"
        self._seen: dict[str, int] = {}
        self._by_path: dict[str, list[tuple[str, Pointer]]] = {}
        self.is_changed = False
        for run_id, pointer in store.pointers().items():
            self._by_path.setdefault(os.path.normpath(pointer.source.path), []).append(
                (run_id, pointer)
            )

    @property
    def run_ids(self) -> frozenset[str]:
        """The runs that the store has, good or not."""
        return frozenset(run_id for runs in self._by_path.values() for run_id, _ in runs)

    def renewed(self) -> "Knowledge":
        """What the store knows by now."""
        self.remember()
        return Knowledge(self._store, self._options)

    def find(self, archive: Archive) -> RunName | None:
        """The good run of an archive as it is now; None if it has to be opened to know."""
        for run_id, pointer in self._by_path.get(str(archive.anchor), ()):
            name = RunName(run_id=run_id, generation=pointer.generation)
            if pointer.source.files == archive.files and self._is_good(name, pointer.source.digest):
                return name
        note = self._notes.fitting(archive)
        if note is None:
            return None
        name = RunName(run_id=note["run_id"], generation=note["generation"])
        return name if self._is_good(name, note["digest"]) else None

    def learn(self, archive: Archive, run: Run) -> None:
        """Note which run an archive is, if the store would not tell by itself."""
        source = run.source
        path = os.path.normpath(source.path)
        if (path, source.files) != (str(archive.anchor), archive.files):
            told = {"run_id": run.run_id, "generation": run.generation, "digest": source.digest}
            self._notes.write(archive, told)

    def remember(self) -> None:
        """Write down what was found good. Raises StoreError."""
        if self.is_changed:
            document = {"outline": self._outline_hash, "generations": self._remembered}
            version = {"store_format_version": STORE_FORMAT_VERSION}
            replace_document(self._memory, {**document, **version})
            self.is_changed = False

    def _is_good(self, name: RunName, digest: str) -> bool:
        folder = self._store.runs_path / f"run={name.run_id}" / f"gen={name.generation}"
        place = f"{name.run_id}/{name.generation}"
        try:
            changed_ns = folder.stat().st_mtime_ns  # which the loss of a table changes
        except OSError:
            return False
        if self._remembered.get(place) == changed_ns:
            return True
        run = None
        with suppress(UnreadableRecordError):
            run = self._store.generation(name.run_id, name.generation)
        if run is None or run.missing_tables() or not self.is_wanted(run, digest):
            return False
        self._remembered[place] = changed_ns
        self.is_changed = True
        return True

    def is_wanted(self, run: Run, digest: str) -> bool:
        """Whether a run holds just what would be made of an archive of that content."""
        return any(is_as_outlined(run.manifest, each, digest) for each in self._outlines)

    @cached_property
    def _remembered(self) -> dict[str, int]:
        if not self._memory.exists():
            return {}
        read: dict[str, Any] = {}
        with suppress(UnreadableRecordError):
            read = load_document(self._memory)
        found = read.get("generations") if read.get("outline") == self._outline_hash else None
        return dict(found) if isinstance(found, dict) else {}

    @cached_property
    def _outlines(self) -> Sequence[Outline]:
        return archive_outlines(self._store, self._options)

    @cached_property
    def _outline_hash(self) -> str:
        told = [
            (name, parts, sorted(inputs))
            for each in self._outlines
            for name, (parts, inputs) in each.tables.items()
        ]
        return hash_of(json.dumps(told, sort_keys=True))


def archive_outlines(store: Store, options: Options) -> list[Outline]:
    """What the run of an OTF2 archive may look like; damage need not be allowed where none is."""
    from tracemill.readers.otf2.source import Otf2Source

    unopened = Otf2Source.__new__(Otf2Source)  # of which only what all archives share is asked
    graph = build_graph(unopened, recipe_of(store, options.patterns))
    return [
        outline(graph, allow_damaged=is_allowed, values=options.parameters)
        for is_allowed in sorted({False, options.allow_damaged})
    ]
