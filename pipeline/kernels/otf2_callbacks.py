"""Compiled callbacks that the OTF2 library calls for every event record.

Each appends one row to the columns of a `RecordBuffer` (buffer.py); its address is the user data of
the callback. The header at that address holds the number of rows, the begin of each column (in
elements of its type, from the address), and the addresses of the library's functions for attribute
lists, because cached code must not contain addresses.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from tracemill.kernels import numba_start  # noqa: F401

# isort: split
import numba as nb
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tracemill.kernels import records as rec

# Header slots.
ROWS, SIDE_ROWS, ROW_LIMIT, SIDE_LIMIT, DROPPED = 0, 1, 2, 3, 4
TIME_AT, SIDE_AT, REF_AT, KIND_AT = 8, 9, 10, 11
ATTRIBUTE_COUNT, ATTRIBUTE_GET = 12, 13
HEADER_SLOTS = 16

WORST_RECORD = 1024
"""Maximum of side rows of one record: 255 metric values, and attributes."""

_ANY = 1 << 40
_SUCCESS, _INTERRUPT = np.int32(0), np.int32(1)
_LETTERS = dict.fromkeys(rec.MAPPINGS, types.uint32) | {
    "B": types.uint8, "W": types.uint32, "Q": types.uint64, "L": types.int64, "T": types.uint64,
}  # fmt: skip
_HEAD = (types.uint64, types.uint64, types.uint64, types.voidptr, types.voidptr)


@intrinsic
def _call_count(typing: Any, address: Any, pointer: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [cgutils.voidptr_t])
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), [values[1]])

    return types.uint32(types.uint64, types.voidptr), generate


@intrinsic
def _call_get(typing: Any, address: Any, pointer: Any, index: Any, out: Any) -> Any:
    """Call OTF2_AttributeList_GetAttributeByIndex at an address; `out` receives 3 words.

    The attribute goes to word 0, the type to word 1 and the value to word 2.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(
            ir.IntType(32), [cgutils.voidptr_t, ir.IntType(32)] + [cgutils.voidptr_t] * 3
        )
        function = builder.inttoptr(values[0], kind.as_pointer())
        words = [
            builder.inttoptr(
                builder.add(values[3], ir.Constant(ir.IntType(64), 8 * word)), cgutils.voidptr_t
            )
            for word in range(3)
        ]
        return builder.call(function, [values[1], values[2], *words])

    return types.int32(types.uint64, types.voidptr, types.uint32, types.uint64), generate


