"""Sequential walks, compiled by numba when first needed (compilers.py) and run without it."""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX, _LARGE = -1, -3, -8, 64 << 20


def _keep_memory() -> None:
    """Let the C library reuse freed columns instead of requesting cleared pages each time.

    All threads share one heap, because heaps of other threads are returned piece by piece.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, 1)


_keep_memory()
