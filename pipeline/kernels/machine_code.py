"""Kernels as machine code, loaded without numba: its import takes longer than a small trace.

The arguments of a call are flattened into words of 64 bits: the address, shape and, unless it is
contiguous, strides of each array, and the values of scalars, with the members of tuples in place of
the tuple. The result replaces the first words. Kernels allocate nothing and do not resize arrays.
"""

import ctypes
import json
import struct
import threading
from array import array
from collections.abc import Callable
from functools import cache, update_wrapper
from operator import index
from typing import Any

import numpy as np

from tracemill.kernels import code_cache
from tracemill.kernels.compilers import compile_kernel

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_SIGNED = 1 << 63
_WORD, _DATA = ctypes.c_int64, object.__basicsize__
"""The address of an array's data comes first in its object (PyArrayObject in NumPy's C API). To
read it there takes a tenth of the time of `__array_interface__`."""
_SCALARS = {bool: "bool", float: "float64", np.bool_: "bool", np.float64: "float64"}
_loading = threading.Lock()


class Kernel:
    """A function that runs as machine code, with a variant for each combination of types."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._variants: dict[tuple[Any, ...], Callable[[list[int]], Any]] = {}
        self._finding = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        words: list[int] = []
        kinds: list[Any] = []
        _flatten(arguments, words, kinds)
        key = tuple(kinds)
        variant = self._variants.get(key)
        if variant is None:
            with self._finding:
                if key not in self._variants:
                    self._variants[key] = self._find(arguments)
                variant = self._variants[key]
        return variant(words)

    def _find(self, arguments: tuple[Any, ...]) -> Callable[[list[int]], Any]:
        """Load the machine code for these arguments, or have it compiled."""
        module, kernel = self.py_func.__module__, self.py_func.__name__
        signature = json.dumps([_describe(argument) for argument in arguments])
        name = code_cache.name_of(module, kernel, signature)
        code = code_cache.load(name)
        if code is None:
            code = compile_kernel(name, module, kernel, signature)
        return _load(name, code)


def _flatten(values: tuple[Any, ...], words: list[int], kinds: list[Any]) -> None:
    """Append the words of values, and what distinguishes their types."""
    for value in values:
        if isinstance(value, np.ndarray):
            words.append(_WORD.from_address(id(value) + _DATA).value)
            words += value.shape
            kinds += value.dtype, value.ndim
            if not value.flags.c_contiguous:
                words += value.strides
                kinds.append("strided")
        elif isinstance(value, tuple):
            kinds += type(value), len(value)
            _flatten(value, words, kinds)
        elif isinstance(value, float):
            words.append(struct.unpack("q", struct.pack("d", value))[0])
            kinds.append("float64")
        else:
            word = index(bool(value) if isinstance(value, np.bool_) else value)
            words.append((word + _SIGNED) % (2 * _SIGNED) - _SIGNED)
            kinds.append(_scalar(value))


def _scalar(value: Any) -> str:
    kind = _SCALARS.get(type(value))
    if kind is None:
        kind = value.dtype.name if isinstance(value, np.generic) else "int64"
        if kind == "int64" and value >= _SIGNED:
            kind = "uint64"
    return kind


def _describe(value: Any) -> Any:
    """The type of an argument as JSON (`compiling.type_of` reads it)."""
    if isinstance(value, np.ndarray):
        return [value.dtype.name, value.ndim, "C" if value.flags.c_contiguous else "A"]
    if isinstance(value, tuple):
        kind = type(value)
        members = [_describe(member) for member in value]
        return {"of": None if kind is tuple else [kind.__module__, kind.__name__], "types": members}
    return _scalar(value)


@cache
def _engine() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _load(name: str, code: bytes) -> Callable[[list[int]], Any]:
    """The function of a file of the cache: a line with the type of its result, then an object."""
    from llvmlite import binding

    head, compiled = code.split(b"\n", 1)
    result = json.loads(head)
    needed = _word_count(result)
    with _loading:
        _engine().add_object_file(binding.ObjectFileRef.from_data(compiled))
        entry = _ENTRY(_engine().get_function_address(name))
    spare = (ctypes.c_int64 * 2)()
    places = ctypes.addressof(spare), ctypes.addressof(spare) + 8

    def run(words: list[int], _spare: Any = spare) -> Any:
        words += [0] * (needed - len(words))
        memory = array("q", words)
        if entry(*places, memory.buffer_info()[0]):
            raise RuntimeError(f"{name} failed")
        return _unpack(result, iter(memory))

    return run


def _word_count(kind: Any) -> int:
    """The number of words of a result."""
    return sum(map(_word_count, kind)) if isinstance(kind, list) else int(kind is not None)


def _unpack(kind: Any, words: Any) -> Any:
    if isinstance(kind, list):
        return tuple(_unpack(member, words) for member in kind)
    if kind is None:
        return None
    word = next(words)
    if kind == "float64":
        return struct.unpack("d", struct.pack("q", word))[0]
    if kind == "bool":
        return bool(word)
    return word % (2 * _SIGNED) if kind == "uint64" else word
