"""Group access to a store: new files and folders are shared like the folder that contains them."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_TRIES = 10


def share(path: Path) -> None:
    """Give a new file or folder the group and mode of its folder, as far as the system allows.

    In folders with the sticky bit, such as /tmp, nothing changes.
    """
    with suppress(OSError):
        own, folder = path.lstat(), path.parent.stat()
        if folder.st_mode & stat.S_ISVTX and not folder.st_mode & stat.S_ISGID:
            return
        if own.st_gid != folder.st_gid:
            os.chown(path, -1, folder.st_gid, follow_symlinks=False)
        mode = _mode_in(folder.st_mode, is_folder=stat.S_ISDIR(own.st_mode))
        if stat.S_IMODE(own.st_mode) != mode:
            path.chmod(mode)


def make_folder(path: Path) -> None:
    """Make a folder and its parents, each shared; others may do the same at the same time."""
    for left in reversed(range(_TRIES)):
        try:
            path.mkdir()
        except FileNotFoundError:
            if not left:
                raise
            make_folder(path.parent)
        except FileExistsError:
            if not path.is_dir():
                raise
            return
        else:
            share(path)
            return


def add_folder(path: Path) -> None:
    """Make a folder unless it is there; that which it lies in must be, or it is an OSError."""
    with suppress(FileExistsError):
        path.mkdir()
        share(path)


def _mode_in(folder: int, *, is_folder: bool) -> int:
    """The mode of what is new in a folder of that mode; its owner can always change it."""
    if is_folder:
        return folder & (stat.S_ISGID | 0o777) | 0o700
    return folder & 0o666 | 0o600
