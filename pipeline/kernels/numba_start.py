"""Imports numba, which only the compilation of kernels and of the OTF2 callbacks needs."""

import importlib
import os
import sys

from tracemill.kernels.code_cache import folders, sources_digest

_BLAS = "scipy.linalg.cython_blas"


def _start_numba_without_blas() -> None:
    """Import numba without SciPy's BLAS, which would double the time of the import."""
    if _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[_BLAS]


# Numba does not notice changes of imported constants, so the folder is named by all sources.
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(folders()[0] / sources_digest("tracemill.kernels.otf2_callbacks"))
)
_start_numba_without_blas()
