"""Memory in which the OTF2 library buffers records.

By default it writes the records of a location when they fill 128 MB, or at the end.
"""

import ctypes
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EVENTS = 3
"""Kind of event files, as in the headers of OTF2."""
_MOST_CHUNKS = 1

_Allocate = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_void_p,
    ctypes.c_uint64,
)  # fmt: skip
_FreeAll = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_bool
)


class ChunkCallbacks(ctypes.Structure):
    """Argument of OTF2_Archive_SetMemoryCallbacks."""

    _fields_ = (("allocate", _Allocate), ("free_all", _FreeAll))


class Chunks:
    """Gives each event file one chunk of memory; the library writes the file when it is full.

    Must live as long as the archive, which uses `callbacks`.
    """

    def __init__(self) -> None:
        self._used: dict[tuple[int, int], list[NDArray[np.uint8]]] = defaultdict(list)
        self._unused: dict[int, list[NDArray[np.uint8]]] = defaultdict(list)
        self.callbacks = ChunkCallbacks(_Allocate(self._allocate), _FreeAll(self._free_all))

    def _allocate(self, data: Any, kind: int, location: int, own: Any, size: int) -> int | None:
        used = self._used[kind, location]
        if kind == _EVENTS and len(used) >= _MOST_CHUNKS:
            return None
        unused = self._unused[size]
        used.append(unused.pop() if unused else np.empty(size, np.uint8))
        return int(used[-1].ctypes.data)

    def _free_all(self, data: Any, kind: int, location: int, own: Any, is_final: bool) -> None:
        for chunk in self._used.pop((kind, location), []):
            self._unused[len(chunk)].append(chunk)
