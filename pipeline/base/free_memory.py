"""Give freed memory back to the system."""

import ctypes
from functools import cache
from typing import Any

import pyarrow as pa


@cache
def _trim() -> Any:
    """The function of glibc; None on other systems."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None


def free_memory() -> None:
    """Give back what was freed: glibc keeps arrays of up to 32 MB for threads that have ended.

    Takes some milliseconds if hundreds of megabytes are given back.
    """
    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)
