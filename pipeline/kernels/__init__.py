"""Sequential walks compiled by numba, and the cache of compiled code.

The cache is in the checkout, or in the cache folder of the user if the checkout is read-only. Its
name is a hash of all sources, because numba does not notice changes of imported constants.
"""

import ctypes
import hashlib
import importlib
import os
import sys
import tempfile
from pathlib import Path

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX, _LARGE = -1, -3, -8, 64 << 20

_FOLDER = Path(__file__).resolve().parent


def _digest_of_sources() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(_FOLDER.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _first_writable(*folders: Path) -> Path:
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="tracemill-kernels-"))


def _choose_cache() -> None:
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    name = _digest_of_sources()
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folders = [user_cache / "tracemill" / name]
    checkout = _FOLDER.parents[1]
    if (checkout / "pyproject.toml").exists():
        folders.insert(0, checkout / ".cache" / "kernels" / name)
    os.environ["NUMBA_CACHE_DIR"] = str(_first_writable(*folders))


def _keep_memory() -> None:
    """Let the C library reuse freed columns instead of requesting cleared pages each time.

    All threads share one heap, because heaps of other threads are returned piece by piece.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, 1)


def _start_numba_without_blas() -> None:
    """Import numba without SciPy's BLAS, which would double the time of the import."""
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


_choose_cache()
_keep_memory()
_start_numba_without_blas()
