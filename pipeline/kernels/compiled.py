"""Decorators of kernels and of their parts, and what only compiling them needs.

Kernels take their columns as named tuples of arrays, and allocate nothing. Numba counts references
to every array taken out of such a tuple, with atomic operations: 0.9 µs per record instead of 0.05.
So all are compiled without reference counts. A process that runs kernels does not import numba.
"""

from collections.abc import Callable
from typing import Any

from tracemill.kernels.modes import IS_COMPILING

WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Wrappers for Python would take most of the time of compilation."""

kernel: Callable[..., Any]
"""A kernel called from Python; releases the interpreter lock."""

step: Callable[..., Any]
"""A function called by kernels."""

part: Callable[..., Any]
"""A step that LLVM always inlines: calls with many arguments are slow."""

piece: Callable[..., Any]
"""A function that is always inlined, for work done for every record."""

unchecked: Callable[..., Any]
"""A step whose divisions do not raise."""

intrinsic: Callable[..., Any]
ir: Any
types: Any
cgutils: Any
arrayobj: Any

if IS_COMPILING:
    from tracemill.kernels import numba_start  # noqa: F401, I001
    import numba as nb
    from llvmlite import ir  # type: ignore[no-redef]
    from numba import types  # type: ignore[no-redef]
    from numba.core import cgutils  # type: ignore[no-redef]
    from numba.extending import intrinsic  # type: ignore[no-redef]
    from numba.np import arrayobj  # type: ignore[no-redef]

    kernel = step = nb.njit(_nrt=False, **WITHOUT_WRAPPERS)
    part = nb.njit(_nrt=False, forceinline=True, **WITHOUT_WRAPPERS)
    piece = nb.njit(inline="always", **WITHOUT_WRAPPERS)
    unchecked = nb.njit(_nrt=False, error_model="numpy", **WITHOUT_WRAPPERS)
else:
    from tracemill.kernels.machine_code import Kernel

    def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    kernel = Kernel
    step = part = piece = unchecked = intrinsic = _as_it_is
    ir = types = cgutils = arrayobj = None


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
