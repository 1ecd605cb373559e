"""Names of call paths: region names joined by '/', as bytes of one Arrow string column."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.kernels.compiled import kernel

_LEVELS = (100, 32, 8, 4, 2, 1)
_MOST_BYTES = 32 << 20
_CUT = np.frombuffer("…/".encode(), np.uint8)


def path_names(parent: NDArray[np.int32], region: NDArray[np.int32], names: list[str]) -> pa.Array:
    """Name of every node; parents come before their children.

    A name has at most the last 100 levels, after '…/'. If all names exceed 32 MB, they have fewer
    levels, so that call trees of millions of nodes stay usable.
    """
    encoded = [name.encode() for name in names]
    starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in encoded], out=starts[1:])
    text = np.frombuffer(b"".join(encoded), np.uint8)
    offsets = np.zeros(len(parent) + 1, np.int64)
    for levels in _LEVELS:
        if levels > 1 and len(parent) * levels > _MOST_BYTES:
            continue  # even names of one byte would be too long
        _fill_lengths(parent, region, starts, levels, offsets)
        np.cumsum(offsets, out=offsets)
        if offsets[-1] <= _MOST_BYTES:
            break
    data = np.empty(offsets[-1], np.uint8)
    _fill(parent, region, starts, text, levels, offsets, data)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(parent), buffers)


@kernel
def _fill_lengths(parent: Any, region: Any, starts: Any, levels: Any, lengths: Any) -> None:
    """Lengths of names, from place 1 on."""
    for node in range(len(parent)):
        shown, above, length = 0, node, -1
        while above >= 0 and shown < levels:
            length += 1 + starts[region[above] + 1] - starts[region[above]]
            above = parent[above]
            shown += 1
        lengths[node + 1] = length + (len(_CUT) if above >= 0 else 0)


@kernel
def _fill(
    parent: Any, region: Any, starts: Any, text: Any, levels: Any, offsets: Any, data: Any
) -> None:
    """Write each name from its end towards its beginning."""
    for node in range(len(parent)):
        end, shown, above = offsets[node + 1], 0, node
        while above >= 0 and shown < levels:
            if shown:
                end -= 1
                data[end] = 47
            first, last = starts[region[above]], starts[region[above] + 1]
            end -= last - first
            for place in range(last - first):
                data[end + place] = text[first + place]
            above = parent[above]
            shown += 1
        if above >= 0:
            for place in range(len(_CUT)):
                data[offsets[node] + place] = _CUT[place]
