"""Compiles kernels for other processes.

`python -m tracemill.kernels.compiling` reads requests from its input, a line of JSON each, and
answers with the number of bytes and the bytes of a file of the cache, or with the negative number
and the text of an error. It ends when no request comes for a while.
"""

import gc
import importlib
import json
import signal
import sys
import traceback
from typing import Any

import numba as nb
from llvmlite import binding, ir
from numba import types
from numba.core.codegen import CPUCodeLibrary
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype
from numpy import dtype

from tracemill.kernels.compiled import WITHOUT_WRAPPERS

_IDLE_SECONDS = 2
_WORD = ir.IntType(64)
_optimize = CPUCodeLibrary._optimize_final_module


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index as it is. Indices do not count from the end: to allow it takes a fifth of the time.

    Raises ValueError for a negative number in the source.
    """
    if isinstance(index, ir.Constant) and index.constant < 0:
        raise ValueError("kernels have no negative indices")
    return context.cast(builder, index, kind, types.intp)


arrayobj.fix_integer_index = _index


def type_of(described: Any) -> Any:
    """The numba type that `machine_code` describes."""
    if isinstance(described, str):
        return getattr(types, described)
    if isinstance(described, list):
        name, dimensions, layout = described
        return types.Array(from_dtype(dtype(name)), dimensions, layout)
    members = [type_of(member) for member in described["types"]]
    kind = None
    if described["of"] is not None:
        module, name = described["of"]
        kind = getattr(importlib.import_module(module), name)
    return types.BaseTuple.from_types(members, kind)


def _taken(context: Any, builder: Any, kind: Any, words: Any) -> Any:
    """The value that the next words hold."""
    if isinstance(kind, types.BaseTuple):
        members = [_taken(context, builder, member, words) for member in kind.types]
        return context.make_tuple(builder, kind, members)
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, words)
    word = next(words)
    if isinstance(kind, types.Boolean):
        return builder.icmp_unsigned("!=", word, ir.Constant(_WORD, 0))
    if isinstance(kind, types.Float):
        return builder.bitcast(word, ir.DoubleType())
    value = context.get_value_type(kind)
    return builder.trunc(word, value) if value.width < _WORD.width else word


def _array(context: Any, builder: Any, kind: Any, words: Any) -> Any:
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(next(words), array.data.type)
    shape = [next(words) for _ in range(kind.ndim)]
    size = ir.Constant(_WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    if kind.layout == "C":
        strides = [size]
        for extent in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], extent))
    else:
        strides = [next(words) for _ in range(kind.ndim)]
    populate_array(
        array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None
    )  # fmt: skip
    return array._getvalue()


def _loader(kinds: list[Any]) -> Any:
    """Intrinsic that returns the arguments in words."""

    def describe(typing: Any, words: Any) -> Any:
        arguments = types.Tuple(kinds)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            def each() -> Any:
                place = 0
                while True:
                    yield builder.load(builder.gep(values[0], [ir.Constant(_WORD, place)]))
                    place += 1

            return _taken(context, builder, arguments, each())

        return arguments(words), generate

    return intrinsic(describe)


@intrinsic
def _store(typing: Any, words: Any, result: Any) -> Any:
    """Write a result into words."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        flat: list[Any] = []
        _scalars(context, builder, result, values[1], flat)
        for place, word in enumerate(flat):
            builder.store(word, builder.gep(values[0], [ir.Constant(_WORD, place)]))
        return context.get_dummy_value()

    return types.void(words, result), generate


def _scalars(context: Any, builder: Any, kind: Any, value: Any, flat: list[Any]) -> None:
    if isinstance(kind, types.BaseTuple):
        for place, member in enumerate(kind.types):
            _scalars(context, builder, member, builder.extract_value(value, place), flat)
    elif isinstance(kind, types.Float):
        flat.append(builder.bitcast(value, _WORD))
    elif not isinstance(kind, types.NoneType):
        flat.append(context.cast(builder, value, kind, types.int64))


def _result(kind: Any) -> Any:
    """The type of a result as JSON."""
    if isinstance(kind, types.BaseTuple):
        return [_result(member) for member in kind.types]
    return None if isinstance(kind, types.NoneType) else str(kind)


def compile_object(name: str, module: str, kernel: str, signature: str) -> bytes:
    """A file of the cache: a line with the type of the result, then an object with one symbol.

    Numba optimizes every function on its own, with all functions that it calls. Only the last of
    these results is used.
    """
    function = getattr(importlib.import_module(module), kernel)
    kinds = [type_of(described) for described in json.loads(signature)]
    load = _loader(kinds)

    def entry(words: Any) -> None:
        _store(words, function(*load(words)))

    CPUCodeLibrary._optimize_final_module = lambda self: None
    compiled = nb.njit(_nrt=False, **WITHOUT_WRAPPERS)(entry)
    compiled.compile((types.CPointer(types.int64),))
    (made,) = compiled.overloads.values()
    _keep_only(made.library._final_module, made.fndesc.llvm_func_name, name)
    _optimize(made.library)
    options: dict[str, Any] = {}
    codegen = cpu_target.target_context.codegen()
    codegen._customize_tm_options(options)
    machine = binding.Target.from_default_triple().create_target_machine(**options)
    code = machine.emit_object(made.library._final_module)
    result = _result(function.overloads[tuple(kinds)].signature.return_type)
    return json.dumps(result).encode() + b"\n" + code


def _keep_only(module: Any, symbol: str, name: str) -> None:
    """Give a function a new name, and hide all other symbols, which other objects have, too."""
    for value in (*module.functions, *module.global_variables):
        if value.name == symbol:
            value.name = name
        elif not value.is_declaration:
            value.linkage = "internal"


def main() -> None:
    """Answer requests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    gc.disable()
    while True:
        signal.alarm(_IDLE_SECONDS)
        line = sys.stdin.readline()
        signal.alarm(0)
        if not line:
            return
        try:
            answer, sign = compile_object(*json.loads(line)), 1
        except Exception:
            answer, sign = traceback.format_exc().encode(), -1
        sys.stdout.buffer.write(b"%d\n" % (sign * len(answer)) + answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