@intrinsic
def _address_of(typing: Any, pointer: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ptrtoint(values[0], ir.IntType(64))

    return types.uint64(types.voidptr), generate


@nb.njit(inline="always")
def _put(user: Any, time: Any, kind: Any, ref: Any) -> None:
    header = nb.carray(user, (_ANY,), np.uint64)
    row = header[ROWS]
    header[header[TIME_AT] + row] = time
    nb.carray(user, (_ANY,), np.uint32)[header[REF_AT] + row] = ref
    nb.carray(user, (_ANY,), np.uint8)[header[KIND_AT] + row] = kind
    header[ROWS] = row + np.uint64(1)


@nb.njit(inline="always")
def _new_side_row(user: Any) -> Any:
    """Index of the next side row's first word, counted from the address, and its number."""
    header = nb.carray(user, (_ANY,), np.uint64)
    side = header[SIDE_ROWS]
    header[SIDE_ROWS] = side + np.uint64(1)
    return header[SIDE_AT] + side * np.uint64(rec.SIDE_WIDTH), np.uint32(side)


@nb.njit
def _put_attributes(user: Any, attributes: Any, time: Any, count: Any) -> None:
    header = nb.carray(user, (_ANY,), np.uint64)
    for index in range(count):
        if index >= WORST_RECORD - 256:
            header[DROPPED] += np.uint64(count - index)
            return
        word, side = _new_side_row(user)
        for offset in range(np.uint64(rec.SIDE_WIDTH)):
            header[word + np.uint64(offset)] = np.uint64(0)
        out = _address_of(user) + word * np.uint64(8)
        _call_get(header[ATTRIBUTE_GET], attributes, np.uint32(index), out)
        _put(user, time, np.uint8(rec.ATTRIBUTE), side)


@nb.njit(inline="always")
def _finish(user: Any, attributes: Any, time: Any) -> Any:
    """Store the attributes of a record; interrupt the library when the columns may overflow."""
    header = nb.carray(user, (_ANY,), np.uint64)
    count = _call_count(header[ATTRIBUTE_COUNT], attributes)
    if count > 0:
        _put_attributes(user, attributes, time, count)
    if header[ROWS] >= header[ROW_LIMIT] or header[SIDE_ROWS] >= header[SIDE_LIMIT]:
        return _INTERRUPT
    return _SUCCESS


def _plain(kind: np.uint8) -> Callable[..., Any]:
    """Enter and leave: the argument is in the row itself."""

    def callback(location, time, position, user, attributes, ref):  # type: ignore[no-untyped-def]
        _put(user, time, kind, ref)
        return _finish(user, attributes, time)

    return callback


def _bare(kind: np.uint8) -> Callable[..., Any]:
    """Enter and leave in a trace without attributes, which saves a quarter of the time."""

    def callback(location, time, position, user, attributes, ref):  # type: ignore[no-untyped-def]
        _put(user, time, kind, ref)
        header = nb.carray(user, (_ANY,), np.uint64)
        return _INTERRUPT if header[ROWS] >= header[ROW_LIMIT] else _SUCCESS

    return callback


@nb.njit(inline="always")
def _store(user: Any, time: Any, attributes: Any, kind: Any, arguments: Any) -> Any:
    """Store a record with its arguments, of which there is one or more."""
    header = nb.carray(user, (_ANY,), np.uint64)
    word, side = _new_side_row(user)
    for place in range(len(arguments)):
        header[word + np.uint64(place)] = arguments[place]
    _put(user, time, kind, side)
    return _finish(user, attributes, time)


def _arity_0(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes):  # type: ignore[no-untyped-def]
        _put(user, time, kind, np.uint32(0))
        return _finish(user, attributes, time)

    return callback


def _arity_1(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a):  # type: ignore[no-untyped-def]
        return _store(user, time, attributes, kind, (np.uint64(a),))

    return callback


def _arity_2(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a, b):  # type: ignore[no-untyped-def]
        return _store(user, time, attributes, kind, (np.uint64(a), np.uint64(b)))

    return callback


def _arity_3(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a, b, c):  # type: ignore[no-untyped-def]
        return _store(user, time, attributes, kind, (np.uint64(a), np.uint64(b), np.uint64(c)))

    return callback


def _arity_4(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a, b, c, d):  # type: ignore[no-untyped-def]
        arguments = (np.uint64(a), np.uint64(b), np.uint64(c), np.uint64(d))
        return _store(user, time, attributes, kind, arguments)

    return callback


def _arity_5(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a, b, c, d, e):  # type: ignore[no-untyped-def]
        arguments = (np.uint64(a), np.uint64(b), np.uint64(c), np.uint64(d), np.uint64(e))
        return _store(user, time, attributes, kind, arguments)

    return callback


def _arity_6(kind: np.uint8) -> Callable[..., Any]:
    def callback(location, time, position, user, attributes, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
        arguments = (
            np.uint64(a), np.uint64(b), np.uint64(c), np.uint64(d), np.uint64(e), np.uint64(f),
        )  # fmt: skip
        return _store(user, time, attributes, kind, arguments)

    return callback


_BY_ARITY = (_arity_0, _arity_1, _arity_2, _arity_3, _arity_4, _arity_5, _arity_6)


@cache
def _compile(function: Callable[..., Any], *arguments: Any) -> Any:
    return nb.cfunc(types.int32(*_HEAD, *arguments), cache=True)(function)


def _metric(location, time, position, user, attributes, metric, count, kinds, values):  # type: ignore[no-untyped-def]
    """One side row per value: metric class, position, type, value, number of values."""
    header = nb.carray(user, (_ANY,), np.uint64)
    value_kinds = nb.carray(kinds, (256,), np.uint8)
    bits = nb.carray(values, (256,), np.uint64)
    first = header[SIDE_ROWS]
    for index in range(count):
        word, _ = _new_side_row(user)
        header[word] = np.uint64(metric)
        header[word + np.uint64(1)] = np.uint64(index)
        header[word + np.uint64(2)] = np.uint64(value_kinds[index])
        header[word + np.uint64(3)] = bits[index]
        header[word + np.uint64(4)] = np.uint64(count)
    if count > 0:
        _put(user, time, np.uint8(rec.METRIC), np.uint32(first))
    else:
        _put(user, time, np.uint8(rec.IGNORED), np.uint32(0))
    return _finish(user, attributes, time)


def _program_begin(location, time, position, user, attributes, name, count, arguments):  # type: ignore[no-untyped-def]
    _put(user, time, np.uint8(rec.PROGRAM_BEGIN), np.uint32(0))
    return _finish(user, attributes, time)


@cache
def _callback(make: Callable[[np.uint8], Any], kind: int, letters: str) -> Any:
    """The callback of a kind of record, shared by all archives."""
    return _compile(make(np.uint8(kind)), *(_LETTERS[letter] for letter in letters))


@cache
def compile_callbacks(present: frozenset[str], *, only_structure: bool = False) -> dict[str, Any]:
    """Compiled callbacks (loaded from the cache) by OTF2 event name.

    Only records whose definitions are `present` are registered, because loading one takes 9 ms;
    with `only_structure`, only those that open or close visits. Records of other kinds are counted
    as read and not stored.
    """
    table = {}
    for record in rec.RECORDS:
        is_structure = record.needs or record.kind in (rec.ENTER, rec.LEAVE)
        if (record.needs and record.needs not in present) or (only_structure and not is_structure):
            continue
        make = _BY_ARITY[len(record.arguments)]
        if record.kind in (rec.ENTER, rec.LEAVE):
            make = _plain if "attributes" in present else _bare
        table[record.name] = _callback(make, record.kind, record.arguments)
    if only_structure:
        return table
    table["ProgramBegin"] = _compile(_program_begin, types.uint32, types.uint32, types.voidptr)
    table["Unknown"] = _callback(_arity_0, rec.UNKNOWN, "")
    if "metrics" in present:
        arguments = [types.uint32, types.uint8, types.voidptr, types.voidptr]
        table["Metric"] = _compile(_metric, *arguments)
    return table
