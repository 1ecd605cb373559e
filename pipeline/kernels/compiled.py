"""Decorators that compile kernels.

Kernels take their columns as named tuples of arrays. Numba counts references to every array taken
out of such a tuple, with atomic operations: 0.9 µs per record instead of 0.05. Kernels that
allocate nothing are compiled without reference counts.
"""

from typing import Any

import numba as nb
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

kernel = nb.njit(nogil=True, cache=True, _nrt=False)
"""A kernel called from Python; releases the interpreter lock."""

step = nb.njit(_nrt=False)
"""A function called by kernels."""

part = nb.njit(_nrt=False, forceinline=True)
"""A step that LLVM always inlines: calls with many arguments are slow."""

piece = nb.njit(inline="always")
"""A function that is always inlined, for work done for every record."""


@intrinsic
def prefetch(typing: Any, rows: Any, row: Any) -> Any:
    """Prefetch a row of an array into the cache."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        bytes_per_row = builder.extract_value(array.strides, 0)
        begin = builder.ptrtoint(array.data, bytes_per_row.type)
        place = builder.add(begin, builder.mul(values[1], bytes_per_row))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To be read, to stay in all caches, data.
        how = [ir.Constant(number, value) for value in (0, 3, 1)]
        builder.call(function, [builder.inttoptr(place, cgutils.voidptr_t), *how])
        return context.get_dummy_value()

    return types.void(rows, types.intp), generate
