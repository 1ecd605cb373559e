"""Access of compiled code to many tables through one array of their addresses and shapes.

Twenty arrays as arguments would make compilation ten times slower.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

part = nb.njit(_nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""A function called by compiled code only. Wrappers for Python would take most of the time of
compilation."""

_COLUMNS = 4
"""Address and three dimensions of a table; unused dimensions are 1."""


def addresses_of(tables: Iterable[NDArray[Any]]) -> NDArray[np.int64]:
    """Addresses and shapes of tables; valid while they exist and keep their size."""
    rows = [
        (table.ctypes.data, *table.shape, *(1,) * (_COLUMNS - 1 - table.ndim)) for table in tables
    ]
    return np.array(rows, np.int64)


def getter(number: int, dimensions: int, item: Any = types.int64) -> Callable[[Any], Any]:
    """Intrinsic that returns the table of that number as an array."""

    def describe(typing: Any, state: Any) -> Any:
        kind = types.Array(item, dimensions, "C")

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given = make_array(signature.args[0])(context, builder, value=values[0])
            word = ir.IntType(64)
            row = [
                builder.load(
                    builder.gep(given.data, [ir.Constant(word, _COLUMNS * number + place)])
                )
                for place in range(1 + dimensions)
            ]
            strides = [ir.Constant(word, 8)]
            for size in row[:1:-1]:
                strides.insert(0, builder.mul(strides[0], size))
            table = make_array(kind)(context, builder)
            populate_array(
                table,
                data=builder.inttoptr(row[0], table.data.type),
                shape=row[1:],
                strides=strides,
                itemsize=ir.Constant(word, 8),
                meminfo=None,
            )
            return table._getvalue()

        return kind(state), generate

    return intrinsic(describe)
