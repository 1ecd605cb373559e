"""Data of a page for its scripts: JSON text with packed arrays.

An array of integers gets the narrowest type for its values or, if they never decrease, for their
differences. Its bytes are grouped by significance, which compresses better, and then compressed
with zlib and encoded as base64. Short arrays stay as they are, because unpacking takes longer
than reading them. `widgets/core.js` unpacks. Texts lose characters that could rearrange a page,
and the middle if they are very long.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.base.names import make_visible, shorten

LARGEST_EXACT = 2**53
LONGEST_TEXT = 1_000
_PLAIN_TEXT = 2_000
_TYPES = ("u1", "i1", "u2", "i2", "i4")
_SHORTEST_PACKED = 16
_LEVEL = 4
"""Level 6 makes pages 3% smaller and takes three times as long."""
_WIDE = 4
"""Narrower differences repeat in strings. All other numbers are searched only for runs of a byte:
a page is 1% smaller to 3% larger, and is compressed in two thirds of the time."""


def embed(data: Mapping[str, object]) -> str:
    """JSON text that is safe inside a script element.

    Values are plain, one-dimensional arrays, or lists and mappings of these. Integers beyond
    2**53, which scripts cannot represent, NaN and infinity raise ValueError.
    """
    text = json.dumps(_pack(data), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _pack(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return _pack_array(value)
    if isinstance(value, Mapping):
        return {str(key): _pack(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return _pack_list(value)
    if isinstance(value, str):
        return shorten(make_visible(value), LONGEST_TEXT)
    if isinstance(value, np.generic):
        return _pack(value.item())
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        raise ValueError(f"{value} is too large for a script")
    return value


def _pack_list(values: list[object] | tuple[object, ...]) -> Any:
    """Many texts, packed as one."""
    items = [_pack(value) for value in values]
    if all(isinstance(item, str) for item in items):
        text = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
        if len(text) > _PLAIN_TEXT:
            return {"$": "text", "z": _compress(text.encode("utf-8"))}
    return items


def _pack_array(values: NDArray[Any]) -> dict[str, object]:
    if values.ndim != 1:
        raise ValueError("arrays of a page must have one dimension")
    if values.dtype.kind == "f":
        return _packed(values.astype(f"<f{min(max(values.itemsize, 4), 8)}"))
    whole = values.astype(np.int64)
    if whole.size and max(abs(int(whole.min())), abs(int(whole.max()))) > LARGEST_EXACT:
        raise ValueError("an array contains integers that are too large for a script")
    if whole.size >= _SHORTEST_PACKED and whole[0] >= 0 and (whole[1:] >= whole[:-1]).all():
        narrow = _narrow(np.diff(whole, prepend=np.int64(0)))
        return _packed(narrow, repeats=narrow.itemsize < _WIDE) | {"steps": True}
    return _packed(_narrow(whole))


def _narrow(whole: NDArray[np.int64]) -> NDArray[Any]:
    low, high = (int(whole.min()), int(whole.max())) if whole.size else (0, 0)
    for name in _TYPES:
        bounds = np.iinfo(name)
        if bounds.min <= low and high <= bounds.max:
            return whole.astype(f"<{name}")
    return whole.astype("<f8")


def _packed(values: NDArray[Any], *, repeats: bool = False) -> dict[str, object]:
    kind = values.dtype.str[-2:]
    if values.size < _SHORTEST_PACKED and np.isfinite(values).all():
        return {"$": kind, "v": values.tolist()}
    planes = values.view(np.uint8).reshape(-1, values.itemsize).T
    strategy = zlib.Z_DEFAULT_STRATEGY if repeats else zlib.Z_RLE
    return {"$": kind, "n": values.size, "z": _compress(planes.tobytes(), strategy)}


def _compress(data: bytes, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> str:
    packer = zlib.compressobj(_LEVEL, strategy=strategy)
    return b64encode(packer.compress(data) + packer.flush()).decode("ascii")
