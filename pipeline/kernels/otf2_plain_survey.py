"""The survey of plain locations: a call tree that grows inside the callbacks of the library.

Without threads and tasks, visits nest: an enter goes one step down the tree, a leave one step up,
and no record is stored. This halves the time of the first pass. The general pass (visits.py) reads
locations whose visits do not nest.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numba as nb
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from tracemill.kernels.call_tree import (
    EMPTY,
    NO_NODE,
    PathTree,
    clear,
    new_tree,
    node_key,
    parts_of,
    reserve,
    slot_of,
)

# Header slots. NODE is the current node plus one, 0 outside any visit.
_NODE, _COUNT, _LIMIT, _VISITS, _IS_IRREGULAR = 0, 1, 2, 3, 4
_REGIONS, _REFS, _PARENT_AT, _REGION_AT, _STUB_AT, _NUMBER_AT = 5, 6, 7, 8, 9, 10
_KEY_AT, _TABLE_AT, _TABLE_SLOTS = 11, 12, 13
_SLOTS = 16

_ANY = 1 << 40
_SUCCESS, _INTERRUPT = np.int32(0), np.int32(1)
_MOST_REFS = 1 << 22
_SPARE_NODES = 1024


@intrinsic
def _pointer(typing: Any, address: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], cgutils.voidptr_t)

    return types.voidptr(types.uint64), generate


@nb.njit(inline="always")
def _descend(header: Any, region: Any) -> None:
    """Go to the child of the current node for a region; add it if it is new."""
    keys = nb.carray(_pointer(header[_KEY_AT]), (_ANY,), np.uint64)
    table = nb.carray(_pointer(header[_TABLE_AT]), (_ANY,), np.int32)
    last = header[_TABLE_SLOTS] - np.uint64(1)
    key = node_key(np.int64(header[_NODE]) - 1, region, False)
    slot = slot_of(last, key)
    while True:
        entry = table[slot]
        if entry == EMPTY:
            node = header[_COUNT]
            nb.carray(_pointer(header[_PARENT_AT]), (_ANY,), np.int32)[node] = (
                np.int32(header[_NODE]) - 1
            )
            nb.carray(_pointer(header[_REGION_AT]), (_ANY,), np.int32)[node] = region
            nb.carray(_pointer(header[_STUB_AT]), (_ANY,), np.bool_)[node] = False
            nb.carray(_pointer(header[_NUMBER_AT]), (_ANY,), np.int32)[node] = NO_NODE
            keys[node] = key
            entry = np.int32(node) + np.int32(1)
            table[slot] = entry
            header[_COUNT] = node + np.uint64(1)
            break
        if keys[entry - 1] == key:
            break
        slot = (slot + np.uint64(1)) & last
    header[_NODE] = np.uint64(entry)


def _enter(location, time, position, user, attributes, ref):  # type: ignore[no-untyped-def]
    header = nb.carray(user, (_ANY,), np.uint64)
    region = np.int32(NO_NODE)
    if np.uint64(ref) < header[_REFS]:
        region = nb.carray(_pointer(header[_REGIONS]), (_ANY,), np.int32)[ref]
    if region < 0:
        header[_IS_IRREGULAR] = np.uint64(1)
        return _INTERRUPT
    header[_VISITS] += np.uint64(1)
    _descend(header, region)
    return _INTERRUPT if header[_COUNT] >= header[_LIMIT] else _SUCCESS


def _leave(location, time, position, user, attributes, ref):  # type: ignore[no-untyped-def]
    header = nb.carray(user, (_ANY,), np.uint64)
    node = np.int64(header[_NODE]) - 1
    if node < 0 or np.uint64(ref) >= header[_REFS]:
        header[_IS_IRREGULAR] = np.uint64(1)
        return _INTERRUPT
    # The key is in the cache already, the other columns may not be.
    parent, region = parts_of(nb.carray(_pointer(header[_KEY_AT]), (_ANY,), np.uint64)[node])
    if region != nb.carray(_pointer(header[_REGIONS]), (_ANY,), np.int32)[ref]:
        header[_IS_IRREGULAR] = np.uint64(1)
        return _INTERRUPT
    header[_NODE] = np.uint64(np.int64(parent) + 1)
    return _SUCCESS


@cache
def plain_callbacks() -> dict[str, Any]:
    """Compiled callbacks by OTF2 event name; their user data is a `PlainSurvey`'s address."""
    signature = types.int32(
        types.uint64, types.uint64, types.uint64, types.voidptr, types.voidptr, types.uint32
    )
    compile_ = nb.cfunc(signature, cache=True)
    return {"Enter": compile_(_enter), "Leave": compile_(_leave)}


def regions_by_ref(identifiers: Sequence[int]) -> NDArray[np.int32] | None:
    """Canonical number of each region identifier; None if they are too sparse to list."""
    refs = np.array(identifiers, np.int64)
    if len(refs) and refs.max() >= _MOST_REFS:
        return None
    numbers = np.full(refs.max(initial=-1) + 1, NO_NODE, np.int32)
    numbers[refs] = np.arange(len(refs), dtype=np.int32)
    return numbers


class PlainSurvey:
    """The call tree of one location at a time; the next location reuses its memory."""

    def __init__(self, regions: NDArray[np.int32]) -> None:
        self._header = np.zeros(_SLOTS, np.uint64)
        self._regions, self._tree = regions, new_tree()

    def begin(self) -> None:
        """Begin the next location."""
        self._tree = clear(self._tree, None)
        self._header[:] = 0
        self._header[_REGIONS], self._header[_REFS] = self._regions.ctypes.data, len(self._regions)

    @property
    def address(self) -> int:
        return self._header.ctypes.data

    def clear(self) -> None:
        """Make room for more nodes; called before each chunk of records."""
        header, before = self._header, self._tree
        self._tree = reserve(self.tree, _SPARE_NODES)
        if self._tree is before and header[_LIMIT]:
            return
        header[_LIMIT] = len(self._tree.parent)
        header[_PARENT_AT] = self._tree.parent.ctypes.data
        header[_REGION_AT] = self._tree.region.ctypes.data
        header[_STUB_AT] = self._tree.is_stub.ctypes.data
        header[_NUMBER_AT] = self._tree.number.ctypes.data
        header[_KEY_AT] = self._tree.key.ctypes.data
        header[_TABLE_AT] = self._tree.table.ctypes.data
        header[_TABLE_SLOTS] = len(self._tree.table)

    @property
    def is_irregular(self) -> bool:
        """Visits did not nest, or a region is undefined: the tree is useless."""
        return bool(self._header[_IS_IRREGULAR])

    @property
    def tree(self) -> PathTree:
        self._tree.size[0] = self._header[_COUNT]
        return self._tree

    @property
    def visit_count(self) -> int:
        return int(self._header[_VISITS])
