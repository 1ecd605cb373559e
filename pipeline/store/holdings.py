"""The contents of the folders of runs and campaigns, readable or not."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from tracemill.base.errors import StoreError
from tracemill.store.manifest import (
    MANIFEST_NAME,
    POINTER_NAME,
    Manifest,
    Pointer,
    SourceRecord,
    UnreadableRecordError,
)
from tracemill.store.sizes import FileSizes, linked_sizes

HoldingKind = Literal["run", "campaign"]
_GENERATION = "gen="


@dataclass(frozen=True, kw_only=True)
class Generation:
    """A generation; `created` is in seconds since 1970, `source` None if it cannot be read."""

    key: str
    path: Path
    created: float
    source: SourceRecord | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Holding:
    """All generations of a run or campaign: the current one, then the others from the latest.

    `current` is a key, empty if the pointer is missing or damaged. `changed` is the time (clock of
    the file system) when a generation was last published or made current. `problem` is the reason
    why nothing may be removed, such as a newer version of Tracemill.
    """

    kind: HoldingKind
    folder: Path
    current: str
    generations: tuple[Generation, ...]
    source: SourceRecord | None
    changed: float
    problem: str = ""

    @property
    def name(self) -> str:
        return self.folder.name.removeprefix(f"{self.kind}=")

    @property
    def label(self) -> str:
        return self.source.label if self.source else ""

    @property
    def place(self) -> str:
        """Last known path of its trace; empty if unknown."""
        return self.source.path if self.source else ""

    @property
    def pointer(self) -> Path:
        return self.folder / POINTER_NAME

    @property
    def created(self) -> float:
        """Time when the current generation was made."""
        return self.generations[0].created

    @property
    def report(self) -> Path:
        """The folder of its report, which need not be there."""
        return self.folder.parent.parent / "reports" / self.folder.name


class Footprint:
    """Bytes of a holding and its report, while generations of it are removed."""

    def __init__(self, holding: Holding) -> None:
        self._left = {each.key: linked_sizes(each.path) for each in holding.generations}
        sizes = FileSizes()
        self._rest = sizes.add(holding.pointer) + sizes.add(holding.report)

    @property
    def all(self) -> int:
        """Bytes that are freed if everything is removed."""
        shared = {
            inode: size for each in self._left.values() for inode, size in each.shared.items()
        }
        return self._rest + sum(each.own for each in self._left.values()) + sum(shared.values())

    def remove(self, key: str) -> int:
        """Count a generation no more; returns what is freed, as no other holds it."""
        gone = self._left.pop(key)
        kept = {inode for each in self._left.values() for inode in each.shared}
        return gone.own + sum(size for inode, size in gone.shared.items() if inode not in kept)


def find_holdings(store: Path, kind: HoldingKind) -> list[Holding]:
    """The runs or campaigns of a store that hold a generation, by their names."""
    found = (_holding(folder, kind) for folder in sorted((store / f"{kind}s").glob(f"{kind}=*")))
    return [each for each in found if each is not None]


def key_at(pointer: Path) -> str:
    """The key of the generation that a pointer names; empty if there is none, or it is damaged."""
    with suppress(UnreadableRecordError):
        found = Pointer.find(pointer)
        return found.generation if found else ""
    return ""


def _holding(folder: Path, kind: HoldingKind) -> Holding | None:
    pointer, problem = None, ""
    try:
        pointer = Pointer.find(folder / POINTER_NAME)
    except UnreadableRecordError:
        pass  # what nobody can read grows old like the rest
    except StoreError as error:
        problem = str(error)
    generations = [_generation(path) for path in folder.glob(f"{_GENERATION}*")]
    if not generations:
        return None
    current = pointer.generation if pointer else ""
    generations.sort(key=lambda each: (each.key == current, each.created, each.key), reverse=True)
    times = [_changed(path) for path in (folder / POINTER_NAME, *(g.path for g in generations))]
    return Holding(
        kind=kind,
        folder=folder,
        current=current,
        generations=tuple(generations),
        source=pointer.source if pointer else generations[0].source,
        changed=max(times),
        problem=problem,
    )


def _generation(path: Path) -> Generation:
    """A generation as far as it can be read; else it is as old as its folder."""
    created, source = _changed(path), None
    with suppress(StoreError, ValueError):
        manifest = Manifest.load(path / MANIFEST_NAME)
        created, source = datetime.fromisoformat(manifest.created_at).timestamp(), manifest.source
    return Generation(
        key=path.name.removeprefix(_GENERATION), path=path, created=created, source=source
    )


def _changed(path: Path) -> float:
    """Time of the last change of a file or folder; 0 if it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
