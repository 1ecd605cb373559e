"""Finds the archives below a folder that are complete and no longer written."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import MissingInputError
from tracemill.base.near import near_path
from tracemill.base.text import printable
from tracemill.nightly.outcome import Skipped
from tracemill.store.manifest import SourceFile

ANCHOR, DEFINITIONS, EVENTS = ".otf2", ".def", ".evt"
LEADS_OUT = "is a link that leads out of the source"
# After a day, missing definitions will not come any more, and the analysis reports them.
_LONGEST_WRITING_SECONDS = 86_400


@dataclass(frozen=True, kw_only=True)
class ReadyArchive:
    """A complete archive: its anchor file, all its files, and the time of their last change.

    The time is in seconds since 1970 by the clock of the file system.
    """

    anchor: Path
    files: tuple[SourceFile, ...]
    changed_at: float


@dataclass(frozen=True)
class FoundArchives:
    """The archives below a folder, sorted by path.

    `waiting` archives are incomplete or changed recently. `left_out` must not or cannot be read.
    """

    archives: tuple[ReadyArchive, ...]
    waiting: tuple[Skipped, ...]
    left_out: tuple[Skipped, ...]


def find_archives(
    source: Path, *, settle_seconds: float, now: float, without: Iterable[Path] = ()
) -> FoundArchives:
    """Find all archives below a folder, except in hidden folders and those of `without`.

    No link is followed; those out of the folder are listed in `left_out`. An archive is waiting if
    it changed less than `settle_seconds` before `now` (seconds since 1970). Raises
    MissingInputError if there is no such folder.
    """
    check_source(source)
    search = _Search(source, {os.path.realpath(path) for path in without})
    for anchor in search.anchors():
        search.classify(anchor, settle_seconds, now)
    return FoundArchives(
        tuple(sorted(search.archives, key=lambda each: each.anchor)),
        tuple(sorted(search.waiting, key=lambda each: each.path)),
        tuple(sorted(search.left_out, key=lambda each: each.path)),
    )


def check_source(source: Path) -> None:
    """Raise MissingInputError if there is no such folder."""
    if not source.is_dir():
        missing = "a file" if source.exists() else "no such folder"
        advice = near_path(source) or "name the folder of the archives"
        raise MissingInputError(printable(f"{source}: {missing}; {advice}"))


def is_as_found(archive: ReadyArchive) -> bool:
    """Whether an archive still has the same files with the same sizes and times."""
    try:
        return _state(archive.anchor)[0] == archive.files
    except OSError:
        return False


@dataclass
class _Search:
    """A search below a folder; paths of archives begin with the folder as the user named it."""

    source: Path
    without: set[str]
    archives: list[ReadyArchive] = field(default_factory=list)
    waiting: list[Skipped] = field(default_factory=list)
    left_out: list[Skipped] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._named = os.path.normpath(self.source.absolute())
        self._root = os.path.realpath(self.source)

    def anchors(self) -> Iterator[Path]:
        """The anchor files in any order. No link is followed."""
        for folder, folders, files in os.walk(self._root, onerror=self._leave_unreadable):
            path = Path(folder)
            links = {name for name in (*folders, *files) if (path / name).is_symlink()}
            own = [name for name in files if name.endswith(ANCHOR) and name not in links]
            anchors = [path / name for name in own if name[0] != "."]
            yield from anchors
            stems = {anchor.stem for anchor in anchors}
            for name in links - stems:
                self._check_link(path / name)
            folders[:] = [
                name
                for name in folders
                if name not in links | stems
                and name[0] != "."
                and str(path / name) not in self.without
            ]
            for name in folders:
                if name + DEFINITIONS in files:
                    self._skip(self.waiting, path / (name + ANCHOR), "no anchor file yet")

    def _check_link(self, link: Path) -> None:
        """Leave out a link to a folder or archive outside; the search finds targets inside."""
        target = os.path.realpath(link)
        is_wanted = os.path.isdir(target) or target.endswith(ANCHOR)
        if is_wanted and link.name[0] != "." and not Path(target).is_relative_to(self._root):
            self._skip(self.left_out, link, LEADS_OUT)

    def classify(self, anchor: Path, settle_seconds: float, now: float) -> None:
        """Add an archive to one of the lists by the state of its files."""
        try:
            if objection := self._objection(anchor):
                self._skip(self.left_out, anchor, objection)
                return
            files, changed_at = _state(anchor)
        except FileNotFoundError:
            self._skip(self.waiting, anchor, "is changing")
            return
        except OSError as error:
            self._skip(self.left_out, anchor, f"cannot be read: {error.strerror}")
            return
        age = now - changed_at
        has_definitions = any(file.name == anchor.stem + DEFINITIONS for file in files)
        if age < settle_seconds:
            self._skip(self.waiting, anchor, "changed a moment ago (--settle)")
        elif not has_definitions and age < _LONGEST_WRITING_SECONDS:
            self._skip(self.waiting, anchor, "no definitions yet")
        else:
            named = self._as_named(anchor)
            self.archives.append(ReadyArchive(anchor=named, files=files, changed_at=changed_at))

    def _objection(self, anchor: Path) -> str:
        """The reason not to open an archive; empty if there is none."""
        members = [Path(entry) for entry in _members(anchor)]
        for path in (anchor, anchor.with_suffix(DEFINITIONS), anchor.with_suffix(""), *members):
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(self._root):
                return f"its {path.name} {LEADS_OUT}"
        for path in (anchor, anchor.with_suffix(DEFINITIONS), *members):
            if path.exists() and not path.is_file():
                return f"its {path.name} is not a file"
        return ""

    def _skip(self, skipped: list[Skipped], path: Path, reason: str) -> None:
        skipped.append(Skipped(path=self._as_named(path), reason=reason))

    def _leave_unreadable(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # removed in the meantime
            self._skip(self.left_out, Path(error.filename), f"cannot be read: {error.strerror}")

    def _as_named(self, path: Path) -> Path:
        return Path(self._named, path.relative_to(self._root))


def _state(anchor: Path) -> tuple[tuple[SourceFile, ...], float]:
    """The files of an archive, by name, and the time of the last change of any of them."""
    stem = anchor.with_suffix("")
    found = {anchor.name: anchor.stat()}
    definitions = anchor.with_suffix(DEFINITIONS)
    if definitions.exists():
        found[definitions.name] = definitions.stat()
    found |= {f"{stem.name}/{entry.name}": entry.stat() for entry in _members(anchor)}
    files = tuple(
        SourceFile(name, each.st_size, each.st_mtime_ns) for name, each in sorted(found.items())
    )
    # Copying may set back the modification time, but not the change time of the inode.
    times = [max(each.st_mtime, each.st_ctime) for each in found.values()]
    if stem.exists():
        times.append(stem.stat().st_mtime)
    return files, max(times)


def _members(anchor: Path) -> list[os.DirEntry[str]]:
    """The files of the locations."""
    try:
        with os.scandir(anchor.with_suffix("")) as entries:
            return [entry for entry in entries if entry.name.endswith((DEFINITIONS, EVENTS))]
    except (FileNotFoundError, NotADirectoryError):
        return []
