"""Bytes of files, of which those with several names count once."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

Inode = tuple[int, int]
"""Number of the file system and of the file in it; the same for all names of a file."""


@dataclass
class FileSizes:
    """Adds up what folders hold; a file that was added under another name adds nothing."""

    _seen: set[Inode] = field(default_factory=set)

    def add(self, path: Path) -> int:
        """Bytes of a file or folder that were not counted before; links are not followed."""
        total = 0
        for status in _statuses(path):
            if status.st_nlink > 1:
                inode = (status.st_dev, status.st_ino)
                if inode in self._seen:
                    continue
                self._seen.add(inode)
            total += status.st_size
        return total


@dataclass(frozen=True)
class LinkedSizes:
    """Bytes in files of one name, and the sizes of those that have several."""

    own: int
    shared: dict[Inode, int]


def linked_sizes(path: Path) -> LinkedSizes:
    """Files of a folder, with those that it may share with others."""
    own, shared = 0, {}
    for status in _statuses(path):
        if status.st_nlink > 1:
            shared[status.st_dev, status.st_ino] = status.st_size
        else:
            own += status.st_size
    return LinkedSizes(own, shared)


def _statuses(path: Path) -> Iterator[os.stat_result]:
    """The state of a file, or of all files below a folder."""
    if not path.is_dir() or path.is_symlink():
        with suppress(OSError):
            yield path.lstat()
        return
    for folder, _, names in os.walk(path):  # which passes over folders that are gone
        for name in names:
            with suppress(OSError):
                yield os.lstat(os.path.join(folder, name))
