"""Failures of the file system in words that say what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracemill.base.errors import StoreError


class UnwritableStoreError(StoreError):
    """The disk of the store is full, over quota or read-only: nothing more can be written to it."""


_FULL = {errno.ENOSPC, errno.EDQUOT}
_REFUSED = {errno.EACCES, errno.EPERM}


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the block, which works on `path`, into a StoreError of one line."""
    try:
        yield
    except OSError as error:
        raise store_error(path, error) from error


def store_error(path: Path, error: OSError) -> StoreError:
    """The StoreError for an `error` at the file or folder `path`."""
    if error.errno in _FULL:
        return UnwritableStoreError(
            f"the store is full: {path}: free some space or name another folder with --store"
        )
    if error.errno == errno.EROFS:
        return UnwritableStoreError(
            f"the store is read-only: {path}: name another folder with --store"
        )
    if error.errno in _REFUSED:
        return StoreError(
            f"the store must not be written by you: {path}: name another folder with --store"
        )
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return StoreError(f"a file is in the way: {path}: name another folder with --store")
    return StoreError(f"the store cannot be used: {path}: {error.strerror or error}")
