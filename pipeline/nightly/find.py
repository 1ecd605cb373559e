"""Which archives lie below a folder, and which of them are complete and at rest."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import MissingInputError
from tracemill.base.text import printable
from tracemill.nightly.outcome import Waiting
from tracemill.store import SourceFile

ANCHOR, DEFINITIONS, EVENTS = ".otf2", ".def", ".evt"
LEADS_OUT = "is a link that leads out of the source"
# Definitions that do not come within a day never will: the analysis says what is missing.
_LONGEST_WRITING_SECONDS = 86_400


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A complete archive: its anchor file and the state of all its files.

    `changed_at` is when anything of it last changed, in seconds since 1970 by the clock of its
    file system.
    """

    anchor: Path
    files: tuple[SourceFile, ...]
    changed_at: float


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Something that is not looked at, and why."""

    path: Path
    reason: str


@dataclass(frozen=True)
class Found:
    """What lies below a folder, each in the order of its paths."""

    archives: tuple[Archive, ...]
    waiting: tuple[Waiting, ...]
    left_out: tuple[LeftOut, ...]


def find_archives(
    source: Path, *, settle_seconds: float, now: float, without: Iterable[Path] = ()
) -> Found:
    """All archives below a folder, apart from hidden folders and those of `without`.

    Nothing outside it is read: links that lead out are left out. What links inside lead to is found
    where it lies, once. An archive is waited for while anything of it changed less than
    `settle_seconds` before `now` (since 1970). Raises MissingInputError if there is no such folder.
    """
    check_source(source)
    walk = _Walk(source, {os.path.realpath(path) for path in without})
    for anchor in walk.anchors():
        walk.look_at(anchor, settle_seconds, now)
    return Found(
        tuple(sorted(walk.archives, key=lambda each: each.anchor)),
        tuple(sorted(walk.waiting, key=lambda each: each.path)),
        tuple(sorted(walk.left_out, key=lambda each: each.path)),
    )


def check_source(source: Path) -> None:
    """Raise MissingInputError if there is no such folder."""
    if not source.is_dir():
        raise MissingInputError(
            f"{printable(str(source))}: no such folder; name the folder of the archives"
        )


def is_as_found(archive: Archive) -> bool:
    """Whether a second look finds the same files, of the same sizes and times."""
    try:
        return _state(archive.anchor)[0] == archive.files
    except OSError:
        return False


@dataclass
class _Walk:
    """A search below a folder, whose archives keep the name that it was given by."""

    source: Path
    without: set[str]
    archives: list[Archive] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._named = os.path.normpath(self.source.absolute())
        self._root = os.path.realpath(self.source)
        self._searched: set[tuple[int, int]] = set()

    def anchors(self) -> Iterator[Path]:
        """Anchor files in any order; a folder is searched once, whatever links lead to it."""
        folders = [self._root]
        linked: list[str] = []
        while folders or linked:
            folder = folders.pop() if folders else linked.pop()
            entries = self._entries(folder)
            links = [entry for entry in entries if entry.is_symlink()]
            below = [entry for entry in entries if _is_folder(entry)]
            files = (e for e in entries if not e.is_symlink() and not _is_folder(e))
            anchors = [entry.path for entry in files if entry.name.endswith(ANCHOR)]
            yield from map(Path, anchors)
            stems = {anchor.removesuffix(ANCHOR) for anchor in anchors}
            names = {entry.name for entry in entries}
            for entry in below:
                if entry.path not in stems:
                    folders.append(entry.path)
                    if entry.name + DEFINITIONS in names:
                        self._wait_for(Path(entry.path + ANCHOR), "no anchor file yet")
            wanted = (entry.path for entry in links if entry.path not in stems)
            linked += [target for link in wanted if (target := self._target(link))]

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in a folder not yet searched, apart from what is hidden."""
        if folder in self.without:
            return []
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in self._searched:
                return []
            self._searched.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                return [entry for entry in entries if not entry.name.startswith(".")]
        except FileNotFoundError:
            return []  # it was removed meanwhile
        except OSError as error:
            self._leave_out(folder, f"cannot be read: {error.strerror}")
            return []

    def _target(self, link: str) -> str:
        """The folder that a link leads to, or to the archive in it; empty if it is not wanted."""
        target = os.path.realpath(link)
        is_folder = os.path.isdir(target)
        if not (is_folder or target.endswith(ANCHOR)):
            return ""
        if not self._holds(target):
            self._leave_out(link, LEADS_OUT)
            return ""
        return target if is_folder else os.path.dirname(target)

    def _holds(self, path: str) -> bool:
        return path == self._root or path.startswith(os.path.join(self._root, ""))

    def look_at(self, anchor: Path, settle_seconds: float, now: float) -> None:
        """Put an archive where it belongs by the state of its files."""
        try:
            reason = self._objection(anchor)
            if reason:
                self._leave_out(str(anchor), reason)
                return
            files, changed_at = _state(anchor)
        except FileNotFoundError:
            self._wait_for(anchor, "is changing")
            return
        except OSError as error:
            self._leave_out(str(anchor), f"cannot be read: {error.strerror}")
            return
        age = now - changed_at
        has_definitions = any(file.name == anchor.stem + DEFINITIONS for file in files)
        if age < settle_seconds:
            self._wait_for(anchor, "is still being written")
        elif not has_definitions and age < _LONGEST_WRITING_SECONDS:
            self._wait_for(anchor, "no definitions yet")
        else:
            self.archives.append(
                Archive(anchor=self._told(anchor), files=files, changed_at=changed_at)
            )

    def _objection(self, anchor: Path) -> str:
        """Why an archive must not be opened; empty if nothing speaks against it."""
        for path in (anchor, anchor.with_suffix(DEFINITIONS), anchor.with_suffix("")):
            if path.is_symlink() and not self._holds(os.path.realpath(path)):
                return f"its {path.name} {LEADS_OUT}"
        for entry in _members(anchor):
            if entry.is_symlink() and not self._holds(os.path.realpath(entry.path)):
                return f"its {entry.name} {LEADS_OUT}"
            if not entry.is_file():
                return f"its {entry.name} is no file"
        for path in (anchor, anchor.with_suffix(DEFINITIONS)):
            if path.exists() and not stat.S_ISREG(path.stat().st_mode):
                return f"its {path.name} is no file"
        return ""

    def _wait_for(self, anchor: Path, reason: str) -> None:
        self.waiting.append(Waiting(path=self._told(anchor), reason=reason))

    def _leave_out(self, path: str, reason: str) -> None:
        self.left_out.append(LeftOut(path=self._told(Path(path)), reason=reason))

    def _told(self, path: Path) -> Path:
        """A path below the folder as it was named, which may itself be a link."""
        return Path(self._named, path.relative_to(self._root))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _state(anchor: Path) -> tuple[tuple[SourceFile, ...], float]:
    """The files of an archive as they are, by name, and when any of them last changed.

    The time of the inode counts too: copying sets back that of the content.
    """
    stem = anchor.with_suffix("")
    found = {anchor.name: anchor.stat()}
    definitions = anchor.with_suffix(DEFINITIONS)
    if definitions.exists():
        found[definitions.name] = definitions.stat()
    found |= {f"{stem.name}/{entry.name}": entry.stat() for entry in _members(anchor)}
    files = tuple(
        SourceFile(name, each.st_size, each.st_mtime_ns) for name, each in sorted(found.items())
    )
    times = [max(each.st_mtime, each.st_ctime) for each in found.values()]
    if stem.exists():
        times.append(stem.stat().st_mtime)
    return files, max(times)


def _members(anchor: Path) -> list[os.DirEntry[str]]:
    """The files of locations."""
    try:
        with os.scandir(anchor.with_suffix("")) as entries:
            return [entry for entry in entries if entry.name.endswith((DEFINITIONS, EVENTS))]
    except (FileNotFoundError, NotADirectoryError):
        return []
