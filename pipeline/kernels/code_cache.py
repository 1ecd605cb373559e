"""The cache of machine code: a file per kernel and types of its arguments.

The name of a file is a hash of all that decides what it holds: the kernel's module, the modules of
kernels that it imports, what compiles it, the types, the versions of Python, numba and llvmlite,
and the processor.
"""

import fcntl
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tracemill.base.caches import cache_folders
from tracemill.base.sharing import share

_PACKAGE = "tracemill.kernels"
_HERE = Path(__file__).resolve().parent
_IMPORT = re.compile(r"from (tracemill\.kernels[\w.]*) import (\([^)]*\)|[^\n]*)")
_DIGEST_BYTES = 12


def folders() -> list[Path]:
    """Folders with machine code: the one to write to, then others to read from."""
    return cache_folders("kernels")


@cache
def _source_of(module: str) -> tuple[bytes, frozenset[str]]:
    """The text of a module, and the modules of kernels that it imports."""
    path = _path_of(module)
    if path is None:
        known = sys.modules.get(module)
        path = Path(str(known and known.__file__))
    text = path.read_bytes()
    used: set[str] = set()
    for found in _IMPORT.finditer(text.decode()):
        names = re.findall(r"\w+", found[2])
        used |= {found[1], *(f"{found[1]}.{name}" for name in names)}
    return text, frozenset(name for name in used if _path_of(name) is not None)


@cache
def _path_of(module: str) -> Path | None:
    if not module.startswith(_PACKAGE):
        return None
    path = _HERE.joinpath(*module.split(".")[2:]).with_suffix(".py")
    return path if module != _PACKAGE and path.exists() else None


@cache
def sources_digest(module: str) -> str:
    """Hash of a module and of what compiles it, and of the modules of kernels that they import."""
    found, waiting = set[str](), [module, f"{_PACKAGE}.compiling"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _source_of(name)[1]
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for name in sorted(found):
        digest.update(_source_of(name)[0])
    return digest.hexdigest()


@cache
def _platform() -> str:
    from llvmlite import binding

    return "\n".join(
        [sys.version, version("numba"), version("llvmlite"), binding.get_host_cpu_name(),
         binding.get_host_cpu_features().flatten()]
    )  # fmt: skip


def name_of(module: str, kernel: str, signature: str) -> str:
    """The name of the file with the machine code of a kernel."""
    parts = (sources_digest(module), signature, _platform())
    digest = hashlib.blake2b("\n".join(parts).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{module.removeprefix(_PACKAGE + '.')}.{kernel}-{digest}"


def load(name: str) -> bytes | None:
    """The machine code of that name, if there is any; an emptied file has none."""
    for folder in folders():
        with suppress(OSError):
            code = (folder / name).read_bytes()
            if b"\n" in code:
                return code
    return None


def save(name: str, code: bytes) -> None:
    """Keep machine code; the file appears at once, or not at all if the folder is full."""
    folder = folders()[0]
    with suppress(OSError):
        handle, written = tempfile.mkstemp(prefix=".", dir=folder)
        try:
            with open(handle, "wb") as file:
                file.write(code)
            share(Path(written))
            os.replace(written, folder / name)
        except OSError:
            os.unlink(written)
            raise


@contextmanager
def only_here(name: str) -> Iterator[None]:
    """Hold a lock, so that other processes do not compile the same; without locks, they do."""
    path = folders()[0] / f".{name}.lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(lock)
