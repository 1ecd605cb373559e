"""Access of compiled code to many tables through one array of their addresses and shapes.

Twenty arrays as arguments would make compilation ten times slower.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.compiled import arrayobj, intrinsic, ir, types

_COLUMNS = 4
"""Address and three dimensions of a table; unused dimensions are 1."""


def addresses_of(tables: Iterable[NDArray[Any]]) -> NDArray[np.int64]:
    """Addresses and shapes of tables; valid while they exist and keep their size."""
    rows = [
        (table.ctypes.data, *table.shape, *(1,) * (_COLUMNS - 1 - table.ndim)) for table in tables
    ]
    return np.array(rows, np.int64)


def getter(number: int, dimensions: int, item: str = "int64") -> Callable[[Any], Any]:
    """Intrinsic that returns the table of that number as an array."""

    def describe(typing: Any, state: Any) -> Any:
        kind = types.Array(getattr(types, item), dimensions, "C")

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given = arrayobj.make_array(signature.args[0])(context, builder, value=values[0])
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
            table = arrayobj.make_array(kind)(context, builder)
            arrayobj.populate_array(
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
